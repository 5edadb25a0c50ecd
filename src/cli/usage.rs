//! The commands and what each takes. A new one begins with a line here.

mod known;

/// One command: its words, what it takes, and how it is called.
pub struct Spec {
    pub words: &'static [&'static str],
    /// Options with a value, each given once.
    pub values: &'static [&'static str],
    /// Options with a value that may be given again and again.
    pub lists: &'static [&'static str],
    pub flags: &'static [&'static str],
    pub places: usize,
    pub usage: &'static str,
}

const CONTEXT_VALUES: &[&str] =
    &["--conversation", "--engine", "--model", "--role", "--profile", "--mode", "--budget", "--compare"];
const SEND_VALUES: &[&str] =
    &["--conversation", "--engine", "--model", "--role", "--profile", "--mode", "--budget", "--permissions"];

/// Usage without a command.
pub const USAGE: &str = "tunaflow [--data-dir DIR] [--project PATH] <command> [--json]; see tunaflow help";

/// All commands but `bench`, which takes what it likes.
pub fn specs() -> impl Iterator<Item = &'static Spec> {
    SPECS.iter().chain(known::SPECS)
}

const SPECS: &[Spec] = &[
    Spec {
        words: &["doctor"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow doctor [--json]",
    },
    Spec {
        words: &["project", "add"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow project add PATH",
    },
    Spec {
        words: &["project", "list"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow project list [--json]",
    },
    Spec {
        words: &["project", "remove"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow project remove ID-or-PATH",
    },
    Spec {
        words: &["conversations"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow conversations [--json]",
    },
    Spec {
        words: &["messages"],
        values: &[],
        lists: &[],
        flags: &["--tools", "--thinking"],
        places: 1,
        usage: "tunaflow messages ID [--tools] [--thinking] [--json]",
    },
    Spec {
        words: &["export"],
        values: &["--format"],
        lists: &[],
        flags: &["--tools", "--thinking"],
        places: 1,
        usage: "tunaflow export ID --format md|json [--tools] [--thinking]",
    },
    Spec {
        words: &["send"],
        values: SEND_VALUES,
        lists: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow send [--conversation ID] [--engine E] [--model M] [--role R | --profile P] [--mode M] [--budget N] \
                [--permissions ask|deny|allow] [--json] [TEXT or -]",
    },
    Spec {
        words: &["context"],
        values: CONTEXT_VALUES,
        lists: &[],
        flags: &["--text"],
        places: 1,
        usage: "tunaflow context [--conversation ID] [--engine E] [--model M] [--role R | --profile P] [--mode M] [--budget N] \
                [--text | --compare E | --json] [TEXT or -]",
    },
    Spec {
        words: &["settings", "get"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow settings get [NAME]",
    },
    Spec {
        words: &["settings", "set"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 2,
        usage: "tunaflow settings set NAME VALUE",
    },
    Spec { words: &["help"], values: &[], lists: &[], flags: &[], places: 0, usage: "tunaflow help" },
    Spec {
        words: &["version"],
        values: &[],
        lists: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow version [--json]",
    },
];
