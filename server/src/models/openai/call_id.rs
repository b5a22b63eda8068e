//! The id of a call as one server takes it back.

use super::quirks::CallIds;
use crate::conversation::ToolUseId;

/// `id`, or nine letters and digits that stand for it: the same ones each time, in the call and in its result.
pub(super) fn of(id: &ToolUseId, wanted: CallIds) -> String {
    let id = id.as_str();
    match wanted {
        CallIds::Nine if !(id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric())) => nine(id),
        CallIds::Nine | CallIds::Any => id.to_owned(),
    }
}

/// FNV-1a in base 36. A hash of the library might change with it, and with it the cached prefix.
fn nine(id: &str) -> String {
    const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mut written = String::with_capacity(9);
    for _ in 0..9 {
        written.extend(ALPHABET.get((hash % 36) as usize).map(|&byte| char::from(byte)));
        hash /= 36;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_letters_and_digits_where_they_are_wanted() {
        let id = |id: &str, wanted| of(&ToolUseId(id.to_owned()), wanted);
        assert_eq!(id("toolu_01A", CallIds::Any), "toolu_01A");
        assert_eq!(id("abcDEF123", CallIds::Nine), "abcDEF123");
        let short = id("toolu_01A", CallIds::Nine);
        assert!(short.len() == 9 && short.chars().all(|c| c.is_ascii_alphanumeric()), "{short}");
        assert_eq!(id("toolu_01A", CallIds::Nine), short);
        assert_ne!(id("toolu_01B", CallIds::Nine), short);
    }
}
