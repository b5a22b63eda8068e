//! The name of a tool in a rule, which for tools of MCP servers may mean several.

use crate::config::distance;
use crate::permissions::{Behavior, Call, Rule};

/// The tools that a rule can be about here.
const TOOLS: [&str; 19] = [
    "AskUserQuestion",
    "Bash",
    "Diagnostics",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LSP",
    "Monitor",
    "NotebookEdit",
    "Read",
    "TaskOutput",
    "TaskStop",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Names that settings have for tools of other programs, and older names of these.
const ELSEWHERE: [&str; 14] = [
    "Agent",
    "AgentOutputTool",
    "BashOutput",
    "BashOutputTool",
    "KillBash",
    "KillShell",
    "ListMcpResourcesTool",
    "LS",
    "MultiEdit",
    "NotebookRead",
    "ReadMcpResourceTool",
    "Skill",
    "SlashCommand",
    "Task",
];

/// What to say of the name of a tool that nobody knows; `None`: it is one, or one of a server's.
pub(in crate::permissions) fn unknown(tool: &str) -> Option<String> {
    if is_known(tool) {
        return None;
    }
    let tools = || TOOLS.join(", ");
    Some(misspelt(tool).unwrap_or_else(|| format!("there is no tool `{tool}`; the tools are {}", tools())))
}

/// The same where it is a slip for the name of a tool.
pub(in crate::permissions) fn misspelt(tool: &str) -> Option<String> {
    if is_known(tool) {
        return None;
    }
    let off = |name: &str| distance(&tool.to_lowercase(), &name.to_lowercase());
    let nearest = TOOLS.iter().map(|name| (off(name), name)).min();
    let (_, name) = nearest.filter(|(off, name)| *off <= name.len() / 3)?;
    Some(format!("there is no tool `{tool}`; did you mean `{name}`?"))
}

fn is_known(tool: &str) -> bool {
    tool.starts_with("mcp__") || tool.contains('*') || TOOLS.contains(&tool) || ELSEWHERE.contains(&tool)
}

/// Whether a rule for `written` is one for the tool of `call`: its name, an older one, or all tools of its server.
pub(super) fn fits(written: &str, call: &Call) -> bool {
    if call.is_named(written) {
        return true;
    }
    let Some(server) = written.strip_prefix("mcp__") else { return false };
    let Some(called) = call.tool.strip_prefix("mcp__") else { return false };
    match server.strip_suffix('*') {
        Some(beginning) => called.starts_with(beginning),
        None => called.strip_prefix(server).is_some_and(|rest| rest.starts_with("__")),
    }
}

/// An error says why no rule can be about such a name.
pub(super) fn check(rule: &Rule, behavior: Behavior) -> Result<(), String> {
    let Some(star) = rule.tool.find('*') else { return Ok(()) };
    let server = rule.tool.strip_prefix("mcp__");
    if server.is_none() || star + 1 != rule.tool.len() {
        return Err("a `*` may only end the name of an MCP tool: write `mcp__server__*`".to_owned());
    }
    let names_a_server =
        server.and_then(|name| name.split_once("__")).is_some_and(|(server, _)| !server.contains('*'));
    if behavior == Behavior::Allow && !names_a_server {
        return Err("an allow rule names the server: write `mcp__server__*`".to_owned());
    }
    Ok(())
}
