//! The one line out: every answer, notification and request of ours, written in the order it was put in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::{Notify, mpsc, oneshot};
use tower_lsp::jsonrpc::{Error, Response};

/// Bytes that may wait for a slow editor before those who can wait are asked to.
const ROOM: usize = 1 << 20;
/// So much is written at once, so that a slow editor can be told from one that does not read.
const PIECE: usize = 1 << 16;

/// The way out. Cheap to clone; putting something in never waits.
#[derive(Clone)]
pub(super) struct Outgoing {
    shared: Arc<Shared>,
}

struct Shared {
    line: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes in the line.
    waiting: AtomicUsize,
    written: Notify,
    next_id: AtomicI64,
    questions: Mutex<HashMap<i64, oneshot::Sender<Result<Value, Error>>>>,
}

/// A request or notification of ours, written as it stands: a tree of values between would cost more than the writing.
#[derive(Serialize)]
struct Message<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    params: P,
}

/// Why a request of ours has no result. None of them is ever a yes.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("the editor answered with an error: {0}")]
    Refused(Error),
    #[error("the editor did not answer within {0:?}")]
    Late(Duration),
    #[error("the editor is gone")]
    Gone,
}

impl Outgoing {
    /// The way in, and the end to hand to `write_all`.
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (line, end) = mpsc::unbounded_channel();
        let shared = Shared {
            line,
            waiting: AtomicUsize::new(0),
            written: Notify::new(),
            next_id: AtomicI64::new(1),
            questions: Mutex::default(),
        };
        (Self { shared: Arc::new(shared) }, end)
    }

    pub(super) fn notify(&self, method: &str, params: impl Serialize) {
        self.put(&Message { jsonrpc: "2.0", id: None, method, params });
    }

    /// Sends a request at once; the future is only its answer, and may be dropped.
    pub(super) fn request(
        &self,
        method: &str,
        params: impl Serialize,
        deadline: Option<Duration>,
    ) -> impl Future<Output = Result<Value, Unanswered>> + Send + 'static {
        let id = self.shared.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        self.shared.questions().insert(id, sender);
        self.put(&Message { jsonrpc: "2.0", id: Some(id), method, params });
        let question = Question { id, shared: self.shared.clone() };
        async move {
            let answer = async { answer.await.map_err(|_| Unanswered::Gone)?.map_err(Unanswered::Refused) };
            let result = match deadline {
                Some(deadline) => {
                    tokio::time::timeout(deadline, answer).await.unwrap_or(Err(Unanswered::Late(deadline)))
                }
                None => answer.await,
            };
            drop(question);
            result
        }
    }

    /// Answers a request of the editor.
    pub(super) fn respond(&self, response: &Response) {
        self.put(response);
    }

    /// The editor answered a request of ours. An answer to nothing, or one that comes late, is dropped.
    pub(super) fn answered(&self, id: i64, result: Result<Value, Error>) {
        let question = self.shared.questions().remove(&id);
        if question.is_none_or(|question| question.send(result).is_err()) {
            tracing::debug!(id, "an answer that nobody waits for");
        }
    }

    /// Waits while a slow editor has much to read, so that a stream of events is slowed down and nothing else.
    pub(super) async fn room(&self) {
        loop {
            let written = self.shared.written.notified();
            if self.shared.waiting.load(Ordering::Acquire) < ROOM {
                return;
            }
            written.await;
        }
    }

    fn put(&self, message: &impl Serialize) {
        match serde_json::to_vec(message) {
            Ok(body) => {
                self.shared.waiting.fetch_add(body.len(), Ordering::AcqRel);
                // Fails only when the editor is gone, and the server ends with it.
                drop(self.shared.line.send(body));
            }
            Err(error) => tracing::error!(%error, "a message that can't be written"),
        }
    }

    /// Writes what comes out of `line` until everybody who could put something in is gone, or the editor is.
    pub(super) async fn write_all(
        &self,
        mut line: mpsc::UnboundedReceiver<Vec<u8>>,
        output: impl AsyncWrite + Unpin,
    ) -> std::io::Result<()> {
        let mut output = BufWriter::new(output);
        while let Some(body) = line.recv().await {
            output.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            let mut rest = &*body;
            while !rest.is_empty() {
                let (piece, behind) = rest.split_at(PIECE.min(rest.len()));
                output.write_all(piece).await?;
                rest = behind;
                if rest.is_empty() && line.is_empty() {
                    output.flush().await?;
                }
                self.shared.waiting.fetch_sub(piece.len(), Ordering::AcqRel);
                self.shared.written.notify_waiters();
            }
        }
        Ok(())
    }

    /// Waits until all that was put in has been written, for as long as the editor goes on reading: with `patience` for each
    /// piece.
    pub(super) async fn flushed(&self, patience: Duration) {
        loop {
            let written = self.shared.written.notified();
            if self.shared.waiting.load(Ordering::Acquire) == 0
                || tokio::time::timeout(patience, written).await.is_err()
            {
                return;
            }
        }
    }
}

impl Shared {
    fn questions(&self) -> MutexGuard<'_, HashMap<i64, oneshot::Sender<Result<Value, Error>>>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets its question when nobody waits for the answer any more.
struct Question {
    id: i64,
    shared: Arc<Shared>,
}

impl Drop for Question {
    fn drop(&mut self) {
        self.shared.questions().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What came out, one JSON a message.
    fn messages(line: &mut mpsc::UnboundedReceiver<Vec<u8>>) -> Vec<Value> {
        std::iter::from_fn(|| line.try_recv().ok())
            .map(|body| serde_json::from_slice(&body).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn messages_leave_in_the_order_they_were_put_in() {
        let (outgoing, mut line) = Outgoing::new();
        outgoing.notify("a", json!({}));
        drop(outgoing.request("b", Value::Null, None));
        outgoing.respond(&Response::from_ok(7.into(), json!(1)));
        let sent = messages(&mut line);
        let order: Vec<_> =
            sent.iter().map(|message| message.get("method").and_then(Value::as_str)).collect();
        assert_eq!(order, [Some("a"), Some("b"), None]);
    }

    #[tokio::test]
    async fn an_answer_finds_its_request_and_a_late_one_nobody() {
        let (outgoing, _line) = Outgoing::new();
        let (first, second) = (outgoing.request("a", (), None), outgoing.request("b", (), None));
        outgoing.answered(2, Ok(json!("second")));
        outgoing.answered(1, Ok(json!("first")));
        outgoing.answered(1, Ok(json!("twice")));
        assert_eq!((first.await, second.await), (Ok(json!("first")), Ok(json!("second"))));
        assert!(outgoing.shared.questions().is_empty());
    }

    #[tokio::test]
    async fn errors_and_silence_are_no_answer() {
        let (outgoing, _line) = Outgoing::new();
        let deadline = Duration::from_millis(20);
        let refused = outgoing.request("a", (), Some(deadline));
        outgoing.answered(1, Err(Error::method_not_found()));
        assert_eq!(refused.await, Err(Unanswered::Refused(Error::method_not_found())));
        assert_eq!(outgoing.request("b", (), Some(deadline)).await, Err(Unanswered::Late(deadline)));
        outgoing.answered(2, Ok(Value::Null));
        assert!(outgoing.shared.questions().is_empty());
    }
}
