use proptest::prelude::*;

use super::*;
use crate::documents::position::tests::{any_encoding, any_position, any_text, naive_offset};
use crate::editor::{Position, Range};
use PositionEncoding::{Utf8, Utf16, Utf32};

#[allow(clippy::unnecessary_wraps, reason = "as a content change has it")]
const fn at(a: u32, b: u32, c: u32, d: u32) -> Option<Range> {
    Some(Range::new(Position::new(a, b), Position::new(c, d)))
}

#[track_caller]
fn check(encoding: PositionEncoding, before: &str, changes: &[(Option<Range>, &str)], want: &str) {
    let changes: Vec<_> =
        changes.iter().map(|(range, text)| ContentChange { range: *range, text: (*text).into() }).collect();
    let before = Text::from(before);
    let applied = apply(&before, &changes, encoding);
    assert_eq!(applied.after, want);
    let mut by_bytes = before;
    applied.changes.iter().for_each(|change| by_bytes.apply(change));
    assert_eq!(by_bytes, want, "the byte changes say the same");
    assert_eq!(applied.whole_text, changes.iter().any(|change| change.range.is_none()));
}

#[test]
fn around_surrogate_pairs_and_combining_marks() {
    check(Utf16, "a😀b\n", &[(at(0, 3, 0, 3), "X")], "a😀Xb\n");
    check(Utf16, "a😀b\n", &[(at(0, 1, 0, 3), "")], "ab\n");
    check(Utf16, "e\u{301}x\n", &[(at(0, 1, 0, 2), "")], "ex\n");
    check(Utf16, "a😀b\n", &[(at(0, 2, 0, 2), "X")], "aX😀b\n");
    check(Utf8, "é😀b\n", &[(at(0, 6, 0, 7), "B")], "é😀B\n");
    check(Utf32, "é😀b\n", &[(at(0, 2, 0, 3), "B")], "é😀B\n");
}

#[test]
fn each_change_counts_in_the_text_the_last_one_left() {
    check(Utf16, "abc\n", &[(at(0, 0, 0, 1), ""), (at(0, 0, 0, 1), "")], "c\n");
    check(Utf16, "abc", &[(None, "x\n"), (at(1, 0, 1, 0), "y")], "x\ny");
    check(Utf16, "abc", &[(at(0, 0, 0, 3), ""), (None, "full\n")], "full\n");
}

#[test]
fn past_the_end_and_upside_down() {
    check(Utf16, "ab\ncd", &[(at(0, 99, 0, 99), "X")], "abX\ncd");
    check(Utf16, "ab\ncd", &[(at(0, 0, 9, 0), "new\n")], "new\n");
    check(Utf16, "ab\ncd", &[(at(7, 3, 7, 3), "E")], "ab\ncdE");
    check(Utf16, "ab\r\ncd", &[(at(0, 99, 0, 99), "X")], "abX\r\ncd");
    check(Utf16, "ab\ncd", &[(at(1, 0, 5, 0), "")], "ab\n");
    check(Utf16, "ab\ncd", &[(at(1, 1, 0, 1), "?")], "a?d");
    let max = u32::MAX;
    check(Utf16, "ab\n", &[(at(max, max, max, max), "Z")], "ab\nZ");
}

#[test]
fn two_hundred_keys_in_a_row() {
    let keys: Vec<String> = (0u32..200).map(|n| char::from_u32(33 + n).unwrap().to_string()).collect();
    let changes: Vec<_> = (0u32..).zip(&keys).map(|(n, key)| (at(0, n, 0, n), key.as_str())).collect();
    check(Utf16, "", &changes, &keys.concat());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The rope against a plain string.
    #[test]
    fn any_changes_at_any_positions(
        before in any_text(),
        changes in prop::collection::vec((any_position(), any_position(), any_text()), 0..8),
        encoding in any_encoding(),
    ) {
        let mut naive = before.clone();
        let mut content = Vec::new();
        for (start, end, text) in changes {
            let (a, b) = (naive_offset(&naive, start, encoding), naive_offset(&naive, end, encoding));
            naive.replace_range(a.min(b)..a.max(b), &text);
            content.push(ContentChange { range: Some(Range::new(start, end)), text });
        }
        let applied = apply(&Text::from(before), &content, encoding);
        prop_assert_eq!(applied.after, naive.as_str());
    }
}
