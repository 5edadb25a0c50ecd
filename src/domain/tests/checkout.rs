//! A branch's own checkout: all of it or nothing, and never beneath a running agent.

use std::path::PathBuf;

use crate::api::command::{BranchCommand as B, ChatCommand};
use crate::domain::checkout::{GitDone, GitJob};
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::tests::kit::World;
use crate::model::branch::{BranchFacts, BranchKind};
use crate::model::git::{Losses, MadeCheckout, NotRemoved};
use crate::model::id::ConversationId;

const FOLDER: &str = "/data/worktrees/p-1/x";

fn branch() -> (World, ConversationId, ConversationId) {
    let (mut world, parent) = World::with_conversation();
    world.command(B::Create { parent, checkpoint: None, label: None, seat: None, kind: BranchKind::General });
    world.settle();
    let id = world.snapshot().branch_focus.unwrap();
    (world, parent, id)
}

fn jobs(effects: &[Effect]) -> Vec<GitJob> {
    let job = |effect: &Effect| if let Effect::Git(job) = effect { Some((**job).clone()) } else { None };
    effects.iter().filter_map(job).collect()
}

fn facts(world: &mut World, id: ConversationId) -> BranchFacts {
    let snapshot = world.snapshot();
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id).unwrap();
    row.conversation.branch.as_ref().unwrap().facts.clone()
}

fn made() -> MadeCheckout {
    MadeCheckout {
        folder: FOLDER.into(),
        subfolder: "below".into(),
        git_branch: "x".into(),
        base: "abc".into(),
        new_branch: true,
        notes: Vec::new(),
    }
}

fn make(world: &mut World, id: ConversationId) -> Vec<Effect> {
    let asked = world.command(B::MakeWorktree { branch: id, git_branch: None });
    assert!(matches!(jobs(&asked)[..], [GitJob::Make { again: None, .. }]), "{asked:?}");
    world.put(Input::Git(GitDone::Made { branch: id, project: PathBuf::from("/p"), result: Ok(made()) }))
}

