//! A PDF as a model is shown it: the text of some of its pages.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use serde_json::json;

use super::{PAGE_BYTES, bytes};
use crate::conversation::ToolResultContent;
use crate::documents::AbsPath;
use crate::tools::{ToolError, ToolResult, ToolUseContext};

/// Bytes of a file that is looked at.
const LARGEST_FILE: u64 = 100 * 1024 * 1024;
/// A PDF with more pages is shown only by `pages`.
const UNASKED_PAGES: u32 = 10;
/// Pages shown at once.
const MOST_PAGES: u32 = 20;

/// The pages that `pages` names: `3`, `1-5`.
pub(super) fn wanted(pages: &str) -> Result<RangeInclusive<u32>, ToolError> {
    let (first, last) = pages.split_once('-').unwrap_or((pages, pages));
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
    let (Some(first), Some(last)) = (number(first), number(last)) else {
        return Err(ToolError(format!("`pages` is `{pages}`: name one page (`3`) or a range (`1-5`).")));
    };
    if last < first {
        return Err(ToolError(format!("`pages` is `{pages}`: the range ends before it begins.")));
    }
    if last - first >= MOST_PAGES {
        return Err(ToolError(format!(
            "`pages` is `{pages}`: at most {MOST_PAGES} pages are shown at once."
        )));
    }
    Ok(first..=last)
}

pub(super) async fn show(
    path: AbsPath,
    pages: Option<&str>,
    context: ToolUseContext,
) -> Result<ToolResult, ToolError> {
    let name = context.workspace.display(&path);
    let pages = pages.map(wanted).transpose()?;
    let bytes = bytes(&path, LARGEST_FILE, &context).await?;
    let read = tokio::task::spawn_blocking(move || text(&bytes, pages)).await;
    let Pages { text, shown, total } = read
        .unwrap_or_else(|_| Err("its data is broken".to_owned()))
        .map_err(|why| ToolError(format!("{name} can't be shown: {why}.")))?;
    let note = format!("Pages {} to {} of {total} in {name}, their text only.", shown.start(), shown.end());
    let data = json!({"type": "pdf", "file": {
        "filePath": path.as_str(), "firstPage": shown.start(), "lastPage": shown.end(), "totalPages": total,
    }});
    let content = vec![ToolResultContent::Text(text), ToolResultContent::Text(note)];
    Ok(ToolResult { content, data, ..ToolResult::default() })
}

#[derive(Debug, PartialEq, Eq)]
struct Pages {
    text: String,
    shown: RangeInclusive<u32>,
    total: u32,
}

fn text(bytes: &[u8], pages: Option<RangeInclusive<u32>>) -> Result<Pages, String> {
    let document = lopdf::Document::load_mem(bytes)
        .map_err(|error| format!("it is no PDF that can be read ({error})"))?;
    if document.is_encrypted() {
        return Err("it is encrypted with a password".to_owned());
    }
    let total = document.get_pages().len() as u32;
    let pages = match pages {
        Some(pages) if *pages.end() <= total => pages,
        Some(_) => return Err(format!("it has {total} pages, so not all of the pages you ask for")),
        None if total > UNASKED_PAGES => {
            return Err(format!("it has {total} pages: choose up to {MOST_PAGES} of them with `pages`"));
        }
        None if total == 0 => return Err("it has no pages".to_owned()),
        None => 1..=total,
    };
    let mut text = String::new();
    let mut last = *pages.start();
    for page in pages.clone() {
        let found = document.extract_text(&[page]).unwrap_or_default();
        let found = match found.trim() {
            "" => "(There is no text on this page: it may be an image.)",
            found => found,
        };
        if !text.is_empty() && text.len() + found.len() > PAGE_BYTES {
            break;
        }
        // Writing to a string can't fail.
        let _ = writeln!(text, "--- Page {page} ---\n{found}");
        last = page;
    }
    Ok(Pages { text, shown: *pages.start()..=last, total })
}

#[cfg(test)]
mod tests {
    use lopdf::content::{Content, Operation};
    use lopdf::{Document, Object, Stream, dictionary};

    use super::*;

    /// A PDF with a page for each of these texts.
    fn pdf(texts: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let tree = document.new_object_id();
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding",
        });
        let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
        let mut kids: Vec<Object> = Vec::new();
        for text in texts {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Td", vec![10.into(), 10.into()]),
                Operation::new("Tj", vec![Object::string_literal(*text)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page = document.add_object(dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => content, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 200.into(), 200.into()],
            });
            kids.push(page.into());
        }
        let count = i64::try_from(kids.len()).unwrap();
        document
            .objects
            .insert(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into());
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[track_caller]
    fn check(texts: &[&str], pages: Option<RangeInclusive<u32>>, want: Result<&str, &str>) {
        let read = text(&pdf(texts), pages).map(|pages| pages.text);
        assert_eq!(read, want.map(ToOwned::to_owned).map_err(ToOwned::to_owned));
    }

    #[test]
    fn pages_are_shown_by_their_text() {
        check(&["one", "two"], None, Ok("--- Page 1 ---\none\n--- Page 2 ---\ntwo\n"));
        check(&["one", "two", "three"], Some(2..=2), Ok("--- Page 2 ---\ntwo\n"));
        let empty = "--- Page 1 ---\n(There is no text on this page: it may be an image.)\n";
        check(&[""], None, Ok(empty));
    }

    #[test]
    fn a_long_one_is_shown_by_pages_only() {
        check(&["x"; 11], None, Err("it has 11 pages: choose up to 20 of them with `pages`"));
        check(&["x"; 3], Some(2..=4), Err("it has 3 pages, so not all of the pages you ask for"));
        assert!(text(b"no PDF", None).unwrap_err().starts_with("it is no PDF that can be read"));
    }

    #[test]
    fn pages_are_named_by_number_or_range() {
        assert_eq!(wanted("3").unwrap(), 3..=3);
        assert_eq!(wanted("1-20").unwrap(), 1..=20);
        for (pages, want) in
            [("x", "name one page"), ("0", "name one page"), ("5-1", "ends before"), ("1-21", "at most 20")]
        {
            assert!(wanted(pages).unwrap_err().0.contains(want), "{pages}");
        }
    }
}
