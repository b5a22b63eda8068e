//! Which calls of one answer run side by side: neighbours that are safe together, ten at most, each other call by itself.

/// Calls that run at the same time; their results still come in the order of the calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batch<C> {
    pub(super) calls: Vec<C>,
    safe: bool,
}

/// The most calls at once.
pub(super) const AT_ONCE: usize = 10;

/// Each longest run of safe calls is one batch, each unsafe call is its own.
pub(super) fn partition<C>(calls: Vec<C>, is_safe: impl Fn(&C) -> bool) -> Vec<Batch<C>> {
    let mut batches: Vec<Batch<C>> = Vec::new();
    for call in calls {
        let safe = is_safe(&call);
        match batches.last_mut() {
            Some(batch) if batch.safe && safe => batch.calls.push(call),
            _ => batches.push(Batch { calls: vec![call], safe }),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(calls: &str, want: &[&str]) {
        let calls = calls.split(' ').filter(|call| !call.is_empty()).collect();
        let batches = partition(calls, |call| call.starts_with(char::is_lowercase));
        let got: Vec<String> = batches.into_iter().map(|batch| batch.calls.join(" ")).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn only_neighbours_that_are_safe_run_together() {
        check("", &[]);
        check("read read Edit read ls Rm", &["read read", "Edit", "read ls", "Rm"]);
        check("Edit Edit", &["Edit", "Edit"]);
        check("read Edit", &["read", "Edit"]);
    }
}
