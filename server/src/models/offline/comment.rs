//! The comment an instruction was read from: it goes, and nothing else of the instruction meets it.

use super::changes::Plan;
use super::edits::Change;

/// The plan for `text` as it is without the comment on the one-based `line`, and the removal of that comment. `plan` sees
/// the same lines: where the comment stood, there is nothing.
pub(super) fn without_comment(text: &str, line: Option<usize>, plan: impl Fn(&str) -> Plan) -> Plan {
    let Some(comment) = line.and_then(|line| Comment::on_line(text, line)) else { return plan(text) };
    let mut bare = text.to_owned();
    bare.replace_range(comment.start..comment.end, "");
    let Plan { changes, notes } = plan(&bare);
    let moved = |at: usize| if at > comment.start { at + comment.end - comment.start } else { at };
    let (before, behind): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .map(|change| Change { span: moved(change.span.start)..moved(change.span.end), ..change })
        .partition(|change| change.span.end <= comment.start);
    let removal = Change { span: comment.start..comment.gone_until, new: String::new() };
    // A plan for the empty line that is left is no plan any more.
    let behind = behind.into_iter().filter(|change| change.span.start >= comment.gone_until);
    Plan { changes: before.into_iter().chain([removal]).chain(behind).collect(), notes }
}

/// Where it stands, in bytes.
struct Comment {
    start: usize,
    end: usize,
    /// With the line break, if the line holds nothing else.
    gone_until: usize,
}

impl Comment {
    /// `None` if no comment with an instruction is on that line.
    fn on_line(text: &str, line: usize) -> Option<Self> {
        let above: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let content = text.get(above..)?.split('\n').next()?;
        let name = content.to_ascii_lowercase().find("copydesk:")?;
        let before = content.get(..name)?;
        let end = above + content.len();
        // Only the comment's own sign, such as `//`, `#` or `<!--`, and perhaps the `@` of `@copydesk`.
        if before.chars().all(|c| c.is_whitespace() || c.is_ascii_punctuation()) {
            let gone_until = if end < text.len() { end + 1 } else { end };
            return Some(Self { start: above, end, gone_until });
        }
        // Behind code the comment's own sign is the last word before its name.
        let sign = before.trim_end().trim_end_matches('@').split_whitespace().next_back()?;
        let code = before.get(..before.rfind(sign)?)?.trim_end();
        let start = above + code.len();
        Some(Self { start, end, gone_until: end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::offline::changes::{File, plan};
    use crate::models::offline::grammar::parse;

    #[track_caller]
    fn check(text: &str, words: &str, line: usize, wanted: &str) {
        let instruction = parse(words).unwrap().instruction;
        let plan = without_comment(text, Some(line), |text| {
            plan(&instruction, File { path: "a.rs", text, context: None })
        });
        let mut made = text.to_owned();
        for change in plan.changes.iter().rev() {
            made.replace_range(change.span.clone(), &change.new);
        }
        assert_eq!(made, wanted);
    }

    #[test]
    fn the_comment_goes_and_keeps_its_words_to_itself() {
        check(
            "load();\n// copydesk: rename load to open\nload();\n",
            "rename load to open",
            2,
            "open();\nopen();\n",
        );
        check("# @Copydesk: rename a to b\na\n", "rename a to b", 1, "b\n");
        check("a\n-- copydesk: rename a to b", "rename a to b", 2, "b\n");
    }

    #[test]
    fn behind_code_only_the_comment_goes() {
        check("load(); // copydesk: rename load to open\nx\n", "rename load to open", 1, "open();\nx\n");
        check("let a = [1]; /* copydesk: rename a to b */\na", "rename a to b", 1, "let b = [1];\nb");
    }

    #[test]
    fn a_comment_above_a_function_is_not_its_documentation() {
        check(
            "// copydesk: add a doc comment to load\nfn load() {}\n",
            "add a doc comment to load",
            1,
            "/// Load.\nfn load() {}\n",
        );
    }

    #[test]
    fn a_line_without_one_stays() {
        check("load();\nload();\n", "rename load to open", 2, "open();\nopen();\n");
        check("load();\n", "rename load to open", 9, "open();\n");
        check("# copydesk: delete line 1\na\n", "delete line 1", 1, "a\n");
    }
}
