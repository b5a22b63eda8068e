//! The agent: sessions, and the query loop that drives them.

mod acceptance;
mod attachments;
mod background;
mod briefing;
mod compaction;
mod diagnostics;
mod event;
mod executor;
#[cfg(test)]
mod fixture;
mod hooks;
mod outbox;
mod params;
mod preparing;
mod query;
mod reminders;
mod session;
mod session_context;
mod spending;
mod state;
mod transition;

pub use event::{CompactionStatus, LoopEvent, SessionEvent, SessionUpdate, ToolCallStatus, ToolCallUpdate};
pub use hooks::{
    CompactInput, CompactVerdict, Hooks, NoHooks, StopInput, StopVerdict, ToolHookInput, ToolHookVerdict,
};
pub use params::Limits;
pub use session::{
    PermissionSetup, Sent, SessionDeps, SessionInfo, SessionState, Sessions, ShellDeps, StartTask,
    TaskContext, ToolSetup,
};
pub use spending::{Cost, Spending};
pub use state::Clock;
pub use transition::{Continue, TaskAccount, Terminal, TerminalReason};
