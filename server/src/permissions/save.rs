//! Adding a rule to a `settings.json`, as somebody would who edits it by hand: the rest stays as it was.

use std::ops::Range;

use serde_json::Value;

/// `text` with `rules` in this list of `permissions`; those that stand there already are not written again. An error says
/// why the file can't take them.
pub(super) fn with_rules(text: &str, list: &str, rules: &[String]) -> Result<String, String> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    for rule in rules {
        text = with_one(&text, list, rule)?;
    }
    Ok(text)
}

fn with_one(text: &str, list: &str, rule: &str) -> Result<String, String> {
    let settings: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is no JSON: {error}"))?;
    let permissions = settings.get("permissions");
    let written = permissions.and_then(|permissions| permissions.get(list));
    if written.and_then(Value::as_array).is_some_and(|rules| rules.iter().any(|known| known == rule)) {
        return Ok(text.to_owned());
    }
    let kind = |what: &str| format!("`{what}` in it is not what it should be");
    if !settings.is_object() {
        return Err("it holds no object".to_owned());
    }
    if permissions.is_some_and(|permissions| !permissions.is_object()) {
        return Err(kind("permissions"));
    }
    if written.is_some_and(|allow| !allow.is_array()) {
        return Err(kind(&format!("permissions.{list}")));
    }
    let quoted = Value::from(rule).to_string();
    let whole = text.find('{').unwrap_or_default()..text.len();
    let Some(permissions) = member(text, whole.start, "permissions") else {
        let unit = unit_of(text);
        let lines = format!(
            "\"permissions\": {{\n{unit}{unit}\"{list}\": [\n{unit}{unit}{unit}{quoted}\n{unit}{unit}]\n{unit}}}"
        );
        return Ok(put(text, whole.start, &lines));
    };
    match member(text, permissions.start, list) {
        None => {
            let unit = unit_of(text);
            let indent = indent_of(text, permissions.start);
            Ok(put(
                text,
                permissions.start,
                &format!("\"{list}\": [\n{indent}{unit}{unit}{quoted}\n{indent}{unit}]"),
            ))
        }
        Some(list) => Ok(put(text, list.start, &quoted)),
    }
}

/// `item` as the last of the object or list that opens at `open`.
fn put(text: &str, open: usize, item: &str) -> String {
    let close = end_of_value(text, open).saturating_sub(1);
    let inside = text.get(open + 1..close).unwrap_or_default();
    let used = inside.trim_end();
    let at = open + 1 + used.len();
    let indent = indent_of(text, open);
    let unit = unit_of(text);
    let separator = if used.trim().is_empty() { "" } else { "," };
    let (head, tail) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
    if inside.contains('\n') {
        let last = used.rfind('\n').map_or(format!("{indent}{unit}"), |_| indent_of(text, at));
        format!("{head}{separator}\n{last}{item}{tail}")
    } else if used.trim().is_empty() {
        let close = text.get(close..).unwrap_or_default();
        format!("{}\n{indent}{unit}{item}\n{indent}{close}", text.get(..=open).unwrap_or_default())
    } else {
        format!("{head}{separator} {item}{tail}")
    }
}

/// The blanks that the line of `at` begins with.
fn indent_of(text: &str, at: usize) -> String {
    let start = text.get(..at).unwrap_or_default().rfind('\n').map_or(0, |line| line + 1);
    text.get(start..).unwrap_or_default().chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// One step of indentation, as the file has it.
fn unit_of(text: &str) -> String {
    let indented = text.lines().skip(1).find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or_else(
        || "  ".to_owned(),
        |line| line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect(),
    )
}

/// The value of `key` in the object that opens at `open`. The text is known to be JSON; the last of equal keys counts.
fn member(text: &str, open: usize, key: &str) -> Option<Range<usize>> {
    let mut at = skip_blanks(text, open + 1);
    let mut found = None;
    while text.get(at..)?.starts_with('"') {
        let name_end = end_of_value(text, at);
        let name: String = serde_json::from_str(text.get(at..name_end)?).ok()?;
        let start = skip_blanks(text, skip_blanks(text, name_end) + 1);
        let end = end_of_value(text, start);
        if name == key {
            found = Some(start..end);
        }
        let next = skip_blanks(text, end);
        if !text.get(next..)?.starts_with(',') {
            break;
        }
        at = skip_blanks(text, next + 1);
    }
    found
}

fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_start().len())
}

