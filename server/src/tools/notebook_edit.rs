//! NotebookEdit: one cell of a notebook replaced, inserted or deleted, as a proposal for the user to decide on.

use camino::Utf8Path;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::notebook::{CellKind, Notebook, change};
use super::target::{check_path, missing, names, places};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input, proposing, summary};
use crate::conversation::ToolUseId;
use crate::documents::{AbsPath, Change, SeenFile, Text};
use crate::permissions::Access;
use crate::review::{AgentView, Proposal, Proposed};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CellType {
    Code,
    Markdown,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NotebookEditInput {
    /// The notebook (`.ipynb`): an absolute path, or one relative to the workspace.
    notebook_path: String,
    /// The id of the cell, as Read shows it. With `insert`, the cell behind which the new one is put; leave it out to put it
    /// first.
    cell_id: Option<String>,
    /// The whole new source of the cell. Not needed to delete one.
    new_source: Option<String>,
    /// The kind of the cell. Needed for a new one; else the cell keeps its kind unless one is given.
    cell_type: Option<CellType>,
    /// What is done with the cell; `replace` unless given.
    #[serde(default)]
    edit_mode: EditMode,
}

#[derive(Debug)]
pub struct NotebookEdit;

impl Tool for NotebookEdit {
    fn name(&self) -> &'static str {
        "NotebookEdit"
    }

    fn description(&self) -> String {
        include_str!("notebook_edit/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn input_schema(&self) -> Value {
        input::schema::<NotebookEditInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: NotebookEditInput = input::parse("NotebookEdit", input)?;
        check_path("notebook_path", &input.notebook_path)?;
        let refused = |why: &str| Err(ToolError(why.to_owned()));
        if Utf8Path::new(&input.notebook_path).extension() != Some("ipynb") {
            return refused("`notebook_path` names no notebook (.ipynb): use Edit for other files.");
        }
        match (input.edit_mode, &input.cell_id, &input.new_source, input.cell_type) {
            (EditMode::Insert, _, _, None) => {
                refused("`cell_type` is missing: a new cell is `code` or `markdown`.")
            }
            (EditMode::Replace | EditMode::Delete, None, _, _) => {
                refused("`cell_id` is missing: name the cell. Read shows the ids.")
            }
            (EditMode::Replace | EditMode::Insert, _, None, _) => {
                refused("`new_source` is missing: give the whole source of the cell.")
            }
            (EditMode::Replace | EditMode::Insert | EditMode::Delete, _, _, _) => Ok(()),
        }
    }

    fn title(&self, input: &Value) -> String {
        let verb = match input::text(input, "edit_mode") {
            "insert" => "Insert a cell in",
            "delete" => "Delete a cell of",
            _ => "Edit a cell of",
        };
        format!("{verb} {}", input::text(input, "notebook_path"))
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        names(context, input::text(input, "notebook_path"))
    }

    fn is_destructive(&self, input: &Value) -> bool {
        input::text(input, "edit_mode") == "delete"
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Access::Edit(places(context, input::text(input, "notebook_path")))
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { edit(input::parse("NotebookEdit", &input)?, context).await }.boxed()
    }
}

async fn edit(input: NotebookEditInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let view = proposing::view(&context, &input.notebook_path).await?;
    if view.text.is_none() {
        return Err(missing(&context.workspace, &view.path));
    }
    let name = context.workspace.display(&view.path);
    let new_id = new_id(&context.tool_use_id);
    let make = {
        let (input, name, new_id) = (input.clone(), name.clone(), new_id.clone());
        let seen = context.seen.clone();
        Box::new(move |view: &AgentView| {
            let seen = seen.get(&view.path);
            proposal(&input, &name, &new_id, view, seen.as_ref())
        })
    };
    let proposed = proposing::propose(&context, &view, input.summary(), make).await?;
    remember(&input, &new_id, &context, &view, &proposed);
    Ok(result(&input, &name, &view, &proposed))
}

fn proposal(
    input: &NotebookEditInput,
    name: &str,
    new_id: &str,
    view: &AgentView,
    seen: Option<&SeenFile>,
) -> Result<Proposal, String> {
    let Some(text) = &view.text else { return Err(format!("{name} does not exist any more.")) };
    let Some(seen) = seen else {
        return Err(format!("{name} has not been read in this session. Read it before you edit it."));
    };
    if let Some(id) = input.cell_id.as_deref().filter(|_| input.edit_mode != EditMode::Insert) {
        is_as_seen(name, id, text, &seen.text)?;
    }
    let changes = changes(input, new_id, text).map_err(|why| format!("{name}: {why}"))?;
    if changes.is_empty() {
        return Err(format!("The cell has exactly this source already: nothing would change in {name}."));
    }
    Ok(Proposal::Edit(changes))
}

/// The whole source of a cell is replaced, so it has to be the one that the model was shown.
fn is_as_seen(name: &str, id: &str, now: &Text, seen: &Text) -> Result<(), String> {
    let source = |text: &Text| {
        let notebook = Notebook::of(&text.to_string()).ok()?;
        let at = notebook.find(id).ok()?;
        notebook.cells.into_iter().nth(at).map(|cell| cell.source)
    };
    match (source(seen), source(now)) {
        (Some(seen), Some(now)) if seen != now => Err(format!(
            "The cell `{id}` of {name} was changed since you read it, so nothing was done. It now says:\n{now}"
        )),
        (_, _) => Ok(()),
    }
}

fn changes(input: &NotebookEditInput, new_id: &str, text: &Text) -> Result<Vec<Change>, String> {
    let text = text.to_string();
    let notebook = Notebook::of(&text)?;
    let at = input.cell_id.as_deref().map(|id| notebook.find(id)).transpose()?;
    let source = input.new_source.as_deref().unwrap_or_default();
    let kind = input.cell_type.map(|kind| match kind {
        CellType::Code => CellKind::Code,
        CellType::Markdown => CellKind::Markdown,
    });
    Ok(match (input.edit_mode, at) {
        (EditMode::Insert, after) => {
            let id = (0..).map(|n: u32| if n == 0 { new_id.to_owned() } else { format!("{new_id}-{n}") });
            let id = id.into_iter().find(|id| notebook.cells.iter().all(|cell| cell.id != *id));
            let id = id.unwrap_or_else(|| new_id.to_owned());
            change::insert(&text, &notebook, after, kind.unwrap_or(CellKind::Code), source, &id)
        }
        (EditMode::Replace, Some(at)) => change::replace(&text, &notebook, at, source, kind),
        (EditMode::Delete, Some(at)) => change::delete(&notebook, at),
        (EditMode::Replace | EditMode::Delete, None) => Vec::new(),
    })
}

/// An id for a new cell as `nbformat` wants it: up to 64 letters, digits, `-` and `_`. Each call has its own.
fn new_id(call: &ToolUseId) -> String {
    let last: String = call.as_str().chars().filter(char::is_ascii_alphanumeric).collect();
    let start = last.len().saturating_sub(12);
    format!("cell-{}", last.get(start..).unwrap_or_default().to_lowercase())
}

/// As after an Edit: the model knows its own change, what else the notebook holds only as far as it was shown.
fn remember(
    input: &NotebookEditInput,
    new_id: &str,
    context: &ToolUseContext,
    view: &AgentView,
    proposed: &Proposed,
) {
    let Some(seen) = context.seen.get(&view.path) else { return };
    let text = if Some(&seen.text) == proposed.before.as_ref() {
        proposed.after.clone().unwrap_or_default()
    } else {
        let changes = changes(input, new_id, &seen.text).unwrap_or_default();
        seen.text.with_edits(&changes)
    };
    context.seen.put(view.path.clone(), SeenFile { text, lines: Vec::new(), ..seen });
}

fn result(input: &NotebookEditInput, name: &str, view: &AgentView, proposed: &Proposed) -> ToolResult {
    let cell = input.cell_id.as_deref().unwrap_or_default();
    let done = match input.edit_mode {
        EditMode::Replace => format!("Replaced the source of the cell {cell} in {name}."),
        EditMode::Insert if cell.is_empty() => format!("Inserted a cell at the beginning of {name}."),
        EditMode::Insert => format!("Inserted a cell behind {cell} in {name}."),
        EditMode::Delete => format!("Deleted the cell {cell} of {name}."),
    };
    proposing::result(&done, "notebook", view, proposed, [("cellId", json!(input.cell_id))])
}

impl NotebookEditInput {
    fn summary(&self) -> String {
        let cell = self.cell_id.as_deref().unwrap_or("the others");
        summary::of_write(
            None,
            match self.edit_mode {
                EditMode::Replace => "change cell",
                EditMode::Insert if self.cell_id.is_none() => "insert a cell before",
                EditMode::Insert => "insert a cell behind",
                EditMode::Delete => "delete cell",
            },
            cell,
        )
    }
}

#[cfg(test)]
mod tests;
