//! `skill`: what the project's and the user's folders offer, and what is switched on.

use serde_json::json;

use crate::api::command::KnowledgeCommand;
use crate::api::snapshot::KnowledgeView;
use crate::cli::known::Desk;
use crate::cli::out::{Failure, WRONG_ARGUMENTS, one_line};
use crate::model::id::ConversationId;
use crate::model::project::TextKind;
use crate::model::skill::Skill;

/// Every skill there is, then those that are switched but not there.
///
/// # Errors
/// There is no such conversation.
pub async fn list(desk: &mut Desk<'_>, conversation: Option<ConversationId>) -> Result<(), Failure> {
    desk.check_conversation(conversation)?;
    looked(desk).await?;
    let known = desk.known();
    for note in &known.offers.skills.notes {
        desk.shown.out.note(note);
    }
    for skill in &known.offers.skills.skills {
        show(desk, &known, conversation, &skill.name, Some(skill))?;
    }
    let mut missing: Vec<&str> = Vec::new();
    for one in known.skill_switches.iter() {
        let counts = one.conversation.is_none() || one.conversation == conversation;
        let is_there = known.offers.skills.find(&one.skill).is_some();
        if counts && !is_there && !missing.contains(&one.skill.as_str()) {
            missing.push(&one.skill);
        }
    }
    missing.into_iter().try_for_each(|name| show(desk, &known, conversation, name, None))
}

/// `on: None` drops the switch.
///
/// # Errors
/// There is no such skill or conversation.
pub async fn switch(
    desk: &mut Desk<'_>,
    word: &str,
    conversation: Option<ConversationId>,
    on: Option<bool>,
) -> Result<(), Failure> {
    desk.check_conversation(conversation)?;
    looked(desk).await?;
    let known = desk.known();
    let found = known.offers.skills.find(word).cloned();
    let is_named = |name: &str| name.to_lowercase() == word.trim().to_lowercase();
    let at_place = known.skill_switches.iter().filter(|one| one.conversation == conversation);
    let switched: Vec<String> =
        at_place.filter(|one| is_named(&one.skill)).map(|one| one.skill.clone()).collect();
    let name = match (&found, switched.first()) {
        (_, Some(name)) => name.clone(),
        (Some(skill), None) => skill.name.clone(),
        (None, None) => return Err(no_such_skill(&known, word)),
    };
    // Written in more than one way by hand, each is a switch of its own; one command means them all.
    let names = if switched.len() > 1 { switched } else { vec![name.clone()] };
    for skill in names {
        let project = desk.project.id;
        let command = KnowledgeCommand::SwitchSkill { project, conversation, skill: skill.clone(), on };
        let is_done = |known: &KnowledgeView| {
            let one = known
                .skill_switches
                .iter()
                .find(|one| one.conversation == conversation && one.skill == skill)
                .map(|one| one.on);
            (one == on).then_some(())
        };
        desk.tell(command, is_done).await?;
    }
    let known = desk.known();
    show(desk, &known, conversation, &name, found.as_ref())
}

/// The folders are looked through beside everything else.
async fn looked(desk: &mut Desk<'_>) -> Result<(), Failure> {
    desk.wait(|known| (!known.offers.looking).then_some(())).await
}

fn no_such_skill(known: &KnowledgeView, word: &str) -> Failure {
    let names: Vec<&str> = known.offers.skills.skills.iter().map(|skill| skill.name.as_str()).collect();
    let line = if names.is_empty() {
        format!("{word}: there is no such skill. There are none in the project's folders and yours.")
    } else {
        format!("{word}: there is no such skill. Known are {}.", names.join(", "))
    };
    Failure::usage(one_line(&line, 600))
}

fn show(
    desk: &mut Desk<'_>,
    known: &KnowledgeView,
    conversation: Option<ConversationId>,
    name: &str,
    skill: Option<&Skill>,
) -> Result<(), Failure> {
    let of_project = known.switch(None, name);
    let of_conversation = conversation.and_then(|id| known.switch(Some(id), name));
    let is_on = known.skill_is_on(conversation, name);
    let origin = skill.map(|skill| skill.origin.label());
    let problem = skill.map_or(Some("it is in none of the folders"), |skill| skill.problem.as_deref());
    let description = skill.map(|skill| skill.description.as_str()).unwrap_or_default();
    desk.shown.row(
        || {
            json!({
                "name": name,
                "on": is_on,
                "project_switch": of_project,
                "conversation_switch": of_conversation,
                "origin": origin,
                "path": skill.map(|skill| skill.dir.to_string_lossy()),
                "description": description,
                "problem": problem,
            })
        },
        || {
            let state = if is_on { "on" } else { "off" };
            let problem = problem.map(|why| format!("  [{}]", one_line(why, 100))).unwrap_or_default();
            format!(
                "{state:<3}  {:<7}  {}  {}{problem}",
                origin.unwrap_or("missing"),
                one_line(name, 60),
                one_line(description, 100)
            )
        },
    )
}

/// Makes a file of the project's own and tells where it lies.
///
/// # Errors
/// One of that name is there, or it cannot be written.
pub async fn new_text(desk: &mut Desk<'_>, kind: TextKind, name: &str, text: String) -> Result<(), Failure> {
    let project = desk.project.id;
    let name = name.trim().to_owned();
    let title = format!("{} {name} was made", kind.label());
    desk.send(KnowledgeCommand::NewText { project, kind, name: name.clone(), text })?;
    let made = desk.front.wait(WRONG_ARGUMENTS, |snapshot| {
        let told = snapshot.notices.iter().find(|notice| notice.title == title)?;
        Some(told.body.clone())
    });
    let body = made.await?;
    desk.shown
        .row(|| json!({ "name": name, "kind": kind.word(), "told": body }), || format!("{title}. {body}"))
}
