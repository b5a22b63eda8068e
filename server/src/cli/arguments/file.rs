//! A file of a task, with the lines that it is about.

use super::{UsageError, error};

/// `src/a.rs`, `src/a.rs:3` or `src/a.rs:3-9`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct FileArgument {
    /// The whole word, which may name a file by itself.
    pub(in crate::cli) written: String,
    pub(in crate::cli) path: String,
    /// Counted from 1, both included.
    pub(in crate::cli) lines: Option<(u32, u32)>,
}

/// `path:3-9`, `path:3`, each number with an `L` before it if one likes; any other colon belongs to the name.
pub(super) fn file_argument(word: &str) -> Result<FileArgument, UsageError> {
    let whole = || FileArgument { written: word.to_owned(), path: word.to_owned(), lines: None };
    let Some((path, lines)) = word.rsplit_once(':') else { return Ok(whole()) };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.strip_prefix('L').unwrap_or(text).parse::<u32>().ok();
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first >= 1 && first <= last => {
            Ok(FileArgument { written: word.to_owned(), path: path.to_owned(), lines: Some((first, last)) })
        }
        (Some(_), Some(_)) => Err(error(format!("`{word}`: lines count from 1, the first one first"))),
        _ if is_numbers(lines) => Err(error(format!("`{word}`: no file has so many lines"))),
        _ => Ok(whole()),
    }
}

fn is_numbers(lines: &str) -> bool {
    let digits = |text: &str| {
        let text = text.strip_prefix('L').unwrap_or(text);
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    digits(first) && digits(last)
}
