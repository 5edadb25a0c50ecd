//! All integration tests in one program.

mod dialects;
