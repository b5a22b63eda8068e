//! Puts permission questions to the person, one at a time, and hands their choice on.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, watch};

use super::{Effect, Questions};
use crate::editor::Editor;
use crate::lsp::surface::OpenQuestion;
use crate::permissions::{PermissionAnswer, PermissionRequest};

/// The way to the actor. Cheap to clone; it ends when the last handle is dropped.
#[derive(Clone)]
pub struct Asker {
    events: mpsc::UnboundedSender<Event>,
    open: watch::Receiver<Arc<Vec<OpenQuestion>>>,
}

enum Event {
    Asked(Box<PermissionRequest>),
    Resolved(String),
    Typed,
    /// The editor's reply to `window/showMessageRequest`.
    Chosen(String, Option<String>),
}

impl Asker {
    /// `answer` takes a choice to the session that asked: request id and answer.
    pub fn start(editor: Arc<dyn Editor>, answer: impl Fn(&str, PermissionAnswer) + Send + 'static) -> Self {
        let (events, inbox) = mpsc::unbounded_channel();
        let (open, watched) = watch::channel(Arc::default());
        let replies = events.downgrade();
        tokio::spawn(run(Questions::new(&editor.features()), editor, answer, inbox, replies, open));
        Self { events, open: watched }
    }

    pub fn asked(&self, request: PermissionRequest) {
        self.send(Event::Asked(Box::new(request)));
    }

    /// Answered by any of its ways, or void since its task ended.
    pub fn resolved(&self, request_id: &str) {
        self.send(Event::Resolved(request_id.to_owned()));
    }

    /// A document changed.
    pub fn typed(&self) {
        self.send(Event::Typed);
    }

    /// The questions that wait, oldest first.
    pub fn open(&self) -> Arc<Vec<OpenQuestion>> {
        self.open.borrow().clone()
    }

    /// Wakes when `open` changed, so that the surfaces are drawn anew.
    pub fn watch(&self) -> watch::Receiver<Arc<Vec<OpenQuestion>>> {
        self.open.clone()
    }

    fn send(&self, event: Event) {
        if self.events.send(event).is_err() {
            tracing::debug!("the asker has ended");
        }
    }
}

async fn run(
    mut questions: Questions,
    editor: Arc<dyn Editor>,
    answer: impl Fn(&str, PermissionAnswer) + Send,
    mut inbox: mpsc::UnboundedReceiver<Event>,
    replies: mpsc::WeakUnboundedSender<Event>,
    open: watch::Sender<Arc<Vec<OpenQuestion>>>,
) {
    loop {
        let effects = questions.due(now());
        // Before anybody is asked: the answer may come by the menu, at once.
        let now_open = questions.open();
        open.send_if_modified(|before| {
            let changed = **before != now_open;
            if changed {
                *before = Arc::new(now_open);
            }
            changed
        });
        for effect in effects {
            match effect {
                Effect::Ask { request_id, text, choices } => {
                    let reply = editor.ask(text, choices);
                    let replies = replies.clone();
                    tokio::spawn(async move {
                        let choice = reply.await;
                        if let Some(replies) = replies.upgrade() {
                            drop(replies.send(Event::Chosen(request_id, choice)));
                        }
                    });
                }
                Effect::Tell(loudness, text) => editor.show_message(loudness, text),
                Effect::Redraw => {}
            }
        }
        let event = match questions.wake() {
            Some(at) => tokio::select! {
                event = inbox.recv() => event,
                () = tokio::time::sleep_until(at.into()) => continue,
            },
            None => inbox.recv().await,
        };
        match event {
            Some(Event::Asked(request)) => questions.asked(*request, now()),
            Some(Event::Resolved(request_id)) => questions.resolved(&request_id),
            Some(Event::Typed) => questions.typed(now()),
            Some(Event::Chosen(request_id, choice)) => {
                if let Some(chosen) = questions.chosen(&request_id, choice.as_deref()) {
                    questions.resolved(&request_id);
                    answer(&request_id, chosen);
                }
            }
            None => return,
        }
    }
}

/// Of the runtime's clock, which tests can hold.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
