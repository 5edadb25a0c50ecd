use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};

use egui::{Color32, Context};
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

use crate::ui::theme::Palette;

/// The classes code is coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SynClass {
    /// Anything else.
    Plain,
    /// Keywords.
    Key,
    /// Strings.
    Str,
    /// Numbers and constants.
    Num,
    /// Function names.
    Fn,
    /// Types.
    Type,
    /// Comments.
    Com,
}

impl SynClass {
    /// Colour of the class.
    #[must_use]
    pub fn color(self, p: &Palette) -> Color32 {
        match self {
            Self::Plain => p.text_1,
            Self::Key => p.syn_key,
            Self::Str => p.syn_str,
            Self::Num => p.syn_num,
            Self::Fn => p.syn_fn,
            Self::Type => p.syn_type,
            Self::Com => p.syn_com,
        }
    }
}

/// A stretch of code of one class, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Length in bytes.
    pub bytes: usize,
    /// Its class.
    pub class: SynClass,
}

struct Job {
    key: u64,
    lang: String,
    text: Arc<str>,
    ctx: Context,
}

type Done = (u64, Arc<[Span]>);

/// Colours code on a thread of its own, each settled block once. The grammars are loaded there too.
#[derive(Default)]
pub(super) struct Highlighter {
    worker: Option<(SyncSender<Job>, Receiver<Done>)>,
    failed: bool,
    asked: HashSet<u64>,
    done: HashMap<u64, Arc<[Span]>>,
}

/// Longer code stays plain, bytes.
const CODE_MOST: usize = 100 * 1024;
const QUEUE: usize = 64;
/// Unused grammars, megabytes, are kept so long; to read them again takes a fraction of a second.
const KEEP_GRAMMARS: std::time::Duration = std::time::Duration::from_secs(4);
/// Blocks whose colours are kept; beyond it all are forgotten and those in view are made again.
const KEEP: usize = 2_000;

impl Highlighter {
    /// The colours of a block, if they are ready; asks for them otherwise.
    pub(super) fn spans(
        &mut self,
        ctx: &Context,
        key: u64,
        lang: &str,
        text: &Arc<str>,
    ) -> Option<Arc<[Span]>> {
        if key == 0 || lang.is_empty() || text.len() > CODE_MOST {
            return None;
        }
        self.collect();
        if let Some(spans) = self.done.get(&key) {
            return Some(Arc::clone(spans));
        }
        if !self.asked.contains(&key) {
            self.ask(ctx, key, lang, text);
        }
        None
    }

    fn collect(&mut self) {
        let Some((_, results)) = &self.worker else { return };
        while let Ok((key, spans)) = results.try_recv() {
            if self.done.len() >= KEEP {
                self.done.clear();
                self.asked.clear();
            }
            // A copy of this thread's: what the worker made lies among its grammars and would keep their memory.
            self.done.insert(key, Arc::from(&*spans));
        }
    }

    fn ask(&mut self, ctx: &Context, key: u64, lang: &str, text: &Arc<str>) {
        if self.worker.is_none() && !self.failed {
            self.worker = start();
            self.failed = self.worker.is_none();
        }
        let Some((jobs, _)) = &self.worker else { return };
        let job = Job { key, lang: lang.to_owned(), text: Arc::clone(text), ctx: ctx.clone() };
        match jobs.try_send(job) {
            Ok(()) => {
                self.asked.insert(key);
            }
            // The worker asks for a repaint after each block, and then there is room.
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => {
                self.worker = None;
                self.failed = true;
            }
        }
    }
}

fn start() -> Option<(SyncSender<Job>, Receiver<Done>)> {
    let (jobs, inbox) = sync_channel::<Job>(QUEUE);
    let (outbox, results) = sync_channel::<Done>(QUEUE * 2);
    let thread = std::thread::Builder::new().name("highlight".to_owned());
    let started = thread.spawn(move || {
        let mut grammars = None;
        while let Some(job) = next(&inbox, &mut grammars) {
            let set = grammars.get_or_insert_with(two_face::syntax::extra_newlines);
            let spans = highlight(set, &job.lang, &job.text).unwrap_or_default();
            if outbox.send((job.key, spans.into())).is_err() {
                return;
            }
            job.ctx.request_repaint();
        }
    });
    started.is_ok().then_some((jobs, results))
}

