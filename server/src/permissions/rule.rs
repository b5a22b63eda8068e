//! One rule: `Tool`, or `Tool(what it is about)`.

use std::fmt;

/// A rule as written: a tool, and which of its calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    pub tool: String,
    /// `None`: every call. Without escapes.
    pub spec: Option<String>,
}

impl Rule {
    /// Reads `Tool`, `Tool(spec)` or `Tool(*)`, which is `Tool`. In a spec, `\(`, `\)` and `\\` stand for themselves. An
    /// error says what is wrong and what to write.
    pub fn parse(written: &str) -> Result<Self, String> {
        let text = written.trim();
        let (tool, spec) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let Some(spec) = rest.strip_suffix(')').filter(|spec| !ends_in_escape(spec)) else {
                    return Err(wrong(written, "the parenthesis is not closed at the end"));
                };
                (tool, Some(spec))
            }
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '*');
        if tool.is_empty() || !tool.chars().all(is_name) {
            return Err(wrong(written, "it does not begin with the name of a tool"));
        }
        let spec = match spec
            .map(|spec| {
                unescaped(spec).ok_or_else(|| {
                    wrong(written, "it has a parenthesis inside that is neither closed nor escaped with `\\`")
                })
            })
            .transpose()?
        {
            Some(spec) if spec.trim().is_empty() => {
                return Err(wrong(written, "the parentheses are empty"));
            }
            Some(spec) if spec == "*" => None,
            spec => spec,
        };
        Ok(Self { tool: tool.to_owned(), spec })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.spec {
            None => f.write_str(&self.tool),
            Some(spec) => write!(f, "{}({})", self.tool, escaped(spec)),
        }
    }
}

fn wrong(written: &str, why: &str) -> String {
    format!("`{written}` is no rule: {why}. Write `Tool` or `Tool(what)`, such as `Bash(cargo test:*)`.")
}

/// The closing parenthesis behind `text` would belong to an escape.
fn ends_in_escape(text: &str) -> bool {
    text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// `None`: a bare parenthesis that has no partner.
fn unescaped(spec: &str) -> Option<String> {
    let mut out = String::with_capacity(spec.len());
    let mut depth = 0_usize;
    let mut rest = spec.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.peek() {
                Some('(' | ')' | '\\') => out.extend(rest.next()),
                _ => out.push('\\'),
            },
            '(' => {
                depth += 1;
                out.push(c);
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    (depth == 0).then_some(out)
}

fn escaped(spec: &str) -> String {
    let mut out = String::with_capacity(spec.len());
    for c in spec.chars() {
        if matches!(c, '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(written: &str, tool: &str, spec: Option<&str>) {
        let rule = Rule::parse(written).unwrap();
        assert_eq!((rule.tool.as_str(), rule.spec.as_deref()), (tool, spec));
    }

    #[test]
    fn a_rule_names_a_tool_and_which_of_its_calls() {
        check("Bash", "Bash", None);
        check(" Bash ", "Bash", None);
        check("Bash(*)", "Bash", None);
        check("Bash(npm run test:*)", "Bash", Some("npm run test:*"));
        check("Read(//etc/**)", "Read", Some("//etc/**"));
        check("mcp__github__*", "mcp__github__*", None);
        check("Bash(echo \\(a\\) \\\\ b)", "Bash", Some("echo (a) \\ b"));
        check("Bash(echo (a))", "Bash", Some("echo (a)"));
        check("Bash(grep \\d)", "Bash", Some("grep \\d"));
    }

    #[track_caller]
    fn check_wrong(written: &str, why: &str) {
        let error = Rule::parse(written).unwrap_err();
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn what_is_no_rule_is_told_with_what_to_write() {
        check_wrong("", "does not begin with the name of a tool");
        check_wrong("Bash(rm", "is not closed at the end");
        check_wrong("Bash(rm\\)", "is not closed at the end");
        check_wrong("Bash(rm) x", "is not closed at the end");
        check_wrong("Bash()", "the parentheses are empty");
        check_wrong("Bash(a) b)", "neither closed nor escaped");
        check_wrong("(rm)", "does not begin with the name of a tool");
        check_wrong("rm -rf", "does not begin with the name of a tool");
        check_wrong("Bash(rm", "such as `Bash(cargo test:*)`");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(spec in "[ a\\\\()*:/]{1,12}") {
            let rule = Rule { tool: "Bash".into(), spec: Some(spec.clone()) };
            prop_assume!(!spec.trim().is_empty() && spec != "*");
            prop_assert_eq!(Rule::parse(&rule.to_string()), Ok(rule));
        }
    }
}
