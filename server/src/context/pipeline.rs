//! The pipeline that prepares each request: seven steps in a fixed order, light before heavy, each on the view of this round
//! and never on the stored history.

use std::sync::Arc;

use super::autocompact::{Verdict, autocompact};
use super::collapse::collapse;
use super::limit::limit;
use super::log::Decision;
use super::microcompact::{context_edits, microcompact};
use super::snip::snip;
use super::step::{PipelineInput, Report, Save};
use super::system_prompt::{is_user_context, with_user_context};
use super::tool_result_budget::tool_result_budget;
use super::view::{Known, View};
use crate::conversation::{Message, SystemKind, content_tokens, counted_tokens, text_tokens};
use crate::models::ContextEdit;

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

/// Runs the steps over the part of `view` behind the last boundary. `probe` sees each step before it runs. `known`: what the
/// run before has found out, which makes no difference to what comes of this one.
pub fn prepare(
    view: Arc<[Message]>,
    known: &mut Known,
    input: &PipelineInput<'_>,
    mut probe: impl FnMut(Step),
) -> Prepared {
    let mut view = known.grown(since_boundary(view), input.log);
    let mut prepared = Prepared {
        messages: view.messages.clone(),
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
        match step {
            Step::ToolResultBudget => view = prepared.shortened(tool_result_budget(view, input)),
            Step::Snip => view = prepared.shortened(snip(view, input)),
            Step::Microcompact => {
                prepared.context_edits = context_edits(input.editing, input.settings);
                view = prepared.shortened(microcompact(view, input));
            }
            Step::ContextCollapse => {
                let tokens = prepared.request_tokens(counted, input);
                view = prepared.shortened(collapse(view, tokens, input));
            }
            Step::SystemPrompt => {
                prepared.messages =
                    with_user_context(prepared.messages.clone(), input.user_context, input.now);
                prepared.system = input.system.to_vec();
            }
            Step::Autocompact => {
                prepared.tokens = prepared.request_tokens(counted, input);
                prepared.verdict = autocompact(prepared.tokens, input);
            }
            Step::BlockingCheck => prepared.verdict = limit(prepared.verdict, prepared.tokens, input),
        }
    }
    known.keep(view);
    prepared
}

impl Prepared {
    /// Takes in what a step has made of the view, and gives it on.
    fn shortened(&mut self, (view, report): (View, Report)) -> View {
        self.messages = view.messages.clone();
        self.new_decisions.extend(report.decisions);
        self.saves.extend(report.saves);
        self.hidden.extend(report.hidden);
        self.tokens_freed += report.tokens_freed;
        view
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
    let is_boundary = |message: &Message| matches!(message, Message::System(system) if system.kind == SystemKind::CompactBoundary);
    match view.iter().rposition(is_boundary) {
        None | Some(0) => view,
        // As an earlier run has left it.
        Some(1) if view.first().is_some_and(is_user_context) => view,
        Some(at) => view.iter().skip(at).cloned().collect(),
    }
}

#[cfg(test)]
mod tests;
