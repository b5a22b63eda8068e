//! A small LSP client for tests: it drives the real program over stdio, keeps its own copy of every open text, and forgets
//! no message.

mod buffer;
mod program;
mod wire;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

pub use buffer::{Buffer, Encoding, apply_edits};
pub use program::{FAKE_KEY, Home, Program, binary};

/// Nothing in a test takes longer, on a busy machine too.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// One editor talking to one server.
pub struct Client {
    program: Program,
    incoming: mpsc::UnboundedReceiver<Value>,
    next_id: i64,
    buffers: BTreeMap<String, Buffer>,
    encoding: Encoding,
    /// Notifications nobody has asked for yet, oldest first.
    unread: Vec<Value>,
    /// Requests of the server in the order they came, answered or not.
    pub asked: Vec<Value>,
    answers: BTreeMap<String, Answer>,
    /// What the server said it can do.
    pub capabilities: Value,
}

/// How this editor answers a request of the server.
#[derive(Clone, Debug)]
pub enum Answer {
    Result(Value),
    Error(i64, String),
    /// Never.
    Silence,
    /// `workspace/applyEdit`: carried out, and shown by `didChange` before the reply.
    Apply,
    /// `workspace/applyEdit`: carried out as `Apply`, but for this document, which is locked.
    ApplyBut(String),
    /// `workspace/applyEdit`: carried out, and shown by `didChange` after the reply.
    ApplyLate,
    /// `workspace/applyEdit`: the user makes these changes first, then it is answered so.
    TypeFirst(Value, Box<Answer>),
}

impl Client {
    /// Starts the program in `home` without saying hello.
    pub fn start(home: &Home) -> Self {
        let (program, incoming) = Program::start(home);
        let answers = [
            ("workspace/applyEdit", Answer::Apply),
            ("window/workDoneProgress/create", Answer::Result(Value::Null)),
            ("window/showDocument", Answer::Result(json!({ "success": true }))),
            ("window/showMessageRequest", Answer::Result(Value::Null)),
            ("workspace/codeLens/refresh", Answer::Result(Value::Null)),
            ("client/registerCapability", Answer::Result(Value::Null)),
        ];
        Self {
            program,
            incoming,
            next_id: 1,
            buffers: BTreeMap::new(),
            encoding: Encoding::Utf16,
            unread: Vec::new(),
            asked: Vec::new(),
            answers: answers.into_iter().map(|(method, answer)| (method.to_owned(), answer)).collect(),
            capabilities: Value::Null,
        }
    }

    /// Starts the program and says hello as an editor that can do everything and works in `home`'s project.
    pub async fn open(home: &Home) -> Self {
        let mut client = Self::start(home);
        client.initialize(home, full_capabilities()).await;
        client
    }

