//! Compaction: a summary, made by the model itself, takes the place of a conversation that has grown too long.

mod files;

use futures::StreamExt as _;

use self::files::shown_again;
use super::outbox::attachment;
use super::params::QueryParams;
use super::state::RoundContext;
use super::{CompactInput, CompactVerdict};
use crate::config::ContextNumber;
use crate::context::{
    Afterwards, Thresholds, divided, has_images, summarised, summary_of, summary_request, without_oldest,
};
use crate::conversation::{
    AttachmentKind, CompactMetadata, CompactTrigger, ContentBlock, Message, Usage, estimate_tokens,
    normalize_for,
};
use crate::models::{ModelError, ModelErrorKind, ModelRequest, ProviderEvent, ToolChoice};

/// Why a summary is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Compaction {
    /// The conversation has reached the threshold.
    Auto,
    /// The provider refused it as too long, by so many tokens if it said so.
    Reactive { over_by: Option<u64> },
    /// The user asked for it, perhaps with a word on what matters.
    Manual { instructions: String },
}

/// The conversation from here on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Compacted {
    /// Boundary, summary, kept messages, files shown again, what hooks have to say.
    pub(super) messages: Vec<Message>,
    pub(super) usage: Usage,
}

/// Why there is no summary. The conversation is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CompactionFailure {
    #[error("The task was cancelled.")]
    Cancelled,
    #[error("A hook kept the conversation from being summarised: {0}")]
    Blocked(String),
    #[error("{0}")]
    Failed(String),
}

impl Compaction {
    fn trigger(&self) -> CompactTrigger {
        match self {
            Self::Auto | Self::Reactive { .. } => CompactTrigger::Auto,
            Self::Manual { .. } => CompactTrigger::Manual,
        }
    }
}

/// A summary that no hook forbids.
pub(super) struct Allowed {
    how: Compaction,
    /// As the hooks were told.
    input: CompactInput,
    /// What matters in it, for the user and for the hooks.
    instructions: String,
}

/// Asks the hooks whether a summary may be made.
pub(super) async fn allowed(
    params: &QueryParams,
    how: Compaction,
    context: &RoundContext,
) -> Result<Allowed, CompactionFailure> {
    let instructions = match &how {
        Compaction::Auto | Compaction::Reactive { .. } => String::new(),
        Compaction::Manual { instructions } => instructions.clone(),
    };
    let input = CompactInput {
        session: context.session.clone(),
        trigger: how.trigger(),
        instructions: instructions.clone(),
    };
    let asked = context.cancel.run_until_cancelled(params.hooks.before_compact(input.clone())).await;
    match asked.ok_or(CompactionFailure::Cancelled)? {
        CompactVerdict::Block(why) => Err(CompactionFailure::Blocked(why)),
        CompactVerdict::Pass(added) => {
            let instructions = [instructions, added].join("\n").trim().to_owned();
            Ok(Allowed { how, input, instructions })
        }
    }
}

/// Asks the model for a summary of `view`. Where that works, only what the messages still show counts as seen; else nothing
/// has changed.
pub(super) async fn compact(
    params: &QueryParams,
    view: &[Message],
    allowed: Allowed,
    context: &RoundContext,
) -> Result<Compacted, CompactionFailure> {
    let Allowed { how, input, instructions } = allowed;
    let settings = &params.context.settings;
    let thresholds = Thresholds::of(params.provider.info().window, settings);
    let keep = match &how {
        // An image may be what was refused.
        Compaction::Reactive { .. } if has_images(view) => 0,
        Compaction::Auto | Compaction::Reactive { .. } | Compaction::Manual { .. } => {
            settings.number(ContextNumber::KeptTokens).min(thresholds.effective / 4)
        }
    };
    let trigger = how.trigger();
    let over_by = match how {
        Compaction::Reactive { over_by } => over_by,
        Compaction::Auto | Compaction::Manual { .. } => None,
    };
    let division = divided(view, keep);
    if division.summarised.is_empty() {
        return Err(CompactionFailure::Failed("There is nothing to summarise yet.".to_owned()));
    }
    let (summary, usage) = summary(params, &division.summarised, over_by, &instructions, context).await?;
    let compaction = CompactMetadata {
        trigger,
        tokens_before: estimate_tokens(view),
        kept: division.kept.iter().map(|message| message.id().clone()).collect(),
    };
    let afterwards = match trigger {
        CompactTrigger::Auto => Afterwards::GoOn,
        CompactTrigger::Manual => Afterwards::WaitForTheUser,
    };
    let files = shown_again(params, context, &division.kept, thresholds).await;
    let now = (params.clock)();
    let mut messages = summarised(&summary, division.kept, compaction, afterwards, now);
    messages.extend(files);
    params.context.brief_again(&context.workspace, &context.documents, now).await;
    let start = params.hooks.start_after_compact(input.session.clone());
    // Who cancels now has the summary, and not the hook's word.
    let added = context.cancel.run_until_cancelled(start).await;
    messages
        .extend(added.into_iter().flatten().map(|text| attachment(now, AttachmentKind::HookContext, text)));
    params.context.begin_anew(&messages);
    params.hooks.after_compact(input, summary).await;
    Ok(Compacted { messages, usage })
}

