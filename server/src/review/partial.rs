//! A part of a hunk: which choices of lines mean something, and what the lines are then.

use super::line::Line;
use super::refusal::Refusal;

/// `old` with the chosen part of the change to `new` done: `minus` are indexes into `old`, `plus` into `new`.
///
/// Of an insertion any lines can be chosen, in order; of a deletion any lines; of equal counts any pairs. Otherwise the
/// two sides don't correspond line by line, and only the whole is a choice.
pub(super) fn partly(
    old: &[Line],
    new: &[Line],
    minus: &[usize],
    plus: &[usize],
) -> Result<Vec<Line>, Refusal> {
    if minus.iter().any(|index| *index >= old.len()) || plus.iter().any(|index| *index >= new.len()) {
        return Err(Refusal(
            "The hunk has no such line any more. Look at it again and choose anew.".to_owned(),
        ));
    }
    if old.is_empty() {
        return Ok(chosen(new, plus, true));
    }
    if new.is_empty() {
        return Ok(chosen(old, minus, false));
    }
    if old.len() == new.len() {
        let mut sorted = [minus.to_vec(), plus.to_vec()];
        for list in &mut sorted {
            list.sort_unstable();
            list.dedup();
        }
        let [minus, plus] = sorted;
        if minus == plus {
            let pairs = old.iter().zip(new).enumerate();
            return Ok(pairs
                .map(|(index, (old, new))| if plus.contains(&index) { new } else { old })
                .cloned()
                .collect());
        }
        return Err(Refusal(
            "These lines are replaced one by one: choose a removed line together with the added one in its place.".to_owned(),
        ));
    }
    if (0..old.len()).all(|index| minus.contains(&index)) && (0..new.len()).all(|index| plus.contains(&index))
    {
        return Ok(new.to_vec());
    }
    Err(Refusal(
        "The two sides of this hunk don't correspond line by line: accept or reject all of it.".to_owned(),
    ))
}

/// The lines whose index is in `indexes`, or the lines whose index is not.
fn chosen(lines: &[Line], indexes: &[usize], is_in: bool) -> Vec<Line> {
    let lines = lines.iter().enumerate();
    lines.filter(|(index, _)| indexes.contains(index) == is_in).map(|(_, line)| line.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], minus: &[usize], plus: &[usize], wanted: Option<&[&str]>) {
        let lines = |words: &[&str]| words.iter().map(|word| Line::new(word)).collect::<Vec<_>>();
        assert_eq!(partly(&lines(old), &lines(new), minus, plus).ok(), wanted.map(lines));
    }

    #[test]
    fn what_can_be_chosen() {
        check(&[], &["1", "2", "3"], &[], &[2, 0], Some(&["1", "3"]));
        check(&["b", "c"], &[], &[1], &[], Some(&["b"]));
        check(&["b", "c"], &["B", "C"], &[0], &[0], Some(&["B", "c"]));
        check(&["b"], &["B", "C"], &[0], &[0, 1], Some(&["B", "C"]));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        check(&["b", "c"], &["B", "C"], &[0], &[1], None);
        check(&["b"], &["B", "C"], &[0], &[0], None);
        check(&["b"], &["B"], &[7], &[], None);
    }
}
