//! What open branches lean to, one line each over the composer of their parent.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::ConversationRow;
use crate::model::branch::BranchStatus;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::route::Route;
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};

/// Most lines; the rest is in the sidebar.
const MAX: usize = 2;
/// Widest name of a branch, points.
const NAME_MAX: f32 = 200.0;

/// Draws the hints of the branches that start in the conversation shown, when there are any.
pub fn show(cx: &UiCx<'_>, ui: &mut Ui) {
    let Some(here) = cx.route.conversation() else { return };
    let open = |row: &&ConversationRow| {
        row.conversation.branch_status() == Some(BranchStatus::Active)
            && row.conversation.branch.as_ref().is_some_and(|branch| branch.facts.hint)
    };
    let rows: Vec<_> = lineage::children(cx.snap, here).map(AsRef::as_ref).filter(open).take(MAX).collect();
    if rows.is_empty() {
        return;
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for row in rows {
            line(cx, ui, row);
        }
    });
}

fn line(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let Some(branch) = &row.conversation.branch else { return };
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let id = row.conversation.id;
    let title = row.conversation.title.as_str();
    let said = match &branch.facts.gist {
        Some(gist) => format!("leans to: {gist}"),
        None => "has no answer yet".to_owned(),
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.sidebar), Sense::hover());
    let hide = Rect::from_center_size(pos2(rect.right() - 14.0, rect.center().y), vec2(24.0, 24.0));
    let hit = Rect::from_min_max(rect.min, pos2(hide.left() - 4.0, rect.bottom()));
    let response = ui.interact(hit, ui.scope_id().with(("hint", id.0)), Sense::click());
    let whole = format!("{title} {said}");
    response.widget_info(|| WidgetInfo::labeled(Role::Link, true, &whole));
    let fill = match (response.is_pointer_button_down_on(), response.hovered()) {
        (true, _) => p.bg_pressed,
        (false, true) => p.bg_hover,
        (false, false) => CLEAR,
    };
    ui.painter().rect_filled(hit, sizes.radius.control, fill);
    paint::icon(ui, pos2(hit.left() + 12.0, hit.center().y), icon::GIT_BRANCH, 13.0, p.accent);
    let mut end = hit.right() - 8.0;
    if branch.facts.hint_told {
        let told = paint::line(ui, "told to agents", Text::Caption.format(p.text_2), 100.0);
        end = paint::right(ui, hit, end, told) - 10.0;
    }
    let x = hit.left() + 24.0;
    let name = Text::Small.format_weighted(Weight::Medium, p.text_1);
    let name = paint::line(ui, title, name, NAME_MAX.min((end - x) / 2.0));
    let x = paint::left(ui, hit, x, name) + 6.0;
    paint::left(ui, hit, x, paint::line(ui, &said, Text::Small.format(p.text_2), (end - x).max(20.0)));
    paint::focus_ring(ui, &response, hit, sizes.radius.control, Ring::Inside);
    if response.on_hover_text(whole).clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
    let name = format!("Hide the hint of {title}");
    if IconButton::small(icon::EYE_SLASH, &name).show_at(ui, hide, ("hide hint", id.0)).clicked() {
        cx.send(BranchCommand::SetHint { branch: id, on: false, told: false });
    }
}
