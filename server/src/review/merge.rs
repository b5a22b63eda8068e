//! Three-way merge of lines: what both sides agree on leaves the hunk, what only one side changed is clean, and a conflict
//! is as small as it can be.

use std::ops::Range;

use super::diff::{Replaced, diff};
use super::line::{End, Line, joined, same, split};
use crate::documents::Text;

/// One stretch of a merge, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Both sides have `lines` now; `base` is what stood there.
    Agreed {
        base: Vec<Line>,
        lines: Vec<Line>,
        taken: Taken,
    },
    /// Only the agent wants a change: of `mine`, into `agents`.
    Clean {
        mine: Vec<Line>,
        agents: Vec<Line>,
    },
    Conflict {
        base: Vec<Line>,
        mine: Vec<Line>,
        agents: Vec<Line>,
    },
}

/// Whether what both sides have now is what the agent wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    /// It is as it was, or as the user alone wanted it.
    No,
}

/// A place that both sides changed, each in its own way. Whole lines with their line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextConflict {
    /// Zero-based line in `now`.
    pub line: usize,
    pub seen: String,
    pub now: String,
    pub new: String,
}

/// The whole-file write: `new` was written by somebody who had `seen` before them, while the text is `now`. Gives the
/// text with both changes, or the places where they meet.
pub fn three_way(seen: &Text, now: &Text, new: &str) -> Result<String, Vec<TextConflict>> {
    if seen == now {
        return Ok(new.to_owned());
    }
    let lines = |text: &Text| split(&text.to_string());
    let mut merged = Vec::new();
    let mut conflicts = Vec::new();
    let mut line = 0;
    for piece in merge(&lines(seen), &lines(now), &split(new)) {
        match piece {
            Piece::Agreed { lines, .. } => {
                line += lines.len();
                merged.extend(lines);
            }
            Piece::Clean { mine, agents } => {
                line += mine.len();
                merged.extend(agents);
            }
            Piece::Conflict { base, mine, agents } => {
                let conflict =
                    TextConflict { line, seen: joined(&base), now: joined(&mine), new: joined(&agents) };
                conflicts.push(conflict);
                line += mine.len();
            }
        }
    }
    if conflicts.is_empty() { Ok(separated(&merged)) } else { Err(conflicts) }
}

/// Merges the changes of `base` into `mine` and into `agents`.
pub(super) fn merge(base: &[Line], mine: &[Line], agents: &[Line]) -> Vec<Piece> {
    let my_script = script(base, mine);
    let agents_script = script(base, agents);
    let mut pieces = Pieces::default();
    let mut at = 0;
    loop {
        // What was inserted between two lines of the base.
        let gap = at..at;
        pieces.judge(
            &[],
            my_script.inserted(at, mine),
            agents_script.inserted(at, agents),
            &my_script,
            &agents_script,
            gap,
        );
        if at == base.len() {
            break;
        }
        // The fewest lines that no replacement of either side crosses.
        let mut end = at + 1;
        loop {
            let wider = my_script.reach(at..end).max(agents_script.reach(at..end));
            if wider == end {
                break;
            }
            end = wider;
        }
        let chunk = at..end;
        pieces.judge(
            base.get(chunk.clone()).unwrap_or_default(),
            my_script.of(&chunk, mine),
            agents_script.of(&chunk, agents),
            &my_script,
            &agents_script,
            chunk,
        );
        at = end;
    }
    pieces.list
}

/// How one side came from the base. A replacement of as many lines as there were is a replacement of each: one bad line
/// does not block its neighbours.
struct Script(Vec<Replaced>);

fn script(base: &[Line], side: &[Line]) -> Script {
    let replaced = diff(base, side).into_iter().flat_map(|all| {
        let pairs = all.old.len() == all.new.len();
        let each = all.old.clone().zip(all.new.clone()).filter(move |_| pairs);
        let each = each.map(|(old, new)| Replaced { old: old..old + 1, new: new..new + 1 });
        each.chain((!pairs).then_some(all))
    });
    Script(replaced.collect())
}

