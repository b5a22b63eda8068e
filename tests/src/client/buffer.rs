//! A text as an editor keeps it: plain strings, so that nothing of the server's own code is trusted here.

use std::ops::Range;

use serde_json::{Value, json};

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

/// One open document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub version: i64,
    pub text: String,
}

impl Buffer {
    /// The LSP range of some bytes.
    pub fn range(&self, bytes: Range<usize>, encoding: Encoding) -> Value {
        json!({
            "start": position(&self.text, bytes.start, encoding),
            "end": position(&self.text, bytes.end, encoding),
        })
    }
}

/// The text after `edits` (LSP `TextEdit[]`), which all refer to `text`: those at one place go in in their order, and a
/// list that overlaps is refused whole.
pub fn apply_edits(text: &str, edits: &Value, encoding: Encoding) -> Result<String, String> {
    let mut spans: Vec<(Range<usize>, &str)> = Vec::new();
    for edit in edits.as_array().ok_or("no list of edits")? {
        let start = offset(text, &edit["range"]["start"], encoding)?;
        let end = offset(text, &edit["range"]["end"], encoding)?;
        if end < start {
            return Err(format!("the end is before the start: {edit}"));
        }
        spans.push((start..end, edit["newText"].as_str().ok_or("no newText")?));
    }
    // Stable, and an insertion comes before a replacement that starts where it is.
    spans.sort_by_key(|(span, _)| (span.start, span.end));
    let mut edited = String::new();
    let mut done = 0;
    for (span, new_text) in spans {
        if span.start < done {
            return Err(format!("edits overlap at byte {}", span.start));
        }
        edited.push_str(&text[done..span.start]);
        edited.push_str(new_text);
        done = span.end;
    }
    edited.push_str(&text[done..]);
    Ok(edited)
}

/// Where each line begins. Line breaks are LSP's.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).filter(|&at| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

fn position(text: &str, at: usize, encoding: Encoding) -> Value {
    let starts = line_starts(text);
    let line = starts.iter().rposition(|start| *start <= at).unwrap_or_default();
    let before = &text[starts[line]..at];
    let character = match encoding {
        Encoding::Utf8 => before.len(),
        Encoding::Utf16 => before.encode_utf16().count(),
        Encoding::Utf32 => before.chars().count(),
    };
    json!({ "line": line, "character": character })
}

/// Strict where LSP is lenient: the server has no reason to send a place that is not there.
fn offset(text: &str, position: &Value, encoding: Encoding) -> Result<usize, String> {
    let number = |name: &str| position[name].as_u64().and_then(|number| usize::try_from(number).ok());
    let (Some(line), Some(character)) = (number("line"), number("character")) else {
        return Err(format!("{position} is no position"));
    };
    let starts = line_starts(text);
    let start = *starts.get(line).ok_or_else(|| format!("there is no line {line}"))?;
    let end = starts.get(line + 1).copied().unwrap_or(text.len());
    let content = text[start..end].trim_end_matches(['\r', '\n']);
    let mut units = 0;
    for (at, char) in content.char_indices() {
        if units == character {
            return Ok(start + at);
        }
        units += match encoding {
            Encoding::Utf8 => char.len_utf8(),
            Encoding::Utf16 => char.len_utf16(),
            Encoding::Utf32 => 1,
        };
    }
    if units == character {
        Ok(start + content.len())
    } else {
        Err(format!("line {line} has no border at column {character}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_each_encoding() {
        let text = "a\r\ne\u{301}\u{1f600}x\ry";
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let at = text.find('x').unwrap();
            assert_eq!(position(text, at, encoding), json!({"line": 1, "character": column}));
            assert_eq!(offset(text, &json!({"line": 1, "character": column}), encoding), Ok(at));
        }
        assert_eq!(position(text, text.len(), Encoding::Utf8), json!({"line": 2, "character": 1}));
        assert!(offset(text, &json!({"line": 1, "character": 3}), Encoding::Utf16).is_err());
        assert!(offset(text, &json!({"line": 3, "character": 0}), Encoding::Utf16).is_err());
    }
}
