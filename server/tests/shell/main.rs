//! Commands as they really run: processes, walls and trial trees of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

mod beside;
mod calls;
mod drafts;
mod links;
mod place;
mod processes;
mod trial_tree;
mod walls;
mod whole_files;
