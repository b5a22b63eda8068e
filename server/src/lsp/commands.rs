//! Every command of `workspace/executeCommand`: its id, what a person may write behind it, and what it asks for.

mod written;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types;

use crate::documents::AbsPath;
use crate::review::{HunkId, HunkRef, Take};

/// What a command asks for. Code actions, lenses and hints carry it as the one argument of `copydesk._do`.
///
/// Lines are zero-based and half-open, of the buffer as the editor has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Start a task. Without a text the person is asked for one: an input box, else the chat file.
    Ask {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// What the editor complained about there: `line: message`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<String>,
    },
    /// Send the agent back to one hunk. Without a text the person is asked for one.
    AskForChange {
        hunk: HunkName,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    Accept {
        what: What,
    },
    Reject {
        what: What,
        /// Told to the agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Settle a conflict.
    Resolve {
        hunk: HunkName,
        #[serde(with = "take")]
        take: Take,
    },
    /// Take accepts back: what a decision about many files had done when one of them failed.
    TakeBack {
        files: Vec<AcceptedFile>,
    },
    /// The editor has just applied the edit that accepts these hunks: watch for its echo.
    Claimed {
        hunks: Vec<HunkName>,
        /// Where they stood: the next hunk is looked for from there.
        place: Place,
    },
    /// Open the review as a `.diff` file, at this place of it.
    ShowDiff {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
    },
    /// From a line of a review file to the line of the source, or from anywhere to the next change.
    GoTo {
        place: Place,
    },
    OpenChat,
    /// Send what stands under the last `## You` of the chat file.
    Send,
    /// Without a task: all that run.
    Cancel {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<String>,
    },
    /// Answer a permission question; without its id, the oldest open one.
    Answer {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        option: String,
    },
    /// How much is asked: of the newest session.
    SetMode {
        mode: String,
    },
    /// Let the settings of the workspace allow something, from now on or no longer.
    Trust {
        trusted: bool,
    },
}

/// Lines of a file; an empty stretch is a bare cursor in line `start`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    #[serde(with = "path")]
    pub path: AbsPath,
    pub start: u32,
    pub end: u32,
}

/// Hunks of a file that were accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFile {
    #[serde(with = "path")]
    pub path: AbsPath,
    pub hunks: Vec<String>,
}

/// What a decision is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum What {
    Hunk(HunkName),
    /// The hunk that is shown on the first of these lines.
    At(Place),
    #[serde(with = "path")]
    File(AbsPath),
    Offer(Offer),
    Whole(Whole),
    All,
}

/// What a session proposes of a file beside its hunks, as it was when the action was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    #[serde(with = "path")]
    pub path: AbsPath,
    pub session: String,
    pub revision: u32,
}

/// All that a session offers for a file, as it was when the action was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    #[serde(with = "path")]
    pub path: AbsPath,
    pub session: String,
    pub offer: u32,
}

/// A `HunkRef` as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkName {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

/// Why a command is not understood: for the person, with the form that would be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadCommand(pub String);

/// The ids under which this client knows the commands.
///
/// VS Code registers every announced id in one table for all extensions, so its client chooses a prefix of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandIds {
    prefix: String,
}

impl Default for CommandIds {
    fn default() -> Self {
        Self { prefix: "copydesk".to_owned() }
    }
}

impl CommandIds {
    /// `prefix` without the dot behind it; an empty one is the default.
    pub fn new(prefix: &str) -> Self {
        let prefix = prefix.trim_end_matches('.');
        if prefix.is_empty() { Self::default() } else { Self { prefix: prefix.to_owned() } }
    }

    /// Every id, for `executeCommandProvider`. Some editors show this list to people.
    pub fn all(&self) -> Vec<String> {
        Verb::ALL.iter().map(|verb| self.id(*verb)).collect()
    }

    /// The id of a command that a person may call without arguments.
    pub fn id(&self, verb: Verb) -> String {
        format!("{}.{}", self.prefix, verb.name())
    }

    /// `command` as an LSP command under `title`.
    pub fn make(&self, title: impl Into<String>, command: &Command) -> ls_types::Command {
        ls_types::Command {
            title: title.into(),
            command: self.id(Verb::Do),
            arguments: serde_json::to_value(command).ok().map(|argument| vec![argument]),
        }
    }

    /// What `id` with `arguments` asks for. `resolve` makes an absolute path of what a person wrote.
    pub fn parse(
        &self,
        id: &str,
        arguments: &[Value],
        resolve: impl Fn(&str) -> Option<AbsPath>,
    ) -> Result<Command, BadCommand> {
        let verb = id
            .strip_prefix(&self.prefix)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(Verb::from_name)
            .ok_or_else(|| {
                BadCommand(format!("Copydesk has no command `{id}`. There are: {}", self.all().join(", ")))
            })?;
        match verb {
            Verb::Do => carried(arguments),
            written => written::parse(written, &self.id(written), arguments, resolve),
        }
    }
}

/// The commands a person may call, and the internal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Ask,
    Accept,
    Reject,
    AcceptAll,
    RejectAll,
    ShowDiff,
    OpenChat,
    Send,
    Cancel,
    Answer,
    SetMode,
    Trust,
    Distrust,
    Do,
}

impl Verb {
    const ALL: [Self; 14] = [
        Self::Ask,
        Self::Accept,
        Self::Reject,
        Self::AcceptAll,
        Self::RejectAll,
        Self::ShowDiff,
        Self::OpenChat,
        Self::Send,
        Self::Cancel,
        Self::Answer,
        Self::SetMode,
        Self::Trust,
        Self::Distrust,
        Self::Do,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::AcceptAll => "accept-all",
            Self::RejectAll => "reject-all",
            Self::ShowDiff => "show-diff",
            Self::OpenChat => "open-chat",
            Self::Send => "send",
            Self::Cancel => "cancel",
            Self::Answer => "answer",
            Self::SetMode => "set-mode",
            Self::Trust => "trust",
            Self::Distrust => "distrust",
            Self::Do => "_do",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.name() == name)
    }
}

impl From<HunkName> for HunkRef {
    fn from(name: HunkName) -> Self {
        Self { id: HunkId(name.id), revision: name.revision }
    }
}

impl From<HunkRef> for HunkName {
    fn from(hunk: HunkRef) -> Self {
        Self { id: hunk.id.0, revision: hunk.revision }
    }
}

/// The argument of `copydesk._do`.
fn carried(arguments: &[Value]) -> Result<Command, BadCommand> {
    let [argument] = arguments else {
        return Err(BadCommand("`_do` is for Copydesk's own code actions: choose one of those".to_owned()));
    };
    Command::deserialize(argument)
        .map_err(|error| BadCommand(format!("This action can't be read any more: {error}")))
}

/// An absolute path on the wire.
mod path {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::documents::AbsPath;

    pub(super) fn serialize<S: Serializer>(path: &AbsPath, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(path.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AbsPath, D::Error> {
        let path = String::deserialize(deserializer)?;
        AbsPath::new(&path).ok_or_else(|| D::Error::custom(format!("`{path}` is no absolute path")))
    }
}

/// `Take` on the wire.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it serializes by reference")]
mod take {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::review::Take;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", remote = "Take")]
    enum Wire {
        Mine,
        Agents,
        Redo,
    }

    pub(super) fn serialize<S: Serializer>(take: &Take, serializer: S) -> Result<S::Ok, S::Error> {
        Wire::serialize(take, serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Take, D::Error> {
        Wire::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests;
