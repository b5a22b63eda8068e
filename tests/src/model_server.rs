//! A model service that plays a script over real HTTP: it streams, splits, stalls and breaks as it is told, and checks
//! every request it gets.

mod answer;
mod chat_completions;
mod http;
mod invariants;
mod ollama;
mod play;
mod request;
mod wire;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

pub use answer::Answer;
pub use request::Request;
pub use wire::Wire;

use crate::client::FAKE_KEY;

/// Longest wait of a test for something that ought to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server. When it is dropped, the test fails if a request broke a rule, came unasked for, or is still owed.
pub struct ModelServer {
    address: SocketAddr,
    stage: Arc<Stage>,
    running: JoinHandle<()>,
}

/// What the connections share.
struct Stage {
    wire: Wire,
    played: Mutex<Played>,
    /// Counts requests, so that a test can wait for one.
    asked: watch::Sender<usize>,
    /// Counts answers that the other side did not wait for.
    hung_up: watch::Sender<usize>,
}

#[derive(Default)]
struct Played {
    script: VecDeque<Step>,
    requests: Vec<Request>,
    faults: Vec<String>,
}

/// Looks at a request and answers it.
type Player = dyn FnMut(&Request) -> Answer + Send;

enum Step {
    Answer(Answer),
    /// Answers whatever comes from here on.
    By(Box<Player>),
    /// Hands whatever comes from here on to the test.
    Hand(mpsc::UnboundedSender<Asked>),
}

/// A request that waits for the test's answer.
pub struct Asked {
    pub request: Request,
    answer: oneshot::Sender<Answer>,
}

impl Asked {
    /// Answers it. If the other side has hung up meanwhile, nobody hears it.
    pub fn answer(self, answer: Answer) {
        let _ = self.answer.send(answer);
    }
}

/// An answer that is there, or one that the test still has to give.
enum Reply {
    Now(Answer),
    Later(oneshot::Receiver<Answer>),
}

impl ModelServer {
    /// Answers the first request with the first answer, and so on.
    pub async fn playing(script: impl IntoIterator<Item = Answer>) -> Self {
        Self::speaking(Wire::Messages, script).await
    }

    /// The same in another vendor's words.
    pub async fn speaking(wire: Wire, script: impl IntoIterator<Item = Answer>) -> Self {
        Self::start(wire, script.into_iter().map(Step::Answer).collect()).await
    }

    /// Answers each request by what is in it.
    pub async fn answering(reply: impl FnMut(&Request) -> Answer + Send + 'static) -> Self {
        Self::answering_in(Wire::Messages, reply).await
    }

    /// The same in another vendor's words.
    pub async fn answering_in(wire: Wire, reply: impl FnMut(&Request) -> Answer + Send + 'static) -> Self {
        Self::start(wire, VecDeque::from([Step::By(Box::new(reply))])).await
    }

    /// Hands every request to the test, which answers when it likes.
    pub async fn by_hand() -> (Self, mpsc::UnboundedReceiver<Asked>) {
        let (hand, asked) = mpsc::unbounded_channel();
        (Self::start(Wire::Messages, VecDeque::from([Step::Hand(hand)])).await, asked)
    }