impl Script {
    /// Lines inserted right before line `at` of the base.
    fn inserted<'a>(&self, at: usize, side: &'a [Line]) -> &'a [Line] {
        let found = self.0.get(self.first_from(at)).filter(|replaced| replaced.old == (at..at));
        found.and_then(|replaced| side.get(replaced.new.clone())).unwrap_or_default()
    }

    /// How far a chunk must go to hold every replacement that begins in it.
    fn reach(&self, chunk: Range<usize>) -> usize {
        self.inside(&chunk).map(|replaced| replaced.old.end).fold(chunk.end, usize::max)
    }

    /// What stands in the place of `chunk`, without what was inserted at its edges.
    fn of<'a>(&self, chunk: &Range<usize>, side: &'a [Line]) -> &'a [Line] {
        let start = self.moved(chunk.start) + self.inserted(chunk.start, side).len();
        side.get(start..self.moved(chunk.end)).unwrap_or_default()
    }

    /// Where line `at` of the base stands, before anything inserted there. No replacement may cross it.
    fn moved(&self, at: usize) -> usize {
        let last = self.first_from(at).checked_sub(1).and_then(|before| self.0.get(before));
        last.map_or(at, |last| at - last.old.end + last.new.end)
    }

    /// The lines of the chunk that this side deleted, if deleting is all it did there.
    fn deleted(&self, chunk: &Range<usize>) -> Option<Vec<usize>> {
        let mut lines = Vec::new();
        for replaced in self.inside(chunk) {
            if !replaced.new.is_empty() {
                return None;
            }
            lines.extend(replaced.old.clone());
        }
        Some(lines)
    }

    /// Replacements that touch lines of the chunk, and insertions between them.
    fn inside(&self, chunk: &Range<usize>) -> impl Iterator<Item = &Replaced> {
        let from = self.0.partition_point(|replaced| replaced.old.end <= chunk.start);
        let end = chunk.end;
        self.0.iter().skip(from).take_while(move |replaced| replaced.old.start < end)
    }

    /// The first replacement that begins at line `at` or below.
    fn first_from(&self, at: usize) -> usize {
        self.0.partition_point(|replaced| replaced.old.start < at)
    }
}

#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
}

impl Pieces {
    /// Judges one chunk.
    fn judge(
        &mut self,
        base: &[Line],
        mine: &[Line],
        agents: &[Line],
        my_script: &Script,
        agents_script: &Script,
        chunk: Range<usize>,
    ) {
        if same(base, agents) {
            return self.agreed(base, mine, Taken::No);
        }
        if same(mine, agents) {
            return self.agreed(base, mine, Taken::Yes);
        }
        if same(base, mine) {
            return self.clean(mine, agents);
        }
        if let ([base_line], [my_line], [agents_line]) = (base, mine, agents) {
            return match base_line.merge(my_line, agents_line) {
                Some(merged) if merged.same(my_line) => self.agreed(base, mine, Taken::Yes),
                Some(merged) => self.clean(mine, &[merged]),
                None => self.conflict(base, mine, agents),
            };
        }
        if let (Some(my_deleted), Some(agents_deleted)) =
            (my_script.deleted(&chunk), agents_script.deleted(&chunk))
            && !base.is_empty()
        {
            for (line, number) in base.iter().zip(chunk) {
                let line = std::slice::from_ref(line);
                match (my_deleted.contains(&number), agents_deleted.contains(&number)) {
                    (false, true) => self.clean(line, &[]),
                    (false, false) => self.agreed(line, line, Taken::No),
                    (true, true) => self.agreed(line, &[], Taken::Yes),
                    (true, false) => self.agreed(line, &[], Taken::No),
                }
            }
            return;
        }
        self.overlap(base, mine, agents);
    }

    /// Both sides changed the chunk in their own ways: equal lines at its ends are agreed on.
    fn overlap(&mut self, base: &[Line], mine: &[Line], agents: &[Line]) {
        let most = mine.len().min(agents.len());
        let head = mine.iter().zip(agents).take_while(|(mine, agents)| mine.same(agents)).count();
        let tail =
            mine.iter().rev().zip(agents.iter().rev()).take_while(|(mine, agents)| mine.same(agents)).count();
        let tail = tail.min(most - head);
        let (my_head, my_rest) = mine.split_at(head);
        let (my_rest, my_tail) = my_rest.split_at(my_rest.len() - tail);
        let agents_rest = agents.get(head..agents.len() - tail).unwrap_or_default();

        // One side has all that the other has and more: the lesser one did a part of the greater one's work. Lines without
        // words prove nothing where something was there before.
        let telling = base.is_empty() || my_head.iter().chain(my_tail).any(|line| !line.is_blank());
        let part_done = head + tail > 0 && telling && (my_rest.is_empty() || agents_rest.is_empty());
        if part_done {
            self.agreed(base, my_head, Taken::Yes);
            if agents_rest.is_empty() {
                self.agreed(&[], my_rest, Taken::No);
            } else {
                self.clean(my_rest, agents_rest);
            }
        } else {
            self.agreed(&[], my_head, Taken::Yes);
            self.conflict(base, my_rest, agents_rest);
        }
        self.agreed(&[], my_tail, Taken::Yes);
    }

