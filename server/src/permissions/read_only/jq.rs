//! `jq`: it has no way to write, but filters that read the environment or other files.

use super::options::{self, Unknown};
use crate::shell::command::Word;

const OPTIONS: &str = "-n -r -j -a -s -c -C -M -S -e -R --null-input --raw-output --raw-output0 --join-output \
    --ascii-output --slurp --compact-output --color-output --monochrome-output --sort-keys --exit-status --raw-input \
    --tab --indent= --unbuffered --stream --seq --version";

pub(super) fn reads(arguments: &[Word]) -> Option<Vec<Word>> {
    let mut given = options::read(arguments, &[OPTIONS], Unknown::Refused)?;
    if given.operands.is_empty() {
        return None;
    }
    let filter = given.operands.remove(0).literal?;
    let words = filter.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    // A filter can name a variable of the environment, and modules by any path.
    let reads_elsewhere = words.into_iter().any(|word| {
        matches!(
            word,
            "env" | "ENV" | "import" | "include" | "input_filename" | "get_search_list" | "modulemeta"
        )
    });
    (!reads_elsewhere).then_some(given.operands)
}