    /// The base URL of the API.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The variables by which the program finds it.
    pub fn environment(&self) -> Vec<(String, String)> {
        let variables = match self.stage.wire {
            Wire::Messages => {
                vec![("ANTHROPIC_API_KEY", FAKE_KEY.to_owned()), ("ANTHROPIC_BASE_URL", self.url())]
            }
            Wire::ChatCompletions | Wire::Ollama => vec![("OPENAI_BASE_URL", self.url())],
        };
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Adds an answer behind those that are still to be played.
    pub fn then(&self, answer: Answer) {
        self.stage.lock().script.push_back(Step::Answer(answer));
    }

    /// The requests so far.
    #[track_caller]
    pub fn requests(&self) -> Vec<Request> {
        self.fail_on_faults();
        self.stage.lock().requests.clone()
    }

    /// The last request so far.
    #[track_caller]
    pub fn last_request(&self) -> Request {
        let requests = self.requests();
        requests.into_iter().next_back().unwrap_or_else(|| panic!("the model was not asked yet"))
    }

    /// Waits until that many requests have come.
    pub async fn asked(&self, times: usize) {
        wait(self.stage.asked.subscribe(), times, "request").await;
    }

    /// Waits until the other side has closed that many connections before their answer was over.
    pub async fn hung_up(&self, times: usize) {
        wait(self.stage.hung_up.subscribe(), times, "connection closed early").await;
    }

    async fn start(wire: Wire, script: VecDeque<Step>) -> Self {
        let listener =
            TcpListener::bind("127.0.0.1:0").await.unwrap_or_else(|error| panic!("no port: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let stage = Arc::new(Stage {
            wire,
            played: Mutex::new(Played { script, ..Played::default() }),
            asked: watch::Sender::new(0),
            hung_up: watch::Sender::new(0),
        });
        let running = tokio::spawn(serve(listener, stage.clone()));
        Self { address, stage, running }
    }

    #[track_caller]
    fn fail_on_faults(&self) {
        let faults = self.stage.lock().faults.join("\n- ");
        assert!(faults.is_empty(), "what the model was sent is not legal:\n- {faults}");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.running.abort();
        if std::thread::panicking() {
            return;
        }
        self.fail_on_faults();
        let owed = self.stage.lock().script.iter().filter(|step| matches!(step, Step::Answer(_))).count();
        assert!(owed == 0, "{owed} answers of the script were never asked for");
    }
}

impl Stage {
    fn lock(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request and gives its answer. One that the script does not foresee is a fault.
    fn reply(&self, request: Request) -> Reply {
        let reply = {
            let mut played = self.lock();
            let number = played.requests.len() + 1;
            let faults = match self.wire {
                Wire::Messages => invariants::faults(&request),
                Wire::ChatCompletions => chat_completions::faults(&request),
                Wire::Ollama => ollama::faults(&request),
            };
            played.faults.extend(faults.into_iter().map(|fault| format!("request {number}: {fault}")));
            played.requests.push(request.clone());
            match played.script.pop_front() {
                Some(Step::Answer(answer)) => Reply::Now(answer),
                Some(Step::By(mut player)) => {
                    let answer = player(&request);
                    played.script.push_front(Step::By(player));
                    Reply::Now(answer)
                }
                Some(Step::Hand(hand)) => {
                    let (answer, given) = oneshot::channel();
                    // A test that no longer looks answers nothing: the connection is closed.
                    let _ = hand.send(Asked { request, answer });
                    played.script.push_front(Step::Hand(hand));
                    Reply::Later(given)
                }
                None => {
                    played.faults.push(format!("request {number} came after the script's end:\n{request}"));
                    Reply::Now(Answer::refusal(400, "invalid_request_error", "the script has ended"))
                }
            }
        };
        self.asked.send_modify(|asked| *asked += 1);
        reply
    }
}

async fn serve(listener: TcpListener, stage: Arc<Stage>) {
    let mut number = 0;
    while let Ok((connection, _)) = listener.accept().await {
        number += 1;
        tokio::spawn(serve_one(connection, stage.clone(), number));
    }
}

async fn serve_one(mut connection: tokio::net::TcpStream, stage: Arc<Stage>, number: usize) {
    // A connection that never asks anything is no matter of the script.
    let Some(request) = http::read(&mut connection).await else { return };
    // What a client asks of the server itself is no part of the script.
    if let Some(answer) = stage.wire.about_itself(&request) {
        let _ = play::play(&mut connection, &answer, stage.wire, number).await;
        return;
    }
    let answer = match stage.reply(request) {
        Reply::Now(answer) => answer,
        Reply::Later(given) => match given.await {
            Ok(answer) => answer,
            Err(_) => return,
        },
    };
    if play::play(&mut connection, &answer, stage.wire, number).await.is_err() {
        stage.hung_up.send_modify(|hung_up| *hung_up += 1);
    }
}

async fn wait(mut count: watch::Receiver<usize>, times: usize, what: &str) {
    let arrived = tokio::time::timeout(PATIENCE, count.wait_for(|&count| count >= times)).await.is_ok();
    assert!(arrived, "waited {PATIENCE:?} for {what} number {times}, and there were {}", *count.borrow());
}

#[cfg(test)]
mod tests;
