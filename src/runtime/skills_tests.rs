use std::path::Path;
use std::time::{Duration, Instant};

use super::{SkillShelf, read_doc};
use crate::context::skills::{SkillIndex, choose_parts};
use crate::model::skill::SkillOrigin;
use crate::os::skills::{SkillPlace, skill_places};

fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn head(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n")
}

#[test]
fn the_projects_skill_hides_the_users_of_the_same_name() {
    let base = tempfile::tempdir().unwrap();
    write(&base.path().join("p/skills/x/SKILL.md"), head("Axum", "ours"));
    write(&base.path().join("h/.claude/skills/axum/SKILL.md"), head("axum", "mine"));
    write(&base.path().join("h/.claude/skills/broken/SKILL.md"), b"no head \xff\n\n## Part\n\ntext");
    let places = skill_places(Some(&base.path().join("p")), &base.path().join("h"), &base.path().join("c"));
    let shelf = SkillShelf::default();
    let list = shelf.list(&places);
    let named: Vec<(&str, &str)> =
        list.skills.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    assert_eq!(named, [("Axum", "ours"), ("broken", "")]);
    assert_eq!(list.find("AXUM ").unwrap().origin, SkillOrigin::Project);
    assert_eq!(list.notes.len(), 1, "{:?}", list.notes);
    assert!(list.notes.first().unwrap().contains("two skills named axum"), "{:?}", list.notes);
    // A broken head: a sane text for the agent, and a line for the user.
    let broken = list.find("broken").unwrap();
    assert!(broken.problem.as_deref().unwrap().contains("front matter"));
    let chosen = choose_parts("the part", &[read_doc(broken).unwrap()], 3_000);
    assert!(chosen.text().starts_with("### Skill: broken"), "{}", chosen.text());
    let told = chosen.report_lines().join("\n");
    assert!(told.contains("front matter") && told.matches("no Unicode text").count() == 1, "{told}");
}

#[test]
fn a_changed_file_is_read_again() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("a/SKILL.md");
    let places = [SkillPlace { folder: base.path().into(), origin: SkillOrigin::User }];
    let shelf = SkillShelf::default();
    let description = || shelf.list(&places).skills.first().unwrap().description.clone();
    write(&file, head("a", "one"));
    assert_eq!(description(), "one");
    write(&file, head("a", "three"));
    assert_eq!(description(), "three");
    // The same size at another time.
    write(&file, head("a", "seven"));
    let opened = std::fs::File::options().write(true).open(&file).unwrap();
    let later = opened.metadata().unwrap().modified().unwrap() + Duration::from_secs(5);
    opened.set_modified(later).unwrap();
    assert_eq!(description(), "seven");
    std::fs::remove_file(&file).unwrap();
    assert!(shelf.list(&places).skills.is_empty());
}

#[test]
fn a_long_skill_says_what_was_left_out() {
    let base = tempfile::tempdir().unwrap();
    write(&base.path().join("a/SKILL.md"), head("a", "d") + &"word ".repeat(60_000));
    let places = [SkillPlace { folder: base.path().into(), origin: SkillOrigin::User }];
    let list = SkillShelf::default().list(&places);
    let skill = list.skills.first().unwrap();
    assert_eq!(skill.problem, None);
    let doc = read_doc(skill).unwrap();
    assert_eq!(doc.notes, ["Its file is longer than 256 KB; the rest is left out."]);
    assert!(doc.body.len() <= 256 * 1024);
    std::fs::remove_dir_all(&skill.dir).unwrap();
    assert!(read_doc(skill).unwrap_err().contains("SKILL.md cannot be read"));
}

#[test]
fn hundreds_of_skills_are_listed_once_and_then_only_looked_at() {
    let base = tempfile::tempdir().unwrap();
    for n in 0..500 {
        let text = head(&format!("topic{n}"), &format!("How to handle subject{n} and area{}.", n % 7))
            + &"## A heading\n\nSome text that is never read while listing.\n\n".repeat(200);
        write(&base.path().join(format!("s{n}/SKILL.md")), text);
    }
    let places = [SkillPlace { folder: base.path().into(), origin: SkillOrigin::Project }];
    let shelf = SkillShelf::default();
    let time = |what: &str, work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        println!("{what}: {:?}", begun.elapsed());
    };
    let (mut list, mut again) = (None, None);
    time("500 skills, first list", &mut || list = Some(shelf.list(&places)));
    time("500 skills, listed again", &mut || again = Some(shelf.list(&places)));
    let list = list.unwrap();
    assert_eq!((list.skills.len(), list.notes.len()), (500, 0));
    assert_eq!(Some(&list), again.as_ref());
    let mut index = None;
    time("index for suggestions", &mut || index = Some(SkillIndex::new(&list.skills)));
    let index = index.unwrap();
    let mut found = Vec::new();
    time("one suggestion", &mut || found = index.suggest(&["Rust".into()], "What about subject77?"));
    assert_eq!(found, []);
    found = index.suggest(&[], "What about topic77?");
    assert_eq!(found.len(), 1);
    let docs: Vec<_> = list.skills.iter().take(10).map(|skill| read_doc(skill).unwrap()).collect();
    let mut text = String::new();
    time("choosing from 10 skills of 11 KB", &mut || {
        text = choose_parts("a heading about text", &docs, 3_000).text();
    });
    assert!(text.chars().count() <= 3_000 && text.contains("Left out: A heading"), "{text}");
}
