//! Engines and settings.

use crate::api::command::{EngineCommand, SettingsCommand};
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::tests::kit::{World, ready};
use crate::model::engine::{Availability, Billing, EngineId};
use crate::model::settings::{AcpAgent, Endpoint, Settings};
use crate::model::turn::{LimitInfo, TurnEvent};

fn availability(world: &mut World) -> Vec<bool> {
    world.snapshot().engines.iter().map(|row| row.status.availability == Availability::Ready).collect()
}

#[test]
fn every_engine_command_asks_for_the_right_work() {
    let ada = || EngineId::new("ada");
    let endpoint = || Endpoint {
        name: "box".into(),
        base_url: "http://127.0.0.1:1".into(),
        model: "m".into(),
        has_key: false,
    };
    let agent = || AcpAgent { name: "own".into(), command: "own".into(), args: Vec::new() };
    let discover = |id: &str| Effect::Discover { engine: Some(EngineId::new(id)) };
    let cases: Vec<(EngineCommand, Vec<Effect>, bool)> = vec![
        (EngineCommand::Rediscover, vec![Effect::Discover { engine: None }], false),
        (EngineCommand::Test { engine: ada() }, vec![discover("ada")], false),
        (
            EngineCommand::SetPath { engine: ada(), path: Some("/opt/ada".into()) },
            vec![discover("ada")],
            true,
        ),
        (EngineCommand::SetBilling { engine: ada(), billing: Billing::ApiKey }, vec![discover("ada")], true),
        (EngineCommand::SetModel { engine: ada(), model: Some("big".into()) }, vec![], true),
        (
            EngineCommand::PutEndpoint { endpoint: endpoint(), key: Some("k".into()) },
            vec![
                Effect::StoreSecret { name: "endpoint:box".into(), value: Some("k".into()) },
                discover("openai:box"),
            ],
            true,
        ),
        (EngineCommand::PutEndpoint { endpoint: endpoint(), key: None }, vec![discover("openai:box")], true),
        (
            EngineCommand::RemoveEndpoint { name: "box".into() },
            vec![Effect::StoreSecret { name: "endpoint:box".into(), value: None }],
            true,
        ),
        (EngineCommand::PutAcpAgent { agent: agent() }, vec![discover("acp:own")], true),
        (EngineCommand::RemoveAcpAgent { name: "own".into() }, vec![], true),
    ];
    for (command, expected, applies) in cases {
        let mut world = World::new();
        let mut effects = world.command(command.clone());
        let before = effects.len();
        effects.retain(|effect| !matches!(effect, Effect::ApplySettings(_)));
        assert_eq!(before > effects.len(), applies, "{command:?}");
        assert_eq!(effects, expected, "{command:?}");
        assert_eq!(world.writes.is_empty(), !applies, "{command:?}");
        // No key ever reaches the database.
        world.settle();
        assert!(world.store.settings.values().all(|json| !json.contains("\"k\"")));
    }
    let mut world = World::new();
    world.command(EngineCommand::PutEndpoint {
        endpoint: Endpoint { base_url: "ftp://x".into(), ..endpoint() },
        key: Some("k".into()),
    });
    assert!(
        world.effects.iter().all(|effect| !matches!(effect, Effect::StoreSecret { .. })),
        "not taken, no key kept"
    );
}

