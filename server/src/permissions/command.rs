//! What a command line would do, as far as its text says, and which rules speak of its parts.

mod assessment;

pub use assessment::{Assessment, Part, PathWord, Side};

use crate::documents::AbsPath;

/// What `text`, run in `cwd`, would do. Whatever can't be told from the text ends in [`Assessment::ask`].
pub fn assess(text: &str, cwd: &AbsPath) -> Assessment {
    let _ = cwd;
    Assessment {
        parts: Vec::new(),
        ask: Some(format!("The command line could not be read: {text}")),
        read_only: false,
        reads: Vec::new(),
        edits: Vec::new(),
        suggestions: Vec::new(),
    }
}

/// Whether the `spec` of a rule `Bash(spec)` speaks of `part`: the same command, `npm run test:*` or `npm run test *` and
/// whatever follows, or a `*` anywhere for any text.
///
/// An allow has to fit what runs exactly; a deny or ask rule also fits what a wrapper or an assignment stands before.
pub fn spec_matches(spec: &str, part: &Part, side: Side) -> bool {
    let _ = (spec, part, side);
    false
}
