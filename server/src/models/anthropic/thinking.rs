//! How a model is asked to think: what is wanted, in the form that it takes (Messages API, `thinking`).

use super::catalogue::ThinkingAbility;
use crate::models::Thinking;

/// The least that the API takes as a budget.
const LEAST_BUDGET: u32 = 1_024;
/// Of an answer, one part in so many is not thought away.
const LEFT_FOR_WORDS: u32 = 4;
/// For a model that only thinks with a budget, if it shall think and nobody said how much.
const USUAL_BUDGET: u32 = 10_000;

/// As it is written into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ThinkingForm {
    Adaptive,
    Enabled { budget_tokens: u32 },
    Disabled,
}

/// The form of what the request asks for; `None`: not a word of it. `configured` is what stands behind a request's
/// `Adaptive`; `ability` is `None` for a model that is not known, which is asked to think only if the person says so.
pub(super) fn form(
    asked: Thinking,
    configured: Option<Thinking>,
    ability: Option<ThinkingAbility>,
    max_tokens: u32,
) -> Option<ThinkingForm> {
    let wanted = match asked {
        Thinking::Adaptive => configured,
        Thinking::Disabled | Thinking::Enabled { .. } => Some(asked),
    };
    match (ability, wanted) {
        (Some(ThinkingAbility::None), _)
        | (None | Some(ThinkingAbility::Budget), None | Some(Thinking::Disabled))
        | (Some(ThinkingAbility::Adaptive | ThinkingAbility::AdaptiveAlways), Some(Thinking::Disabled)) => {
            None
        }
        (Some(ThinkingAbility::AdaptiveUnlessDisabled), Some(Thinking::Disabled)) => {
            Some(ThinkingForm::Disabled)
        }
        (Some(ThinkingAbility::Budget), Some(Thinking::Adaptive)) => enabled(USUAL_BUDGET, max_tokens),
        (None | Some(ThinkingAbility::Budget), Some(Thinking::Enabled { budget_tokens })) => {
            enabled(budget_tokens, max_tokens)
        }
        (None, Some(Thinking::Adaptive))
        | (
            Some(
                ThinkingAbility::Adaptive
                | ThinkingAbility::AdaptiveUnlessDisabled
                | ThinkingAbility::AdaptiveAlways,
            ),
            None | Some(Thinking::Adaptive | Thinking::Enabled { .. }),
        ) => Some(ThinkingForm::Adaptive),
    }
}

/// A budget lies between the least and what leaves room for words in the answer, whose length holds both; where even the
/// least does not fit there is no thinking.
fn enabled(budget_tokens: u32, max_tokens: u32) -> Option<ThinkingForm> {
    let most = (max_tokens - max_tokens / LEFT_FOR_WORDS).max(LEAST_BUDGET);
    (max_tokens > LEAST_BUDGET)
        .then(|| ThinkingForm::Enabled { budget_tokens: budget_tokens.clamp(LEAST_BUDGET, most) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Thinking = Thinking::Enabled { budget_tokens: 5_000 };

    #[track_caller]
    fn check(ability: Option<ThinkingAbility>, configured: Option<Thinking>, wanted: Option<ThinkingForm>) {
        assert_eq!(form(Thinking::Adaptive, configured, ability, 32_000), wanted);
    }

    #[test]
    fn each_model_is_asked_in_its_own_form() {
        let enabled = |budget_tokens| Some(ThinkingForm::Enabled { budget_tokens });
        let all = [None, Some(Thinking::Adaptive), Some(BUDGET), Some(Thinking::Disabled)];
        for (ability, wanted) in [
            (None, [None, Some(ThinkingForm::Adaptive), enabled(5_000), None]),
            (Some(ThinkingAbility::None), [None; 4]),
            (Some(ThinkingAbility::Budget), [None, enabled(USUAL_BUDGET), enabled(5_000), None]),
            (
                Some(ThinkingAbility::Adaptive),
                [
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    None,
                ],
            ),
            (
                Some(ThinkingAbility::AdaptiveUnlessDisabled),
                [
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Disabled),
                ],
            ),
            (
                Some(ThinkingAbility::AdaptiveAlways),
                [
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    Some(ThinkingForm::Adaptive),
                    None,
                ],
            ),
        ] {
            for (configured, wanted) in all.into_iter().zip(wanted) {
                check(ability, configured, wanted);
            }
        }
    }

    #[test]
    fn a_budget_lies_between_the_least_and_the_answer() {
        let form = |budget_tokens, max_tokens| {
            form(Thinking::Enabled { budget_tokens }, None, Some(ThinkingAbility::Budget), max_tokens)
        };
        let enabled = |budget_tokens| Some(ThinkingForm::Enabled { budget_tokens });
        assert_eq!(form(1, 8_000), enabled(1_024));
        assert_eq!(form(6_000, 8_000), enabled(6_000));
        assert_eq!(form(90_000, 8_000), enabled(6_000));
        assert_eq!(form(90_000, 1_025), enabled(1_024));
        assert_eq!(form(90_000, 1_024), None);
    }

    #[test]
    fn a_request_has_the_last_word() {
        let ability = Some(ThinkingAbility::AdaptiveUnlessDisabled);
        assert_eq!(form(Thinking::Disabled, Some(BUDGET), ability, 8_000), Some(ThinkingForm::Disabled));
    }
}
