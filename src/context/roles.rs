//! The built-in texts: what is expected of each role, and the rules every agent gets.

/// Short rules that go with every request.
pub(super) const PLATFORM: &str = include_str!("../../assets/platform.md");

const ROLES: [(&str, &str); 8] = [
    ("Architect", include_str!("../../assets/roles/Architect.md")),
    ("Developer", include_str!("../../assets/roles/Developer.md")),
    ("Reviewer", include_str!("../../assets/roles/Reviewer.md")),
    ("Verifier", include_str!("../../assets/roles/Verifier.md")),
    ("Tester", include_str!("../../assets/roles/Tester.md")),
    ("Debugger", include_str!("../../assets/roles/Debugger.md")),
    ("Researcher", include_str!("../../assets/roles/Researcher.md")),
    ("Writer", include_str!("../../assets/roles/Writer.md")),
];

/// Names of the built-in roles, in the order in which they are offered.
pub fn role_names() -> Vec<&'static str> {
    ROLES.iter().map(|(name, _)| *name).collect()
}

/// The built-in text of a role, whatever the case of its name; `None` for one we do not know.
pub fn role_text(name: &str) -> Option<&'static str> {
    ROLES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim())).map(|(_, text)| text.trim())
}

#[cfg(test)]
mod tests {
    use super::{PLATFORM, role_names, role_text};

    #[test]
    fn texts_are_short_and_there() {
        assert!(PLATFORM.chars().count() <= 800, "{}", PLATFORM.chars().count());
        for name in role_names() {
            let text = role_text(name).unwrap();
            let length = text.chars().count();
            assert!((400..=1_500).contains(&length), "{name}: {length}");
            assert!(!text.starts_with('#'), "{name}: the heading is made by the section");
        }
        assert_eq!(role_text(" reviewer "), role_text("Reviewer"));
        assert_eq!(role_text("Juggler"), None);
    }
}
