//! Every panel over fixture snapshots, found by accessible names; no graphics.

mod bench;
mod branch_odd;
mod branch_use;
mod branches;
mod changes;
mod compare;
mod composer;
mod desks;
mod keys;
mod known;
mod layout;
mod permission;
mod places;
mod seen;
