//! A change in words for the person: imperative, at most 70 characters.

/// The longest summary, in characters.
const LONGEST: usize = 70;
/// The longest text that is quoted in one.
const QUOTED: usize = 28;

/// For an Edit: the model's own words if it gave some, else made from what changes.
pub(super) fn of_edit(description: Option<&str>, old: &str, new: &str) -> String {
    given(description).unwrap_or_else(|| {
        let (old_part, new_part) = differing(old, new);
        let quote = |text: &str| {
            let text = text.trim();
            let fits =
                !text.is_empty() && text.chars().count() <= QUOTED && !text.contains(['\n', '\r', '`']);
            fits.then(|| format!("`{text}`"))
        };
        match (old_part.trim().is_empty(), new_part.trim().is_empty()) {
            (true, true) => "change blank space".to_owned(),
            (true, false) => format!("add {}", quote(new_part).unwrap_or_else(|| lines(new_part))),
            (false, true) => format!("delete {}", quote(old_part).unwrap_or_else(|| lines(old_part))),
            (false, false) => match quote(old_part).zip(quote(new_part)) {
                Some((old, new)) => format!("change {old} to {new}"),
                None => format!("change {}", lines(old_part)),
            },
        }
    })
}

/// For a Write: the model's own words if it gave some, else `verb` and the file.
pub(super) fn of_write(description: Option<&str>, verb: &str, name: &str) -> String {
    given(description).unwrap_or_else(|| shortened(&format!("{verb} {name}")))
}

/// For a file that a command changed: the model's own words for it if it gave some, else the command.
pub(super) fn of_command(description: Option<&str>, command: &str) -> String {
    given(description).unwrap_or_else(|| {
        let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
        shortened(&format!("run {line}"))
    })
}

fn given(description: Option<&str>) -> Option<String> {
    let words = description?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| shortened(words.trim_end_matches('.')))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}

fn lines(text: &str) -> String {
    match text.trim().lines().count() {
        0 | 1 => "a line".to_owned(),
        count => format!("{count} lines"),
    }
}

/// The parts between what both have at their two ends, on word borders.
fn differing<'text>(old: &'text str, new: &'text str) -> (&'text str, &'text str) {
    let same = |a: &mut dyn Iterator<Item = (char, char)>| -> usize {
        a.take_while(|(old, new)| old == new).map(|(c, _)| c.len_utf8()).sum()
    };
    let mut head = same(&mut old.chars().zip(new.chars()));
    while inside_word(old, head) || inside_word(new, head) {
        head -= old.get(..head).and_then(|text| text.chars().next_back()).map_or(head, char::len_utf8);
    }
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let mut tail = same(&mut old.chars().rev().zip(new.chars().rev()));
    while inside_word(old, old.len() - tail) || inside_word(new, new.len() - tail) {
        let rest = old.get(old.len() - tail..).and_then(|text| text.chars().next());
        tail -= rest.map_or(tail, char::len_utf8);
    }
    (old.get(..old.len() - tail).unwrap_or_default(), new.get(..new.len() - tail).unwrap_or_default())
}

fn inside_word(text: &str, at: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at..).and_then(|text| text.chars().next());
    before.is_some_and(is_word) && after.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, want: &str) {
        assert_eq!(of_edit(None, old, new), want);
    }

    #[test]
    fn a_change_is_told_by_the_words_that_differ() {
        check("fn load() {}", "fn open() {}", "change `load` to `open`");
        check("fn load_all() {}", "fn load_one() {}", "change `load_all` to `load_one`");
        check("call(a)", "call(a, b)", "add `, b`");
        check("call(a, b)", "call(a)", "delete `, b`");
        check("a\n", "a\nb\nc\n", "add 2 lines");
        check("  x", "\tx", "change blank space");
        check("a\nb\nc", "", "delete 3 lines");
        check("one two three four five six seven\neight", "nine\nten", "change 2 lines");
    }

    #[test]
    fn the_models_own_words_come_first() {
        assert_eq!(of_edit(Some("rename load\nto open."), "load", "open"), "rename load to open");
        assert_eq!(of_edit(Some("  "), "load", "open"), "change `load` to `open`");
        assert_eq!(of_write(None, "create", "src/a.rs"), "create src/a.rs");
        assert_eq!(of_write(Some(&"long ".repeat(40)), "create", "a").chars().count(), LONGEST);
    }
}
