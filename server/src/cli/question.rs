//! A question of the agent at the terminal: it is asked until the answer is one of those that are shown.

use copydesk_protocol::{
    PermissionAnswerParams, PermissionAskedParams, PermissionOption, PermissionOptionKind,
};

use super::editor::Interrupt;
use super::task::Show;
use super::terminal::{Look, Terminal, visible};
use crate::permissions::{OWN_WORDS, allow_flags, explained_to_nobody, lines_of};

/// A question, and where it is put.
pub(super) struct Question<'a> {
    pub(super) asked: &'a PermissionAskedParams,
    pub(super) show: &'a mut Show,
    pub(super) terminal: &'a mut Terminal,
}

/// What came of a question.
pub(super) enum Answered {
    By(PermissionAnswerParams),
    /// Ctrl-C: nothing was answered, and nothing is to go on.
    Interrupted,
}

/// One of the options of a question, with the person's own words where it asks for them.
struct Choice {
    option_id: String,
    feedback: Option<String>,
}

impl Choice {
    fn of(option: &PermissionOption) -> Self {
        Self { option_id: option.id.clone(), feedback: None }
    }
}

impl Question<'_> {
    /// The person's answer. Where nobody is, and at the end of the input, that is a no.
    pub(super) async fn put(mut self, interrupt: &mut Interrupt) -> Answered {
        let asks = matches!(self.show, Show::Progress(_));
        let unattended = (!self.terminal.interactive || !asks).then_some(true);
        let choice = tokio::select! {
            choice = self.choice() => choice,
            () = interrupt.came() => {
                // The question still stands in its line.
                self.terminal.line("");
                return Answered::Interrupted;
            }
        };
        Answered::By(PermissionAnswerParams {
            request_id: self.asked.request_id.clone(),
            option_id: choice.option_id,
            feedback: choice.feedback,
            updated_input: None,
            interrupt: None,
            updated_permissions: Vec::new(),
            unattended,
        })
    }

    async fn choice(&mut self) -> Choice {
        let PermissionAskedParams { options, tool_call, explanation, rules, .. } = self.asked;
        let no = options.iter().find(|option| is_no(option)).map(Choice::of);
        // The server takes no answer that it did not offer.
        let no = || no.unwrap_or_else(|| Choice { option_id: "no".to_owned(), feedback: None });
        let Show::Progress(progress) = &mut *self.show else { return no() };
        progress.end_line(self.terminal);
        let title = tool_call.command.as_ref().unwrap_or(&tool_call.title);
        let mut lines = lines_of(title);
        let first = lines.next().unwrap_or_default();
        self.terminal.styled(Look::Heading, &visible(&format!("? {first}")));
        // Each under the bar, so that none can pass for a line of ours.
        lines.for_each(|line| self.terminal.styled(Look::Heading, &visible(&format!("  │ {line}"))));
        if !self.terminal.interactive {
            self.terminal.line(&visible(&unasked(explanation, rules)));
            return no();
        }
        self.terminal.line(&visible(explanation));
        for (number, option) in (1..).zip(options) {
            self.terminal.line(&visible(&format!("  {number}  {}", option.name)));
        }
        let prompt = prompt(options);
        loop {
            let Some(line) = self.terminal.ask(&prompt).await else {
                self.terminal.line("");
                return no();
            };
            match chosen(&line, options) {
                Some(option) if option.id == OWN_WORDS => {
                    let words = self.terminal.ask("In your words: ").await.filter(|words| !words.is_empty());
                    return match words {
                        Some(words) => Choice { feedback: Some(words), ..Choice::of(option) },
                        None => no(),
                    };
                }
                Some(option) => return Choice::of(option),
                None => self.terminal.line("That is none of the answers."),
            }
        }
    }
}

/// Why it would be asked, and what would let it through without that, which is named once: as a flag.
fn unasked(explanation: &str, rules: &[String]) -> String {
    let explanation = explained_to_nobody(explanation);
    let flag = |rule: &String| allow_flags([rule.clone()]);
    let is_named = !rules.is_empty() && rules.iter().all(|rule| explanation.contains(&format!("`{rule}`")));
    let no = "Nobody is here to be asked, so the answer is no.";
    if is_named {
        let named = rules.iter().fold(explanation.to_owned(), |text, rule| {
            text.replace(&format!("`{rule}`"), &format!("`{}`", flag(rule)))
        });
        return format!("{named}\n{no}");
    }
    let way = allow_flags(rules.iter().cloned());
    let way = if way.is_empty() { way } else { format!(" This would let it through: {way}") };
    format!("{explanation}\n{no}{way}")
}

