//! The loop of the door: bytes in, messages through the front door, one line out, and every way it can end.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};
use tower_lsp::LspService;

use super::backend::Backend;
use super::core::{Build, Host};
use super::front_door::FrontDoor;
use super::message::{self, Incoming};
use super::outgoing::Outgoing;
use super::{custom, frame, leniency, lost_change};

/// Messages read ahead. The loop takes them at once, so this only smooths bursts.
const READ_AHEAD: usize = 64;
/// The last answers are given this long to get out.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Why serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `exit` after `shutdown`.
    Asked,
    /// `exit` without it.
    Abrupt,
    /// The editor is gone: its process, its input to us, or its ear for us.
    EditorGone,
    /// There was none: the input ended before `initialize`.
    NoEditor,
}

impl Ending {
    /// The process's exit code (LSP "Exit Notification").
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Asked => 0,
            Self::Abrupt | Self::EditorGone | Self::NoEditor => 1,
        }
    }
}

/// Serves one editor until it is gone or says so.
///
/// The library's own loop is not used: it ends at the first broken frame, stops reading while its queue of handlers is
/// full, the answers to its own requests included, and gives its outgoing messages no order.
pub async fn serve(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    build: Build,
    host: Host,
) -> Ending {
    let (outgoing, line) = Outgoing::new();
    let gone = CancellationToken::new();
    let incoming = read_in_background(input);
    let writer = write_in_background(&outgoing, line, output, gone.clone());

    let backend = Backend::new(outgoing.clone(), gone.clone(), build, host);
    // The library's line to the client stays unused: ours keeps the order.
    let (service, _unused) = custom::register(LspService::build(|_| backend)).finish();
    let mut door = FrontDoor::new(service);

    let ending = listen(&mut door, incoming, &outgoing, &gone).await;
    tracing::info!(?ending, "serving ends");
    if let Some(stage) = door.service().inner().stage_if_built() {
        stage.core.sessions.cancel_all();
    }
    drop(tokio::time::timeout(LAST_WORDS, outgoing.flushed()).await);
    writer.abort();
    ending
}

/// Takes messages one after the other and never waits for a handler.
async fn listen(
    door: &mut FrontDoor<LspService<Backend>>,
    mut incoming: mpsc::Receiver<Incoming>,
    outgoing: &Outgoing,
    gone: &CancellationToken,
) -> Ending {
    let mut handlers = FuturesUnordered::new();
    let mut greeted = false;
    loop {
        tokio::select! {
            biased;
            () = gone.cancelled() => return Ending::EditorGone,
            Some(answer) = handlers.next() => match answer {
                Ok(Some(response)) => outgoing.respond(&response),
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, "a message after exit"),
            },
            message = incoming.recv() => match message {
                Some(Incoming::Request(request)) => {
                    let exits = request.method() == "exit";
                    greeted |= request.method() == "initialize";
                    if door.ready().await.is_ok() {
                        handlers.push(door.call(lost_change::or_lost(leniency::read_kindly(request))));
                    }
                    if exits {
                        return if door.is_shut_down() { Ending::Asked } else { Ending::Abrupt };
                    }
                }
                Some(Incoming::Answer { id, result }) => outgoing.answered(id, result),
                Some(Incoming::Invalid(response)) => outgoing.respond(&response),
                None if door.is_shut_down() => return Ending::Asked,
                None if !greeted => return Ending::NoEditor,
                None => return Ending::EditorGone,
            },
        }
    }
}

/// Ends with the input, or when nobody takes the messages any more.
fn read_in_background(input: impl AsyncRead + Send + Unpin + 'static) -> mpsc::Receiver<Incoming> {
    let (sender, messages) = mpsc::channel(READ_AHEAD);
    tokio::spawn(async move {
        let mut input = BufReader::new(input);
        loop {
            let message = match frame::read(&mut input).await {
                Ok(Some(Ok(body))) => message::decode(&body),
                Ok(Some(Err(fault))) => Incoming::Invalid(message::parse_error(&fault.to_string())),
                Ok(None) => break,
                Err(error) => {
                    tracing::info!(%error, "the editor's messages can't be read any more");
                    break;
                }
            };
            if sender.send(message).await.is_err() {
                break;
            }
        }
    });
    messages
}

fn write_in_background(
    outgoing: &Outgoing,
    line: mpsc::UnboundedReceiver<Vec<u8>>,
    output: impl AsyncWrite + Send + Unpin + 'static,
    gone: CancellationToken,
) -> JoinHandle<()> {
    let outgoing = outgoing.clone();
    tokio::spawn(async move {
        if let Err(error) = outgoing.write_all(line, output).await {
            tracing::info!(%error, "the editor does not listen any more");
            gone.cancel();
        }
    })
}

#[cfg(test)]
mod tests;
