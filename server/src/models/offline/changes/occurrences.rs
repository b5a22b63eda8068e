//! Every place where a text stands for itself, not as a part of a longer word.

use super::Plan;
use crate::models::offline::edits::Change;
use crate::models::offline::grammar::is_word;

/// Replaces `old` by `new` wherever it stands alone.
pub(super) fn replaced(text: &str, old: &str, new: &str) -> Plan {
    let mut plan = Plan::default();
    let mut inside_longer = 0_usize;
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find(old)).map(|at| from + at) {
        let end = start + old.len();
        if stands_alone(text, start, end) {
            plan.changes.push(Change { span: start..end, new: new.to_owned() });
            from = end;
        } else {
            inside_longer += 1;
            from = start + text.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        }
    }
    if inside_longer > 0 {
        let places =
            if inside_longer == 1 { "1 place".to_owned() } else { format!("{inside_longer} places") };
        plan.notes.push(format!("`{old}` also stands inside a longer word in {places}, which I left alone."));
    }
    plan
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let inside = text.get(start..end).unwrap_or_default();
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let behind = text.get(end..).and_then(|behind| behind.chars().next());
    let joined =
        |one: Option<char>, next: Option<char>| one.is_some_and(is_word) && next.is_some_and(is_word);
    !joined(before, inside.chars().next()) && !joined(inside.chars().next_back(), behind)
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, wanted: &str) {
        let mut made = text.to_owned();
        for change in replaced(text, old, new).changes.iter().rev() {
            made.replace_range(change.span.clone(), &change.new);
        }
        assert_eq!(made, wanted);
    }

    #[test]
    fn only_whole_words() {
        check("load(); reload(load_all, load);", "load", "open", "open(); reload(load_all, open);");
        check("läd ä lä", "lä", "x", "läd ä x");
        check("a.b.c", ".b", ".x", "a.x.c");
        check("$1 \\n", "$1", "&\\0", "&\\0 \\n");
        check("aaa", "aa", "b", "aaa");
    }

    #[test]
    fn what_was_left_alone_is_said() {
        assert_eq!(
            replaced("reload(load_all)", "load", "open").notes,
            ["`load` also stands inside a longer word in 2 places, which I left alone."]
        );
    }
}
