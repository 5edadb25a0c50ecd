//! From an engine's byte on the pipe to the text in a published snapshot, with four engines streaming at once.

use std::collections::BTreeMap;

use anyhow::Context as _;

use crate::api::command::{ChatCommand, Command, EngineCommand, ProjectCommand};
use crate::api::snapshot::Snapshot;
use crate::bench::args::Options;
use crate::bench::fake_engine::PIECES_PER_SECOND;
use crate::bench::report::{Report, Values};
use crate::bench::scratch::Scratch;
use crate::bench::{app, time};
use crate::model::engine::EngineId;
use crate::model::id::ConversationId;
use crate::model::message::{ItemBody, Message};
use crate::model::project::{Draft, SeatChoice};
use crate::model::settings::AcpAgent;
use crate::runtime::Running;

const ENGINES: usize = 4;
const MOST_MS: f64 = 20.0;
const AGENT: &str = "measured";
const SECONDS_MAX: u32 = 30;

/// # Errors
/// The runtime does not start, or an engine never answers.
pub fn measure(options: &Options) -> anyhow::Result<Report> {
    let scratch = Scratch::new()?;
    let running = app::start(&scratch)?;
    let result = stream(&running, &scratch, options.seconds.min(SECONDS_MAX));
    running.finish();
    let watch = result?;
    let mut report = Report::new("latency");
    report.tell("engines", ENGINES as f64, "");
    report.tell("pieces a second and engine", f64::from(PIECES_PER_SECOND), "");
    report.tell("pieces seen", watch.values.len() as f64, "");
    report.tell("snapshots", f64::from(watch.snapshots), "");
    report.tell("p50", watch.values.median(), "ms");
    report.tell("p95", watch.values.percentile(95.0), "ms");
    report.hold("p99", watch.values.percentile(99.0), "ms", MOST_MS);
    report.tell("slowest", watch.values.max(), "ms");
    Ok(report)
}

fn send(running: &Running, command: impl Into<Command>) -> anyhow::Result<()> {
    running.handle().send(command).map_err(|_refused| anyhow::anyhow!("the runtime took no command"))
}

fn stream(running: &Running, scratch: &Scratch, seconds: u32) -> anyhow::Result<Watch> {
    let program = std::env::current_exe().context("this program's own file is not known")?;
    let agent = AcpAgent {
        name: AGENT.into(),
        command: program.to_string_lossy().into_owned(),
        args: vec!["bench".into(), "fake-engine".into()],
    };
    send(running, EngineCommand::PutAcpAgent { agent })?;
    send(running, ProjectCommand::Open { path: scratch.project() })?;
    let open = app::until(running, "the project is open", |snapshot| snapshot.project.is_some())?;
    let project = open.project.context("there is no project")?;
    let seat = SeatChoice::new(EngineId::new(format!("acp:{AGENT}")));
    let mut conversations: Vec<ConversationId> = Vec::new();
    for _ in 0..ENGINES {
        let before = conversations.last().copied();
        send(running, ChatCommand::New { project, seat: Some(seat.clone()) })?;
        let made = app::until(running, "a conversation is made", |s| s.focus.is_some() && s.focus != before)?;
        let conversation = made.focus.context("no conversation was made")?;
        conversations.push(conversation);
        // At once: an empty conversation would be taken for the next new one.
        send(running, ChatCommand::Send { conversation, draft: Draft::text(format!("Stream {seconds}")) })?;
    }
    let mut watch = Watch::default();
    app::until(running, "the answers ended", |snapshot| watch.look(snapshot, &conversations))?;
    let wanted = ENGINES * (seconds * PIECES_PER_SECOND) as usize;
    anyhow::ensure!(
        watch.values.len() >= wanted * 9 / 10,
        "only {} of {wanted} pieces came",
        watch.values.len()
    );
    Ok(watch)
}

/// What was seen in the snapshots so far.
#[derive(Default)]
struct Watch {
    values: Values,
    snapshots: u32,
    /// Bytes of each answer looked at.
    seen: BTreeMap<ConversationId, usize>,
}

impl Watch {
    /// Takes the time of each piece that is new; true when all answers have ended.
    fn look(&mut self, snapshot: &Snapshot, conversations: &[ConversationId]) -> bool {
        let now_ns = time::now_ns();
        self.snapshots += 1;
        for view in &snapshot.open {
            let Some(message) = view.live.first() else { continue };
            let seen = self.seen.entry(view.row.conversation.id).or_default();
            let text = text(message);
            while let Some((stamp, rest)) = text.get(*seen..).and_then(|rest| rest.split_once(' ')) {
                *seen = text.len() - rest.len();
                if let Some(Ok(sent_ns)) = stamp.strip_prefix('@').map(str::parse::<u64>) {
                    self.values.push(time::ms_between(sent_ns, now_ns));
                }
            }
        }
        conversations.iter().all(|id| {
            let turn = snapshot.view(*id).and_then(|view| view.turn.as_ref());
            turn.is_some_and(|turn| !turn.state.is_live())
        })
    }
}

fn text(message: &Message) -> &str {
    message
        .items
        .iter()
        .find_map(|item| if let ItemBody::Text { text } = &item.body { Some(text.as_str()) } else { None })
        .unwrap_or_default()
}
