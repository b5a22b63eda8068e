//! The LSP door: the only place, with its folder, that names LSP types.

mod announced;
mod answers;
mod backend;
mod background;
mod capabilities;
pub mod commands;
mod configuration;
mod core;
mod custom;
mod events;
mod failure;
mod frame;
mod from_lsp;
mod from_wire;
mod front_door;
mod handlers;
mod hello;
mod language_server;
mod leniency;
mod lost_change;
mod message;
mod outgoing;
mod parent;
mod perform;
mod progress;
mod proposals;
mod publish;
mod remote_editor;
mod serve;
mod shown_so_far;
mod stage;
pub mod surface;
mod to_wire;
mod watch_files;

pub use self::core::{Build, Core, Host, Opening, Reload};
pub use serve::{Ending, serve};
