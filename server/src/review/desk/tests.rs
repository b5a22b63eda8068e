//! The desk between an agent, an editor that misbehaves as real ones do, and a disk that others write to.

mod agent;
mod as_they_come;
mod bench;
mod bulk;
mod checked_first;
mod disk;
mod echo;
mod empty;
mod moves;
mod sessions;
mod shown;
mod told;
mod view;
#[cfg(unix)]
mod whole;
