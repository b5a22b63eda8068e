//! What sessions do, told to the editor: as events to a client that takes them, as progress and messages to all.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use copydesk_protocol as wire;
use copydesk_protocol::methods;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::left_by_tasks::LeftByTasks;
use super::outgoing::Outgoing;
use super::progress::Progress;
use super::stage::Stage;
use super::surface::ToReview;
use super::to_wire;
use crate::agent::{LoopEvent, SessionEvent, SessionUpdate, Terminal, TerminalReason, ToolCallStatus};
use crate::conversation::{ContentBlock, SessionId, TaskId, ToolUseId};
use crate::editor::{Editor, Loudness};
use crate::models::ProviderEvent;
use crate::tools::ToolKind;

/// Pieces of an answer are put together for about one picture on the screen.
const FRAME: Duration = Duration::from_millis(16);

/// Tells until the sessions are gone.
pub(super) async fn tell(stage: Stage, mut updates: mpsc::UnboundedReceiver<SessionUpdate>) {
    let mut progress = stage
        .editor
        .features()
        .progress
        .then(|| Progress::new(stage.outgoing.clone(), stage.running.clone()));
    let mut stream = Stream::default();
    let mut kinds = Kinds::default();
    let mut left_by_tasks = LeftByTasks::default();
    let mut pace = Pace::default();
    loop {
        tokio::select! {
            update = updates.recv() => {
                let Some(update) = update else { return };
                let left = left_by_tasks.follow(&update, || stage.core.desk.view());
                let words =
                    left.as_ref().map(|left| left.in_words(&stage.core.workspace, &stage.editor.features()));
                if let Some(progress) = &mut progress {
                    progress.follow(&update, words.as_deref());
                }
                kinds.follow(&update.event);
                tell_of(&stage, &update, &kinds, words);
                if stage.editor.features().copydesk.events {
                    stream.take(&stage.outgoing, update, left.as_ref());
                }
            }
            () = pace.due(), if stream.has_pieces() => {
                // A slow editor slows the stream, and nothing else: meanwhile the pieces grow together.
                stage.outgoing.room().await;
                stream.flush_all(&stage.outgoing);
                pace.left();
            }
        }
    }
}

/// When pieces leave: at once after a silence, else a frame after the last ones.
#[derive(Default)]
struct Pace {
    next: Option<Instant>,
}

impl Pace {
    async fn due(&self) {
        // A timer takes up to a millisecond even if its time has come.
        if let Some(next) = self.next.filter(|next| *next > Instant::now()) {
            sleep_until(next).await;
        }
    }

    fn left(&mut self) {
        self.next = Some(Instant::now() + FRAME);
    }
}

/// What kinds of calls are under way: a question names only its call.
#[derive(Default)]
struct Kinds {
    open: HashMap<ToolUseId, ToolKind>,
}

impl Kinds {
    fn follow(&mut self, event: &SessionEvent) {
        if let SessionEvent::ToolCall(call) = event {
            match call.status {
                ToolCallStatus::Pending | ToolCallStatus::InProgress => {
                    self.open.insert(call.id.clone(), call.kind);
                }
                ToolCallStatus::Completed | ToolCallStatus::Failed | ToolCallStatus::Rejected => {
                    self.open.remove(&call.id);
                }
            }
        }
    }

    fn of(&self, call: &ToolUseId) -> ToolKind {
        self.open.get(call).copied().unwrap_or(ToolKind::Other)
    }
}

/// What everybody is told, whether the editor knows our events or not.
fn tell_of(stage: &Stage, update: &SessionUpdate, kinds: &Kinds, left: Option<String>) {
    let editor = stage.editor.features();
    let features = editor.copydesk;
    match &update.event {
        SessionEvent::PermissionAsked(request) => {
            if features.permissions {
                let asked =
                    to_wire::permission_asked(&update.session, request, kinds.of(&request.tool_use_id));
                stage.outgoing.notify(methods::PERMISSION_ASKED, asked);
            }
            stage.asker.asked(request.clone());
        }
        SessionEvent::PermissionResolved { request_id, option } => {
            if features.permissions {
                let resolved = wire::PermissionResolvedParams {
                    request_id: request_id.clone(),
                    option_id: option.clone(),
                };
                stage.outgoing.notify(methods::PERMISSION_RESOLVED, resolved);
            }
            stage.asker.resolved(request_id);
        }
        SessionEvent::SessionChanged(info) => {
            if features.events {
                stage.outgoing.notify(methods::SESSION_CHANGED, to_wire::session_info(info));
            }
        }
        SessionEvent::Loop(LoopEvent::Done(terminal)) if !features.events => {
            if let Some(message) = &terminal.message {
                stage.editor.show_message(loudness(terminal), format!("Copydesk: {message}"));
            } else if let Some(left) = left.filter(|_| !editor.messages_wait) {
                // Most editors show no progress by themselves.
                stage.editor.show_message(Loudness::Info, format!("Copydesk: {left}"));
            }
        }
        SessionEvent::Loop(_)
        | SessionEvent::Transition(_)
        | SessionEvent::Spent(_)
        | SessionEvent::Compaction(_)
        | SessionEvent::Plan(_)
        | SessionEvent::ToolCall(_) => {}
    }
}

