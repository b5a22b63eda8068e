//! What this client was last shown of the review: a decision that names no revision is about that, and never about text that
//! nobody has seen.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::review::{FileReview, HunkId, ReviewView, ShownFile, Target};

/// Each file as it was shown, with the revision of the view that it was shown in.
type Files = BTreeMap<(AbsPath, SessionId), (u64, Arc<FileReview>)>;

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
        let mut hunks = files.values().flat_map(|(_, file)| &*file.hunks);
        hunks.find(|hunk| hunk.id == *id).map(|hunk| hunk.revision)
    }

    /// All that is pending in these files now, as it was shown.
    pub(super) fn target<'a>(&self, pending: impl IntoIterator<Item = &'a Arc<FileReview>>) -> Target {
        let files = self.files();
        let shown = |file: &Arc<FileReview>| ShownFile {
            path: file.path.clone(),
            session: file.session.clone(),
            shown: files.get(&(file.path.clone(), file.session.clone())).map(|(_, file)| Arc::clone(file)),
        };
        Target::Shown(pending.into_iter().map(shown).collect())
    }

    /// What is proposed of the file beside its hunks, as it was shown; `None`: nothing was.
    pub(super) fn whole(&self, path: &AbsPath, session: &SessionId) -> Option<Target> {
        let files = self.files();
        let (_, file) = files.get(&(path.clone(), session.clone()))?;
        let revision = file.whole.as_ref()?.revision;
        Some(Target::Whole { path: path.clone(), session: session.clone(), revision })
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is drawn beside can be an older view than what was asked for meanwhile: whoever saw the newer has seen it.
fn take_in(files: &mut Files, view: &ReviewView, which: impl Fn(&AbsPath, &SessionId) -> bool) {
    files.retain(|(path, session), (revision, _)| *revision > view.revision || !which(path, session));
    for file in view.files.iter().filter(|file| which(&file.path, &file.session)) {
        let shown = files.entry((file.path.clone(), file.session.clone()));
        shown.or_insert_with(|| (view.revision, Arc::clone(file)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Text;
    use crate::review::FileKind;

    fn view(revision: u64, draft: &str) -> ReviewView {
        let file = FileReview {
            path: AbsPath::new("/w/a.txt").unwrap(),
            session: SessionId("s_1".to_owned()),
            kind: FileKind::Modify,
            open: None,
            buffer: None,
            draft: Some(Text::from(draft)),
            hunks: Arc::default(),
            reasons: Vec::new(),
            disk_differs: false,
            lost: false,
            held_back: None,
            whole: None,
        };
        ReviewView { files: vec![Arc::new(file)], revision }
    }

    #[test]
    fn a_path_with_changes_is_itself_wherever_its_links_lead_by_now() {
        let path = |path: &str| AbsPath::new(path).unwrap();
        let meant = |written: &str| view(1, "").meant(path(written), |_| path("/elsewhere"));
        assert_eq!(meant("/w/a.txt"), path("/w/a.txt"));
        assert_eq!(meant("/w/other.txt"), path("/elsewhere"));
    }

    #[test]
    fn an_older_view_that_is_drawn_later_makes_nothing_unseen() {
        let shown = ShownSoFar::default();
        let check = |wanted: Option<&str>| {
            let Target::Shown(files) = shown.target(&view(9, "").files) else { panic!("one file") };
            let draft = files[0].shown.as_ref().and_then(|file| file.draft.clone());
            assert_eq!(draft.map(|draft| draft.to_string()).as_deref(), wanted);
        };
        check(None);
        shown.while_sent(&view(1, "first"), || ());
        check(Some("first"));
        shown.now(&view(3, "third"), |_, _| true);
        check(Some("third"));
        shown.while_sent(&view(2, "second"), || ());
        check(Some("third"));
        shown.while_sent(&ReviewView { files: Vec::new(), revision: 2 }, || ());
        check(Some("third"));
        shown.while_sent(&ReviewView { files: Vec::new(), revision: 4 }, || ());
        check(None);
    }
}
