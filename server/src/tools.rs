//! The tools a model can call, one file a tool.

mod edit_match;
mod input;
mod line_ends;
mod nearest;
mod summary;
mod tool;

pub use tool::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext};
