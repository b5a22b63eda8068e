//! What the model is told when its `old_string` is not in the file: what was rejected, what changed, and the lines that
//! come nearest, with what exactly is different. Named, never applied.

use std::collections::{BTreeSet, HashMap};

use super::line_ends::unify;
use crate::documents::Text;
use crate::review::unified_diff;

/// The most lines of one candidate, and of the shown change.
const LINES_SHOWN: usize = 12;
const CHANGE_LINES: usize = 30;
const CANDIDATES: usize = 3;
/// Longer lines are compared and shown by this many characters only.
const LINE_CHARS: usize = 200;
/// Beyond this many lines only equal lines are looked for, not similar ones.
const SIMILAR_LINES: usize = 50_000;
/// How many of `old`'s letter pairs a line must hold to be called near, in percent.
const NEAR_PERCENT: usize = 60;

/// Why `old` was not found in `text`, after what the user rejected there (newest last) and what the model last saw.
pub(super) fn explain(
    name: &str,
    text: &Text,
    old: &str,
    rejected: &[String],
    seen: Option<&Text>,
) -> String {
    let old = unify(old);
    let mut said = vec![format!("old_string was not found in {name}, so nothing was changed.")];
    let trimmed = old.trim();
    if !trimmed.is_empty() && rejected.iter().any(|text| unify(text).contains(trimmed)) {
        said.push(
            "It is text that you proposed and the user rejected: the file does not have it.".to_owned(),
        );
    }
    if let Some(diff) = seen.and_then(|seen| unified_diff(seen, text, CHANGE_LINES)) {
        said.push(format!("The file changed since you last read it:\n{diff}"));
    }
    let old_lines: Vec<&str> = old.strip_suffix('\n').unwrap_or(&old).split('\n').collect();
    let places = candidates(text, &old_lines);
    if places.is_empty() {
        said.push("No line of the file is like it. Read the file before the next try.".to_owned());
    }
    for (index, place) in places.iter().enumerate() {
        let heading = if index == 0 { "The nearest lines are:" } else { "or:" };
        said.push(format!("{heading}\n{}", numbered(text, *place, old_lines.len())));
        if index == 0 {
            said.extend(first_difference(text, *place, &old_lines));
        }
    }
    said.join("\n")
}

/// Lines (from 0) at which something like `old` begins, best first: lines equal but for blanks, else similar ones.
fn candidates(text: &Text, old: &[&str]) -> Vec<usize> {
    let equal = equal_but_for_blanks(text, old);
    if equal.is_empty() { similar(text, old) } else { equal }
}

/// Each line of the file that equals a line of `old`, blanks aside, votes for the place where `old` would begin.
fn equal_but_for_blanks(text: &Text, old: &[&str]) -> Vec<usize> {
    let mut wanted: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, line) in old.iter().enumerate() {
        let key = without_blanks(line);
        if key.chars().count() > 2 || old.len() == 1 {
            wanted.entry(key).or_default().push(index);
        }
    }
    wanted.remove("");
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let Some(indexes) = wanted.get(&without_blanks(&line)) else { continue };
        for index in indexes {
            if let Some(start) = number.checked_sub(*index) {
                *votes.entry(start).or_default() += line.trim().len();
            }
        }
    }
    best(votes.into_iter().collect())
}

/// The lines that share most letter pairs with the longest line of `old`.
fn similar(text: &Text, old: &[&str]) -> Vec<usize> {
    let longest = old.iter().enumerate().max_by_key(|(_, line)| line.trim().len());
    let Some((index, longest)) = longest else { return Vec::new() };
    let wanted = pairs(&without_blanks(longest));
    if wanted.is_empty() || text.line_count() > SIMILAR_LINES {
        return Vec::new();
    }
    let mut scores = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let have = pairs(&without_blanks(cut(&line)));
        let hits = wanted.intersection(&have).count();
        if let Some(start) = number.checked_sub(index)
            && hits * 100 >= wanted.len() * NEAR_PERCENT
        {
            scores.push((start, hits * 1000 / (wanted.len() + have.len())));
        }
    }
    best(scores)
}

fn pairs(line: &str) -> BTreeSet<[u8; 2]> {
    cut(line).as_bytes().windows(2).filter_map(|pair| pair.try_into().ok()).collect()
}

/// The places with the highest scores, at least half as good as the best one.
fn best(mut scores: Vec<(usize, usize)>) -> Vec<usize> {
    scores.sort_by_key(|(start, score)| (std::cmp::Reverse(*score), *start));
    let bar = scores.first().map_or(0, |(_, score)| score / 2);
    scores.into_iter().filter(|(_, score)| *score >= bar).take(CANDIDATES).map(|(start, _)| start).collect()
}

