//! The state of the query loop: read whole at the top of an iteration, written whole where it goes on.

use std::sync::Arc;
use std::time::SystemTime;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::Continue;
use super::background::PendingToolUseSummary;
use crate::context::CompactState;
use crate::conversation::{Message, SessionId, ToolUseId};
use crate::documents::{FileStateCache, Seen, Workspace};
use crate::editor::Editor;
use crate::models::Provider;
use crate::permissions::{Policy, SessionMode};
use crate::review::DeskHandle;
use crate::shell::Shell;
use crate::tools::{Choice, Chosen, ContextModifier, Person, PlanEntry, Searcher, ToolUseContext};

/// Gives the time, so that no other place asks for it.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// What one iteration starts from. A continue site makes a whole new one, field by field and without `..old`, so that the
/// compiler finds what was forgotten.
pub(super) struct State {
    /// What the next request is made of.
    pub(super) messages: Arc<[Message]>,
    pub(super) tool_use_context: RoundContext,
    pub(super) auto_compact_tracking: CompactState,
    pub(super) max_output_tokens_recovery_count: u32,
    pub(super) has_attempted_reactive_compact: bool,
    pub(super) max_output_tokens_override: Option<u32>,
    pub(super) pending_tool_use_summary: Option<PendingToolUseSummary>,
    pub(super) stop_hook_active: bool,
    /// Rises with `Continue::NextTurn` only.
    pub(super) turn_count: u32,
    /// Why the previous iteration went on; `None` on the first.
    pub(super) transition: Option<Continue>,
}

/// The ways from one call to the person.
pub(super) struct Ways {
    /// Takes a line.
    pub(super) progress: Arc<dyn Fn(String) + Send + Sync>,
    pub(super) plan: Arc<dyn Fn(Vec<PlanEntry>) + Send + Sync>,
    pub(super) person: Arc<dyn Person>,
}

impl Ways {
    /// For a call that nobody asked for: nobody is told of it, and nobody asked.
    pub(super) fn to_nobody() -> Self {
        struct Nobody;
        impl Person for Nobody {
            fn choose(&self, _: Choice) -> BoxFuture<'static, Chosen> {
                std::future::ready(Chosen::Declined(None)).boxed()
            }
        }
        Self { progress: Arc::new(|_| {}), plan: Arc::new(|_| {}), person: Arc::new(Nobody) }
    }
}

/// What every call of a round is given, whichever call it is.
#[derive(Clone)]
pub(super) struct RoundContext {
    pub(super) session: SessionId,
    pub(super) workspace: Arc<Workspace>,
    pub(super) documents: Arc<FileStateCache>,
    pub(super) desk: DeskHandle,
    pub(super) seen: Arc<Seen>,
    /// This round's view, as the model was sent it.
    pub(super) messages: Arc<[Message]>,
    /// The task's token; each call gets a child of it.
    pub(super) cancel: CancellationToken,
    pub(super) editor: Arc<dyn Editor>,
    pub(super) small_model: Option<Arc<dyn Provider>>,
    pub(super) searcher: Option<Arc<Searcher>>,
    /// What calls of earlier rounds have changed for those after them.
    pub(super) modifiers: Vec<ContextModifier>,
    pub(super) mode: SessionMode,
    pub(super) shell: Arc<Shell>,
    /// What calls are judged by now.
    pub(super) policy: Arc<dyn Fn() -> Arc<Policy> + Send + Sync>,
}

impl State {
    pub(super) fn first(
        messages: Arc<[Message]>,
        tool_use_context: RoundContext,
        auto_compact_tracking: CompactState,
    ) -> Self {
        Self {
            messages,
            tool_use_context,
            auto_compact_tracking,
            max_output_tokens_recovery_count: 0,
            has_attempted_reactive_compact: false,
            max_output_tokens_override: None,
            pending_tool_use_summary: None,
            stop_hook_active: false,
            turn_count: 1,
            transition: None,
        }
    }
}

impl RoundContext {
    /// The same with another round's messages.
    pub(super) fn with_messages(&self, messages: Arc<[Message]>) -> Self {
        Self { messages, ..self.clone() }
    }

    /// What the call named `id` is given.
    pub(super) fn for_call(&self, id: &ToolUseId, ways: Ways) -> ToolUseContext {
        let Ways { progress, plan, person } = ways;
        let context = ToolUseContext {
            session: self.session.clone(),
            tool_use_id: id.clone(),
            workspace: self.workspace.clone(),
            documents: self.documents.clone(),
            places: Arc::default(),
            desk: self.desk.clone(),
            seen: self.seen.clone(),
            messages: self.messages.clone(),
            cancel: self.cancel.child_token(),
            mode: self.mode.clone(),
            shell: self.shell.clone(),
            policy: (self.policy)(),
            progress,
            plan,
            person,
            editor: self.editor.clone(),
            small_model: self.small_model.clone(),
            searcher: self.searcher.clone(),
        };
        self.modifiers.iter().fold(context, |context, modifier| (modifier.0)(context))
    }
}
