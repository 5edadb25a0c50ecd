//! Entry point of the program.

use std::process::ExitCode;

use tunaflow::os::guard;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == guard::GUARD_ARG) {
        let code = guard::run(args.collect());
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    ExitCode::SUCCESS
}
