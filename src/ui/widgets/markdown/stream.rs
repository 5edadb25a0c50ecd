use std::sync::Arc;

use super::parse::{self, Block};
use super::sanitize::Sanitizer;
use crate::ui::theme::Text;

/// A text that grows: blocks that can no longer change are parsed once and kept, only the tail is parsed again.
///
/// Cost is linear in the text for any size of pieces. The blocks of a finished text do not depend on how it was cut.
#[derive(Clone, Debug, Default)]
pub struct StreamDoc {
    sanitizer: Sanitizer,
    /// Bytes of the raw text taken so far.
    taken: usize,
    /// Ends of the raw text, to notice a text that is not a continuation.
    head: String,
    head_full: bool,
    last: String,
    settled: Vec<Arc<Block>>,
    /// Clean text after the last settled block.
    tail: String,
    /// Length of the tail when blocks were last looked for.
    tried: usize,
    live: Vec<Arc<Block>>,
    /// Bytes of the tail that `live` shows as parsed; the rest follows as plain text.
    parsed: usize,
    /// The revision `live` was made for.
    live_revision: u64,
    fence: Option<Fence>,
    revision: u64,
    heights: Heights,
}

/// Heights of the settled blocks as they were drawn last, so that what is far out of sight is not laid out again.
#[derive(Clone, Debug, Default)]
pub(super) struct Heights {
    /// Width and scale, as bits, and the text step they hold for.
    layout: Option<(u32, u32, Text)>,
    points: Vec<f32>,
}

impl Heights {
    /// Forgets them when they were measured for another layout.
    pub(super) fn fit(&mut self, width: f32, scale: f32, base: Text) {
        let layout = Some((width.to_bits(), scale.to_bits(), base));
        if self.layout != layout {
            self.layout = layout;
            self.points.clear();
        }
    }

    pub(super) fn get(&self, number: usize) -> Option<f32> {
        self.points.get(number).copied()
    }

    /// Blocks are drawn in order, so at most one is new.
    pub(super) fn set(&mut self, number: usize, height: f32) {
        if number == self.points.len() {
            self.points.push(height);
        } else if let Some(known) = self.points.get_mut(number) {
            *known = height;
        }
    }
}

/// An open fence at the start of the tail.
#[derive(Clone, Debug)]
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    info: String,
    /// Bytes of the tail already searched for the closing line.
    searched: usize,
    /// The code so far, whole lines.
    code: String,
}

/// A tail longer than this is searched again only when it has grown by a sixteenth.
const EAGER_TAIL: usize = 8 * 1024;
/// The same for what is shown of it.
const EAGER_LIVE: usize = 64 * 1024;
/// How much of the two ends is compared, bytes.
const PROBE: usize = 256;

impl StreamDoc {
    /// A whole text, finished.
    #[must_use]
    pub fn whole(text: &str) -> Self {
        let mut doc = Self::default();
        doc.push(text);
        doc.finish();
        doc
    }

    /// Takes the whole text so far. A continuation costs only what is new; any other text starts over.
    /// Continuation is judged by the length and 256 bytes on both ends of what was there before.
    pub fn update(&mut self, text: &str) {
        let known = text.get(..self.taken);
        let same = known.is_some_and(|known| known.starts_with(&self.head) && known.ends_with(&self.last));
        if !same {
            *self = Self { revision: self.revision, ..Self::default() };
        }
        let from = self.taken;
        if let Some(new) = text.get(from..) {
            self.push(new);
        }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        self.remember(piece);
        self.sanitizer.push(piece, &mut self.tail);
        self.revision += 1;
        self.advance(false);
    }

    /// No more text comes: everything settles.
    pub fn finish(&mut self) {
        self.advance(true);
        self.revision += 1;
    }

    /// Blocks that will not change any more.
    #[must_use]
    pub fn settled(&self) -> &[Arc<Block>] {
        &self.settled
    }

    /// Blocks of the tail, which still change; parsed now if the text grew since the last call.
    pub fn live(&mut self) -> &[Arc<Block>] {
        if self.live_revision != self.revision {
            self.live_revision = self.revision;
            self.refresh_live();
        }
        &self.live
    }

    /// All blocks from top to bottom.
    pub fn blocks(&mut self) -> Vec<Arc<Block>> {
        let live = self.live().to_vec();
        self.settled.iter().cloned().chain(live).collect()
    }

    /// Settled blocks, blocks of the tail, and the heights of the settled ones.
    pub(super) fn parts(&mut self) -> (&[Arc<Block>], &[Arc<Block>], &mut Heights) {
        self.live();
        (&self.settled, &self.live, &mut self.heights)
    }

