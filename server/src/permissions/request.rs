//! The question put to a person, and the answers there are (ACP permission option kinds).

use serde_json::Value;

use super::{Access, Call, PermissionUpdate, Rule, TrustBy, in_sight, on_one_line, visible};
use crate::conversation::ToolUseId;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// Text for the model.
    Deny(String),
    Ask(Question),
}

/// What is put to the person about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// In the imperative: `Read /etc/hosts`.
    pub title: String,
    /// Why it is asked.
    pub explanation: String,
    /// What an "always" would add. Empty: only this one call can be allowed.
    pub rules: Vec<Rule>,
    /// Where an "always" could keep them for good.
    pub save: SaveTo,
    /// All that lets the call through where it is written before anybody is asked. Empty: none are offered.
    pub beforehand: Vec<Rule>,
}

impl Question {
    /// The rules that do as much as an "always" where they are written before anybody is asked this.
    pub(super) fn written_rules(&self) -> &[Rule] {
        match self.save {
            SaveTo::SessionAlone => &[],
            SaveTo::Session | SaveTo::Local | SaveTo::LocalOnceTrusted(_) => &self.rules,
        }
    }
}

/// Where a granted rule is kept at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveTo {
    /// It ends with the session.
    Session,
    /// The same, and only the person's answer is heard: no rule that is written beforehand does as much.
    SessionAlone,
    /// In `.claude/settings.local.json`.
    Local,
    /// There too, where it does not count before the person trusts the folder, in this way.
    LocalOnceTrusted(TrustBy),
}

impl SaveTo {
    /// What a folder makes of it that is trusted, or can be `by`.
    #[must_use]
    pub const fn in_folder(self, trusted: bool, by: TrustBy) -> Self {
        match self {
            Self::Local if !trusted => Self::LocalOnceTrusted(by),
            other => other,
        }
    }
}

/// A question that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    pub id: String,
    pub tool_use_id: ToolUseId,
    pub tool: String,
    pub title: String,
    pub explanation: String,
    /// The command line that would run, with what is hidden in it written out.
    pub command: Option<String>,
    /// As the model sent it: what an answer may change.
    pub input: Value,
    pub options: Vec<PermissionOption>,
    /// What lets such a call through where it is written beforehand.
    pub rules: Vec<Rule>,
    pub asks: Asks,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Whether a call may run.
    Leave,
    /// Which way to go; every answer is as safe as the others.
    Choice,
}

/// A call that was not let through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDenial {
    pub tool: String,
    pub tool_use_id: ToolUseId,
    /// As the model sent it.
    pub input: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionOption {
    /// `once`, `session`, `save`, `no`, `words`.
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

/// The option that keeps the rules for good.
pub const SAVE: &str = "save";

/// What the person said. Silence is no answer, and no answer is no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionAnswer {
    pub option_id: String,
    /// Told to the model with a denial.
    pub feedback: Option<String>,
    /// What is to run in the stead of what was asked about.
    pub updated_input: Option<Value>,
    /// A denial ends the whole task.
    pub interrupt: bool,
    pub by: AnsweredBy,
    /// Changed with leave to run, and before it runs.
    pub updates: Vec<PermissionUpdate>,
}

/// Whose word an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnsweredBy {
    #[default]
    Person,
    /// Nobody was there to be asked.
    Nobody,
}

impl PermissionAnswer {
    /// This option, and nothing more.
    pub fn of(option_id: impl Into<String>) -> Self {
        Self { option_id: option_id.into(), ..Self::default() }
    }
}

