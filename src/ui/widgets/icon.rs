use std::sync::OnceLock;

use egui::{FontFamily, FontId};

/// One Phosphor icon: its code point in the bundled faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Icon(pub char);

/// Face an icon is drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Nearly everything.
    Regular,
    /// Engine marks and small ticks.
    Bold,
    /// Stop and pinned.
    Fill,
}

static REGULAR: OnceLock<FontFamily> = OnceLock::new();
static BOLD: OnceLock<FontFamily> = OnceLock::new();
static FILL: OnceLock<FontFamily> = OnceLock::new();

impl Face {
    /// The icon font at `size` points.
    #[must_use]
    pub fn font(self, size: f32) -> FontId {
        let (cell, name) = match self {
            Self::Regular => (&REGULAR, "icon"),
            Self::Bold => (&BOLD, "icon-bold"),
            Self::Fill => (&FILL, "icon-fill"),
        };
        FontId::new(size, cell.get_or_init(|| FontFamily::Name(name.into())).clone())
    }
}

macro_rules! icons {
    ($($name:ident $code:literal,)*) => {
        $(
            pub const $name: Icon = Icon($code);
        )*

        /// Every icon of the table, for the gallery and the test of the bundled face.
        pub const ALL: &[(&str, Icon)] = &[$((stringify!($name), $name),)*];
    };
}

