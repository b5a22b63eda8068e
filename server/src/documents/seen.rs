//! What a session's model has been shown of each file.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

use super::{AbsPath, Stamp, Text};

/// Per path, the text that was last shown to the model and which lines of it. One for each session.
#[derive(Debug, Default)]
pub struct Seen {
    files: Mutex<HashMap<AbsPath, SeenFile>>,
}

/// What was shown of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenFile {
    /// The whole text at that time: what a later whole-file Write is merged against.
    pub text: Text,
    pub stamp: Stamp,
    /// Lines that were shown, half-open, ascending, merged.
    pub lines: Vec<Range<usize>>,
    /// The whole file was shown.
    pub whole: bool,
}

impl Seen {
    pub fn get(&self, path: &AbsPath) -> Option<SeenFile> {
        self.lock().get(path).cloned()
    }

    pub fn put(&self, path: AbsPath, file: SeenFile) {
        self.lock().insert(path, file);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AbsPath, SeenFile>> {
        self.files.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
