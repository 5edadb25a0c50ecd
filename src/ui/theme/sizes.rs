use std::sync::OnceLock;

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Color32, FontFamily, FontId, RichText, Shadow};
use serde::Deserialize;

macro_rules! lengths {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize)]
        pub struct $name { $(pub $field: f32,)* }
    };
}

lengths! {
    /// The only gaps and paddings in use, points.
    Space { s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 }
}
lengths! {
    /// Corner radii, points.
    Radius { bar, chip, control, card, composer, dialog, mark }
}
lengths! {
    /// Stroke widths, points.
    StrokeWidth { line, glyph, focus }
}
lengths! {
    /// Icon sizes, points.
    IconSize { inline, row, action, large, state, mark }
}
lengths! {
    /// Row heights, points.
    RowHeight { sidebar, section, tool, table, list, list_tall, palette, head, subhead, meta, status }
}

/// Sizes of controls, points.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Control {
    pub button: f32,
    pub picker: f32,
    pub field: f32,
    pub field_large: f32,
    pub chip: f32,
    pub key: f32,
    pub icon_button: f32,
    pub icon_button_s: f32,
    pub min_hit: f32,
    pub radio: f32,
    pub switch: [f32; 2],
    pub meter: f32,
}

/// Widths of panels, points.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Panel {
    pub sidebar: f32,
    pub rail: f32,
    pub strip: f32,
    pub reading_max: f32,
    pub drawer: f32,
    pub seat_min: f32,
    pub seat_max: f32,
    pub dialog: [f32; 3],
    pub palette: f32,
    pub toast: f32,
}

/// One shadow.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct ShadowSize {
    offset: [i8; 2],
    blur: u8,
    spread: u8,
}

impl ShadowSize {
    /// The shadow in `color`.
    #[must_use]
    pub fn shadow_of(self, color: Color32) -> Shadow {
        Shadow { offset: self.offset, blur: self.blur, spread: self.spread, color }
    }
}

/// The two shadows.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Shadows {
    /// Dialogs, palette, toasts, the drawer as overlay.
    pub popup: ShadowSize,
    /// Hover bar and the pill that leads to the newest message.
    pub float: ShadowSize,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct TypeSize(f32, f32, String);

#[derive(Clone, Debug, Default, Deserialize)]
struct TypeScale {
    title: TypeSize,
    heading: TypeSize,
    subhead: TypeSize,
    read: TypeSize,
    ui: TypeSize,
    small: TypeSize,
    caption: TypeSize,
    code: TypeSize,
    mono: TypeSize,
    mono_s: TypeSize,
}

/// Every length of the window.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Sizes {
    pub space: Space,
    pub radius: Radius,
    pub stroke: StrokeWidth,
    pub icon: IconSize,
    pub row: RowHeight,
    pub control: Control,
    pub panel: Panel,
    pub shadow: Shadows,
    #[serde(rename = "type")]
    scale: TypeScale,
}

impl Sizes {
    pub(super) fn deserialize_from(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

/// A step of the type scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// First run, empty views.
    Title,
    /// Dialog title, first heading in an answer.
    Heading,
    /// Second and third heading in an answer, project name.
    Subhead,
    /// Messages, composer, drafts.
    Read,
    /// Rows, buttons, fields.
    Ui,
    /// Pickers, tool rows, secondary lines.
    Small,
    /// Times, counts, status bar.
    Caption,
    /// Code blocks.
    Code,
    /// Commands, exact text, inline code.
    Mono,
    /// Model names, paths, git branches, tool output.
    MonoSmall,
}

/// Weight of a text; the mono family knows regular and medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    /// The upright face.
    Regular,
    /// Buttons, active rows.
    Medium,
    /// Headings, authors.
    Semibold,
}

impl Text {
    fn size(self) -> &'static TypeSize {
        let scale = &super::sizes().scale;
        match self {
            Self::Title => &scale.title,
            Self::Heading => &scale.heading,
            Self::Subhead => &scale.subhead,
            Self::Read => &scale.read,
            Self::Ui => &scale.ui,
            Self::Small => &scale.small,
            Self::Caption => &scale.caption,
            Self::Code => &scale.code,
            Self::Mono => &scale.mono,
            Self::MonoSmall => &scale.mono_s,
        }
    }

    /// Height of one line, points.
    #[must_use]
    pub fn line(self) -> f32 {
        self.size().1
    }

    /// The weight the scale gives this step.
    #[must_use]
    pub fn own_weight(self) -> Weight {
        if self.size().2 == "semibold" { Weight::Semibold } else { Weight::Regular }
    }

    fn is_mono(self) -> bool {
        self.size().2 == "mono"
    }

    /// The font in the step's own weight.
    #[must_use]
    pub fn font(self) -> FontId {
        self.weighted(self.own_weight())
    }

    /// The font in another weight.
    #[must_use]
    pub fn weighted(self, weight: Weight) -> FontId {
        let family = match (self.is_mono(), weight) {
            (false, Weight::Regular) => FontFamily::Proportional,
            (false, Weight::Medium) => named(&MEDIUM, "ui-medium"),
            (false, Weight::Semibold) => named(&SEMIBOLD, "ui-semibold"),
            (true, Weight::Regular) => FontFamily::Monospace,
            (true, _) => named(&MONO_MEDIUM, "mono-medium"),
        };
        FontId::new(self.size().0, family)
    }

    /// Format for a layout job: font, line height, colour.
    #[must_use]
    pub fn format(self, color: Color32) -> TextFormat {
        self.format_weighted(self.own_weight(), color)
    }

    /// As [`Text::format`] in another weight.
    #[must_use]
    pub fn format_weighted(self, weight: Weight, color: Color32) -> TextFormat {
        TextFormat {
            font_id: self.weighted(weight),
            line_height: Some(self.line()),
            color,
            valign: Align::Center,
            ..TextFormat::default()
        }
    }

    /// Rich text for labels.
    #[must_use]
    pub fn rich(self, text: impl Into<String>, color: Color32) -> RichText {
        RichText::new(text).font(self.font()).line_height(Some(self.line())).color(color)
    }

    /// Rich text in another weight.
    #[must_use]
    pub fn rich_weighted(self, weight: Weight, text: impl Into<String>, color: Color32) -> RichText {
        RichText::new(text).font(self.weighted(weight)).line_height(Some(self.line())).color(color)
    }

    /// A job of one format that wraps at `wrap_width` points.
    #[must_use]
    pub fn job(self, text: &str, color: Color32, wrap_width: f32) -> LayoutJob {
        let mut job = LayoutJob::single_section(text.to_owned(), self.format(color));
        job.wrap.max_width = wrap_width;
        job
    }
}

static MEDIUM: OnceLock<FontFamily> = OnceLock::new();
static SEMIBOLD: OnceLock<FontFamily> = OnceLock::new();
static MONO_MEDIUM: OnceLock<FontFamily> = OnceLock::new();

/// A named family without an allocation per frame.
fn named(cell: &OnceLock<FontFamily>, name: &str) -> FontFamily {
    cell.get_or_init(|| FontFamily::Name(name.into())).clone()
}
