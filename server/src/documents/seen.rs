//! What a session's model has been shown of each file.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

use super::{AbsPath, Stamp, Text};
use crate::config::{ContextNumber, ContextSettings};

/// Per path, the text that was last shown to the model and which lines of it. One for each session. Paths are real paths
/// ([`super::FileStateCache::real_path`]), so that a link and its target are one file.
///
/// As many files and bytes are remembered as the settings say. Beyond that, those go that were shown or changed longest ago:
/// the model has to read them again before it edits them.
#[derive(Debug)]
pub struct Seen {
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    most_files: usize,
    most_bytes: usize,
    of: HashMap<AbsPath, SeenFile>,
    /// When each was last shown or changed, counted in such events.
    last: HashMap<AbsPath, u64>,
    events: u64,
    /// Files in which the agent began to change another text than the one that was shown.
    begun: HashMap<AbsPath, Begun>,
}

/// The agent began to change a text that the model had not been shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub seen: Text,
    pub on: Text,
}

/// What was shown of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenFile {
    /// The whole text at that time: what a later whole-file Write is merged against.
    pub text: Text,
    /// `None`: a file that so far only the agent has.
    pub stamp: Option<Stamp>,
    /// Lines that were shown, half-open, ascending, merged.
    pub lines: Vec<Range<usize>>,
    /// The model knows the whole file: all of it was shown, or is its own.
    pub whole: bool,
}

impl Seen {
    pub fn new(settings: &ContextSettings) -> Self {
        let most_files = settings.size(ContextNumber::SeenFiles);
        let most_bytes = settings.size(ContextNumber::SeenBytes);
        Self { files: Mutex::new(Files { most_files, most_bytes, ..Files::default() }) }
    }

    pub fn get(&self, path: &AbsPath) -> Option<SeenFile> {
        self.lock().of.get(path).cloned()
    }

    pub fn put(&self, path: AbsPath, file: SeenFile) {
        self.lock().put(path, file);
    }

    /// `lines` of `text` were shown to the model. They join what it was shown of the same text before; of another text,
    /// only what is shown now counts.
    pub fn show(&self, path: &AbsPath, text: &Text, stamp: Option<Stamp>, lines: Range<usize>) {
        let mut files = self.lock();
        let (before, known) = match files.of.remove(path) {
            Some(file) if file.text == *text => (file.lines, file.whole),
            Some(_) | None => (Vec::new(), false),
        };
        let last = lines_of(text);
        let lines = joined(before, lines.start.min(last)..lines.end.min(last));
        let whole = known || last == 0 || lines.first() == Some(&(0..last));
        files.put(path.clone(), SeenFile { text: text.clone(), stamp, lines, whole });
    }

    /// The lines of the file are no longer in the model's sight. It still knows of the file; to see it, it must be shown
    /// it again.
    pub fn hide(&self, path: &AbsPath) {
        if let Some(file) = self.lock().of.get_mut(path) {
            file.lines.clear();
        }
    }

    /// The same of every file.
    pub fn hide_all(&self) {
        self.lock().of.values_mut().for_each(|file| file.lines.clear());
    }

    /// Whether anything of the file was ever shown.
    pub fn was_read(&self, path: &AbsPath) -> bool {
        self.lock().of.contains_key(path)
    }

    /// Whether the file still says what the model was shown; by content, whatever the stamps are. `None`: it was shown
    /// nothing.
    pub fn still_says(&self, path: &AbsPath, now: &Text) -> Option<bool> {
        self.lock().of.get(path).map(|file| file.text == *now)
    }

    /// The user renamed the file; what was shown of it goes along.
    pub fn renamed(&self, from: &AbsPath, to: AbsPath) {
        let mut files = self.lock();
        if let Some(file) = files.forget(from) {
            files.put(to, file);
        }
    }

    /// The model no longer has what it was shown, for example after its history was cut.
    pub fn forget(&self, path: &AbsPath) {
        self.lock().forget(path);
    }

    /// The agent's own text of this file begins as `on`: what the model was not shown of it is to be told.
    pub fn begins(&self, path: &AbsPath, on: &Text) {
        let mut files = self.lock();
        let Some(seen) = files.of.get(path).map(|file| file.text.clone()).filter(|seen| seen != on) else {
            return;
        };
        files.begun.entry(path.clone()).or_insert_with(|| Begun { seen, on: on.clone() });
    }

    /// What `begins` found since the last time.
    pub fn take_begun(&self) -> HashMap<AbsPath, Begun> {
        std::mem::take(&mut self.lock().begun)
    }

    /// Every file that was shown, in order.
    pub fn paths(&self) -> Vec<AbsPath> {
        let mut paths: Vec<_> = self.lock().of.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// Every file that was shown, the one that was shown or changed last first.
    pub fn latest(&self) -> Vec<AbsPath> {
        let files = self.lock();
        let mut paths: Vec<_> = files.of.keys().cloned().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(files.last.get(path).copied()));
        paths
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(&ContextSettings::default())
    }
}

