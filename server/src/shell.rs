//! Shell commands: what they consist of, and where they run.

pub mod command;
