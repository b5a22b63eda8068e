//! Some lines of a file that is too large to be kept whole.

use std::io::{BufRead, BufReader};
use std::ops::Range;

use super::{AbsPath, ReadError, io_error, open};

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The lines with their breaks. Bytes that are not UTF-8 are replaced, so it is for reading only.
    pub text: String,
    /// Which lines these are, zero-based and half-open; fewer than asked if the file or the room ended.
    pub lines: Range<usize>,
    /// The last line was cut, on a character border.
    pub cut: bool,
    /// The file goes on after this part.
    pub more: bool,
    /// Bytes of the whole file.
    pub size: u64,
}

/// Lines of the file at `path`, at most `most_bytes` of them, in one pass and with memory for the piece only.
pub(in crate::documents) fn read_part(
    path: &AbsPath,
    lines: Range<usize>,
    most_bytes: usize,
) -> Result<Part, ReadError> {
    let (file, metadata) = open(path)?;
    let size = metadata.len();
    let mut pieces = Lines { reader: BufReader::with_capacity(1 << 16, file), after_cr: false };
    let fail = |error: std::io::Error| io_error(path, &error);
    let mut skipped = Sink { bytes: Vec::new(), most: 0, cut: false };
    let mut line = 0;
    while line < lines.start {
        if !pieces.next_into(&mut skipped).map_err(fail)? {
            return Ok(Part { text: String::new(), lines: line..line, cut: false, more: false, size });
        }
        line += 1;
    }
    let mut sink = Sink { bytes: Vec::new(), most: most_bytes, cut: false };
    while line < lines.end && !sink.cut && sink.bytes.len() < most_bytes {
        if !pieces.next_into(&mut sink).map_err(fail)? {
            break;
        }
        line += 1;
    }
    if sink.bytes.contains(&0) {
        return Err(ReadError::Binary { path: path.clone() });
    }
    let more = pieces.has_more().map_err(fail)?;
    let bytes = sink.bytes.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&sink.bytes);
    let text = String::from_utf8_lossy(whole_characters(bytes, sink.cut)).into_owned();
    Ok(Part { text, lines: lines.start..line, cut: sink.cut, more, size })
}

/// Takes bytes up to its room and lets the rest go by.
struct Sink {
    bytes: Vec<u8>,
    most: usize,
    cut: bool,
}

impl Sink {
    fn take(&mut self, bytes: &[u8]) {
        let room = self.most - self.bytes.len();
        self.cut |= bytes.len() > room;
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }
}

/// Lines as LSP breaks them: LF, CRLF or CR.
struct Lines<R> {
    reader: R,
    /// The last byte given was a CR: an LF right after it belongs to the same break.
    after_cr: bool,
}

impl<R: BufRead> Lines<R> {
    /// Hands the next line, with its break, to `sink`; false if there is none.
    fn next_into(&mut self, sink: &mut Sink) -> std::io::Result<bool> {
        let mut any = false;
        loop {
            let buffer = self.reader.fill_buf()?;
            let Some(first) = buffer.first() else {
                // The end of a line that ended in CR, or of the last line.
                let had = any || self.after_cr;
                self.after_cr = false;
                return Ok(had);
            };
            if self.after_cr {
                self.after_cr = false;
                if *first == b'\n' {
                    sink.take(b"\n");
                    self.reader.consume(1);
                }
                return Ok(true);
            }
            any = true;
            let Some(at) = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                let length = buffer.len();
                sink.take(buffer);
                self.reader.consume(length);
                continue;
            };
            let cr = buffer.get(at) == Some(&b'\r');
            sink.take(buffer.get(..=at).unwrap_or_default());
            self.reader.consume(at + 1);
            if !cr {
                return Ok(true);
            }
            self.after_cr = true;
        }
    }

    fn has_more(&mut self) -> std::io::Result<bool> {
        Ok(!self.reader.fill_buf()?.is_empty())
    }
}

/// `bytes` without the beginning of a character that a cut left at the end.
fn whole_characters(bytes: &[u8], cut: bool) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if cut && error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or_default()
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], lines: Range<usize>, most: usize, want: (&str, Range<usize>, bool, bool)) {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path().join("f").to_str().unwrap()).unwrap();
        std::fs::write(path.as_path(), bytes).unwrap();
        let part = read_part(&path, lines, most).unwrap();
        assert_eq!((part.text.as_str(), part.lines, part.cut, part.more), want);
        assert_eq!(part.size, bytes.len() as u64);
    }

    #[test]
    fn lines_are_counted_as_in_a_text() {
        check(b"a\nb\r\nc\rd", 1..3, 99, ("b\r\nc\r", 1..3, false, true));
        check(b"a\nb\r\nc\rd", 3..9, 99, ("d", 3..4, false, false));
        check(b"a\r", 0..9, 99, ("a\r", 0..1, false, false));
        check(b"\n\nx", 0..2, 99, ("\n\n", 0..2, false, true));
        check(b"a\n", 5..9, 99, ("", 1..1, false, false));
        check(b"", 0..9, 99, ("", 0..0, false, false));
    }

    #[test]
    fn a_piece_has_room_for_so_much_only() {
        check("aä中x\nb\n".as_bytes(), 0..2, 4, ("aä", 0..1, true, true));
        check("aä中x\nb\n".as_bytes(), 0..2, 8, ("aä中x\n", 0..1, false, true));
    }

    #[test]
    fn a_mark_is_no_text_and_binary_files_are_refused() {
        check(b"\xef\xbb\xbfa\nb", 0..1, 99, ("a\n", 0..1, false, true));
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path().join("f").to_str().unwrap()).unwrap();
        std::fs::write(path.as_path(), b"\0\x01").unwrap();
        assert_eq!(read_part(&path, 0..1, 9), Err(ReadError::Binary { path }));
    }
}
