use egui::{Context, Event, ImeEvent, Key, Plugin, RawInput};

/// Seconds after a commit in which a key still belongs to the input method: some send the key that
/// confirmed a candidate right after the text, in an event of its own.
const COMMIT_GRACE_S: f64 = 0.02;

/// Takes the keys of an input method out of the raw input, for every field at once.
#[derive(Default)]
pub struct ImeGuard {
    composing: bool,
    committed_at_s: Option<f64>,
    later: Vec<Event>,
}

impl Plugin for ImeGuard {
    fn debug_name(&self) -> &'static str {
        "ime guard"
    }

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        if !self.later.is_empty() {
            let newer = std::mem::replace(&mut input.events, std::mem::take(&mut self.later));
            input.events.extend(newer);
        }
        let now_s = input.time.unwrap_or_else(|| ctx.input(|input| input.time));
        self.filter(&mut input.events, now_s);
    }
}

impl ImeGuard {
    /// Removes the keys that belong to the input method.
    ///
    /// A key that precedes a commit in the same frame belongs to it as well: the order of the two differs by system.
    pub(super) fn filter(&mut self, events: &mut Vec<Event>, now_s: f64) {
        let mut active = self.composing;
        let mut touched = self.composing;
        for event in events.iter() {
            match event {
                Event::Ime(ImeEvent::Preedit { text, .. }) => {
                    if text.is_empty() && active {
                        self.committed_at_s = Some(now_s);
                    }
                    active = !text.is_empty();
                    touched |= active;
                }
                Event::Ime(ImeEvent::Commit(text)) => {
                    active = false;
                    if !text.is_empty() {
                        touched = true;
                        self.committed_at_s = Some(now_s);
                    }
                }
                Event::WindowFocused(false) => active = false,
                _ => {}
            }
        }
        let just_committed = self.committed_at_s.is_some_and(|at| now_s - at < COMMIT_GRACE_S);
        if touched || just_committed {
            events.retain(|event| !is_ime_key(event));
        }
        self.composing = active;
    }
}

/// Releases stay: nothing acts on them, and some integrations count them.
fn is_ime_key(event: &Event) -> bool {
    let Event::Key { key, pressed: true, modifiers, .. } = event else { return false };
    let is_key = matches!(
        key,
        Key::Enter
            | Key::Escape
            | Key::Backspace
            | Key::Delete
            | Key::Tab
            | Key::Space
            | Key::ArrowUp
            | Key::ArrowDown
            | Key::ArrowLeft
            | Key::ArrowRight
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
    );
    // Shortcuts act as ever, but sending half a syllable is no shortcut.
    is_key && (!modifiers.command || *key == Key::Enter)
}

/// Adds the guard to a context; further calls do nothing. Call once before the first frame.
pub fn install(ctx: &Context) {
    if ctx.plugin_opt::<ImeGuard>().is_none() {
        ctx.add_plugin(ImeGuard::default());
    }
}

/// Whether an input method composes now.
#[must_use]
pub fn composing(ctx: &Context) -> bool {
    ctx.plugin_opt::<ImeGuard>().is_some_and(|guard| guard.lock().composing)
}

/// Hands events to the next frame, before its own.
pub(super) fn put_back(ctx: &Context, events: Vec<Event>) {
    if let Some(guard) = ctx.plugin_opt::<ImeGuard>() {
        guard.lock().later.extend(events);
        ctx.request_repaint();
    }
}
