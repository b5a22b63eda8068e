//! Diagnostics: what the editor's own language servers report, as far as it is about the text that is there.

use std::fmt::Write as _;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::target::{check_path, place, resolve};
use super::{Offers, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::documents::{AbsPath, from_path, to_path};
use crate::editor::{Diagnostic, FileDiagnostics, Severity};
use crate::permissions::Access;

/// Problems that are listed.
const MOST: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DiagnosticsInput {
    /// The file, absolute or relative to the workspace. Leave it out for all files of the workspace.
    file_path: Option<String>,
}

#[derive(Debug)]
pub struct Diagnostics;

impl Tool for Diagnostics {
    fn name(&self) -> &'static str {
        "Diagnostics"
    }

    fn description(&self) -> String {
        include_str!("diagnostics/description.md").trim_end().to_owned()
    }

    fn is_enabled(&self, offers: &Offers) -> bool {
        offers.editor.copydesk.diagnostics
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn input_schema(&self) -> Value {
        input::schema::<DiagnosticsInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: DiagnosticsInput = input::parse("Diagnostics", input)?;
        check_path("file_path", input.file_path.as_deref().unwrap_or("."))
    }

    fn title(&self, input: &Value) -> String {
        match input::text(input, "file_path") {
            "" => "Read the problems".to_owned(),
            path => format!("Read the problems of {path}"),
        }
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        let path = input::text(input, "file_path");
        (!path.is_empty()).then(|| resolve(&context.workspace, path).ok()).flatten().into_iter().collect()
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        let path = input::text(input, "file_path");
        Access::Read((!path.is_empty()).then(|| place(context, path).ok()).flatten().into_iter().collect())
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { diagnose(input::parse("Diagnostics", &input)?, context).await }.boxed()
    }
}

async fn diagnose(input: DiagnosticsInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let path = input.file_path.map(|path| place(&context, &path)).transpose()?;
    let path = path.map(|place| place.opened().clone());
    let open = path.as_ref().and_then(|path| context.documents.open_document(path));
    let uri = open.map(|open| open.uri).or_else(|| path.as_ref().map(from_path));
    let Some(files) = context.editor.diagnostics(uri).await else {
        return Err(ToolError("The editor could not say what its language servers report.".to_owned()));
    };
    let mut files: Vec<(AbsPath, FileDiagnostics)> =
        files.into_iter().filter_map(|file| Some((to_path(&file.uri).ok()?, file))).collect();
    files.retain(|(file, _)| path.is_some() || context.workspace.contains(file));
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    let (mut text, mut left) = (String::new(), MOST);
    let mut unknown = Vec::new();
    if let Some(path) = &path
        && files.is_empty()
    {
        unknown.push(context.workspace.display(path));
    }
    let drafts = context.desk.drafts(&context.session).await;
    for (path, file) in &files {
        let name = context.workspace.display(path);
        if is_older(&context, path, file.version) {
            unknown.push(name.clone());
            continue;
        }
        let mut problems: Vec<&Diagnostic> = file.diagnostics.iter().collect();
        problems.sort_by_key(|problem| (problem.range.start, problem.severity));
        for problem in problems.into_iter().take(left) {
            line(&mut text, &name, problem);
            left -= 1;
        }
        if drafts.iter().any(|draft| draft.path == *path) {
            let _ = writeln!(text, "({name}: this is about the user's text, without your pending changes.)");
        }
    }
    let shown = MOST - left;
    let all: usize = files.iter().map(|(_, file)| file.diagnostics.len()).sum();
    if left == 0 && all > MOST {
        let _ = writeln!(text, "(There are more: ask for one file.)");
    }
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        let _ =
            writeln!(text, "Unknown for {names}: no language server has reported on the text as it is now.");
    }
    if text.is_empty() {
        "No problems are reported.".clone_into(&mut text);
    }
    let data = json!({"type": "diagnostics", "problems": shown, "unknown": unknown});
    Ok(ToolResult { data, ..ToolResult::text(text.trim_end()) })
}

