//! `demo`: a tour without an account, a program or a network. It thinks nothing; it shows what the window can
//! do and repeats what it was told.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::player::{Ask, Player, Step};
use crate::engine::{Dialect, Engine, Launch, SeatInput, SeatOutput};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::message::{ItemBody, PlanEntry, PlanEntryState, ToolCall, ToolKind, ToolState};
use crate::model::turn::{
    FailureKind, PermissionAction, PermissionRequest, SeatSpec, TurnEvent, TurnFailure, TurnRequest, Usage,
};

/// Between two pieces of text.
const PACE: Duration = Duration::from_millis(18);
const SLOW_PACE: Duration = Duration::from_millis(400);
/// Stands between the context sections and the user's prompt.
const SEPARATOR: &str = "\n\n---\n\n";
const LONG_LINES: usize = 400;

const WORDS: &str = "Words that make me show something: **markdown**, **tool**, **thinking**, **plan**, \
**permission**, **long**, **slow**, **fail**, **context**.\n\n";

#[derive(Debug)]
struct Demo {
    info: EngineInfo,
}

/// The engine.
pub fn engine() -> Arc<dyn Engine> {
    let info = EngineInfo {
        id: EngineId::new("demo"),
        name: "Demo".to_owned(),
        look: EngineLook::Demo,
        caps: EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume: false,
            fork: ForkCap::None,
            system_apart: false,
            images: false,
            usage: true,
            cost: false,
            mcp: false,
            warm: false,
        },
        programs: Vec::new(),
        home_dirs: Vec::new(),
        models: vec!["tour".to_owned()],
        key_variables: Vec::new(),
        install_hint: "Built in.".to_owned(),
        login_hint: "No login is needed.".to_owned(),
        resume_command: String::new(),
    };
    Arc::new(Demo { info })
}

impl Engine for Demo {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        Ok(Launch::Builtin)
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        Box::new(DemoDialect { seat: seat.clone(), player: Player::default() })
    }
}

#[derive(Debug)]
struct DemoDialect {
    seat: SeatSpec,
    player: Player,
}

impl Dialect for DemoDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => self.player.play(steps(request, &self.seat), out),
            other => self.player.input(&other, out),
        }
    }
}

/// The whole answer. Which parts it has depends on words in the prompt, not in the context.
fn steps(request: &TurnRequest, seat: &SeatSpec) -> Vec<Step> {
    let (context, prompt) = split(&request.text);
    let asked = prompt.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| asked.contains(word));
    let pace = if has(&["slow", "천천히"]) { SLOW_PACE } else { PACE };
    let mut steps = vec![Step::Event(TurnEvent::Started { session: None, model: Some("tour".to_owned()) })];
    if has(&["think", "생각"]) {
        stream(&mut steps, THINKING, pace, Step::Thinking);
    }
    stream(
        &mut steps,
        "**This is the demo engine.** No model is behind it; nothing leaves this machine.\n\n",
        pace,
        Step::Text,
    );
    stream(&mut steps, &told(context, prompt), pace, Step::Text);
    let shown = steps.len();
    if has(&["plan", "계획"]) {
        plan(&mut steps, pace);
    }
    if has(&["markdown", "마크다운"]) {
        stream(&mut steps, MARKDOWN, pace, Step::Text);
    }
    if has(&["tool", "도구"]) {
        tool(&mut steps);
    }
    if has(&["permission", "권한"]) {
        permission(&mut steps, seat);
    }
    if has(&["long", "길게"]) {
        for line in 1..=LONG_LINES {
            steps.push(Step::Text(format!("{line}. A line of a long answer, 긴 답변의 한 줄.\n")));
            steps.push(Step::Wait(if pace == SLOW_PACE { pace } else { Duration::from_millis(4) }));
        }
    }
    if has(&["fail", "실패"]) {
        steps.push(Step::Fail(failure()));
        return steps;
    }
    if steps.len() == shown {
        stream(&mut steps, WORDS, pace, Step::Text);
    }
    let tokens = |text: &str| u64::try_from(text.chars().count() / 4).ok();
    steps.push(Step::Event(TurnEvent::Usage(Usage {
        input_tokens: tokens(&request.text),
        output_tokens: Some(u64::try_from(steps.len()).unwrap_or(u64::MAX)),
        ..Usage::default()
    })));
    steps
}

/// The context sections and the user's own words.
fn split(text: &str) -> (&str, &str) {
    text.rsplit_once(SEPARATOR).unwrap_or(("", text))
}