    fn agreed(&mut self, base: &[Line], lines: &[Line], taken: Taken) {
        match self.list.last_mut() {
            _ if base.is_empty() && lines.is_empty() => {}
            Some(Piece::Agreed { base: bases, lines: all, taken: so_far }) if *so_far == taken => {
                bases.extend_from_slice(base);
                all.extend_from_slice(lines);
            }
            _ => self.list.push(Piece::Agreed { base: base.to_vec(), lines: lines.to_vec(), taken }),
        }
    }

    fn clean(&mut self, mine: &[Line], agents: &[Line]) {
        if let Some(Piece::Clean { mine: all, agents: theirs }) = self.list.last_mut() {
            all.extend_from_slice(mine);
            theirs.extend_from_slice(agents);
        } else {
            self.list.push(Piece::Clean { mine: mine.to_vec(), agents: agents.to_vec() });
        }
    }

    fn conflict(&mut self, base: &[Line], mine: &[Line], agents: &[Line]) {
        if let Some(Piece::Conflict { base: bases, mine: all, agents: theirs }) = self.list.last_mut() {
            bases.extend_from_slice(base);
            all.extend_from_slice(mine);
            theirs.extend_from_slice(agents);
        } else {
            let (base, mine, agents) = (base.to_vec(), mine.to_vec(), agents.to_vec());
            self.list.push(Piece::Conflict { base, mine, agents });
        }
    }
}

/// The lines as a text: a break between every two of them and none at the end.
fn separated(lines: &[Line]) -> String {
    let usual = lines.iter().map(|line| line.end).find(|end| *end != End::None).unwrap_or(End::Lf);
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        text.push_str(&line.text);
        if index + 1 < lines.len() {
            text.push_str(line.end.or(usual).as_str());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines are words, `=` both have it, `>` the agent still wants it, `!` a conflict.
    #[track_caller]
    fn check(base: &str, mine: &str, agents: &str, wanted: &str) {
        let lines = |words: &str| -> Vec<Line> {
            words.split('|').filter(|word| *word != "-").map(Line::new).collect()
        };
        let words =
            |lines: &[Line]| lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("|");
        let pieces = merge(&lines(base), &lines(mine), &lines(agents));
        let got: Vec<String> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Agreed { lines, .. } => format!("={}", words(lines)),
                Piece::Clean { mine, agents } => format!("{}>{}", words(mine), words(agents)),
                Piece::Conflict { mine, agents, .. } => format!("{}!{}", words(mine), words(agents)),
            })
            .collect();
        assert_eq!(got.join(" "), wanted);
    }

    #[test]
    fn what_only_one_side_changed_is_clean() {
        check("b", "b", "B", "b>B");
        check("b", "U", "b", "=U");
        check("b|c", "b|U|c", "B|C", "b>B =U c>C");
    }

    #[test]
    fn what_both_agree_on_leaves() {
        check("b|c", "B|c", "B|C", "=B c>C");
        check("b|c", "c", "-", "= c>");
        check("-", "1", "1|2", "=1 >2");
        check("-", "2", "1|2", ">1 =2");
        check("x", "x1|u|z", "x1|a|z", "=x1 u!a =z");
    }

    #[test]
    fn a_conflict_is_as_small_as_possible() {
        check("b|c|d", "b|cc|d", "B|c2|D", "b>B cc!c2 d>D");
        check("b|c", "bx|c", "-", "bx|c!");
        check("b|c", "b|U|c", "-", "b|U|c!");
        check("b", "-", "B", "!B");
        check("f(x,y)", "f(x,|  y)", "g(x,y)", "f(x,|  y)!g(x,y)");
    }

    #[test]
    fn parts_of_a_line_merge_but_words_do_not() {
        check("  foo", "    foo", "  bar", "    foo>    bar");
        check("foo ", "foo", "bar ", "foo>bar");
        check("foo(a)", "foo(a, b)", "bar(a)", "foo(a, b)!bar(a)");
    }

    #[test]
    fn a_whole_file_write_keeps_what_changed_meanwhile() {
        let write = |seen: &str, now: &str, new: &str| three_way(&Text::from(seen), &Text::from(now), new);
        assert_eq!(write("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"), Ok("A\nb\nC\n".to_owned()));
        assert_eq!(write("a\r\nb", "a\r\nb", "x"), Ok("x".to_owned()));
        let conflict = TextConflict { line: 1, seen: "b\n".into(), now: "u\n".into(), new: "n\n".into() };
        assert_eq!(write("a\nb\nc\n", "a\nu\nc\n", "a\nn\nc\n"), Err(vec![conflict]));
    }
}
