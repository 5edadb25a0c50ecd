//! The program `tunaflow`.

fn main() {}
