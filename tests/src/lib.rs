//! What end-to-end tests are made of: a client that drives the real program.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a test that can't go on ends with its cause"
)]

pub mod cases;
pub mod client;
pub mod ground;
pub mod heard;
pub mod model_server;
pub mod person;
pub mod puppet;
