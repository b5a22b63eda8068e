//! The question put to a person, and the answers there are (ACP permission option kinds).

use super::visible;
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

/// The question about one call. Its words hold no hidden character: what a person reads is what runs.
///
/// A saved "always" is offered only once saving a rule to the configuration works, so there is no such option here yet.
pub fn question(
    id: String,
    tool_use_id: ToolUseId,
    tool: &str,
    title: &str,
    explanation: &str,
    rule: &str,
) -> PermissionRequest {
    let option = |id: &str, kind, name: String| PermissionOption { id: id.to_owned(), kind, name };
    PermissionRequest {
        id,
        tool_use_id,
        tool: tool.to_owned(),
        title: visible(title),
        explanation: visible(explanation),
        options: vec![
            option("once", PermissionOptionKind::AllowOnce, "Allow once".to_owned()),
            option(
                "session",
                PermissionOptionKind::AllowAlways,
                format!("Allow {} in this session", visible(rule)),
            ),
            option("no", PermissionOptionKind::RejectOnce, "Deny".to_owned()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_rule_and_shows_hidden_characters() {
        let asked = question(
            "p_1".into(),
            ToolUseId("toolu_1".into()),
            "Read",
            "Read /tmp/a\u{202e}b",
            "It lies outside the workspace.",
            "Read(//tmp/a\u{202e}b)",
        );
        assert_eq!(asked.title, "Read /tmp/a\\u{202e}b");
        let names: Vec<(&str, &str)> =
            asked.options.iter().map(|o| (o.id.as_str(), o.name.as_str())).collect();
        assert_eq!(
            names,
            [
                ("once", "Allow once"),
                ("session", "Allow Read(//tmp/a\\u{202e}b) in this session"),
                ("no", "Deny")
            ]
        );
    }
}
