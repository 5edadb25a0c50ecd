//! Text of messages as Markdown, parsed once per change; of a running answer only the tail is parsed again.

use std::collections::HashMap;

use egui::Ui;

use crate::model::id::MessageId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::Text;
use crate::ui::widgets::markdown::{Action, Markdown, StreamDoc};

/// Parsed texts by message and place of the item in it.
#[derive(Default)]
pub struct Texts {
    markdown: Markdown,
    docs: HashMap<MessageId, Docs>,
    frame: u64,
}

#[derive(Default)]
struct Docs {
    items: Vec<Option<Doc>>,
    drawn: u64,
}

struct Doc {
    doc: StreamDoc,
    revision: u32,
    bytes: usize,
    finished: bool,
}

/// Which text of which state of a message.
#[derive(Clone, Copy)]
pub struct TextKey {
    pub message: MessageId,
    /// Place of the item in the message.
    pub place: usize,
    pub revision: u32,
    /// More text may come.
    pub live: bool,
    /// The message as a whole is still being written.
    pub streaming: bool,
}

/// Messages kept parsed, and for how many frames after they were last drawn once there are more.
const KEEP: usize = 64;
const KEEP_FRAMES: u64 = 30;

impl Texts {
    /// Draws one text over the width there is.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, key: TextKey, text: &str) {
        let docs = self.docs.entry(key.message).or_default();
        docs.drawn = self.frame;
        if docs.items.len() <= key.place {
            docs.items.resize_with(key.place + 1, || None);
        }
        let Some(slot) = docs.items.get_mut(key.place) else { return };
        let doc = slot.get_or_insert_with(|| Doc {
            doc: StreamDoc::default(),
            revision: u32::MAX,
            bytes: 0,
            finished: false,
        });
        doc.take(key, text);
        let action =
            ui.push_id(("text", key.place), |ui| self.markdown.show(ui, &mut doc.doc, Text::Read)).inner;
        if let Some(Action::Open(url)) = action {
            cx.ask(Request::Open(url));
        }
    }

    /// Forgets texts that were not drawn for a while.
    pub fn tidy(&mut self) {
        self.frame += 1;
        if self.docs.len() > KEEP {
            let frame = self.frame;
            self.docs.retain(|_, docs| docs.drawn + KEEP_FRAMES > frame);
        }
    }
}

impl Doc {
    fn take(&mut self, key: TextKey, text: &str) {
        // Within a running answer an earlier text is complete: its length tells whether it changed.
        let same =
            self.finished && self.bytes == text.len() && (key.streaming || self.revision == key.revision);
        if same && !key.live {
            return;
        }
        if key.live {
            if self.revision == key.revision && !self.finished {
                return;
            }
            self.doc.update(text);
            self.finished = false;
        } else {
            self.doc = StreamDoc::whole(text);
            self.finished = true;
        }
        self.revision = key.revision;
        self.bytes = text.len();
    }
}
