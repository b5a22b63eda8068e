//! Which calls of one answer may run side by side, and which result comes next.

/// The calls of an answer, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    calls: Vec<Slot>,
    at_once: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    /// It may run beside others that may.
    safe: bool,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Queued,
    Executing,
    Completed,
    /// Its result was handed on.
    Yielded,
}

impl Schedule {
    /// With at most `at_once` calls at the same time, and at least one.
    pub(super) const fn new(at_once: usize) -> Self {
        Self { calls: Vec::new(), at_once }
    }

    /// Puts a call behind the others.
    pub(super) fn add(&mut self, safe: bool) {
        self.calls.push(Slot { safe, stage: Stage::Queued });
    }

    /// The calls that begin now, by number: where nothing runs, the next one, and beside safe ones, the safe ones behind
    /// them. One that has to wait holds up all behind it.
    pub(super) fn begin(&mut self) -> Vec<usize> {
        let mut begun = Vec::new();
        while let Some(next) = self.calls.iter().position(|call| call.stage == Stage::Queued) {
            let executing = || self.calls.iter().filter(|call| call.stage == Stage::Executing);
            let alone = executing().next().is_none();
            let beside = executing().count() < self.at_once && executing().all(|call| call.safe);
            match self.calls.get_mut(next) {
                Some(call) if alone || (call.safe && beside) => call.stage = Stage::Executing,
                _ => break,
            }
            begun.push(next);
        }
        begun
    }

    pub(super) fn complete(&mut self, number: usize) {
        if let Some(call) = self.calls.get_mut(number) {
            call.stage = Stage::Completed;
        }
    }

    /// The call whose result is handed on now: the first that was not, once it is completed.
    pub(super) fn yield_next(&mut self) -> Option<usize> {
        let next = self.calls.iter().position(|call| call.stage != Stage::Yielded)?;
        let call = self.calls.get_mut(next).filter(|call| call.stage == Stage::Completed)?;
        call.stage = Stage::Yielded;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waves in which calls run if each wave ends before the next begins. Small letters: safe calls.
    #[track_caller]
    fn check(calls: &str, at_once: usize, want: &[&str]) {
        let names: Vec<&str> = calls.split(' ').filter(|name| !name.is_empty()).collect();
        let mut schedule = Schedule::new(at_once);
        for name in &names {
            schedule.add(name.starts_with(char::is_lowercase));
        }
        let mut waves = Vec::new();
        loop {
            let begun = schedule.begin();
            if begun.is_empty() {
                break;
            }
            waves.push(begun.iter().map(|&number| names[number]).collect::<Vec<_>>().join(" "));
            for number in begun {
                schedule.complete(number);
            }
        }
        assert_eq!(waves, want);
    }

    #[test]
    fn only_neighbours_that_are_safe_run_together() {
        check("", 10, &[]);
        check("read read Edit read ls Rm", 10, &["read read", "Edit", "read ls", "Rm"]);
        check("Edit Edit", 10, &["Edit", "Edit"]);
        check("read Edit", 10, &["read", "Edit"]);
    }

    #[test]
    fn no_more_than_the_most_run_at_once() {
        check("a b c d e", 2, &["a b", "c d", "e"]);
        check("a b", 0, &["a", "b"]);
    }

    #[test]
    fn results_come_in_the_order_of_the_calls_and_free_places_are_filled() {
        let mut schedule = Schedule::new(2);
        for safe in [true, true, true, false, true] {
            schedule.add(safe);
        }
        assert_eq!(schedule.begin(), [0, 1]);
        schedule.complete(1);
        assert_eq!((schedule.yield_next(), schedule.begin()), (None, vec![2]));
        schedule.complete(0);
        let yielded = [schedule.yield_next(), schedule.yield_next(), schedule.yield_next()];
        assert_eq!(yielded, [Some(0), Some(1), None]);
        assert_eq!(
            schedule.begin(),
            [] as [usize; 0],
            "an unsafe call waits, and holds up the one behind it"
        );
        schedule.complete(2);
        assert_eq!((schedule.yield_next(), schedule.begin()), (Some(2), vec![3]));
        schedule.complete(3);
        assert_eq!(schedule.begin(), [4]);
    }
}
