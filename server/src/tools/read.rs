//! Read: a file as it stands, unsaved text and the agent's own pending changes included.

mod image;
mod notebook;
mod page;
mod pdf;

use std::ops::Range;

use camino::Utf8Path;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use self::page::{Bounds, line_total, page, write_line};
use super::target::{check_path, file, missing, names, places};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::conversation::ToolResultContent;
use crate::documents::{AbsPath, ReadError, Stamp, Text};
use crate::permissions::Access;
use crate::review::AgentView;

/// Lines shown when the model gives no limit.
const DEFAULT_LINES: usize = 2_000;
const LINE_CHARS: usize = 2_000;
/// About 25,000 tokens.
const PAGE_BYTES: usize = 100_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadInput {
    /// The file: an absolute path, or one relative to the workspace.
    file_path: String,
    /// The first line to show, counted from 1. Leave it out to begin at the top.
    offset: Option<usize>,
    /// How many lines to show. Leave it out for up to 2000.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
    /// Of a PDF: the pages to show, such as `3` or `1-5`, at most 20 at once. Needed if it has more than 10.
    pages: Option<String>,
}

/// How a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Notebook,
    /// In a format that models take.
    Image,
    ForeignImage,
    Pdf,
}

#[derive(Debug)]
pub struct Read;

impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn description(&self) -> String {
        include_str!("read/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn input_schema(&self) -> Value {
        input::schema::<ReadInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: ReadInput = input::parse("Read", input)?;
        if input.limit == Some(0) {
            return Err(ToolError("`limit` is 0: ask for at least one line.".to_owned()));
        }
        check_path("file_path", &input.file_path)?;
        match (&input.pages, Kind::of(&input.file_path)) {
            (None, _) => Ok(()),
            (Some(pages), Kind::Pdf) => pdf::wanted(pages).map(|_| ()),
            (Some(_), Kind::Text | Kind::Notebook | Kind::Image | Kind::ForeignImage) => {
                Err(ToolError("`pages` is for PDFs: use `offset` and `limit` for other files.".to_owned()))
            }
        }
    }

    fn title(&self, input: &Value) -> String {
        format!("Read {}", input::text(input, "file_path"))
    }

    fn locations(&self, input: &Value, context: &ToolUseContext) -> Vec<AbsPath> {
        names(context, input::text(input, "file_path"))
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    /// A file of any size is shown in bounded pages.
    fn max_result_chars(&self) -> Option<usize> {
        None
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Access::Read(places(context, input::text(input, "file_path")))
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { read(input::parse("Read", &input)?, context).await }.boxed()
    }
}

async fn read(input: ReadInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let path = file(&context, &input.file_path)?;
    let kind = Kind::of(&input.file_path);
    match kind {
        Kind::Image => return image::show(path, context).await,
        Kind::ForeignImage => return image::foreign(path, context).await,
        Kind::Pdf => return pdf::show(path, input.pages.as_deref(), context).await,
        Kind::Text | Kind::Notebook => {}
    }
    let first = input.offset.unwrap_or(1).saturating_sub(1);
    match context.desk.agent_view(&context.session, &path).await {
        Ok(view) => match view.text.clone() {
            Some(text) => {
                let behind_disk = is_behind_disk(&view, &context).await;
                if kind == Kind::Notebook
                    && let Some(shown) = notebook::show(&view, &text, first, input.limit, &context)
                {
                    return Ok(with_notes(shown, notes(&view, behind_disk, &context)));
                }
                Ok(show(&view, &text, first, input.limit, behind_disk, &context))
            }
            None => Err(missing(&context.workspace, &path)),
        },
        Err(ReadError::TooLarge { .. }) => show_part(path, first, input.limit, context).await,
        Err(ReadError::Missing { .. }) => Err(missing(&context.workspace, &path)),
        Err(other) => Err(ToolError(format!("{other}."))),
    }
}

/// The bytes of a file that is not text, read apart from the loop's own threads.
async fn bytes(path: &AbsPath, limit: u64, context: &ToolUseContext) -> Result<Vec<u8>, ToolError> {
    let (documents, asked) = (context.documents.clone(), path.clone());
    let read = tokio::task::spawn_blocking(move || documents.bytes(&asked, limit)).await;
    match read {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(ReadError::Missing { .. })) => Err(missing(&context.workspace, path)),
        Ok(Err(ReadError::TooLarge { size, limit, .. })) => {
            let name = context.workspace.display(path);
            Err(ToolError(format!(
                "{name} has {size} bytes: more than the {limit} that are read of such a file."
            )))
        }
        Ok(Err(other)) => Err(ToolError(format!("{other}."))),
        Err(error) => Err(ToolError(format!("{path} could not be read: {error}."))),
    }
}

/// Looked at apart from the loop's own threads: it reads the disk.
async fn is_behind_disk(view: &AgentView, context: &ToolUseContext) -> bool {
    if !matches!(view.stamp, Some(Stamp::Open { .. })) {
        return false;
    }
    let (documents, path) = (context.documents.clone(), view.path.clone());
    tokio::task::spawn_blocking(move || documents.is_behind_disk(&path)).await.unwrap_or_default()
}