    /// Grows with every change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn remember(&mut self, piece: &str) {
        self.taken += piece.len();
        if !self.head_full {
            let room = floor(piece, PROBE.saturating_sub(self.head.len()));
            self.head.push_str(piece.get(..room).unwrap_or_default());
            // A letter that does not fit closes the probe, so that it stays a prefix.
            if room < piece.len() {
                self.head_full = true;
            }
        }
        self.last.push_str(piece);
        if self.last.len() > PROBE * 4 {
            let cut = ceil(&self.last, self.last.len() - PROBE);
            self.last.drain(..cut);
        }
    }

    fn advance(&mut self, finished: bool) {
        loop {
            let again =
                if self.fence.is_some() { self.advance_fence(finished) } else { self.advance_text(finished) };
            if !again {
                return;
            }
        }
    }

    /// Looks for the end of the open fence; true when it was found and text follows.
    fn advance_fence(&mut self, finished: bool) -> bool {
        let Some(fence) = &mut self.fence else { return false };
        while let Some(line_end) = self.tail.get(fence.searched..).and_then(|rest| rest.find('\n')) {
            let end = fence.searched + line_end + 1;
            let line = self.tail.get(fence.searched..end).unwrap_or_default();
            if fence.closes(line) {
                self.settle(end);
                return !self.tail.is_empty();
            }
            fence.code.push_str(fence.strip(line));
            fence.searched = end;
        }
        if finished {
            self.settle(self.tail.len());
        }
        false
    }

    /// Settles what it can; true when an open fence was found at the start of the tail.
    fn advance_text(&mut self, finished: bool) -> bool {
        let grown = self.tail.len().saturating_sub(self.tried);
        let new_line = self.tail.get(self.tried..).is_none_or(|new| new.contains('\n'));
        let due = new_line && (self.tail.len() < EAGER_TAIL || grown * 16 >= self.tail.len());
        if self.tail.is_empty() || !(finished || due) {
            return false;
        }
        let complete = if finished { self.tail.len() } else { self.tail.rfind('\n').map_or(0, |at| at + 1) };
        let ranges = parse::top_level(self.tail.get(..complete).unwrap_or_default());
        let stable = if finished { ranges.len() } else { ranges.len().saturating_sub(1) };
        for range in ranges.iter().take(stable) {
            self.settle_range(range.clone());
        }
        let open_from = ranges.get(stable).map_or(0, |range| range.start);
        let cut = if finished { complete } else { open_from };
        self.tail.drain(..cut);
        self.tried = self.tail.len();
        self.parsed = 0;
        self.fence = if finished { None } else { Fence::open(&self.tail) };
        self.fence.is_some()
    }

    fn refresh_live(&mut self) {
        let grown = self.tail.len().saturating_sub(self.parsed);
        let due = self.parsed == 0 || self.tail.len() < EAGER_LIVE || grown * 16 >= self.tail.len();
        if let Some(fence) = &self.fence {
            let partial = self.tail.get(fence.searched..).unwrap_or_default();
            let shown = if fence.may_close(partial) { "" } else { fence.strip(partial) };
            let code = format!("{}{shown}", fence.code);
            self.live = vec![Arc::new(Block::code(&fence.info, &code))];
        } else if due {
            let shown = self.tail.get(..held_back(&self.tail)).unwrap_or_default();
            let sources = parse::top_level(shown).into_iter().filter_map(|range| shown.get(range));
            self.live = sources.map(|source| Arc::new(Block::parse(source))).collect();
            self.parsed = self.tail.len();
        } else {
            let rest = self.tail.get(self.parsed..).unwrap_or_default();
            self.live.retain(|block| !block.rest);
            self.live.push(Arc::new(Block::plain(rest)));
        }
    }

    fn settle(&mut self, end: usize) {
        self.settle_range(0..end);
        self.tail.drain(..end);
        self.fence = None;
        self.tried = 0;
        self.parsed = 0;
    }

    fn settle_range(&mut self, range: std::ops::Range<usize>) {
        let source = self.tail.get(range).unwrap_or_default().trim_start_matches('\n');
        if source.trim().is_empty() {
            return;
        }
        let block = Block::parse(source);
        if !block.leaves.is_empty() {
            self.settled.push(Arc::new(block));
        }
    }
}

impl Fence {
    /// The open fence a tail begins with; the opening line must be complete.
    fn open(tail: &str) -> Option<Self> {
        let blank = tail.len() - tail.trim_start_matches('\n').len();
        let (line, _) = tail.get(blank..)?.split_once('\n')?;
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = body.chars().take_while(|c| *c == mark).count();
        let info = body.get(length..)?.trim();
        if indent > 3 || length < 3 || (mark == '`' && info.contains('`')) {
            return None;
        }
        let searched = blank + line.len() + 1;
        Some(Self { mark, length, indent, info: info.to_owned(), searched, code: String::new() })
    }

    fn closes(&self, line: &str) -> bool {
        let body = line.trim_end_matches(['\n', ' ', '\t']).trim_start_matches(' ');
        let indent = line.len() - line.trim_start_matches(' ').len();
        indent <= 3 && body.len() >= self.length && body.chars().all(|c| c == self.mark)
    }

    /// Whether a line that is not complete may become the closing one.
    fn may_close(&self, line: &str) -> bool {
        let body = line.trim_matches(' ');
        !body.is_empty() && body.chars().all(|c| c == self.mark)
    }

    fn strip<'a>(&self, line: &'a str) -> &'a str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        line.get(spaces.min(self.indent)..).unwrap_or(line)
    }
}

/// Bytes of the tail to show: a last line that may become a fence waits until it is complete, so that nothing
/// is drawn as text and then turns into code.
fn held_back(tail: &str) -> usize {
    let start = tail.rfind('\n').map_or(0, |at| at + 1);
    let line = tail.get(start..).unwrap_or_default().trim_start_matches([' ', '>', '-', '*', '+']);
    let first_is_mark = line.starts_with('`') || line.starts_with('~');
    let only_marks = line.chars().all(|c| c == '`' || c == '~');
    let opens = line.starts_with("```") || line.starts_with("~~~");
    if (first_is_mark && only_marks) || opens { start } else { tail.len() }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
