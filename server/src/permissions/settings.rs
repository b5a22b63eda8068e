//! What a `settings.json` says of permissions. What can't be read is told, and the rest of it counts.

use serde_json::Value;

use super::behavior::{Behavior, Source};
use super::matching::misspelt;
use super::policy::SettledRule;
use super::{PermissionMode, Rule, Starts};

/// One place that rules are written in.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) rules: Vec<SettledRule>,
    /// What can't be read, in words for the person.
    pub(super) problems: Vec<String>,
    /// Those of the problems that may hide a denial.
    pub(super) unread_denials: Vec<String>,
    pub(super) mode: Option<PermissionMode>,
    pub(super) more_folders: Vec<String>,
    /// Permissions must not be bypassed.
    pub(super) forbids_bypass: bool,
}

/// Reads the text of `origin`.
pub(super) fn read(text: &str, source: Source, origin: &str, starts: &Starts) -> Said {
    let mut said = Said::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return said;
    }
    let settings: Value = match serde_json::from_str(text) {
        Ok(settings) => settings,
        Err(error) => {
            said.unread(format!("{origin} is no JSON, so nothing of it counts: {error}."));
            return said;
        }
    };
    let Some(permissions) = settings.get("permissions") else {
        if !settings.is_object() {
            said.unread(format!("{origin} holds no object, so nothing of it counts."));
        }
        return said;
    };
    if !permissions.is_object() {
        said.unread(format!("`permissions` in {origin} is no object, so nothing of it counts."));
        return said;
    }
    for (name, behavior) in [("deny", Behavior::Deny), ("ask", Behavior::Ask), ("allow", Behavior::Allow)] {
        match permissions.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(rules)) => {
                for rule in rules {
                    match rule.as_str() {
                        Some(written) => said.rule(written, behavior, source, origin, starts),
                        None => said
                            .wrong(behavior, format!("`permissions.{name}` in {origin}: {rule} is no text.")),
                    }
                }
            }
            Some(_) => said.wrong(behavior, format!("`permissions.{name}` in {origin} is no list.")),
        }
    }
    match permissions.get("defaultMode") {
        None | Some(Value::Null) => {}
        Some(mode) => match mode.as_str().and_then(PermissionMode::named) {
            Some(mode) => said.mode = Some(mode),
            None => said.problems.push(format!(
                "`permissions.defaultMode` in {origin} is {mode}, which is none of {}.",
                PermissionMode::ALL.map(PermissionMode::name).join(", ")
            )),
        },
    }
    match permissions.get("additionalDirectories") {
        None | Some(Value::Null) => {}
        Some(Value::Array(folders)) if folders.iter().all(Value::is_string) => {
            said.more_folders =
                folders.iter().filter_map(|folder| folder.as_str().map(str::to_owned)).collect();
        }
        Some(_) => {
            said.problems
                .push(format!("`permissions.additionalDirectories` in {origin} is no list of folders."));
        }
    }
    said.forbids_bypass = permissions
        .get("disableBypassPermissionsMode")
        .is_some_and(|value| value == "disable" || value == true);
    said
}

impl Said {
    /// Takes a rule in, or says why it can't be.
    pub(super) fn rule(
        &mut self,
        written: &str,
        behavior: Behavior,
        source: Source,
        origin: &str,
        starts: &Starts,
    ) {
        let settled =
            Rule::parse(written).and_then(|rule| SettledRule::new(behavior, rule, source, origin, starts));
        match settled {
            Ok(settled) => {
                let slip = misspelt(&settled.rule.tool);
                self.problems.extend(slip.map(|why| format!("{origin}: `{}`: {why}", settled.rule)));
                self.rules.push(settled);
            }
            Err(why) => self.wrong(behavior, format!("{origin}: {why}")),
        }
    }

