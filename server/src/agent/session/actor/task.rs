//! One task of a session: what it is given, and its events taken in until it ends.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _, pin_mut};

use super::super::prompt::{self, Prompt};
use super::{Running, Session};
use crate::agent::briefing::briefing;
use crate::agent::outbox::user;
use crate::agent::params::QueryParams;
use crate::agent::query::query;
use crate::agent::state::RoundContext;
use crate::agent::{LoopEvent, SessionEvent};
use crate::config::ContextNumber;
use crate::conversation::{Message, UserMessage};
use crate::tools::Tools;

impl Session {
    pub(super) async fn run_task(self: &Arc<Self>, running: &Running, prompt: Prompt) {
        self.changed(&running.task);
        let token_budget = prompt.token_budget.or_else(|| prompt::token_budget(&prompt.content));
        let instead = prompt::instead(&prompt.content);
        let content = prompt::content(prompt, &self.id, &self.deps, &self.seen);
        let (content, system) = futures::join!(content, self.system());
        if instead.is_none() {
            let words = Message::from(user((self.deps.clock)(), content));
            self.take_in(&running.task, SessionEvent::Loop(LoopEvent::Message(words)));
        }
        let events = query(QueryParams { instead, ..self.params(running, system, token_budget) });
        pin_mut!(events);
        while let Some(event) = events.next().await {
            self.take_in(&running.task, event);
        }
    }

    /// The system prompt. What it says, and what else is told before the conversation, is looked for once.
    async fn system(&self) -> Vec<String> {
        let looked = async {
            let deps = &self.deps;
            let now = (deps.clock)();
            let told = self.context.brief(&deps.workspace, &deps.documents, now);
            let deadline = Duration::from_millis(deps.context.number(ContextNumber::GitMs));
            let looked = briefing(&deps.workspace, &deps.editor_name, deadline, now);
            futures::join!(looked, told).0
        };
        Box::pin(self.briefing.get_or_init(|| looked)).await.system.clone()
    }

    fn params(
        self: &Arc<Self>,
        running: &Running,
        system: Vec<String>,
        token_budget: Option<u64>,
    ) -> QueryParams {
        let deps = &self.deps;
        let (session, next) = (self.clone(), self.clone());
        QueryParams {
            messages: self.lock().transcript.messages(),
            instead: None,
            system,
            tools: self.tools(),
            refresh_tools: Some(Box::new(move || next.tools())),
            tool_use_context: RoundContext {
                session: self.id.clone(),
                workspace: deps.workspace.clone(),
                documents: deps.documents.clone(),
                desk: deps.desk.clone(),
                seen: self.seen.clone(),
                messages: Arc::new([]),
                cancel: running.cancel.clone(),
                editor: deps.editor.clone(),
                small_model: deps.small.clone(),
                searcher: self.pool.searcher(),
                modifiers: Vec::new(),
                mode: self.questions.mode().clone(),
                shell: self.shell.clone(),
                policy: {
                    let questions = self.questions.clone();
                    Arc::new(move || Arc::new(questions.policy()))
                },
            },
            can_use_tool: Arc::new(self.questions.clone()),
            hooks: deps.hooks.clone(),
            provider: deps.provider.clone(),
            fallbacks: deps.fallbacks.clone().into(),
            small: deps.small.clone(),
            prices: deps.prices.clone(),
            take_queued: Box::new(move || {
                let session = session.clone();
                async move { session.take_queued().await }.boxed()
            }),
            queued: self.queued.subscribe(),
            noticed: self.noticed.clone(),
            diagnosed: self.diagnosed.clone(),
            context: self.context.clone(),
            limits: deps.limits,
            token_budget,
            clock: deps.clock.clone(),
        }
    }

    fn tools(&self) -> Tools {
        self.pool.tools(&self.deps, &self.questions.policy())
    }

    /// What was sent since the task began, as messages, up to what only a task of its own can do.
    async fn take_queued(&self) -> Vec<UserMessage> {
        let queued = {
            let mut state = self.lock();
            self.queued.send_replace(false);
            let messages = messages_in(&state.queue);
            let later = state.queue.split_off(messages);
            std::mem::replace(&mut state.queue, later)
        };
        let mut messages = Vec::with_capacity(queued.len());
        for prompt in queued {
            let content = prompt::content(prompt, &self.id, &self.deps, &self.seen).await;
            messages.push(user((self.deps.clock)(), content));
        }
        messages
    }
}

/// How many of the prompts that wait can go into the running task, in their order: one that wants no answer can't.
pub(super) fn messages_in(queue: &VecDeque<Prompt>) -> usize {
    let wants_no_answer = |prompt: &Prompt| prompt::instead(&prompt.content).is_some();
    queue.iter().position(wants_no_answer).unwrap_or(queue.len())
}