    /// `initialize` and `initialized`.
    pub async fn initialize(&mut self, home: &Home, capabilities: Value) {
        let folder = json!({ "uri": home.uri(""), "name": "project" });
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "tests" },
            "workspaceFolders": [folder],
            "capabilities": capabilities,
        });
        let result = self.request("initialize", params).await.expect("initialize succeeds");
        self.capabilities = result.get("capabilities").cloned().unwrap_or_default();
        self.encoding = match self.capabilities.get("positionEncoding").and_then(Value::as_str) {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            _ => Encoding::Utf16,
        };
        self.notify("initialized", json!({}));
    }

    /// Has requests of the server for `method` answered so from now on.
    pub fn answer(&mut self, method: &str, answer: Answer) {
        self.answers.insert(method.to_owned(), answer);
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.program.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.program.send_raw(bytes);
    }

    /// Sends a request and gives its id, for `response`.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.program.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The result, or the error with its `code` and `message`.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send_request(method, params);
        self.response(&json!(id)).await
    }

    /// Waits for the response to `id`; meanwhile everything else is taken care of.
    pub async fn response(&mut self, id: &Value) -> Result<Value, Value> {
        let is_it = |message: &Value| message.get("method").is_none() && message.get("id") == Some(id);
        loop {
            let message = match self.unread.iter().position(is_it) {
                Some(at) => self.unread.remove(at),
                None => self.receive(&format!("the response to {id}")).await,
            };
            if is_it(&message) {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message.get("result").cloned().unwrap_or_default()),
                };
            }
            self.take_care_of(message);
        }
    }

    /// The params of the first unread notification of `method` that `wanted` takes, waiting for it if need be. Those before
    /// it stay unread.
    pub async fn notification(&mut self, method: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let is_it = |message: &Value| message["method"] == method && wanted(&message["params"]);
        loop {
            if let Some(at) = self.unread.iter().position(&is_it) {
                return self.unread.remove(at)["params"].take();
            }
            let message = self.receive(&format!("a notification {method}")).await;
            self.take_care_of(message);
        }
    }

    /// Waits until `method` was asked `times` in all, and gives the params of the last.
    pub async fn asked(&mut self, method: &str, times: usize) -> Value {
        loop {
            let mut asked = self.asked.iter().filter(|request| request["method"] == method);
            if let Some(request) = asked.nth(times - 1) {
                return request["params"].clone();
            }
            let message = self.receive(&format!("request {times} of {method}")).await;
            self.take_care_of(message);
        }
    }

    /// Takes care of everything that comes in until `other` is done.
    pub async fn until<T>(&mut self, other: impl Future<Output = T>) -> T {
        tokio::pin!(other);
        loop {
            tokio::select! {
                biased;
                done = &mut other => return done,
                message = self.incoming.recv() => match message {
                    Some(message) => self.take_care_of(message),
                    None => panic!("the server ended"),
                },
            }
        }
    }

    /// How often `method` was asked so far.
    pub fn times_asked(&self, method: &str) -> usize {
        self.asked.iter().filter(|request| request["method"] == method).count()
    }

    /// Unread notifications of `method`, which are read then.
    pub fn take_unread(&mut self, method: &str) -> Vec<Value> {
        let taken = self.unread.extract_if(.., |message| message["method"] == method);
        taken.map(|mut message| message["params"].take()).collect()
    }

    /// All that the server has sent and nobody has read, and all that it asked.
    pub fn heard(&self) -> impl Iterator<Item = &Value> {
        self.unread.iter().chain(&self.asked)
    }

    /// `didOpen`.
    pub fn did_open(&mut self, uri: &str, language: &str, text: &str) {
        self.buffers.insert(uri.to_owned(), Buffer { version: 1, text: text.to_owned() });
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// `didClose`.
    pub fn did_close(&mut self, uri: &str) {
        self.buffers.remove(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// The user replaces the first `old` by `new`: one `didChange`, in the negotiated encoding.
    pub fn type_over(&mut self, uri: &str, old: &str, new: &str) {
        let buffer = self.buffers.get(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        let at = buffer.text.find(old).unwrap_or_else(|| panic!("{uri} has no {old:?}"));
        let range = buffer.range(at..at + old.len(), self.encoding);
        self.edit(uri, &json!([{ "range": range, "newText": new }])).expect("one edit is no overlap");
    }

    /// Carries edits of one text out, all at once, and tells the server.
    pub fn edit(&mut self, uri: &str, edits: &Value) -> Result<(), String> {
        let encoding = self.encoding;
        let buffer = self.buffers.get_mut(uri).ok_or_else(|| format!("{uri} is not open"))?;
        let edited = apply_edits(&buffer.text, edits, encoding)?;
        buffer.version += 1;
        let whole = json!([{ "text": edited }]);
        buffer.text = edited;
        let version = buffer.version;
        self.change(uri, version, &whole_or_single(edits, &whole));
        Ok(())
    }

    /// The user's buffer becomes `text`: one `didChange` without a range.
    pub fn replace(&mut self, uri: &str, text: &str) {
        let buffer = self.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        buffer.version += 1;
        text.clone_into(&mut buffer.text);
        let version = buffer.version;
        self.change(uri, version, &json!([{ "text": text }]));
    }

    /// The user changes the buffer: one `didChange` with several changes, each against the result of the one before.
    pub fn type_changes(&mut self, uri: &str, changes: &Value) {
        let encoding = self.encoding;
        let buffer = self.buffers.get_mut(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        for change in changes.as_array().into_iter().flatten() {
            let text = change["text"].as_str().unwrap_or_default();
            buffer.text = match change.get("range") {
                None => text.to_owned(),
                Some(range) => {
                    let edit = json!([{ "range": range, "newText": text }]);
                    apply_edits(&buffer.text, &edit, encoding)
                        .unwrap_or_else(|cause| panic!("{change}: {cause}"))
                }
            };
        }
        buffer.version += 1;
        let version = buffer.version;
        self.change(uri, version, changes);
    }

    /// The buffer becomes `text` as an undo does it: one `didChange` over what differs.
    pub fn become_text(&mut self, uri: &str, text: &str) {
        let buffer = self.buffers.get(uri).unwrap_or_else(|| panic!("{uri} is not open"));
        let (span, new_text) = difference(&buffer.text, text);
        let range = buffer.range(span, self.encoding);
        self.type_changes(uri, &json!([{ "range": range, "text": new_text }]));
    }

    /// A bare `didChange`, whatever this client's own copy says.
    pub fn change(&mut self, uri: &str, version: i64, changes: &Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// What this editor shows of a file, if it is open.
    pub fn shows(&self, uri: &str) -> Option<&str> {
        self.buffers.get(uri).map(|buffer| buffer.text.as_str())
    }

    /// What this editor shows.
    pub fn text(&self, uri: &str) -> &str {
        &self.buffers.get(uri).unwrap_or_else(|| panic!("{uri} is not open")).text
    }

    /// What the server takes the file to be: buffer and draft.
    pub async fn both_texts(&mut self, uri: &str) -> (Option<String>, Option<String>) {
        let shown = self.request("copydesk/proposal/show", json!({ "uri": uri })).await.expect("both texts");
        let text = |side: &str| shown[side].as_str().map(str::to_owned);
        (text("buffer"), text("draft"))
    }

    /// `shutdown` and `exit`; gives the exit code. Errors that the server showed and nobody read fail the test.
    pub async fn close(mut self) -> i32 {
        self.request("shutdown", Value::Null).await.expect("shutdown succeeds");
        let errors: Vec<_> =
            self.take_unread("window/showMessage").into_iter().filter(|shown| shown["type"] == 1).collect();
        assert!(errors.is_empty(), "errors that nobody read: {errors:#?}");
        self.notify("exit", Value::Null);
        self.program.exit_code().await
    }

    /// Waits for the end of the program, whose input stays open.
    pub async fn exit_code(&mut self) -> i32 {
        self.program.exit_code().await
    }

    /// Memory that the program holds, in MiB, as Linux tells it.
    pub fn resident_mib(&self) -> f64 {
        self.program.resident_mib()
    }

    /// Closes the program's input.
    pub fn hang_up(&mut self) {
        self.program.hang_up();
    }

    async fn receive(&mut self, what: &str) -> Value {
        match tokio::time::timeout(DEADLINE, self.incoming.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => panic!("the server ended instead of sending {what}"),
            Err(late) => panic!("{what} did not come ({late}); unread: {:#?}", self.unread),
        }
    }

    /// Answers a request, keeps a notification.
    fn take_care_of(&mut self, message: Value) {
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else {
            // The answer to a request whose id nobody waits for here: to bytes that were no message, say.
            return self.unread.push(message);
        };
        let Some(id) = message.get("id").cloned() else { return self.unread.push(message) };
        let params = message["params"].clone();
        self.asked.push(message);
        match self.answers.get(&method).cloned() {
            Some(Answer::Result(result)) => self.reply(&id, &result),
            Some(Answer::Error(code, message)) => self.refuse(&id, code, &message),
            Some(Answer::Silence) => {}
            Some(Answer::TypeFirst(changes, answer)) => {
                let uri = params.pointer("/edit/documentChanges/0/textDocument/uri").and_then(Value::as_str);
                self.type_changes(uri.unwrap_or_default(), &changes);
                match *answer {
                    Answer::Result(result) => self.reply(&id, &result),
                    Answer::Error(code, message) => self.refuse(&id, code, &message),
                    other => panic!("no answer for after typing: {other:?}"),
                }
            }
            Some(Answer::ApplyBut(locked)) if params.to_string().contains(&locked) => {
                self.reply(&id, &json!({ "applied": false, "failureReason": "it is locked" }));
            }
            Some(Answer::Apply | Answer::ApplyBut(_)) => {
                let applied = self.apply(&params);
                self.reply(&id, &applied);
            }
            Some(Answer::ApplyLate) => {
                self.reply(&id, &json!({ "applied": true }));
                self.apply(&params);
            }
            None => self.refuse(&id, -32601, "this editor has no such method"),
        }
    }

    /// Carries a `WorkspaceEdit` out.
    fn apply(&mut self, params: &Value) -> Value {
        let files: Vec<_> = match params.pointer("/edit/documentChanges").and_then(Value::as_array) {
            Some(changes) => {
                changes.iter().map(|change| (&change["textDocument"], &change["edits"])).collect()
            }
            None => panic!("an edit without documentChanges: {params}"),
        };
        for (document, edits) in files {
            let uri = document["uri"].as_str().unwrap_or_default();
            let version = self.buffers.get(uri).map(|buffer| buffer.version);
            if document["version"].as_i64() != version {
                return json!({ "applied": false, "failureReason": "the document has changed" });
            }
            if let Err(cause) = self.edit(uri, edits) {
                panic!("the server sent an edit that can't be applied: {cause}: {params}");
            }
        }
        json!({ "applied": true })
    }

    fn reply(&mut self, id: &Value, result: &Value) {
        self.program.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        self.program
            .send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }));
    }
}

/// What an editor announces that can do all that the server may ask for.
pub fn full_capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": { "documentChanges": true },
            "codeLens": { "refreshSupport": true },
        },
        "window": { "workDoneProgress": true, "showMessage": {}, "showDocument": { "support": true } },
        "textDocument": { "codeLens": {} },
        "experimental": { "copydesk": { "version": 1, "events": true, "review": true, "permissions": true } },
    })
}

/// The one stretch of `before` that has to be replaced, and by what, to make it `after`.
fn difference<'a>(before: &str, after: &'a str) -> (std::ops::Range<usize>, &'a str) {
    let pairs = before.chars().zip(after.chars());
    let head: usize = pairs.take_while(|(old, new)| old == new).map(|(same, _)| same.len_utf8()).sum();
    let pairs = before[head..].chars().rev().zip(after[head..].chars().rev());
    let tail: usize = pairs.take_while(|(old, new)| old == new).map(|(same, _)| same.len_utf8()).sum();
    (head..before.len() - tail, &after[head..after.len() - tail])
}

/// A single edit goes as itself, several as the whole text: as a sequence their ranges would mean something else.
fn whole_or_single(edits: &Value, whole: &Value) -> Value {
    match edits.as_array().map(Vec::as_slice) {
        Some([edit]) => json!([{ "range": edit["range"], "text": edit["newText"] }]),
        _ => whole.clone(),
    }
}
