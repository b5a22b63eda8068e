//! LSP: where a name is defined or used, and what it is, as the editor's own language servers know it.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::diagnostics::is_older;
use super::target::{self, check_path, missing, resolve};
use super::{Offers, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::documents::{AbsPath, Text, from_path, position, to_path};
use crate::editor::{Lookup, Place, Position};
use crate::permissions::Access;

/// Places that are listed.
const MOST: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Operation {
    GoToDefinition,
    FindReferences,
    Hover,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LspInput {
    /// What is asked.
    operation: Operation,
    /// The file, absolute or relative to the workspace.
    #[serde(rename = "filePath")]
    file_path: String,
    /// The line of the name, counted from 1, as Read shows it.
    #[schemars(range(min = 1))]
    line: usize,
    /// The character of the line at which the name begins, counted from 1.
    #[schemars(range(min = 1))]
    character: usize,
}

#[derive(Debug)]
pub struct Lsp;

impl Tool for Lsp {
    fn name(&self) -> &'static str {
        "LSP"
    }

    fn description(&self) -> String {
        include_str!("lsp/description.md").trim_end().to_owned()
    }

    fn is_enabled(&self, offers: &Offers) -> bool {
        offers.editor.copydesk.navigation
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn input_schema(&self) -> Value {
        input::schema::<LspInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: LspInput = input::parse("LSP", input)?;
        if input.line == 0 || input.character == 0 {
            return Err(ToolError("`line` and `character` are counted from 1.".to_owned()));
        }
        check_path("filePath", &input.file_path)
    }

    fn title(&self, input: &Value) -> String {
        let place = format!(
            "{}:{}",
            input::text(input, "filePath"),
            input.get("line").and_then(Value::as_u64).unwrap_or(0)
        );
        match input::text(input, "operation") {
            "goToDefinition" => format!("Find the definition at {place}"),
            "findReferences" => format!("Find the references at {place}"),
            _ => format!("Look at {place}"),
        }
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        resolve(&context.workspace, input::text(input, "filePath")).into_iter().collect()
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Access::Read(target::place(context, input::text(input, "filePath")).into_iter().collect())
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { ask(input::parse("LSP", &input)?, context).await }.boxed()
    }
}

async fn ask(input: LspInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let path = target::place(&context, &input.file_path)?.opened().clone();
    let Some(buffer) = text(&context, &path).await else { return Err(missing(&context.workspace, &path)) };
    let at = place(&context, &buffer, input.line, input.character).ok_or_else(|| {
        let name = context.workspace.display(&path);
        ToolError(format!(
            "There is no line {} in {name}: the editor's text has {}.",
            input.line,
            buffer.line_count()
        ))
    })?;
    let uri = context.documents.open_document(&path).map_or_else(|| from_path(&path), |open| open.uri);
    let (version, found, places) = match input.operation {
        Operation::GoToDefinition | Operation::FindReferences => {
            let what = match input.operation {
                Operation::GoToDefinition => Lookup::Definition,
                Operation::FindReferences | Operation::Hover => Lookup::References,
            };
            let found = context.editor.places(what, uri, at).await.ok_or_else(no_answer)?;
            (found.version, listed(&context, &found.places).await, found.places.len())
        }
        Operation::Hover => {
            let hover = context.editor.hover(uri, at).await.ok_or_else(no_answer)?;
            let text = hover.text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
            (hover.version, text.unwrap_or_else(|| NOTHING.to_owned()), 0)
        }
    };
    let data = json!({"type": "lsp", "places": places});
    if is_older(&context, &path, version) {
        let text = "Unknown: the text changed while the language server looked. Ask again, or use Grep.";
        return Ok(ToolResult { data, ..ToolResult::text(text) });
    }
    let drafted = context.desk.drafts(&context.session).await.iter().any(|draft| draft.path == path);
    let note = if drafted { "\n(This is about the user's text, without your pending changes.)" } else { "" };
    Ok(ToolResult { data, ..ToolResult::text(format!("{found}{note}")) })
}

const NOTHING: &str = "The language servers know nothing of this place.";

fn no_answer() -> ToolError {
    ToolError("The editor has no answer: no language server may be at work there. Use Grep.".to_owned())
}

/// The text that the editor has, which its language servers look at.
async fn text(context: &ToolUseContext, path: &AbsPath) -> Option<Text> {
    let (documents, path) = (context.documents.clone(), path.clone());
    let read = tokio::task::spawn_blocking(move || documents.snapshot(&path).ok()).await;
    read.ok().flatten().map(|snapshot| snapshot.text)
}

fn place(context: &ToolUseContext, text: &Text, line: usize, character: usize) -> Option<Position> {
    let line = line.checked_sub(1).filter(|line| *line < text.line_count())?;
    let start = text.line_start(line);
    let offset = text.after_chars(start, character.saturating_sub(1)).min(text.line_end(line));
    Some(position(text, offset, context.editor.features().position_encoding))
}

/// `path:line: the line`, in order.
async fn listed(context: &ToolUseContext, places: &[Place]) -> String {
    if places.is_empty() {
        return NOTHING.to_owned();
    }
    let mut lines = Vec::new();
    for place in places.iter().take(MOST) {
        let Ok(path) = to_path(&place.uri) else {
            lines.push(format!("{}:{}", place.uri, place.range.start.line + 1));
            continue;
        };
        let line = place.range.start.line as usize;
        // What lies outside, or a rule hides, is named and not shown: nobody has allowed to read it.
        let real = context.documents.real_path(&path);
        let may_be_read = context.workspace.holds(&real)
            && !context.policy.forbids_reading(&path)
            && !context.policy.forbids_reading(&real);
        let shown = if may_be_read { text(context, &real).await } else { None };
        let shown = shown.map(|text| text.line(line).trim().chars().take(200).collect::<String>());
        let shown = shown.map_or(String::new(), |line| format!(": {line}"));
        lines.push(format!("{}:{}{shown}", context.workspace.display(&path), line + 1));
    }
    if places.len() > MOST {
        lines.push(format!("({} more.)", places.len() - MOST));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::{HoverText, Places, Range};
    use crate::permissions::{Behavior, Rule, SettledRule, Source};
    use crate::tools::fixture::Fixture;

    fn at(fixture: &Fixture, name: &str, line: u32) -> Place {
        let position = Position::new(line, 0);
        Place { uri: from_path(&fixture.path(name)), range: Range::new(position, position) }
    }

    fn asked(operation: &str, line: usize) -> Value {
        json!({"operation": operation, "filePath": "a.rs", "line": line, "character": 1})
    }

    #[tokio::test]
    async fn places_are_listed_with_their_lines() {
        let fixture = Fixture::new(&[("a.rs", "call();\n"), ("b.rs", "x\n  fn call() {}\n")]);
        fixture.open("a.rs", "call();\n");
        let places =
            Places { version: Some(1), places: vec![at(&fixture, "b.rs", 1), at(&fixture, "../x.rs", 4)] };
        fixture.editor.knows(None, Some(places), None);
        let found = fixture.call(&Lsp, asked("goToDefinition", 1)).await.unwrap();
        assert_eq!(found, format!("b.rs:2: fn call() {{}}\n{}:5", fixture.outside("x.rs")));
        fixture.editor.knows(None, Some(Places { version: Some(1), places: Vec::new() }), None);
        assert_eq!(fixture.call(&Lsp, asked("findReferences", 1)).await.unwrap(), NOTHING);
    }

    #[tokio::test]
    async fn a_line_of_a_file_that_a_rule_hides_is_not_shown() {
        let mut fixture = Fixture::new(&[("a.rs", "call();\n"), ("hidden.rs", "fn call() {}\n")]);
        let starts = fixture.policy.starts();
        let rule = Rule::parse("Read(hidden.rs)").unwrap();
        let settled = SettledRule::new(Behavior::Deny, rule, Source::User, "the settings", &starts).unwrap();
        fixture.policy.rules.push(settled);
        let places = Places { version: None, places: vec![at(&fixture, "hidden.rs", 0)] };
        fixture.editor.knows(None, Some(places), None);
        assert_eq!(fixture.call(&Lsp, asked("findReferences", 1)).await.unwrap(), "hidden.rs:1");
    }

    #[tokio::test]
    async fn a_hover_is_told_and_an_old_answer_is_unknown() {
        let fixture = Fixture::new(&[("a.rs", "call();\n")]);
        fixture.open("a.rs", "call();\n");
        let hover = |version| Some(HoverText { version, text: Some("fn call()\n".into()) });
        fixture.editor.knows(None, None, hover(Some(1)));
        assert_eq!(fixture.call(&Lsp, asked("hover", 1)).await.unwrap(), "fn call()");
        for version in [None, Some(0)] {
            fixture.editor.knows(None, None, hover(version));
            let told = fixture.call(&Lsp, asked("hover", 1)).await.unwrap();
            assert!(told.starts_with("Unknown"), "{told}");
        }
    }

    #[tokio::test]
    async fn what_can_not_be_asked_is_said() {
        let fixture = Fixture::new(&[("a.rs", "call();\n")]);
        for (input, want) in [
            (asked("hover", 9), "There is no line 9 in a.rs"),
            (asked("hover", 0), "counted from 1"),
            (asked("hover", 1), "The editor has no answer"),
            (asked("rename", 1), "unknown variant `rename`"),
        ] {
            let error = fixture.call(&Lsp, input.clone()).await.unwrap_err();
            assert!(error.contains(want), "{input}: {error}");
        }
    }

    #[tokio::test]
    async fn a_character_is_counted_as_the_editor_counts() {
        let fixture = Fixture::new(&[]);
        let text = Text::from("a\n👍x\n");
        let at = |line, character| place(&fixture.context(), &text, line, character);
        assert_eq!(at(2, 2), Some(Position::new(1, 2)), "UTF-16: the sign takes two");
        assert_eq!(at(2, 99), Some(Position::new(1, 3)));
        assert_eq!(at(4, 1), None);
    }
}
