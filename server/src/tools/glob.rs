//! Glob: files by name, newest first, pending new ones included.

use std::time::SystemTime;

use camino::Utf8Path;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::folder::{Overlay, Stopped, Watchdog};
use super::target::{self, check_path};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::documents::walk::{Candidate, IgnoreFiles};
use crate::documents::{AbsPath, FileStateCache, Kind, ReadError};
use crate::permissions::{Access, Policy};

/// The most files listed.
const MOST: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GlobInput {
    /// What the names must match, such as `src/**/*.rs`.
    pattern: String,
    /// The folder to look in, absolute or relative to the workspace. Leave it out for the whole workspace.
    path: Option<String>,
}

#[derive(Debug)]
pub struct Glob;

impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn description(&self) -> String {
        include_str!("glob/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn input_schema(&self) -> Value {
        input::schema::<GlobInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: GlobInput = input::parse("Glob", input)?;
        check_path("pattern", &input.pattern)?;
        check_path("path", input.path.as_deref().unwrap_or("."))?;
        matcher(&place(&input.pattern).1).map(|_| ())
    }

    fn title(&self, input: &Value) -> String {
        format!("Find {}", input::text(input, "pattern"))
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        let (fixed, _) = place(input::text(input, "pattern"));
        let folder = base(input::text(input, "path"), &fixed);
        Access::Read(target::place(context, &folder).into_iter().collect())
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { glob(input::parse("Glob", &input)?, context).await }.boxed()
    }
}

async fn glob(input: GlobInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let (fixed, pattern) = place(&input.pattern);
    let matcher = matcher(&pattern)?;
    let folder = base(input.path.as_deref().unwrap_or_default(), &fixed);
    let folder = target::place(&context, &folder)?.opened().clone();
    match context.documents.kind(&folder) {
        Ok(Kind::Folder) => {}
        Err(error @ ReadError::Linked { .. }) => return Err(ToolError(format!("{error}."))),
        Ok(Kind::File) | Err(_) => {
            return Err(ToolError(format!("{} is no folder.", context.workspace.display(&folder))));
        }
    }
    let overlay = Overlay::of(&context).await;
    let stop = context.cancel.child_token();
    let _stops_the_walk = stop.clone().drop_guard();
    let policy = context.policy.clone();
    let (documents, any_depth) = (context.documents.clone(), !pattern.contains('/'));
    let found = tokio::task::spawn_blocking(move || {
        let matches =
            |file: &Candidate<'_>| matcher.is_match(if any_depth { file.name() } else { file.below() });
        newest_first(&overlay, &documents, &folder, matches, &policy, &Watchdog::new(stop))
    });
    let found = found.await.map_err(|error| ToolError(format!("The search failed: {error}.")))?;
    let found = found.map_err(|stopped| ToolError(stopped.to_string()))?;
    let names: Vec<String> = found.iter().take(MOST).map(|path| context.workspace.display(path)).collect();
    let text = match found.len() {
        0 => "No files match.".to_owned(),
        count if count > MOST => {
            format!("{}\n({} more files match: narrow the pattern.)", names.join("\n"), count - MOST)
        }
        _ => names.join("\n"),
    };
    let data = json!({"filenames": names, "numFiles": found.len(), "truncated": found.len() > MOST});
    Ok(ToolResult { data, ..ToolResult::text(text) })
}

fn newest_first(
    overlay: &Overlay,
    documents: &FileStateCache,
    folder: &AbsPath,
    matches: impl Fn(&Candidate<'_>) -> bool + Sync,
    policy: &Policy,
    watchdog: &Watchdog,
) -> Result<Vec<AbsPath>, Stopped> {
    let limits = policy.limits_reading();
    let changed = |file: &Candidate<'_>| {
        let is_shown = matches(file) && !(limits && policy.forbids_reading(&file.to_path()));
        // What is not on disk yet is the newest.
        is_shown.then(|| std::cmp::Reverse(file.modified().unwrap_or_else(SystemTime::now)))
    };
    let mut found = overlay.files(documents, folder, IgnoreFiles::Disregarded, watchdog, changed)?;
    found.sort_by(|(one, changed), (other, later)| (changed, one).cmp(&(later, other)));
    Ok(found.into_iter().map(|(path, _)| path).collect())
}

/// The folders that a pattern begins with as plain names, and the rest of it.
fn place(pattern: &str) -> (String, String) {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let fixed: usize = pattern
        .split_inclusive('/')
        .take_while(|part| part.ends_with('/') && !part.contains(['*', '?', '[', '{', '\\']))
        .map(str::len)
        .sum();
    if pattern.starts_with('/') || pattern.starts_with("../") {
        let (folder, rest) = pattern.split_at(fixed);
        (folder.to_owned(), if rest.is_empty() { "**".to_owned() } else { format!("./{rest}") })
    } else {
        (String::new(), pattern.to_owned())
    }
}

/// Where the search begins: the fixed folders of the pattern, below the given path unless they are absolute.
fn base(path: &str, fixed: &str) -> String {
    let path = if path.is_empty() { "." } else { path };
    Utf8Path::new(path).join(fixed).into_string()
}

fn matcher(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| ToolError(format!("`{pattern}` is not a valid pattern: {}.", error.kind())))
}

#[cfg(test)]
mod tests;
