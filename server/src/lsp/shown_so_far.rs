//! What this client was last shown of the review: a decision that names no revision is about that, and never about text that
//! nobody has seen.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::review::{FileReview, HunkId, ReviewView, ShownFile, Target};

type Files = BTreeMap<(AbsPath, SessionId), Arc<FileReview>>;

/// Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownSoFar(Arc<Mutex<Files>>);

impl ShownSoFar {
    /// `send` puts all files of `view` on their way to the client. A decision that comes back at once waits until it is known
    /// here what the client was shown.
    pub(super) fn while_sent<T>(&self, view: &ReviewView, send: impl FnOnce() -> T) -> T {
        let mut files = self.files();
        let sent = send();
        take_in(&mut files, view, |_, _| true);
        sent
    }

    /// The client is shown these files as they are in `view`: all that `which` picks, by path and session.
    pub(super) fn now(&self, view: &ReviewView, which: impl Fn(&AbsPath, &SessionId) -> bool) {
        take_in(&mut self.files(), view, which);
    }

    /// The revision in which a hunk was last shown.
    pub(super) fn revision(&self, id: &HunkId) -> Option<u32> {
        let files = self.files();
        let mut hunks = files.values().flat_map(|file| &*file.hunks);
        hunks.find(|hunk| hunk.id == *id).map(|hunk| hunk.revision)
    }

    /// All that is pending in these files now, as it was shown.
    pub(super) fn target<'a>(&self, pending: impl IntoIterator<Item = &'a Arc<FileReview>>) -> Target {
        let files = self.files();
        let shown = |file: &Arc<FileReview>| ShownFile {
            path: file.path.clone(),
            session: file.session.clone(),
            shown: files.get(&(file.path.clone(), file.session.clone())).cloned(),
        };
        Target::Shown(pending.into_iter().map(shown).collect())
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn take_in(files: &mut Files, view: &ReviewView, which: impl Fn(&AbsPath, &SessionId) -> bool) {
    files.retain(|(path, session), _| !which(path, session));
    let shown = view.files.iter().filter(|file| which(&file.path, &file.session));
    files.extend(shown.map(|file| ((file.path.clone(), file.session.clone()), Arc::clone(file))));
}
