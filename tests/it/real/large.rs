//! Large contexts: what we say was sent is what the model reads, to the last character.

use tunaflow::api::command::ChatCommand;
use tunaflow::context::render;
use tunaflow::model::id::ConversationId;
use tunaflow::model::pack::SectionId;

use super::Bench;
use crate::support::app::seat;
use crate::support::clis::Engine;
use crate::support::model_server::digest_line;

/// Over 200 KB of two alphabets, with everything a shell or a template might trip over. Magic words stand in
/// its middle; only the last line counts.
fn big_prompt(last_line: &str) -> String {
    let line = "HANG 이전 대화의 한 줄 👨\u{200d}👩\u{200d}👧 \"quoted\" $HOME `x` \\n <tag> {{brace}} & an ASCII tail\n";
    let text = line.repeat(200 * 1024 / line.len() + 1);
    format!("{text}---\n{last_line}")
}

/// In a session that goes on, the prompt goes out as it is.
pub fn a_big_prompt_arrives_whole(bench: &Bench, id: ConversationId) {
    let prompt = big_prompt("kestrel-four ECHO");
    let said = bench.said(id, &prompt);
    let pack = bench.sent_pack(id);
    let sent = render(&pack, &prompt, false, false).user;
    let wanted = digest_line("user", &sent);
    assert!(said.contains(&wanted), "{:?}: {wanted}\n{said}", bench.engine);
    assert!(bench.last_request().user_text == sent, "{:?} changed the text", bench.engine);
}

/// A long talk with another engine is handed over whole: in the system prompt where the engine takes one
/// apart, else before the prompt.
fn handover(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let budget_chars = 300_000;
    let id = bench.conversation();
    let own_seat = bench.app.view(id).row.conversation.seat.clone();
    let first = bench.app.script("{\"echo\":true}");
    bench.app.send(ChatCommand::SetSeat { conversation: id, seat: seat(&first) });
    bench.app.send(ChatCommand::SetBudget { conversation: id, budget_chars: Some(budget_chars) });
    for number in 0..8 {
        let words = format!("part {number} 이전 대화의 한 줄과 some ASCII words.\n").repeat(300);
        bench.app.ask(id, &words);
    }
    bench.app.send(ChatCommand::SetSeat { conversation: id, seat: own_seat });
    let prompt = big_prompt("kestrel-five ECHO");
    let said = bench.said(id, &prompt);
    let pack = bench.sent_pack(id);
    let recent = pack.sections.iter().find(|section| section.id == SectionId::Recent);
    let recent = recent.unwrap_or_else(|| panic!("{:?}", pack.report));
    assert!(recent.text.len() > 100_000, "{} bytes; {:?}", recent.text.len(), pack.report);

    let apart = engine == Engine::Claude;
    let sent = render(&pack, &prompt, apart, true);
    assert!(said.contains(&digest_line("user", &sent.user)), "{engine:?}: {said}");
    let request = bench.last_request();
    assert!(request.user_text == sent.user, "{engine:?} changed the text");
    assert_eq!(sent.system.is_some(), apart);
    if let Some(system) = sent.system {
        assert!(request.system_text.contains(&system), "the system prompt lacks what was sent");
        assert!(said.contains(&digest_line("system", &request.system_text)), "{said}");
    }
}

#[test]
fn handover_to_claude() {
    handover(Engine::Claude);
}

#[test]
fn handover_to_codex() {
    handover(Engine::Codex);
}
