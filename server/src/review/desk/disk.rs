//! The disk, off the desk's own thread. The desk waits meanwhile, so nothing happens between a look and a write.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::actor::Desk;
use super::file::{File, Hand, Source};
use crate::documents::{
    AbsPath, DiskFile, Expected, FileStateCache, Intended, Kept, ReadError, Snapshot, Stamp, Text, WriteError,
};
use crate::editor::Loudness;

/// What the disk says about one file: its text and the hash of its bytes, or that there is none.
pub(super) type OnDisk = Option<(Text, u64)>;

impl Desk {
    /// What the disk says, also for an open file.
    pub(super) async fn on_disk(&self, path: &AbsPath) -> Result<OnDisk, ReadError> {
        // Where it did not change, going to another thread and back takes longer than to see that.
        let read = match self.documents.unread_on_disk(path) {
            Some(snapshot) => Ok(Ok(snapshot)),
            None => self.off_thread(path, FileStateCache::on_disk).await,
        };
        match read.unwrap_or_else(|cause| Err(ReadError::Io { path: path.clone(), cause })) {
            Ok(Snapshot { text, stamp: Stamp::Disk { hash }, .. }) => Ok(Some((text, hash))),
            // The cache gives disk stamps for what it reads there.
            Ok(Snapshot { text, stamp: Stamp::Open { .. }, .. }) => Ok(Some((text, 0))),
            Err(ReadError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a closed file; gives the hash of its new bytes.
    pub(super) async fn write(
        &self,
        path: &AbsPath,
        text: Text,
        expected: Expected,
    ) -> Result<Option<u64>, WriteError> {
        let written =
            self.off_thread(path, move |documents, path| documents.write(path, &text, expected)).await;
        written.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause })).map(hash_of)
    }

    /// As `write`, of a file that is not there yet and gets these permissions.
    pub(super) async fn write_new(
        &self,
        path: &AbsPath,
        text: Text,
        mode: u32,
    ) -> Result<Option<u64>, WriteError> {
        let written =
            self.off_thread(path, move |documents, path| documents.write_new(path, &text, mode)).await;
        written.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause })).map(hash_of)
    }

    /// The file on disk, whatever its bytes are.
    pub(super) async fn disk_file(
        &self,
        path: &AbsPath,
        known: Option<DiskFile>,
    ) -> Result<Option<DiskFile>, ReadError> {
        let look =
            move |documents: &FileStateCache, path: &AbsPath| documents.disk_file(path, known.as_ref());
        let looked = self.off_thread(path, look).await;
        looked.unwrap_or_else(|cause| Err(ReadError::Io { path: path.clone(), cause }))
    }

    /// Writes bytes, and permissions if there are any, to a file that the editor does not have open.
    pub(super) async fn write_whole(
        &self,
        path: &AbsPath,
        kept: Kept,
        expected: Expected,
        mode: Option<u32>,
    ) -> Result<(), WriteError> {
        let write = move |documents: &FileStateCache, path: &AbsPath| {
            documents.write_whole(path, &kept, expected, mode)
        };
        let written = self.off_thread(path, write).await;
        written.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause }))
    }

    pub(super) async fn set_mode(&self, path: &AbsPath, from: u32, to: u32) -> Result<(), WriteError> {
        let set = move |documents: &FileStateCache, path: &AbsPath| documents.set_mode(path, from, to);
        let done = self.off_thread(path, set).await;
        done.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause }))
    }

    /// Why that could not be done to the file, as far as the disk can tell.
    pub(super) async fn look_ahead(
        &self,
        path: &AbsPath,
        intended: Intended,
        leaving: Arc<BTreeSet<AbsPath>>,
    ) -> Result<(), WriteError> {
        let look =
            move |documents: &FileStateCache, path: &AbsPath| documents.look_ahead(path, &intended, &leaving);
        let looked = self.off_thread(path, look).await;
        looked.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause }))
    }

    pub(super) async fn delete(&self, path: &AbsPath, hash: u64) -> Result<(), WriteError> {
        let deleted = self.off_thread(path, move |documents, path| documents.delete(path, hash)).await;
        deleted.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause }))
    }

    pub(super) async fn rename(&self, path: &AbsPath, to: &AbsPath, hash: u64) -> Result<(), WriteError> {
        let to = to.clone();
        let renamed = self.off_thread(path, move |documents, path| documents.rename(path, &to, hash)).await;
        renamed.unwrap_or_else(|cause| Err(WriteError::Io { path: path.clone(), cause }))
    }

    /// A closed file on the desk says what the disk says now.
    pub(super) async fn refresh(&mut self, path: &AbsPath, hand: Hand) -> Result<(), ReadError> {
        let Some(File { source: Source::Disk { hash }, .. }) = self.files.get(path) else { return Ok(()) };
        let known = *hash;
        let now = self.on_disk(path).await?;
        let hash = now.as_ref().map(|(_, hash)| *hash);
        if hash == known {
            return Ok(());
        }
        if let Some(file) = self.files.get_mut(path) {
            file.source = Source::Disk { hash };
        }
        self.buffer_replaced(path, now.map(|(text, _)| text), |_| hand);
        Ok(())
    }

    /// Says once of a closed file which encoding was assumed for it, where nothing in it does.
    pub(super) async fn tell_of_guess(&mut self, path: &AbsPath, text: Option<&Text>) {
        let is_closed = self.files.get(path).is_some_and(|file| !file.is_open());
        // Plain ASCII is the same in all of them.
        let is_plain = text.is_none_or(|text| text.chunks().all(str::is_ascii));
        if !is_closed || is_plain || self.guesses_told.contains(path) {
            return;
        }
        let guessed = self.off_thread(path, FileStateCache::guessed_encoding).await;
        if let Ok(Some(encoding)) = guessed {
            self.guesses_told.insert(path.clone());
            let name = self.display(path);
            let text = format!(
                "{name} does not say its encoding; {encoding} was assumed from its text. If that is wrong, reject the \
                 change and open the file first: in the editor, the editor's encoding counts."
            );
            self.editor.show_message(Loudness::Warning, text);
        }
    }

    /// The error is a panic on the way, for a person.
    async fn off_thread<T: Send + 'static>(
        &self,
        path: &AbsPath,
        work: impl FnOnce(&FileStateCache, &AbsPath) -> T + Send + 'static,
    ) -> Result<T, String> {
        let (documents, path) = (Arc::clone(&self.documents), path.clone());
        let work = tokio::task::spawn_blocking(move || work(&documents, &path));
        work.await.map_err(|error| error.to_string())
    }
}

/// Of what was written to disk.
fn hash_of(snapshot: Snapshot) -> Option<u64> {
    match snapshot.stamp {
        Stamp::Disk { hash } => Some(hash),
        Stamp::Open { .. } => None,
    }
}

/// Whether the mode bits of the file at `path` forbid writing.
pub(super) fn is_read_only(path: &AbsPath) -> bool {
    std::fs::metadata(path.as_path()).is_ok_and(|metadata| metadata.permissions().readonly())
}
