//! The pipeline that prepares each request: seven steps in a fixed order, light before heavy, each on the view of this round
//! and never on the stored history.

use std::sync::Arc;

use crate::conversation::Message;

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

/// This round's view: what the request is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    pub messages: Arc<[Message]>,
    pub system: Vec<String>,
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

    /// What the step makes of the view. The steps that shorten a conversation are places without a rule yet: they hand the
    /// view on as it is, and a conversation that outgrows its model ends with that model's error.
    fn apply(self, view: Prepared, system: &[String]) -> Prepared {
        match self {
            Self::ToolResultBudget
            | Self::Snip
            | Self::Microcompact
            | Self::ContextCollapse
            | Self::Autocompact
            | Self::BlockingCheck => view,
            Self::SystemPrompt => Prepared { system: system.to_vec(), ..view },
        }
    }
}

/// Runs the steps over `messages`. `probe` sees each step before it runs.
pub fn prepare(messages: Arc<[Message]>, system: &[String], mut probe: impl FnMut(Step)) -> Prepared {
    let view = Prepared { messages, system: Vec::new() };
    Step::ORDER.into_iter().fold(view, |view, step| {
        probe(step);
        step.apply(view, system)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_run_in_order_and_the_prompt_is_put_in() {
        let mut steps = Vec::new();
        let prepared = prepare(Arc::new([]), &["be brief".to_owned()], |step| steps.push(step));
        assert_eq!(steps, Step::ORDER);
        assert_eq!(prepared.system, ["be brief"]);
    }
}