/// The next job, `None` at the end. Lets the grammars go when none comes for a while.
fn next(inbox: &Receiver<Job>, grammars: &mut Option<SyntaxSet>) -> Option<Job> {
    if grammars.is_some() {
        match inbox.recv_timeout(KEEP_GRAMMARS) {
            Ok(job) => return Some(job),
            Err(RecvTimeoutError::Timeout) => *grammars = None,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    inbox.recv().ok()
}

/// Names in fences that grammars know by another one.
const NAMES: [(&str, &str); 14] = [
    ("shell", "sh"),
    ("console", "sh"),
    ("shellsession", "sh"),
    ("zsh", "sh"),
    ("golang", "go"),
    ("c++", "cpp"),
    ("c#", "cs"),
    ("csharp", "cs"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("yml", "yaml"),
    ("jsx", "js"),
    ("patch", "diff"),
    ("docker", "dockerfile"),
];

/// Parses code with the grammar its language names; `None` if there is none.
fn highlight(set: &SyntaxSet, lang: &str, text: &str) -> Option<Vec<Span>> {
    let lang = NAMES.iter().find(|(name, _)| *name == lang).map_or(lang, |(_, known)| *known);
    let syntax = set.find_syntax_by_token(lang)?;
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut spans: Vec<Span> = Vec::new();
    for line in text.split_inclusive('\n') {
        let ops = state.parse_line(line, set).ok()?;
        let mut from = 0;
        for (at, op) in ops {
            add(&mut spans, at.saturating_sub(from), &stack);
            from = from.max(at);
            stack.apply(&op).ok()?;
        }
        add(&mut spans, line.len().saturating_sub(from), &stack);
    }
    Some(spans)
}

fn add(spans: &mut Vec<Span>, bytes: usize, stack: &ScopeStack) {
    if bytes == 0 {
        return;
    }
    let class = class_of(stack);
    match spans.last_mut() {
        Some(last) if last.class == class => last.bytes += bytes,
        _ => spans.push(Span { bytes, class }),
    }
}

/// Prefixes of scope names and their class; the innermost scope that matches decides.
const SCOPES: [(&str, SynClass); 20] = [
    ("comment", SynClass::Com),
    ("punctuation.definition.comment", SynClass::Com),
    ("string", SynClass::Str),
    ("constant.character.escape", SynClass::Num),
    ("constant.numeric", SynClass::Num),
    ("constant.language", SynClass::Num),
    ("constant", SynClass::Num),
    ("keyword.operator", SynClass::Plain),
    ("keyword", SynClass::Key),
    ("storage.type.function", SynClass::Key),
    ("storage", SynClass::Key),
    ("entity.name.function", SynClass::Fn),
    ("support.function", SynClass::Fn),
    ("variable.function", SynClass::Fn),
    ("entity.name.tag", SynClass::Key),
    ("entity.name", SynClass::Type),
    ("support.type", SynClass::Type),
    ("support.class", SynClass::Type),
    ("entity.other.inherited-class", SynClass::Type),
    ("entity.other.attribute-name", SynClass::Fn),
];

fn class_of(stack: &ScopeStack) -> SynClass {
    for scope in stack.as_slice().iter().rev() {
        let name = scope.build_string();
        if name.starts_with("meta.interpolation") {
            return SynClass::Plain;
        }
        if let Some((_, class)) = SCOPES.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            return *class;
        }
    }
    SynClass::Plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_falls_into_the_classes_and_keeps_its_length() {
        let set = two_face::syntax::extra_newlines();
        let cases = [
            ("rust", "const GRACE: u64 = 10; // s\nfn f() {}\n", "const", SynClass::Key),
            ("rust", "const GRACE: u64 = 10; // s\nfn f() {}\n", "// s", SynClass::Com),
            ("rust", "fn f() {}\n", "f", SynClass::Fn),
            ("python", "x = \"hi\"\n", "\"hi\"", SynClass::Str),
            ("toml", "a = 12\n", "12", SynClass::Num),
            ("ts", "let a = 1;\n", "let", SynClass::Key),
        ];
        for (lang, text, part, class) in cases {
            let spans = highlight(&set, lang, text).unwrap();
            assert_eq!(spans.iter().map(|span| span.bytes).sum::<usize>(), text.len());
            let mut from = 0;
            let found = spans.iter().any(|span| {
                let own = text.get(from..from + span.bytes).unwrap();
                from += span.bytes;
                own.contains(part) && span.class == class
            });
            assert!(found, "{lang}: {part} in {spans:?}");
        }
        assert_eq!(highlight(&set, "no such language", "x"), None);
    }
}
