//! Three-way merge of lines.

use crate::documents::Text;

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
pub fn three_way(_seen: &Text, _now: &Text, _new: &str) -> Result<String, Vec<TextConflict>> {
    todo!()
}
