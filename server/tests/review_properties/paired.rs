//! Lines replaced one for one, and what each line's state must be: computed here from base, buffer and agent's line.

use copydesk::documents::Change;
use copydesk::review::{HunkState, HunkView};
use proptest::prelude::*;

use super::editor::lines;
use super::world::{World, reason};

/// The agent replaces every line of `base` between two anchor lines; then the user makes them `user`.
#[derive(Clone, Debug)]
pub struct Replacement {
    base: Vec<Parts>,
    agent: Vec<Parts>,
    user: Vec<Parts>,
}

/// The parts of a line that merge by themselves.
#[derive(Clone, Debug, PartialEq)]
struct Parts {
    indent: &'static str,
    words: String,
    trailing: &'static str,
}

impl Parts {
    fn line(&self) -> String {
        format!("{}{}{}", self.indent, self.words, self.trailing)
    }
}

pub fn replacements() -> impl Strategy<Value = Replacement> {
    let parts = |words: &[&'static str]| {
        let blanks = || prop::sample::select(vec!["", "", "  "]);
        (blanks(), prop::sample::select(words.to_vec()), blanks())
            .prop_map(|(indent, words, trailing)| Parts { indent, words: words.to_owned(), trailing })
    };
    let (base, agent, user) = (parts(&["a", "b"]), parts(&["A", "B"]), parts(&["a", "b", "A", "B", "c d"]));
    let triple =
        (base, agent, user, any::<bool>(), 0..3_u8).prop_map(|(base, mut agent, user, same_words, keep)| {
            if same_words {
                agent.words.clone_from(&base.words);
            }
            let user = if keep == 0 { base.clone() } else { user };
            (base, agent, user)
        });
    let changed =
        triple.prop_filter("the agent changes every line", |(base, agent, _)| base.line() != agent.line());
    prop::collection::vec(changed, 1..5).prop_map(|triples| {
        let mut all = Replacement { base: Vec::new(), agent: Vec::new(), user: Vec::new() };
        for (number, (mut base, mut agent, mut user)) in triples.into_iter().enumerate() {
            // No line is like another, so that nothing but the place says which lines are a pair.
            for parts in [&mut base, &mut agent, &mut user] {
                parts.words.push_str(&number.to_string());
            }
            all.base.push(base);
            all.agent.push(agent);
            all.user.push(user);
        }
        all
    })
}

/// I9 and R4 to R6, by two ways to the same text: at once, and through words that conflict with everything.
pub fn states_are_computed(replacement: &Replacement) -> Result<(), String> {
    let wanted: Vec<_> = (0..replacement.base.len()).filter_map(|line| wanted(replacement, line)).collect();
    for (way, detour) in [("at once", None), ("by a detour", Some("\u{E000}"))] {
        let mut world = World::new(Some(&file(&replacement.base)));
        let edits = line_changes(&world.client(), |line| replacement.agent[line].line());
        world.draft.edit(&edits, &reason());
        if let Some(words) = detour {
            // Only other words in the place of words that the agent changed are a conflict for sure.
            type_lines(&mut world, |line| {
                let Replacement { base, agent, .. } = replacement;
                if base[line].words == agent[line].words { base[line].line() } else { words.to_owned() }
            });
        }
        type_lines(&mut world, |line| replacement.user[line].line());
        let is: Vec<_> = world.hunks().iter().flat_map(by_line).collect();
        if is != wanted {
            return Err(format!("{way}: are {is:?}, should be {wanted:?}"));
        }
    }
    Ok(())
}

type LineState = (usize, String, String, HunkState);

fn wanted(replacement: &Replacement, line: usize) -> Option<LineState> {
    let (base, agent, user) = (&replacement.base[line], &replacement.agent[line], &replacement.user[line]);
    let merged = merge(base.indent, user.indent, agent.indent)
        .zip(merge(&base.words, &user.words, &agent.words))
        .zip(merge(base.trailing, user.trailing, agent.trailing))
        .map(|((indent, words), trailing)| Parts { indent, words: words.to_owned(), trailing });
    match merged {
        Some(merged) if merged == *user => None,
        Some(merged) => Some((line + 1, user.line(), merged.line(), HunkState::Pending)),
        None => Some((line + 1, user.line(), agent.line(), HunkState::Conflicted)),
    }
}

fn merge<'a>(base: &'a str, user: &'a str, agent: &'a str) -> Option<&'a str> {
    if base == user || user == agent {
        Some(agent)
    } else if base == agent {
        Some(user)
    } else {
        None
    }
}

/// One didChange: every line between the anchors gets its new content.
fn type_lines(world: &mut World, content: impl Fn(usize) -> String) {
    let changes: Vec<Change> = line_changes(&world.client(), content).into_iter().rev().collect();
    if !changes.is_empty() {
        world.user(changes);
    }
}

/// Ascending edits of the lines between the anchors.
fn line_changes(text: &str, content: impl Fn(usize) -> String) -> Vec<Change> {
    let lines = lines(text);
    let inner = lines.iter().enumerate().take(lines.len() - 2).skip(1);
    inner
        .map(|(number, line)| Change {
            range: line.start..line.start + line.content.len(),
            text: content(number - 1),
        })
        .filter(|change| text[change.range.clone()] != change.text)
        .collect()
}

fn file(lines: &[Parts]) -> String {
    let inner: String = lines.iter().map(|line| line.line() + "\n").collect();
    format!("first\n{inner}last\n")
}

/// A hunk of equal counts, line by line.
fn by_line(hunk: &HunkView) -> Vec<LineState> {
    let pairs = hunk.removed.lines().zip(hunk.added.lines()).enumerate();
    pairs
        .map(|(at, (removed, added))| {
            (hunk.lines.start + at, removed.to_owned(), added.to_owned(), hunk.state)
        })
        .collect()
}
