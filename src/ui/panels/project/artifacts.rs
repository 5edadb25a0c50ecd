//! Texts worth keeping; pinned ones are told to agents.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::ArtifactId;
use crate::model::knowledge::{ARTIFACT_MAX_CHARS, Artifact, ArtifactBody};
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::Text;
use crate::ui::widgets::choice::switch;
use crate::ui::widgets::icon::{self, Face};
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::widgets::{Button, IconButton};
use crate::ui::words;

use super::entry::{Entry, Filter, list};
use super::{form_head, head, name, nothing};

/// The open form.
#[derive(Default)]
pub struct Artifacts {
    form: Option<Form>,
    filter: Filter,
}

struct Form {
    kept: Artifact,
    /// As it is being changed.
    now: Artifact,
    fresh: bool,
}

const ABOUT: &str =
    "Designs, tables, snippets. Agents are told the titles of pinned ones, with their beginnings.";
const TITLE_MAX_CHARS: usize = 300;

impl Artifacts {
    pub fn close(&mut self) -> bool {
        self.form.take().is_some() || self.filter.clear()
    }

    pub fn has_form(&self) -> bool {
        self.form.is_some()
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if let Some(form) = &mut self.form {
            if form.ui(cx, ui) {
                self.form = None;
            }
            return;
        }
        if head(ui, "Artifacts", ABOUT, Some("New artifact"))
            && let Some(project) = cx.snap.project
        {
            self.form = Some(Form::of(Artifact {
                id: ArtifactId(0),
                project,
                conversation: cx.route.conversation(),
                pinned: true,
                updated_ms: 0,
                body: ArtifactBody::default(),
                text: String::new(),
            }));
        }
        let rows = &cx.snap.knowledge.artifacts;
        if rows.is_empty() {
            nothing(ui, "Nothing is kept yet. A message can be kept as an artifact, too: point at it.");
            return;
        }
        let rows = self.filter.ui(ui, "Find an artifact", rows.iter(), |row| &row.body.title);
        if rows.is_empty() {
            return;
        }
        list(ui, |ui| {
            for (at, row) in rows.into_iter().enumerate() {
                ui.push_id(row.id.0, |ui| self.row(cx, ui, row, at == 0));
            }
        });
    }

    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &Artifact, first: bool) {
        let language = if row.body.language.is_empty() { "Markdown" } else { &row.body.language };
        let chars = words::thousands(row.text.chars().count() as u64);
        let detail = format!("{language} · {chars} characters · {}", cx.now.row_time(row.updated_ms));
        let title = row.body.title.as_str();
        let entry = Entry {
            icon: if row.body.language.is_empty() { icon::FILE_TEXT } else { icon::FILE_CODE },
            tint: |p| p.text_3,
            title,
            detail: &detail,
            mono: false,
            quiet: !row.pinned,
        };
        let open = entry.show(ui, first, |ui| {
            if IconButton::small(icon::TRASH, &format!("Remove artifact: {title}")).show(ui).clicked() {
                cx.send(KnowledgeCommand::RemoveArtifact(row.id));
            }
            if IconButton::small(icon::COPY, &format!("Copy artifact: {title}")).show(ui).clicked() {
                cx.ask(Request::Copy { text: row.text.clone(), what: "The artifact" });
            }
            let face = if row.pinned { Face::Fill } else { Face::Regular };
            let said = if row.pinned { format!("Unpin: {title}") } else { format!("Pin: {title}") };
            let pin = IconButton::small(icon::PUSH_PIN, &said).face(face).selected(row.pinned);
            if pin.show(ui).clicked() {
                let changed = Artifact { pinned: !row.pinned, ..row.clone() };
                cx.send(KnowledgeCommand::PutArtifact(Box::new(changed)));
            }
        });
        if open.clicked() {
            self.form = Some(Form::of(row.clone()));
        }
    }
}

impl Form {
    fn of(kept: Artifact) -> Self {
        Self { now: kept.clone(), kept, fresh: true }
    }

    /// `true` when it is to close.
    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> bool {
        let new = self.kept.id.0 == 0;
        let back = form_head(ui, if new { "New artifact" } else { "Artifact" });
        let field = fields(ui, &mut self.now, (6, 22));
        if std::mem::take(&mut self.fresh) {
            ui.memory_mut(|memory| memory.request_focus(field));
        }
        ui.add_space(8.0);
        let why = why_not(&self.now);
        let (mut save, mut cancel) = (false, false);
        ui.horizontal(|ui| {
            save = Button::primary("Save").disabled(why).show(ui).clicked();
            cancel = Button::quiet("Cancel").show(ui).clicked();
        });
        if save {
            cx.send(KnowledgeCommand::PutArtifact(Box::new(self.now.clone())));
        }
        save || cancel || back
    }
}

/// Why an artifact cannot be kept as it is.
pub fn why_not(artifact: &Artifact) -> Option<&'static str> {
    if artifact.body.title.trim().is_empty() {
        return Some("It needs a title.");
    }
    artifact.text.trim().is_empty().then_some("It needs some text.")
}

/// The fields of an artifact; returns the first one's id. `lines` = least and most of the text.
pub fn fields(ui: &mut Ui, artifact: &mut Artifact, lines: (usize, usize)) -> egui::Id {
    name(ui, "Title");
    let field = TextField::single("artifact title", "Title of the artifact").max_chars(TITLE_MAX_CHARS);
    let id = field.id();
    field.show(ui, &mut artifact.body.title);
    name(ui, "Language; empty = Markdown");
    let field = TextField::single("artifact language", "Language").hint("rust").width(160.0).max_chars(40);
    field.show(ui, &mut artifact.body.language);
    name(ui, "Text");
    let field = TextField::multi("artifact text", "Text of the artifact", lines.0, lines.1)
        .enter(EnterKey::Breaks)
        .step(Text::Mono)
        .max_chars(ARTIFACT_MAX_CHARS);
    if field.show(ui, &mut artifact.text).full {
        ui.label(Text::Caption.rich("The text is as long as it may be.", crate::ui::theme::palette(ui).warn));
    }
    ui.add_space(4.0);
    switch(ui, &mut artifact.pinned, "Pinned: agents are told of it");
    id
}
