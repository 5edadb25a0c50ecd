//! The parts of the window, for moving the keyboard between them with F6.

use egui::{Context, Id};

use crate::ui::cx::DeskAt;

/// A part of the window, in the order of F6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    Sidebar,
    Header,
    Content,
    Question,
    Composer,
    /// The branch beside the conversation, or the left column of a comparison.
    Branch,
    /// The right column of a comparison.
    Right,
    Status,
}

impl Region {
    /// Where a desk has its composer.
    #[must_use]
    pub fn composer(desk: DeskAt) -> Self {
        match desk {
            DeskAt::Main => Self::Composer,
            DeskAt::Drawer | DeskAt::Left => Self::Branch,
            DeskAt::Right => Self::Right,
        }
    }

    /// Where a desk has its question.
    #[must_use]
    pub fn question(desk: DeskAt) -> Self {
        if desk == DeskAt::Main { Self::Question } else { Self::composer(desk) }
    }
}

const ORDER: [Region; 8] = [
    Region::Sidebar,
    Region::Header,
    Region::Content,
    Region::Question,
    Region::Composer,
    Region::Branch,
    Region::Right,
    Region::Status,
];

#[derive(Clone, Debug, Default)]
struct Marks {
    /// The control that takes the keyboard in each region, with the frame it was drawn in.
    ids: [Option<(Id, u64)>; ORDER.len()],
    at: usize,
}

fn key() -> Id {
    Id::unique("window regions")
}

/// Names the control of a region that takes the keyboard. Called each frame it is drawn.
pub fn mark(ctx: &Context, region: Region, id: Id) {
    let frame = ctx.cumulative_frame_nr();
    ctx.data_mut(|data| {
        let marks: &mut Marks = data.get_temp_mut_or_default(key());
        if let Some(slot) = ORDER.iter().position(|each| *each == region).and_then(|at| marks.ids.get_mut(at))
        {
            *slot = Some((id, frame));
        }
    });
}

/// The control of a region, if it was drawn in this frame or the one before.
#[must_use]
pub fn control(ctx: &Context, region: Region) -> Option<Id> {
    let frame = ctx.cumulative_frame_nr();
    let marks: Marks = ctx.data(|data| data.get_temp(key())).unwrap_or_default();
    let at = ORDER.iter().position(|each| *each == region)?;
    marks.ids.get(at).copied().flatten().filter(|(_, drawn)| drawn + 1 >= frame).map(|(id, _)| id)
}

/// Moves the keyboard to the next region that is on screen, or the one before.
pub fn step(ctx: &Context, forward: bool) {
    let frame = ctx.cumulative_frame_nr();
    let focused = ctx.memory(egui::Memory::focused);
    let marks: Marks = ctx.data(|data| data.get_temp(key())).unwrap_or_default();
    let count = ORDER.len();
    let here =
        marks.ids.iter().position(|mark| mark.is_some_and(|(id, _)| Some(id) == focused)).unwrap_or(marks.at);
    for hop in 1..=count {
        let at = if forward { (here + hop) % count } else { (here + count * 2 - hop) % count };
        let mark = marks.ids.get(at).copied().flatten();
        if let Some((id, _)) = mark.filter(|(_, drawn)| drawn + 1 >= frame) {
            ctx.memory_mut(|memory| memory.request_focus(id));
            ctx.data_mut(|data| data.get_temp_mut_or_default::<Marks>(key()).at = at);
            return;
        }
    }
}
