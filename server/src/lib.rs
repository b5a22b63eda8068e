//! Copydesk's server as a library: every floor of the house, so that tests and benchmarks can stand on any of them.
//!
//! `ARCHITECTURE.md` beside this folder is the map. A floor uses what stands below it, never what stands beside it or
//! above; `tests/floors.rs` reads the imports and keeps it so.

pub mod agent;
pub mod config;
pub mod context;
pub mod conversation;
pub mod doctor;
pub mod documents;
pub mod editor;
pub mod lsp;
pub mod models;
pub mod permissions;
pub mod review;
pub mod shell;
pub mod tools;
pub mod wiring;

pub mod cli;
