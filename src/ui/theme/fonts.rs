use std::sync::Arc;

use egui::{FontData, FontDefinitions, FontFamily};

const FACES: [(&str, &[u8]); 11] = [
    ("inter", include_bytes!("../../../assets/fonts/Inter-Regular.otf")),
    ("inter-medium", include_bytes!("../../../assets/fonts/Inter-Medium.otf")),
    ("inter-semibold", include_bytes!("../../../assets/fonts/Inter-SemiBold.otf")),
    ("mono", include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf")),
    ("mono-medium", include_bytes!("../../../assets/fonts/JetBrainsMono-Medium.ttf")),
    ("nanum", include_bytes!("../../../assets/fonts/NanumBarunGothic.ttf")),
    ("nanum-bold", include_bytes!("../../../assets/fonts/NanumBarunGothicBold.ttf")),
    ("emoji", include_bytes!("../../../assets/fonts/NotoEmoji.ttf")),
    ("icon", include_bytes!("../../../assets/fonts/Phosphor.ttf")),
    ("icon-bold", include_bytes!("../../../assets/fonts/Phosphor-Bold.ttf")),
    ("icon-fill", include_bytes!("../../../assets/fonts/Phosphor-Fill.ttf")),
];

/// Faces of egui for what the emoji face lacks: its own knows those of before 2014 only, and some symbols.
const SYMBOLS: [&str; 2] = ["NotoEmoji-Regular", "emoji-icon-font"];

/// The fonts of the window: text families with Korean, Han, kana, box drawing, emoji and icons as fallback.
///
/// Scripts that no bundled face covers are asked of the system by the window's font provider.
#[must_use]
pub fn definitions() -> FontDefinitions {
    let built_in = FontDefinitions::default();
    let mut fonts = FontDefinitions::empty();
    for (name, bytes) in FACES {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let symbols: Vec<&str> =
        SYMBOLS.into_iter().filter(|name| built_in.font_data.contains_key(*name)).collect();
    for name in &symbols {
        if let Some(data) = built_in.font_data.get(*name) {
            fonts.font_data.insert((*name).to_owned(), Arc::clone(data));
        }
    }
    let chain = |faces: &[&str]| -> Vec<String> {
        faces
            .iter()
            .chain(&["emoji"])
            .chain(&symbols)
            .chain(&["icon"])
            .map(|name| (*name).to_owned())
            .collect()
    };
    let families = [
        (FontFamily::Proportional, chain(&["inter", "nanum", "mono"])),
        (
            FontFamily::Name("ui-medium".into()),
            chain(&["inter-medium", "nanum-bold", "nanum", "mono-medium"]),
        ),
        (
            FontFamily::Name("ui-semibold".into()),
            chain(&["inter-semibold", "nanum-bold", "nanum", "mono-medium"]),
        ),
        (FontFamily::Monospace, chain(&["mono", "nanum", "inter"])),
        (
            FontFamily::Name("mono-medium".into()),
            chain(&["mono-medium", "nanum-bold", "nanum", "inter-medium"]),
        ),
        (FontFamily::Name("icon".into()), vec!["icon".to_owned()]),
        (FontFamily::Name("icon-bold".into()), vec!["icon-bold".to_owned(), "icon".to_owned()]),
        (FontFamily::Name("icon-fill".into()), vec!["icon-fill".to_owned(), "icon".to_owned()]),
    ];
    fonts.families.extend(families);
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_families_cover_korean_japanese_han_and_box_drawing() {
        let mut fonts =
            egui::epaint::text::Fonts::new(egui::epaint::text::TextOptions::default(), definitions());
        let mut missing = Vec::new();
        for family in [FontFamily::Proportional, FontFamily::Monospace] {
            let font = egui::FontId::new(14.0, family);
            let letters = "Aé한글뷁漢字かなЖΩ→─│✓☐…\u{2212}😀🙂🤖🤔🧪🛑🤝🥲🪲".chars();
            missing.extend(letters.filter(|letter| !fonts.has_glyph(&font, *letter)));
        }
        assert_eq!(missing, Vec::<char>::new());
    }

    #[test]
    fn every_hangul_syllable_han_and_kana_has_an_outline() {
        // A face may map a letter to an empty glyph, which shows nothing and stops the search for a better face.
        let mut fonts =
            egui::epaint::text::Fonts::new(egui::epaint::text::TextOptions::default(), definitions());
        let mut view = fonts.with_pixels_per_point(1.0);
        let mut empty = Vec::new();
        for family in [FontFamily::Proportional, FontFamily::Name("ui-semibold".into())] {
            for letter in ('가'..='힣').step_by(13).chain("漢字語日本かなカナ뷁".chars()) {
                let font = egui::FontId::new(20.0, family.clone());
                let galley = view.layout_no_wrap(letter.to_string(), font, egui::Color32::WHITE);
                if galley.rows.iter().all(|row| row.visuals.mesh.is_empty()) {
                    empty.push(letter);
                }
            }
        }
        assert_eq!(empty, Vec::<char>::new());
    }
}
