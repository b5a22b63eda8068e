//! The Anthropic provider against real HTTP.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

mod answers;
mod asking;
mod faults;
mod keys;
mod requests;
