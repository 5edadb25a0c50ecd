//! Changed files of a branch: the list, the difference, the states without files.

use egui::{Key, Modifiers};
use tunaflow::api::command::{BranchCommand, Command};
use tunaflow::model::git::GitPath;
use tunaflow::ui::route::Route;
use tunaflow::ui::testing::SHOWN;
use tunaflow::ui::testing::branches::PKCE;

use super::bench::Bench;

fn commands(bench: &mut Bench) -> Vec<BranchCommand> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| if let Command::Branch(command) = command { Some(command) } else { None })
        .collect()
}

fn diff(file: &str) -> BranchCommand {
    BranchCommand::LookAtDiff { conversation: PKCE, file: GitPath::from(file) }
}

#[test]
fn files_are_listed_and_their_difference_is_read() {
    let mut bench = Bench::of("branch-changes");
    assert!(commands(&mut bench).contains(&BranchCommand::LookAtChanges { conversation: PKCE }));
    for name in [
        "caf\\xe9.md, untracked",
        "from src/crypto/ct.rs",
        "vendor/rand, modified, submodule",
        "flow.png, modified, binary",
    ] {
        assert!(bench.has_part(name), "{name}");
    }
    assert!(bench.has("debug_assert_eq!(text.len(), 43);") || bench.has_part("debug_assert_eq!"));
    bench.click_part("Cargo.toml, modified, 1 added, 12 removed");
    assert_eq!(commands(&mut bench), [diff("Cargo.toml")]);
    bench.key(Modifiers::NONE, Key::ArrowDown);
    assert_eq!(commands(&mut bench), [diff("docs/pictures/flow.png")]);
    bench.key(Modifiers::NONE, Key::ArrowUp);
    bench.key(Modifiers::NONE, Key::ArrowUp);
    assert_eq!(commands(&mut bench), [diff("Cargo.toml")], "it stops at the first");
    bench.click("Look again");
    assert!(commands(&mut bench).contains(&BranchCommand::LookAtChanges { conversation: PKCE }));
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.route(), Route::Chat { conversation: SHOWN }, "the branch beside its parent");
}

#[test]
fn a_refused_removal_names_what_would_be_lost() {
    let mut bench = Bench::of("branch-refused");
    commands(&mut bench);
    assert!(bench.has("not committed: notes/idea.md") && bench.has("ignored by git: target/"));
    assert!(!bench.has_part("Remove it with"), "more than ignored files would be lost");
    bench.click("Close");
    assert!(!bench.has("not committed: notes/idea.md"));
}

#[test]
fn a_checkout_that_is_gone_is_made_again_or_forgotten() {
    let mut bench = Bench::of("branch-gone");
    commands(&mut bench);
    bench.click("Make it again");
    assert_eq!(commands(&mut bench), [BranchCommand::MakeWorktree { branch: PKCE, git_branch: None }]);
    bench.click("Forget it");
    assert_eq!(commands(&mut bench), [BranchCommand::ForgetWorktree { branch: PKCE }]);
}

#[test]
fn a_checkout_is_offered_and_an_empty_one_says_so() {
    let mut bench = Bench::of("branch-offer");
    commands(&mut bench);
    bench.focus("Git branch of the checkout");
    bench.type_text("team/pkce");
    bench.click("Make a checkout");
    let make = BranchCommand::MakeWorktree { branch: PKCE, git_branch: Some("team/pkce".into()) };
    assert_eq!(commands(&mut bench), [make]);
    let bench = Bench::of("branch-empty");
    assert!(bench.has_part("Back to the conversation"));
}

#[test]
fn the_head_leads_to_the_changes() {
    let mut bench = Bench::of("chat");
    bench.click("Git branch main");
    assert_eq!(bench.route(), Route::Changes { conversation: SHOWN });
}
