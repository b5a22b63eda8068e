//! The methods of LSP, and the handler that answers each.

use tower_lsp::LanguageServer;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandParams, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, InlayHint, InlayHintParams, LSPAny,
    RenameFilesParams,
};

use super::backend::Backend;
use super::handlers;

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
