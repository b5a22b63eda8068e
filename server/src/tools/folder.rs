//! A folder as the agent sees it: the files on disk, over them what is open in the editor, over that its own drafts.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::ToolUseContext;
use crate::documents::walk::{self, Candidate, IgnoreFiles};
use crate::documents::{AbsPath, FileStateCache, Text};
use crate::review::AgentBytes;

/// Texts that count in the place of the disk's. `None`: the agent has deleted the file.
pub(super) struct Overlay {
    texts: BTreeMap<AbsPath, Option<Text>>,
}

/// Ends a walk that is cancelled or takes too long.
pub(super) struct Watchdog {
    cancel: CancellationToken,
    deadline: Instant,
}

/// Why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Cancelled,
    TimedOut,
}

/// The longest a search may take.
const TIMEOUT: Duration = Duration::from_secs(20);

impl Overlay {
    /// The open documents and this session's drafts.
    pub(super) async fn of(context: &ToolUseContext) -> Self {
        let open = context.documents.open_documents().into_iter().map(|open| (open.path, Some(open.text)));
        let drafts = context.desk.drafts(&context.session).await;
        let drafted = drafts.into_iter().map(|draft| (draft.path, draft.text));
        let wholes = context.desk.wholes(&context.session).await.into_iter();
        let gone =
            wholes.filter(|whole| whole.bytes == Some(AgentBytes::Gone)).map(|whole| (whole.path, None));
        Self { texts: open.chain(drafted).chain(gone).collect() }
    }

    /// The text that counts in the place of the disk's.
    pub(super) fn text(&self, path: &AbsPath) -> Option<&Text> {
        self.texts.get(path)?.as_ref()
    }

    /// The files at or below the real path `base` that `wanted` makes something of, those that only a draft has last. `wanted` runs on
    /// several threads.
    pub(super) fn files<T: Send>(
        &self,
        documents: &FileStateCache,
        base: &AbsPath,
        ignore_files: IgnoreFiles,
        watchdog: &Watchdog,
        wanted: impl Fn(&Candidate<'_>) -> Option<T> + Sync,
    ) -> Result<Vec<(AbsPath, T)>, Stopped> {
        let mut found = walk::files(documents, base, ignore_files, || watchdog.check().is_err(), &wanted);
        watchdog.check()?;
        if self.texts.values().any(Option::is_none) {
            found.retain(|(path, _)| !matches!(self.texts.get(path), Some(None)));
        }
        let drafted = self
            .texts
            .iter()
            .filter(|(path, text)| text.is_some() && path.is_in(base) && !path.as_path().exists())
            .map(|(path, _)| path.clone())
            .filter(|path| documents.open_document(path).is_none());
        found
            .extend(drafted.filter_map(|path| {
                wanted(&Candidate::unsaved(&path, base)).map(|kept| (path.clone(), kept))
            }));
        Ok(found)
    }
}

impl Watchdog {
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self { cancel, deadline: Instant::now() + TIMEOUT }
    }

    /// Asked before each file.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if Instant::now() > self.deadline {
            Err(Stopped::TimedOut)
        } else {
            Ok(())
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "The search was cancelled.",
            Self::TimedOut => "The search took longer than 20 seconds: search a smaller folder.",
        })
    }
}
