//! What a command line consists of: its simple commands, wherever in the text they stand.
//!
//! Bash runs nothing that is not in the script. Text for which that is not sure is not understood, and a person is asked.

mod script;

pub use script::{
    Assignment, Direction, Expansion, Join, Parsed, Place, Redirection, Script, SimpleCommand, Word,
};

/// The simple commands of `text`, read as bash reads it.
pub fn parse(text: &str) -> Parsed {
    let _ = text;
    Parsed::NotUnderstood { why: "The command line could not be read.".to_owned(), seen: Vec::new() }
}