/// The question about one call. Its words hold no hidden character: what a person reads is what runs.
pub fn request(id: String, tool_use_id: ToolUseId, call: &Call, question: &Question) -> PermissionRequest {
    let option = |id: &str, kind, name: String| PermissionOption { id: id.to_owned(), kind, name };
    let untrusted = match question.save {
        SaveTo::LocalOnceTrusted(by) if !question.rules.is_empty() => untrusted(by),
        SaveTo::LocalOnceTrusted(_) | SaveTo::Local | SaveTo::Session | SaveTo::SessionAlone => String::new(),
    };
    let mut options = vec![option("once", PermissionOptionKind::AllowOnce, "Allow once".to_owned())];
    if !question.rules.is_empty() {
        let rules: Vec<String> = question.rules.iter().map(|rule| in_sight(&rule.to_string())).collect();
        options.push(option(
            "session",
            PermissionOptionKind::AllowAlways,
            format!("Allow {} in this session", rules.join(", ")),
        ));
        let saved = match question.save {
            SaveTo::Session | SaveTo::SessionAlone => None,
            SaveTo::Local => Some(format!("Always allow {}", rules.join(", "))),
            SaveTo::LocalOnceTrusted(_) => Some(format!(
                "Allow {} in this session, and always once you trust this folder",
                rules.join(", ")
            )),
        };
        options.extend(saved.map(|name| option(SAVE, PermissionOptionKind::AllowAlways, name)));
    }
    options.push(option("no", PermissionOptionKind::RejectOnce, "Deny".to_owned()));
    options.push(option(OWN_WORDS, PermissionOptionKind::RejectOnce, "Deny, and say why…".to_owned()));
    PermissionRequest {
        id,
        tool_use_id,
        tool: call.tool.clone(),
        title: in_sight(&question.title),
        explanation: in_sight(&format!("{}{untrusted}", question.explanation)),
        command: match &call.access {
            Access::Command { text, .. } => Some(in_sight(text)),
            _ => None,
        },
        input: call.input.clone(),
        options,
        rules: question.beforehand.clone(),
        asks: Asks::Leave,
    }
}

/// What a person has to know who would save a rule in a folder that they do not trust.
fn untrusted(by: TrustBy) -> String {
    format!("{SAVED_HERE} ({}); until then it holds for this session.", by.word())
}

const SAVED_HERE: &str = " A rule that is saved in this folder counts only once you trust the folder";

/// A request's explanation where nobody is there to save a rule.
pub fn explained_to_nobody(explanation: &str) -> &str {
    explanation.split_once(SAVED_HERE).map_or(explanation, |(why, _)| why)
}

/// Why a call did not run that nobody was there to allow, and what would have let it through: for the model, which tells
/// the person. `explanation` is a request's.
pub fn unasked(explanation: &str, rules: &[Rule]) -> String {
    let (explanation, way) = (explained_to_nobody(explanation), way_in(rules));
    format!("Nobody is here to be asked, so the call was not run. {explanation} {way}")
}

/// What would let a call through that nobody is asked about.
pub(super) fn way_in(rules: &[Rule]) -> String {
    if rules.is_empty() {
        return "No rule is offered that allows it beforehand: a person who is there is asked.".to_owned();
    }
    format!(
        "`{}` lets it through in the next run, as the same under `permissions.allow` in the settings does.",
        visible(&allow_flags(rules.iter().map(ToString::to_string)))
    )
}

/// Rules as a shell takes them on the command line.
pub fn allow_flags(rules: impl IntoIterator<Item = String>) -> String {
    let flag = |rule: String| format!("--allow '{}'", rule.replace('\'', r"'\''"));
    rules.into_iter().map(flag).collect::<Vec<_>>().join(" ")
}

/// The option that asks the person for words: a choice that none of the answers is, or the reason of a denial.
pub const OWN_WORDS: &str = "words";