/// Says what arrived: each heading of the context with its size, then the prompt.
fn told(context: &str, prompt: &str) -> String {
    let mut answer = String::new();
    let sections = sections(context);
    if sections.is_empty() {
        answer.push_str("I was told nothing but your words");
    } else {
        answer.push_str("What I was told in front of your words:\n\n| section | characters |\n|---|---|\n");
        for (heading, chars) in &sections {
            let heading = heading.replace('|', "\\|");
            answer.push_str(&format!("| {heading} | {chars} |\n"));
        }
        answer.push_str("\nThen your words");
    }
    let chars = prompt.chars().count();
    let start: String = prompt.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
    let more = if chars > 120 { " …" } else { "" };
    answer.push_str(&format!(" ({chars} characters): “{start}{more}”\n\n"));
    answer
}

/// Second-level headings outside code blocks, as the context's sections have them, each with the characters up
/// to the next one.
pub fn sections(context: &str) -> Vec<(String, usize)> {
    let mut sections: Vec<(String, usize)> = Vec::new();
    // The fence that ends the block we are in.
    let mut fence: Option<&str> = None;
    for line in context.split_inclusive('\n') {
        let text = line.trim();
        let run =
            text.len() - text.trim_start_matches(|mark| text.starts_with(mark) && "`~".contains(mark)).len();
        match fence {
            None if run >= 3 => fence = text.get(..run),
            Some(open) if run == text.len() && text.starts_with(open) => fence = None,
            _ => {}
        }
        let heading = line.strip_prefix("## ").filter(|_| fence.is_none());
        if let Some(heading) = heading {
            sections.push((heading.trim().to_owned(), 0));
        } else if sections.is_empty() && !line.trim().is_empty() {
            sections.push(("(without a heading)".to_owned(), 0));
        }
        if let Some((_, chars)) = sections.last_mut() {
            *chars += line.chars().count();
        }
    }
    sections
}

/// Text in pieces of about a word, with a pause after each.
fn stream(steps: &mut Vec<Step>, text: &str, pace: Duration, step: fn(String) -> Step) {
    for piece in text.split_inclusive(' ') {
        steps.push(step(piece.to_owned()));
        steps.push(Step::Wait(pace));
    }
}

const THINKING: &str = "The user asks the demo. The demo does not think, but thoughts of an engine would \
stand here, folded, and apart from the answer. ";

const MARKDOWN: &str = "## Markdown\n\n\
1. a numbered list\n2. with **bold**, *slanted* and `code`\n   - and one inside\n\n\
| engine | place |\n|:--|--:|\n| demo | here |\n| 데모 | 여기 |\n\n\
```rust\nfn main() {\n    println!(\"안녕하세요\");\n}\n```\n\n\
> A quotation. 한국어 문장도 잘 보입니다. 😀\n\n\
A [link](https://example.org/) opens only when you click it.\n\n";

fn plan(steps: &mut Vec<Step>, pace: Duration) {
    let entry = |text: &str, state| PlanEntry { text: text.to_owned(), state };
    let states = [
        [PlanEntryState::InProgress, PlanEntryState::Pending],
        [PlanEntryState::Done, PlanEntryState::InProgress],
        [PlanEntryState::Done, PlanEntryState::Done],
    ];
    for (at, [first, second]) in states.into_iter().enumerate() {
        let entries = vec![entry("Look at what was asked", first), entry("Show a plan", second)];
        let (key, body) = ("plan".to_owned(), ItemBody::Plan { entries });
        steps.push(Step::Event(if at == 0 {
            TurnEvent::ItemStarted { key, body }
        } else {
            TurnEvent::ItemReplaced { key, body }
        }));
        steps.push(Step::Wait(pace * 10));
    }
    steps.push(Step::Close);
}

fn tool(steps: &mut Vec<Step>) {
    let running = ToolCall {
        name: "Read".to_owned(),
        kind: ToolKind::Read,
        title: "README.md".to_owned(),
        input: "{\n  \"path\": \"README.md\"\n}".to_owned(),
        state: ToolState::Running,
        ..ToolCall::default()
    };
    let done = ToolCall {
        state: ToolState::Done,
        output: "(pretended) # A project\n\nIts first lines.".to_owned(),
        duration_ms: Some(600),
        ..running.clone()
    };
    let key = "tool".to_owned();
    steps.push(Step::Tool { key: key.clone(), call: running });
    steps.push(Step::Wait(Duration::from_millis(600)));
    steps.push(Step::Tool { key, call: done });
    stream(steps, "That was a tool call; no file was really read.\n\n", PACE, Step::Text);
}

