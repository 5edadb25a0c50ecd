//! The panels of the window, one file each. Each reads the snapshot, draws, and sends.

pub mod banner;
pub mod changes;
pub mod compare;
pub mod composer;
pub mod conversation;
pub mod desk;
pub mod dialogs;
pub mod diff;
pub mod drawer;
pub mod engine_rows;
pub mod find_bar;
pub mod header;
pub mod hints;
pub mod home;
pub mod inspector;
pub mod key_sheet;
pub mod menu;
pub mod notices;
pub mod palette;
pub mod permission;
pub mod project;
pub mod seat;
pub mod settings;
pub mod sidebar;
pub mod status_bar;
