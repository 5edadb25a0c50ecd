//! The program `tunaflow`.

fn main() -> anyhow::Result<()> {
    #[cfg(all(feature = "gui", debug_assertions))]
    if std::env::args().nth(1).as_deref() == Some("__ui-fixture") {
        return tunaflow::ui::demo::run(std::env::args().skip(2));
    }
    Ok(())
}
