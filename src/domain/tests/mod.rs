//! Decisions, driven without any runtime: inputs in, effects and snapshots out.

mod branch;
mod chat;
mod checkout;
mod history;
mod interleavings;
mod kit;
mod knowledge;
mod model_store;
mod notices;
mod packs;
mod settings;
mod sharing;
mod summary;
mod turns;
mod views;
mod writes;
