//! A Messages API that has files read, or speaks with silences, and keeps the times of both sides of the wire.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What it does in its next answer.
pub(crate) enum Act {
    Read(PathBuf),
    Speak { count: usize, silence: Duration },
}

/// A request, as it came.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// Since the last byte of the answer before; `None`: it is the first.
    pub(crate) gap: Option<Duration>,
    pub(crate) bytes: usize,
    pub(crate) is_summary: bool,
    /// Bytes that the program held then.
    pub(crate) memory: u64,
}

pub(crate) struct Model {
    pub(crate) address: String,
    shared: Arc<Shared>,
}

struct Shared {
    /// Answers that read something; the one behind them ends the task.
    reads: usize,
    act: Box<dyn Fn(usize) -> Act + Send + Sync>,
    answered: Mutex<Option<Instant>>,
    asked: Mutex<Vec<Asked>>,
    spoken: Mutex<Vec<Instant>>,
    connections: AtomicUsize,
    /// The program's process; 0: nobody looks at its memory.
    program: AtomicU32,
}

impl Model {
    /// Answers until the process ends. `act`: what it does in the answer of that number.
    pub(crate) fn start(reads: usize, act: impl Fn(usize) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            reads,
            act: Box::new(act),
            answered: Mutex::default(),
            asked: Mutex::default(),
            spoken: Mutex::default(),
            connections: AtomicUsize::new(0),
            program: AtomicU32::new(0),
        });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = serving.clone();
                shared.connections.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Looks at the memory of the process `program` from here on.
    pub(crate) fn watch(&self, program: u32) {
        self.shared.program.store(program, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().expect("nobody panicked").clone()
    }

    /// When each word went into the socket.
    pub(crate) fn spoken(&self) -> Vec<Instant> {
        self.shared.spoken.lock().expect("nobody panicked").clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }
}

/// One request after the other, as long as the connection stays.
fn serve(stream: TcpStream, shared: &Shared) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        reader.fill_buf().ok().filter(|bytes| !bytes.is_empty())?;
        let came = Instant::now();
        let gap = shared.answered.lock().ok()?.take().map(|answered| came.duration_since(answered));
        let body = body(&mut reader)?;
        let is_summary = contains(&body, r#""tool_choice":{"type":"none"}"#);
        let number = {
            let mut asked = shared.asked.lock().ok()?;
            let memory = resident(shared.program.load(Ordering::Relaxed));
            asked.push(Asked { gap, bytes: body.len(), is_summary, memory });
            asked.iter().filter(|asked| !asked.is_summary).count() - usize::from(!is_summary)
        };
        let answer = match (shared.act)(number) {
            _ if is_summary => words(body.len(), 1),
            Act::Read(path) if number < shared.reads => {
                read(body.len(), number, &json!({ "file_path": path }))
            }
            Act::Read(_) => words(body.len(), 1),
            Act::Speak { count, silence } => {
                speak(reader.get_mut(), shared, &words(body.len(), count), silence)?;
                continue;
            }
        };
        write(reader.get_mut(), shared, &answer)?;
    }
}

/// The events of an answer as its parts: what stands before its words, the words, and what stands behind them.
struct Answer {
    head: String,
    deltas: Vec<String>,
    tail: String,
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

fn write(stream: &mut TcpStream, shared: &Shared, answer: &Answer) -> Option<()> {
    let Answer { head, deltas, tail } = answer;
    let whole = format!("{HEAD}{}", chunk(&format!("{head}{}{tail}", deltas.concat())));
    stream.write_all(whole.as_bytes()).ok()?;
    end(stream, shared)
}

fn speak(stream: &mut TcpStream, shared: &Shared, answer: &Answer, silence: Duration) -> Option<()> {
    stream.write_all(format!("{HEAD}{}", chunk(&answer.head)).as_bytes()).ok()?;
    for delta in &answer.deltas {
        std::thread::sleep(silence);
        shared.spoken.lock().ok()?.push(Instant::now());
        stream.write_all(chunk(delta).as_bytes()).ok()?;
    }
    std::thread::sleep(silence);
    stream.write_all(chunk(&answer.tail).as_bytes()).ok()?;
    end(stream, shared)
}

/// The time counts from before the last bytes, since the other side may have read them before this one goes on.
fn end(stream: &mut TcpStream, shared: &Shared) -> Option<()> {
    *shared.answered.lock().ok()? = Some(Instant::now());
    stream.write_all(b"0\r\n\r\n").ok()
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

fn read(asked: usize, number: usize, input: &Value) -> Answer {
    let begun = json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": "Read", "input": {}});
    let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
    answer(asked, number, &begun, vec![delta], "tool_use")
}

fn words(asked: usize, count: usize) -> Answer {
    let words = (0..count).map(|number| json!({"type": "text_delta", "text": format!("word {number} ")}));
    answer(asked, 0, &json!({"type": "text", "text": ""}), words.collect(), "end_turn")
}

/// `asked`: bytes of the request, by which its tokens are counted.
fn answer(asked: usize, number: usize, begun: &Value, deltas: Vec<Value>, reason: &str) -> Answer {
    let usage = json!({"input_tokens": asked / 4, "output_tokens": 30});
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": null, "usage": usage,
    });
    let delta = |delta| event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}));
    let start = json!({"type": "content_block_start", "index": 0, "content_block": begun});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage});
    Answer {
        head: event(&json!({"type": "message_start", "message": message})) + &event(&start),
        deltas: deltas.into_iter().map(delta).collect(),
        tail: [json!({"type": "content_block_stop", "index": 0}), end, json!({"type": "message_stop"})]
            .iter()
            .map(event)
            .collect(),
    }
}

fn event(event: &Value) -> String {
    let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {kind}\ndata: {event}\n\n")
}

fn body(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
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
    Some(body)
}

fn contains(body: &[u8], words: &str) -> bool {
    body.windows(words.len()).any(|window| window == words.as_bytes())
}

/// Bytes that a process holds, as Linux tells them; 0 where nobody does.
fn resident(program: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{program}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or_default() * 1_024
}
