//! What handlers and the tasks beside them share: the core, the line out, and what was shown so far.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::commands::CommandIds;
use super::core::Core;
use super::outgoing::Outgoing;
use super::progress::Running;
use super::remote_editor::RemoteEditor;
use super::surface::{OpenQuestion, ReviewFiles, Scene, SurfaceSettings};
use super::{events, proposals, publish, watch_files};
use crate::agent::SessionState;
use crate::documents::AbsPath;
use crate::editor::Editor;

/// An open question that nobody answered for this long is drawn over the open files.
const OVERDUE: Duration = Duration::from_secs(10);

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Stage {
    pub(super) core: Core,
    pub(super) editor: Arc<RemoteEditor>,
    pub(super) outgoing: Outgoing,
    pub(super) commands: CommandIds,
    pub(super) settings: SurfaceSettings,
    pub(super) review_files: Arc<ReviewFiles>,
    pub(super) running: Running,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Something beside the review has changed what is shown.
    redraw: Notify,
    /// When the user last typed, by file.
    typed: Mutex<BTreeMap<AbsPath, Instant>>,
    /// Since when a question is open.
    asked: Mutex<BTreeMap<String, Instant>>,
}

impl Stage {
    pub(super) fn new(
        core: Core,
        editor: Arc<RemoteEditor>,
        outgoing: Outgoing,
        commands: CommandIds,
    ) -> Self {
        Self {
            core,
            editor,
            outgoing,
            commands,
            settings: SurfaceSettings::default(),
            review_files: Arc::default(),
            running: Running::default(),
            shared: Arc::default(),
        }
    }

    /// Starts everything that goes on beside the handlers. Requests of ours wait for `may_ask`.
    pub(super) fn raise(&self, may_ask: CancellationToken) {
        tokio::spawn(events::tell(self.clone(), self.core.sessions.subscribe()));
        tokio::spawn(publish::publish(self.clone()));
        if self.editor.features().copydesk.review {
            tokio::spawn(proposals::tell(self.clone()));
        }
        let stage = self.clone();
        tokio::spawn(async move {
            may_ask.cancelled().await;
            watch_files::watch(stage).await;
        });
    }

    /// Everything that surfaces are drawn from, as it is now.
    pub(super) fn scene(&self) -> Scene {
        Scene {
            review: self.core.desk.view(),
            features: self.editor.features(),
            workspace: self.core.workspace.clone(),
            settings: self.settings,
            questions: self.questions(),
            review_files: self.review_files.all(),
            running: self.core.sessions.list().iter().any(|session| session.state != SessionState::Idle),
            commands: self.commands.clone(),
        }
    }

    /// Has the surfaces drawn again.
    pub(super) fn redraw(&self) {
        self.shared.redraw.notify_one();
    }

    /// Wakes when `redraw` was called.
    pub(super) async fn redrawn(&self) {
        self.shared.redraw.notified().await;
    }

    /// The user typed into the file.
    pub(super) fn typed(&self, path: AbsPath) {
        lock(&self.shared.typed).insert(path, Instant::now());
    }

    /// How long the user has not typed into the file; `None`: never did.
    pub(super) fn quiet_in(&self, path: &AbsPath) -> Option<Duration> {
        lock(&self.shared.typed).get(path).map(Instant::elapsed)
    }

    /// How long the user has typed nowhere; `None`: never did.
    pub(super) fn quiet(&self) -> Option<Duration> {
        lock(&self.shared.typed).values().max().map(Instant::elapsed)
    }

    fn questions(&self) -> Vec<OpenQuestion> {
        let open = self.core.sessions.open_questions();
        let mut asked = lock(&self.shared.asked);
        asked.retain(|id, _| open.iter().any(|(_, request)| request.id == *id));
        open.into_iter()
            .map(|(_, request)| {
                let since = asked.entry(request.id.clone()).or_insert_with(Instant::now);
                OpenQuestion { overdue: since.elapsed() >= OVERDUE, request }
            })
            .collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