#[test]
fn settings_are_taken_kept_and_come_back() {
    let mut world = World::new();
    let settings = Settings { zoom_percent: 150, ..Settings::default() };
    world.command(SettingsCommand::Set(Box::new(settings)));
    world.command(SettingsCommand::Set(Box::new(Settings { zoom_percent: 1, ..Settings::default() })));
    assert_eq!(world.snapshot().settings.zoom_percent, 150);
    assert!(world.snapshot().notices[0].body.contains("zoom"));
    world.settle();
    world.crash();
    assert_eq!(world.snapshot().settings.zoom_percent, 150);
    for bad in ["{", "{\"zoom_percent\":1}"] {
        world.store.settings.insert("settings".into(), bad.into());
        world.crash();
        assert_eq!(world.snapshot().settings.zoom_percent, 100, "{bad}");
        assert!(world.snapshot().notices.iter().any(|notice| notice.title.contains("reset")), "{bad}");
        world.settle();
        assert_eq!(world.store.settings["settings_put_by"], bad, "nothing is lost");
    }
    let mixed = r#"{"zoom_percent":1,"profiles":[{"name":"A","engine":"demo"},{"name":""}]}"#;
    world.store.settings.insert("settings".into(), mixed.into());
    world.crash();
    assert_eq!(world.snapshot().settings.profiles.len(), 1);
    let told = world.snapshot().notices.iter().any(|one| one.body.contains("profiles[2], zoom_percent"));
    assert!(told, "{:?}", world.snapshot().notices);
}

#[test]
fn changed_keys_are_kept_and_bad_ones_cost_nothing() {
    let mut world = World::new();
    let mut settings = Settings::default();
    settings.keys.set("archive", vec!["Ctrl+E".into()]);
    world.command(SettingsCommand::Set(Box::new(settings.clone())));
    world.settle();
    world.crash();
    assert_eq!(world.snapshot().settings.keys, settings.keys);
    let bad: Settings = serde_json::from_str(r#"{"keys":{"archive":"Ctrl+E"}}"#).unwrap();
    world.command(SettingsCommand::Set(Box::new(bad)));
    assert_eq!(world.snapshot().settings.keys, settings.keys, "not taken");
    assert!(world.snapshot().notices[0].body.contains("archive"));
    // What another version left there stays, and what is chosen beside it is taken.
    let odd = r#"{"zoom_percent":150,"keys":{"of_later":3}}"#;
    world.store.settings.insert("settings".into(), odd.into());
    world.crash();
    let mut settings = (*world.snapshot().settings).clone();
    settings.keys.set("archive", Vec::new());
    world.command(SettingsCommand::Set(Box::new(settings)));
    world.settle();
    world.crash();
    let kept = world.snapshot().settings.clone();
    assert_eq!((kept.zoom_percent, kept.keys.entries().count()), (150, 2));
}

#[test]
fn what_is_found_is_shown_as_it_comes() {
    let mut world = World::new();
    world.command(EngineCommand::Rediscover);
    assert_eq!(availability(&mut world), [false; 3]);
    assert!(world.snapshot().app.discovering);
    world.put(Input::Discovered {
        statuses: vec![ready("bob"), ready("nobody")],
        took_ms: 5,
        complete: false,
    });
    assert_eq!(availability(&mut world), [false, true, false]);
    world.put(Input::Discovered { statuses: Vec::new(), took_ms: 9, complete: true });
    assert_eq!((world.snapshot().app.discovering, world.snapshot().app.discovery_ms), (false, Some(9)));
    assert_eq!(world.state.default_seat().engine.as_str(), "bob", "the first that is ready");
}

/// The newest limit of a kind is shown, and nothing is retried because of it.
#[test]
fn limits_and_models_as_told() {
    let (mut world, id) = World::with_conversation();
    world.send(id, "go");
    world.settle();
    let turn = world.live(id);
    for used in [10.0, 90.0] {
        let limit =
            LimitInfo { kind: "5 h".into(), used_percent: Some(used), resets_at_ms: Some(7), reached: false };
        world.say(turn, TurnEvent::Limit(limit));
    }
    world.say(turn, TurnEvent::Models(vec!["m1".into()]));
    world.say(turn, TurnEvent::Models(Vec::new()));
    let row = world.snapshot().engines[0].clone();
    assert_eq!((row.limits.len(), row.limits[0].used_percent), (1, Some(90.0)));
    assert_eq!(row.status.models, ["m1"]);
    assert_eq!(world.started.len(), 1);
}
