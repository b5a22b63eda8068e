//! The loop of the door: bytes in, messages through the front door, one line out, and every way it can end.

use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};
use tower_lsp::jsonrpc::{Request, Response};
use tower_lsp::{ExitedError, LspService};

use super::backend::Backend;
use super::core::{Build, Host};
use super::front_door::FrontDoor;
use super::message::{self, Incoming};
use super::outgoing::Outgoing;
use super::{custom, frame, leniency, lost_change};

/// Messages read ahead. The loop takes them at once, so this only smooths bursts.
const READ_AHEAD: usize = 64;
/// What was asked before the end is given this long to be answered; after that it is answered as cancelled.
const LAST_ANSWERS: Duration = Duration::from_secs(3);
/// An editor that waits for the end may read nothing for this long, and one that is gone not quite so long.
const LAST_WORDS: Duration = Duration::from_secs(5);
const UNHEARD: Duration = Duration::from_millis(500);
/// What commands left behind is removed for so long.
const LAST_REMOVALS: Duration = Duration::from_secs(1);

type Door = FrontDoor<LspService<Backend>>;
type Handler = <Door as Service<Request>>::Future;
type Handlers = FuturesUnordered<Handler>;

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
        stage.close();
    }
    let patience = match ending {
        Ending::Asked | Ending::Abrupt => LAST_WORDS,
        Ending::EditorGone | Ending::NoEditor => UNHEARD,
    };
    outgoing.flushed(patience).await;
    writer.abort();
    if let (Ending::Asked, Some(stage)) = (ending, door.service().inner().stage_if_built()) {
        stage.core.sessions.leave(LAST_REMOVALS).await;
    }
    ending
}

/// Takes messages one after the other and never waits for a handler, until the end: what was asked before that is answered.
async fn listen(
    door: &mut Door,
    mut incoming: mpsc::Receiver<Incoming>,
    outgoing: &Outgoing,
    gone: &CancellationToken,
) -> Ending {
    let mut handlers = Handlers::new();
    let mut greeted = false;
    let ending = loop {
        tokio::select! {
            biased;
            () = gone.cancelled() => {
                return if door.is_shut_down() { Ending::Asked } else { Ending::EditorGone };
            }
            Some(answer) = handlers.next() => respond(outgoing, answer),
            message = incoming.recv() => match message {
                Some(Incoming::Request(request)) if request.method() == "exit" => {
                    break if door.is_shut_down() { Ending::Asked } else { Ending::Abrupt };
                }
                Some(Incoming::Request(request)) => {
                    greeted |= request.method() == "initialize";
                    handlers.extend(handled(door, request).await);
                }
                Some(Incoming::Answer { id, result }) => outgoing.answered(id, result),
                Some(Incoming::Invalid(response)) => outgoing.respond(&response),
                Some(Incoming::Lost(changes, answer)) => {
                    for change in changes {
                        handlers.extend(handled(door, change).await);
                    }
                    if let Some(answer) = answer {
                        outgoing.respond(&answer);
                    }
                }
                None if door.is_shut_down() => break Ending::Asked,
                None if !greeted => break Ending::NoEditor,
                None => break Ending::EditorGone,
            },
        }
    };
    // Nobody waits for what a task would still say.
    cancel_tasks(door);
    let answering = answer_the_rest(&mut handlers, incoming, outgoing, gone);
    if tokio::time::timeout(LAST_ANSWERS, answering).await.is_err() {
        // The library cancels what is under way; what no request waits for stays as it is.
        drop(handled(door, Request::build("exit").finish()).await);
        while let Some(Some(answer)) = handlers.next().now_or_never() {
            respond(outgoing, answer);
        }
    }
    ending
}

async fn handled(door: &mut Door, request: Request) -> Option<Handler> {
    door.ready().await.ok()?;
    Some(door.call(lost_change::or_lost(leniency::read_kindly(request))))
}

fn respond(outgoing: &Outgoing, answer: Result<Option<Response>, ExitedError>) {
    match answer {
        Ok(Some(response)) => outgoing.respond(&response),
        Ok(None) => {}
        Err(error) => tracing::debug!(%error, "a message after exit"),
    }
}

/// Until all that was asked is answered. Of what still comes in only the editor's answers count: a handler may wait for one.
async fn answer_the_rest(
    handlers: &mut Handlers,
    mut incoming: mpsc::Receiver<Incoming>,
    outgoing: &Outgoing,
    gone: &CancellationToken,
) {
    let mut hears = true;
    while !handlers.is_empty() {
        tokio::select! {
            biased;
            () = gone.cancelled() => return,
            Some(answer) = handlers.next() => respond(outgoing, answer),
            message = incoming.recv(), if hears => match message {
                Some(Incoming::Answer { id, result }) => outgoing.answered(id, result),
                Some(Incoming::Request(_) | Incoming::Invalid(_) | Incoming::Lost(..)) => {}
                None => hears = false,
            },
        }
    }
}

fn cancel_tasks(door: &Door) {
    if let Some(stage) = door.service().inner().stage_if_built() {
        stage.core.sessions.cancel_all();
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
