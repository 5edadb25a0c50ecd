//! `branch adopt`: the summary from an agent, from what was said, or from the user; then the card in the parent.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::command::BranchCommand;
use crate::api::snapshot::ConversationRow;
use crate::api::summary::{SummaryRequest, SummaryState};
use crate::cli::args::known::AdoptFrom;
use crate::cli::known::branches::{adopted, change, find};
use crate::cli::known::{Desk, words};
use crate::cli::out::{ENGINE_FAILED, Failure, STOPPED, WRONG_ARGUMENTS, one_line};
use crate::cli::seat::{check_engine, default_model, engine_id};
use crate::cli::stops::Stops;
use crate::cli::words as shared_words;
use crate::model::branch::{Summary, SummarySource, last_words};
use crate::model::id::ConversationId;
use crate::model::project::SeatChoice;
use crate::model::summary::SummarySources;
use crate::model::turn::{TurnFailure, Usage};

/// How much of the last answer is adopted, in Unicode characters.
const LAST_WORDS_CHARS: usize = 300;
/// An agent that reads a long branch takes its time; each part has a limit of its own.
const SUMMARY_LIMIT: Duration = Duration::from_hours(6);

/// A summary, and what it took to get it.
struct Draft {
    summary: Summary,
    request: Option<Arc<SummaryRequest>>,
}

/// `wish`: the branch, the source, and whether nothing is adopted. `text` is the summary in own words.
///
/// # Errors
/// There is no such branch, there is no summary, or the core refuses. Then nothing was adopted.
pub(super) async fn adopt(
    desk: &mut Desk<'_>,
    wish: (ConversationId, &AdoptFrom, bool),
    text: String,
) -> Result<(), Failure> {
    let (branch, from, draft_only) = wish;
    let row = find(desk, branch)?;
    let before = adopted(&row);
    // One that was reactivated may have come to something new.
    if before.is_some() && row.conversation.archived {
        return Err(Failure::usage(format!("Branch {branch}: it has been adopted already.")));
    }
    let draft = match from {
        AdoptFrom::Agent { engine, model } => by_agent(desk, &row, engine.as_deref(), model.clone()).await?,
        AdoptFrom::KeyPositions => said(key_positions(&*sources(desk, branch).await?, branch)?),
        AdoptFrom::LastAnswer => said(last_answer(&*sources(desk, branch).await?, branch)?),
        AdoptFrom::Words(_) => {
            said(Summary { source: SummarySource::Own, written_by: "you".to_owned(), text })
        }
    };
    if draft_only {
        return show_draft(desk, branch, &draft);
    }
    if draft.request.is_some() && !desk.shown.json {
        show_draft(desk, branch, &draft)?;
    }
    let Draft { summary, request } = draft;
    let draft = Draft { summary: summary.clone(), request };
    let adopt = BranchCommand::Adopt { branch, summary };
    let row =
        change(desk, branch, adopt, |row| adopted(row).is_some_and(|card| Some(card) != before)).await?;
    show_adopted(desk, &row, &draft)
}

fn said(summary: Summary) -> Draft {
    Draft { summary, request: None }
}

async fn sources(desk: &mut Desk<'_>, branch: ConversationId) -> Result<Arc<SummarySources>, Failure> {
    desk.front.send(BranchCommand::ReadSources { branch })?;
    let read = desk.front.wait(WRONG_ARGUMENTS, |snapshot| {
        let view = snapshot.summary(branch)?;
        let failed = view
            .error
            .as_ref()
            .map(|why| Err(Failure::database(format!("Branch {branch} cannot be read: {why}"))));
        failed.or_else(|| view.sources.clone().map(Ok))
    });
    read.await?
}

fn nothing_said(branch: ConversationId) -> Failure {
    Failure::usage(format!("No agent has said anything in branch {branch}. Give the summary as a text."))
}

fn last_answer(sources: &SummarySources, branch: ConversationId) -> Result<Summary, Failure> {
    let last = sources.spoken.first().ok_or_else(|| nothing_said(branch))?;
    let text = last_words(&last.text, LAST_WORDS_CHARS);
    Ok(Summary { source: SummarySource::LastAnswer, written_by: last.name.clone(), text })
}

fn key_positions(sources: &SummarySources, branch: ConversationId) -> Result<Summary, Failure> {
    if sources.positions.is_empty() {
        return Err(nothing_said(branch));
    }
    let names: Vec<&str> = sources.spoken.iter().rev().map(|one| one.name.as_str()).collect();
    let text = sources.positions.clone();
    Ok(Summary { source: SummarySource::KeyPositions, written_by: names.join(", "), text })
}