/// The report belongs to a text before the one that the editor shows. Of a file that is not open, nothing else is known.
pub(super) fn is_older(context: &ToolUseContext, path: &AbsPath, version: Option<i32>) -> bool {
    match context.documents.open_document(path) {
        Some(open) => version != Some(open.version),
        None => false,
    }
}

fn line(out: &mut String, name: &str, problem: &Diagnostic) {
    let severity = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    };
    let source = problem.source.as_ref().map_or(String::new(), |source| format!(" [{source}]"));
    let message = problem.message.trim().replace('\n', "\n    ");
    // Writing to a string can't fail.
    let _ = writeln!(out, "{name}:{}: {severity}{source}: {message}", problem.range.start.line + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::{Position, Range};
    use crate::tools::fixture::Fixture;

    fn problem(line: u32, severity: Severity, message: &str) -> Diagnostic {
        let at = Position::new(line, 0);
        Diagnostic {
            range: Range::new(at, at),
            severity,
            message: message.into(),
            source: Some("rustc".into()),
        }
    }

    fn file(
        fixture: &Fixture,
        name: &str,
        version: Option<i32>,
        problems: Vec<Diagnostic>,
    ) -> FileDiagnostics {
        FileDiagnostics { uri: from_path(&fixture.path(name)), version, diagnostics: problems }
    }

    #[tokio::test]
    async fn problems_are_listed_by_file_and_line() {
        let fixture = Fixture::new(&[("a.rs", "a"), ("b.rs", "b")]);
        fixture.open("a.rs", "a");
        let problems =
            vec![problem(7, Severity::Warning, "unused"), problem(2, Severity::Error, "mismatched\ntypes")];
        let files = vec![
            file(&fixture, "b.rs", None, vec![problem(0, Severity::Hint, "b")]),
            file(&fixture, "a.rs", Some(1), problems),
        ];
        fixture.editor.knows(Some(files), None, None);
        assert_eq!(
            fixture.call(&Diagnostics, json!({})).await.unwrap(),
            "a.rs:3: error [rustc]: mismatched\n    types\na.rs:8: warning [rustc]: unused\n\
             b.rs:1: hint [rustc]: b"
        );
        assert_eq!(
            fixture.call(&Diagnostics, json!({"file_path": "b.rs"})).await.unwrap(),
            "b.rs:1: hint [rustc]: b"
        );
    }

    #[tokio::test]
    async fn what_is_older_than_the_text_is_unknown() {
        let fixture = Fixture::new(&[("a.rs", "a")]);
        fixture.open("a.rs", "a");
        let unknown = "Unknown for a.rs: no language server has reported on the text as it is now.";
        for version in [None, Some(0)] {
            let files = vec![file(&fixture, "a.rs", version, vec![problem(0, Severity::Error, "old")])];
            fixture.editor.knows(Some(files), None, None);
            assert_eq!(fixture.call(&Diagnostics, json!({"file_path": "a.rs"})).await.unwrap(), unknown);
        }
        fixture.editor.knows(Some(Vec::new()), None, None);
        assert_eq!(fixture.call(&Diagnostics, json!({"file_path": "a.rs"})).await.unwrap(), unknown);
        let clean = vec![file(&fixture, "a.rs", Some(1), Vec::new())];
        fixture.editor.knows(Some(clean), None, None);
        assert_eq!(
            fixture.call(&Diagnostics, json!({"file_path": "a.rs"})).await.unwrap(),
            "No problems are reported."
        );
    }

    #[tokio::test]
    async fn an_editor_that_does_not_answer_is_told() {
        let fixture = Fixture::new(&[("a.rs", "a")]);
        let error = fixture.call(&Diagnostics, json!({"file_path": "a.rs"})).await.unwrap_err();
        assert!(error.contains("could not say"), "{error}");
    }
}
