//! Keeps the chat file: writes what the sessions tell into it, and sends what the user wrote there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::file::{self, NEW_FILE};
use super::transcript::Transcript;
use super::writer::{Next, Writer};
use super::{chat_path, is_chat_file};
use crate::agent::SessionUpdate;
use crate::conversation::TaskId;
use crate::documents::{
    AbsPath, Change, Expected, FileStateCache, OpenDocument, ReadError, Stamp, Text, Workspace, from_path,
    text_edits,
};
use crate::editor::{Editor, FileEdit, Loudness, Position, Range};
use crate::lsp::surface::{make_own_folder, refuse_link};

/// Between two writes of a chat that is not open.
const DISK_PERIOD: Duration = Duration::from_millis(500);

/// The way to the chat. Cheap to clone; the actor ends when the last handle is dropped.
#[derive(Clone)]
pub struct Chat {
    events: mpsc::UnboundedSender<Event>,
    workspace: Arc<Workspace>,
}

/// What the chat is made of.
pub struct ChatParts {
    pub documents: Arc<FileStateCache>,
    pub workspace: Arc<Workspace>,
    pub editor: Arc<dyn Editor>,
    /// Every update of every session, in order.
    pub updates: mpsc::UnboundedReceiver<SessionUpdate>,
    /// Gives a prompt to the session that is talked with.
    pub send: Box<dyn Fn(String) -> TaskId + Send>,
    /// How many hunks wait for the user.
    pub to_review: Box<dyn Fn() -> usize + Send>,
}

enum Event {
    Opened,
    Changed,
    Closed,
    Saved,
    Send,
    Show {
        about: Option<String>,
    },
    /// The editor's reply to an edit: not applied.
    Refused,
}

impl Chat {
    pub fn start(parts: ChatParts) -> Self {
        let (events, inbox) = mpsc::unbounded_channel();
        let workspace = parts.workspace.clone();
        if let Some(path) = chat_path(&workspace) {
            let keeper = Keeper {
                path,
                replies: events.downgrade(),
                documents: parts.documents,
                editor: parts.editor,
                send: parts.send,
                to_review: parts.to_review,
                transcript: Transcript::default(),
                writer: Writer::default(),
                wanted: false,
                last_write: None,
            };
            tokio::spawn(keeper.run(inbox, parts.updates));
        }
        Self { events, workspace }
    }

    /// Text sync of any document; others than the chat are of no interest here.
    pub fn opened(&self, path: &AbsPath) {
        self.of_chat(path, Event::Opened);
    }

    pub fn changed(&self, path: &AbsPath) {
        self.of_chat(path, Event::Changed);
    }

    pub fn closed(&self, path: &AbsPath) {
        self.of_chat(path, Event::Closed);
    }

    /// A save sends, if something new is written there.
    pub fn saved(&self, path: &AbsPath) {
        self.of_chat(path, Event::Saved);
    }

    /// Sends what stands under the last `## You`.
    pub fn send(&self) {
        self.post(Event::Send);
    }

    /// Opens the chat in the editor, and makes it if need be. `about`: words to begin a prompt with.
    pub fn show(&self, about: Option<String>) {
        self.post(Event::Show { about });
    }

    fn of_chat(&self, path: &AbsPath, event: Event) {
        if is_chat_file(path, &self.workspace) {
            self.post(event);
        }
    }

    fn post(&self, event: Event) {
        if self.events.send(event).is_err() {
            tracing::debug!("there is no chat: no folder is open");
        }
    }
}

struct Keeper {
    path: AbsPath,
    replies: mpsc::WeakUnboundedSender<Event>,
    documents: Arc<FileStateCache>,
    editor: Arc<dyn Editor>,
    send: Box<dyn Fn(String) -> TaskId + Send>,
    to_review: Box<dyn Fn() -> usize + Send>,
    transcript: Transcript,
    writer: Writer,
    /// The user opened the chat once; before that it is not written, nor made.
    wanted: bool,
    last_write: Option<Instant>,
}

impl Keeper {
    async fn run(
        mut self,
        mut inbox: mpsc::UnboundedReceiver<Event>,
        mut updates: mpsc::UnboundedReceiver<SessionUpdate>,
    ) {
        loop {
            let wake = self.write().await;
            let event = async {
                match wake {
                    Some(at) => tokio::time::timeout_at(at.into(), inbox.recv()).await.ok(),
                    None => Some(inbox.recv().await),
                }
            };
            tokio::select! {
                event = event => match event {
                    Some(Some(event)) => self.take(event).await,
                    Some(None) => return,
                    None => {}
                },
                Some(update) = updates.recv() => {
                    for paragraph in self.transcript.take(&update, (self.to_review)()) {
                        self.writer.push(paragraph);
                    }
                }
            }
        }
    }

