//! Grep: a regular expression in all files, unsaved text and pending changes first.

mod report;
mod search;
mod side_by_side;

use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::report::{Bounds, Searched, report};
use self::search::Search;
use self::side_by_side::in_all;
use super::folder::{Overlay, Watchdog};
use super::target::{check_path, missing, place};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::documents::walk::{Candidate, IgnoreFiles};
use crate::documents::{AbsPath, Ground, Kind, ReadError};
use crate::permissions::Access;

/// Entries shown when the model gives no limit.
const DEFAULT_ENTRIES: usize = 250;

/// What a search gives back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GrepInput {
    /// The regular expression.
    pattern: String,
    /// A folder or one file, absolute or relative to the workspace. Leave it out for the whole workspace.
    path: Option<String>,
    /// Only files whose path matches, such as `*.{ts,tsx}`; `!` in front leaves those out.
    glob: Option<String>,
    /// Only files of this kind, such as `rust`, `py`, `js`.
    r#type: Option<String>,
    /// Files, lines or numbers.
    #[serde(default)]
    output_mode: OutputMode,
    /// Upper and lower case match each other.
    #[serde(rename = "-i", default)]
    ignore_case: bool,
    /// Line numbers in `content`. On unless false.
    #[serde(rename = "-n")]
    line_numbers: Option<bool>,
    /// Only the matching parts of lines in `content`, one a line.
    #[serde(rename = "-o", default)]
    only_matching: bool,
    /// Lines shown after each match in `content`.
    #[serde(rename = "-A")]
    after: Option<usize>,
    /// Lines shown before each match in `content`.
    #[serde(rename = "-B")]
    before: Option<usize>,
    /// Lines shown on both sides of each match in `content`.
    #[serde(rename = "-C", alias = "context")]
    context: Option<usize>,
    /// The most entries shown, 250 unless given; 0 for all.
    head_limit: Option<usize>,
    /// How many entries to pass over first.
    #[serde(default)]
    offset: usize,
    /// A match may span lines, and `.` matches a line break.
    #[serde(default)]
    multiline: bool,
}

#[derive(Debug)]
pub struct Grep;

impl Tool for Grep {
    fn name(&self) -> &'static str {
        "Grep"
    }

    fn description(&self) -> String {
        include_str!("grep/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn input_schema(&self) -> Value {
        input::schema::<GrepInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: GrepInput = input::parse("Grep", input)?;
        if input.pattern.is_empty() {
            return Err(ToolError("`pattern` is empty: it would match everything.".to_owned()));
        }
        check_path("path", input.path.as_deref().unwrap_or("."))?;
        Search::new(&input).map(|_| ())?;
        let anywhere = AbsPath::new("/").ok_or_else(|| ToolError("There is no root folder.".to_owned()))?;
        Filter::new(&input, &anywhere).map(|_| ())
    }

    fn title(&self, input: &Value) -> String {
        format!("Search for {}", input::text(input, "pattern"))
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        let path = input::text(input, "path");
        Access::Read(place(context, if path.is_empty() { "." } else { path }).into_iter().collect())
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { grep(input::parse("Grep", &input)?, context).await }.boxed()
    }
}

async fn grep(input: GrepInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let base = place(&context, input.path.as_deref().unwrap_or("."))?.opened().clone();
    let overlay = Overlay::of(&context).await;
    let kind = if overlay.text(&base).is_some() { Ok(Kind::File) } else { context.documents.kind(&base) };
    let is_file = match kind {
        Ok(kind) => kind == Kind::File,
        Err(ReadError::Missing { .. }) => return Err(missing(&context.workspace, &base)),
        Err(ReadError::Special { .. }) => {
            let name = context.workspace.display(&base);
            return Err(ToolError(format!(
                "{name} is neither a regular file nor a folder, so it is not searched."
            )));
        }
        Err(error) => return Err(ToolError(format!("{error}."))),
    };
    let search = Search::new(&input)?;
    let filter = Filter::new(&input, &base)?;
    let limit = match input.head_limit {
        Some(0) => usize::MAX,
        limit => limit.unwrap_or(DEFAULT_ENTRIES),
    };
    let bounds = Bounds { offset: input.offset, limit };
    let stop = context.cancel.child_token();
    let _stops_the_search = stop.clone().drop_guard();
    let policy = context.policy.clone();
    let (documents, mode) = (context.documents.clone(), input.output_mode);
    let found = tokio::task::spawn_blocking(move || {
        let watchdog = Watchdog::new(stop);
        let passed_by = AtomicBool::new(false);
        let ground = if is_file { base.parent() } else { None };
        let ground = Ground::open(ground.as_ref().unwrap_or(&base)).ok();
        let files = if is_file {
            vec![base]
        } else {
            let limits = policy.limits_reading();
            let takes = |file: &Candidate<'_>| {
                if !filter.takes(file.path()) {
                    return None;
                }
                if limits && policy.forbids_reading(&file.to_path()) {
                    passed_by.store(true, Ordering::Relaxed);
                    return None;
                }
                Some(())
            };
            let files = overlay.files(&documents, &base, IgnoreFiles::Respected, &watchdog, takes)?;
            files.into_iter().map(|(path, ())| path).collect()
        };
        // A total needs all files; otherwise one entry more than is shown is enough.
        let enough = if mode == OutputMode::Count { usize::MAX } else { bounds.end() };
        let found = in_all((&files, ground.as_ref()), &search, &overlay, &watchdog, enough)?;
        let searched = if passed_by.into_inner() { Searched::WhatMayBeRead } else { Searched::All };
        Ok((found, searched))
    });
    let found = found.await.map_err(|error| ToolError(format!("The search failed: {error}.")))?;
    let (found, searched) =
        found.map_err(|stopped: super::folder::Stopped| ToolError(stopped.to_string()))?;
    let names = |path: &AbsPath| context.workspace.display(path);
    Ok(report((&found, searched), input.output_mode, input.line_numbers.unwrap_or(true), bounds, names))
}

/// Which files are searched, by name.
struct Filter {
    glob: Override,
    kind: Option<Types>,
}

impl Filter {
    fn new(input: &GrepInput, base: &AbsPath) -> Result<Self, ToolError> {
        let mut glob = OverrideBuilder::new(base.as_path());
        if let Some(pattern) = &input.glob {
            let invalid = |error| ToolError(format!("`glob` is not valid: {error}."));
            glob.add(pattern).map_err(invalid)?;
        }
        let glob = glob.build().map_err(|error| ToolError(format!("`glob` is not valid: {error}.")))?;
        let kind = input.r#type.as_ref().map(|name| {
            let known = TypesBuilder::new().add_defaults().select(name).build();
            known.map_err(|_| {
                ToolError(format!(
                    "`type` {name} is not known: use a name such as rust, py, js, ts, go, java, or `glob`."
                ))
            })
        });
        Ok(Self { glob, kind: kind.transpose()? })
    }

    fn takes(&self, path: &str) -> bool {
        !self.glob.matched(path, false).is_ignore()
            && self.kind.as_ref().is_none_or(|kind| !kind.matched(path, false).is_ignore())
    }
}

#[cfg(test)]
mod tests;
