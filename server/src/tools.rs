//! The tools a model can call, one file a tool.

mod tool;

pub use tool::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext};
