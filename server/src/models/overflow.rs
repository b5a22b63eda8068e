//! By how much a request is too long, out of the words in which services say so.

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    /// The conversation alone. `over_by`: tokens too many, if they are named.
    Prompt { over_by: Option<u64> },
    /// The conversation fits, with an answer of at most `room` tokens of the `window`.
    Answer { room: u64, window: u64 },
    /// No answer of this model may be asked for in more than `most` tokens.
    Output { most: u64 },
}

/// Phrases of a refusal for length, in lower case.
const TOO_LONG: [&str; 6] = [
    "prompt is too long",
    "input is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the model's context",
    "maximum context length",
];

/// The same of an answer that no request may ask for, however short.
const TOO_LONG_AN_ANSWER: &str = "maximum allowed number of output tokens";

/// What `said` says of length; `None` if it is about something else.
pub(super) fn overflow(said: &str) -> Option<Overflow> {
    let said = said.to_lowercase();
    let numbers = numbers(&said);
    if said.contains(TOO_LONG_AN_ANSWER) {
        let most = numbers.iter().find(|number| number.after.contains('>'))?;
        return Some(Overflow::Output { most: most.value });
    }
    if !TOO_LONG.iter().any(|phrase| said.contains(phrase)) {
        return None;
    }
    let sum = numbers.windows(3).find_map(|three| match three {
        [input, answer, limit] if answer.after.contains('+') && limit.after.contains('>') => {
            Some((input.value, limit.value))
        }
        _ => None,
    });
    if let Some((input, limit)) = sum {
        return Some(match limit.checked_sub(input) {
            Some(room) if room > 0 => Overflow::Answer { room, window: limit },
            _ => Overflow::Prompt { over_by: Some(input.saturating_sub(limit)) },
        });
    }
    let compared = numbers.windows(2).find_map(|two| match two {
        [one, other] if other.after.contains('>') => one.value.checked_sub(other.value),
        _ => None,
    });
    Some(Overflow::Prompt { over_by: compared })
}

/// A number, and what stands between it and the one before.
struct Number {
    value: u64,
    after: String,
}

/// The whole numbers in `text`; thousands may be set apart by a comma or an underscore.
fn numbers(text: &str) -> Vec<Number> {
    let mut numbers = Vec::new();
    let mut after = String::new();
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        let Some(digit) = first.to_digit(10) else {
            after.push(first);
            continue;
        };
        let mut value = u64::from(digit);
        while let Some(next) = characters.next_if(|next| next.is_ascii_digit() || matches!(next, ',' | '_')) {
            if let Some(digit) = next.to_digit(10) {
                value = value.saturating_mul(10).saturating_add(u64::from(digit));
            }
        }
        numbers.push(Number { value, after: std::mem::take(&mut after) });
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, wanted: Option<Overflow>) {
        assert_eq!(overflow(said), wanted, "{said}");
    }

    #[test]
    fn the_gap_of_a_prompt_that_is_too_long() {
        let over = |over_by| Some(Overflow::Prompt { over_by: Some(over_by) });
        check("prompt is too long: 205000 tokens > 200000 maximum", over(5_000));
        check("Prompt is too long: 205,123 tokens > 200_000 maximum", over(5_123));
        check("messages.3: prompt is too long: 9 > 8", over(1));
        check("prompt is too long", Some(Overflow::Prompt { over_by: None }));
        check("input is too long for requested model", Some(Overflow::Prompt { over_by: None }));
        check("prompt is too long: 8 > 9", Some(Overflow::Prompt { over_by: None }));
    }

    #[test]
    fn the_room_that_is_left_for_an_answer() {
        check(
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
            Some(Overflow::Answer { room: 10_000, window: 200_000 }),
        );
        check(
            "input length and max_tokens exceed context limit: 700 + 400 > 1000",
            Some(Overflow::Answer { room: 300, window: 1_000 }),
        );
        check(
            "input length and `max_tokens` exceed context limit: 210000 + 20000 > 200000",
            Some(Overflow::Prompt { over_by: Some(10_000) }),
        );
        check(
            "max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for claude-x",
            Some(Overflow::Output { most: 64_000 }),
        );
    }

    #[test]
    fn other_words_are_about_something_else() {
        check("thinking.budget_tokens: 500 < 1024", None);
        check("invalid x-api-key", None);
        check("", None);
    }
}
