//! The program `tunaflow`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(feature = "gui", debug_assertions))]
    if let Some(code) = looking(std::env::args().skip(1)) {
        return code;
    }
    ExitCode::SUCCESS
}

/// `__gallery [dark|light] [0|1|2]`: all pieces on one page.
/// `__ui-fixture <name> [dark|light] [WxH] [zoom]`: the window over a snapshot made by hand.
#[cfg(all(feature = "gui", debug_assertions))]
fn looking(mut args: impl Iterator<Item = String>) -> Option<ExitCode> {
    let ran = match args.next()?.as_str() {
        "__gallery" => {
            let theme = args.next().unwrap_or_default();
            let page = args.next().and_then(|page| page.parse().ok()).unwrap_or(0);
            tunaflow::ui::widgets::gallery::run(&theme, page).is_ok()
        }
        "__ui-fixture" => tunaflow::ui::demo::run(args).is_ok(),
        _ => return None,
    };
    Some(if ran { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