/// The model's words. Where they are too many for it to read, the oldest rounds are left out, a few times.
async fn summary(
    params: &QueryParams,
    messages: &[Message],
    over_by: Option<u64>,
    instructions: &str,
    context: &RoundContext,
) -> Result<(String, Usage), CompactionFailure> {
    let mut spent = Usage::default();
    let mut messages = messages.to_vec();
    let mut over_by = over_by;
    // What the provider has refused once it refuses with a question behind it, too.
    if over_by.is_some() {
        messages = without_oldest(&messages, over_by).unwrap_or(messages);
    }
    let mut retries = params.context.settings.number(ContextNumber::SummaryRetries);
    loop {
        let (asked, usage) = ask(params, &messages, instructions, context).await;
        spent += usage;
        let error = match asked {
            Asked::Cancelled => return Err(CompactionFailure::Cancelled),
            Asked::Answered(answer) => {
                return summary_of(&answer).map(|summary| (summary, spent)).ok_or_else(|| {
                    CompactionFailure::Failed("The model's summary of the conversation was empty.".to_owned())
                });
            }
            Asked::Failed(error) => error,
        };
        let is_too_long =
            matches!(error.kind, ModelErrorKind::PromptTooLong | ModelErrorKind::RequestTooLarge);
        over_by = error.over_by;
        let shorter = without_oldest(&messages, over_by).filter(|_| is_too_long && retries > 0);
        match shorter {
            Some(shorter) => messages = shorter,
            None if is_too_long => {
                return Err(CompactionFailure::Failed(
                    "The conversation is too long even to be summarised: start a new one to go on."
                        .to_owned(),
                ));
            }
            None => {
                let why = format!("The conversation could not be summarised: {}", error.message);
                return Err(CompactionFailure::Failed(why));
            }
        }
        retries -= 1;
    }
}

enum Asked {
    Answered(String),
    Failed(ModelError),
    Cancelled,
}

/// One request. The tools are in it, since they are part of the cached prefix, and none may be called.
async fn ask(
    params: &QueryParams,
    messages: &[Message],
    instructions: &str,
    context: &RoundContext,
) -> (Asked, Usage) {
    let info = params.provider.info();
    let question = summary_request(messages, instructions, (params.clock)());
    let most = params.context.settings.number(ContextNumber::SummaryTokens).min(info.window.context / 4);
    let most = u32::try_from(most).unwrap_or(u32::MAX).min(info.window.max_output);
    let request = ModelRequest {
        tool_choice: ToolChoice::None,
        ..ModelRequest::new(
            params.system.clone(),
            params.tools.definitions(),
            normalize_for(&question, &info.model),
            most,
        )
    };
    let mut events = params.provider.stream(request);
    let (mut answer, mut usage) = (String::new(), Usage::default());
    loop {
        let next = tokio::select! {
            biased;
            () = context.cancel.cancelled() => return (Asked::Cancelled, usage),
            next = events.next() => next,
        };
        match next {
            None => return (Asked::Answered(answer), usage),
            Some(Err(error)) => return (Asked::Failed(error), usage),
            Some(Ok(ProviderEvent::BlockStop { block: ContentBlock::Text { text }, .. })) => {
                answer.push_str(&text);
            }
            Some(Ok(ProviderEvent::MessageStart { usage: counted, .. })) => {
                usage = counted;
                answer.clear();
            }
            Some(Ok(ProviderEvent::MessageDelta { usage: counted, .. })) => usage = counted,
            Some(Ok(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests;
