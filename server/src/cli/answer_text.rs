//! The model's answer on a terminal, which can take nothing back: an answer that is cut and asked for again goes on where it
//! stopped.

/// What was printed of the answer that is under way. Pure.
#[derive(Debug, Default)]
pub(super) struct AnswerText {
    said: String,
    /// The text before the cut, as long as the new answer only repeats it.
    before: Option<String>,
    /// What of the new answer is held back meanwhile.
    held: String,
}

impl AnswerText {
    /// Another answer begins, unless the one that was cut begins anew.
    pub(super) fn next(&mut self) {
        if self.before.is_none() {
            self.said.clear();
        }
    }

    /// The answer is void and is asked for again. True: the person has read something of it.
    pub(super) fn cut(&mut self) -> bool {
        self.held.clear();
        if self.before.is_some() || self.said.is_empty() {
            return false;
        }
        self.before = Some(std::mem::take(&mut self.said));
        true
    }

    /// A piece of the answer; gives what is to be printed.
    pub(super) fn push(&mut self, text: &str) -> String {
        let Some(before) = &self.before else {
            self.said.push_str(text);
            return text.to_owned();
        };
        self.held.push_str(text);
        if before.starts_with(&self.held) && before.len() > self.held.len() {
            return String::new();
        }
        let goes_on = self.held.strip_prefix(before.as_str()).map(|rest| {
            let in_word = before.ends_with(|last: char| !last.is_whitespace());
            if in_word && !rest.is_empty() { format!("…{rest}") } else { rest.to_owned() }
        });
        self.said = std::mem::take(&mut self.held);
        self.before = None;
        goes_on.unwrap_or_else(|| self.said.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed of an answer in pieces; `None` is a cut, shown as `|`.
    #[track_caller]
    fn check(pieces: &[Option<&str>], wanted: &str) {
        let mut answer = AnswerText::default();
        let mut printed = String::new();
        for piece in pieces {
            match piece {
                Some(text) => printed.push_str(&answer.push(text)),
                None if answer.cut() => printed.push('|'),
                None => {}
            }
        }
        assert_eq!(printed, wanted);
    }

    #[test]
    fn what_was_read_already_is_not_printed_again() {
        check(
            &[Some("I ren"), Some("ame lo"), None, Some("I rename"), Some(" load to open.")],
            "I rename lo|…ad to open.",
        );
        check(&[Some("One.\n"), None, Some("One.\nTwo.")], "One.\n|Two.");
        check(&[Some("One."), None, Some("One.")], "One.|");
    }

    #[test]
    fn another_answer_is_printed_whole() {
        check(&[Some("I rename"), None, Some("I "), Some("look first.")], "I rename|I look first.");
    }

    #[test]
    fn a_cut_of_nothing_is_none_and_a_second_cut_changes_nothing() {
        check(&[None, Some("a")], "a");
        check(&[Some("abc"), None, Some("a"), None, Some("abcd")], "abc|…d");
    }
}
