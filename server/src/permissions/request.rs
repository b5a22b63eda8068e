//! The question put to a person, and the answers there are (ACP permission option kinds).

use crate::conversation::ToolUseId;

/// What a tool says of its own call before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// Text for the model.
    Deny(String),
    /// Put to the person: `title` in the imperative ("Read /etc/hosts"), `explanation` says why it is asked, `rule` what
    /// an "always" would save, such as `Read(//etc/hosts)`.
    Ask {
        title: String,
        explanation: String,
        rule: String,
    },
}

/// A question that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    pub id: String,
    pub tool_use_id: ToolUseId,
    pub tool: String,
    pub title: String,
    pub explanation: String,
    pub options: Vec<PermissionOption>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionOption {
    /// `once`, `session`, `save`, `no`.
    pub id: String,
    pub kind: PermissionOptionKind,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionOptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

/// What the person said. Silence is no answer, and no answer is no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionAnswer {
    pub option_id: String,
    /// Told to the model with a denial.
    pub feedback: Option<String>,
}
