use super::*;

fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn names(found: &FoundSkills, base: &Path) -> Vec<String> {
    let inside = |folder: &SkillFolder| folder.dir.strip_prefix(base).unwrap().to_str().unwrap().to_owned();
    found.folders.iter().map(inside).collect()
}

#[test]
fn skills_of_the_project_come_before_the_users() {
    let base = tempfile::tempdir().unwrap();
    let (project, home, config) = (base.path().join("p"), base.path().join("h"), base.path().join("c"));
    for place in [
        "p/skills/b",
        "p/skills/a",
        "p/.claude/skills/group/deep",
        "p/.agents/skills/c",
        "p/skills/.hidden",
        "p/skills/node_modules/d",
        "p/skills/1/2/3/4",
        "p/other/e",
        "h/.claude/skills/f",
        "h/.agents/skills/g",
        "c/skills/h",
    ] {
        write(&base.path().join(place).join(SKILL_FILE), "");
    }
    write(&project.join("skills/no/README.md"), "");
    let places = skill_places(Some(&project), &home, &config);
    let found = find_skills(&places);
    let expected = [
        "p/.claude/skills/group/deep",
        "p/.agents/skills/c",
        "p/skills/a",
        "p/skills/b",
        "h/.claude/skills/f",
        "h/.agents/skills/g",
        "c/skills/h",
    ];
    assert_eq!(names(&found, base.path()), expected);
    assert_eq!(found.notes, Vec::<String>::new());
    let of_project = found.folders.iter().filter(|folder| folder.origin == SkillOrigin::Project).count();
    assert_eq!(of_project, 4);
    assert_eq!(find_skills(&skill_places(None, &home, &config)).folders.len(), 3);
    assert_eq!(
        find_skills(&skill_places(None, Path::new("/none"), Path::new("/none"))),
        FoundSkills::default()
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_never_in_circles() {
    use std::os::unix::fs::symlink;
    let base = tempfile::tempdir().unwrap();
    let skills = base.path().join("skills");
    write(&skills.join("a").join(SKILL_FILE), "");
    write(&base.path().join("shared/s").join(SKILL_FILE), "");
    write(&base.path().join("notes.md"), "");
    write(&base.path().join("id_rsa"), "");
    symlink("../skills", skills.join("around")).unwrap();
    symlink("a", skills.join("again")).unwrap();
    symlink("itself", skills.join("itself")).unwrap();
    symlink("nowhere", skills.join("broken")).unwrap();
    symlink("../shared", skills.join("shared")).unwrap();
    symlink("skills", base.path().join(".skills")).unwrap();
    for (name, target) in [("text", "notes.md"), ("key", "id_rsa")] {
        std::fs::create_dir(skills.join(name)).unwrap();
        symlink(base.path().join(target), skills.join(name).join(SKILL_FILE)).unwrap();
    }
    std::fs::create_dir_all(skills.join("folder").join(SKILL_FILE)).unwrap();
    let place = |name: &str| SkillPlace { folder: base.path().join(name), origin: SkillOrigin::Project };
    let found = find_skills(&[place("skills"), place(".skills")]);
    assert_eq!(names(&found, base.path()), ["skills/a", "skills/shared/s", "skills/text"]);
    let told = found.notes.join("\n");
    assert!(
        told.contains("key/SKILL.md is no plain") && told.contains("folder/SKILL.md is no plain"),
        "{told}"
    );
    assert_eq!(found.notes.len(), 2, "{told}");
    assert!(read_skill(&skills.join("key"), 10).is_err());
    assert!(read_skill(&skills.join("text"), 10).is_ok());
}

#[test]
fn a_skill_is_read_to_its_limit() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join(SKILL_FILE);
    let read = |bytes: &[u8], max| {
        write(&file, bytes);
        let read = read_skill(base.path(), max).unwrap();
        (read.text, read.has_more, read.is_damaged)
    };
    assert_eq!(read(b"abc", 3), ("abc".into(), false, false));
    assert_eq!(read(b"abcd", 3), ("abc".into(), true, false));
    // A character is not cut in two.
    assert_eq!(read("가나".as_bytes(), 4), ("가".into(), true, false));
    assert_eq!(read(b"a\xffb", 10), ("a\u{fffd}b".into(), false, true));
    assert!(read_skill(&base.path().join("none"), 10).is_err());
}

#[test]
fn the_list_ends_somewhere() {
    let base = tempfile::tempdir().unwrap();
    for n in 0..=SKILLS_MAX {
        write(&base.path().join(format!("s{n:04}")).join(SKILL_FILE), "");
    }
    let found = find_skills(&[SkillPlace { folder: base.path().into(), origin: SkillOrigin::User }]);
    assert_eq!(found.folders.len(), SKILLS_MAX);
    assert_eq!(found.notes, [format!("There are more skills than the {SKILLS_MAX} that are listed.")]);
}
