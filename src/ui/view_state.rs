//! What the window remembers about itself between runs: size, place, sidebar, route.
//!
//! A missing or unreadable file is the same as none.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::route::Route;

/// Smallest useful window, points.
pub const MIN_SIZE: [f32; 2] = [640.0, 420.0];

/// The remembered view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewState {
    /// Inner size, points at zoom 1.
    pub size: [f32; 2],
    /// Outer position; `None` = the system's choice.
    pub position: Option<[f32; 2]>,
    pub maximized: bool,
    /// Width of the sidebar, points.
    pub sidebar_width: f32,
    pub sidebar_open: bool,
    pub archive_open: bool,
    /// Width of a branch beside the conversation while it is not pinned, points.
    pub drawer_width: f32,
    pub drawer_pinned: bool,
    /// What is open beside main conversations.
    pub shelves: Vec<Shelf>,
    pub route: Route,
    /// Run once the window is there, e.g. for a picture.
    #[serde(skip)]
    pub first: Option<UiAction>,
}

/// The branches open beside one main conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shelf {
    pub root: ConversationId,
    /// In their order.
    #[serde(default)]
    pub tabs: Vec<ConversationId>,
    /// The one in front.
    #[serde(default)]
    pub at: Option<ConversationId>,
    #[serde(default)]
    pub open: bool,
    /// Shown side by side in their place.
    #[serde(default)]
    pub compared: Option<[ConversationId; 2]>,
}

/// Main conversations whose branches are remembered; the newest ones.
const SHELVES_MAX: usize = 64;

impl Default for ViewState {
    fn default() -> Self {
        Self {
            size: [1280.0, 800.0],
            position: None,
            maximized: false,
            sidebar_width: 248.0,
            sidebar_open: true,
            archive_open: false,
            drawer_width: 440.0,
            drawer_pinned: false,
            shelves: Vec::new(),
            route: Route::Home,
            first: None,
        }
    }
}

impl ViewState {
    /// Reads the file; values out of range are put right.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let mut state: Self = std::fs::read_to_string(path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        state.repair();
        state
    }

    fn repair(&mut self) {
        let [width, height] = self.size;
        let [width_min, height_min] = MIN_SIZE;
        let side = |value: f32, min: f32, default: f32| {
            if value.is_finite() { value.clamp(min, 16_000.0) } else { default }
        };
        self.size = [side(width, width_min, 1280.0), side(height, height_min, 800.0)];
        self.sidebar_width =
            if self.sidebar_width.is_finite() { self.sidebar_width.clamp(200.0, 360.0) } else { 248.0 };
        self.drawer_width =
            if self.drawer_width.is_finite() { self.drawer_width.clamp(360.0, 4_000.0) } else { 440.0 };
        let spare = self.shelves.len().saturating_sub(SHELVES_MAX);
        self.shelves.drain(..spare);
        self.position = self.position.filter(|[x, y]| x.abs() < 30_000.0 && y.abs() < 30_000.0);
    }

    /// Writes the file whole; a failure is logged, since nothing of the user's is lost by it.
    pub fn save(&self, path: &Path) {
        let result = serde_json::to_string_pretty(self).map_err(std::io::Error::other).and_then(|text| {
            let fresh = path.with_extension("new");
            std::fs::write(&fresh, text)?;
            std::fs::rename(&fresh, path)
        });
        if let Err(error) = result {
            tracing::warn!(%error, "the view state was not saved");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_state_comes_back_and_a_bad_one_is_put_right() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("view.json");
        let [root, one, other] = [1, 2, 3].map(ConversationId);
        let shelf =
            Shelf { root, tabs: vec![one, other], at: Some(one), open: true, compared: Some([one, other]) };
        let state = ViewState {
            size: [900.0, 600.0],
            sidebar_width: 300.0,
            shelves: vec![shelf],
            ..ViewState::default()
        };
        state.save(&path);
        assert_eq!(ViewState::load(&path), state);
        std::fs::write(&path, r#"{"size":[1,1],"sidebar_width":9999,"new_field":1}"#).unwrap();
        let state = ViewState::load(&path);
        assert_eq!((state.size, state.sidebar_width), (MIN_SIZE, 360.0));
        std::fs::write(&path, "no json").unwrap();
        assert_eq!(ViewState::load(&path), ViewState::default());
    }
}
