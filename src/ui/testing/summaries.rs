//! Summaries of a branch on their way, for the sheet in which it is adopted.

use std::sync::Arc;

use crate::api::snapshot::Snapshot;
use crate::api::summary::{SummaryRequest, SummaryState, SummaryView};
use crate::model::engine::EngineId;
use crate::model::positions::{Spoken, key_positions};
use crate::model::project::SeatChoice;
use crate::model::summary::SummarySources;
use crate::model::turn::{FailureKind, TurnFailure, Usage};

use super::branches::PKCE;

const ENGLISH: &str = "**Write PKCE ourselves, without a library.**\n\nWhy: 92 lines against 34 lines plus 11 dependencies. The only hard part, a constant-time comparison, exists in `crypto/ct.rs`.\n\nRejected: a cookie for the verifier. It is lost when the app is closed between the two requests.\n\nOpen: how long an unused verifier is kept.";
const KOREAN: &str = "**라이브러리 없이 PKCE를 직접 구현한다.**\n\n이유: 34줄과 의존성 11개 대신 92줄이면 된다. 유일하게 까다로운 상수 시간 비교는 `crypto/ct.rs`에 이미 있다.\n\n제외한 방법: verifier를 쿠키에 저장하기. 두 요청 사이에 앱이 닫히면 사라진다.\n\n남은 점: 쓰지 않은 verifier를 얼마나 보관할지.";

/// A request of this state, asked of the branch's own agent.
#[must_use]
pub fn request(state: SummaryState) -> SummaryRequest {
    SummaryRequest {
        seat: SeatChoice::new(EngineId::new("claude")),
        agent: "Claude Code".into(),
        state,
        part: 1,
        parts: 1,
        text: String::new(),
        whole: None,
        usage: None,
        failure: None,
        outdated: false,
    }
}

fn used(input: u64, output: u64, cost: f64) -> Usage {
    Usage { input_tokens: Some(input), output_tokens: Some(output), cost_usd: Some(cost), ..Usage::default() }
}

/// The request of a fixture; `None` when nobody was asked.
fn asked(name: &str) -> Option<SummaryRequest> {
    Some(match name {
        "adopt-sheet-running" => SummaryRequest {
            part: 2,
            parts: 5,
            text: "**Write PKCE ourselves, without a library.**\n\nWhy: 92 lines against 34 lines plus 11 dependencies. The only hard".into(),
            usage: Some(used(41_200, 320, 0.18)),
            ..request(SummaryState::Running)
        },
        "adopt-sheet-draft" => SummaryRequest {
            text: ENGLISH.into(),
            whole: Some(format!("{ENGLISH}\n\n{}", "The rest of what it wrote goes on and on. ".repeat(30).trim_end())),
            usage: Some(used(5_900, 310, 0.031)),
            outdated: true,
            ..request(SummaryState::Done)
        },
        "adopt-sheet-korean" => SummaryRequest {
            text: KOREAN.into(),
            usage: Some(used(5_900, 310, 0.031)),
            ..request(SummaryState::Done)
        },
        "adopt-sheet-failed" => SummaryRequest {
            failure: Some(TurnFailure {
                kind: FailureKind::PlanLimit,
                message: "Claude Code reached its weekly limit. It resets on Thursday at 09:00.".into(),
                hint: "Wait until then, or ask another agent.".into(),
                detail: String::new(),
                resets_at_ms: None,
            }),
            ..request(SummaryState::Failed)
        },
        _ => return None,
    })
}

/// Puts what could be adopted into the snapshot.
pub fn put(snap: &mut Snapshot, request: Option<SummaryRequest>) {
    let spoken = vec![
        Spoken {
            name: "Architect Claude".into(),
            text: "Both work. Writing it ourselves is smaller and has no transitive dependencies.\n\nI lean to own code: the only hard part is a constant-time comparison, and we have that already in `crypto/ct.rs`.".into(),
        },
        Spoken {
            name: "Developer Codex".into(),
            text: "34 lines against 92, see `auth/pkce.rs`. The library pulls in v0.9 of ring, e.g. for its random numbers.".into(),
        },
    ];
    let oldest_first: Vec<Spoken> = spoken.iter().rev().cloned().collect();
    let sources = SummarySources { positions: key_positions(&oldest_first), spoken };
    let view = SummaryView {
        branch: PKCE,
        sources: Some(Arc::new(sources)),
        error: None,
        request: request.map(Arc::new),
    };
    snap.summaries = Arc::from([Arc::new(view)]);
}

/// The fixture of that name.
pub fn show(snap: &mut Snapshot, name: &str) {
    put(snap, asked(name));
}
