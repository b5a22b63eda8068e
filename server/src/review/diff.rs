//! Where two lists of lines differ, when nobody knows: never wrong, at worst coarse.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp};

use super::line::{End, Line};

/// Lines of the old list and what stands in their place in the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The time a diff may take; then the rest is one coarse replacement.
const DEADLINE: Duration = Duration::from_millis(500);

/// Every place where the lists differ, ascending, with at least one equal line between two places.
pub(super) fn diff(old: &[Line], new: &[Line]) -> Vec<Replaced> {
    let head = old.iter().zip(new).take_while(|(old, new)| old.same(new)).count();
    let tail = (old.iter().skip(head).rev().zip(new.iter().skip(head).rev()))
        .take_while(|(old, new)| old.same(new))
        .count();
    let old_middle = old.get(head..old.len() - tail).unwrap_or_default();
    let new_middle = new.get(head..new.len() - tail).unwrap_or_default();
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    if old_middle.is_empty() || new_middle.is_empty() {
        return vec![Replaced { old: head..old.len() - tail, new: head..new.len() - tail }];
    }

    let mut names = Names::default();
    let old_names: Vec<u32> = old_middle.iter().map(|line| names.of(line)).collect();
    let new_names: Vec<u32> = new_middle.iter().map(|line| names.of(line)).collect();
    let deadline = Some(Instant::now() + DEADLINE);
    let ops = similar::capture_diff_slices_deadline(Algorithm::Histogram, &old_names, &new_names, deadline);

    let mut replaced: Vec<Replaced> = Vec::new();
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let old = shifted(op.old_range(), head);
        let new = shifted(op.new_range(), head);
        match replaced.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => replaced.push(Replaced { old, new }),
        }
    }
    replaced
}

/// Numbers for lines, so that a diff compares integers. A last line, which has no break, counts as one with `\n` if its
/// words were not seen with another break.
#[derive(Default)]
struct Names<'a> {
    numbers: HashMap<(&'a str, End), u32>,
    ends: HashMap<&'a str, End>,
}

impl<'a> Names<'a> {
    fn of(&mut self, line: &'a Line) -> u32 {
        let end = match line.end {
            End::None => self.ends.get(line.text.as_str()).copied().unwrap_or(End::Lf),
            end => *self.ends.entry(&line.text).or_insert(end),
        };
        let end = line.end.or(end);
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry((&line.text, end)).or_insert(next)
    }
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
