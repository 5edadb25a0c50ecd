//! The plainest window of the same framework, to compare with.

use egui::{Context, RawInput, Ui, ViewportBuilder};

use crate::bench::window::SIZE;
use crate::bench::window::watched::Teller;

struct Empty {
    teller: Teller,
}

impl eframe::App for Empty {
    fn ui(&mut self, _ui: &mut Ui, _frame: &mut eframe::Frame) {}

    fn raw_input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        Teller::before_frame(&mut self.teller, ctx, input, true);
    }
}

/// Opens it and runs until it is closed.
///
/// # Errors
/// No window can be opened.
pub fn empty() -> anyhow::Result<()> {
    let viewport = ViewportBuilder::default().with_title("empty").with_app_id("empty").with_inner_size(SIZE);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let app = Empty { teller: Teller::new() };
    eframe::run_native("empty", options, Box::new(move |_creation| Ok(Box::new(app))))
        .map_err(|error| anyhow::anyhow!("the window could not be opened: {error}"))
}
