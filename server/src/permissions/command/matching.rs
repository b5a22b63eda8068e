//! Which commands the text of a rule speaks of.

use super::{Part, Side};

/// Whether the `spec` of a rule `Bash(spec)` speaks of `part`: the same command, `npm run test:*` or `npm run test *` and
/// whatever follows, or a `*` anywhere for any text.
///
/// An allow has to fit what runs exactly; a deny or ask rule also fits what a wrapper or an assignment stands before.
pub fn spec_matches(spec: &str, part: &Part, side: Side) -> bool {
    let spec = spec.trim();
    if spec == "*" || spec == ":*" {
        return side == Side::DenyOrAsk || !part.whole_only;
    }
    let fits = |spelled: &String| !spelled.is_empty() && fits(spec, spelled);
    match side {
        Side::Allow if part.whole_only => part.exact.iter().any(|spelled| spelled == spec),
        Side::Allow => part.exact.iter().any(|spelled| !names_variable(spelled, spec) && fits(spelled)),
        Side::DenyOrAsk => part.exact.iter().chain(&part.wider).any(fits),
    }
}

/// A command with an assignment in front is only spoken of by a rule that has it too.
fn names_variable(spelled: &str, spec: &str) -> bool {
    let front = spelled.split(' ').next().unwrap_or_default();
    let Some((name, _)) = front.split_once('=') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && !spec.starts_with(&format!("{name}="))
}

fn fits(spec: &str, spelled: &str) -> bool {
    let beginning = spec.strip_suffix(":*").or_else(|| spec.strip_suffix(" *"));
    match beginning {
        Some(beginning) if beginning.contains('*') => {
            fits_pattern(beginning, spelled) || fits_pattern(&format!("{beginning} *"), spelled)
        }
        Some(beginning) => {
            spelled.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }
        None if spec.contains('*') => fits_pattern(spec, spelled),
        None => spec == spelled,
    }
}

/// `*` stands for any text, also none.
fn fits_pattern(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return left.ends_with(piece);
        }
        match left.find(piece).and_then(|at| left.get(at + piece.len()..)) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    left.is_empty()
}
