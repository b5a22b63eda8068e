//! The agent: sessions, and the query loop that drives them.

mod event;
mod session;
mod transition;

pub use event::{LoopEvent, SessionEvent, SessionUpdate, ToolCallStatus, ToolCallUpdate};
pub use session::{Sent, SessionInfo, SessionState, Sessions, StartTask, TaskContext};
pub use transition::{Continue, Terminal, TerminalReason};
