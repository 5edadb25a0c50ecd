//! Profiles offered before the user has made any.

use crate::model::engine::{EngineInfo, EngineLook};
use crate::model::pack::Supply;
use crate::model::settings::Profile;

/// An architect, a developer and a reviewer, made of the engines that are ready, in the order in which those are
/// preferred; empty when only the demo is.
///
/// The developer is one that has tools, if any has. Where two engines are ready the reviewer is another one than the
/// developer, and with three each has its own. The names are unique.
pub fn starter_profiles(ready: &[EngineInfo]) -> Vec<Profile> {
    let ready: Vec<&EngineInfo> = ready.iter().filter(|info| info.look != EngineLook::Demo).collect();
    let Some(architect) = ready.first() else { return Vec::new() };
    let able = |info: &&&EngineInfo| info.caps.tools;
    let developer = ready.iter().skip(1).find(able).or_else(|| ready.iter().find(able)).unwrap_or(architect);
    let others = || ready.iter().filter(|info| info.id != developer.id);
    let reviewer =
        others().find(|info| info.id != architect.id).or_else(|| others().next()).unwrap_or(developer);
    vec![
        profile("Architect", architect, None),
        profile("Developer", developer, None),
        profile("Reviewer", reviewer, Some("Skeptic")),
    ]
}

fn profile(role: &str, engine: &EngineInfo, persona: Option<&str>) -> Profile {
    let name = engine.name.strip_suffix(" Code").or_else(|| engine.name.strip_suffix(" CLI"));
    let name: String = name.unwrap_or(&engine.name).chars().take(40).collect();
    Profile {
        name: format!("{role} {}", name.trim()),
        engine: engine.id.clone(),
        model: None,
        role: Some(role.to_owned()),
        persona: persona.map(str::to_owned),
        mode: None,
        supply: Supply::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::starter_profiles;
    use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};

    fn engine(id: &str, name: &str, tools: bool) -> EngineInfo {
        EngineInfo {
            id: EngineId::new(id),
            name: name.into(),
            look: if id == "demo" { EngineLook::Demo } else { EngineLook::Local },
            caps: EngineCaps {
                stream: true,
                tools,
                permissions: PermissionCap::Asks,
                resume: true,
                fork: ForkCap::None,
                system_apart: false,
                images: false,
                usage: true,
                cost: false,
                mcp: false,
                warm: true,
            },
            programs: Vec::new(),
            home_dirs: Vec::new(),
            models: Vec::new(),
            key_variables: Vec::new(),
            install_hint: String::new(),
            login_hint: String::new(),
            resume_command: String::new(),
        }
    }

    #[test]
    fn who_gets_which_part() {
        let a = || engine("a", "Ant Code", true);
        let b = || engine("b", "Bee", true);
        let c = || engine("c", "Cat CLI", true);
        let talker = || engine("openai:t", "Talker", false);
        let demo = || engine("demo", "Demo", true);
        let cases: [(Vec<EngineInfo>, &[&str]); 8] = [
            (vec![], &[]),
            (vec![demo()], &[]),
            (vec![a()], &["Architect Ant", "Developer Ant", "Reviewer Ant"]),
            (vec![demo(), a(), b()], &["Architect Ant", "Developer Bee", "Reviewer Ant"]),
            (vec![a(), b(), c()], &["Architect Ant", "Developer Bee", "Reviewer Cat"]),
            (vec![a(), talker()], &["Architect Ant", "Developer Ant", "Reviewer Talker"]),
            (vec![talker(), a()], &["Architect Talker", "Developer Ant", "Reviewer Talker"]),
            (vec![talker()], &["Architect Talker", "Developer Talker", "Reviewer Talker"]),
        ];
        for (ready, expected) in cases {
            let profiles = starter_profiles(&ready);
            let names: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
            assert_eq!(names, expected);
            let roles: Vec<&str> = profiles.iter().filter_map(|profile| profile.role.as_deref()).collect();
            assert!(names.iter().zip(roles).all(|(name, role)| name.starts_with(role)));
        }
    }

    #[test]
    fn ids_that_could_be_an_engines() {
        for (id, expected) in [
            ("codex", true),
            ("openai:집", true),
            ("acp:my agent", true),
            ("script:/a b/c.txt", true),
            ("", false),
            ("Two Words", false),
            ("openai:", false),
            ("other:x", false),
            ("acp:a\nb", false),
        ] {
            assert_eq!(EngineId::new(id).is_well_formed(), expected, "{id}");
        }
    }
}
