//! A notebook as a model is shown it: its cells with their ids, their sources, and what they have given out.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::PAGE_BYTES;
use crate::conversation::{ImageSource, ToolResultContent};
use crate::documents::{SeenFile, Text};
use crate::review::AgentView;
use crate::tools::notebook::{Cell, CellKind, Notebook, joined};
use crate::tools::{ToolResult, ToolUseContext};

/// Characters of one output that are shown.
const OUTPUT_CHARS: usize = 10_000;
/// Base64 of an output's image that is shown.
const IMAGE_CHARS: usize = 700_000;

/// The cells from `first` (zero-based) on. `None`: the text is no notebook, so it is shown as any other.
pub(super) fn show(
    view: &AgentView,
    text: &Text,
    first: usize,
    limit: Option<usize>,
    context: &ToolUseContext,
) -> Option<ToolResult> {
    let notebook = Notebook::of(&text.to_string()).ok()?;
    let name = context.workspace.display(&view.path);
    let total = notebook.cells.len();
    let mut content = Vec::new();
    let (mut out, mut end, mut size) = (String::new(), first.min(total), 0);
    for cell in notebook.cells.iter().skip(first).take(limit.unwrap_or(usize::MAX)) {
        let shown = shown(cell, notebook.language.as_deref());
        let added = shown.text.len();
        if size > 0 && size + added > PAGE_BYTES {
            break;
        }
        size += added;
        out.push_str(&shown.text);
        if !shown.images.is_empty() {
            content.push(ToolResultContent::Text(std::mem::take(&mut out)));
            content.extend(shown.images.into_iter().map(ToolResultContent::Image));
        }
        end += 1;
    }
    if !out.is_empty() {
        content.push(ToolResultContent::Text(out));
    }
    if total == 0 {
        content.push(ToolResultContent::Text(format!("{name} has no cells.")));
    } else if end <= first {
        content.push(ToolResultContent::Text(format!(
            "{name} has {total} cells: there is none at {}.",
            first + 1
        )));
    } else if end < total {
        let note = format!("Cells {} to {end} of {total}. Go on with offset {}.", first + 1, end + 1);
        content.push(ToolResultContent::Text(note));
    }
    let whole = first == 0 && end == total;
    let known = context.seen.get(&view.path).is_some_and(|seen| seen.whole && seen.text == *text);
    let seen =
        SeenFile { text: text.clone(), stamp: view.stamp.clone(), lines: Vec::new(), whole: whole || known };
    context.seen.put(view.path.clone(), seen);
    let data = json!({"type": "notebook", "file": {
        "filePath": view.path.as_str(), "startCell": first + 1, "numCells": end.saturating_sub(first), "totalCells": total,
    }});
    Some(ToolResult { content, data, ..ToolResult::default() })
}

struct Shown {
    text: String,
    images: Vec<ImageSource>,
}

fn shown(cell: &Cell, language: Option<&str>) -> Shown {
    let mut shown = Shown { text: String::new(), images: Vec::new() };
    let language =
        language.filter(|_| cell.kind == CellKind::Code).map(|name| format!(" language=\"{name}\""));
    let (id, kind, source) = (&cell.id, cell.kind.name(), &cell.source);
    // Writing to a string can't fail.
    let _ =
        writeln!(shown.text, "<cell id=\"{id}\" type=\"{kind}\"{}>\n{source}", language.unwrap_or_default());
    shown.text.push_str("</cell>\n");
    for output in &cell.outputs {
        let (text, image) = given_out(output);
        let text = text.trim_end();
        let cut = text.char_indices().nth(OUTPUT_CHARS).map(|(at, _)| at);
        let visible = cut.and_then(|at| text.get(..at)).unwrap_or(text);
        let more = cut.map_or("", |_| "\n[… cut here]");
        let _ = writeln!(shown.text, "<output>\n{visible}{more}\n</output>");
        shown.images.extend(image);
    }
    shown
}

