//! A small editor around the program's own language server: it starts it, opens files, and takes its edits.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use copydesk_protocol::ClientCapability;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::arguments::as_arguments;
use super::buffers::Buffers;
use super::client::{Backlog, Client, Incoming, LineError, ServerError, read};
use crate::config::Override;
use crate::documents::{AbsPath, from_path};

/// What it calls itself.
pub const EDITOR_NAME: &str = "copydesk";
/// JSON-RPC's own code.
const METHOD_NOT_FOUND: i64 = -32601;
/// What a server that is asked to end gets, before it is made to.
const TIME_TO_END: Duration = Duration::from_secs(3);
/// Lines of the server's stderr that are kept for the case that it dies.
const COMPLAINTS: usize = 20;

/// The editor and its server.
pub(super) struct Editor {
    client: Client<ChildStdout, ChildStdin>,
    server: Child,
    pub(super) buffers: Buffers,
    backlog: Backlog,
    complaints: Arc<Mutex<Vec<String>>>,
}

/// What happened first.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    Notification { method: String, params: Value },
    Interrupted,
}

/// Ctrl-C, from now on.
pub(super) struct Interrupt {
    #[cfg(unix)]
    signals: tokio::signal::unix::Signal,
}

impl Interrupt {
    pub(super) fn listen() -> Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            signals: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?,
        })
    }

    pub(super) async fn came(&mut self) {
        #[cfg(unix)]
        self.signals.recv().await;
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}

impl Editor {
    /// Starts this program as a server for the folder `root`, and shakes hands.
    pub(super) async fn start(root: &AbsPath, overrides: &[Override]) -> Result<Self> {
        let program = std::env::current_exe().context("the program can't find itself")?;
        let mut command = Command::new(program);
        command
            .arg("--stdio")
            .args(as_arguments(overrides))
            .current_dir(root.as_path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Ctrl-C is for us: the server is asked to cancel, not shot.
        #[cfg(unix)]
        command.process_group(0);
        let mut server = command.spawn().context("the server can't be started")?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (server.stdin.take(), server.stdout.take(), server.stderr.take())
        else {
            bail!("the server has no pipes");
        };
        let complaints = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(keep_last_lines(stderr, complaints.clone()));
        let client = Client::new(stdout, stdin);
        let mut editor =
            Self { client, server, buffers: Buffers::default(), backlog: Backlog::new(), complaints };
        editor.call::<_, Value>("initialize", hello(root)).await.context("the server did not start well")?;
        editor.notify("initialized", json!({})).await?;
        Ok(editor)
    }

    /// Sends a request and waits for its answer; what else comes meanwhile is kept for `next`.
    pub(super) async fn call<P: Serialize, T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: P,
    ) -> Result<T> {
        let sent = self.client.request(method, serde_json::to_value(params)?).await;
        let id = self.explained(sent)?;
        loop {
            let incoming = self.client.next().await;
            match self.explained(incoming)? {
                Incoming::Response { id: answered, result } if answered == id => {
                    return Ok(read(result?, method)?);
                }
                other => {
                    if let Some(notification) = self.handle(other).await? {
                        self.backlog.push_back(notification);
                    }
                }
            }
        }
    }

    pub(super) async fn notify(&mut self, method: &str, params: impl Serialize) -> Result<()> {
        Ok(self.client.notify(method, serde_json::to_value(params)?).await?)
    }

    /// The next notification, or Ctrl-C.
    pub(super) async fn next(&mut self, interrupt: &mut Interrupt) -> Result<Next> {
        loop {
            if let Some((method, params)) = self.backlog.pop_front() {
                return Ok(Next::Notification { method, params });
            }
            let incoming = tokio::select! {
                incoming = self.client.next() => incoming,
                () = interrupt.came() => return Ok(Next::Interrupted),
            };
            let incoming = self.explained(incoming)?;
            if let Some((method, params)) = self.handle(incoming).await? {
                return Ok(Next::Notification { method, params });
            }
        }
    }

    /// Opens a file with text that need not be on disk.
    pub(super) async fn open(&mut self, uri: &str, language: &str, text: &str) -> Result<()> {
        let params = self.buffers.open(uri, language, text);
        self.notify("textDocument/didOpen", params).await
    }

    /// Writes an open file to disk.
    pub(super) async fn save(&mut self, uri: &str, path: &AbsPath) -> Result<()> {
        let text = self.buffers.text(uri).with_context(|| format!("{uri} is not open"))?;
        std::fs::write(path.as_path(), text).with_context(|| format!("{path} can't be saved"))?;
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } })).await
    }

    /// Ends the server as an editor does.
    pub(super) async fn close(mut self) {
        let goodbye = async {
            let _ = self.call::<_, Value>("shutdown", Value::Null).await;
            let _ = self.notify("exit", Value::Null).await;
            let _ = self.server.wait().await;
        };
        // Past that it is killed when dropped.
        let _ = tokio::time::timeout(TIME_TO_END, goodbye).await;
    }

    /// Answers a request of the server, or gives back its notification.
    async fn handle(&mut self, incoming: Incoming) -> Result<Option<(String, Value)>> {
        match incoming {
            Incoming::Notification { method, params } => Ok(Some((method, params))),
            // An answer to a request that was given up.
            Incoming::Response { .. } => Ok(None),
            Incoming::Request { id, method, params } => {
                let answer = match method.as_str() {
                    "workspace/applyEdit" => {
                        let applied = self.buffers.apply(&params);
                        for change in applied.changes {
                            self.client.notify("textDocument/didChange", change).await?;
                        }
                        Ok(applied.reply)
                    }
                    "workspace/configuration" => {
                        let count = params.get("items").and_then(Value::as_array).map_or(0, Vec::len);
                        Ok(json!(vec![Value::Null; count]))
                    }
                    "window/showDocument" => Ok(json!({ "success": false })),
                    "client/registerCapability"
                    | "client/unregisterCapability"
                    | "window/workDoneProgress/create"
                    | "window/showMessageRequest" => Ok(Value::Null),
                    other => {
                        Err(ServerError { code: METHOD_NOT_FOUND, message: format!("no method {other}") })
                    }
                };
                self.client.respond(id, answer).await?;
                Ok(None)
            }
        }
    }

    /// With the server's last words, if it has died.
    fn explained<T>(&self, result: Result<T, LineError>) -> Result<T> {
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner).join("\n");
        match result {
            Err(LineError::Ended) if !complaints.is_empty() => {
                bail!("the server has ended; its last words:\n{complaints}")
            }
            other => Ok(other?),
        }
    }
}

fn hello(root: &AbsPath) -> Value {
    let uri = from_path(root);
    let ours = ClientCapability {
        version: 1,
        events: true,
        review: true,
        permissions: true,
        prompts: false,
        save_files: false,
        diagnostics: false,
        navigation: false,
    };
    json!({
        "processId": std::process::id(),
        "clientInfo": { "name": EDITOR_NAME, "version": env!("CARGO_PKG_VERSION") },
        "rootUri": uri,
        "workspaceFolders": [{ "uri": uri, "name": root.file_name() }],
        "capabilities": {
            "general": { "positionEncodings": ["utf-8"] },
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
            "textDocument": {
                "codeAction": {
                    "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "refactor"] } },
                },
            },
            "experimental": { "copydesk": ours },
        },
    })
}

async fn keep_last_lines(stderr: tokio::process::ChildStderr, into: Arc<Mutex<Vec<String>>>) {
    let mut lines = BufReader::new(stderr).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == COMPLAINTS {
            kept.remove(0);
        }
        kept.push(line);
    }
}
