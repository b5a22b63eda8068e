//! The LSP door: the only place, with its folder, that names LSP types.

pub mod commands;