fn is_no(option: &PermissionOption) -> bool {
    option.kind == PermissionOptionKind::RejectOnce && option.id != OWN_WORDS
}

/// The option that `y` stands for: to let a call run once. A choice between ways has none.
fn yes(options: &[PermissionOption]) -> Option<&PermissionOption> {
    options.iter().find(|option| option.id == "once")
}

/// What is asked, with the letters that are answers here.
fn prompt(options: &[PermissionOption]) -> String {
    match yes(options) {
        Some(_) => format!("Your answer (1-{}, y for once, n for no): ", options.len()),
        None => format!("Your answer (1-{}, n for none): ", options.len()),
    }
}

/// By its number, its name, or a letter of the prompt.
fn chosen<'a>(line: &str, options: &'a [PermissionOption]) -> Option<&'a PermissionOption> {
    let line = line.trim();
    if let Ok(number) = line.parse::<usize>() {
        return options.get(number.checked_sub(1)?);
    }
    let plain = |name: &str| name.trim_end_matches('…').to_lowercase();
    let named = options.iter().find(|option| plain(&option.name) == plain(line));
    named.or_else(|| match line.to_ascii_lowercase().as_str() {
        "y" | "yes" | "once" => yes(options),
        "n" | "no" => options.iter().find(|option| is_no(option)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_let_a_call_through_is_named_once() {
        let no = "Nobody is here to be asked, so the answer is no.";
        let rules = ["Edit(.envrc)".to_owned()];
        assert_eq!(
            unasked("It starts programs. A rule lets it in: `Edit(.envrc)`.", &rules),
            format!("It starts programs. A rule lets it in: `--allow 'Edit(.envrc)'`.\n{no}")
        );
        let way = "This would let it through: --allow 'Edit(.envrc)'";
        assert_eq!(unasked("It writes.", &rules), format!("It writes.\n{no} {way}"));
        assert_eq!(unasked("It writes.", &[]), format!("It writes.\n{no}"));
        let saved = "It writes. A rule that is saved in this folder counts only once you trust the folder (`--trust`).";
        assert_eq!(unasked(saved, &[]), format!("It writes.\n{no}"));
    }

    #[test]
    fn what_is_shown_is_an_answer_and_nothing_else() {
        let option = |id: &str, kind, name: &str| PermissionOption { id: id.into(), kind, name: name.into() };
        let leave = [
            option("once", PermissionOptionKind::AllowOnce, "Allow once"),
            option("save", PermissionOptionKind::AllowAlways, "Always allow Bash(make:*)"),
            option("no", PermissionOptionKind::RejectOnce, "Deny"),
            option("words", PermissionOptionKind::RejectOnce, "Deny, and say why…"),
        ];
        let ways = [
            option("choice-1", PermissionOptionKind::AllowOnce, "Left"),
            option("no", PermissionOptionKind::RejectOnce, "None of these"),
        ];
        let check = |options: &[PermissionOption], lines: &[&str], want: Option<&str>| {
            for line in lines {
                let found = chosen(line, options).map(|option| option.id.as_str());
                assert_eq!(found, want, "{line:?}");
            }
        };
        check(&leave, &["1", "y", "Y", "yes", "once", "allow once"], Some("once"));
        check(&leave, &["3", "n", "no", "No", "deny"], Some("no"));
        check(&leave, &["4", "Deny, and say why", "Deny, and say why…"], Some("words"));
        check(&leave, &["", "0", "5", "yy", "always", "1 2", "-1", "a"], None);
        check(&ways, &["1", "left"], Some("choice-1"));
        check(&ways, &["2", "n"], Some("no"));
        check(&ways, &["y", "yes", "3"], None);
        assert_eq!(prompt(&leave), "Your answer (1-4, y for once, n for no): ");
        assert_eq!(prompt(&ways), "Your answer (1-2, n for none): ");
    }
}
