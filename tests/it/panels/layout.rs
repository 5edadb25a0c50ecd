//! Every fixture in both themes and sizes: it draws, says what it should, and nothing is cut or overlaps.

use egui::Vec2;
use egui::accesskit::Role;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::testing::{NAMES, fixture};

use super::bench::{Bench, Control, LARGE, SMALL};

fn each(test: impl Fn(&str, Vec2, &Bench)) {
    for name in NAMES {
        for size in [LARGE, SMALL] {
            for theme in [ThemeChoice::Dark, ThemeChoice::Light] {
                let bench = Bench::with(fixture(name), size, theme);
                test(name, size, &bench);
            }
        }
    }
}

/// Names that each fixture must show in every size and theme.
fn expected(name: &str) -> &'static [&'static str] {
    match name {
        "first-run" | "no-folder" => {
            &["Open folder…", "Claude Code: Logged in, subscription", "OpenCode: Not installed"]
        }
        "no-conversation" => &["Start a conversation", "Chat"],
        "empty" => &["Write a message", "Message", "Send"],
        "chat" | "korean" | "long" | "notices" => &["Message", "Chat", "Token refresh race"],
        "streaming" => &["Stop", "Writing · 38 s", "Message"],
        "failed" => &["Retry", "Use another engine…", "Show details"],
        "permission" => &["Allow once", "Deny", "Comment when you deny"],
        "permission-diff" => &["Allow once", "Deny"],
        "queue" => &["Queued: Then run the tests", "Pasted 15,000 lines", "Remove pasted text"],
        "damaged" => &["Restore a backup…"],
        "find" => &["Message"],
        "inspector" => &["Copy all", "Recent conversation, 9,120 characters"],
        "inspector-sent" => &["Copy all"],
        "engines" => &["Look again", "Path of Claude Code"],
        "servers" => &["Add a server", "Add an agent"],
        "appearance" => &["Light", "Dark", "100 %"],
        "keys" => &["Find a command or a key", "Archive conversation: Ctrl E, changed", "Reset all…"],
        "keys-conflicts" => &["Conflicts", "Forget these", "Change Ctrl K of Archive conversation"],
        "project" => &["Skip permissions in this project"],
        "project-plans" | "project-long" => &["New plan", "Plans", "Project"],
        "project-empty" => &["New plan", "Plans"],
        "project-failed" => &["Read again"],
        "project-findings" => &["New finding", "Settle: Test takes one connection from the pool"],
        "project-agreements" => &["New agreement", "Remove agreement: Errors are one enum per crate."],
        "project-artifacts" => &["New artifact", "Unpin: Swap by generation", "Pin: Sequence of a refresh"],
        "project-links" => &["Find a conversation to link", "Unlink: Rate limits per tenant"],
        "project-skills" => &["Find a skill", "Use skill axum", "axum: Off", "sqlx: On here"],
        "profiles" => &["Edit profile Careful reviewer", "Remove profile Old one", "New profile"],
        "profiles-empty" => &["Take these profiles", "New profile"],
        "compare" => &["Compare", "Copy all"],
        "branch-drawer" | "branch-pinned" => &["Message", "Message in the branch", "Adopt…"],
        "branch-archived" => &["Message", "Continue here"],
        "adopt-sheet" => &["Adopt OAuth2 PKCE", "Summarise", "Own words", "Copy as Markdown"],
        "adopt-sheet-running" => &["Adopt OAuth2 PKCE", "Part 2 of 5", "Stop"],
        "adopt-sheet-draft" => &["Draft of the summary", "Use the whole text", "Summarise again"],
        "adopt-sheet-failed" => &["Summarise again", "Use the last answer"],
        "adopt-sheet-korean" => &["Draft of the summary", "Summarise again"],
        "adopt-card" => &["Adopted from OAuth2 PKCE", "Open branch", "Undo", "Message"],
        "typing" => &["Who answers: Architect", "Message"],
        "states" => &["Continue", "8 more calls"],
        _ => &[],
    }
}

#[test]
fn every_screen_says_what_it_should() {
    each(|name, size, bench| {
        for label in expected(name) {
            assert!(bench.has(label), "{name} at {size}: no {label:?}");
        }
    });
}

/// Controls that stand in the frame of the window and never scroll away.
fn is_main(control: &Control) -> bool {
    let names = [
        "Send",
        "Stop",
        "Allow once",
        "Deny",
        "Settings",
        "Find or run",
        "Chat",
        "Message",
        "New conversation",
        "Show sidebar",
        "Hide sidebar",
        "Conversations",
        "Copy all",
        "Close context",
        "Restore a backup…",
    ];
    names.contains(&control.name.as_str())
        || control.name.starts_with("Who answers")
        || control.name.starts_with("Model: ")
        || control.name.starts_with("Context mode: ")
        || control.name.ends_with("need you")
        || control.name.ends_with("needs you")
}

#[test]
fn main_controls_lie_inside_the_window_and_apart() {
    each(|name, size, bench| {
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size).expand(0.6);
        let controls = bench.controls();
        let main: Vec<&Control> = controls
            .iter()
            .filter(|control| is_main(control))
            .filter(|control| {
                matches!(control.role, Role::Button | Role::Tab | Role::ComboBox | Role::MultilineTextInput)
            })
            .collect();
        for (place, control) in main.iter().enumerate() {
            let at = control.rect;
            assert!(window.contains_rect(at), "{name} at {size}: {} lies outside: {at}", control.name);
            let hit = if control.role == Role::MultilineTextInput { 20.0 } else { 24.0 };
            assert!(
                at.height() >= hit - 8.0 && at.width() >= 18.0,
                "{name} at {size}: {} is small: {at}",
                control.name
            );
            for other in main.iter().skip(place + 1) {
                let both = at.intersect(other.rect);
                let apart = both.width() <= 1.0 || both.height() <= 1.0;
                let nested = at.contains_rect(other.rect) || other.rect.contains_rect(at);
                assert!(
                    apart || nested,
                    "{name} at {size}: {} and {} overlap: {both}",
                    control.name,
                    other.name
                );
            }
        }
    });
}

#[test]
fn nothing_repaints_while_nothing_moves() {
    for name in ["chat", "empty", "engines", "first-run"] {
        let mut fixture = fixture(name);
        fixture.snap.running_turns = 0;
        fixture.snap.conversations = fixture
            .snap
            .conversations
            .iter()
            .map(|row| {
                let mut row = (**row).clone();
                row.state = None;
                std::sync::Arc::new(row)
            })
            .collect();
        let mut bench = Bench::with(fixture, LARGE, ThemeChoice::Dark);
        assert!(bench.comes_to_rest(), "{name} asks for another frame");
    }
}
