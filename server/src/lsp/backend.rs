//! What the handlers of one editor share: its features, the line to it, and the stage, built when first needed.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::background;
use super::commands::CommandIds;
use super::core::{Build, Host, Opening};
use super::hello::Hello;
use super::outgoing::Outgoing;
use super::remote_editor::RemoteEditor;
use super::stage::Stage;
use crate::documents::AbsPath;
use crate::editor::{Editor, EditorFeatures};

/// Stands behind every handler.
pub(super) struct Backend {
    pub(super) outgoing: Outgoing,
    pub(super) editor: Arc<RemoteEditor>,
    /// Cancelled when the editor's process has ended.
    pub(super) editor_gone: CancellationToken,
    build: Build,
    host: Host,
    hello: OnceLock<(Hello, CommandIds)>,
    stage: OnceLock<Stage>,
    /// Cancelled at `initialized`.
    may_ask: CancellationToken,
}

impl Backend {
    pub(super) fn new(outgoing: Outgoing, editor_gone: CancellationToken, build: Build, host: Host) -> Self {
        Self {
            editor: Arc::new(RemoteEditor::new(outgoing.clone())),
            outgoing,
            editor_gone,
            build,
            host,
            hello: OnceLock::new(),
            stage: OnceLock::new(),
            may_ask: CancellationToken::new(),
        }
    }

    /// Remembers what the editor said of itself; what it can do follows from it.
    pub(super) fn greet(&self, hello: Hello, features: EditorFeatures) {
        self.editor.resolve(features);
        let ids = hello.command_ids();
        drop(self.hello.set((hello, ids)));
    }

    pub(super) fn features(&self) -> EditorFeatures {
        self.editor.features()
    }

    /// The stage, set up the first time something needs it.
    pub(super) fn stage(&self) -> &Stage {
        self.stage_at(None)
    }

    /// As `stage`; where the editor named no folder, the first document says where one works.
    pub(super) fn stage_at(&self, document: Option<&AbsPath>) -> &Stage {
        self.stage.get_or_init(|| {
            let (hello, ids) = self.hello.get().cloned().unwrap_or_default();
            let roots = hello.roots(document, &self.host);
            let core = (self.build)(Opening { roots, editor: self.editor.clone(), options: hello.options });
            let stage = Stage::new(core, self.editor.clone(), self.outgoing.clone(), ids);
            background::start(&stage, self.may_ask.clone());
            stage
        })
    }

    /// The stage, if anything has needed it so far.
    pub(super) fn stage_if_built(&self) -> Option<&Stage> {
        self.stage.get()
    }

    /// The client is ready for requests of ours.
    pub(super) fn may_ask(&self) {
        self.may_ask.cancel();
    }

    /// The folder the editor was started in, as far as it says.
    pub(super) fn started_in(&self) -> Option<&AbsPath> {
        self.hello.get().and_then(|(hello, _)| hello.root_path.as_ref()).or(self.host.started_in.as_ref())
    }
}
