//! Every panel over fixture snapshots, found by accessible names; no graphics.

mod bench;
mod branch_odd;
mod branches;
mod changes;
mod composer;
mod keys;
mod known;
mod layout;
mod permission;
mod places;
mod seen;
