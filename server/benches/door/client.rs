//! An editor of few words: it starts the program, writes messages, and looks at no more of the answers than it must.

#![allow(dead_code, reason = "each benchmark has use for a part of it")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::{Value, json};

pub(crate) struct Client {
    program: Child,
    input: ChildStdin,
    news: Receiver<News>,
    last_id: u64,
}

enum News {
    Answer,
    /// So many hunks are shown for the file.
    Hunks(usize),
    /// Words of the model, and when they were there.
    Words(Instant),
    TaskEnded,
}

impl Client {
    pub(crate) fn start(model: &str, folder: &Path) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_copydesk"))
            .arg("--stdio")
            .env("HOME", folder)
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("ANTHROPIC_API_KEY", "k")
            .env("ANTHROPIC_BASE_URL", model)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let input = program.stdin.take().expect("a pipe");
        let mut output = BufReader::new(program.stdout.take().expect("a pipe"));
        let (send, news) = channel();
        std::thread::spawn(move || {
            while let Some(body) = read(&mut output) {
                if let Some(it) = look_at(&body)
                    && send.send(it).is_err()
                {
                    return;
                }
            }
        });
        let mut client = Self { program, input, news, last_id: 0 };
        let copydesk = json!({"version": 1, "events": true, "review": true});
        let workspace = json!({"applyEdit": true, "workspaceEdit": {"documentChanges": true}});
        client.request(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": format!("file://{}", folder.display()),
                "capabilities": {"workspace": workspace, "experimental": {"copydesk": copydesk}},
            }),
        );
        client.notify("initialized", &json!({}));
        client
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) {
        self.last_id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.wait(|news| matches!(news, News::Answer));
    }

    pub(crate) fn start_task(&mut self, prompt: &str, uri: Option<&str>) {
        let prompt = json!([{"type": "text", "text": prompt}]);
        let context = uri.map(|uri| json!({ "uri": uri }));
        self.request("copydesk/task/start", &json!({"prompt": prompt, "context": context}));
    }

    pub(crate) fn wait_for_hunks(&self, count: usize) {
        self.wait(|news| matches!(news, News::Hunks(shown) if *shown == count));
    }

    pub(crate) fn wait_for_the_end(&self) {
        self.wait(|news| matches!(news, News::TaskEnded));
    }

    /// When each of the next `count` notifications with words came.
    pub(crate) fn hear_words(&self, count: usize) -> Vec<Instant> {
        let mut heard = Vec::with_capacity(count);
        while heard.len() < count {
            if let News::Words(at) = self.news.recv().expect("the program still runs") {
                heard.push(at);
            }
        }
        heard
    }

    /// The program's process.
    pub(crate) fn id(&self) -> u32 {
        self.program.id()
    }

    fn wait(&self, is_it: impl Fn(&News) -> bool) {
        while !is_it(&self.news.recv().expect("the program still runs")) {}
    }

    fn write(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(frame.as_bytes()).expect("the program listens");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It holds nothing that would have to be saved.
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

/// The body of the next message.
fn read(output: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None => break,
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(body)
}

fn look_at(body: &[u8]) -> Option<News> {
    let has = |body: &[u8], words: &str| body.windows(words.len()).any(|window| window == words.as_bytes());
    let head = body.get(..body.len().min(80))?;
    if !has(head, "\"method\":") {
        Some(News::Answer)
    } else if has(head, "copydesk/proposal/changed") {
        let key = b"\"revision\":";
        Some(News::Hunks(body.windows(key.len()).filter(|window| window == key).count()))
    } else if has(head, "copydesk/event") && has(body, "\"terminal\"") {
        Some(News::TaskEnded)
    } else if has(head, "copydesk/event") && has(body, "\"delta\":{\"type\":\"text\"") {
        Some(News::Words(Instant::now()))
    } else {
        None
    }
}