    async fn take(&mut self, event: Event) {
        match event {
            Event::Opened => {
                self.wanted = true;
                if let Some(document) = self.document() {
                    self.writer.reopened(&document.text);
                }
            }
            Event::Closed => match self.on_disk() {
                Ok((text, _)) => self.writer.reopened(&text),
                Err(error) => tracing::debug!(%error, "the chat was closed"),
            },
            Event::Changed => {
                if let Some(document) = self.document() {
                    self.writer.changed(&document.text, now());
                }
            }
            Event::Refused => {
                if let Some(document) = self.document() {
                    self.writer.refused(&document.text);
                }
            }
            Event::Saved => {
                if let Some(prompt) = self.prompt() {
                    self.send(prompt);
                }
            }
            Event::Send => match self.prompt() {
                Some(prompt) => self.send(prompt),
                None => self.editor.show_message(
                    Loudness::Info,
                    "Nothing to send: write under the last `## You` of the chat first.".to_owned(),
                ),
            },
            Event::Show { about } => self.show(about).await,
        }
    }

    fn prompt(&self) -> Option<String> {
        let text = self.document().map(|document| document.text);
        let text = text.or_else(|| self.on_disk().ok().map(|(text, _)| text))?;
        file::prompt(&text)
    }

    /// Hands the prompt on, once: a save right after the action finds it still standing there.
    fn send(&mut self, prompt: String) {
        if self.writer.is_sent(&prompt) {
            return;
        }
        let task = (self.send)(prompt.clone());
        self.transcript.sent_from_chat(task);
        self.writer.begin_answer(prompt);
    }

    async fn show(&mut self, about: Option<String>) {
        self.wanted = true;
        if let Some(about) = about {
            self.writer.begin_prompt(about);
        }
        if self.document().is_none()
            && let Err(error) = self.write_to_disk().await
        {
            self.editor.show_message(Loudness::Error, format!("The chat can't be opened: {error}"));
            return;
        }
        let (uri, text) = match self.document() {
            Some(document) => (document.uri, document.text),
            None => (from_path(&self.path), self.on_disk().map(|(text, _)| text).unwrap_or_default()),
        };
        let end = Position::new(last_line(&text), 0);
        self.editor.show_document(uri, Some(Range::new(end, end)));
    }

    /// Writes what is due, and says when to look again.
    async fn write(&mut self) -> Option<Instant> {
        if !self.wanted {
            return None;
        }
        if let Some(document) = self.document() {
            return match self.writer.next(&document.text, now()) {
                Next::Wait => None,
                Next::At(at) => Some(at),
                Next::Edit(change) => {
                    self.edit(&document, change);
                    Some(now())
                }
            };
        }
        if self.writer.is_idle() {
            return None;
        }
        if let Some(at) = self.last_write.map(|last| last + DISK_PERIOD).filter(|at| *at > now()) {
            return Some(at);
        }
        if let Err(error) = self.write_to_disk().await {
            tracing::warn!(%error, "the chat can't be written");
            self.wanted = false;
        }
        None
    }

    fn edit(&self, document: &OpenDocument, change: Change) {
        let encoding = self.editor.features().position_encoding;
        let reply = self.editor.apply_edit(FileEdit {
            uri: document.uri.clone(),
            version: Some(document.version),
            edits: text_edits(&document.text, &[change], encoding),
        });
        let replies = self.replies.clone();
        tokio::spawn(async move {
            if !reply.await.applied
                && let Some(replies) = replies.upgrade()
            {
                drop(replies.send(Event::Refused));
            }
        });
    }

    async fn write_to_disk(&mut self) -> Result<(), String> {
        self.last_write = Some(now());
        for path in self.path.parent().iter().chain([&self.path]) {
            refuse_link(path).map_err(|error| format!("{path}: {error}"))?;
        }
        let (text, expected) = self.on_disk().map_err(|error| error.to_string())?;
        let after = self.writer.flush(&text);
        if expected != Expected::Absent && after == text {
            return Ok(());
        }
        let (documents, path) = (self.documents.clone(), self.path.clone());
        let written = tokio::task::spawn_blocking(move || {
            if let Some(folder) = path.parent() {
                make_own_folder(&folder).map_err(|error| format!("{folder}: {error}"))?;
            }
            documents.write(&path, &after, expected).map_err(|error| error.to_string())
        });
        written.await.map_err(|error| error.to_string())?.map(drop)
    }

    /// The chat as the disk has it, and what a write must find there.
    fn on_disk(&self) -> Result<(Text, Expected), ReadError> {
        match self.documents.on_disk(&self.path) {
            Ok(snapshot) => {
                let expected = match snapshot.stamp {
                    Stamp::Disk { hash } => Expected::Hash(hash),
                    Stamp::Open { .. } => Expected::Absent,
                };
                Ok((snapshot.text, expected))
            }
            Err(ReadError::Missing { .. }) => Ok((Text::from(NEW_FILE), Expected::Absent)),
            Err(error) => Err(error),
        }
    }

    fn document(&self) -> Option<OpenDocument> {
        self.documents.open_document(&self.path)
    }
}

/// The last line that a line break does not only end: Neovim has no other, and refuses a cursor there.
fn last_line(text: &Text) -> u32 {
    let last = text.line_count().saturating_sub(1);
    let last = if text.line(last).is_empty() { last.saturating_sub(1) } else { last };
    u32::try_from(last).unwrap_or(u32::MAX)
}

/// Of the runtime's clock, which tests can hold.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
