//! What the offline model has read of a file, from the results of its Read calls.

use serde_json::{Value, json};

use super::task::{Done, QUOTE, same_file};

/// Lines asked for at a time: what Read gives when it is not told otherwise.
const PAGE: usize = 2_000;

/// How far reading a file has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// All of it, its lines joined by LF.
    Whole(String),
    /// Another Read is needed, with this input.
    Next(Value),
    /// Read failed, for this reason.
    Failed(String),
}

/// Joins what `reads` say of `path`. Where they only say that it is unchanged, `earlier` calls tell how it stands.
pub(super) fn reading(path: &str, reads: &[Done], earlier: &[Done]) -> Reading {
    let mut lines: Vec<String> = Vec::new();
    for read in reads.iter().filter(|read| read.field("file_path") == Some(path)) {
        if read.failed {
            return Reading::Failed(read.text.clone());
        }
        let page = numbered(&read.text);
        if page.is_empty() && read.text.contains("unchanged") {
            return Reading::Whole(known(path, earlier));
        }
        let ended = page.is_empty() || (page.len() < PAGE && !says_there_is_more(&read.text));
        lines.extend(page);
        if ended {
            return Reading::Whole(lines.join("\n"));
        }
    }
    Reading::Next(match lines.len() {
        0 => json!({ "file_path": path }),
        read => json!({ "file_path": path, "offset": read + 1 }),
    })
}

/// The text of `path` as `calls` left it: what was last read, with the edits made since.
fn known(path: &str, calls: &[Done]) -> String {
    let mut text = String::new();
    for call in calls.iter().filter(|call| !call.failed) {
        if !call.field("file_path").is_some_and(|other| same_file(other, path)) {
            continue;
        }
        let offset = call
            .input
            .get("offset")
            .and_then(Value::as_u64)
            .map_or(0, |first| first.saturating_sub(1) as usize);
        let page = numbered(&call.text);
        let lines = || text.split('\n').map(str::to_owned);
        match call.tool.as_str() {
            "Read" if !page.is_empty() => {
                text = lines().take(offset).chain(page).collect::<Vec<_>>().join("\n");
            }
            QUOTE => {
                let behind = lines().skip(offset + page.len());
                text = lines().take(offset).chain(page).chain(behind).collect::<Vec<_>>().join("\n");
            }
            "Edit" => {
                if let (Some(old), Some(new)) = (call.field("old_string"), call.field("new_string")) {
                    text = text.replacen(old, new, 1);
                }
            }
            _ => {}
        }
    }
    text
}

/// The lines of a Read result: number, tab, text.
fn numbered(result: &str) -> Vec<String> {
    result
        .split('\n')
        .filter_map(|line| {
            let (number, text) = line.split_once('\t')?;
            let numbered = !number.trim().is_empty() && number.trim().chars().all(|c| c.is_ascii_digit());
            numbered.then(|| text.to_owned())
        })
        .collect()
}

/// Whether a line that is no line of the file points to a further page.
fn says_there_is_more(result: &str) -> bool {
    result.lines().filter(|line| numbered(line).is_empty()).any(|notice| notice.contains("offset"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: Value, text: &str, failed: bool) -> Done {
        Done { tool: "Read".to_owned(), input, text: text.to_owned(), failed }
    }

    #[track_caller]
    fn check(reads: &[Done], earlier: &[Done], wanted: Reading) {
        assert_eq!(reading("a.rs", reads, earlier), wanted);
    }

    #[test]
    fn a_short_file_is_read_at_once() {
        let page = read(json!({ "file_path": "a.rs" }), "     1\tfn load() {\n     2\t\tx\n     3\t}", false);
        check(&[page], &[], Reading::Whole("fn load() {\n\tx\n}".to_owned()));
        check(&[], &[], Reading::Next(json!({ "file_path": "a.rs" })));
    }

    #[test]
    fn a_long_file_is_read_page_by_page() {
        let first: Vec<String> = (1..=PAGE).map(|number| format!("{number:>6}\tx")).collect();
        let first = read(json!({ "file_path": "a.rs" }), &first.join("\n"), false);
        check(
            std::slice::from_ref(&first),
            &[],
            Reading::Next(json!({ "file_path": "a.rs", "offset": PAGE + 1 })),
        );
        let second = read(json!({ "file_path": "a.rs", "offset": PAGE + 1 }), "  2001\tlast", false);
        let Reading::Whole(text) = reading("a.rs", &[first, second], &[]) else { panic!("it is read") };
        assert!(text.ends_with("x\nlast"));
    }

    #[test]
    fn a_file_that_was_read_before_is_known_with_the_edits_since() {
        let unchanged = "a.rs is unchanged since you last read these lines.";
        let again = read(json!({ "file_path": "a.rs" }), unchanged, false);
        let earlier = read(json!({ "file_path": "/w/a.rs" }), "     1\tx\n     2\ty", false);
        let edit = Done {
            tool: "Edit".to_owned(),
            input: json!({ "file_path": "a.rs", "old_string": "y", "new_string": "z" }),
            text: String::new(),
            failed: false,
        };
        check(&[again], &[earlier, edit], Reading::Whole("x\nz".to_owned()));
    }

    #[test]
    fn a_quote_lies_over_what_was_read() {
        let again =
            read(json!({ "file_path": "a.rs" }), "a.rs is unchanged since you last read these lines.", false);
        let earlier = read(json!({ "file_path": "a.rs" }), "     1\tx\n     2\ty\n     3\tz", false);
        let quote = Done {
            tool: QUOTE.to_owned(),
            ..read(json!({ "file_path": "a.rs", "offset": 2 }), "     2\tY", false)
        };
        check(std::slice::from_ref(&again), &[earlier, quote.clone()], Reading::Whole("x\nY\nz".to_owned()));
        let whole = Done { input: json!({ "file_path": "a.rs", "offset": 1 }), ..quote };
        check(&[again], &[whole], Reading::Whole("Y".to_owned()));
    }

    #[test]
    fn a_failure_is_passed_on() {
        let failed = read(json!({ "file_path": "a.rs" }), "a.rs does not exist", true);
        check(&[failed], &[], Reading::Failed("a.rs does not exist".to_owned()));
    }
}
