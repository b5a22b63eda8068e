//! The LSP door: the only place, with its folder, that names LSP types.

mod backend;
mod capabilities;
pub mod commands;
mod core;
mod custom;
mod failure;
mod frame;
mod from_lsp;
mod from_wire;
mod front_door;
mod handlers;
mod hello;
mod leniency;
mod message;
mod outgoing;
mod parent;
mod remote_editor;
mod serve;
pub mod surface;
mod to_wire;

pub use self::core::{Build, Core, Host, Opening};
pub use serve::{Ending, serve};