/// Asks, and follows until there is a draft. A stop ends the request, and nothing is adopted.
async fn by_agent(
    desk: &mut Desk<'_>,
    row: &ConversationRow,
    engine: Option<&str>,
    model: Option<String>,
) -> Result<Draft, Failure> {
    let mut stops = Stops::listen()?;
    let branch = row.conversation.id;
    let seat = seat(desk, row, engine, model)?;
    desk.front.send(BranchCommand::Summarise { branch, seat: Some(seat) })?;
    let mut told = 0;
    loop {
        let out = &*desk.shown.out;
        let next = desk.front.wait_up_to(SUMMARY_LIMIT, WRONG_ARGUMENTS, |snapshot| {
            let request = snapshot.summary(branch)?.request.clone()?;
            if request.parts > 1 && request.part != told {
                told = request.part;
                out.note(&part_words(request.part, request.parts));
            }
            (request.state != SummaryState::Running).then_some(request)
        });
        let request = tokio::select! {
            next = next => next?,
            () = stops.asked() => None,
        };
        let Some(request) = request else {
            desk.front.send(BranchCommand::StopSummary { branch })?;
            return Err(Failure::new(STOPPED, "Stopped. Nothing was adopted."));
        };
        return match request.state {
            SummaryState::Done => {
                let text = request.text.clone();
                let summary =
                    Summary { source: SummarySource::Agent, written_by: request.agent.clone(), text };
                Ok(Draft { summary, request: Some(request) })
            }
            SummaryState::Failed => Err(failed(desk, request.failure.as_ref())),
            SummaryState::Stopped => Err(Failure::new(STOPPED, "Stopped. Nothing was adopted.")),
            SummaryState::Running => continue,
        };
    }
}

fn seat(
    desk: &Desk<'_>,
    row: &ConversationRow,
    engine: Option<&str>,
    model: Option<String>,
) -> Result<SeatChoice, Failure> {
    let snapshot = desk.front.app.snapshot();
    let mut seat = row.conversation.seat.clone();
    if let Some(word) = engine {
        let engine = engine_id(word)?;
        check_engine(&snapshot, &engine, &format!("--engine {word}"))?;
        if engine != seat.engine {
            // A model belongs to its engine.
            seat = SeatChoice { model: default_model(&snapshot, &engine), engine, ..seat };
        }
    }
    seat.model = model.or(seat.model);
    Ok(seat)
}

fn failed(desk: &Desk<'_>, failure: Option<&TurnFailure>) -> Failure {
    let (message, hint) =
        failure.map_or(("There is no summary.", ""), |why| (why.message.as_str(), why.hint.as_str()));
    if let Some(detail) = failure.map(|why| why.detail.as_str()).filter(|detail| !detail.is_empty()) {
        desk.shown.out.note(detail);
    }
    let line = format!(
        "Nothing was adopted. {} {} Or adopt the end of the last answer with --last.",
        one_line(message, 300),
        one_line(hint, 200)
    );
    Failure::new(ENGINE_FAILED, one_line(&line, 700))
}

/// `Part 2 of 5`, or that the parts are put together.
fn part_words(part: u32, parts: u32) -> String {
    if part > parts { format!("Putting {parts} parts together") } else { format!("Part {part} of {parts}") }
}

fn show_draft(desk: &mut Desk<'_>, branch: ConversationId, draft: &Draft) -> Result<(), Failure> {
    desk.shown.row(|| draft_json(branch, draft), || draft.summary.text.clone())?;
    if !desk.shown.json
        && let Some(request) = &draft.request
    {
        desk.shown.out.flush()?;
        desk.shown.out.note(&cost_words(request));
    }
    Ok(())
}

fn show_adopted(desk: &mut Desk<'_>, row: &ConversationRow, draft: &Draft) -> Result<(), Failure> {
    if !desk.shown.json {
        return super::branches::show(desk, row);
    }
    let mut value = words::branch(row);
    if let Some(fields) = value.as_object_mut().filter(|_| draft.request.is_some()) {
        fields.insert("summary".to_owned(), draft_json(row.conversation.id, draft));
    }
    desk.shown.out.json(&value)
}

fn draft_json(branch: ConversationId, draft: &Draft) -> Value {
    let Draft { summary, request } = draft;
    let usage = request.as_ref().and_then(|request| request.usage.as_ref());
    json!({
        "branch": branch,
        "source": summary.source.word(),
        "written_by": summary.written_by,
        "text": summary.text,
        "whole_text": request.as_ref().and_then(|request| request.whole.clone()),
        "engine": request.as_ref().map(|request| request.seat.engine.clone()),
        "model": request.as_ref().and_then(|request| request.seat.model.clone()),
        "parts": request.as_ref().map(|request| request.parts),
        "usage": usage.map(shared_words::usage),
    })
}

/// Who wrote it and what it took; what was not told is left out.
fn cost_words(request: &SummaryRequest) -> String {
    let mut parts = vec![format!("Summary by {}", request.agent)];
    if request.parts > 1 {
        parts.push(format!("{} parts", request.parts));
    }
    if let Some(usage) = &request.usage {
        parts.extend(tokens(usage).map(|tokens| format!("{tokens} tokens")));
        let dollars = |usd: f64| if usd < 0.01 { format!("${usd:.4}") } else { format!("${usd:.2}") };
        parts.extend(usage.cost_usd.map(dollars));
    }
    if let Some(whole) = &request.whole {
        parts.push(format!("cut from {} characters (whole with --json)", whole.chars().count()));
    }
    parts.join(", ")
}

fn tokens(usage: &Usage) -> Option<u64> {
    let parts = [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens];
    parts.iter().flatten().copied().reduce(u64::saturating_add)
}