fn troubles(world: &mut World) -> String {
    world.snapshot().notices.iter().map(|notice| notice.body.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_kept_checkout_is_where_the_next_turn_runs() {
    let (mut world, _, id) = branch();
    make(&mut world, id);
    world.settle();
    let known = facts(&mut world, id);
    assert_eq!(known.work_folder(), Some(PathBuf::from(FOLDER).join("below")));
    assert_eq!((known.git_branch.as_deref(), known.base.as_deref()), (Some("x"), Some("abc")));
    world.send(id, "work");
    world.settle();
    let spec = world.started.last().unwrap().clone();
    assert_eq!(spec.cwd, PathBuf::from(FOLDER).join("below"));
    assert!(spec.main_folder.is_some());
    for refused in [
        B::MakeWorktree { branch: id, git_branch: None },
        B::RemoveWorktree { branch: id, with_ignored: true },
        B::ForgetWorktree { branch: id },
    ] {
        assert_eq!(jobs(&world.command(refused)), []);
    }
    assert!(troubles(&mut world).contains("An agent is answering in the branch."));
}

#[test]
fn what_is_not_stored_is_taken_back_from_the_disk() {
    let (mut world, _, id) = branch();
    let before = facts(&mut world, id);
    make(&mut world, id);
    world.effects.clear();
    world.acknowledge(false);
    assert_eq!(jobs(&world.effects), [GitJob::Unmake { project: PathBuf::from("/p"), made: made() }]);
    assert_eq!(facts(&mut world, id), before);
    let view = world.snapshot().changes.clone().unwrap();
    assert!(view.doing.is_none() && view.error.as_ref().unwrap().contains("The disk is full"), "{view:?}");
}

#[test]
fn what_else_became_of_the_branch_meanwhile_is_not_taken_back() {
    let (mut world, _, id) = branch();
    let before = facts(&mut world, id);
    make(&mut world, id);
    world.command(B::SetShared { branch: id, shared: Some(true) });
    world.acknowledge(false);
    assert_eq!(facts(&mut world, id), BranchFacts { shared: Some(true), ..before });
}

#[test]
fn a_branch_that_went_meanwhile_leaves_no_checkout() {
    let (mut world, _, id) = branch();
    world.command(B::MakeWorktree { branch: id, git_branch: None });
    world.chat(ChatCommand::Delete { conversation: id });
    let result = Ok(made());
    let effects = world.put(Input::Git(GitDone::Made { branch: id, project: "/p".into(), result }));
    assert_eq!(jobs(&effects), [GitJob::Unmake { project: "/p".into(), made: made() }]);
}

#[test]
fn nothing_is_sent_while_it_moves_and_a_refusal_changes_nothing() {
    let (mut world, parent, id) = branch();
    make(&mut world, id);
    world.settle();
    let asked = world.command(B::RemoveWorktree { branch: id, with_ignored: false });
    assert_eq!(jobs(&asked).len(), 1);
    let before = world.started.len();
    world.send(id, "work");
    world.settle();
    assert_eq!(world.started.len(), before);
    let losses = Losses { files: vec!["a".into()], ..Losses::default() };
    let result = Err(NotRemoved::Loses(Box::new(losses.clone())));
    world.put(Input::Git(GitDone::Removed { branch: id, result }));
    assert_eq!(world.snapshot().changes.as_ref().unwrap().refused.as_deref(), Some(&losses));
    assert_eq!(facts(&mut world, id).worktree.as_deref(), Some(FOLDER));
    world.chat(ChatCommand::Delete { conversation: parent });
    assert!(troubles(&mut world).contains(&format!("Its checkout stays at {FOLDER}.")));
}

#[test]
fn a_branch_takes_over_what_the_project_has_checked_out() {
    let (mut world, parent, id) = branch();
    let project = world.project();
    let read = |detached| Input::GitBranch { project, branch: Some("main".into()), detached };
    assert_eq!(world.snapshot().git_pending, [id]);
    world.put(read(true));
    assert_eq!(facts(&mut world, id).git_branch, None, "a commit is no branch");
    assert_eq!(world.snapshot().git_pending, []);
    world.command(B::Create { parent, checkpoint: None, label: None, seat: None, kind: BranchKind::General });
    world.settle();
    let second = world.snapshot().branch_focus.unwrap();
    world.put(read(false));
    assert_eq!(facts(&mut world, second).git_branch.as_deref(), Some("main"));
    world.command(B::SetGitBranch { branch: second, git_branch: None });
    world.put(read(false));
    assert_eq!(facts(&mut world, second).git_branch, None, "it was taken off by hand");
}

#[test]
fn who_may_have_changed_the_main_folder_is_told_truly() {
    let (mut world, parent, id) = branch();
    let project = world.project();
    world.put(Input::GitBranch { project, branch: None, detached: false });
    make(&mut world, id);
    world.settle();
    world.send(id, "work");
    world.settle();
    assert!(world.snapshot().git_pending.contains(&id));
    let seen = |files: &[&str]| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        Input::Git(GitDone::MainSeen { conversation: id, files })
    };
    world.put(seen(&[]));
    assert!(!world.snapshot().git_pending.contains(&id));
    assert!(!troubles(&mut world).contains("by the agent of"), "nothing changed");
    world.put(seen(&["a.txt"]));
    assert!(!troubles(&mut world).contains("at the same time"), "it was alone");

    let (mut world, _, id_two) = branch();
    assert_eq!(id_two, id);
    make(&mut world, id);
    world.settle();
    world.send(id, "work");
    world.settle();
    world.send(parent, "work in the main folder");
    world.settle();
    world.put(seen(&["a.txt"]));
    assert!(
        troubles(&mut world).contains("or by an agent that worked in that folder at the same time: a.txt")
    );
}