/// A page of a text that is held whole, remembered as seen.
fn show(
    view: &AgentView,
    text: &Text,
    first: usize,
    limit: Option<usize>,
    behind_disk: bool,
    context: &ToolUseContext,
) -> ToolResult {
    let name = context.workspace.display(&view.path);
    let bounds = Bounds { lines: limit.unwrap_or(DEFAULT_LINES), line_chars: LINE_CHARS, bytes: PAGE_BYTES };
    let page = page(text, first, bounds);
    let seen = context.seen.get(&view.path).filter(|seen| seen.text == *text);
    let shown = |lines: &Range<usize>| lines.start <= page.lines.start && page.lines.end <= lines.end;
    if !behind_disk && !page.lines.is_empty() && seen.is_some_and(|seen| seen.lines.iter().any(shown)) {
        let note = format!(
            "{name} is unchanged since you last read these lines: what you were shown then still holds."
        );
        return ToolResult {
            data: json!({"type": "file_unchanged", "file": {"filePath": view.path.as_str()}}),
            ..ToolResult::text(note)
        };
    }
    context.seen.show(&view.path, text, view.stamp.clone(), page.lines.clone());
    let mut notes = Vec::new();
    if page.total == 0 {
        notes.push(format!("{name} is empty."));
    } else if page.lines.is_empty() {
        notes.push(format!("{name} has {} lines: there is none at line {}.", page.total, first + 1));
    } else if page.lines.end < page.total {
        notes.push(format!(
            "Lines {} to {} of {}. Go on with offset {}.",
            page.lines.start + 1,
            page.lines.end,
            page.total,
            page.lines.end + 1
        ));
    }
    if page.cut {
        notes.push("Use Grep with -o to see parts of a line that was cut.".to_owned());
    }
    notes.extend(self::notes(view, behind_disk, context));
    let data = json!({"type": "text", "file": {
        "filePath": view.path.as_str(),
        "content": page.text,
        "startLine": page.lines.start + 1,
        "numLines": page.lines.len(),
        "totalLines": page.total,
    }});
    ToolResult { content: contents(page.text, notes), data, ..ToolResult::default() }
}

/// What is to be said of a text beside its lines.
fn notes(view: &AgentView, behind_disk: bool, context: &ToolUseContext) -> Vec<String> {
    let mut notes = Vec::new();
    if behind_disk {
        let name = context.workspace.display(&view.path);
        notes.push(format!(
            "The file {name} on disk has changed and the editor has not loaded it yet: this is the editor's text."
        ));
    }
    if view.drafted {
        notes.push("This includes your own changes that the user has not decided on yet.".to_owned());
    }
    notes
}

/// A page of a file that is too large to be held. It can be looked at, not edited, so nothing is remembered.
async fn show_part(
    path: AbsPath,
    first: usize,
    limit: Option<usize>,
    context: ToolUseContext,
) -> Result<ToolResult, ToolError> {
    let name = context.workspace.display(&path);
    let (documents, asked) = (context.documents.clone(), path.clone());
    let lines = first..first.saturating_add(limit.unwrap_or(DEFAULT_LINES));
    let part = tokio::task::spawn_blocking(move || documents.read_part(&asked, lines, PAGE_BYTES))
        .await
        .map_err(|error| ToolError(format!("{name} could not be read: {error}.")))?
        .map_err(|error| ToolError(format!("{error}.")))?;
    let mut shown = String::new();
    let text = Text::from(part.text.as_str());
    for line in 0..line_total(&text) {
        let content = text.slice(text.line_start(line)..text.line_end(line));
        write_line(&mut shown, part.lines.start + line, &content, LINE_CHARS);
    }
    let mut notes = vec![format!("{name} has {} bytes: too large to edit, it is shown in parts.", part.size)];
    if part.lines.is_empty() {
        notes.push(format!("There is no line {}.", first + 1));
    } else if part.more {
        notes.push(format!("It goes on: use offset {}.", part.lines.end + 1));
    }
    let data = json!({"type": "parts", "file": {
        "filePath": path.as_str(),
        "content": shown,
        "startLine": part.lines.start + 1,
        "numLines": part.lines.len(),
    }});
    Ok(ToolResult { content: contents(shown, notes), data, ..ToolResult::default() })
}

/// The lines, and apart from them what is to be said about them.
fn contents(lines: String, notes: Vec<String>) -> Vec<ToolResultContent> {
    let notes = notes.join(" ");
    [lines, notes].into_iter().filter(|text| !text.is_empty()).map(ToolResultContent::Text).collect()
}

fn with_notes(mut shown: ToolResult, notes: Vec<String>) -> ToolResult {
    if !notes.is_empty() {
        shown.content.push(ToolResultContent::Text(notes.join(" ")));
    }
    shown
}

impl Kind {
    /// By the name's extension.
    fn of(path: &str) -> Self {
        let extension = Utf8Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "ipynb" => Self::Notebook,
            "pdf" => Self::Pdf,
            "png" | "jpg" | "jpeg" | "gif" | "webp" => Self::Image,
            "bmp" | "tif" | "tiff" | "ico" | "heic" | "heif" | "avif" | "psd" => Self::ForeignImage,
            _ => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests;
