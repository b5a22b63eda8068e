//! One method of the protocol a file. Text sync changes the text and tells the desk before anything is awaited.

mod did_change;
mod did_close;
mod did_open;
mod did_save;
mod initialize;
mod shutdown;

pub(super) use did_change::did_change;
pub(super) use did_close::did_close;
pub(super) use did_open::did_open;
pub(super) use did_save::did_save;
pub(super) use initialize::initialize;
pub(super) use shutdown::shutdown;
