//! Words and choices of a seat, for the composer and the profiles.

use crate::model::pack::Supply;
use crate::model::project::SeatChoice;
use crate::ui::cx::UiCx;

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

/// The same seat under no profile's name: something was picked by hand.
#[must_use]
pub fn by_hand(seat: SeatChoice) -> SeatChoice {
    SeatChoice { profile: None, ..seat }
}
