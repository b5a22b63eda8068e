//! The files that the agent has otherwise than the disk, as a command is to see them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::ToolUseContext;
use crate::documents::{AbsPath, FileStateCache, Kept, Text, text_of};
use crate::permissions::forbidden_files;
use crate::review::{AgentBytes, AgentWhole};
use crate::shell::{Before, FileContent, FileView, TreeChange};

/// Unsaved text, and over it the session's drafts; and what is kept from it.
#[derive(Clone)]
pub(in crate::tools) struct Views {
    documents: Arc<FileStateCache>,
    /// The folder that the command begins in.
    cwd: AbsPath,
    /// `None`: there is no such file.
    texts: Arc<BTreeMap<AbsPath, Option<Text>>>,
    /// What is pending of files beside their text.
    wholes: Arc<BTreeMap<AbsPath, AgentWhole>>,
    /// Files that it can't read.
    hidden: Arc<[AbsPath]>,
}

impl Views {
    pub(super) async fn of(context: &ToolUseContext) -> Self {
        let open = context.documents.open_documents().into_iter();
        let unsaved = open.filter(|document| document.dirty && !document.lost);
        let unsaved = unsaved.map(|document| (document.path, Some(document.text)));
        let drafts = context.desk.drafts(&context.session).await.into_iter();
        let drafts = drafts.map(|draft| (draft.path, draft.text));
        let texts = Arc::new(unsaved.chain(drafts).collect());
        let wholes = context.desk.wholes(&context.session).await.into_iter();
        let wholes = Arc::new(wholes.map(|whole| (whole.path.clone(), whole)).collect());
        let cwd = AbsPath::new(context.shell.cwd()).unwrap_or_else(AbsPath::root);
        let policy = context.policy.clone();
        let hidden = tokio::task::spawn_blocking(move || forbidden_files(&policy)).await.unwrap_or_default();
        Self { documents: context.documents.clone(), cwd, texts, wholes, hidden: hidden.into() }
    }

    /// What rules keep from it.
    pub(super) fn hidden(&self) -> &[AbsPath] {
        &self.hidden
    }

    pub(super) fn cwd(&self) -> &AbsPath {
        &self.cwd
    }

    /// The bytes that each would have on disk.
    pub(super) async fn files(&self) -> Vec<FileView> {
        let views = self.clone();
        let encoding = tokio::task::spawn_blocking(move || {
            let file = |path: &AbsPath| FileView {
                path: path.as_path().to_owned(),
                content: views.content(path),
                mode: views.wholes.get(path).and_then(|whole| whole.mode),
            };
            views.paths().map(file).collect()
        });
        encoding.await.unwrap_or_default()
    }

    fn content(&self, path: &AbsPath) -> FileContent {
        let kept =
            |kept: &Kept| kept.path().map_or(FileContent::Real, |path| FileContent::Kept(path.to_owned()));
        match (self.wholes.get(path).and_then(|whole| whole.bytes.as_ref()), self.texts.get(path)) {
            (Some(AgentBytes::Kept(bytes)), _) => kept(bytes),
            (Some(AgentBytes::Gone), _) | (None, Some(None)) => FileContent::Absent,
            (None, Some(Some(text))) => FileContent::Bytes(self.bytes(path, text)),
            (None, None) => FileContent::Real,
        }
    }

    /// The files in question.
    pub(super) fn paths(&self) -> impl Iterator<Item = &AbsPath> {
        let of_wholes = self.wholes.keys().filter(|path| !self.texts.contains_key(*path));
        self.texts.keys().chain(of_wholes)
    }

    /// Whether the command was shown bytes there that are no text, and not the disk's.
    pub(super) fn is_whole(&self, path: &AbsPath) -> bool {
        self.wholes.get(path).is_some_and(|whole| whole.bytes.is_some())
    }

    /// The text that a command began from where it made this change; `None`: there was no file, or no text.
    pub(super) fn before(&self, change: &TreeChange) -> Option<Text> {
        let path = AbsPath::new(&change.path)?;
        let before = match &change.before {
            Before::Disk => self.documents.on_disk(&path).ok().map(|disk| disk.text),
            Before::Absent => None,
            Before::Text(bytes) => text_of(bytes),
        }?;
        // The editor's line ends, where it was shown with the disk's.
        let shown = self.texts.get(&path).and_then(Option::as_ref);
        Some(shown.filter(|shown| shown.same_but_for_line_ends(&before)).cloned().unwrap_or(before))
    }

    /// Editors leave the last line break out of what they send, and unify the others: that is no change.
    fn bytes(&self, path: &AbsPath, text: &Text) -> Vec<u8> {
        match self.documents.on_disk(path) {
            Ok(disk) if disk.text.same_but_for_line_ends(text) => self.documents.bytes_of(path, &disk.text),
            Ok(_) | Err(_) => self.documents.bytes_of(path, text),
        }
    }
}
