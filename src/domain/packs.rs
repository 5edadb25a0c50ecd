//! Packs to look at: the preview of the next message, the one of a sent message, a second one to compare.
//!
//! While one preview is assembled only the newest wish waits; those between are never made.

use std::sync::Arc;

use crate::api::command::PackSource;
use crate::api::snapshot::PackView;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::AppState;
use crate::model::id::{ConversationId, TurnId};
use crate::model::pack::ContextPack;
use crate::model::project::SeatChoice;
use crate::model::record::StoreWrite;
use crate::model::skill::SkillSuggestion;

/// What a preview is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::domain) struct Asked {
    pub seat: SeatChoice,
    pub prompt: String,
}

/// A pack that was assembled to be looked at, or why it was not.
pub(in crate::domain) struct Made {
    pub asked: Asked,
    /// To be held against another.
    pub compare: bool,
    pub result: Result<ContextPack, String>,
}

impl AppState {
    pub(in crate::domain) fn preview(&mut self, id: ConversationId, prompt: String, out: &mut Vec<Effect>) {
        let Some(state) = self.conversations.get(&id) else { return };
        let asked = Asked { seat: state.row.seat.clone(), prompt };
        let Some(view) = self.view_mut(id) else { return self.assemble(id, asked, false, out) };
        if view.preview_running.is_some() {
            view.preview_next = Some(asked);
            return;
        }
        view.preview_running = Some(asked.clone());
        self.assemble(id, asked, false, out);
    }

    fn assemble(&self, conversation: ConversationId, asked: Asked, compare: bool, out: &mut Vec<Effect>) {
        let Some(state) = self.conversations.get(&conversation) else { return };
        let project = state.row.project;
        let Asked { seat, prompt } = asked;
        if !compare {
            out.push(Effect::SuggestSkills { project, conversation, prompt: prompt.clone() });
        }
        let budget_chars = self.budget_chars(conversation);
        out.push(Effect::Preview { project, conversation, seat, prompt, budget_chars, compare });
    }

    pub(in crate::domain) fn preview_made(
        &mut self,
        id: ConversationId,
        made: Made,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Made { asked, compare, result } = made;
        if compare {
            return self.compare_made(id, asked, result, cx);
        }
        let next = self.view_mut(id).and_then(|view| {
            view.preview_running = view.preview_next.take();
            view.preview_running.clone()
        });
        if let Some(next) = next {
            self.assemble(id, next, false, out);
        }
        match result {
            Ok(pack) => {
                let shown = Arc::new(asked.shown(pack));
                self.change_view(id, |view| view.preview = Some(shown));
            }
            Err(why) => self.trouble("The context cannot be assembled".into(), why, cx),
        }
    }

    fn compare_made(
        &mut self,
        id: ConversationId,
        asked: Asked,
        result: Result<ContextPack, String>,
        cx: &mut Cx<'_>,
    ) {
        let wanted = |source: &PackSource| match source {
            PackSource::Seat { seat, text } => **seat == asked.seat && *text == asked.prompt,
            PackSource::Turn(_) => false,
        };
        let is_wanted =
            self.view_mut(id).is_some_and(|view| view.compare_wanted.as_ref().is_some_and(wanted));
        if !is_wanted {
            return;
        }
        match result {
            Ok(pack) => {
                let shown = Arc::new(asked.shown(pack));
                self.change_view(id, |view| view.compared = Some(shown));
            }
            Err(why) => self.trouble("The second context cannot be assembled".into(), why, cx),
        }
    }

    /// For the newest text only: what fits an older one would come and go while the user types.
    pub(in crate::domain) fn suggested(
        &mut self,
        id: ConversationId,
        prompt: &str,
        suggestions: Vec<SkillSuggestion>,
    ) {
        let Some(view) = self.view_mut(id) else { return };
        let newest = view.preview_next.as_ref().or(view.preview_running.as_ref()).map(|asked| &asked.prompt);
        let newest = newest.or(view.preview.as_ref().map(|shown| &shown.prompt));
        if newest.is_some_and(|newest| newest != prompt) || *view.suggestions == *suggestions {
            return;
        }
        self.change_view(id, |view| view.suggestions = suggestions.into());
    }

    /// A pack that still waits to be written is shown at once: a reader of the store would not see it yet.
    pub(in crate::domain) fn load_pack(
        &mut self,
        conversation: ConversationId,
        turn: TurnId,
        out: &mut Vec<Effect>,
    ) {
        if let Some(view) = self.view_mut(conversation) {
            view.sent_wanted = Some(turn);
        }
        self.read_pack(conversation, turn, out);
    }

    pub(in crate::domain) fn compare_pack(
        &mut self,
        conversation: ConversationId,
        with: PackSource,
        out: &mut Vec<Effect>,
    ) {
        let Some(view) = self.view_mut(conversation) else { return };
        view.compare_wanted = Some(with.clone());
        match with {
            PackSource::Turn(turn) => self.read_pack(conversation, turn, out),
            PackSource::Seat { seat, text } => {
                self.assemble(conversation, Asked { seat: *seat, prompt: text }, true, out);
            }
        }
    }

    fn read_pack(&mut self, conversation: ConversationId, turn: TurnId, out: &mut Vec<Effect>) {
        let unwritten = self.unwritten().find_map(|write| match write {
            StoreWrite::PutPack { turn: of, pack, .. } if *of == turn => Some((**pack).clone()),
            _ => None,
        });
        match unwritten {
            Some(pack) => self.show_sent(conversation, turn, pack),
            None => out.push(Effect::LoadPack { conversation, turn }),
        }
    }

    pub(in crate::domain) fn pack_loaded(
        &mut self,
        conversation: ConversationId,
        turn: TurnId,
        result: Result<Option<ContextPack>, String>,
        cx: &mut Cx<'_>,
    ) {
        match result {
            Ok(Some(pack)) => self.show_sent(conversation, turn, pack),
            Ok(None) => {
                let body = "No context was kept for this message.".into();
                self.trouble("No context to show".into(), body, cx);
            }
            Err(why) => self.trouble("The context cannot be read".into(), why, cx),
        }
    }

    fn show_sent(&mut self, conversation: ConversationId, turn: TurnId, pack: ContextPack) {
        let shown = Arc::new(PackView { turn: Some(turn), seat: None, prompt: String::new(), pack });
        self.change_view(conversation, |view| {
            if view.compare_wanted == Some(PackSource::Turn(turn)) {
                view.compared = Some(shown.clone());
            }
            if view.sent_wanted == Some(turn) {
                view.sent_pack = Some(shown);
            }
        });
    }
}

impl Asked {
    fn shown(self, pack: ContextPack) -> PackView {
        PackView { turn: None, seat: Some(self.seat), prompt: self.prompt, pack }
    }
}
