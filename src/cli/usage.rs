//! The commands and what each takes. A new one begins with a line here.

/// One command: its words, what it takes, and how it is called.
pub struct Spec {
    pub words: &'static [&'static str],
    pub values: &'static [&'static str],
    pub flags: &'static [&'static str],
    pub places: usize,
    pub usage: &'static str,
}

const ASK_VALUES: &[&str] =
    &["--conversation", "--engine", "--model", "--role", "--profile", "--mode", "--budget"];
const SEND_VALUES: &[&str] =
    &["--conversation", "--engine", "--model", "--role", "--profile", "--mode", "--budget", "--permissions"];

/// Usage without a command.
pub const USAGE: &str = "tunaflow [--data-dir DIR] [--project PATH] <command> [--json]; see tunaflow help";

/// All commands but `bench`, which takes what it likes.
pub const SPECS: &[Spec] = &[
    Spec { words: &["doctor"], values: &[], flags: &[], places: 0, usage: "tunaflow doctor [--json]" },
    Spec {
        words: &["project", "add"],
        values: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow project add PATH",
    },
    Spec {
        words: &["project", "list"],
        values: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow project list [--json]",
    },
    Spec {
        words: &["project", "remove"],
        values: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow project remove ID-or-PATH",
    },
    Spec {
        words: &["conversations"],
        values: &[],
        flags: &[],
        places: 0,
        usage: "tunaflow conversations [--json]",
    },
    Spec {
        words: &["messages"],
        values: &[],
        flags: &["--tools", "--thinking"],
        places: 1,
        usage: "tunaflow messages ID [--tools] [--thinking] [--json]",
    },
    Spec {
        words: &["export"],
        values: &["--format"],
        flags: &["--tools", "--thinking"],
        places: 1,
        usage: "tunaflow export ID --format md|json [--tools] [--thinking]",
    },
    Spec {
        words: &["send"],
        values: SEND_VALUES,
        flags: &[],
        places: 1,
        usage: "tunaflow send [--conversation ID] [--engine E] [--model M] [--role R | --profile P] [--mode M] [--budget N] \
                [--permissions ask|deny|allow] [--json] [TEXT or -]",
    },
    Spec {
        words: &["context"],
        values: ASK_VALUES,
        flags: &[],
        places: 1,
        usage: "tunaflow context [--conversation ID] [--engine E] [--model M] [--role R | --profile P] [--mode M] [--budget N] \
                [--json] [TEXT or -]",
    },
    Spec {
        words: &["settings", "get"],
        values: &[],
        flags: &[],
        places: 1,
        usage: "tunaflow settings get [NAME]",
    },
    Spec {
        words: &["settings", "set"],
        values: &[],
        flags: &[],
        places: 2,
        usage: "tunaflow settings set NAME VALUE",
    },
    Spec { words: &["help"], values: &[], flags: &[], places: 0, usage: "tunaflow help" },
    Spec { words: &["version"], values: &[], flags: &[], places: 0, usage: "tunaflow version [--json]" },
];
