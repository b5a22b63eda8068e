//! A Messages API of three answers: it reads the file, threads its needles, or speaks at length.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

/// Pieces in which it speaks.
pub(crate) const EVENTS: usize = 20_000;

pub(crate) struct Model {
    pub(crate) address: String,
}

impl Model {
    /// Answers until the process ends. `path`: the file with the needles.
    pub(crate) fn start(path: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let path = path.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let path = path.clone();
                std::thread::spawn(move || answer(stream, &path));
            }
        });
        Self { address }
    }
}

/// One request a connection.
fn answer(stream: TcpStream, path: &str) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8_lossy(&body);
    let events = match body.matches("\"type\":\"tool_result\"").count() {
        0 if body.contains("thread the needles") => {
            tool("Read", &json!({"file_path": path, "offset": 1, "limit": 10}))
        }
        1 => tool(
            "Edit",
            &json!({"file_path": path, "old_string": "needle", "new_string": "thread", "replace_all": true}),
        ),
        0 => words(EVENTS),
        _ => words(1),
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    reader.get_mut().write_all(format!("{head}{events}").as_bytes()).ok()
}

fn tool(name: &str, input: &Value) -> String {
    let begun = json!({"type": "tool_use", "id": format!("toolu_{name}"), "name": name, "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
    stream(&begun, &delta, 1, "tool_use")
}

fn words(count: usize) -> String {
    stream(
        &json!({"type": "text", "text": ""}),
        &json!({"type": "text_delta", "text": "word "}),
        count,
        "end_turn",
    )
}

/// The events of an answer with one block, of which `delta` comes `count` times.
fn stream(begun: &Value, delta: &Value, count: usize, reason: &str) -> String {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "usage": usage,
    });
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let mut text = String::new();
    let mut event = |event: Value| {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let _ = write!(text, "event: {kind}\ndata: {event}\n\n");
    };
    event(json!({"type": "message_start", "message": message}));
    event(json!({"type": "content_block_start", "index": 0, "content_block": begun}));
    for _ in 0..count {
        event(delta.clone());
    }
    event(json!({"type": "content_block_stop", "index": 0}));
    event(json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}));
    event(json!({"type": "message_stop"}));
    text
}
