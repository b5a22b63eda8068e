//! Here-documents taken out of a text: what each says, and the text without them as the grammar is given it.
//!
//! How bash reads them is plain and the tokens tell it whole; the grammar goes wrong on what may stand beside them.

use super::token::{Token, TokenKind};

/// `text` with blanks where its here-documents stand, and every other character where it was.
pub(super) fn without(text: &str, tokens: &[Token]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    blank(&mut bytes, tokens);
    // Whole tokens are blanked, so no character is cut.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The texts of all here-documents, each with the line that ends it; those begun on one line together.
pub(super) fn bodies(text: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens {
        let lines = text.get(token.span.clone()).unwrap_or_default();
        if matches!(token.kind, TokenKind::Newline) && lines.trim() != "" {
            found.push(lines.trim_start_matches('\n').to_owned());
        }
        found.extend(token.nested().iter().flat_map(|nested| bodies(text, &nested.tokens)));
    }
    found
}

fn blank(bytes: &mut [u8], tokens: &[Token]) {
    for token in tokens {
        if matches!(token.kind, TokenKind::Newline) || token.begins_heredoc() {
            let hidden = bytes.get_mut(token.span.clone()).unwrap_or_default();
            hidden.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        for nested in token.nested() {
            blank(bytes, &nested.tokens);
        }
    }
}