const fn loudness(terminal: &Terminal) -> Loudness {
    match terminal.reason {
        TerminalReason::Completed | TerminalReason::AbortedStreaming | TerminalReason::AbortedTools => {
            Loudness::Info
        }
        TerminalReason::MaxTurns
        | TerminalReason::BudgetExhausted
        | TerminalReason::StopHookPrevented
        | TerminalReason::HookStopped => Loudness::Warning,
        TerminalReason::BlockingLimit
        | TerminalReason::PromptTooLong
        | TerminalReason::ImageError
        | TerminalReason::ModelError => Loudness::Error,
    }
}

/// The events of all sessions on their way out.
///
/// Invariant: what leaves is numbered without gaps within a session, and no piece of an answer is dropped or overtaken.
#[derive(Default)]
struct Stream {
    sessions: BTreeMap<SessionId, Outlet>,
}

#[derive(Default)]
struct Outlet {
    seq: u64,
    /// The piece that still grows.
    piece: Option<(TaskId, wire::Delta)>,
    /// The calls whose input is streaming, by their block's index.
    calls: BTreeMap<usize, String>,
}

impl Stream {
    /// `left`: what waits at the end of a task that has left changes.
    fn take(&mut self, outgoing: &Outgoing, update: SessionUpdate, left: Option<&ToReview>) {
        let outlet = self.sessions.entry(update.session.clone()).or_default();
        let call = outlet.call_of(&update.event);
        match to_wire::event(&update.event, call.as_deref(), left) {
            Some(wire::Event::Stream { delta }) => match outlet.grow(&update.task, delta) {
                Ok(()) => {}
                Err(delta) => {
                    outlet.flush(outgoing, &update.session);
                    outlet.piece = Some((update.task, delta));
                }
            },
            Some(event) => {
                outlet.flush(outgoing, &update.session);
                outlet.send(outgoing, &update.session, &update.task, event);
            }
            None => {}
        }
    }

    fn has_pieces(&self) -> bool {
        self.sessions.values().any(|outlet| outlet.piece.is_some())
    }

    fn flush_all(&mut self, outgoing: &Outgoing) {
        for (session, outlet) in &mut self.sessions {
            outlet.flush(outgoing, session);
        }
    }
}

impl Outlet {
    /// Joins `delta` to the piece that grows, or gives it back.
    fn grow(&mut self, task: &TaskId, delta: wire::Delta) -> Result<(), wire::Delta> {
        match (&mut self.piece, delta) {
            (Some((of, wire::Delta::Text { text })), wire::Delta::Text { text: more }) if of == task => {
                text.push_str(&more);
                Ok(())
            }
            (Some((of, wire::Delta::Thinking { text })), wire::Delta::Thinking { text: more })
                if of == task =>
            {
                text.push_str(&more);
                Ok(())
            }
            (
                Some((of, wire::Delta::ToolInput { id, json })),
                wire::Delta::ToolInput { id: same, json: more },
            ) if of == task && *id == same => {
                json.push_str(&more);
                Ok(())
            }
            (_, delta) => Err(delta),
        }
    }

    fn flush(&mut self, outgoing: &Outgoing, session: &SessionId) {
        if let Some((task, delta)) = self.piece.take() {
            self.send(outgoing, session, &task, wire::Event::Stream { delta });
        }
    }

    fn send(&mut self, outgoing: &Outgoing, session: &SessionId, task: &TaskId, event: wire::Event) {
        self.seq += 1;
        let params = wire::EventParams {
            session_id: session.to_string(),
            task_id: task.to_string(),
            seq: self.seq,
            parent_tool_use_id: None,
            event,
        };
        outgoing.notify(methods::EVENT, params);
    }

