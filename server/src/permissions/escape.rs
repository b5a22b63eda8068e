//! Text that a person decides about, with every character that can't be seen, that moves others, or that passes for another
//! one, written out.

mod look_alikes;

use std::fmt::Write as _;

use self::look_alikes::look_alikes;

/// `text` with each hidden character and each look-alike as `\u{202e}`. Reversible: backslashes that stand directly before
/// such an escape, or before text that looks like one, are doubled.
pub fn visible(text: &str) -> String {
    written_out(text, is_hidden)
}

/// What stands for a line feed on one line.
const BREAK: &str = " ⏎ ";

/// `text` likewise on one line: a line feed, which hides nothing, is ` ⏎ `, and this sign itself is written out.
pub fn on_one_line(text: &str) -> String {
    written_out(text, |c| c == '⏎' || (c != '\n' && is_hidden(c))).replace('\n', BREAK)
}

/// The lines of what [`on_one_line`] has written.
pub fn lines_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(BREAK)
}

fn written_out(text: &str, is_written_out: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut backslashes = 0;
    let deceiving = look_alikes(text);
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let hidden = is_written_out(c) || deceiving.binary_search(&at).is_ok();
        let looks_escaped = c == 'u' && rest.as_str().starts_with('{');
        let written = if hidden || looks_escaped { backslashes * 2 } else { backslashes };
        out.extend(std::iter::repeat_n('\\', written));
        backslashes = 0;
        if hidden {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.extend(std::iter::repeat_n('\\', backslashes));
    out
}

/// Whether `text` holds a character that a person would not see for what it is.
pub fn has_hidden(text: &str) -> bool {
    text.chars().any(is_hidden)
}

/// Controls, marks that turn the direction, zero-width and look-alike blanks, tags, variation selectors and private use:
/// the default-ignorable and format characters of Unicode, and every blank but the space.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        // Nearly all of what is drawn, on every key.
        return c.is_ascii_control();
    }
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(
            u32::from(c),
            0x00AD
                | 0x034F
                | 0x0600..=0x0605
                | 0x061C
                | 0x06DD
                | 0x070F
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x202A..=0x202E
                | 0x2060..=0x206F
                | 0x2800
                | 0x3164
                | 0xE000..=0xF8FF
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFFB
                | 0x1_BCA0..=0x1_BCA3
                | 0x1_D173..=0x1_D17A
                | 0xE_0000..=0xE_0FFF
                | 0xF_0000..=0x10_FFFF
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(visible(text), want);
        assert_eq!(restored(&visible(text)), text);
    }

    /// The way back, written apart from the way there.
    fn restored(text: &str) -> String {
        let pattern = regex::Regex::new(r"(\\+)(u\{([0-9a-f]+)\})?").expect("a valid pattern");
        let mut out = String::new();
        let mut at = 0;
        for found in pattern.captures_iter(text) {
            let whole = found.get(0).expect("the whole match");
            out.push_str(&text[at..whole.start()]);
            at = whole.end();
            let count = found[1].len();
            let before_brace = text[whole.start() + count..].starts_with("u{");
            match found.get(3) {
                Some(code) if count % 2 == 1 => {
                    out.push_str(&"\\".repeat(count / 2));
                    let code = u32::from_str_radix(code.as_str(), 16).expect("hex");
                    out.push(char::from_u32(code).expect("a character"));
                }
                Some(code) => {
                    out.push_str(&"\\".repeat(count / 2));
                    out.extend(["u{", code.as_str(), "}"]);
                }
                None => out.push_str(&"\\".repeat(if before_brace { count / 2 } else { count })),
            }
        }
        out.push_str(&text[at..]);
        out
    }

    #[test]
    fn what_could_deceive_is_written_out() {
        check("echo safe \u{202e}# fr- mr", "echo safe \\u{202e}# fr- mr");
        check("g\u{200b}it diff", "g\\u{200b}it diff");
        check("git\u{a0}diff", "git\\u{a0}diff");
        check("echo ok\u{1b}[2K", "echo ok\\u{1b}[2K");
        check("rm x #\recho ok", "rm x #\\u{d}echo ok");
        check("rm x\u{8}\u{8}ls", "rm x\\u{8}\\u{8}ls");
        check("hi\u{e0072}", "hi\\u{e0072}");
        check("giт diff", "gi\\u{442} diff");
    }

    #[test]
    fn lines_stand_on_one_line_and_can_be_told_from_text_that_looks_so() {
        let check = |text: &str, want: &str| {
            assert_eq!(on_one_line(text), want);
            let lines: Vec<String> = lines_of(want).map(restored).collect();
            assert_eq!(lines.join("\n"), text);
        };
        check("cat <<E\n\tx\nE", "cat <<E ⏎ \\u{9}x ⏎ E");
        check("a\r\nb\rc\n", "a\\u{d} ⏎ b\\u{d}c ⏎ ");
        check("a ⏎ b\u{202e}", "a \\u{23ce} b\\u{202e}");
    }

    #[test]
    fn what_can_be_seen_stays() {
        check("Read src/größe.rs", "Read src/größe.rs");
        check("进行中 👍", "进行中 👍");
        check("C:\\new\\u", "C:\\new\\u");
        assert!(!has_hidden("plain text"));
        assert!(has_hidden("a\u{feff}b"));
    }

    #[test]
    fn an_escape_typed_by_hand_is_told_from_a_real_one() {
        check("a\\u{202e}", "a\\\\u{202e}");
        check("a\\\u{202e}", "a\\\\\\u{202e}");
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[\\\\u{}a2eа\u{202e}\u{200b}]{0,12}") {
            prop_assert_eq!(restored(&visible(&text)), text);
        }
    }
}
