//! What the configuration says of permissions; the room of that name knows what the rules mean.

use super::{Origin, Setting, Value};

/// Rules, as they are written, and what goes with them. Lists of all layers are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionSettings {
    pub allow: Vec<Setting<String>>,
    pub ask: Vec<Setting<String>>,
    pub deny: Vec<Setting<String>>,
    /// What could not be read and may have forbidden something, in words for the person.
    pub unread: Vec<String>,
    /// The mode that sessions begin in, one of the five names; `None`: as the settings of the ecosystem say.
    pub mode: Setting<Option<&'static str>>,
    /// Folders that count as if they were in the workspace.
    pub more_folders: Vec<Setting<String>>,
    /// Folders whose own settings may allow something.
    pub trusted_folders: Vec<Setting<String>>,
}

/// The permission modes.
pub(super) const MODES: [&str; 5] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"];

/// A list of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleList {
    Allow,
    Ask,
    Deny,
}

impl PermissionSettings {
    /// Joins more rules to a list. What can't be read is remembered if it may have forbidden something.
    pub(super) fn add(&mut self, list: RuleList, value: &Value, origin: &Origin) -> Result<(), String> {
        let (into, name) = match list {
            RuleList::Allow => (&mut self.allow, "allow"),
            RuleList::Ask => (&mut self.ask, "ask"),
            RuleList::Deny => (&mut self.deny, "deny"),
        };
        join(into, value, origin).inspect_err(|why| {
            if list != RuleList::Allow {
                self.unread.push(format!("`permissions.{name}` ({origin}): {why}."));
            }
        })
    }
}

/// Joins texts to a list. A single text is one of them, commas and all. Of a list that holds something else too, the texts
/// count, and the rest is an error.
pub(super) fn join(list: &mut Vec<Setting<String>>, value: &Value, origin: &Origin) -> Result<(), String> {
    let (texts, fault) = match value {
        Value::Text(text) => (vec![text.clone()], Ok(())),
        Value::Mixed(entries) => {
            let texts =
                entries.iter().filter_map(|entry| entry.text().ok().map(|text| text.trim().to_owned()));
            (texts.collect(), value.texts().map(drop))
        }
        value => (value.texts()?, Ok(())),
    };
    list.extend(texts.into_iter().map(|value| Setting { value, origin: origin.clone() }));
    fault
}

/// A mode by its name.
pub(super) fn mode(written: &str) -> Result<&'static str, String> {
    MODES
        .into_iter()
        .find(|mode| *mode == written)
        .ok_or_else(|| format!("{written:?} is none of {}", MODES.map(|mode| format!("{mode:?}")).join(", ")))
}

impl Default for PermissionSettings {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            unread: Vec::new(),
            mode: Setting { value: None, origin: Origin::Default },
            more_folders: Vec::new(),
            trusted_folders: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_and_a_broken_denial_is_remembered() {
        let mut settings = PermissionSettings::default();
        let origin = Origin::Editor;
        settings.add(RuleList::Deny, &Value::Text("Bash(a, b)".into()), &origin).unwrap();
        settings.add(RuleList::Deny, &Value::Texts(vec!["Read".into()]), &Origin::Default).unwrap();
        let denied: Vec<&str> = settings.deny.iter().map(|rule| rule.value.as_str()).collect();
        assert_eq!(denied, ["Bash(a, b)", "Read"]);
        assert!(settings.add(RuleList::Allow, &Value::Flag(true), &origin).is_err());
        assert_eq!(settings.unread, [] as [String; 0]);
        assert!(settings.add(RuleList::Deny, &Value::Flag(true), &origin).is_err());
        assert!(settings.unread[0].contains("`permissions.deny`"), "{:?}", settings.unread);
        let mixed =
            [Value::Text("Bash(ls)".into()), Value::Whole(7), Value::Flag(true), Value::Text("Edit".into())];
        let told = settings.add(RuleList::Allow, &Value::Mixed(mixed.into()), &origin);
        let want = "expected a list of texts, but entry 2 is 7, and entry 3 is true";
        assert_eq!(told, Err(want.to_owned()));
        let allowed: Vec<&str> = settings.allow.iter().map(|rule| rule.value.as_str()).collect();
        assert_eq!(allowed, ["Bash(ls)", "Edit"], "the others count");
    }
}
