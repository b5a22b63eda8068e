//! What a call would touch, as its tool says before it runs: what the rules are matched against.

use serde_json::Value;

use crate::documents::{AbsPath, Place};

/// The reach of one call. Said by the tool for any valid input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing outside the conversation.
    Nothing,
    /// The text of these files, or of what lies in these folders.
    Read(Vec<Place>),
    /// These files, which it also reads.
    Edit(Vec<Place>),
    /// Whatever a line of shell does.
    Command {
        text: String,
        cwd: AbsPath,
        /// It runs outside the sandbox.
        unsandboxed: bool,
        /// It can get at the files themselves: there is no trial tree, or no wall around it.
        direct: bool,
    },
    /// One address on the network.
    Fetch { url: String },
    /// A search on the network.
    Search,
    /// The tool asks the person itself.
    Person,
    /// Only the name of the tool tells: it is asked about unless a rule says otherwise.
    Unknown,
}

/// One call, as the rules see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub tool: String,
    /// Older names of the tool, which rules may still use.
    pub aliases: &'static [&'static str],
    /// What a person reads of it: `Read src/a.rs`.
    pub title: String,
    pub input: Value,
    pub access: Access,
    pub is_read_only: bool,
}

impl Call {
    /// A rule for `name` is one for this tool.
    pub fn is_named(&self, name: &str) -> bool {
        self.tool == name || self.aliases.contains(&name)
    }
}