icons! {
    ARCHIVE '\u{e00c}',
    ARROW_BEND_UP_LEFT '\u{e024}',
    ARROW_CLOCKWISE '\u{e036}',
    ARROW_COUNTER_CLOCKWISE '\u{e038}',
    ARROW_DOWN '\u{e03e}',
    ARROW_LEFT '\u{e058}',
    ARROW_RIGHT '\u{e06c}',
    ARROW_SQUARE_OUT '\u{e5de}',
    ARROW_U_UP_LEFT '\u{e08a}',
    ARROW_UP '\u{e08e}',
    ARROWS_CLOCKWISE '\u{e094}',
    ARROWS_IN '\u{e09a}',
    ARROWS_OUT '\u{e0a2}',
    ASTERISK '\u{e0aa}',
    AT '\u{e0ac}',
    BELL '\u{e0ce}',
    BELL_SLASH '\u{e0d4}',
    BOOK_OPEN '\u{e0e6}',
    BOOKMARK_SIMPLE '\u{e0ea}',
    BRACKETS_ANGLE '\u{e862}',
    BRAIN '\u{e74e}',
    BUG '\u{e5f4}',
    CARET_DOWN '\u{e136}',
    CARET_LEFT '\u{e138}',
    CARET_RIGHT '\u{e13a}',
    CARET_UP '\u{e13c}',
    CARET_UP_DOWN '\u{e140}',
    CHART_BAR '\u{e150}',
    CHAT_CIRCLE '\u{e168}',
    CHATS '\u{e17c}',
    CHECK '\u{e182}',
    CHECK_CIRCLE '\u{e184}',
    CHECK_SQUARE '\u{e186}',
    CHECKS '\u{e53a}',
    CIRCLE '\u{e18a}',
    CLIPBOARD_TEXT '\u{e198}',
    CLOCK '\u{e19a}',
    CODE '\u{e1bc}',
    COINS '\u{e78e}',
    COLUMNS '\u{e546}',
    COPY '\u{e1ca}',
    COPY_SIMPLE '\u{e1cc}',
    CPU '\u{e610}',
    CURRENCY_DOLLAR '\u{e550}',
    DATABASE '\u{e1de}',
    DESKTOP '\u{e560}',
    DIAMOND '\u{e1ec}',
    DOTS_SIX_VERTICAL '\u{eae2}',
    DOTS_THREE '\u{e1fe}',
    DOWNLOAD_SIMPLE '\u{e20c}',
    EXPORT '\u{eaf0}',
    EYE '\u{e220}',
    EYE_SLASH '\u{e224}',
    FILE '\u{e230}',
    FILE_CODE '\u{e914}',
    FILE_PLUS '\u{e236}',
    FILE_TEXT '\u{e23a}',
    FIRST_AID '\u{e56e}',
    FLAG '\u{e244}',
    FLASK '\u{e79e}',
    FOLDER '\u{e24a}',
    FOLDER_OPEN '\u{e256}',
    FUNNEL '\u{e266}',
    GEAR '\u{e270}',
    GIT_BRANCH '\u{e278}',
    GIT_COMMIT '\u{e27a}',
    GIT_DIFF '\u{e27c}',
    GIT_FORK '\u{e27e}',
    GIT_MERGE '\u{e280}',
    GLOBE '\u{e288}',
    GRAPH '\u{eb58}',
    HASH '\u{e2a2}',
    HEARTBEAT '\u{e2ac}',
    HEXAGON '\u{e2ae}',
    HOURGLASS '\u{e2b2}',
    HOUSE '\u{e2c2}',
    IMAGE '\u{e2ca}',
    INFO '\u{e2ce}',
    KANBAN '\u{eb54}',
    KEY '\u{e2d6}',
    KEYBOARD '\u{e2d8}',
    LIGHTNING '\u{e2de}',
    LINK '\u{e2e2}',
    LIST '\u{e2f0}',
    LIST_BULLETS '\u{e2f2}',
    LIST_CHECKS '\u{eadc}',
    LOCK '\u{e2fa}',
    LOCK_OPEN '\u{e306}',
    MAGNIFYING_GLASS '\u{e30c}',
    MINUS '\u{e32a}',
    MOON '\u{e330}',
    NOTE '\u{e348}',
    PALETTE '\u{e6c8}',
    PAPER_PLANE_RIGHT '\u{e396}',
    PAPERCLIP '\u{e39a}',
    PAUSE '\u{e39e}',
    PENCIL_SIMPLE '\u{e3b4}',
    PLAY '\u{e3d0}',
    PLUGS '\u{eb56}',
    PLUS '\u{e3d4}',
    PROHIBIT '\u{e3de}',
    PUSH_PIN '\u{e3e2}',
    PUSH_PIN_SLASH '\u{e3e4}',
    QUESTION '\u{e3e8}',
    QUOTES '\u{e660}',
    ROBOT '\u{e762}',
    ROWS '\u{e5a2}',
    SCALES '\u{e750}',
    SIDEBAR '\u{eab6}',
    SIDEBAR_SIMPLE '\u{ec24}',
    SIGN_IN '\u{e428}',
    SIGN_OUT '\u{e42a}',
    SKIP_FORWARD '\u{e5a6}',
    SLIDERS_HORIZONTAL '\u{e434}',
    SPEAKER_SLASH '\u{e45a}',
    SPLIT_HORIZONTAL '\u{e872}',
    SQUARE '\u{e45e}',
    SQUARES_FOUR '\u{e464}',
    STACK '\u{e466}',
    STAR '\u{e46a}',
    STAR_FOUR '\u{e6a4}',
    STOP '\u{e46c}',
    SUN '\u{e472}',
    SWAP '\u{e83c}',
    TAG '\u{e478}',
    TERMINAL '\u{e47e}',
    TERMINAL_WINDOW '\u{eae8}',
    TEXT_ALIGN_LEFT '\u{e484}',
    TIMER '\u{e492}',
    TRASH '\u{e4a6}',
    TRAY '\u{e4aa}',
    TREE_STRUCTURE '\u{e67c}',
    TRIANGLE '\u{e4b0}',
    UPLOAD_SIMPLE '\u{e4c0}',
    USER '\u{e4c2}',
    USERS '\u{e4d6}',
    USERS_THREE '\u{e68e}',
    WARNING '\u{e4e0}',
    WARNING_CIRCLE '\u{e4e2}',
    WIFI_SLASH '\u{e4f2}',
    WRENCH '\u{e5d4}',
    X '\u{e4f6}',
    X_CIRCLE '\u{e4f8}',
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_icon_is_in_the_bundled_face() {
        let definitions = crate::ui::theme::font_definitions();
        let mut fonts =
            egui::epaint::text::Fonts::new(egui::epaint::text::TextOptions::default(), definitions);
        let font = Face::Regular.font(14.0);
        let missing: Vec<&str> =
            ALL.iter().filter(|(_, icon)| !fonts.has_glyph(&font, icon.0)).map(|(name, _)| *name).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
