//! The program `tunaflow`.

fn main() -> std::process::ExitCode {
    #[cfg(all(feature = "gui", debug_assertions))]
    if let Some(code) = gallery() {
        return code;
    }
    std::process::ExitCode::SUCCESS
}

/// `__gallery [dark|light] [0|1|2]`: all pieces on one page.
#[cfg(all(feature = "gui", debug_assertions))]
fn gallery() -> Option<std::process::ExitCode> {
    let mut args = std::env::args().skip(1);
    if args.next().as_deref() != Some("__gallery") {
        return None;
    }
    let theme = args.next().unwrap_or_default();
    let page = args.next().and_then(|page| page.parse().ok()).unwrap_or(0);
    let run = tunaflow::ui::widgets::gallery::run(&theme, page);
    Some(if run.is_ok() { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}
