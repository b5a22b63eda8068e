//! What the editor can do, resolved once to plain fields, and what the server offers in return. Pure.

use copydesk_protocol::{ClientCapability, ServerCapability};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, ExecuteCommandOptions,
    FileOperationFilter, FileOperationPattern, FileOperationRegistrationOptions, HoverProviderCapability,
    OneOf, PositionEncodingKind, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use super::{announced, commands::CommandIds, hello::Hello};
use crate::editor::{CopydeskFeatures, DiagnosticStyle, EditorFeatures, PositionEncoding};

/// The abilities an editor announces, and by its name those that it has or lacks without saying so.
pub(super) fn features(hello: &Hello) -> EditorFeatures {
    let capabilities = &hello.capabilities;
    let at = |pointer: &str| capabilities.pointer(pointer);
    let says = |pointer: &str| at(pointer).and_then(Value::as_bool).unwrap_or_default();
    let has = |pointer: &str| at(pointer).is_some_and(|value| !value.is_null());

    let client = Client::of(&hello.client);
    let copydesk = copydesk(at("/experimental/copydesk"));
    EditorFeatures {
        name: hello.client.clone(),
        position_encoding: position_encoding(at("/general/positionEncodings")),
        // Up to 25.01 Helix sends each change from a task of its own.
        unordered_changes: client == Client::Helix && hello.version.as_str() < "25.07",
        apply_edit: says("/workspace/applyEdit"),
        // Neovim understands them and does not say so.
        document_changes: says("/workspace/workspaceEdit/documentChanges") || client == Client::Neovim,
        // A plain Neovim takes whatever is being typed for the answer.
        safe_questions: has("/window/showMessage") && (client != Client::Neovim || copydesk.permissions),
        // Helix has it in every version and says so only in the newest.
        show_document: says("/window/showDocument/support") || client == Client::Helix,
        shows_at_once: client == Client::Helix,
        messages_wait: client == Client::Neovim && !copydesk.events,
        progress: says("/window/workDoneProgress"),
        code_lens: has("/textDocument/codeLens"),
        code_lens_refresh: says("/workspace/codeLens/refreshSupport"),
        inlay_hint_refresh: says("/workspace/inlayHint/refreshSupport"),
        configuration: says("/workspace/configuration"),
        // Emacs shows hints at once and diagnostics only as one line.
        inlay_hints: has("/textDocument/inlayHint") && client == Client::Emacs,
        watches_files: says("/workspace/didChangeWatchedFiles/dynamicRegistration")
            && client != Client::Helix,
        diagnostic_style: match client {
            Client::Helix if has("/window/showMessage") => DiagnosticStyle::FirstLine,
            Client::Helix => DiagnosticStyle::PaddedBox,
            Client::Neovim | Client::Emacs | Client::Other => DiagnosticStyle::Plain,
        },
        // `normalizesLineEndings`; Neovim does it and does not say so.
        owns_line_ends: says("/workspace/workspaceEdit/normalizesLineEndings") || client == Client::Neovim,
        copydesk,
    }
}

/// What the server offers to this editor.
pub(super) fn server_capabilities(features: &EditorFeatures, ids: &CommandIds) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match features.position_encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(if features.unordered_changes {
                TextDocumentSyncKind::FULL
            } else {
                TextDocumentSyncKind::INCREMENTAL
            }),
            will_save: None,
            will_save_wait_until: None,
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        // Nothing is resolved later: Helix stands still while it waits, and drops a command that only comes then.
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: features.code_lens.then_some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        // Some editors run only what is listed here, and none of them takes a list that grows.
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: ids.all(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: None,
            }),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                did_rename: Some(every_file()),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        experimental: Some(json!({
            "copydesk": ServerCapability {
                version: 1,
                methods: announced::METHODS.iter().map(|method| (*method).to_owned()).collect(),
            }
        })),
        ..ServerCapabilities::default()
    }
}

/// Editors with a fault, or an ability, that their capabilities do not tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Helix,
    Neovim,
    Emacs,
    Other,
}

impl Client {
    fn of(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "helix" => Self::Helix,
            "neovim" => Self::Neovim,
            "eglot" => Self::Emacs,
            _ => Self::Other,
        }
    }
}

/// Bytes if the editor counts them too, since the text is kept so; else what it offers (LSP `PositionEncodingKind`).
fn position_encoding(offered: Option<&Value>) -> PositionEncoding {
    let offers = |name: &str| {
        offered
            .and_then(Value::as_array)
            .is_some_and(|offered| offered.iter().any(|encoding| encoding == name))
    };
    if offers("utf-8") {
        PositionEncoding::Utf8
    } else if offers("utf-32") && !offers("utf-16") {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

fn copydesk(announced: Option<&Value>) -> CopydeskFeatures {
    let announced =
        announced.and_then(|announced| ClientCapability::deserialize(announced).ok()).unwrap_or_default();
    CopydeskFeatures {
        events: announced.events,
        review: announced.review,
        permissions: announced.permissions,
        prompts: announced.prompts,
        save_files: announced.save_files,
        diagnostics: announced.diagnostics,
        navigation: announced.navigation,
    }
}

fn every_file() -> FileOperationRegistrationOptions {
    FileOperationRegistrationOptions {
        filters: vec![FileOperationFilter {
            scheme: Some("file".to_owned()),
            pattern: FileOperationPattern { glob: "**/*".to_owned(), ..FileOperationPattern::default() },
        }],
    }
}

#[cfg(test)]
mod tests;