    /// Nothing is lost but what it would have allowed, unless it was to forbid something.
    fn wrong(&mut self, behavior: Behavior, problem: String) {
        match behavior {
            Behavior::Allow => self.problems.push(problem),
            Behavior::Deny | Behavior::Ask => self.unread(problem),
        }
    }

    pub(super) fn unread(&mut self, problem: String) {
        self.unread_denials.push(problem.clone());
        self.problems.push(problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::{AbsPath, PathCase};

    fn said(text: &str) -> Said {
        let root = AbsPath::new("/w").unwrap();
        let starts = Starts { settings: root.clone(), cwd: root, home: None, case: PathCase::Sensitive };
        read(text, Source::User, "settings.json", &starts)
    }

    #[track_caller]
    fn check(text: &str, rules: &[&str], problems: &[&str], unread: usize) {
        let said = said(text);
        let settled: Vec<String> =
            said.rules.iter().map(|settled| format!("{:?} {}", settled.behavior, settled.rule)).collect();
        assert_eq!(settled, rules);
        assert_eq!(said.problems.len(), problems.len(), "{:?}", said.problems);
        for (told, want) in said.problems.iter().zip(problems) {
            assert!(told.contains(want) && told.contains("settings.json"), "{told}");
        }
        assert_eq!(said.unread_denials.len(), unread, "{:?}", said.unread_denials);
    }

    #[test]
    fn lists_of_rules_are_read_and_other_settings_left_alone() {
        check(
            r#"{"permissions": {"allow": ["Read(src/**)"], "deny": ["Bash(rm:*)"], "ask": ["WebSearch"]}, "model": "x"}"#,
            &["Deny Bash(rm:*)", "Ask WebSearch", "Allow Read(src/**)"],
            &[],
            0,
        );
        check("", &[], &[], 0);
        check("{}", &[], &[], 0);
        check("\u{feff}{\"permissions\": {}}", &[], &[], 0);
    }

    #[test]
    fn a_wrong_rule_is_told_and_the_rest_counts() {
        check(
            r#"{"permissions": {"allow": ["Bash(ls", "Bash(ls:*)", 7]}}"#,
            &["Allow Bash(ls:*)"],
            &["is no rule", "7 is no text"],
            0,
        );
    }

    #[test]
    fn a_slip_in_a_name_is_told_and_tools_of_other_programs_are_left_alone() {
        check(
            r#"{"permissions": {"allow": ["Bsh", "Bsh(ls:*)", "Deploy", "Skill", "mcp__Bsh"], "deny": ["Reed"]}}"#,
            &["Deny Reed", "Allow Bsh", "Allow Deploy", "Allow Skill", "Allow mcp__Bsh"],
            &["did you mean `Read`?", "did you mean `Bash`?", "did you mean `Bash`?"],
            0,
        );
    }

    #[test]
    fn what_may_have_forbidden_something_is_remembered() {
        check(r#"{"permissions": {"deny": ["Bash(rm"]}}"#, &[], &["is no rule"], 1);
        check(r#"{"permissions": {"deny": "Bash(rm:*)"}}"#, &[], &["is no list"], 1);
        check(r#"{"permissions": {"ask": [null]}}"#, &[], &["is no text"], 1);
        check(r#"{"permissions": []}"#, &[], &["is no object"], 1);
        check("[]", &[], &["holds no object"], 1);
        check("{\n  \"permissions\": {,\n", &[], &["line 2"], 1);
    }

    #[test]
    fn modes_and_folders() {
        let read = said(
            r#"{"permissions": {"defaultMode": "plan", "additionalDirectories": ["../lib"],
                "disableBypassPermissionsMode": "disable"}}"#,
        );
        assert_eq!((read.mode, read.forbids_bypass), (Some(PermissionMode::Plan), true));
        assert_eq!(read.more_folders, ["../lib"]);
        check(r#"{"permissions": {"defaultMode": "auto"}}"#, &[], &["none of default, acceptEdits"], 0);
    }
}