/// What the first differing line has in the place of what was asked for.
fn first_difference(text: &Text, start: usize, old: &[&str]) -> Option<String> {
    let (number, have, want) = old.iter().enumerate().find_map(|(index, want)| {
        let have = text.line(start + index).trim_end_matches(['\r', '\n']).to_owned();
        (have != **want).then_some((start + index + 1, have, *want))
    })?;
    if without_blanks(&have) != without_blanks(want) {
        return None;
    }
    let same = have.chars().zip(want.chars()).take_while(|(have, want)| have == want).count();
    let place = if have.chars().take(same).all(char::is_whitespace) {
        "is indented with".to_owned()
    } else if have.trim_end() == want.trim_end() {
        "ends with".to_owned()
    } else {
        format!("has, after {same} characters,")
    };
    let blanks = |line: &str, from: usize| {
        let run: String = line.chars().skip(from).take_while(|c| c.is_whitespace()).collect();
        name_blanks(&run)
    };
    // The indent is told whole, so that the model can copy it.
    let from = if place.starts_with("is indented") { 0 } else { same };
    Some(format!(
        "Line {number} {place} {} where old_string has {}.",
        blanks(&have, from),
        blanks(want, from)
    ))
}

/// `a tab`, `8 spaces`, `a tab and 2 spaces`.
fn name_blanks(run: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut rest = run.chars().peekable();
    while let Some(c) = rest.next() {
        let mut count = 1;
        while rest.next_if_eq(&c).is_some() {
            count += 1;
        }
        names.push(match (c, count) {
            ('\t', 1) => "a tab".to_owned(),
            ('\t', _) => format!("{count} tabs"),
            (' ', 1) => "a space".to_owned(),
            (' ', _) => format!("{count} spaces"),
            (other, _) => format!("U+{:04X}", u32::from(other)),
        });
    }
    if names.is_empty() { "nothing".to_owned() } else { names.join(" and ") }
}

/// The file's lines as Read shows them.
fn numbered(text: &Text, start: usize, count: usize) -> String {
    let last = (start + count.min(LINES_SHOWN)).min(text.line_count());
    let lines: Vec<String> = (start..last)
        .map(|line| format!("{:>6}\t{}", line + 1, cut(text.line(line).trim_end_matches(['\r', '\n']))))
        .collect();
    lines.join("\n")
}

fn without_blanks(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

fn cut(line: &str) -> &str {
    line.char_indices().nth(LINE_CHARS).map_or(line, |(at, _)| line.get(..at).unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, want: &str) {
        assert_eq!(explain("a.rs", &Text::from(text), old, &[], None), want);
    }

    #[test]
    fn tabs_and_spaces_are_told_apart_in_words() {
        check(
            "all:\n\techo hi\n\techo bye\n",
            "        echo bye",
            "old_string was not found in a.rs, so nothing was changed.\n\
             The nearest lines are:\n     3\t\techo bye\n\
             Line 3 is indented with a tab where old_string has 8 spaces.",
        );
        check(
            "let a = 1; \n",
            "let a = 1;\n",
            "old_string was not found in a.rs, so nothing was changed.\n\
             The nearest lines are:\n     1\tlet a = 1; \n\
             Line 1 ends with a space where old_string has nothing.",
        );
        check(
            "let a\u{a0}= 1;\n",
            "let a = 1;",
            "old_string was not found in a.rs, so nothing was changed.\n\
             The nearest lines are:\n     1\tlet a\u{a0}= 1;\n\
             Line 1 has, after 5 characters, U+00A0 where old_string has a space.",
        );
    }

    #[test]
    fn similar_lines_are_shown_with_their_numbers() {
        check(
            "use std::io;\n\nfn load_settings(path: &Path) {\n}\n",
            "fn load_setting(path: &str) {",
            "old_string was not found in a.rs, so nothing was changed.\n\
             The nearest lines are:\n     3\tfn load_settings(path: &Path) {",
        );
        check(
            "a\nb\n",
            "completely different",
            "old_string was not found in a.rs, so nothing was changed.\n\
             No line of the file is like it. Read the file before the next try.",
        );
    }

    #[test]
    fn several_lines_are_placed_by_the_ones_that_match() {
        check(
            "mod a;\nfn one() {\n    call();\n    stop();\n}\n",
            "fn one() {\n    call();\n    halt();\n}",
            "old_string was not found in a.rs, so nothing was changed.\n\
             The nearest lines are:\n     2\tfn one() {\n     3\t    call();\n     4\t    stop();\n     5\t}",
        );
    }

    #[test]
    fn a_rejected_text_and_a_changed_file_are_named() {
        let text = Text::from("fn start() {}\n");
        let seen = Text::from("fn main() {}\n");
        assert_eq!(
            explain("a.rs", &text, "fn begin() {}", &["fn begin() {}\n".into()], Some(&seen)),
            "old_string was not found in a.rs, so nothing was changed.\n\
             It is text that you proposed and the user rejected: the file does not have it.\n\
             The file changed since you last read it:\n@@ -1 +1 @@\n-fn main() {}\n+fn start() {}\n\
             No line of the file is like it. Read the file before the next try."
        );
    }

    #[test]
    fn a_line_of_megabytes_is_shown_in_part() {
        let text = Text::from("a".repeat(5_000_000) + "NEEDLE");
        assert!(explain("one.js", &text, "NEEDLES", &[], None).len() < 1000);
    }
}