/// A question of a tool's own, of title and explanation, with its options in order, then the person's own words, and `decline` last.
pub fn choice_request(
    id: String,
    tool_use_id: ToolUseId,
    tool: &str,
    [title, explanation]: [&str; 2],
    options: &[String],
    decline: &str,
) -> PermissionRequest {
    let mut all: Vec<PermissionOption> = (1..)
        .zip(options)
        .map(|(number, name)| PermissionOption {
            id: format!("choice-{number}"),
            kind: PermissionOptionKind::AllowOnce,
            name: visible(name),
        })
        .collect();
    let option = |id: &str, kind, name| PermissionOption { id: id.to_owned(), kind, name };
    all.push(option(OWN_WORDS, PermissionOptionKind::AllowOnce, "In my own words…".to_owned()));
    all.push(option("no", PermissionOptionKind::RejectOnce, visible(decline)));
    PermissionRequest {
        id,
        tool_use_id,
        tool: tool.to_owned(),
        title: in_sight(title),
        explanation: on_one_line(explanation),
        options: all,
        rules: Vec::new(),
        command: None,
        input: Value::Null,
        asks: Asks::Choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_not_asked_is_told_the_flags_that_would_have_helped() {
        let rule = |written: &str| Rule::parse(written).unwrap();
        assert_eq!(
            unasked("It writes.", &[rule("Bash(echo 'a':*)"), rule("Edit")]),
            "Nobody is here to be asked, so the call was not run. It writes. `--allow 'Bash(echo '\\''a'\\'':*)' --allow \
             'Edit'` lets it through in the next run, as the same under `permissions.allow` in the settings does."
        );
        let without = unasked("A rule says to ask.", &[]);
        assert!(
            without
                .ends_with("No rule is offered that allows it beforehand: a person who is there is asked."),
            "{without}"
        );
    }

    #[test]
    fn in_a_folder_that_is_not_trusted_it_is_said_how_long_a_rule_holds() {
        let call = Call {
            tool: "Bash".into(),
            aliases: &[],
            title: String::new(),
            input: Value::Null,
            access: Access::Unknown,
            is_read_only: false,
        };
        let asked = |trusted, by| {
            let rules = vec![Rule { tool: "Bash".into(), spec: Some("npm test:*".into()) }];
            let save = SaveTo::Local.in_folder(trusted, by);
            let question = Question {
                title: "Run".into(),
                explanation: "Why.".into(),
                rules,
                save,
                beforehand: Vec::new(),
            };
            let request = request("p".into(), ToolUseId("t".into()), &call, &question);
            let saved = request.options.iter().find(|option| option.id == SAVE).unwrap().name.clone();
            (saved, request.explanation)
        };
        assert_eq!(
            asked(true, TrustBy::Command),
            ("Always allow Bash(npm test:*)".to_owned(), "Why.".to_owned())
        );
        let (saved, explanation) = asked(false, TrustBy::Command);
        assert_eq!(saved, "Allow Bash(npm test:*) in this session, and always once you trust this folder");
        assert!(
            explanation.contains("counts only once you trust the folder (`copydesk.trust`)"),
            "{explanation}"
        );
        let (_, explanation) = asked(false, TrustBy::Flag);
        assert!(
            explanation.contains("once you trust the folder (`--trust`)"),
            "at a terminal: {explanation}"
        );
    }

    #[test]
    fn a_question_names_the_rule_and_shows_hidden_characters() {
        let call = Call {
            tool: "Read".into(),
            aliases: &[],
            title: String::new(),
            input: Value::Null,
            access: Access::Unknown,
            is_read_only: true,
        };
        let question = Question {
            title: "Read /tmp/a\u{202e}b".into(),
            explanation: "It lies outside the workspace.".into(),
            rules: vec![Rule { tool: "Read".into(), spec: Some("//tmp/a\u{202e}b".into()) }],
            save: SaveTo::Session,
            beforehand: Vec::new(),
        };
        let asked = request("p_1".into(), ToolUseId("toolu_1".into()), &call, &question);
        assert_eq!(asked.title, "Read /tmp/a\\u{202e}b");
        let names: Vec<(&str, &str)> =
            asked.options.iter().map(|o| (o.id.as_str(), o.name.as_str())).collect();
        assert_eq!(
            names,
            [
                ("once", "Allow once"),
                ("session", "Allow Read(//tmp/a\\u{202e}b) in this session"),
                ("no", "Deny"),
                ("words", "Deny, and say why…")
            ]
        );
    }
}
