//! What changes the buffer side: the editor, the disk, and a user who moves files.

use tokio::time::Instant;

use super::actor::Desk;
use super::file::{DIFF_LINES, File, Hand, Shown, Source};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Changed, Closed, Opened, Stamp, Text};
use crate::review::{ToldWhat, unified_diff};

impl Desk {
    pub(super) async fn opened(&mut self, opened: Opened) {
        let Opened { path, uri, version, text } = opened;
        self.follow_save_as(&path, &text).await;
        let dirty = self.documents.open_document(&path).is_some_and(|document| document.dirty);
        let saved = (!dirty).then(|| text.clone());
        let source = Source::Open { uri, version };
        match self.files.get_mut(&path) {
            Some(file) => {
                file.source = source;
                file.lost = false;
                file.touch();
                if file.buffer.as_ref() != Some(&text) {
                    // Closed and opened again is how some editors reload what another program wrote.
                    self.buffer_replaced(&path, Some(text), |_| Hand::Disk);
                }
            }
            None => {
                self.files.insert(path.clone(), File::new(Some(text), source));
            }
        }
        if let Some(file) = self.files.get_mut(&path) {
            file.saved = saved;
        }
    }

    pub(super) fn changed(&mut self, changed: Changed) {
        let Changed { path, version, before, after, changes, whole_text } = changed;
        let Some(file) = self.files.get_mut(&path) else { return };
        if let Source::Open { version: known, .. } = &mut file.source {
            *known = version;
        }
        if std::mem::take(&mut file.lost) {
            file.touch();
        }
        if !self.as_they_come.is_empty() {
            file.typed.follow(&before, &changes, Instant::now());
        }
        if whole_text {
            self.buffer_replaced(&path, Some(after), |_| Hand::User);
            return;
        }
        for draft in file.drafts.values_mut() {
            draft.draft.buffer_changed(&changes);
            if draft.draft.buffer().is_none_or(|buffer| buffer.len() != after.len()) {
                tracing::error!(%path, "a draft lost its buffer; it takes the editor's text");
                draft.draft.buffer_replaced(Some(after.clone()));
            }
        }
        file.buffer = Some(after);
        self.buffer_settled(&path, |_| Hand::User);
    }

    pub(super) async fn closed(&mut self, closed: Closed) {
        let Closed { path, heir, .. } = closed;
        if let Some(heir) = heir {
            self.opened(heir).await;
            return;
        }
        let until = Instant::now() + self.waits.reopen;
        let Some(file) = self.files.get_mut(&path) else { return };
        if file.drafts.is_empty() {
            self.files.remove(&path);
            return;
        }
        let was = file.stamp().unwrap_or(Stamp::Disk { hash: 0 });
        file.source = Source::Closing { until, was };
        file.lost = false;
        file.disk_differs = false;
        file.touch();
        self.set_timer(until, &path);
    }

    pub(super) fn lost(&mut self, paths: &[AbsPath]) {
        for path in paths {
            if let Some(file) = self.files.get_mut(path) {
                file.lost = true;
                file.touch();
            }
        }
    }

    pub(super) fn saved(&mut self, path: &AbsPath) {
        let Some(file) = self.files.get_mut(path) else { return };
        file.saved = file.buffer.clone();
        if file.disk_differs {
            file.disk_differs = false;
            file.touch();
        }
    }

    pub(super) async fn disk_changed(&mut self, paths: Vec<AbsPath>, command_of: Option<&SessionId>) {
        let places: Vec<AbsPath> = paths.into_iter().flat_map(|path| self.places(path)).collect();
        for path in places {
            let Some(file) = self.files.get(&path) else {
                self.look_at_wholes(&path).await;
                continue;
            };
            match file.source {
                Source::Open { .. } => self.open_file_differs(&path).await,
                // The disk is read when the time for opening it again has passed.
                Source::Closing { .. } => {}
                Source::Disk { .. } => {
                    let refreshed = self.refresh_by(&path, command_of).await;
                    if let Err(error) = refreshed {
                        tracing::warn!(%error, "a file under review can't be read any more");
                    }
                }
            }
            self.look_at_wholes(&path).await;
        }
    }

    pub(super) fn renamed(&mut self, from: &AbsPath, to: &AbsPath) {
        let real = self.documents.real_path(to);
        // Nobody judged a change that a link leads out of the workspace.
        let to = if self.workspace.holds(&real) { &real } else { to };
        for from in self.places(from.clone()) {
            self.moved_to(&from, to);
        }
    }

    /// The places that somebody may mean by `path`: what it was when it was judged, and where its links lead by now.
    fn places(&self, path: AbsPath) -> Vec<AbsPath> {
        let real = self.documents.real_path(&path);
        let is_other = real != path;
        std::iter::once(path).chain(is_other.then_some(real)).collect()
    }

    fn moved_to(&mut self, from: &AbsPath, to: &AbsPath) {
        let inside: Vec<AbsPath> = self.files.keys().filter(|path| path.is_in(from)).cloned().collect();
        for path in inside {
            let Ok(rest) = path.as_path().strip_prefix(from.as_path()) else { continue };
            let target = if rest.as_str().is_empty() { to.clone() } else { to.join(rest) };
            self.move_drafts(&path, &target);
        }
        self.move_wholes(from, to);
    }

    /// The buffer is another text, and nobody said where it changed.
    pub(super) fn buffer_replaced(
        &mut self,
        path: &AbsPath,
        text: Option<Text>,
        hand: impl Fn(&SessionId) -> Hand,
    ) {
        let Some(file) = self.files.get_mut(path) else { return };
        for draft in file.drafts.values_mut() {
            draft.draft.buffer_replaced(text.clone());
        }
        file.buffer = text;
        self.buffer_settled(path, hand);
    }

