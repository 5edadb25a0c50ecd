//! What `help` says.

pub const HELP: &str = "\
tunaflow [--data-dir DIR] [--project PATH] <command> [--json]

Without a command the window opens, with --project at that project.

  doctor                     engines, versions, paths, database; exit code 1 if something needed is broken
  project add PATH           makes a folder a project
  project list
  project remove ID-or-PATH  forgets a project; its folder is not touched
  conversations              of the project, or of all when this folder is none
  messages ID [--tools] [--thinking]
  send [options] [TEXT or -] one turn; the answer goes to standard output as it comes
  context [options] [TEXT or -]
                             what the agent would be told, and the report; runs no agent
                             --text: the exact text alone; --compare E: what engine E would be told otherwise
  export ID --format md|json [--tools] [--thinking]
  plan list | show PLAN | export PLAN | remove PLAN
  plan add --title T [options], plan edit PLAN [options]
                             --description D --outcome O --phase P --document FILE or -, and again and again:
                             --step \"TITLE: DETAILS\" --constraint C --non-goal N
  plan step PLAN N todo|in-progress|done|dropped [--title T] [--details D] [--after N,N]
  plan use PLAN [--conversation ID], plan unuse PLAN
                             the plan is told to the agents of that conversation, or not any more
  finding list [--open] [--plan PLAN] | settle FINDING [--resolution TEXT] | reopen FINDING | remove FINDING
  finding add [--severity minor|major|critical] [--file F [--line N]] [--plan PLAN [--step N]] [TEXT or -]
  agreement list | add [--conversation ID] [TEXT or -] | remove AGREEMENT
  artifact list | show ARTIFACT | pin ARTIFACT | unpin ARTIFACT | remove ARTIFACT
  artifact add --title T [--language L] [--conversation ID] [--pin] [FILE or -]
  branch list [--conversation ID] | add CONVERSATION [--at MESSAGE] [--label L]
  branch adopt BRANCH [--engine E] [--model M] | [--last | --positions | TEXT or -] [--draft] | undo BRANCH
                             without a source an agent is asked for the summary, which costs a request;
                             the summary goes into the parent; send --conversation BRANCH talks in it
  branch rename BRANCH LABEL | git BRANCH NAME|none | archive BRANCH | reactivate BRANCH | remove BRANCH
  branch hint BRANCH on|off|told | share BRANCH on|off|default
  link list [--conversation ID] | add CONVERSATION LINKED | remove CONVERSATION LINKED
                             the agents of the first are told of the second
  skill list | on NAME | off NAME | default NAME
                             with --conversation ID for one conversation, else for the project
  skill add NAME [FILE or -], role add NAME [FILE or -], persona add NAME [FILE or -]
                             a file of the project, never over one that is there; without FILE a draft
  role list, persona list    names that can be picked
  profile list | remove NAME
  profile add NAME --engine E [--model M] [--role R] [--persona P] [--mode M] [--supply push|hybrid|pull]
  settings get [NAME]
  settings set NAME VALUE
  bench …                    the project's own measurements
  version, help

Options of send and context:
  --conversation ID          goes on there; else a new conversation
  --engine E                 claude, codex, gemini, opencode, demo, script:FILE, …
  --model M
  --role R                   a role, e.g. Reviewer, or one of the project's or your own
  --profile P                engine, model, role and the rest as that profile says; else the role of that name
  --mode lite|standard|full  how much context; else decided by rule
  --budget N                 characters of context, 20000 to 400000
  --permissions ask|deny|allow
                             send only: what happens when the agent asks; deny unless said otherwise

--project is the current folder unless said otherwise. -- ends the options.
Exit codes: 0 done, 1 something is broken, 2 wrong arguments, 3 the engine failed, 4 stopped,
5 the database cannot be used.
";
