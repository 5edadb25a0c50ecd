//! The window in a harness: a real channel for commands, a played machine, a fixed clock.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use egui::{Event, Key, Modifiers, Vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use tokio::sync::{mpsc, watch};
use tunaflow::api::command::Command;
use tunaflow::api::handle::AppHandle;
use tunaflow::api::snapshot::Snapshot;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::host::{Clipboard, DialogAsk, Dialogs, Host, NoNotifier, NoOpener};
use tunaflow::ui::testing::{self, Fixture};
use tunaflow::ui::words::Now;
use tunaflow::ui::{Shell, prepare};

/// What the played machine saw and is to answer.
#[derive(Default)]
pub struct Machine {
    pub copied: Vec<String>,
    pub copy_fails: bool,
    pub asked: Vec<DialogAsk>,
    pub pick: Option<PathBuf>,
    answers: Vec<(DialogAsk, Option<PathBuf>)>,
}

#[derive(Clone, Default)]
struct Played(Rc<RefCell<Machine>>);

impl Clipboard for Played {
    fn copy(&mut self, text: &str) -> Result<(), String> {
        let mut machine = self.0.borrow_mut();
        if machine.copy_fails {
            return Err("The clipboard is busy.".into());
        }
        machine.copied.push(text.to_owned());
        Ok(())
    }
}

impl Dialogs for Played {
    fn open(&mut self, ask: DialogAsk, wake: Box<dyn Fn() + Send>) {
        let mut machine = self.0.borrow_mut();
        machine.asked.push(ask.clone());
        let pick = machine.pick.clone();
        machine.answers.push((ask, pick));
        wake();
    }

    fn poll(&mut self) -> Option<(DialogAsk, Option<PathBuf>)> {
        self.0.borrow_mut().answers.pop()
    }
}

struct App {
    shell: Shell,
    prepared: bool,
}

pub struct Bench {
    harness: Harness<'static, App>,
    inbox: mpsc::Receiver<Command>,
    publish: watch::Sender<Arc<Snapshot>>,
    pub machine: Rc<RefCell<Machine>>,
}

pub const LARGE: Vec2 = Vec2::new(1280.0, 800.0);
pub const SMALL: Vec2 = Vec2::new(900.0, 600.0);

impl Bench {
    /// A fixture by name in a large dark window.
    pub fn of(name: &str) -> Self {
        Self::with(testing::fixture(name), LARGE, ThemeChoice::Dark)
    }

    pub fn with(mut fixture: Fixture, size: Vec2, theme: ThemeChoice) -> Self {
        let mut settings = (*fixture.snap.settings).clone();
        settings.theme = theme;
        fixture.snap.settings = Arc::new(settings);
        let state = fixture.view_state();
        let (commands, inbox) = mpsc::channel(512);
        let (publish, snapshots) = watch::channel(Arc::new(fixture.snap));
        let played = Played::default();
        let host = Host {
            dialogs: Box::new(played.clone()),
            clipboard: Box::new(played.clone()),
            notifier: Box::new(NoNotifier),
            opener: Box::new(NoOpener),
            clock: Box::new(|| -> Now { testing::NOW }),
            home: Some("/home/kim".into()),
        };
        let shell = Shell::new(AppHandle::new(commands, snapshots), host, state, None);
        let harness = Harness::builder().with_size(size).with_step_dt(0.05).build_ui_state(
            |ui, app: &mut App| {
                if !app.prepared {
                    prepare(ui.ctx());
                    app.prepared = true;
                    return;
                }
                app.shell.logic(ui.ctx());
                app.shell.ui(ui);
            },
            App { shell, prepared: false },
        );
        let mut bench = Self { harness, inbox, publish, machine: played.0 };
        bench.steps(4);
        bench
    }

    /// Draws frames of 0.05 s each.
    pub fn steps(&mut self, count: usize) {
        self.harness.run_steps(count);
    }

    /// Waits so many seconds of the window's time.
    pub fn wait(&mut self, secs: f32) {
        self.steps((secs / 0.05).ceil() as usize);
    }

    /// Commands sent since the last call.
    pub fn sent(&mut self) -> Vec<Command> {
        std::iter::from_fn(|| self.inbox.try_recv().ok()).collect()
    }

    /// Publishes a changed snapshot.
    pub fn publish(&mut self, change: impl FnOnce(&mut Snapshot)) {
        let mut snap = (**self.publish.borrow()).clone();
        change(&mut snap);
        snap.revision += 1;
        self.publish.send_replace(Arc::new(snap));
        self.steps(2);
    }

    /// What the window would remember of its branches.
    pub fn shelves(&self) -> Vec<tunaflow::ui::view_state::Shelf> {
        self.harness.state().shell.shelves()
    }

