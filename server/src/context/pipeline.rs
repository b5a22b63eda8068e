//! The pipeline that prepares each request: seven steps in a fixed order, light before heavy, each on the view of this round
//! and never on the stored history.

use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

use super::autocompact::{CompactState, Verdict};
use super::log::{ContextLog, Decision};
use crate::config::ContextSettings;
use crate::conversation::{Message, SystemKind, SystemMessage, estimate_tokens};
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
        messages: since_boundary(view),
        system: Vec::new(),
        context_edits: Vec::new(),
        new_decisions: Vec::new(),
        saves: Vec::new(),
        hidden: Vec::new(),
        tokens: 0,
        tokens_freed: 0,
        verdict: Verdict::Send,
    };
    for step in Step::ORDER {
        probe(step);
        match step {
            Step::ToolResultBudget
            | Step::Snip
            | Step::Microcompact
            | Step::ContextCollapse
            | Step::BlockingCheck => {}
            Step::SystemPrompt => prepared.system = input.system.to_vec(),
            Step::Autocompact => prepared.tokens = estimate_tokens(&prepared.messages),
        }
    }
    prepared
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
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn the_steps_run_in_order_and_the_prompt_is_put_in() {
        let mut steps = Vec::new();
        let input = PipelineInput {
            system: &["be brief".to_owned()],
            user_context: "",
            window: Window::USUAL,
            editing: ContextEditing::Client,
            log: &ContextLog::default(),
            now: UNIX_EPOCH,
            settings: &ContextSettings::default(),
            state: CompactState::default(),
            tools_tokens: 0,
            result_limit: &|_| Some(50_000),
            results_folder: None,
        };
        let prepared = prepare(Arc::new([]), &input, |step| steps.push(step));
        assert_eq!(steps, Step::ORDER);
        assert_eq!(prepared.system, ["be brief"]);
    }
}