impl Files {
    fn put(&mut self, path: AbsPath, file: SeenFile) {
        self.events += 1;
        self.last.insert(path.clone(), self.events);
        self.of.insert(path, file);
        while self.of.len() > 1 && self.is_full() {
            let oldest = self.last.iter().min_by_key(|(_, event)| **event).map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { return };
            self.forget(&oldest);
        }
    }

    fn is_full(&self) -> bool {
        self.of.len() > self.most_files
            || self.of.values().map(|file| file.text.len()).sum::<usize>() > self.most_bytes
    }

    fn forget(&mut self, path: &AbsPath) -> Option<SeenFile> {
        self.last.remove(path);
        self.of.remove(path)
    }
}

/// The lines that can be shown: the empty one after a final newline is none.
fn lines_of(text: &Text) -> usize {
    let count = text.line_count();
    if text.line_start(count - 1) == text.len() { count - 1 } else { count }
}

/// `lines` with `more` put in: ascending, touching ranges joined.
fn joined(mut lines: Vec<Range<usize>>, more: Range<usize>) -> Vec<Range<usize>> {
    if more.start < more.end {
        lines.push(more);
    }
    lines.sort_by_key(|range| range.start);
    let mut all: Vec<Range<usize>> = Vec::with_capacity(lines.len());
    for range in lines {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    fn path() -> AbsPath {
        AbsPath::new("/w/a").unwrap()
    }

    #[track_caller]
    fn check(shown: &[(&str, Range<usize>)], lines: &[Range<usize>], whole: bool) {
        let seen = Seen::default();
        for (text, range) in shown {
            seen.show(&path(), &Text::from(*text), Some(Stamp::Disk { hash: 0 }), range.clone());
        }
        let file = seen.get(&path()).unwrap();
        assert_eq!((file.lines.as_slice(), file.whole), (lines, whole));
    }

    #[test]
    fn lines_shown_are_joined() {
        check(&[(TEN, 2..4), (TEN, 6..8)], &[2..4, 6..8], false);
        check(&[(TEN, 6..8), (TEN, 2..4), (TEN, 4..6)], std::slice::from_ref(&(2..8)), false);
        check(&[(TEN, 0..7), (TEN, 5..99)], std::slice::from_ref(&(0..10)), true);
        check(&[("", 0..99)], &[], true);
        check(&[(TEN, 50..60)], &[], false);
    }

    #[test]
    fn of_another_text_only_what_is_shown_now_counts() {
        check(&[(TEN, 0..10), ("0\n1\n", 1..2)], std::slice::from_ref(&(1..2)), false);
    }

    #[test]
    fn questions() {
        let seen = Seen::default();
        assert!(!seen.was_read(&path()));
        assert_eq!(seen.still_says(&path(), &"a".into()), None);
        seen.show(&path(), &"a".into(), Some(Stamp::Disk { hash: 1 }), 0..1);
        assert_eq!(seen.still_says(&path(), &"a".into()), Some(true));
        assert_eq!(seen.still_says(&path(), &"b".into()), Some(false));
        let moved = path().join("../b");
        seen.renamed(&path(), moved.clone());
        assert_eq!(seen.paths(), std::slice::from_ref(&moved));
        seen.forget(&moved);
        assert!(!seen.was_read(&moved));
    }

    #[test]
    fn what_is_hidden_is_known_and_not_in_sight() {
        let seen = Seen::default();
        seen.show(&path(), &TEN.into(), None, 0..10);
        seen.hide(&path());
        let file = seen.get(&path()).unwrap();
        assert_eq!((file.lines.as_slice(), file.whole), ([].as_slice(), true));
    }

    /// Which of the files `a` to `e` are remembered after they were shown in this order, ten bytes each.
    #[track_caller]
    fn check_bound(files: u64, bytes: u64, shown: &str, wanted: &str) {
        let settings = ContextSettings::default()
            .with(ContextNumber::SeenFiles, files)
            .with(ContextNumber::SeenBytes, bytes);
        let seen = Seen::new(&settings);
        let path = |name: char| AbsPath::new("/w").unwrap().join(name.to_string());
        for name in shown.chars() {
            seen.show(&path(name), &"123456789\n".into(), None, 0..1);
        }
        let remembered: String = ('a'..='e').filter(|name| seen.was_read(&path(*name))).collect();
        assert_eq!(remembered, wanted);
    }

    #[test]
    fn what_was_shown_longest_ago_is_forgotten_first() {
        check_bound(3, 1_000, "abc", "abc");
        check_bound(3, 1_000, "abcd", "bcd");
        check_bound(3, 1_000, "abcad", "acd");
        check_bound(9, 30, "abcde", "cde");
        check_bound(9, 5, "ab", "b");
    }

    #[test]
    fn the_latest_comes_first() {
        let seen = Seen::default();
        let name = |name: &str| AbsPath::new("/w").unwrap().join(name);
        for file in ["b", "a", "c", "b"] {
            seen.show(&name(file), &"x".into(), None, 0..1);
        }
        assert_eq!(seen.latest(), [name("b"), name("c"), name("a")]);
    }
}
