//! What Edit, Write and NotebookEdit share: the file as the agent has it, and what is said once the desk has taken a proposal.

use serde_json::{Value, json};

use super::target::file;
use super::tool::ToolUseContext;
use super::{ToolError, ToolResult};
use crate::documents::{AbsPath, ReadError};
use crate::review::{AgentView, ComesIn, HunkId, MakeProposal, ProposeError, Proposed, Reason, patch};

/// The file as the agent has it. A file that is not there is a view without text.
pub(super) async fn view(context: &ToolUseContext, file_path: &str) -> Result<AgentView, ToolError> {
    let path = file(context, file_path)?;
    match context.desk.agent_view(&context.session, &path).await {
        Ok(view) => Ok(view),
        Err(ReadError::Missing { path }) => {
            Ok(AgentView { path, text: None, stamp: None, drafted: false, rejected: Vec::new() })
        }
        Err(other) => Err(ToolError(format!("{other}."))),
    }
}

/// Puts a change of the file that `view` is of on the desk; `summary` says what it is for.
pub(super) async fn propose(
    context: &ToolUseContext,
    view: &AgentView,
    summary: String,
    make: MakeProposal,
) -> Result<Proposed, ToolError> {
    let reason = reason(context, summary);
    let proposed = context.desk.propose(&context.session, &view.path, reason, make).await.map_err(refused)?;
    began(context, &view.path, &proposed);
    Ok(proposed)
}

/// What the first change of a file was made on may not be what the model was shown; from then on the desk watches.
pub(super) fn began(context: &ToolUseContext, path: &AbsPath, proposed: &Proposed) {
    if let Some(before) = proposed.before.as_ref().filter(|_| proposed.begins) {
        context.seen.begins(path, before);
    }
}

/// What a call gives back that has `done` this, with `more` fields of its kind.
pub(super) fn result<const N: usize>(
    done: &str,
    kind: &str,
    view: &AgentView,
    proposed: &Proposed,
    more: [(&str, Value); N],
) -> ToolResult {
    let mut data = data(kind, view, proposed);
    if let Some(fields) = data.as_object_mut() {
        fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    ToolResult { data, ..ToolResult::text(format!("{done} {}", fate(proposed))) }
}

/// Why the desk says the change is wanted.
pub(super) fn reason(context: &ToolUseContext, summary: String) -> Reason {
    Reason { tool_use_id: context.tool_use_id.clone(), summary, agent: None, by_user: false, must_ask: None }
}

/// The desk's refusal in words for the model.
pub(super) fn refused(error: ProposeError) -> ToolError {
    match error {
        ProposeError::Read(error) => ToolError(format!("{error}.")),
        ProposeError::Refused(text) => ToolError(text),
    }
}

/// Whether the change waits for the user or is accepted as it comes, and under which names.
fn fate(proposed: &Proposed) -> String {
    let as_hunks = |hunks: &[&HunkId]| match hunks {
        [] => String::new(),
        [one] => format!(" as hunk {}", one.0),
        many => {
            let names: Vec<&str> = many.iter().map(|hunk| hunk.0.as_str()).collect();
            format!(" as hunks {}", names.join(", "))
        }
    };
    let all: Vec<&HunkId> = proposed.hunks.iter().collect();
    let waits = |hunks: &[&HunkId]| format!("Pending review{}: the user decides.", as_hunks(hunks));
    let goes_in = |hunks: &[&HunkId]| {
        format!("Accepted as it comes{}: in this mode the user is not asked.", as_hunks(hunks))
    };
    match &proposed.comes_in {
        ComesIn::Nothing => waits(&all),
        ComesIn::All => goes_in(&all),
        ComesIn::Some(accepted) => {
            let (now, later): (Vec<&HunkId>, Vec<&HunkId>) =
                all.iter().partition(|hunk| accepted.contains(hunk));
            format!("{} {}", goes_in(&now), waits(&later))
        }
    }
}

/// The fields of a structured result that every change has.
fn data(kind: &str, view: &AgentView, proposed: &Proposed) -> Value {
    let hunks = patch(proposed.before.as_ref(), proposed.after.as_ref());
    let hunks: Vec<Value> = hunks
        .into_iter()
        .map(|hunk| {
            json!({
                "oldStart": hunk.old_start, "oldLines": hunk.old_lines,
                "newStart": hunk.new_start, "newLines": hunk.new_lines,
                "lines": hunk.lines,
            })
        })
        .collect();
    let ids: Vec<&str> = proposed.hunks.iter().map(|hunk| hunk.0.as_str()).collect();
    let pending = proposed.comes_in != ComesIn::All;
    json!({"type": kind, "filePath": view.path.as_str(), "structuredPatch": hunks, "hunks": ids, "pending": pending})
}
