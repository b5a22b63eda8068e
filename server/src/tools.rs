//! The tools a model can call, one file a tool.

mod bash;
mod edit;
mod edit_match;
#[cfg(test)]
pub(crate) mod fixture;
mod folder;
mod glob;
mod grep;
mod input;
mod line_ends;
mod monitor;
mod nearest;
mod notebook;
mod notebook_edit;
mod proposing;
mod read;
mod registry;
mod summary;
mod target;
mod task_output;
mod task_stop;
mod tool;
mod write;

pub use bash::Bash;
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use monitor::Monitor;
pub use notebook_edit::NotebookEdit;
pub use read::Read;
pub use registry::Tools;
pub use task_output::TaskOutput;
pub use task_stop::TaskStop;
pub use tool::{InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext};
pub use write::Write;
