//! The language service: every method of the protocol with the handler that answers it.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

use super::commands::CommandIds;
use super::core::{Build, Core, Host, Opening};
use super::handlers;
use super::hello::Hello;
use super::outgoing::Outgoing;
use super::remote_editor::RemoteEditor;
use crate::documents::AbsPath;
use crate::editor::{Editor, EditorFeatures};

/// What handlers share.
pub struct Backend {
    pub(super) outgoing: Outgoing,
    pub(super) editor: Arc<RemoteEditor>,
    /// Cancelled when the editor's process has ended.
    pub(super) editor_gone: CancellationToken,
    build: Build,
    host: Host,
    hello: OnceLock<(Hello, CommandIds)>,
    core: OnceLock<Core>,
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
            core: OnceLock::new(),
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

    pub(super) fn command_ids(&self) -> CommandIds {
        self.hello.get().map(|(_, ids)| ids.clone()).unwrap_or_default()
    }

    /// The core, built the first time something needs it.
    pub(super) fn core(&self) -> &Core {
        self.core_at(None)
    }

    /// As `core`; where the editor named no folder, the first document says where one works.
    pub(super) fn core_at(&self, document: Option<&AbsPath>) -> &Core {
        self.core.get_or_init(|| {
            let hello = self.hello.get().map(|(hello, _)| hello.clone()).unwrap_or_default();
            let roots = hello.roots(document, &self.host);
            (self.build)(Opening { roots, editor: self.editor.clone(), options: hello.options })
        })
    }

    /// The core, if anything has needed it so far.
    pub(super) fn core_if_built(&self) -> Option<&Core> {
        self.core.get()
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(handlers::initialize(self, params))
    }

    async fn shutdown(&self) -> Result<()> {
        handlers::shutdown(self);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        handlers::did_open(self, params);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        handlers::did_change(self, params);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        handlers::did_close(self, params);
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        handlers::did_save(self, params);
    }
}
