//! Text that a person decides about, with every character that can't be seen, that moves others, or that passes for another
//! one, written out.

mod look_alikes;

use std::fmt::Write as _;

use self::look_alikes::look_alikes;

/// `text` with each hidden character and each look-alike as `\u{202e}`. Reversible: backslashes that stand directly before
/// such an escape, or before text that looks like one, are doubled.
pub fn visible(text: &str) -> String {
    written_out(text, &look_alikes(text), is_hidden)
}

/// The text of a file likewise, in which tabs and line feeds stay, and so do letters that look like others: there they are
/// somebody's language.
pub fn visible_text(text: &str) -> String {
    written_out(text, &[], |c| !matches!(c, '\n' | '\t') && is_hidden(c))
}

/// Whether [`visible_text`] has a character to write out.
pub fn hides(text: &str) -> bool {
    text.chars().any(|c| !matches!(c, '\n' | '\t') && is_hidden(c))
}

/// What stands for a line feed on one line.
const BREAK: &str = " ⏎ ";

/// `text` likewise on one line: a line feed, which hides nothing, is ` ⏎ `, and this sign itself is written out.
pub fn on_one_line(text: &str) -> String {
    written_out(text, &look_alikes(text), |c| c == '⏎' || (c != '\n' && is_hidden(c))).replace('\n', BREAK)
}

/// More blanks than this in a row may put what follows them out of sight.
const BLANKS: usize = 16;

/// `text` on one line for a person to decide about: a long run of blanks is `⋯ 400 blanks ⋯`, and this sign itself is
/// written out.
pub fn in_sight(text: &str) -> String {
    let line =
        written_out(text, &look_alikes(text), |c| matches!(c, '⏎' | '⋯') || (c != '\n' && is_hidden(c)));
    let mut out = String::with_capacity(line.len());
    let mut lines = line.split('\n');
    out.extend(lines.next().map(blanks_counted));
    for line in lines {
        out.push_str(BREAK);
        out.push_str(&blanks_counted(line));
    }
    out
}

fn blanks_counted(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(' ') {
        let (before, from) = rest.split_at(at);
        let after = from.trim_start_matches(' ');
        let (blanks, _) = from.split_at(from.len() - after.len());
        out.push_str(before);
        if blanks.len() > BLANKS {
            // Writing to a string can't fail.
            let _ = write!(out, "⋯ {} blanks ⋯", blanks.len());
        } else {
            out.push_str(blanks);
        }
        rest = after;
    }
    out + rest
}

/// The lines of what [`on_one_line`] or [`in_sight`] has written.
pub fn lines_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(BREAK)
}

/// `deceiving`: where other characters stand that are written out, ascending.
fn written_out(text: &str, deceiving: &[usize], is_written_out: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut backslashes = 0;
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
pub fn is_hidden(c: char) -> bool {
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
                | 0x0890..=0x0891
                | 0x08E2
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
                | 0x1_10BD
                | 0x1_10CD
                | 0x1_3430..=0x1_345F
                | 0x1_6FE4
                | 0x1_BCA0..=0x1_BCA3
                | 0x1_D159
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
        check("a\u{13430}\u{110bd}b", "a\\u{13430}\\u{110bd}b");
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
    fn nothing_is_put_out_of_sight_by_blanks() {
        let check = |text: &str, want: &str| assert_eq!(in_sight(text), want);
        check(&format!("echo ok{}; rm -rf x", " ".repeat(400)), "echo ok⋯ 400 blanks ⋯; rm -rf x");
        check(
            &format!("a{}b\n{}c", " ".repeat(16), " ".repeat(17)),
            &format!("a{}b ⏎ ⋯ 17 blanks ⋯c", " ".repeat(16)),
        );
        check("a⋯ 9 blanks ⋯b \u{202e}\\", "a\\u{22ef} 9 blanks \\u{22ef}b \\u{202e}\\");
        for text in ["", " ", "a  b ", "cat <<E\n\tx\nE", "a ⏎ b"] {
            assert_eq!(in_sight(text), on_one_line(text));
        }
    }

    #[test]
    fn the_text_of_a_file_keeps_its_lines_its_tabs_and_its_letters() {
        let check = |text: &str, want: &str| {
            assert_eq!(visible_text(text), want);
            assert_eq!(restored(want), text);
            assert_eq!(hides(text), want != text, "{text:?}");
        };
        check("\tа = 1;\n// с Δt – “so”\n", "\tа = 1;\n// с Δt – “so”\n");
        check("\tis_\u{202e}admin\u{2066}\r", "\tis_\\u{202e}admin\\u{2066}\\u{d}");
        check("a\u{200b}\u{e0072}\u{ad}\u{2060}\u{fe00}", "a\\u{200b}\\u{e0072}\\u{ad}\\u{2060}\\u{fe00}");
        check("\u{2800}\u{3164}\u{a0}", "\\u{2800}\\u{3164}\\u{a0}");
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
            prop_assert_eq!(restored(&visible_text(&text)), text.clone());
            prop_assert_eq!(restored(&visible(&text)), text);
        }
    }
}
