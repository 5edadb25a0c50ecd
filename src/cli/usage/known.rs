//! Commands about what a project keeps beside its conversations, and about names that can be picked.

use crate::cli::usage::Spec;

type List = &'static [&'static str];

const PLAN_VALUES: List = &["--title", "--description", "--outcome", "--phase", "--document"];
const PLAN_ADD_VALUES: List =
    &["--title", "--description", "--outcome", "--phase", "--document", "--conversation"];
const PLAN_LISTS: List = &["--constraint", "--non-goal", "--step"];

const fn bare(words: List, places: usize, usage: &'static str) -> Spec {
    Spec { words, values: &[], lists: &[], flags: &[], places, usage }
}

const fn with(words: List, values: List, places: usize, usage: &'static str) -> Spec {
    Spec { values, ..bare(words, places, usage) }
}

pub(in crate::cli) const SPECS: &[Spec] = &[
    bare(&["plan", "list"], 0, "tunaflow plan list [--json]"),
    bare(&["plan", "show"], 1, "tunaflow plan show PLAN [--json]"),
    bare(&["plan", "export"], 1, "tunaflow plan export PLAN"),
    Spec {
        lists: PLAN_LISTS,
        flags: &["--use"],
        ..with(
            &["plan", "add"],
            PLAN_ADD_VALUES,
            0,
            "tunaflow plan add --title T [--description D] [--outcome O] [--phase P] [--constraint C]… [--non-goal N]… \
             [--step \"TITLE: DETAILS\"]… [--document FILE or -] [--conversation ID [--use]] [--json]",
        )
    },
    Spec {
        lists: PLAN_LISTS,
        ..with(
            &["plan", "edit"],
            PLAN_VALUES,
            1,
            "tunaflow plan edit PLAN [--title T] [--description D] [--outcome O] [--phase P] [--constraint C]… \
             [--non-goal N]… [--step \"TITLE: DETAILS\"]… [--document FILE or -] [--json]",
        )
    },
    with(
        &["plan", "step"],
        &["--title", "--details", "--after"],
        3,
        "tunaflow plan step PLAN N [todo|in-progress|done|dropped] [--title T] [--details D] [--after N,N or none] \
         [--json]",
    ),
    with(&["plan", "use"], &["--conversation"], 1, "tunaflow plan use PLAN [--conversation ID] [--json]"),
    bare(&["plan", "unuse"], 1, "tunaflow plan unuse PLAN [--json]"),
    bare(&["plan", "remove"], 1, "tunaflow plan remove PLAN"),
    Spec {
        flags: &["--open"],
        ..with(&["finding", "list"], &["--plan"], 0, "tunaflow finding list [--open] [--plan PLAN] [--json]")
    },
    with(
        &["finding", "add"],
        &["--severity", "--file", "--line", "--plan", "--step"],
        1,
        "tunaflow finding add [--severity minor|major|critical] [--file F [--line N]] [--plan PLAN [--step N]] [--json] \
         [TEXT or -]",
    ),
    with(
        &["finding", "settle"],
        &["--resolution"],
        1,
        "tunaflow finding settle FINDING [--resolution TEXT] [--json]",
    ),
    bare(&["finding", "reopen"], 1, "tunaflow finding reopen FINDING [--json]"),
    bare(&["finding", "remove"], 1, "tunaflow finding remove FINDING"),
    bare(&["agreement", "list"], 0, "tunaflow agreement list [--json]"),
    with(
        &["agreement", "add"],
        &["--conversation"],
        1,
        "tunaflow agreement add [--conversation ID] [--json] [TEXT or -]",
    ),
    bare(&["agreement", "remove"], 1, "tunaflow agreement remove AGREEMENT"),
    bare(&["artifact", "list"], 0, "tunaflow artifact list [--json]"),
    bare(&["artifact", "show"], 1, "tunaflow artifact show ARTIFACT [--json]"),
    Spec {
        flags: &["--pin"],
        ..with(
            &["artifact", "add"],
            &["--title", "--language", "--conversation"],
            1,
            "tunaflow artifact add --title T [--language L] [--conversation ID] [--pin] [--json] [FILE or -]",
        )
    },
    bare(&["artifact", "pin"], 1, "tunaflow artifact pin ARTIFACT [--json]"),
    bare(&["artifact", "unpin"], 1, "tunaflow artifact unpin ARTIFACT [--json]"),
    bare(&["artifact", "remove"], 1, "tunaflow artifact remove ARTIFACT"),
    with(&["branch", "list"], &["--conversation"], 0, "tunaflow branch list [--conversation ID] [--json]"),
    with(
        &["branch", "add"],
        &["--at", "--label"],
        1,
        "tunaflow branch add CONVERSATION [--at MESSAGE] [--label L] [--json]",
    ),
    Spec {
        flags: &["--last", "--positions", "--draft"],
        ..with(
            &["branch", "adopt"],
            &["--engine", "--model"],
            2,
            "tunaflow branch adopt BRANCH [--engine E] [--model M] [--last | --positions | TEXT or -] [--draft] \
             [--json]",
        )
    },
    bare(&["branch", "undo"], 1, "tunaflow branch undo BRANCH [--json]"),
    bare(&["branch", "rename"], 2, "tunaflow branch rename BRANCH LABEL [--json]"),
    bare(&["branch", "git"], 2, "tunaflow branch git BRANCH NAME|none [--json]"),
    bare(&["branch", "hint"], 2, "tunaflow branch hint BRANCH on|off|told [--json]"),
    bare(&["branch", "share"], 2, "tunaflow branch share BRANCH on|off|default [--json]"),
    bare(&["branch", "archive"], 1, "tunaflow branch archive BRANCH [--json]"),
    bare(&["branch", "reactivate"], 1, "tunaflow branch reactivate BRANCH [--json]"),
    bare(&["branch", "remove"], 1, "tunaflow branch remove BRANCH"),
    Spec {
        flags: &["--diff"],
        ..bare(&["branch", "changes"], 2, "tunaflow branch changes BRANCH [--diff [FILE]] [--json]")
    },
    Spec {
        flags: &["--with-ignored"],
        ..with(
            &["branch", "worktree"],
            &["--git-branch"],
            2,
            "tunaflow branch worktree add|remove|forget BRANCH [--git-branch NAME] [--with-ignored] [--json]",
        )
    },
    with(&["link", "list"], &["--conversation"], 0, "tunaflow link list [--conversation ID] [--json]"),
    bare(&["link", "add"], 2, "tunaflow link add CONVERSATION LINKED [--json]"),
    bare(&["link", "remove"], 2, "tunaflow link remove CONVERSATION LINKED"),
    with(&["skill", "list"], &["--conversation"], 0, "tunaflow skill list [--conversation ID] [--json]"),
    with(&["skill", "on"], &["--conversation"], 1, "tunaflow skill on NAME [--conversation ID] [--json]"),
    with(&["skill", "off"], &["--conversation"], 1, "tunaflow skill off NAME [--conversation ID] [--json]"),
    with(
        &["skill", "default"],
        &["--conversation"],
        1,
        "tunaflow skill default NAME [--conversation ID] [--json]",
    ),
    bare(&["skill", "add"], 2, "tunaflow skill add NAME [FILE or -] [--json]"),
    bare(&["role", "add"], 2, "tunaflow role add NAME [FILE or -] [--json]"),
    bare(&["persona", "add"], 2, "tunaflow persona add NAME [FILE or -] [--json]"),
    bare(&["role", "list"], 0, "tunaflow role list [--json]"),
    bare(&["persona", "list"], 0, "tunaflow persona list [--json]"),
    bare(&["profile", "list"], 0, "tunaflow profile list [--json]"),
    with(
        &["profile", "add"],
        &["--engine", "--model", "--role", "--persona", "--mode", "--supply"],
        1,
        "tunaflow profile add NAME --engine E [--model M] [--role R] [--persona P] [--mode M] \
         [--supply push|hybrid|pull] [--json]",
    ),
    bare(&["profile", "remove"], 1, "tunaflow profile remove NAME"),
];
