use egui::Color32;

use super::{Palette, embedded};

const TEXT: [&str; 8] = ["text.1", "text.2", "text.3", "accent", "success", "warn", "error", "needs"];
const LAYERS: [&str; 7] =
    ["bg.window", "bg.canvas", "bg.raised", "bg.inset", "bg.popup", "bg.hover", "bg.selected"];
const ENGINES: [&str; 6] = ["claude", "codex", "gemini", "opencode", "local", "demo"];
const TINTS: [&str; 5] = ["success", "warn", "error", "needs", "accent"];
const SYNTAX: [&str; 6] = ["syn.key", "syn.str", "syn.num", "syn.fn", "syn.type", "syn.com"];

/// Further pairs of text, in the order of the table they come from.
const TEXT_MORE: [(&str, &str); 27] = [
    ("text.1", "bg.pressed"),
    ("text.2", "bg.pressed"),
    ("accent.on", "accent"),
    ("accent.on", "accent.hover"),
    ("accent.on", "accent.pressed"),
    ("needs.on", "needs.fill"),
    ("diff.add", "diff.add.bg"),
    ("diff.add", "diff.add.word"),
    ("diff.del", "diff.del.bg"),
    ("diff.del", "diff.del.word"),
    ("diff.hunk", "bg.inset"),
    ("text.1", "diff.add.bg"),
    ("text.1", "diff.add.word"),
    ("text.1", "diff.del.bg"),
    ("text.1", "diff.del.word"),
    ("text.3", "diff.add.bg"),
    ("text.3", "diff.del.bg"),
    ("diff.add", "bg.canvas"),
    ("diff.add", "bg.hover"),
    ("diff.add", "bg.selected"),
    ("diff.del", "bg.canvas"),
    ("diff.del", "bg.hover"),
    ("diff.del", "bg.selected"),
    ("text.1", "select.bg"),
    ("match.text", "match.bg"),
    ("warn", "accent.tint"),
    ("error", "accent.tint"),
];

const CONTROLS: [(&str, &str); 18] = [
    ("stroke.control", "bg.window"),
    ("stroke.control", "bg.canvas"),
    ("stroke.control", "bg.raised"),
    ("stroke.control", "bg.inset"),
    ("stroke.control", "bg.popup"),
    ("stroke.control", "bg.hover"),
    ("stroke.control", "bg.selected"),
    ("accent", "stroke.default"),
    ("success", "stroke.default"),
    ("error", "stroke.default"),
    ("warn", "stroke.default"),
    ("accent", "bg.hover"),
    ("warn", "bg.hover"),
    ("accent", "bg.window"),
    ("accent", "bg.canvas"),
    ("accent", "bg.raised"),
    ("accent", "bg.popup"),
    ("accent", "bg.selected"),
];

fn text_pairs() -> Vec<(String, String)> {
    let pair = |fore: &str, back: &str| (fore.to_owned(), back.to_owned());
    let mut pairs = Vec::new();
    for fore in TEXT {
        pairs.extend(LAYERS.iter().map(|back| pair(fore, back)));
    }
    for engine in ENGINES {
        let fore = format!("engine.{engine}");
        pairs.extend(LAYERS.iter().filter(|back| **back != "bg.inset").map(|back| pair(&fore, back)));
        pairs.push((fore.clone(), format!("{fore}.tint")));
    }
    for tint in TINTS {
        let back = format!("{tint}.tint");
        pairs.extend([tint, "text.1", "text.2", "text.3"].iter().map(|fore| pair(fore, &back)));
    }
    pairs.extend(SYNTAX.iter().map(|fore| pair(fore, "bg.inset")));
    pairs.extend(TEXT_MORE.iter().map(|(fore, back)| pair(fore, back)));
    pairs
}

/// Relative luminance of WCAG 2.
fn luminance(color: Color32) -> f64 {
    let channel = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(color.r()) + 0.7152 * channel(color.g()) + 0.0722 * channel(color.b())
}

fn contrast(a: Color32, b: Color32) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn failures(palette: &Palette, pairs: &[(String, String)], least: f64) -> Vec<String> {
    let mut bad = Vec::new();
    for (fore, back) in pairs {
        let (Some(f), Some(b)) = (palette.by_key(fore), palette.by_key(back)) else {
            bad.push(format!("{fore} on {back}: unknown key"));
            continue;
        };
        let ratio = contrast(f, b);
        if ratio < least {
            bad.push(format!("{fore} on {back}: {ratio:.2}"));
        }
    }
    bad
}

#[test]
fn every_text_pair_reaches_four_and_a_half_in_both_themes() {
    let pairs = text_pairs();
    assert_eq!(pairs.len() + CONTROLS.len(), 169);
    for palette in [&embedded().dark, &embedded().light] {
        assert_eq!(failures(palette, &pairs, 4.5), Vec::<String>::new());
    }
}

#[test]
fn every_control_pair_reaches_three_in_both_themes() {
    let pairs: Vec<_> = CONTROLS.iter().map(|(f, b)| ((*f).to_owned(), (*b).to_owned())).collect();
    for palette in [&embedded().dark, &embedded().light] {
        assert_eq!(failures(palette, &pairs, 3.0), Vec::<String>::new());
    }
}

#[test]
fn disabled_text_is_known_to_be_below_text_contrast_but_above_three() {
    for palette in [&embedded().dark, &embedded().light] {
        assert!(contrast(palette.text_off, palette.bg_canvas) >= 3.0);
    }
}
