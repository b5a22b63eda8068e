//! Line breaks of new text: a model writes `\n`, the file keeps its own (`\n`, `\r\n` or `\r`, as LSP has them).

use crate::documents::Text;

/// A text with every line break as `\n`, and the way back to its bytes.
pub(super) struct Unified {
    pub(super) text: String,
    /// Where in `text` a `\n` stands for `\r\n`, ascending.
    pairs: Vec<usize>,
}

impl Unified {
    pub(super) fn of(text: &Text) -> Self {
        let mut unified = Self { text: String::with_capacity(text.len()), pairs: Vec::new() };
        let mut after_return = false;
        for c in text.chunks().flat_map(str::chars) {
            match c {
                '\n' if after_return => unified.pairs.push(unified.text.len() - 1),
                '\r' => unified.text.push('\n'),
                other => unified.text.push(other),
            }
            after_return = c == '\r';
        }
        unified
    }

    /// The byte of the original text at which byte `at` of the unified one stands.
    pub(super) fn original(&self, at: usize) -> usize {
        at + self.pairs.partition_point(|pair| *pair < at)
    }
}

/// `text` with every line break as `\n`.
pub(super) fn unify(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The line break that ends `line`, if one does.
pub(super) fn ending(line: &str) -> Option<&'static str> {
    if line.ends_with("\r\n") {
        Some("\r\n")
    } else if line.ends_with('\n') {
        Some("\n")
    } else if line.ends_with('\r') {
        Some("\r")
    } else {
        None
    }
}

/// `lines` (with `\n`) as they stand in the file: the k-th break is the k-th of `replaced`, then the last of those, then
/// `around`.
pub(super) fn spelled(lines: &str, replaced: &[&'static str], around: &'static str) -> String {
    let mut out = String::with_capacity(lines.len());
    for (index, line) in lines.split_inclusive('\n').enumerate() {
        match line.strip_suffix('\n') {
            Some(content) => {
                out.push_str(content);
                out.push_str(replaced.get(index).or(replaced.last()).copied().unwrap_or(around));
            }
            None => out.push_str(line),
        }
    }
    out
}

/// The break for a new line at `offset` that replaces none: the previous line's, else the next one's, else `\n`.
pub(super) fn around(text: &Text, offset: usize) -> &'static str {
    let line = text.line_of(offset);
    line.checked_sub(1)
        .and_then(|previous| ending(&text.line(previous)))
        .or_else(|| ending(&text.line(line)))
        .unwrap_or("\n")
}

/// A whole new text in the file's own line breaks: a line that stays keeps its break, a new one takes the one before it.
pub(super) fn like(file: &Text, content: &str) -> String {
    let content = unify(content);
    let endings: Vec<Option<&'static str>> = file.lines().map(|line| ending(&line)).collect();
    let mut kinds: Vec<&'static str> = endings.iter().copied().flatten().collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [] => content,
        [only] => spelled(&content, &[], only),
        _ => line_by_line(file, &endings, &content),
    }
}

/// For a file with several kinds of line breaks. Equal lines are paired from both ends inwards, which finds every line
/// outside the one changed stretch; inside it the k-th new line takes the k-th old one's break.
fn line_by_line(file: &Text, endings: &[Option<&'static str>], content: &str) -> String {
    let old: Vec<String> = file.lines().map(|line| line.trim_end_matches(['\r', '\n']).to_owned()).collect();
    let new: Vec<&str> = content.split('\n').collect();
    let head = old.iter().zip(&new).take_while(|(old, new)| old == *new).count();
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(old.len().min(new.len()) - head)
        .take_while(|(old, new)| old == *new)
        .count();
    let mut out = String::with_capacity(content.len());
    let mut last = endings.iter().copied().flatten().next().unwrap_or("\n");
    for (index, line) in new.iter().enumerate() {
        out.push_str(line);
        if index + 1 == new.len() {
            break;
        }
        let from_end = new.len() - index;
        let counterpart = if from_end <= tail {
            old.len().checked_sub(from_end)
        } else {
            Some(index).filter(|index| *index + tail < old.len())
        };
        last = counterpart.and_then(|line| endings.get(line).copied().flatten()).unwrap_or(last);
        out.push_str(last);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_like(file: &str, content: &str, want: &str) {
        assert_eq!(like(&Text::from(file), content), want);
    }

    #[test]
    fn a_whole_text_takes_the_files_line_breaks() {
        check_like("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n");
        check_like("a\nb\n", "x\r\ny\r\n", "x\ny\n");
        check_like("a\rb\r", "x\ny\n", "x\ry\r");
        check_like("no break", "x\ny\n", "x\ny\n");
    }

    #[test]
    fn in_a_mixed_file_each_line_keeps_its_own() {
        check_like("a\r\nb\nc\r\nd", "a\nB\nc\nd", "a\r\nB\nc\r\nd");
        check_like("a\r\nb\nc\r\nd", "a\nb\nnew\nc\nd", "a\r\nb\nnew\nc\r\nd");
        check_like("a\r\nb\nc\r\n", "a\nc\n", "a\r\nc\r\n");
    }

    #[test]
    fn offsets_find_their_way_back() {
        let unified = Unified::of(&Text::from("a\r\nb\rc\r\n\r\nd"));
        assert_eq!(unified.text, "a\nb\nc\n\nd");
        let back: Vec<usize> = (0..=unified.text.len()).map(|at| unified.original(at)).collect();
        assert_eq!(back, [0, 1, 3, 4, 5, 6, 8, 10, 11]);
    }
}
