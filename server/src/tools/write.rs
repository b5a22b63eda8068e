//! Write: the whole content of a file, new or rewritten, as a proposal for the user to decide on.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::target::{check_path, names, places};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input, line_ends, proposing, summary};
use crate::documents::{AbsPath, SeenFile, Text};
use crate::permissions::Access;
use crate::review::{AgentView, Proposal, Proposed};

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteInput {
    /// The file: an absolute path, or one relative to the workspace.
    file_path: String,
    /// Everything the file shall hold.
    content: String,
    /// What the change does, for the user who decides on it: a short imperative such as "add the settings file".
    description: Option<String>,
}

#[derive(Debug)]
pub struct Write;

impl Tool for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn description(&self) -> String {
        include_str!("write/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }

    fn input_schema(&self) -> Value {
        input::schema::<WriteInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: WriteInput = input::parse("Write", input)?;
        check_path("file_path", &input.file_path)?;
        if input.file_path.ends_with('/') {
            return Err(ToolError(format!("{} names a folder: Write makes files.", input.file_path)));
        }
        Ok(())
    }

    fn title(&self, input: &Value) -> String {
        format!("Write {}", input::text(input, "file_path"))
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        names(context, input::text(input, "file_path"))
    }

    /// It may replace everything that a file holds.
    fn is_destructive(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Access::Edit(places(context, input::text(input, "file_path")))
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { write(input::parse("Write", &input)?, context).await }.boxed()
    }
}

async fn write(input: WriteInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let view = proposing::view(&context, &input.file_path).await?;
    let name = context.workspace.display(&view.path);
    let verb = if view.text.is_some() { "rewrite" } else { "create" };
    let summary = summary::of_write(input.description.as_deref(), verb, &name);
    let seen = context.seen.get(&view.path);
    let content = content(&input.content, view.text.as_ref());
    let make = {
        let (name, content) = (name.clone(), content.clone());
        Box::new(move |view: &AgentView| proposal(&name, content, view, seen.as_ref()))
    };
    let proposed = proposing::propose(&context, &view, summary, make).await.inspect_err(|_| {
        // It is told once that the file it saw is gone; then it may make it anew.
        if view.text.is_none() {
            context.seen.forget(&view.path);
        }
    })?;
    let seen = SeenFile {
        text: Text::from(content.as_str()),
        stamp: view.stamp.clone(),
        lines: Vec::new(),
        whole: true,
    };
    let merged = proposed.after.as_ref() != Some(&seen.text);
    context.seen.put(view.path.clone(), seen);
    Ok(result(&name, &view, &proposed, merged))
}

/// The content in the file's own line breaks, and with as many byte order marks as the file's text has.
fn content(given: &str, file: Option<&Text>) -> String {
    let Some(file) = file else { return given.to_owned() };
    let content = line_ends::like(file, given.trim_start_matches(BYTE_ORDER_MARK));
    let marked = file.slice(0..BYTE_ORDER_MARK.len_utf8()).starts_with(BYTE_ORDER_MARK);
    if marked { format!("{BYTE_ORDER_MARK}{content}") } else { content }
}

fn proposal(
    name: &str,
    content: String,
    view: &AgentView,
    seen: Option<&SeenFile>,
) -> Result<Proposal, String> {
    match (&view.text, seen) {
        (Some(text), _) if *text == *content.as_str() => {
            Err(format!("{name} holds exactly this already: nothing would change."))
        }
        (Some(text), None) if !text.is_empty() => Err(format!(
            "{name} exists and has not been read in this session. Read it before you rewrite it."
        )),
        (Some(_), Some(seen)) if !seen.whole => Err(format!(
            "Only a part of {name} has been read in this session. Read the rest before you rewrite it, or use Edit."
        )),
        (Some(text), None) => Ok(Proposal::Write { content, seen: Some(text.clone()) }),
        // What the user rejected may be proposed anew: nobody deleted anything.
        (None, Some(_)) if !view.rejected.is_empty() => Ok(Proposal::Write { content, seen: None }),
        (Some(_) | None, seen) => Ok(Proposal::Write { content, seen: seen.map(|seen| seen.text.clone()) }),
    }
}

fn result(name: &str, view: &AgentView, proposed: &Proposed, merged: bool) -> ToolResult {
    let (kind, done) = match (&proposed.before, merged) {
        (None, _) => ("create", format!("{name} will be created.")),
        (Some(_), false) => ("update", format!("Rewrote {name}.")),
        (Some(_), true) => (
            "update",
            format!(
                "Rewrote {name} and kept what changed in it since you read it: read it again before the next change."
            ),
        ),
    };
    proposing::result(&done, kind, view, proposed, [])
}

#[cfg(test)]
mod tests;
