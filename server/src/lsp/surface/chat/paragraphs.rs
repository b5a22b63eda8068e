//! Cuts streamed Markdown into whole paragraphs, so that the chat never shows half of one.

use super::file::{COPYDESK, YOU, after_line};

/// What has come of the paragraph that is not whole yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Paragraphs {
    text: String,
}

impl Paragraphs {
    /// Takes the next piece and gives the paragraphs that are whole now. A code block is one, blank lines and all.
    pub(super) fn push(&mut self, piece: &str) -> Vec<String> {
        self.text.push_str(piece);
        let mut whole = Vec::new();
        let mut fence = None;
        let mut start = 0;
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if !line.ends_with('\n') {
                break;
            }
            if line.trim().is_empty() && fence.is_none() {
                whole.extend(paragraph(self.text.get(start..at).unwrap_or_default()));
                start = at + line.len();
            }
            at += line.len();
            fence = after_line(fence, line.trim_end());
        }
        self.text.drain(..start);
        whole
    }

    /// The answer is over: what is left is the last paragraph. A code block that was left open is closed.
    pub(super) fn finish(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.text);
        let mut last = paragraph(&text)?;
        if let Some(fence) = last.lines().fold(None, after_line) {
            last.push('\n');
            last.push_str(&fence);
        }
        Some(last)
    }

    /// What came so far is void.
    pub(super) fn forget(&mut self) {
        self.text.clear();
    }
}

/// Without the blank lines around it, and with nothing that could be taken for a heading of the chat. `None`: blank.
pub(super) fn paragraph(text: &str) -> Option<String> {
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    if text.is_empty() {
        return None;
    }
    let mut fence = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim_end();
        let is_heading = fence.is_none() && (line == YOU || line == COPYDESK);
        lines.push(if is_heading { format!("\\{line}") } else { line.to_owned() });
        fence = after_line(fence, line);
    }
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fed with `text` cut into pieces of every size, the same paragraphs come out.
    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        for size in 1..=text.len() {
            let mut paragraphs = Paragraphs::default();
            let mut got = Vec::new();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(size) {
                got.extend(paragraphs.push(&piece.iter().collect::<String>()));
            }
            got.extend(paragraphs.finish());
            assert_eq!(got, want, "in pieces of {size}");
        }
    }

    #[test]
    fn a_blank_line_ends_a_paragraph() {
        check(
            "One,\nstill one.\n\nTwo.\n\n\n- three\n- three\n",
            &["One,\nstill one.", "Two.", "- three\n- three"],
        );
        check("\n\n  indented\n", &["  indented"]);
        check("", &[]);
    }

    #[test]
    fn a_code_block_is_whole() {
        check(
            "See:\n\n```rust\nfn a() {}\n\nfn b() {}\n```\n\nDone.",
            &["See:", "```rust\nfn a() {}\n\nfn b() {}\n```", "Done."],
        );
        check("~~~~\n```\n\n~~~\n~~~~\nx", &["~~~~\n```\n\n~~~\n~~~~\nx"]);
    }

    #[test]
    fn a_code_block_left_open_is_closed() {
        check("```\nfn a() {}\n\n", &["```\nfn a() {}\n```"]);
    }

    #[test]
    fn a_model_can_not_speak_as_the_user() {
        check("Well.\n\n## You\nyes\n", &["Well.", "\\## You\nyes"]);
        check("```\n## You\n```\n", &["```\n## You\n```"]);
    }
}
