//! What a command writes: kept at both ends, saved whole where it is long, made safe to show.

mod readable;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};

use self::readable::{first_chars, last_chars, readable, unfinished};
use crate::config::CommandNumber;

/// How much of an output goes where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Characters of an output that is shown whole.
    pub whole: usize,
    /// Characters of the output of a command that failed which are shown.
    pub failed: usize,
    /// Characters of a longer one that are shown: half of them from its head, half from its tail.
    pub ends: usize,
    /// Bytes of it that are saved.
    pub saved: u64,
    /// Bytes after which the command is ended.
    pub most: u64,
}

impl Default for Caps {
    fn default() -> Self {
        let usual = CommandNumber::usual;
        let chars = |number| usize::try_from(usual(number)).unwrap_or(usize::MAX);
        Self {
            whole: chars(CommandNumber::OutputChars),
            failed: chars(CommandNumber::FailedOutputChars),
            ends: 10_000,
            saved: usual(CommandNumber::SavedBytes),
            most: usual(CommandNumber::MostBytes),
        }
    }
}

/// An output as it comes in. It holds little, however much comes.
#[derive(Debug)]
pub(super) struct Output {
    caps: Caps,
    /// Where it is saved once it is too long to be shown whole.
    path: Option<Utf8PathBuf>,
    head: Vec<u8>,
    /// What came after the head, its end only.
    tail: VecDeque<u8>,
    total: u64,
    file: Option<File>,
    saved: u64,
    /// What nobody has asked for yet, its end only, and how much of its beginning is gone.
    fresh: VecDeque<u8>,
    missed: u64,
    /// Bytes that were told or missed.
    told: u64,
}

/// An output as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub text: String,
    /// Bytes that the command wrote.
    pub total: u64,
    /// Bytes between the two ends that are not shown; zero if it is shown whole.
    pub omitted: u64,
    /// Where all of it is, or its first `Caps::saved` bytes.
    pub saved: Option<Utf8PathBuf>,
    /// There were bytes that are no UTF-8, shown as U+FFFD.
    pub lossy: bool,
}

/// Bytes of news at most.
const NEWS: usize = 2_000;
/// In UTF-8.
const LONGEST_CHAR: usize = 4;

impl Output {
    pub(super) fn new(caps: Caps, path: Option<Utf8PathBuf>) -> Self {
        let (head, tail, fresh) = (Vec::new(), VecDeque::new(), VecDeque::new());
        Self { caps, path, head, tail, total: 0, file: None, saved: 0, fresh, missed: 0, told: 0 }
    }

    pub(super) const fn caps(&self) -> Caps {
        self.caps
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room =
            self.caps.whole.saturating_mul(LONGEST_CHAR).saturating_sub(self.head.len()).min(bytes.len());
        if room < bytes.len() {
            self.begin_file();
        }
        self.save(bytes);
        let (head, rest) = bytes.split_at(room);
        self.head.extend_from_slice(head);
        let kept = self.caps.ends * LONGEST_CHAR;
        self.tail.extend(rest.iter().skip(rest.len().saturating_sub(kept)));
        self.tail.drain(..self.tail.len().saturating_sub(kept));
        self.fresh.extend(bytes.iter().skip(bytes.len().saturating_sub(NEWS)));
        let old = self.fresh.len().saturating_sub(NEWS);
        self.fresh.drain(..old);
        self.missed = self.total - self.told - self.fresh.len() as u64;
    }

    /// What came since the last time, or the end of that. A character that is not whole yet waits for the next time.
    pub(super) fn news(&mut self) -> Option<String> {
        let fresh: Vec<u8> = self.fresh.iter().copied().collect();
        let waiting = unfinished(&fresh);
        let (text, _) = readable(fresh.get(..fresh.len() - waiting).unwrap_or_default());
        if text.is_empty() {
            return None;
        }
        self.fresh.drain(..fresh.len() - waiting);
        self.told = self.total - waiting as u64;
        let missed = std::mem::take(&mut self.missed);
        Some(if missed > 0 { format!("[… {missed} bytes …]\n{text}") } else { text })
    }

    /// The command has written more than it may.
    pub(super) fn is_flood(&self) -> bool {
        self.total > self.caps.most
    }

    /// The output up to now, whole if it has at most `limit` characters.
    pub(super) fn shown(&mut self, limit: usize) -> Shown {
        if self.tail.is_empty() {
            let (text, lossy) = readable(&self.head);
            if text.chars().count() <= limit.min(self.caps.whole) {
                let saved = self.file.as_ref().and(self.path.clone());
                return Shown { text, total: self.total, omitted: 0, saved, lossy };
            }
        }
        self.begin_file();
        let half = self.caps.ends.min(limit) / 2;
        let end: Vec<u8> = if self.tail.len() < half * LONGEST_CHAR {
            self.head.iter().chain(&self.tail).copied().collect()
        } else {
            self.tail.iter().copied().collect()
        };
        let (head, tail) = (first_chars(&self.head, half), last_chars(&end, half));
        let omitted = self.total.saturating_sub((head.len() + tail.len()) as u64);
        let ((head, head_lossy), (tail, tail_lossy)) = (readable(head), readable(tail));
        let saved = self.file.as_ref().and(self.path.clone());
        let place = match &saved {
            Some(path) if self.saved < self.total => {
                format!("; the first {} bytes are in {path}", self.saved)
            }
            Some(path) => format!("; all of it is in {path}"),
            None => String::new(),
        };
        let text = format!("{head}\n[… {omitted} bytes omitted{place} …]\n{tail}");
        Shown { text, total: self.total, omitted, saved, lossy: head_lossy || tail_lossy }
    }

