use proptest::prelude::*;

use super::*;
use PositionEncoding::{Utf8, Utf16, Utf32};

/// `|` in `text` is where the position must come out.
#[track_caller]
fn check(text: &str, line: u32, column: u32, encoding: PositionEncoding) {
    let want = text.find('|').unwrap();
    let text = Text::from(text.replace('|', ""));
    assert_eq!(offset(&text, Position::new(line, column), encoding), want, "{line}:{column} {encoding:?}");
}

#[test]
fn columns_count_in_the_negotiated_unit() {
    check("é😀|b\n", 0, 6, Utf8);
    check("é😀|b\n", 0, 3, Utf16);
    check("é😀|b\n", 0, 2, Utf32);
    check("x\r\né😀|b", 1, 3, Utf16);
    check("e\u{301}|x", 0, 2, Utf16);
}

#[test]
fn inside_a_character_means_before_it() {
    check("a|😀b", 0, 2, Utf16);
    for column in 2..5 {
        check("a|😀b", 0, column, Utf8);
    }
}

#[test]
fn past_the_line_means_before_its_break() {
    for encoding in [Utf8, Utf16, Utf32] {
        check("ab|\ncd", 0, 99, encoding);
        check("ab|\r\ncd", 0, 3, encoding);
        check("ab|\rcd", 0, 9, encoding);
        check("ab\n|", 1, 7, encoding);
        check("ab\n|\ncd", 1, 1, encoding);
    }
}

#[test]
fn past_the_text_means_its_end() {
    check("ab\ncd|", 7, 3, Utf16);
    check("ab\n|", u32::MAX, u32::MAX, Utf8);
    check("|", 1, 0, Utf32);
}

#[test]
fn only_the_breaks_of_lsp_are_breaks() {
    check("a\u{2028}b\u{85}c\u{b}d\u{c}|e", 0, 8, Utf16);
}

#[test]
fn offsets_come_back_as_positions() {
    let text = Text::from("let s = \"👨‍👩‍👧e\u{301}中😀\"; x\n");
    let x = text.to_string().find("x\n").unwrap();
    for (encoding, column) in [(Utf8, 40), (Utf16, 25), (Utf32, 21)] {
        assert_eq!(position(&text, x, encoding), Position::new(0, column));
    }
    let crlf = Text::from("ab\r\ncd");
    assert_eq!(position(&crlf, 3, Utf8), Position::new(0, 2), "between CR and LF is before the break");
    assert_eq!(position(&crlf, 99, Utf8), Position::new(1, 2));
}

#[test]
fn edits_for_the_editor() {
    let text = Text::from("😀 todo\r\nend\n");
    let edits =
        [Change { range: 5..9, text: "進行中".into() }, Change { range: 14..15, text: String::new() }];
    let got = text_edits(&text, &edits, Utf16);
    let range = |a, b, c, d| Range::new(Position::new(a, b), Position::new(c, d));
    assert_eq!(
        got,
        [
            TextEdit { range: range(0, 3, 0, 7), new_text: "進行中".into() },
            TextEdit { range: range(1, 3, 2, 0), new_text: String::new() },
        ]
    );
}

/// What LSP says, in the plainest code: lines and units are counted character by character.
pub(crate) fn naive_offset(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let (mut line, mut column) = (0, 0);
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let breaks = character == '\n' || character == '\r';
        let width = match encoding {
            Utf8 => character.len_utf8(),
            Utf16 => character.len_utf16(),
            Utf32 => 1,
        } as u32;
        if line == position.line && (breaks || column + width > position.character) {
            return at;
        }
        if breaks {
            if character == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n') {
                characters.next();
            }
            (line, column) = (line + 1, 0);
        } else {
            column += width;
        }
    }
    text.len()
}

pub(crate) fn any_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "bc",
        "é",
        "中",
        "😀",
        "e\u{301}",
        "\n",
        "\r\n",
        "\r",
        "\u{2028}",
        "\u{85}",
        "\t",
        "",
        "longer words",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

pub(crate) fn any_encoding() -> impl Strategy<Value = PositionEncoding> {
    prop::sample::select(vec![Utf8, Utf16, Utf32])
}

pub(crate) fn any_position() -> impl Strategy<Value = Position> {
    (0u32..12, prop_oneof![0u32..20, Just(u32::MAX)]).prop_map(|(line, column)| Position::new(line, column))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_position_is_where_lsp_says(text in any_text(), at in any_position(), encoding in any_encoding()) {
        prop_assert_eq!(offset(&Text::from(text.as_str()), at, encoding), naive_offset(&text, at, encoding));
    }

    #[test]
    fn a_border_survives_the_way_there_and_back(text in any_text(), at in 0usize..200, encoding in any_encoding()) {
        let text = Text::from(text);
        let at = text.border(at);
        let between = at > 0 && text.slice(at - 1..at + 1) == "\r\n";
        let back = offset(&text, position(&text, at, encoding), encoding);
        prop_assert_eq!(back, if between { at - 1 } else { at });
    }
}