fn permission(steps: &mut Vec<Step>, seat: &SeatSpec) {
    let key = "permission-tool".to_owned();
    let command = "echo \"a pretended command\"".to_owned();
    let waiting = ToolCall {
        name: "Shell".to_owned(),
        kind: ToolKind::Run,
        title: command.clone(),
        input: command.clone(),
        state: ToolState::Pending,
        ..ToolCall::default()
    };
    let done = ToolCall {
        state: ToolState::Done,
        output: "a pretended command\n".to_owned(),
        exit_code: Some(0),
        ..waiting.clone()
    };
    let denied = ToolCall { state: ToolState::Denied, ..waiting.clone() };
    steps.push(Step::Tool { key: key.clone(), call: waiting });
    let mut allowed_steps = vec![Step::Tool { key: key.clone(), call: done }];
    stream(&mut allowed_steps, "You allowed it. (Nothing was really run.)\n\n", PACE, Step::Text);
    if seat.skip_permissions {
        steps.extend(allowed_steps);
        return;
    }
    let mut denied_steps = vec![Step::Tool { key: key.clone(), call: denied }];
    stream(&mut denied_steps, "You denied it, so it was left undone.\n\n", PACE, Step::Text);
    let request = PermissionRequest {
        ask: "demo-permission".to_owned(),
        tool: "Shell".to_owned(),
        action: PermissionAction::Run,
        command: Some(command),
        folder: Some(seat.cwd.to_string_lossy().into_owned()),
        reason: Some("The demo shows how an agent asks. Nothing is really run.".to_owned()),
        item_key: Some(key),
        ..PermissionRequest::default()
    };
    steps.push(Step::Ask(Box::new(Ask {
        request,
        allowed: allowed_steps,
        denied: denied_steps,
        say_comment: true,
    })));
}

fn failure() -> TurnFailure {
    TurnFailure {
        kind: FailureKind::RateLimited,
        message: "The demo pretends that a rate limit was reached.".to_owned(),
        hint: "Ask again without the word “fail”.".to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{sections, split, steps};
    use crate::engine::player::Step;
    use crate::model::engine::{Billing, EngineId};
    use crate::model::id::TurnId;
    use crate::model::turn::{SeatSpec, TurnRequest};

    fn answer(text: &str) -> (String, Vec<Step>) {
        let seat = SeatSpec {
            engine: EngineId::new("demo"),
            model: None,
            cwd: "/p".into(),
            resume: None,
            fork: None,
            new_session_id: String::new(),
            system_file: None,
            skip_permissions: false,
            words_only: false,
            billing: Billing::Subscription,
            program: None,
            version: None,
        };
        let steps = steps(&TurnRequest { turn: TurnId(1), text: text.to_owned() }, &seat);
        let said = steps.iter().filter_map(|step| match step {
            Step::Text(text) => Some(text.as_str()),
            _ => None,
        });
        (said.collect(), steps)
    }

    #[test]
    fn it_says_what_it_was_told() {
        let (said, _) = answer("## Project\n\nabc\n\n## 기억\n\n```\n# no heading\n```\n\n---\n\nhello");
        assert!(said.contains("| Project | 17 |"), "{said}");
        assert!(said.contains("| 기억 | 27 |"), "{said}");
        assert!(said.contains("(5 characters): “hello”"), "{said}");
        assert!(said.contains("**permission**"), "the words are explained");
        assert!(said.starts_with("**This is the demo engine.**"));
    }

    #[test]
    fn words_of_the_prompt_decide_and_those_of_the_context_do_not() {
        let (_, plain) = answer("## permission tool fail\n\nx\n\n---\n\nhello");
        assert!(!plain.iter().any(|step| matches!(step, Step::Ask(_) | Step::Tool { .. } | Step::Fail(_))));
        let (_, ask) = answer("show a permission please");
        assert!(ask.iter().any(|step| matches!(step, Step::Ask(_))));
        let (_, fail) = answer("fail");
        assert!(matches!(fail.last(), Some(Step::Fail(_))));
        let (said, _) = answer("markdown");
        assert!(said.contains("```rust") && said.contains("안녕하세요"));
        let (said, _) = answer("a long one");
        assert!(said.lines().count() > 400);
    }

    #[test]
    fn odd_texts() {
        assert_eq!(split("only words"), ("", "only words"));
        assert_eq!(split("a\n\n---\n\nb\n\n---\n\nc"), ("a\n\n---\n\nb", "c"));
        assert_eq!(sections("loose\n## A\nx"), [("(without a heading)".to_owned(), 6), ("A".to_owned(), 6)]);
        let nested = "## A\n````\n```\n## no heading\n````\n# nor here\n## B\n";
        assert_eq!(sections(nested), [("A".to_owned(), 44), ("B".to_owned(), 5)]);
        assert!(answer("").0.contains("(0 characters)"));
    }
}
