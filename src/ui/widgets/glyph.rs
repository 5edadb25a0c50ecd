use std::f32::consts::TAU;

use egui::{
    Color32, Context, Id, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use crate::ui::theme::{self, Palette};

/// The states of a conversation, turn, task or tool call, strongest meaning first where one row has several:
/// needs you, failed, running, unread, queued, idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateGlyph {
    /// Something works.
    Running,
    /// The user is asked.
    NeedsYou,
    /// New since the user looked.
    Unread,
    /// Ended well.
    Done,
    /// Ended badly.
    Failed,
    /// Waits its turn.
    Queued,
    /// Partly done.
    InProgress,
    /// Stopped or dropped.
    Stopped,
    /// Nothing to say.
    Idle,
}

/// Seconds of one turn of the running ring.
const TURN_S: f64 = 1.2;
/// Repaint while a ring is visible, 30 per second.
const FRAME: std::time::Duration = std::time::Duration::from_millis(33);
const ARC_POINTS: u16 = 24;

fn motion_id() -> Id {
    Id::unique("reduced motion")
}

/// With reduced motion rings stand still and nothing travels.
pub fn set_reduced_motion(ctx: &Context, reduced: bool) {
    ctx.data_mut(|data| data.insert_temp(motion_id(), reduced));
}

/// Whether motion is reduced.
#[must_use]
pub fn reduced_motion(ctx: &Context) -> bool {
    ctx.data(|data| data.get_temp(motion_id())).unwrap_or(false)
}

impl StateGlyph {
    /// The word that goes with the glyph and names it for assistive tools.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::NeedsYou => "Needs you",
            Self::Unread => "Unread",
            Self::Done => "Done",
            Self::Failed => "Failed",
            Self::Queued => "Queued",
            Self::InProgress => "In progress",
            Self::Stopped => "Stopped",
            Self::Idle => "Idle",
        }
    }

    /// The glyph's colour.
    #[must_use]
    pub fn color(self, p: &Palette) -> Color32 {
        match self {
            Self::Running | Self::Unread | Self::InProgress => p.accent,
            Self::NeedsYou => p.needs,
            Self::Done => p.success,
            Self::Failed => p.error,
            Self::Queued | Self::Stopped | Self::Idle => p.text_3,
        }
    }

    /// Allocates a box of `size` points and draws the glyph with its accessible name.
    pub fn show(self, ui: &mut Ui, size: f32) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, self.word()));
        self.paint(ui, rect.center(), size);
        response
    }

    /// Draws the glyph in a box of `size` points around `center`; 12 is the designed size.
    pub fn paint(self, ui: &Ui, center: Pos2, size: f32) {
        let scale = size / theme::sizes().icon.state;
        let color = self.color(theme::palette(ui));
        let stroke = Stroke::new(theme::sizes().stroke.glyph * scale, color);
        let pen = Pen { ui, center, scale, stroke };
        match self {
            Self::Running => pen.running(),
            Self::NeedsYou => pen.diamond(),
            Self::Unread => pen.dot(3.0),
            Self::Done => pen.done(),
            Self::Failed => pen.failed(),
            Self::Queued => pen.dashed(),
            Self::InProgress => pen.half(),
            Self::Stopped => pen.stopped(),
            Self::Idle => pen.ring(2.0),
        }
    }
}

const RING: f32 = 5.0;

struct Pen<'a> {
    ui: &'a Ui,
    center: Pos2,
    scale: f32,
    stroke: Stroke,
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> Pos2 {
        self.center + vec2(x, y) * self.scale
    }

    fn on_circle(&self, radius: f32, turn: f32) -> Pos2 {
        let angle = turn * TAU;
        self.at(radius * angle.cos(), radius * angle.sin())
    }

    fn line(&self, points: &[(f32, f32)]) {
        let points = points.iter().map(|(x, y)| self.at(*x, *y)).collect();
        self.ui.painter().add(Shape::line(points, self.stroke));
    }

    fn arc(&self, from_turn: f32, turns: f32, points: u16) {
        let step = turns / f32::from(points);
        let points = (0..=points).map(|i| self.on_circle(RING, from_turn + step * f32::from(i))).collect();
        self.ui.painter().add(Shape::line(points, self.stroke));
    }

    fn ring(&self, radius: f32) {
        self.ui.painter().circle_stroke(self.center, radius * self.scale, self.stroke);
    }

    fn dot(&self, radius: f32) {
        self.ui.painter().circle_filled(self.center, radius * self.scale, self.stroke.color);
    }

    fn running(&self) {
        let ctx = self.ui.ctx();
        let mut turn = 0.0;
        let box_ = Rect::from_center_size(self.center, vec2(12.0, 12.0) * self.scale);
        if !reduced_motion(ctx) && self.ui.is_rect_visible(box_) {
            let time = self.ui.input(|input| input.time);
            #[expect(clippy::cast_possible_truncation, reason = "a share of a turn")]
            {
                turn = (time.rem_euclid(TURN_S) / TURN_S) as f32;
            }
            ctx.request_repaint_after(FRAME);
        }
        self.arc(turn - 0.125, 0.75, ARC_POINTS);
    }

    fn diamond(&self) {
        let points = vec![self.at(0.0, -5.5), self.at(5.5, 0.0), self.at(0.0, 5.5), self.at(-5.5, 0.0)];
        self.ui.painter().add(Shape::convex_polygon(points, self.stroke.color, Stroke::NONE));
    }

    fn done(&self) {
        self.ring(RING);
        self.line(&[(-2.2, 0.2), (-0.6, 1.8), (2.4, -1.6)]);
    }

    fn failed(&self) {
        self.ring(RING);
        self.line(&[(-1.8, -1.8), (1.8, 1.8)]);
        self.line(&[(1.8, -1.8), (-1.8, 1.8)]);
    }

    fn dashed(&self) {
        const PIECES: u16 = 8;
        for piece in 0..PIECES {
            self.arc(f32::from(piece) / f32::from(PIECES), 0.4 / f32::from(PIECES), 3);
        }
    }

    fn half(&self) {
        self.ring(RING);
        let half = ARC_POINTS / 2;
        let step = 0.5 / f32::from(half);
        let points = (0..=half).map(|i| self.on_circle(3.6, -0.25 + step * f32::from(i))).collect();
        self.ui.painter().add(Shape::convex_polygon(points, self.stroke.color, Stroke::NONE));
    }

    fn stopped(&self) {
        self.ring(RING);
        self.line(&[(-2.2, 0.0), (2.2, 0.0)]);
    }
}

/// The rectangle's centre at `x` from its left, for glyph columns.
#[must_use]
pub fn column(rect: Rect, x: f32) -> Pos2 {
    pos2(rect.left() + x, rect.center().y)
}
