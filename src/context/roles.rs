//! The built-in texts: what is expected of each role, the manner of each persona, and the rules every agent gets.
//!
//! Texts that the user or a project wrote are handed in with the spec and go before these.

/// Short rules that go with every request.
pub(super) const PLATFORM: &str = include_str!("../../assets/platform.md");

type Texts = &'static [(&'static str, &'static str)];

const ROLES: Texts = &[
    ("Architect", include_str!("../../assets/roles/Architect.md")),
    ("Developer", include_str!("../../assets/roles/Developer.md")),
    ("Reviewer", include_str!("../../assets/roles/Reviewer.md")),
    ("Verifier", include_str!("../../assets/roles/Verifier.md")),
    ("Tester", include_str!("../../assets/roles/Tester.md")),
    ("Debugger", include_str!("../../assets/roles/Debugger.md")),
    ("Researcher", include_str!("../../assets/roles/Researcher.md")),
    ("Writer", include_str!("../../assets/roles/Writer.md")),
    ("Neutral", include_str!("../../assets/roles/Neutral.md")),
];

const PERSONAS: Texts = &[
    ("Concise", include_str!("../../assets/personas/Concise.md")),
    ("Thorough", include_str!("../../assets/personas/Thorough.md")),
    ("Skeptic", include_str!("../../assets/personas/Skeptic.md")),
    ("Mentor", include_str!("../../assets/personas/Mentor.md")),
    ("Pragmatist", include_str!("../../assets/personas/Pragmatist.md")),
    ("Explorer", include_str!("../../assets/personas/Explorer.md")),
    ("Guardian", include_str!("../../assets/personas/Guardian.md")),
];

/// Names of the roles in the order in which they are offered: the built-in ones, then those of `extra` that are not
/// among them, whatever their case.
pub fn role_names(extra: &[String]) -> Vec<String> {
    names(ROLES, extra)
}

/// As [`role_names`], for personas.
pub fn persona_names(extra: &[String]) -> Vec<String> {
    names(PERSONAS, extra)
}

/// The built-in text of a role, whatever the case of its name; `None` for one we do not know.
pub fn role_text(name: &str) -> Option<&'static str> {
    text(ROLES, name)
}

/// The built-in text of a persona, whatever the case of its name; `None` for one we do not know.
pub fn persona_text(name: &str) -> Option<&'static str> {
    text(PERSONAS, name)
}

fn names(texts: Texts, extra: &[String]) -> Vec<String> {
    let mut names: Vec<String> = texts.iter().map(|(name, _)| (*name).to_owned()).collect();
    for name in extra {
        if !names.iter().any(|known| known.to_lowercase() == name.to_lowercase()) {
            names.push(name.clone());
        }
    }
    names
}

fn text(texts: Texts, name: &str) -> Option<&'static str> {
    texts.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim())).map(|(_, text)| text.trim())
}

#[cfg(test)]
mod tests {
    use super::{PLATFORM, persona_names, persona_text, role_names, role_text};

    #[test]
    fn texts_are_short_and_there() {
        assert!(PLATFORM.chars().count() <= 800, "{}", PLATFORM.chars().count());
        for name in role_names(&[]) {
            let text = role_text(&name).unwrap();
            let length = text.chars().count();
            assert!((400..=1_500).contains(&length), "{name}: {length}");
            assert!(!text.starts_with('#'), "{name}: the heading is made by the section");
        }
        for name in persona_names(&[]) {
            let length = persona_text(&name).unwrap().chars().count();
            assert!((150..=500).contains(&length), "{name}: {length}");
        }
        assert_eq!(role_text(" reviewer "), role_text("Reviewer"));
        assert_eq!((role_text("Juggler"), persona_text("Reviewer")), (None, None));
    }

    #[test]
    fn names_of_other_texts_come_after_the_built_in_ones() {
        let names = role_names(&["reviewer".to_owned(), "Security".to_owned()]);
        assert_eq!(names.iter().filter(|name| name.eq_ignore_ascii_case("reviewer")).count(), 1);
        assert_eq!(names.last().map(String::as_str), Some("Security"));
    }
}