    /// Saves what has come up to now, and from now on everything, in the file that it gives.
    pub(super) fn begin_file(&mut self) -> Option<Utf8PathBuf> {
        let path = self.path.as_ref()?;
        if self.file.is_some() {
            return Some(path.clone());
        }
        match create(path) {
            Ok(file) => {
                self.file = Some(file);
                let head = std::mem::take(&mut self.head);
                self.save(&head);
                self.head = head;
            }
            Err(error) => {
                tracing::warn!(%error, "an output can't be saved");
                self.path = None;
            }
        }
        self.path.clone()
    }

    fn save(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = self.caps.saved.saturating_sub(self.saved).min(bytes.len() as u64);
        let bytes = bytes.get(..room as usize).unwrap_or_default();
        match file.write_all(bytes) {
            Ok(()) => self.saved += room,
            Err(error) => {
                tracing::warn!(%error, "an output can't be saved to its end");
                self.caps.saved = self.saved;
            }
        }
    }
}

fn create(path: &Utf8Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: Caps = Caps { whole: 10, failed: 10, ends: 6, saved: 60, most: 100 };

    fn output(written: &[&[u8]], path: Option<&Utf8Path>) -> Output {
        let mut output = Output::new(CAPS, path.map(Utf8Path::to_owned));
        for bytes in written {
            output.take(bytes);
        }
        output
    }

    #[track_caller]
    fn check(written: &[&[u8]], limit: usize, text: &str) {
        assert_eq!(output(written, None).shown(limit).text, text);
    }

    #[test]
    fn a_short_output_is_whole() {
        check(&[b"0123", b"456789"], 10, "0123456789");
        check(&["ä".repeat(10).as_bytes()], 10, "ääääääääää");
        check(&[], 10, "");
    }

    #[test]
    fn a_longer_one_has_both_ends() {
        check(&[b"0123456789a"], 10, "012\n[… 5 bytes omitted …]\n89a");
        check(&[b"0123456789"], 4, "01\n[… 6 bytes omitted …]\n89");
        let long: Vec<u8> = (0..100).map(|at| b'a' + at % 26).collect();
        check(&[&long], 10, "abc\n[… 94 bytes omitted …]\ntuv");
        check(
            &long.iter().map(std::slice::from_ref).collect::<Vec<_>>(),
            10,
            "abc\n[… 94 bytes omitted …]\ntuv",
        );
    }

    #[test]
    fn a_cut_never_goes_through_a_character() {
        let smile = "😀".repeat(50);
        let pieces: Vec<&[u8]> = smile.as_bytes().chunks(3).collect();
        let shown = output(&pieces, None).shown(10);
        assert_eq!(shown.text, "😀😀😀\n[… 176 bytes omitted …]\n😀😀😀");
        assert!(!shown.lossy);
    }

    #[test]
    fn news_are_told_once_and_in_whole_characters() {
        let mut output = output(&["ab😀".as_bytes()], None);
        assert_eq!(output.news().as_deref(), Some("ab😀"));
        assert_eq!(output.news(), None);
        let (begin, end) = "ß!".as_bytes().split_at(1);
        output.take(begin);
        assert_eq!(output.news(), None);
        output.take(end);
        assert_eq!(output.news().as_deref(), Some("ß!"));
        output.take(&[b'x'; NEWS + 5]);
        assert_eq!(output.news(), Some(format!("[… 5 bytes …]\n{}", "x".repeat(NEWS))));
    }

    #[test]
    fn a_long_output_is_saved_up_to_its_cap() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("deep/out.txt")).unwrap();
        let mut short = output(&[b"0123456789", b"ab"], Some(&path));
        assert!(!path.exists(), "nothing is saved before it is too long");
        assert_eq!(short.shown(10).saved.as_deref(), Some(path.as_path()));
        short.take(b"cd");
        assert_eq!(fs::read(&path).unwrap(), b"0123456789abcd");
        fs::remove_file(&path).unwrap();

        let mut long = output(&[&[b'x'; 50], &[b'y'; 50]], Some(&path));
        assert!(long.shown(10).text.contains("the first 60 bytes are in"), "{:?}", long.shown(10));
        assert_eq!(fs::read(&path).unwrap().len(), 60);
        assert!(!long.is_flood());
        long.take(b"z");
        assert!(long.is_flood());
    }
}
