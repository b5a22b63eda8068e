//! What a refusal advises a model to do, which is not for the person who reads why.

/// Behind the reason for which nothing is changed while a session plans.
pub const FINISH_PLAN: &str = " Look around, finish the plan, and ask the user to approve it.";
/// Behind the rule that forbids a call.
pub const ANOTHER_WAY: &str = " Do it another way, or ask the user.";

/// Why a call was refused, without what only a model can do about it.
pub fn without_advice(why: &str) -> &str {
    [FINISH_PLAN, ANOTHER_WAY].iter().fold(why, |why, advice| why.strip_suffix(advice).unwrap_or(why))
}
