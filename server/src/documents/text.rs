//! A text and a change of it, in bytes. The only place that names ropey, so that another rope is a change of one file.

use std::borrow::Cow;
use std::ops::Range;

use ropey::Rope;

/// A whole text. Cloning is cheap and shares the memory: a clone is a snapshot.
///
/// Lines are separated, not terminated: `"a\n"` has two lines, `""` has one. Line breaks are LSP's: `\n`, `\r\n`, `\r`.
/// Offsets are bytes; one that lies past the end or inside a character is moved back to the border before it.
#[derive(Clone, Default)]
pub struct Text {
    rope: Rope,
}

/// `text` in the place of `range`, in bytes of the text as it was before this change.
///
/// In a list called *changes* each one applies to the result of the one before; in a list called *edits* all of them
/// refer to the same text, ascending and without overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub range: Range<usize>,
    pub text: String,
}

impl Text {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// At least one.
    pub fn line_count(&self) -> usize {
        self.rope.len_lines()
    }

    /// Where `line` begins; the text's length for any line past the last.
    pub fn line_start(&self, line: usize) -> usize {
        if line >= self.line_count() { self.len() } else { self.rope.line_to_byte(line) }
    }

    /// Where `line` ends, before its line break.
    pub fn line_end(&self, line: usize) -> usize {
        let start = self.line_start(line);
        let next = self.line_start(line.saturating_add(1));
        if line.saturating_add(1) >= self.line_count() {
            return next;
        }
        // A line that is not the last ends in exactly one break, of one byte or of two.
        let crlf = next >= start + 2 && self.slice(next - 2..next) == "\r\n";
        next - if crlf { 2 } else { 1 }
    }

    /// The line that holds `offset`.
    pub fn line_of(&self, offset: usize) -> usize {
        self.rope.byte_to_line(offset.min(self.len()))
    }

    /// `line` with its line break; empty past the last line.
    pub fn line(&self, line: usize) -> Cow<'_, str> {
        if line >= self.line_count() { Cow::Borrowed("") } else { self.rope.line(line).into() }
    }

    /// The text between two offsets.
    pub fn slice(&self, range: Range<usize>) -> Cow<'_, str> {
        let start = self.border(range.start);
        let end = self.border(range.end).max(start);
        self.rope.byte_slice(start..end).into()
    }

    /// All lines in order, each with its line break.
    pub fn lines(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.rope.lines().map(Cow::from)
    }

    /// The text in pieces, in order, without copying.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.rope.chunks()
    }

    /// Puts `text` in the place of `range`.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        let start = self.rope.byte_to_char(self.border(range.start));
        let end = self.rope.byte_to_char(self.border(range.end)).max(start);
        if start < end {
            self.rope.remove(start..end);
        }
        if !text.is_empty() {
            self.rope.insert(start, text);
        }
    }

    /// Applies one change.
    pub fn apply(&mut self, change: &Change) {
        self.replace(change.range.clone(), &change.text);
    }

    /// Whether `change` brings a lone `\r` before a `\n`: two breaks become one, so the text has a line less than it was given.
    pub fn joins_breaks(&self, change: &Change) -> bool {
        let byte = |at: usize| (at < self.len()).then(|| self.rope.byte(at));
        let (before, after) = (change.range.start.checked_sub(1).and_then(byte), byte(change.range.end));
        let first = change.text.bytes().next().or(after);
        let last = change.text.bytes().last().or(before);
        let joined = (Some(b'\r'), Some(b'\n'));
        (before, first) == joined || (last, after) == joined
    }

    /// The text after `edits`, which all refer to `self`, ascending and without overlap.
    #[must_use]
    pub fn with_edits(&self, edits: &[Change]) -> Self {
        let mut after = self.clone();
        for edit in edits.iter().rev() {
            after.apply(edit);
        }
        after
    }

    /// The last character border at or before `offset`.
    pub fn border(&self, offset: usize) -> usize {
        let offset = offset.min(self.len());
        self.rope.char_to_byte(self.rope.byte_to_char(offset))
    }

    /// Both hold the same text there. Nothing is copied, and the first difference ends it.
    pub fn is_same_within(&self, range: Range<usize>, other: &Self, other_range: Range<usize>) -> bool {
        let (start, end) = (self.border(range.start), self.border(range.end));
        let (other_start, other_end) = (other.border(other_range.start), other.border(other_range.end));
        self.rope.byte_slice(start..end.max(start))
            == other.rope.byte_slice(other_start..other_end.max(other_start))
    }

    /// Equal but for the kind of line breaks and one at the very end.
    pub fn same_but_for_line_ends(&self, other: &Self) -> bool {
        fn content(line: Cow<'_, str>) -> Cow<'_, str> {
            match line {
                Cow::Borrowed(line) => Cow::Borrowed(line.trim_end_matches(['\r', '\n'])),
                Cow::Owned(line) => Cow::Owned(line.trim_end_matches(['\r', '\n']).to_owned()),
            }
        }
        fn significant(text: &Text) -> usize {
            let lines = text.line_count();
            if lines > 1 && text.line_start(lines - 1) == text.len() { lines - 1 } else { lines }
        }
        self == other
            || significant(self) == significant(other)
                && self.lines().zip(other.lines()).all(|(a, b)| content(a) == content(b))
    }

    /// Number of characters before `offset`.
    pub fn chars_before(&self, offset: usize) -> usize {
        self.rope.byte_to_char(offset.min(self.len()))
    }

    /// Number of UTF-16 code units before `offset`.
    pub fn utf16_before(&self, offset: usize) -> usize {
        self.rope.char_to_utf16_cu(self.chars_before(offset))
    }

    /// The offset `chars` characters after `start`; the text's length if there are fewer.
    pub fn after_chars(&self, start: usize, chars: usize) -> usize {
        let char = self.chars_before(start).saturating_add(chars);
        if char >= self.rope.len_chars() { self.len() } else { self.rope.char_to_byte(char) }
    }

    /// The offset `units` UTF-16 code units after `start`, before the character if that is inside a surrogate pair;
    /// the text's length if there are fewer.
    pub fn after_utf16(&self, start: usize, units: usize) -> usize {
        let unit = self.utf16_before(start).saturating_add(units);
        if unit >= self.rope.len_utf16_cu() {
            return self.len();
        }
        self.rope.char_to_byte(self.rope.utf16_cu_to_char(unit))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.rope.is_instance(&other.rope) || self.rope == other.rope
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.rope == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.rope == *other
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}
