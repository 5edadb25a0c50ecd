//! Names of git branches and folders made from a label.

/// Longest made name, in Unicode characters; far below what file systems take, whatever the letters.
const NAME_MAX_CHARS: usize = 48;
/// Longest name given by hand, in bytes: a name is a file for git, and the longest of those has 255.
const GIVEN_MAX_BYTES: usize = 240;

/// A readable name that every git and file system takes: letters and digits in lower case with single `-` between.
///
/// `fallback` when the label has neither, e.g. for emoji.
#[must_use]
pub fn slug(label: &str, fallback: &str) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for one in label.chars().flat_map(char::to_lowercase) {
        if chars >= NAME_MAX_CHARS {
            break;
        }
        if one.is_alphanumeric() {
            out.push(one);
            chars += 1;
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
            chars += 1;
        }
    }
    let name = out.trim_end_matches('-');
    // Names that Windows keeps for itself.
    let reserved = ["con", "prn", "aux", "nul"].contains(&name)
        || ((name.starts_with("com") || name.starts_with("lpt"))
            && name.chars().count() == 4
            && name.ends_with(|one: char| one.is_ascii_digit()));
    if name.is_empty() {
        fallback.to_owned()
    } else if reserved || name == "head" {
        format!("{fallback}-{name}")
    } else {
        name.to_owned()
    }
}

/// The name, or the name with the first number that is not taken. Letters that differ in case only are the same for
/// many file systems.
#[must_use]
pub fn unique(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    (2_u32..)
        .map(|number| format!("{name}-{number}"))
        .find(|name| !is_taken(name))
        .unwrap_or_else(|| name.to_owned())
}

/// Whether a new branch of that name meets one that is there: the same but for case, or one the folder of the other.
#[must_use]
pub fn meets(name: &str, there: &str) -> bool {
    let (name, there) = (name.to_lowercase(), there.to_lowercase());
    name == there
        || there.strip_prefix(&name).is_some_and(|rest| rest.starts_with('/'))
        || name.strip_prefix(&there).is_some_and(|rest| rest.starts_with('/'))
}

/// What is wrong with a name given by hand, as far as it can be told without git (rules of `git check-ref-format`).
#[must_use]
pub fn fault(name: &str) -> Option<&'static str> {
    let bad = |one: char| one.is_control() || " ~^:?*[\\\u{7f}".contains(one);
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > GIVEN_MAX_BYTES {
        Some("is too long")
    } else if name.starts_with('-') {
        Some("begins with -")
    } else if name.chars().any(bad) {
        Some("has a space or a sign that git does not take")
    } else if name.contains("..")
        || name.contains("@{")
        || name.contains("//")
        || name == "@"
        || name == "HEAD"
    {
        Some("has a meaning of its own for git")
    } else if name.starts_with('/') || name.ends_with('/') || name.ends_with('.') {
        Some("begins or ends with a sign that git does not take there")
    } else if name.split('/').any(|part| part.starts_with('.') || part.ends_with(".lock")) {
        Some("has a part that begins with . or ends with .lock")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_become_names() {
        for (label, name) in [
            ("OAuth2 PKCE", "oauth2-pkce"),
            ("fix/the  thing.lock", "fix-the-thing-lock"),
            ("로그인 흐름", "로그인-흐름"),
            ("🙂🙂", "branch"),
            ("", "branch"),
            ("--x--", "x"),
            ("HEAD", "branch-head"),
            ("con", "branch-con"),
            ("COM1", "branch-com1"),
        ] {
            assert_eq!(slug(label, "branch"), name, "{label}");
        }
        assert_eq!(slug(&"a".repeat(10_000), "branch").chars().count(), NAME_MAX_CHARS);
    }

    #[test]
    fn names_do_not_meet() {
        assert!(meets("a", "A") && meets("a", "a/b") && meets("a/b", "a") && !meets("a", "ab"));
        assert_eq!(unique("a", |name| ["a", "a-2"].contains(&name)), "a-3");
    }

    proptest! {
        #[test]
        fn every_label_gives_a_name_that_git_takes(label in ".{0,80}") {
            let name = slug(&label, "branch");
            prop_assert_eq!(fault(&name), None, "{}", name);
        }
    }
}
