//! The pipeline that prepares each request: seven steps in a fixed order, light before heavy, each on the view of this round
//! and never on the stored history.

use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::autocompact::{CompactState, Verdict, autocompact};
use super::collapse::collapse;
use super::limit::limit;
use super::log::{ContextLog, Decision};
use super::microcompact::{context_edits, microcompact};
use super::snip::snip;
use super::system_prompt::with_user_context;
use super::tool_result_budget::{replayed, tool_result_budget};
use crate::config::ContextSettings;
use crate::conversation::{Message, SystemKind, SystemMessage, content_tokens, counted_tokens, text_tokens};
use crate::models::{ContextEdit, ContextEditing, Window};

/// The steps, in the order they run on every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    ToolResultBudget,
    Snip,
    Microcompact,
    ContextCollapse,
    SystemPrompt,
    Autocompact,
    BlockingCheck,
}

/// All that the steps go by, beside the view.
#[derive(Clone, Copy)]
pub struct PipelineInput<'a> {
    /// Sections in order, the same ones in every request of a session.
    pub system: &'a [String],
    /// What stands before the first message; empty: nothing does.
    pub user_context: &'a str,
    pub window: Window,
    pub editing: ContextEditing,
    pub log: &'a ContextLog,
    pub now: SystemTime,
    pub settings: &'a ContextSettings,
    pub state: CompactState,
    /// Tokens of the tools' definitions.
    pub tools_tokens: u64,
    /// The longest result, in characters, that the tool of this name may give; `None`: its results are never saved.
    pub result_limit: &'a dyn Fn(&str) -> Option<usize>,
    /// Where long results are saved; `None`: nowhere, they are cut.
    pub results_folder: Option<&'a Utf8Path>,
}

/// This round's view: what the request is made of, and what the caller has to do for it first.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    pub messages: Arc<[Message]>,
    pub system: Vec<String>,
    pub context_edits: Vec<ContextEdit>,
    /// To be appended to the session's log.
    pub new_decisions: Vec<Decision>,
    /// To be written, each as a new file, before the request is sent.
    pub saves: Vec<Save>,
    /// Files, as calls named them, whose text the model can no longer see.
    pub hidden: Vec<String>,
    /// Of the whole request, estimated.
    pub tokens: u64,
    /// Estimated, by the decisions of this round.
    pub tokens_freed: u64,
    pub verdict: Verdict,
}

/// A file for a result that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    pub path: Utf8PathBuf,
    pub text: String,
}

/// What a step that shortens the view did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub decisions: Vec<Decision>,
    pub saves: Vec<Save>,
    pub hidden: Vec<String>,
    /// Estimated tokens by which the view became shorter through new decisions.
    pub tokens_freed: u64,
}

impl Report {
    /// The view that a step has made of `before`, and this report of it.
    pub(super) fn shortened(
        mut self,
        before: Arc<[Message]>,
        after: Arc<[Message]>,
    ) -> (Arc<[Message]>, Self) {
        if !Arc::ptr_eq(&before, &after) {
            self.tokens_freed = content_tokens(&before).saturating_sub(content_tokens(&after));
        }
        (after, self)
    }
}

impl Step {
    pub const ORDER: [Self; 7] = [
        Self::ToolResultBudget,
        Self::Snip,
        Self::Microcompact,
        Self::ContextCollapse,
        Self::SystemPrompt,
        Self::Autocompact,
        Self::BlockingCheck,
    ];
}

/// Runs the steps over the part of `view` behind the last boundary. `probe` sees each step before it runs.
pub fn prepare(view: Arc<[Message]>, input: &PipelineInput<'_>, mut probe: impl FnMut(Step)) -> Prepared {
    let mut prepared = Prepared {
        messages: replayed(since_boundary(view), input.log),
        system: Vec::new(),
        context_edits: Vec::new(),
        new_decisions: Vec::new(),
        saves: Vec::new(),
        hidden: Vec::new(),
        tokens: 0,
        tokens_freed: 0,
        verdict: Verdict::Send,
    };
    let counted = counted_tokens(&prepared.messages);
    for step in Step::ORDER {
        probe(step);
        prepared = match step {
            Step::ToolResultBudget => prepared.shortened(|view| tool_result_budget(view, input)),
            Step::Snip => prepared.shortened(|view| snip(view, input)),
            Step::Microcompact => Prepared {
                context_edits: context_edits(input.editing, input.settings),
                ..prepared.shortened(|view| microcompact(view, input))
            },
            Step::ContextCollapse => {
                let tokens = prepared.request_tokens(counted, input);
                prepared.shortened(|view| collapse(view, tokens, input))
            }
            Step::SystemPrompt => Prepared {
                messages: with_user_context(prepared.messages, input.user_context, input.now),
                system: input.system.to_vec(),
                ..prepared
            },
            Step::Autocompact => {
                let tokens = prepared.request_tokens(counted, input);
                Prepared { tokens, verdict: autocompact(tokens, input), ..prepared }
            }
            Step::BlockingCheck => {
                Prepared { verdict: limit(prepared.verdict, prepared.tokens, input), ..prepared }
            }
        };
    }
    prepared
}

impl Prepared {
    /// After a step that shortens the view.
    fn shortened(self, step: impl FnOnce(Arc<[Message]>) -> (Arc<[Message]>, Report)) -> Self {
        let Self { messages, mut new_decisions, mut saves, mut hidden, .. } = self;
        let (messages, report) = step(messages);
        new_decisions.extend(report.decisions);
        saves.extend(report.saves);
        hidden.extend(report.hidden);
        let tokens_freed = self.tokens_freed + report.tokens_freed;
        Self { messages, new_decisions, saves, hidden, tokens_freed, ..self }
    }

    /// What the provider counted does not know what was freed since; an estimate from the content does.
    fn request_tokens(&self, counted: Option<(u64, u64)>, input: &PipelineInput<'_>) -> u64 {
        if let Some((counted, since)) = counted {
            return (counted + since).saturating_sub(self.tokens_freed);
        }
        let around: u64 = input.system.iter().map(|section| text_tokens(section)).sum();
        content_tokens(&self.messages) + around + input.tools_tokens
    }
}

/// What came before the last summary is not sent any more.
fn since_boundary(view: Arc<[Message]>) -> Arc<[Message]> {
    let is_boundary = |message: &Message| {
        matches!(message, Message::System(SystemMessage { kind: SystemKind::CompactBoundary, .. }))
    };
    match view.iter().rposition(is_boundary) {
        None | Some(0) => view,
        Some(at) => view.iter().skip(at).cloned().collect(),
    }
}

#[cfg(test)]
mod tests;
