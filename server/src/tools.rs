//! The tools a model can call, one file a tool.

mod ask_user_question;
mod bash;
mod deferral;
mod diagnostics;
mod edit;
mod edit_match;
mod enter_plan_mode;
mod exit_plan_mode;
#[cfg(test)]
pub(crate) mod fixture;
mod folder;
mod glob;
mod grep;
mod input;
mod line_ends;
mod lsp;
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
mod todo_write;
mod tool;
mod tool_search;
mod web_fetch;
mod web_search;
mod write;

pub use ask_user_question::AskUserQuestion;
pub use bash::Bash;
pub use deferral::{Loaded, SearchWire};
pub use diagnostics::Diagnostics;
pub use edit::Edit;
pub use enter_plan_mode::EnterPlanMode;
pub use exit_plan_mode::ExitPlanMode;
pub use glob::Glob;
pub use grep::Grep;
pub use lsp::Lsp;
pub use monitor::Monitor;
pub use notebook_edit::NotebookEdit;
pub use read::Read;
pub use registry::Tools;
pub use task_output::TaskOutput;
pub use task_stop::TaskStop;
pub use todo_write::TodoWrite;
pub use tool::{
    Choice, Chosen, ContextModifier, InterruptBehavior, Offers, Person, PlanEntry, PlanStatus, Tool,
    ToolError, ToolKind, ToolResult, ToolUseContext,
};
pub use tool_search::ToolSearch;
pub use web_fetch::WebFetch;
pub use web_search::{Searcher, WebSearch};
pub use write::Write;
