//! What becomes of an answer whose stream has ended, in whatever way.

use crate::agent::query::answer::Answer;
use crate::conversation::StopReason;
use crate::models::{ModelError, ModelErrorKind};

/// How often an answer that broke off after nothing but thoughts is asked for again. (Before any block is finished the
/// provider itself tries again.)
const AGAIN_AFTER_THOUGHTS: u32 = 2;
/// The same after a silence: a service that fell silent twice will again.
const AGAIN_AFTER_SILENCE: u32 = 1;
/// How often an answer that can't be understood any more is asked for again.
const AGAIN_AFTER_NONSENSE: u32 = 1;

/// What the decision goes by.
pub(in crate::agent::query) struct Facts<'a> {
    pub(in crate::agent::query) answer: &'a Answer,
    /// How the stream ended, if not well.
    pub(in crate::agent::query) error: Option<&'a ModelError>,
    /// A call of the answer that changes something has begun: what asks for it again would do it twice.
    pub(in crate::agent::query) effects: bool,
    /// How often this answer was asked for again.
    pub(in crate::agent::query) tries: u32,
    /// There is another model to ask.
    pub(in crate::agent::query) another_model: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent::query) enum Verdict {
    /// The answer stands.
    Whole,
    /// What is finished of it stands; the rest is lost.
    Incomplete,
    /// It is void, and asked for again.
    Again,
    /// It is void, and another model is asked.
    OtherModel,
    /// It is void, and its error is the outcome.
    Failed,
}

pub(in crate::agent::query) fn after_stream(facts: &Facts<'_>) -> Verdict {
    let Facts { answer, error, effects, tries, another_model } = *facts;
    if answer.is_whole() {
        let refused = answer.stop_reason == Some(StopReason::Refusal);
        return if refused && another_model && !effects { Verdict::OtherModel } else { Verdict::Whole };
    }
    let kind = error.map_or(ModelErrorKind::StreamCut, |error| error.kind);
    if another_model && !effects && is_the_models_fault(kind) {
        return Verdict::OtherModel;
    }
    if answer.has_substance() {
        let nonsense = kind == ModelErrorKind::Malformed && !effects && tries < AGAIN_AFTER_NONSENSE;
        return if nonsense { Verdict::Again } else { Verdict::Incomplete };
    }
    let thoughts = !answer.records.is_empty();
    let most = if kind == ModelErrorKind::Stalled { AGAIN_AFTER_SILENCE } else { AGAIN_AFTER_THOUGHTS };
    if thoughts && tries < most { Verdict::Again } else { Verdict::Failed }
}

/// Whether another model may do better: never with a wrong key, an empty account, a rate limit, a request that is too
/// large, or a broken line.
const fn is_the_models_fault(kind: ModelErrorKind) -> bool {
    match kind {
        ModelErrorKind::Overloaded | ModelErrorKind::Server | ModelErrorKind::UnknownModel => true,
        ModelErrorKind::Unreachable
        | ModelErrorKind::Authentication
        | ModelErrorKind::Permission
        | ModelErrorKind::Billing
        | ModelErrorKind::RateLimit
        | ModelErrorKind::PromptTooLong
        | ModelErrorKind::RequestTooLarge
        | ModelErrorKind::MediaRefused
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Stalled
        | ModelErrorKind::Malformed => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::conversation::ContentBlock;
    use crate::models::ProviderEvent;

    /// An answer of finished blocks: `t` a thought, `x` a text, `_` a blank one; `.` its end, `!` its end as a refusal.
    fn answer(drawn: &str) -> Answer {
        let mut answer = Answer::default();
        for piece in drawn.chars() {
            let end = |reason| ProviderEvent::MessageDelta {
                stop_reason: Some(reason),
                usage: crate::conversation::Usage::default(),
            };
            let event = match piece {
                't' => ProviderEvent::BlockStop {
                    index: 0,
                    block: ContentBlock::Thinking { thinking: "t".into(), signature: "s".into() },
                },
                'x' => ProviderEvent::BlockStop { index: 0, block: ContentBlock::text("x") },
                '_' => ProviderEvent::BlockStop { index: 0, block: ContentBlock::text(" \n") },
                '.' => end(StopReason::EndTurn),
                _ => end(StopReason::Refusal),
            };
            answer.take(event, "m", |_| false, UNIX_EPOCH);
        }
        answer
    }

    #[track_caller]
    fn check(drawn: &str, kind: Option<ModelErrorKind>, with: (bool, u32, bool), want: Verdict) {
        let error = kind.map(|kind| ModelError::new(kind, "it failed"));
        let (effects, tries, another_model) = with;
        let answer = answer(drawn);
        let facts = Facts { answer: &answer, error: error.as_ref(), effects, tries, another_model };
        assert_eq!(after_stream(&facts), want, "{drawn:?} {kind:?} {with:?}");
    }

    const CUT: Option<ModelErrorKind> = Some(ModelErrorKind::StreamCut);
    const BUSY: Option<ModelErrorKind> = Some(ModelErrorKind::Overloaded);
    const NONSENSE: Option<ModelErrorKind> = Some(ModelErrorKind::Malformed);
    const ALONE: (bool, u32, bool) = (false, 0, false);
    const WITH_ANOTHER: (bool, u32, bool) = (false, 0, true);

    #[test]
    fn a_whole_answer_stands_whatever_the_connection_did_after_it() {
        check("x.", None, ALONE, Verdict::Whole);
        check("x.", CUT, WITH_ANOTHER, Verdict::Whole);
        check("t.", None, ALONE, Verdict::Whole);
    }

    #[test]
    fn a_cut_before_a_finished_text_or_call_is_asked_for_again_twice() {
        check("t", CUT, ALONE, Verdict::Again);
        check("t", CUT, (false, 1, false), Verdict::Again);
        check("t", CUT, (false, 2, false), Verdict::Failed);
        check("", CUT, ALONE, Verdict::Failed);
        check("t_", CUT, ALONE, Verdict::Again);
        let silent = Some(ModelErrorKind::Stalled);
        check("t", silent, ALONE, Verdict::Again);
        check("t", silent, (false, 1, false), Verdict::Failed);
    }

    #[test]
    fn a_cut_after_one_keeps_what_is_finished() {
        check("x", CUT, ALONE, Verdict::Incomplete);
        check("tx", CUT, WITH_ANOTHER, Verdict::Incomplete);
        check("x", BUSY, ALONE, Verdict::Incomplete);
    }

    #[test]
    fn nonsense_is_asked_for_again_unless_that_would_do_something_twice() {
        check("x", NONSENSE, ALONE, Verdict::Again);
        check("x", NONSENSE, (false, 1, false), Verdict::Incomplete);
        check("x", NONSENSE, (true, 0, false), Verdict::Incomplete);
    }

    #[test]
    fn another_model_is_asked_for_what_is_the_models_fault_alone() {
        check("", BUSY, WITH_ANOTHER, Verdict::OtherModel);
        check("tx", BUSY, WITH_ANOTHER, Verdict::OtherModel);
        check("x", BUSY, (true, 0, true), Verdict::Incomplete);
        check("x!", None, WITH_ANOTHER, Verdict::OtherModel);
        check("x!", None, (true, 0, true), Verdict::Whole);
        check("x!", None, ALONE, Verdict::Whole);
        for kind in [
            ModelErrorKind::Authentication,
            ModelErrorKind::Billing,
            ModelErrorKind::RateLimit,
            ModelErrorKind::PromptTooLong,
            ModelErrorKind::Unreachable,
        ] {
            check("", Some(kind), WITH_ANOTHER, Verdict::Failed);
        }
    }
}
