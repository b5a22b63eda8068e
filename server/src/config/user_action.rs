//! The user's own entries in the menu of code actions: `[[actions]]` with a title and what is asked of the agent.

use super::Value;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAction {
    /// As the menu shows it.
    pub title: String,
    /// What the agent is asked.
    pub prompt: String,
    pub scope: ActionScope,
}

/// What the agent is shown beside the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActionScope {
    /// The selected lines, or the line of the cursor.
    #[default]
    Selection,
    File,
}

/// Reads the list; an error says which entry and what was expected.
pub(super) fn read(value: &Value) -> Result<Vec<UserAction>, String> {
    let tables = value.tables()?;
    let mut actions = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        actions.push(action(table).map_err(|why| format!("entry {}: {why}", index + 1))?);
    }
    Ok(actions)
}

/// As `config.toml` would have it.
pub(super) fn shown(actions: &[UserAction]) -> String {
    let quoted = |text: &str| toml_edit::Value::from(text).to_string();
    let entry = |action: &UserAction| {
        let scope = match action.scope {
            ActionScope::Selection => "",
            ActionScope::File => ", scope = \"file\"",
        };
        format!("{{ title = {}, prompt = {}{scope} }}", quoted(&action.title), quoted(&action.prompt))
    };
    format!("[{}]", actions.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn action(table: &[(String, Value)]) -> Result<UserAction, String> {
    let (mut title, mut prompt, mut scope) = (None, None, ActionScope::default());
    for (name, value) in table {
        let text = value.text().map(str::trim).map_err(|why| format!("`{name}`: {why}"))?;
        match name.as_str() {
            "title" => title = Some(text.to_owned()),
            "prompt" => prompt = Some(text.to_owned()),
            "scope" => {
                scope = match text {
                    "selection" => ActionScope::Selection,
                    "file" => ActionScope::File,
                    other => {
                        return Err(format!("`scope`: expected \"selection\" or \"file\", got {other:?}"));
                    }
                }
            }
            other => return Err(format!("an action has `title`, `prompt` and `scope`, but no `{other}`")),
        }
    }
    let filled = |text: Option<String>, name: &str| {
        text.filter(|text| !text.is_empty()).ok_or_else(|| format!("`{name}` is missing"))
    };
    Ok(UserAction { title: filled(title, "title")?, prompt: filled(prompt, "prompt")?, scope })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(&str, &str)]) -> Vec<(String, Value)> {
        entries.iter().map(|(name, text)| ((*name).to_owned(), Value::Text((*text).to_owned()))).collect()
    }

    #[track_caller]
    fn check(tables: &[&[(&str, &str)]], wanted: Result<&str, &str>) {
        let value = Value::Tables(tables.iter().map(|entries| table(entries)).collect());
        let read = read(&value).map(|actions| shown(&actions));
        assert_eq!(read, wanted.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn an_action_has_a_title_and_a_prompt_and_may_be_about_the_file() {
        check(
            &[
                &[("title", "Tidy up"), ("prompt", "Make it \"short\".")],
                &[("prompt", "p"), ("scope", "file"), ("title", "t")],
            ],
            Ok(
                r#"[{ title = "Tidy up", prompt = 'Make it "short".' }, { title = "t", prompt = "p", scope = "file" }]"#,
            ),
        );
        check(&[], Ok("[]"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_entry() {
        check(&[&[("title", "t")]], Err("entry 1: `prompt` is missing"));
        check(
            &[&[("title", "t"), ("prompt", "p")], &[("title", "t"), ("prompt", "p"), ("scope", "all")]],
            Err("entry 2: `scope`: expected \"selection\" or \"file\", got \"all\""),
        );
        check(
            &[&[("name", "t")]],
            Err("entry 1: an action has `title`, `prompt` and `scope`, but no `name`"),
        );
    }
}
