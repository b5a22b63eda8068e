//! What a command line consists of: its simple commands, wherever in the text they stand.
//!
//! Bash runs nothing that is not in the script. Text for which that is not sure is not understood, and a person is asked.

mod file_view;
mod guess;
mod heredocs;
mod lexer;
mod outcome;
mod purpose;
mod quote;
mod reading;
mod script;
mod token;

pub use file_view::{FileView, Shown, file_view};
pub use outcome::is_benign_exit;
pub use purpose::{Purpose, purpose};
pub use quote::quoted;
pub use script::{
    Assignment, Direction, Expansion, Join, Parsed, Place, Redirection, Script, SimpleCommand, Word,
};

/// Longer command lines are not read: nobody could judge them either.
pub const LONGEST: usize = 10_000;

/// The simple commands of `text`, read as bash reads it.
pub fn parse(text: &str) -> Parsed {
    let tokens = match readable(text).and_then(|()| lexer::tokens(text)) {
        Ok(tokens) => tokens,
        Err(why) => {
            // Of such a text every line counts as a command, those of its here-documents too.
            return Parsed::NotUnderstood { why, seen: guess::from_text(text), heredocs: Vec::new() };
        }
    };
    let heredocs = heredocs::bodies(text, &tokens);
    match reading::read(text, &tokens) {
        Ok(commands) => Parsed::Script(Script { commands, heredocs }),
        Err(why) => Parsed::NotUnderstood { why, seen: guess::from_tokens(&tokens), heredocs },
    }
}

/// Whether every character means the same to bash, to the grammar and to a person.
fn readable(text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if length > LONGEST {
        return Err(format!("The command line has {length} characters; more than {LONGEST} are not read."));
    }
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            return Err(format!("It holds the control character U+{:04X}.", u32::from(c)));
        }
        if c.is_whitespace() && !c.is_ascii() {
            return Err(format!("It holds the blank U+{:04X}, which is none for bash.", u32::from(c)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