    pub fn route(&self) -> tunaflow::ui::route::Route {
        self.harness.state().shell.route().clone()
    }

    pub fn has(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    pub fn has_part(&self, label: &str) -> bool {
        self.harness.query_all_by_label_contains(label).next().is_some()
    }

    pub fn click(&mut self, label: &str) {
        self.harness.get_by_label(label).click();
        self.steps(3);
    }

    /// The first control whose name contains `label`; the root, after a failed assertion, never.
    fn first<'a>(&'a self, label: &'a str) -> Node<'a> {
        let node = self.harness.query_all_by_label_contains(label).next();
        assert!(node.is_some(), "no control named like {label:?}");
        node.unwrap_or_else(|| self.harness.root())
    }

    /// Clicks the first control whose name contains `label`.
    pub fn click_part(&mut self, label: &str) {
        self.first(label).click();
        self.steps(3);
    }

    pub fn secondary_click_part(&mut self, label: &str) {
        self.first(label).click_secondary();
        self.steps(3);
    }

    pub fn hover_part(&mut self, label: &str) {
        self.first(label).hover();
        self.steps(3);
    }

    pub fn focus(&mut self, label: &str) {
        self.harness.get_by_label(label).focus();
        self.steps(2);
    }

    pub fn is_focused(&self, label: &str) -> bool {
        self.harness.get_by_label(label).is_focused()
    }

    /// Name of the control that has the keyboard.
    pub fn focused_name(&self) -> Option<String> {
        let mut stack: Vec<Node<'_>> = vec![self.harness.root()];
        while let Some(node) = stack.pop() {
            if node.is_focused() {
                return node.accesskit_node().label();
            }
            stack.extend(node.children());
        }
        None
    }

    pub fn value(&self, label: &str) -> String {
        self.harness.get_by_label(label).value().unwrap_or_default()
    }

    pub fn type_text(&mut self, text: &str) {
        self.harness.event(Event::Text(text.to_owned()));
        self.steps(2);
    }

    pub fn event(&mut self, event: Event) {
        self.harness.event(event);
        self.steps(2);
    }

    /// Presses and lets go of a key.
    pub fn key(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.steps(3);
    }

    /// A key that is held down: repeated presses without letting go.
    pub fn hold(&mut self, key: Key, times: usize) {
        for place in 0..times {
            let (physical_key, modifiers) = (None, Modifiers::NONE);
            self.harness.event(Event::Key { key, physical_key, pressed: true, repeat: place > 0, modifiers });
            self.steps(1);
        }
    }

    /// Name, role and rectangle of every control.
    pub fn controls(&self) -> Vec<Control> {
        let mut out = Vec::new();
        let mut stack: Vec<Node<'_>> = vec![self.harness.root()];
        while let Some(node) = stack.pop() {
            let inner = node.accesskit_node();
            let name = inner.label().or_else(|| inner.value()).unwrap_or_default();
            if inner.raw_bounds().is_some() {
                out.push(Control { name, role: inner.role(), rect: node.rect() });
            }
            stack.extend(node.children());
        }
        out
    }

    /// The rectangle of the first control with this name.
    pub fn rect_of(&self, label: &str) -> Option<egui::Rect> {
        self.harness.query_all_by_label(label).next().map(|node| node.rect())
    }

    /// Turns the wheel over the middle of the window; positive shows what is above.
    pub fn scroll(&mut self, points: f32) {
        self.scroll_at(self.harness.ctx.content_rect().center(), points);
    }

    /// Turns the wheel over a place of the window.
    pub fn scroll_at(&mut self, at: egui::Pos2, points: f32) {
        self.harness.event(Event::PointerMoved(at));
        self.harness.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: Vec2::new(0.0, points),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        });
        self.steps(8);
    }

    /// Whether it comes to rest: for two seconds of its time no further frame is asked for.
    ///
    /// Code is coloured by a thread of its own, which asks for one frame whenever it is done; a busy machine takes
    /// long for that. What moves for ever never rests.
    pub fn comes_to_rest(&mut self) -> bool {
        let started = std::time::Instant::now();
        let mut still = 0;
        while still < 40 {
            self.steps(1);
            still = if self.is_idle() { still + 1 } else { 0 };
            if started.elapsed() > std::time::Duration::from_secs(60) {
                return false;
            }
        }
        true
    }

    /// No further frame is asked for.
    fn is_idle(&self) -> bool {
        let output = self.harness.output();
        output
            .viewport_output
            .values()
            .all(|viewport| viewport.repaint_delay > std::time::Duration::from_secs(5))
    }
}

pub struct Control {
    pub name: String,
    pub role: egui::accesskit::Role,
    pub rect: egui::Rect,
}
