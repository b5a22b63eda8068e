//! What the offline model has read of a file, from the results of its Read calls.

use serde_json::{Value, json};

use super::task::Done;

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

/// Joins what `reads` say of `path`. A Read that only says the file is unchanged stands for the same Read in `earlier`.
pub(super) fn reading(path: &str, reads: &[Done], earlier: &[Done]) -> Reading {
    let mut lines: Vec<String> = Vec::new();
    let mut asked = 0;
    for read in reads.iter().filter(|read| read.field("file_path") == Some(path)) {
        if read.failed {
            // A page behind the last line is the end of the file.
            return if asked > 0 {
                Reading::Whole(lines.join("\n"))
            } else {
                Reading::Failed(read.text.clone())
            };
        }
        let page = numbered(&read.text);
        let page = if page.is_empty() { same_read(read, earlier).unwrap_or(page) } else { page };
        let ended = page.len() < PAGE && !says_there_is_more(&read.text);
        let empty = page.is_empty();
        lines.extend(page);
        if ended || empty {
            return Reading::Whole(lines.join("\n"));
        }
        asked = lines.len();
    }
    Reading::Next(match asked {
        0 => json!({ "file_path": path }),
        read => json!({ "file_path": path, "offset": read + 1 }),
    })
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

fn same_read(read: &Done, earlier: &[Done]) -> Option<Vec<String>> {
    earlier
        .iter()
        .rev()
        .filter(|it| it.tool == read.tool && it.input == read.input && !it.failed)
        .map(|it| numbered(&it.text))
        .find(|page| !page.is_empty())
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
        check(&[first.clone()], &[], Reading::Next(json!({ "file_path": "a.rs", "offset": PAGE + 1 })));
        let second = read(json!({ "file_path": "a.rs", "offset": PAGE + 1 }), "  2001\tlast", false);
        let Reading::Whole(text) = reading("a.rs", &[first, second], &[]) else { panic!("it is read") };
        assert!(text.ends_with("x\nlast"));
    }

    #[test]
    fn a_file_that_was_read_before_and_is_unchanged_is_known() {
        let input = json!({ "file_path": "a.rs" });
        let earlier = read(input.clone(), "     1\tx", false);
        let again = read(input, "The file is unchanged since it was last read.", false);
        check(&[again], &[earlier], Reading::Whole("x".to_owned()));
    }

    #[test]
    fn a_failure_is_passed_on() {
        let failed = read(json!({ "file_path": "a.rs" }), "a.rs does not exist", true);
        check(&[failed], &[], Reading::Failed("a.rs does not exist".to_owned()));
    }
}
