//! Edit: one exact string in a file replaced by another, as a proposal for the user to decide on.

use camino::Utf8Path;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::edit_match::{Mismatch, Occurrences, edits};
use super::target::{check_path, missing, names, places};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input, nearest, proposing, summary};
use crate::documents::{AbsPath, SeenFile};
use crate::permissions::Access;
use crate::review::{AgentView, Proposal, Proposed};

/// How many lines a result names.
const LINES_NAMED: usize = 20;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditInput {
    /// The file: an absolute path, or one relative to the workspace.
    file_path: String,
    /// The text to replace, exactly as it stands in the file. It must stand there once, unless `replace_all` is true.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every place where `old_string` stands.
    #[serde(default)]
    replace_all: bool,
    /// What the change does, for the user who decides on it: a short imperative such as "rename load to open".
    description: Option<String>,
}

#[derive(Debug)]
pub struct Edit;

impl Tool for Edit {
    fn name(&self) -> &'static str {
        "Edit"
    }

    fn description(&self) -> String {
        include_str!("edit/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn input_schema(&self) -> Value {
        input::schema::<EditInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: EditInput = input::parse("Edit", input)?;
        check_path("file_path", &input.file_path)?;
        if input.old_string == input.new_string {
            return Err(ToolError(
                "old_string and new_string are the same: nothing would change.".to_owned(),
            ));
        }
        if Utf8Path::new(&input.file_path).extension() == Some("ipynb") {
            return Err(ToolError(
                "A notebook is not edited as text, since its cells are JSON strings: use NotebookEdit."
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn title(&self, input: &Value) -> String {
        format!("Edit {}", input::text(input, "file_path"))
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        names(context, input::text(input, "file_path"))
    }

    /// Deletes much and puts little in its place.
    fn is_destructive(&self, input: &Value) -> bool {
        let lines = |field| input::text(input, field).lines().count();
        lines("old_string") > 2 * lines("new_string") + 20
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Access::Edit(places(context, input::text(input, "file_path")))
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { edit(input::parse("Edit", &input)?, context).await }.boxed()
    }
}

async fn edit(input: EditInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let view = proposing::view(&context, &input.file_path).await?;
    if view.text.is_none() && !input.old_string.is_empty() {
        return Err(missing(&context.workspace, &view.path));
    }
    let name = context.workspace.display(&view.path);
    let summary = match view.text {
        Some(_) => summary::of_edit(input.description.as_deref(), &input.old_string, &input.new_string),
        None => summary::of_write(input.description.as_deref(), "create", &name),
    };
    let make = {
        let (input, name, seen) = (input.clone(), name.clone(), context.seen.clone());
        Box::new(move |view: &AgentView| proposal(&input, &name, view, seen.get(&view.path).as_ref()))
    };
    let proposed = proposing::propose(&context, &view, summary, make).await?;
    remember(&input, &context, &view, &proposed);
    Ok(result(&input, &name, &view, &proposed))
}

/// The edits of the text as it is at this moment, or why there are none.
fn proposal(
    input: &EditInput,
    name: &str,
    view: &AgentView,
    seen: Option<&SeenFile>,
) -> Result<Proposal, String> {
    let Some(text) = &view.text else {
        return if input.old_string.is_empty() {
            Ok(Proposal::Write { content: input.new_string.clone(), seen: None })
        } else {
            Err(format!("{name} does not exist any more."))
        };
    };
    if seen.is_none() && !text.is_empty() {
        return Err(format!("{name} has not been read in this session. Read it before you edit it."));
    }
    edits(text, &input.old_string, &input.new_string, input.occurrences()).map(Proposal::Edit).map_err(
        |mismatch| match mismatch {
            Mismatch::NotFound => {
                let seen = seen.map(|seen| &seen.text);
                nearest::explain(name, text, &input.old_string, &view.rejected, seen)
            }
            Mismatch::NotUnique { count, lines } => not_unique(name, count, &lines),
            Mismatch::EmptyOld => format!(
                "old_string is empty but {name} is not, so there is no place to put new_string. To add text, give the \
                 lines it stands next to as old_string, and the same lines with the addition as new_string."
            ),
            Mismatch::Identical => "old_string and new_string are the same: nothing would change.".to_owned(),
            Mismatch::LineEndsOnly => format!(
                "old_string and new_string differ in nothing but line breaks, and {name} keeps its own: nothing would \
                 change."
            ),
        },
    )
}

fn not_unique(name: &str, count: usize, lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = if count > lines.len() { ", …" } else { "" };
    format!(
        "old_string stands in {name} {count} times (lines {}{more}), so nothing was changed. Add lines around it until it \
         is unique, or set replace_all to change all of them.",
        named.join(", ")
    )
}

/// The model knows its own change; what else the file holds it knows only as far as it was shown. So the change goes into
/// the text it last saw, and the next Read shows the file again.
fn remember(input: &EditInput, context: &ToolUseContext, view: &AgentView, proposed: &Proposed) {
    let after = proposed.after.clone().unwrap_or_default();
    let file = match context.seen.get(&view.path) {
        Some(seen) if Some(&seen.text) == proposed.before.as_ref() => SeenFile { text: after, ..seen },
        Some(seen) => {
            let changes = edits(&seen.text, &input.old_string, &input.new_string, input.occurrences());
            SeenFile {
                text: changes.map_or(seen.text.clone(), |changes| seen.text.with_edits(&changes)),
                ..seen
            }
        }
        None => SeenFile { text: after, stamp: view.stamp.clone(), lines: Vec::new(), whole: true },
    };
    context.seen.put(view.path.clone(), SeenFile { lines: Vec::new(), ..file });
}

fn result(input: &EditInput, name: &str, view: &AgentView, proposed: &Proposed) -> ToolResult {
    let before = proposed.before.clone().unwrap_or_default();
    let places =
        edits(&before, &input.old_string, &input.new_string, input.occurrences()).unwrap_or_default();
    let lines: Vec<String> = places
        .iter()
        .take(LINES_NAMED)
        .map(|change| (before.line_of(change.range.start) + 1).to_string())
        .collect();
    let more = if places.len() > lines.len() { ", …" } else { "" };
    let done = match (proposed.before.is_some(), lines.as_slice()) {
        (false, _) => format!("{name} will be created."),
        (true, [] | [_]) => format!("Changed {name} at line {}.", lines.concat()),
        (true, many) => {
            format!("Changed {} places in {name} (lines {}{more}).", places.len(), many.join(", "))
        }
    };
    proposing::result(&done, "edit", view, proposed, [("replaceAll", json!(input.replace_all))])
}

impl EditInput {
    fn occurrences(&self) -> Occurrences {
        if self.replace_all { Occurrences::All } else { Occurrences::Single }
    }
}

#[cfg(test)]
mod tests;
