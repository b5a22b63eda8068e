//! The language service: every method of the protocol with the handler that answers it.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, LSPAny,
    RenameFilesParams,
};

use super::commands::CommandIds;
use super::core::{Build, Host, Opening};
use super::handlers;
use super::hello::Hello;
use super::outgoing::Outgoing;
use super::remote_editor::RemoteEditor;
use super::stage::Stage;
use crate::documents::AbsPath;
use crate::editor::{Editor, EditorFeatures};

/// What handlers share.
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
            stage.raise(self.may_ask.clone());
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

    async fn initialized(&self, _: InitializedParams) {
        handlers::initialized(self);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        handlers::did_change_watched_files(self, params);
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        handlers::did_rename_files(self, params);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        handlers::did_change_configuration(self, params);
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        Ok(handlers::code_action(self, params).await)
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        Ok(handlers::hover(self, params))
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        Ok(Some(handlers::code_lens(self, params)))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        Ok(Some(handlers::inlay_hint(self, params)))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        handlers::execute_command(self, params).map(|()| None)
    }
}
