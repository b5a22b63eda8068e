//! The longest result a model is handed: longer ones are cut at a line end, and say so.

use crate::conversation::ToolResultContent;

/// `content` with at most `limit` characters of text in all; what is cut is counted in its place. Images stay.
pub fn capped(content: Vec<ToolResultContent>, limit: usize) -> Vec<ToolResultContent> {
    let mut room = limit;
    let mut out = Vec::with_capacity(content.len());
    for piece in content {
        match piece {
            ToolResultContent::Text(text) => {
                let chars = text.chars().count();
                if chars <= room {
                    room -= chars;
                    out.push(ToolResultContent::Text(text));
                } else {
                    out.push(ToolResultContent::Text(cut(&text, room, chars)));
                    room = 0;
                }
            }
            other @ (ToolResultContent::Image(_) | ToolResultContent::ToolReference(_)) => out.push(other),
        }
    }
    out
}

/// Cut after `room` characters, or at the line end before if that keeps more than half.
fn cut(text: &str, room: usize, chars: usize) -> String {
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let kept = text.get(..end).unwrap_or_default();
    let kept = kept.rfind('\n').filter(|at| *at > end / 2).and_then(|at| kept.get(..=at)).unwrap_or(kept);
    let missing = chars - kept.chars().count();
    let gap = if kept.is_empty() || kept.ends_with('\n') { "" } else { "\n" };
    format!("{kept}{gap}[{missing} more characters were cut: ask for less at a time]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], limit: usize, want: &[&str]) {
        let content = texts.iter().map(|text| ToolResultContent::Text((*text).to_owned())).collect();
        let want: Vec<_> = want.iter().map(|text| ToolResultContent::Text((*text).to_owned())).collect();
        assert_eq!(capped(content, limit), want);
    }

    #[test]
    fn what_fits_is_left_alone() {
        check(&["größe", "b"], 6, &["größe", "b"]);
    }

    #[test]
    fn what_does_not_is_cut_at_a_line_end_and_counted() {
        check(&["one\ntwo\nthree"], 9, &["one\ntwo\n[5 more characters were cut: ask for less at a time]"]);
        check(&["größer"], 4, &["größ\n[2 more characters were cut: ask for less at a time]"]);
        check(&["ab", "cd"], 2, &["ab", "[2 more characters were cut: ask for less at a time]"]);
    }
}
