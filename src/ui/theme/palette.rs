use egui::Color32;

macro_rules! palette {
    ($($field:ident: $key:literal,)*) => {
        /// The colours of one theme; each field is the token of the same name in `assets/theme.toml`.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Palette {
            $(pub $field: Color32,)*
        }

        impl Palette {
            pub(super) fn read(table: Option<&toml::Value>, theme: &str, problems: &mut Vec<String>) -> Self {
                let mut take = |key: &str| {
                    let value = table.and_then(|table| table.get(key)).and_then(toml::Value::as_str);
                    value.and_then(colour).unwrap_or_else(|| {
                        problems.push(format!("{theme}.{key}"));
                        Color32::GRAY
                    })
                };
                Self { $($field: take($key),)* }
            }

            /// The colour of a key as written in the file, for tests and the gallery.
            #[must_use]
            pub fn by_key(&self, key: &str) -> Option<Color32> {
                match key {
                    $($key => Some(self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

palette! {
    bg_window: "bg.window",
    bg_canvas: "bg.canvas",
    bg_raised: "bg.raised",
    bg_inset: "bg.inset",
    bg_popup: "bg.popup",
    bg_hover: "bg.hover",
    bg_pressed: "bg.pressed",
    bg_selected: "bg.selected",
    stroke_subtle: "stroke.subtle",
    stroke_default: "stroke.default",
    stroke_control: "stroke.control",
    text_1: "text.1",
    text_2: "text.2",
    text_3: "text.3",
    text_off: "text.off",
    accent: "accent",
    accent_hover: "accent.hover",
    accent_pressed: "accent.pressed",
    accent_on: "accent.on",
    accent_tint: "accent.tint",
    success: "success",
    success_tint: "success.tint",
    warn: "warn",
    warn_tint: "warn.tint",
    error: "error",
    error_tint: "error.tint",
    needs: "needs",
    needs_fill: "needs.fill",
    needs_on: "needs.on",
    needs_tint: "needs.tint",
    engine_claude: "engine.claude",
    engine_claude_tint: "engine.claude.tint",
    engine_codex: "engine.codex",
    engine_codex_tint: "engine.codex.tint",
    engine_gemini: "engine.gemini",
    engine_gemini_tint: "engine.gemini.tint",
    engine_opencode: "engine.opencode",
    engine_opencode_tint: "engine.opencode.tint",
    engine_local: "engine.local",
    engine_local_tint: "engine.local.tint",
    engine_demo: "engine.demo",
    engine_demo_tint: "engine.demo.tint",
    diff_add: "diff.add",
    diff_add_bg: "diff.add.bg",
    diff_add_word: "diff.add.word",
    diff_del: "diff.del",
    diff_del_bg: "diff.del.bg",
    diff_del_word: "diff.del.word",
    diff_hunk: "diff.hunk",
    syn_key: "syn.key",
    syn_str: "syn.str",
    syn_num: "syn.num",
    syn_fn: "syn.fn",
    syn_type: "syn.type",
    syn_com: "syn.com",
    select_bg: "select.bg",
    match_bg: "match.bg",
    match_text: "match.text",
    scrim: "scrim",
    shadow: "shadow",
}

/// Reads `#RRGGBB` or `#RRGGBBAA`.
fn colour(text: &str) -> Option<Color32> {
    let hex = text.strip_prefix('#')?;
    let value = u32::from_str_radix(hex, 16).ok()?;
    let [a, b, c, d] = value.to_be_bytes();
    match hex.len() {
        6 => Some(Color32::from_rgb(b, c, d)),
        8 => Some(Color32::from_rgba_unmultiplied(a, b, c, d)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_with_and_without_alpha() {
        assert_eq!(colour("#102030"), Some(Color32::from_rgb(0x10, 0x20, 0x30)));
        assert_eq!(colour("#10203040"), Some(Color32::from_rgba_unmultiplied(0x10, 0x20, 0x30, 0x40)));
        for bad in ["102030", "#1020", "#1020zz", ""] {
            assert_eq!(colour(bad), None, "{bad}");
        }
    }
}
