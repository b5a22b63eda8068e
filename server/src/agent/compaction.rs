//! Compaction: a summary, made by the model itself, takes the place of a conversation that has grown too long.

mod files;

use futures::StreamExt as _;

use self::files::shown_again;
use super::outbox::{attachment, notice};
use super::params::QueryParams;
use super::state::RoundContext;
use super::{CompactInput, CompactVerdict};
use crate::config::ContextNumber;
use crate::context::{
    Afterwards, Division, Thresholds, divided, has_images, summarised, summary_of, summary_request,
    without_images, without_oldest,
};
use crate::conversation::{
    AttachmentKind, CompactMetadata, CompactTrigger, ContentBlock, Message, Usage, content_tokens,
    estimate_tokens, normalize_for, text_tokens,
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
    /// The user's own words are all there is.
    #[error("There is nothing to summarise yet.")]
    Nothing,
    /// The cause.
    #[error("The conversation could not be summed up: {0}")]
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

/// What is told where words of the user's are in the summary alone, since they leave no room for it.
const WORDS_TOO_LONG: &str = "Some of what you asked for is too long to stay word for word beside the summary of the \
    conversation: the model has it from the summary alone. Say again what matters in it.";

/// A summary that no hook forbids.
pub(super) struct Allowed {
    how: Compaction,
    division: Division,
    kept_as: KeptAs,
    /// As the hooks were told.
    input: CompactInput,
    /// What matters in it, for the user and for the hooks.
    instructions: String,
}

impl Allowed {
    /// Whether the user waits for the summary itself.
    pub(super) fn is_asked_for(&self) -> bool {
        matches!(self.how, Compaction::Manual { .. })
    }
}

/// What becomes of the messages that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptAs {
    Written,
    /// One of their pictures may be what was refused.
    TextAlone,
    /// They are all there is, and were refused as they are: what a summary says of them is all that can be sent.
    Summary,
}

/// Asks the hooks whether a summary of `view` may be made, and divides it for one.
pub(super) async fn allowed(
    params: &QueryParams,
    view: &[Message],
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
            let (division, kept_as) = division(params, view, &how).ok_or(CompactionFailure::Nothing)?;
            Ok(Allowed { how, division, kept_as, input, instructions })
        }
    }
}

/// `None`: a summary would stand for nothing but the user's own words.
fn division(params: &QueryParams, view: &[Message], how: &Compaction) -> Option<(Division, KeptAs)> {
    let settings = &params.context.settings;
    let is_reactive = matches!(how, Compaction::Reactive { .. });
    let kept_as = if is_reactive && has_images(view) { KeptAs::TextAlone } else { KeptAs::Written };
    let effective = Thresholds::of(params.provider.info().window, settings).effective;
    let keep = match kept_as {
        KeptAs::TextAlone => 0,
        KeptAs::Written | KeptAs::Summary => settings.number(ContextNumber::KeptTokens).min(effective / 4),
    };
    // Where the newest messages are all that was done, they have to go: the user's own words stay all the same.
    let newest = Some(divided(view, keep)).filter(Division::is_worth_it);
    let mut division = newest.unwrap_or_else(|| divided(view, 0));
    let is_worth_it = division.is_worth_it();
    if !is_worth_it && is_reactive {
        division.summarised.extend(division.kept.iter().cloned());
    }
    match kept_as {
        KeptAs::TextAlone => {
            for message in division.words.iter_mut().chain(&mut division.kept) {
                *message = without_images(message);
            }
            Some((division, kept_as))
        }
        _ if is_worth_it => Some((division, kept_as)),
        _ if is_reactive => {
            let Division { summarised, .. } = division;
            Some((Division { summarised, words: Vec::new(), kept: Vec::new() }, KeptAs::Summary))
        }
        KeptAs::Written | KeptAs::Summary => None,
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
    let Allowed { how, division, kept_as, input, instructions } = allowed;
    let Division { summarised: old, words, kept } = division;
    let thresholds = Thresholds::of(params.provider.info().window, &params.context.settings);
    let trigger = how.trigger();
    let over_by = match how {
        Compaction::Reactive { over_by } => over_by,
        Compaction::Auto | Compaction::Manual { .. } => None,
    };
    let (summary, usage) = summary(params, &old, over_by, &instructions, context).await?;
    let taken = around(params) + content_tokens(&kept) + text_tokens(&summary);
    let asked = words.len();
    let words = newest_that_fit(words, thresholds.compact.saturating_sub(taken));
    let are_words_lost = words.len() < asked || kept_as == KeptAs::Summary;
    let compaction = CompactMetadata {
        trigger,
        tokens_before: estimate_tokens(view),
        kept: words.iter().chain(&kept).map(|message| message.id().clone()).collect(),
        without_images: kept_as == KeptAs::TextAlone,
    };
    let afterwards = match trigger {
        CompactTrigger::Auto => Afterwards::GoOn,
        CompactTrigger::Manual => Afterwards::WaitForTheUser,
    };
    let files = shown_again(params, context, &kept, thresholds).await;
    let now = (params.clock)();
    let mut messages = summarised(&summary, words, kept, compaction, afterwards, now);
    messages.extend(are_words_lost.then(|| notice(now, WORDS_TOO_LONG)));
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

/// What stands in every request beside the conversation, estimated.
fn around(params: &QueryParams) -> u64 {
    let context = &params.context;
    let system: u64 = params.system.iter().map(|section| text_tokens(section)).sum();
    system + text_tokens(&context.user_context()) + context.tools_tokens(&params.tools)
}

/// Of `messages` the last ones that take at most `room` tokens.
fn newest_that_fit(mut messages: Vec<Message>, room: u64) -> Vec<Message> {
    while !messages.is_empty() && content_tokens(&messages) > room {
        messages.remove(0);
    }
    messages
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
                return summary_of(&answer)
                    .map(|summary| (summary, spent))
                    .ok_or_else(|| CompactionFailure::Failed("The model's summary was empty.".to_owned()));
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
                    "It is too long even for that. Start a new one to go on.".to_owned(),
                ));
            }
            None => return Err(CompactionFailure::Failed(error.message)),
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
