//! Words and choices of a seat, for the composer and the profiles.

use egui::Ui;

use crate::model::pack::{Mode, Supply};
use crate::model::project::SeatChoice;
use crate::ui::cx::UiCx;
use crate::ui::panels::menu::{self, MenuRow};

/// `Claude Code · opus · Architect · Standard`: what a seat is made of.
#[must_use]
pub fn words_of(cx: &UiCx<'_>, seat: &SeatChoice) -> String {
    let engine = cx.engine(&seat.engine).map_or(seat.engine.as_str(), |row| row.info.name.as_str());
    let mut parts = vec![engine.to_owned()];
    parts.extend(seat.model.clone());
    parts.extend(seat.role.clone());
    parts.extend(seat.persona.as_deref().map(short));
    parts.extend(seat.mode.map(|mode| mode.label().to_owned()));
    if seat.supply != Supply::default() {
        parts.push(seat.supply.label().to_owned());
    }
    parts.join(" · ")
}

/// The first words of a persona that is written out.
fn short(persona: &str) -> String {
    const CHARS: usize = 24;
    if persona.chars().count() <= CHARS {
        return persona.to_owned();
    }
    let cut: String = persona.chars().take(CHARS).collect();
    format!("{}…", cut.trim_end())
}

/// What a way of supplying means, in a few words.
#[must_use]
pub fn supply_words(supply: Supply) -> &'static str {
    match supply {
        Supply::Push => "Told beforehand",
        Supply::Hybrid => "A little told, the rest on request",
        Supply::Pull => "On request only",
    }
}

/// Width of a menu of [`mode_rows`], points.
pub const MODES_WIDTH: f32 = 330.0;

/// The chosen mode in a word; without one a rule decides.
#[must_use]
pub fn mode_words(mode: Option<Mode>) -> &'static str {
    mode.map_or("Auto", Mode::label)
}

/// Rows of a menu: how much is told, and how the rest reaches the agent. Returns the seat as it was picked.
pub fn mode_rows(ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
    let mut chosen = None;
    let rows: [(Option<Mode>, &str); 4] = [
        (None, "By rule"),
        (Some(Mode::Lite), "Little"),
        (Some(Mode::Standard), "The usual"),
        (Some(Mode::Full), "All there is"),
    ];
    menu::head(ui, "Context mode");
    for (mode, detail) in rows {
        if MenuRow::plain(mode_words(mode)).end(detail).selected(seat.mode == mode).show(ui).clicked() {
            chosen = Some(by_hand(SeatChoice { mode, ..seat.clone() }));
        }
    }
    menu::divider(ui);
    menu::head(ui, "Skills, memory, other conversations");
    for supply in Supply::ALL {
        let row = MenuRow::plain(supply.label()).end(supply_words(supply));
        if row.selected(seat.supply == supply).show(ui).clicked() {
            chosen = Some(by_hand(SeatChoice { supply, ..seat.clone() }));
        }
    }
    chosen
}

/// The same seat under no profile's name: something was picked by hand.
#[must_use]
pub fn by_hand(seat: SeatChoice) -> SeatChoice {
    SeatChoice { profile: None, ..seat }
}