/// One output as text, and its image (`nbformat` output types `stream`, `error`, `display_data`, `execute_result`).
fn given_out(output: &Value) -> (String, Option<ImageSource>) {
    let field = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
    match field("output_type") {
        "stream" => (joined(output.get("text")), None),
        "error" => (format!("{}: {}\n{}", field("ename"), field("evalue"), plain(&trace(output))), None),
        _ => {
            let data = output.get("data").cloned().unwrap_or_default();
            let text = joined(data.get("text/plain"));
            let picture = ["image/png", "image/jpeg"]
                .into_iter()
                .find_map(|kind| Some((kind, joined(Some(data.get(kind)?)))));
            match picture {
                Some((kind, encoded)) => {
                    let encoded: String = encoded.split_whitespace().collect();
                    if encoded.len() > IMAGE_CHARS {
                        return (
                            format!("{text}\n[An image of this output is too large to be shown.]"),
                            None,
                        );
                    }
                    let text = if text.is_empty() { "[an image, which follows]".to_owned() } else { text };
                    (text, Some(ImageSource { media_type: kind.to_owned(), data: encoded }))
                }
                None if text.is_empty() => {
                    let kinds: Vec<String> =
                        data.as_object().map(|data| data.keys().cloned().collect()).unwrap_or_default();
                    (format!("[output of the kinds {}]", kinds.join(", ")), None)
                }
                None => (text, None),
            }
        }
    }
}

fn trace(output: &Value) -> String {
    let lines = output.get("traceback").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// Without the escape sequences that colour a traceback.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = after.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use crate::tools::{Read, Tool};

    fn notebook() -> String {
        json!({
            "cells": [
                {"cell_type": "markdown", "id": "a", "source": ["# T\n", "text"]},
                {"cell_type": "code", "id": "b", "source": "1/0", "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
                    {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by zero", "traceback": ["\u{1b}[0;31mline 1\u{1b}[0m"]},
                    {"output_type": "display_data", "data": {"image/png": "AAAA\nBBBB\n", "text/plain": "<Figure>"}},
                    {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
                ]},
                {"cell_type": "code", "id": "c", "source": "x"},
            ],
            "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5,
        })
        .to_string()
    }

    async fn read(fixture: &Fixture, input: Value) -> Vec<ToolResultContent> {
        Read.call(input, fixture.context()).await.unwrap().content
    }

    #[tokio::test]
    async fn cells_are_shown_with_what_they_gave_out() {
        let fixture = Fixture::new(&[("n.ipynb", &notebook())]);
        let shown = read(&fixture, json!({"file_path": "n.ipynb"})).await;
        let before = "<cell id=\"a\" type=\"markdown\">\n# T\ntext\n</cell>\n\
            <cell id=\"b\" type=\"code\" language=\"python\">\n1/0\n</cell>\n\
            <output>\none\ntwo\n</output>\n\
            <output>\nZeroDivisionError: by zero\nline 1\n</output>\n\
            <output>\n<Figure>\n</output>\n\
            <output>\n[output of the kinds text/html]\n</output>\n";
        assert_eq!(
            shown,
            [
                ToolResultContent::Text(before.into()),
                ToolResultContent::Image(ImageSource {
                    media_type: "image/png".into(),
                    data: "AAAABBBB".into()
                }),
                ToolResultContent::Text(
                    "<cell id=\"c\" type=\"code\" language=\"python\">\nx\n</cell>\n".into()
                ),
            ]
        );
        assert!(fixture.seen.get(&fixture.path("n.ipynb")).unwrap().whole);
    }

    #[tokio::test]
    async fn offset_and_limit_count_cells() {
        let fixture = Fixture::new(&[("n.ipynb", &notebook()), ("bad.ipynb", "{}\n")]);
        let shown = read(&fixture, json!({"file_path": "n.ipynb", "limit": 1})).await;
        assert_eq!(
            shown,
            [
                ToolResultContent::Text("<cell id=\"a\" type=\"markdown\">\n# T\ntext\n</cell>\n".into()),
                ToolResultContent::Text("Cells 1 to 1 of 3. Go on with offset 2.".into()),
            ]
        );
        assert!(!fixture.seen.get(&fixture.path("n.ipynb")).unwrap().whole);
        let past = read(&fixture, json!({"file_path": "n.ipynb", "offset": 9})).await;
        assert_eq!(past, [ToolResultContent::Text("n.ipynb has 3 cells: there is none at 9.".into())]);
        let text = fixture.call(&Read, json!({"file_path": "bad.ipynb"})).await.unwrap();
        assert_eq!(text, "     1\t{}\n", "no notebook, so it is shown as text");
    }
}