    /// The id of the call whose input this event is a piece of.
    fn call_of(&mut self, event: &SessionEvent) -> Option<String> {
        let SessionEvent::Loop(LoopEvent::Stream(streamed)) = event else { return None };
        match streamed {
            ProviderEvent::BlockStart { index, block: ContentBlock::ToolUse { id, .. } } => {
                self.calls.insert(*index, id.to_string());
                None
            }
            ProviderEvent::BlockDelta { index, .. } => self.calls.get(index).cloned(),
            ProviderEvent::BlockStop { index, .. } => {
                self.calls.remove(index);
                None
            }
            ProviderEvent::BlockStart { .. }
            | ProviderEvent::MessageStart { .. }
            | ProviderEvent::MessageDelta { .. }
            | ProviderEvent::MessageStop
            | ProviderEvent::Silence { .. }
            | ProviderEvent::Retry { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::ToolUseId;
    use crate::models::BlockDelta;

    fn update(session: &str, event: ProviderEvent) -> SessionUpdate {
        SessionUpdate {
            session: SessionId(session.to_owned()),
            task: TaskId("t".to_owned()),
            seq: 0,
            event: SessionEvent::Loop(LoopEvent::Stream(event)),
        }
    }

    fn text(session: &str, text: &str) -> SessionUpdate {
        update(session, ProviderEvent::BlockDelta { index: 0, delta: BlockDelta::Text(text.to_owned()) })
    }

    fn input(index: usize, json: &str) -> SessionUpdate {
        update("a", ProviderEvent::BlockDelta { index, delta: BlockDelta::InputJson(json.to_owned()) })
    }

    fn call(index: usize, id: &str) -> SessionUpdate {
        let block =
            ContentBlock::ToolUse { id: ToolUseId(id.to_owned()), name: "Read".to_owned(), input: json!({}) };
        update("a", ProviderEvent::BlockStart { index, block })
    }

    /// What leaves: session, number and event.
    #[track_caller]
    fn check(updates: impl IntoIterator<Item = SessionUpdate>, wanted: &[(&str, u64, Value)]) {
        let (outgoing, mut line) = Outgoing::new();
        let mut stream = Stream::default();
        for update in updates {
            stream.take(&outgoing, update, None);
        }
        stream.flush_all(&outgoing);
        assert!(!stream.has_pieces());
        let mut left = Vec::new();
        while let Ok(body) = line.try_recv() {
            let params = serde_json::from_slice::<Value>(&body).unwrap()["params"].take();
            left.push((params["sessionId"].clone(), params["seq"].clone(), params["event"].clone()));
        }
        let wanted: Vec<_> =
            wanted.iter().map(|(session, seq, event)| (json!(session), json!(seq), event.clone())).collect();
        assert_eq!(left, wanted);
    }

    fn piece(delta: Value) -> Value {
        json!({"type": "stream", "delta": delta})
    }

    #[test]
    fn pieces_of_one_kind_are_joined_and_each_session_counts_for_itself() {
        check(
            [text("a", "Hel"), text("b", "B"), text("a", "lo")],
            &[
                ("a", 1, piece(json!({"type": "text", "text": "Hello"}))),
                ("b", 1, piece(json!({"type": "text", "text": "B"}))),
            ],
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_piece_after_silence_leaves_at_once_and_the_next_ones_once_a_frame() {
        let (begun, mut pace) = (Instant::now(), Pace::default());
        let mut times = Vec::new();
        for silence in [0, 0, 5, 40, 0] {
            tokio::time::sleep(Duration::from_millis(silence)).await;
            pace.due().await;
            pace.left();
            times.push(begun.elapsed().as_millis());
        }
        assert_eq!(times, [0, 16, 32, 72, 88]);
    }

    #[test]
    fn nothing_overtakes_a_piece() {
        let retry =
            ProviderEvent::Retry { attempt: 1, max: 3, delay: Duration::from_secs(2), reason: "busy".into() };
        check(
            [text("a", "x"), update("a", retry), text("a", "y")],
            &[
                ("a", 1, piece(json!({"type": "text", "text": "x"}))),
                ("a", 2, json!({"type": "retry", "attempt": 1, "max": 3, "delayMs": 2000, "reason": "busy"})),
                ("a", 3, piece(json!({"type": "text", "text": "y"}))),
            ],
        );
    }

    #[test]
    fn the_input_of_each_call_grows_under_its_id() {
        check(
            [call(1, "c_1"), input(1, "{\"a"), input(1, "\":1}"), call(2, "c_2"), input(2, "{}")],
            &[
                ("a", 1, piece(json!({"type": "toolInput", "id": "c_1", "json": "{\"a\":1}"}))),
                ("a", 2, piece(json!({"type": "toolInput", "id": "c_2", "json": "{}"}))),
            ],
        );
    }
}
