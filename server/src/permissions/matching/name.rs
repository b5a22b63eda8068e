//! The name of a tool in a rule, which for tools of MCP servers may mean several.

use crate::permissions::{Behavior, Call, Rule};

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
