//! A skill's text in pieces, by its headings.

use crate::context::fence::{Fences, Line};
use crate::model::skill::SkillPart;

/// The pieces of `body`: one for what stands before the first heading (if anything does), then one for each
/// heading (`#` to `######`, outside fenced code). Joined they are `body` again.
pub fn parts(body: &str) -> Vec<SkillPart> {
    let mut out: Vec<SkillPart> = Vec::new();
    let mut fences = Fences::default();
    for line in body.split_inclusive('\n') {
        let outside = fences.take(line) == Line::Outside;
        let heading = if outside { heading(line) } else { None };
        match (heading, out.last_mut()) {
            (Some((level, heading)), _) => {
                out.push(SkillPart { heading: heading.to_owned(), level, text: line.to_owned() });
            }
            (None, Some(part)) => part.text.push_str(line),
            (None, None) => out.push(SkillPart { heading: String::new(), level: 0, text: line.to_owned() }),
        }
    }
    out
}

/// Level and text of a heading; `None` for other lines.
fn heading(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_end();
    let indent = text.len() - text.trim_start_matches(' ').len();
    let text = text.trim_start_matches(' ');
    let rest = text.trim_start_matches('#');
    let level = u8::try_from(text.len() - rest.len()).ok().filter(|level| (1..=6).contains(level))?;
    if indent > 3 || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    // A closing run of marks is no part of the words.
    let open = rest.trim_end_matches('#');
    let words = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { rest };
    Some((level, words))
}

#[cfg(test)]
mod tests {
    use super::parts;
    use proptest::prelude::*;

    #[test]
    fn headings_begin_parts_and_fences_hide_them() {
        let cases: [(&str, &[(u8, &str)]); 9] = [
            ("", &[]),
            ("only text\n", &[(0, "")]),
            ("# A\ntext\n## B ##\n", &[(1, "A"), (2, "B")]),
            ("intro\n\n# A", &[(0, ""), (1, "A")]),
            ("# A\n```sh\n# a comment\n```\n## B", &[(1, "A"), (2, "B")]),
            ("# A\n~~~\n# never closed", &[(1, "A")]),
            ("#hashtag\n    # code\n####### seven", &[(0, "")]),
            ("   ## C#\n", &[(2, "C#")]),
            ("# 제목\r\n본문\r\n## 둘\r\n", &[(1, "제목"), (2, "둘")]),
        ];
        for (body, expected) in cases {
            let found = parts(body);
            let found: Vec<(u8, &str)> =
                found.iter().map(|part| (part.level, part.heading.as_str())).collect();
            assert_eq!(found, expected, "{body:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(lines in prop::collection::vec("(#{0,7}[ \t]?)?(```|~~~)?[a-z가 #\r]{0,6}", 0..30)) {
            let body = lines.join("\n");
            let joined: String = parts(&body).into_iter().map(|part| part.text).collect();
            prop_assert_eq!(joined, body);
        }

        #[test]
        fn nothing_is_lost_of_any_text(body in any::<String>()) {
            let joined: String = parts(&body).into_iter().map(|part| part.text).collect();
            prop_assert_eq!(joined, body);
        }
    }
}
