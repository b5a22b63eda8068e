//! What the editor's own language servers know, as the core reads it. Positions count as negotiated.

use super::Range;

/// What is looked up of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    Definition,
    References,
}

/// Where a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The version of the asked document that the answer belongs to; `None`: the editor does not know.
    pub version: Option<i32>,
    pub places: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub uri: String,
    pub range: Range,
}

/// What is shown of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverText {
    pub version: Option<i32>,
    /// Markdown; `None`: there is nothing to show.
    pub text: Option<String>,
}
