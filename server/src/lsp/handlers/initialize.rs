//! `initialize`: what the editor can do is resolved, what the server offers is answered, and nothing is started yet.

use tower_lsp::ls_types::{InitializeParams, InitializeResult, ServerInfo};

use crate::lsp::backend::Backend;
use crate::lsp::hello::Hello;
use crate::lsp::{capabilities, parent};

pub(in crate::lsp) fn initialize(backend: &Backend, params: InitializeParams) -> InitializeResult {
    let hello = Hello::read(&params.initialization_options.unwrap_or_default());
    tracing::info!(client = hello.client, version = hello.version, "an editor says hello");
    if let Some(process) = hello.process_id {
        let gone = backend.editor_gone.clone();
        tokio::spawn(async move {
            parent::gone(process).await;
            gone.cancel();
        });
    }
    let features = capabilities::features(&hello);
    let capabilities = capabilities::server_capabilities(&features, &hello.command_ids());
    backend.greet(hello, features);
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "copydesk".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        offset_encoding: None,
    }
}
