//! A budget of tokens as people write it into a prompt: `+500k` at its beginning or end, `use 2M tokens` anywhere.

/// The tokens that `prompt` asks to spend.
pub(super) fn token_budget(prompt: &str) -> Option<u64> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let ends = [words.first(), words.last()];
    let marked = ends.into_iter().flatten().find_map(|word| tokens(word.strip_prefix('+')?));
    marked.or_else(|| words.windows(3).find_map(asked))
}

/// `use 2M tokens`, `spend 500k tokens.`
fn asked(words: &[&str]) -> Option<u64> {
    let [verb, number, noun] = words else { return None };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_asked = matches!(bare(verb).as_str(), "use" | "spend") && bare(noun) == "tokens";
    is_asked.then(|| tokens(number)).flatten()
}

/// `500k`, `1.5M`, `2m`, `200000`, `200_000`: a number without a unit must be large enough to be meant.
fn tokens(written: &str) -> Option<u64> {
    let written = written.trim_end_matches(['.', ',', '!', '?', ';', ':']).replace('_', "");
    let unit = written.chars().last()?.to_ascii_lowercase();
    let factor = match unit {
        'k' => 1_000,
        'm' => 1_000_000,
        'b' => 1_000_000_000,
        '0'..='9' => 1,
        _ => return None,
    };
    let number = if factor == 1 { written.as_str() } else { written.get(..written.len() - 1)? };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let mut tokens = whole.parse::<u64>().ok()?.checked_mul(factor)?;
    let scale = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    tokens += fraction.parse::<u64>().unwrap_or(0) * factor / scale;
    (tokens >= LEAST).then_some(tokens)
}

/// Fewer tokens are no budget but a number that happens to stand there.
const LEAST: u64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, want: Option<u64>) {
        assert_eq!(token_budget(prompt), want, "{prompt:?}");
    }

    #[test]
    fn a_budget_is_found_where_people_put_it() {
        check("+500k fix all the tests", Some(500_000));
        check("fix all the tests +1.5M", Some(1_500_000));
        check("Please use 2M tokens on this.", Some(2_000_000));
        check("spend 200_000 tokens, no more", Some(200_000));
        check("go on, Use 50k tokens", Some(50_000));
        check("+2b", Some(2_000_000_000));
    }

    #[test]
    fn other_numbers_are_no_budget() {
        check("add +500k to the total, then stop", None);
        check("the parser uses 2M tokens", None);
        check("use 2 tokens of lookahead", None);
        check("+1 for this idea", None);
        check("use -5k tokens", None);
        check("use k tokens", None);
        check("+1.5.5M", None);
        check("+99999999999999999999k", None);
        check("+5é", None);
        check("", None);
    }
}
