//! Programs that run the command behind them as it is: what is judged is that command.

use crate::permissions::read_only::options::{self, Row, Unknown};
use crate::shell::command::{SimpleCommand, Word};

/// What may stand between the wrapper and the command.
struct Wrapper {
    name: &'static str,
    options: Row,
    /// How many words follow the options, such as a time.
    operands: usize,
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        options: "-k: -s: -v --kill-after= --signal= --foreground --preserve-status --verbose",
        operands: 1,
    },
    Wrapper { name: "time", options: "-p", operands: 0 },
    Wrapper { name: "nice", options: "-NUM -n: --adjustment=", operands: 0 },
    Wrapper { name: "nohup", options: "", operands: 0 },
    Wrapper { name: "stdbuf", options: "-i: -o: -e: --input= --output= --error=", operands: 0 },
    Wrapper { name: "command", options: "", operands: 0 },
    Wrapper { name: "builtin", options: "", operands: 0 },
    Wrapper { name: "noglob", options: "", operands: 0 },
    // Only bare: its options can make it run something else than what stands behind it.
    Wrapper { name: "xargs", options: "", operands: 0 },
];

/// `command` without the wrappers in front. Behind `xargs` a word follows that is only known when it runs.
pub(super) fn stripped(command: &SimpleCommand) -> SimpleCommand {
    let mut words = command.words.clone();
    while let Some((wrapper, inner)) = unwrapped(&words) {
        words = inner;
        if wrapper == "xargs" {
            words.push(Word::unknown());
        }
    }
    SimpleCommand { words, ..command.clone() }
}

/// The wrapper in front of `words`, and the command behind it.
fn unwrapped(words: &[Word]) -> Option<(&'static str, Vec<Word>)> {
    let (first, left) = words.split_first()?;
    let wrapper = WRAPPERS.iter().find(|wrapper| first.literal.as_deref() == Some(wrapper.name))?;
    // A command begins where the options end, so the shortest beginning that reads as options and operands counts.
    (0..left.len()).find_map(|length| {
        let (front, inner) = left.split_at_checked(length)?;
        let begins =
            inner.first().is_some_and(|word| !word.starts_with.starts_with('-') && !word.source.is_empty());
        let given = options::read(front, &[wrapper.options], Unknown::Refused)?;
        let all_known = front.iter().all(|word| word.literal.is_some());
        (begins && all_known && given.operands.len() == wrapper.operands)
            .then(|| (wrapper.name, inner.to_vec()))
    })
}