/// The first byte behind the value that begins at `start`.
fn end_of_value(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for (offset, byte) in text.bytes().enumerate().skip(start) {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            if !in_text && depth == 0 {
                return offset + 1;
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return offset,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return offset + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, rule: &str, want: &str) {
        assert_eq!(with_rules(text, "allow", &[rule.to_owned()]).unwrap(), want);
    }

    #[test]
    fn a_rule_is_added_and_nothing_else_changes() {
        check(
            "{\n    \"model\": \"x\",\n    \"permissions\": {\n        \"allow\": [\n            \"Read\"\n        ]\n    }\n}\n",
            "Bash(ls:*)",
            "{\n    \"model\": \"x\",\n    \"permissions\": {\n        \"allow\": [\n            \"Read\",\n            \"Bash(ls:*)\"\n        ]\n    }\n}\n",
        );
        check(
            "{\"permissions\":{\"allow\":[\"Read\"],\"deny\":[]}}",
            "Glob",
            "{\"permissions\":{\"allow\":[\"Read\", \"Glob\"],\"deny\":[]}}",
        );
        check(
            "{\"permissions\": {\"allow\": [\"Read\"]}}",
            "Read",
            "{\"permissions\": {\"allow\": [\"Read\"]}}",
        );
    }

    #[test]
    fn what_is_missing_is_made() {
        let made =
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(echo \\\"hi\\\")\"\n    ]\n  }\n}\n";
        check("", "Bash(echo \"hi\")", made);
        check("{}\n", "Bash(echo \"hi\")", made);
        check(
            "{\n\t\"permissions\": {\n\t\t\"deny\": []\n\t}\n}\n",
            "Read",
            "{\n\t\"permissions\": {\n\t\t\"deny\": [],\n\t\t\"allow\": [\n\t\t\t\"Read\"\n\t\t]\n\t}\n}\n",
        );
    }

    #[test]
    fn a_file_that_can_not_take_a_rule_stays_as_it_is() {
        let check = |text: &str, why: &str| {
            let error = with_rules(text, "allow", &["Read".to_owned()]).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        check("{", "no JSON");
        check("[]", "no object");
        check("{\"permissions\": 1}", "`permissions`");
        check("{\"permissions\": {\"allow\": {}}}", "`permissions.allow`");
    }

    fn settings() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            Just(json!(true)),
            any::<i32>().prop_map(Value::from),
            "[ \"\\\\{}\\[\\],:a\n]{0,8}".prop_map(Value::from),
        ];
        let any = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-c\"\\\\]{1,3}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        });
        let rules = prop::collection::vec("[A-Z(){}\",]{1,6}", 0..3);
        (any.clone(), prop::option::of(rules), any).prop_map(|(before, allow, after)| {
            let mut permissions = json!({ "x": before });
            if let Some(allow) = allow {
                permissions["allow"] = json!(allow);
            }
            permissions["deny"] = json!(["R"]);
            json!({ "before": before, "permissions": permissions, "after": after })
        })
    }

    proptest! {
        #[test]
        fn whatever_else_the_file_says_stays(settings in settings(), pretty: bool, rule in "[a-z(\"]{1,6}") {
            let text = if pretty { format!("{settings:#}\n") } else { settings.to_string() };
            let added = with_rules(&text, "allow", std::slice::from_ref(&rule)).unwrap();
            let mut want = settings.clone();
            let mut rules = want["permissions"]["allow"].as_array().cloned().unwrap_or_default();
            if !rules.contains(&json!(rule)) {
                rules.push(json!(rule));
            }
            want["permissions"]["allow"] = json!(rules);
            prop_assert_eq!(serde_json::from_str::<Value>(&added).unwrap(), want);
            let kept: Vec<&str> = text.lines().filter(|line| !added.lines().any(|now| now.trim_end_matches(',') == line.trim_end_matches(','))).collect();
            prop_assert!(!pretty || kept.len() <= 1, "{:?}", kept);
        }
    }
}