    /// After every change of a buffer. What one session's accept brought is the user's word on it for that session, and
    /// another session's change for the others.
    pub(super) fn buffer_settled(&mut self, path: &AbsPath, hand: impl Fn(&SessionId) -> Hand) {
        let accepted_of = self.look_for_echoes(path);
        if let Some(file) = self.files.get_mut(path) {
            file.touch();
            if accepted_of.is_empty() {
                file.typed.keep_newest();
            } else {
                file.typed.drop_newest();
            }
            for (session, draft) in &mut file.drafts {
                let other = !accepted_of.is_empty() && !accepted_of.contains(session);
                let hand = if other { Hand::OtherSession } else { hand(session) };
                draft.others |= hand != Hand::User;
                draft.hands.insert(hand);
            }
        }
        self.heed_warnings(path);
    }

    /// The time in which a closed document could be opened again has passed: the disk speaks for it.
    pub(super) async fn closing_due(&mut self, path: &AbsPath, now: Instant) {
        match self.files.get(path) {
            Some(File { source: Source::Closing { until, .. }, .. }) if *until <= now => {
                self.end_closing(path).await;
            }
            Some(_) | None => {}
        }
    }

    pub(super) async fn end_closing(&mut self, path: &AbsPath) {
        let now = match self.on_disk(path).await {
            Ok(now) => now,
            Err(error) => {
                tracing::warn!(%error, "a closed file under review can't be read");
                return;
            }
        };
        let hash = now.as_ref().map(|(_, hash)| *hash);
        let text = now.map(|(text, _)| text);
        let Some(file) = self.files.get_mut(path) else { return };
        file.source = Source::Disk { hash };
        file.touch();
        if file.buffer != text {
            self.buffer_replaced(path, text, |_| Hand::User);
        }
    }

    async fn refresh_by(
        &mut self,
        path: &AbsPath,
        command_of: Option<&SessionId>,
    ) -> Result<(), crate::documents::ReadError> {
        let before = self.files.get(path).map(File::stamp);
        self.refresh(path, Hand::Disk).await?;
        let Some(file) = self.files.get_mut(path) else { return Ok(()) };
        if before != Some(file.stamp())
            && let Some(draft) = command_of.and_then(|session| file.drafts.get_mut(session))
        {
            draft.hands.remove(&Hand::Disk);
            draft.hands.insert(Hand::OwnCommand);
        }
        Ok(())
    }

    /// The disk says something else than an open file. The editor will reload it, unless it has unsaved text: then it is
    /// shown and told, and nothing is merged.
    async fn open_file_differs(&mut self, path: &AbsPath) {
        let dirty = self.documents.open_document(path).is_some_and(|document| document.dirty);
        let Ok(disk) = self.on_disk(path).await else { return };
        let Some(file) = self.files.get_mut(path) else { return };
        let (Some(buffer), Some((disk, _))) = (&file.buffer, disk) else { return };
        // The news of a save can come late, when the user has typed on.
        let known = [Some(buffer), file.saved.as_ref()];
        let differs = dirty && !known.into_iter().flatten().any(|text| disk.same_but_for_line_ends(text));
        if !differs {
            file.saved = Some(disk.clone());
        }
        if differs == file.disk_differs {
            return;
        }
        file.disk_differs = differs;
        if differs && let Some(diff) = unified_diff(buffer, &disk, DIFF_LINES) {
            let by = "another program, on disk only (the user has unsaved text in the editor)";
            for draft in file.drafts.values_mut() {
                draft.told.push(ToldWhat::FileChanged { by, diff: diff.clone() });
            }
        }
        file.touch();
    }

    /// Some editors rename by closing the old name and opening the new one with the same text.
    async fn follow_save_as(&mut self, path: &AbsPath, text: &Text) {
        if self.files.contains_key(path) {
            return;
        }
        let closing =
            |file: &File| matches!(file.source, Source::Closing { .. }) && file.buffer.as_ref() == Some(text);
        let same: Vec<AbsPath> =
            self.files.iter().filter(|(_, file)| closing(file)).map(|(path, _)| path.clone()).collect();
        for old in same {
            if let Ok(None) = self.on_disk(&old).await {
                self.move_drafts(&old, path);
                return;
            }
        }
    }

    /// Drafts go where the user's file went, so that no accept makes the old path again.
    pub(super) fn move_drafts(&mut self, from: &AbsPath, to: &AbsPath) {
        let Some(mut old) = self.files.remove(from) else { return };
        if old.drafts.is_empty() {
            return;
        }
        let until = Instant::now() + self.waits.reopen;
        let was = old.stamp().unwrap_or(Stamp::Disk { hash: 0 });
        let new = self
            .files
            .entry(to.clone())
            .or_insert_with(|| File::new(old.buffer.clone(), Source::Closing { until, was }));
        for (session, mut draft) in std::mem::take(&mut old.drafts) {
            if new.drafts.contains_key(&session) {
                tracing::warn!(%from, %to, "two drafts of one session meet at a path; the older path's is dropped");
                continue;
            }
            if draft.draft.buffer() != new.buffer {
                draft.draft.buffer_replaced(new.buffer.clone());
            }
            draft.told.push(ToldWhat::FileRenamed { to: to.clone() });
            draft.shown = Shown::Outdated;
            new.drafts.insert(session, draft);
        }
        new.claims.append(&mut old.claims);
        new.expired.append(&mut old.expired);
        new.queue.append(&mut old.queue);
        self.moved.insert(from.clone(), to.clone());
        self.moved.remove(to);
        self.set_timer(until, to);
    }
}
