//! What each instruction changes in the text of one file.

mod delete_line;
mod doc_comment;
mod fix;
mod make_async;
mod occurrences;
mod unit_tests;

use super::code::{Definition, DefinitionKind, definitions};
use super::edits::Change;
use super::grammar::Instruction;
use super::task::Context;

/// The changes to one file, sorted and apart from each other, and what the person should know about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    pub(super) notes: Vec<String>,
}

impl Plan {
    fn of(changes: Vec<Change>) -> Self {
        Self { changes, notes: Vec::new() }
    }

    fn nothing(why: impl Into<String>) -> Self {
        Self { changes: Vec::new(), notes: vec![why.into()] }
    }
}

/// One file as an instruction meets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    pub(super) path: &'a str,
    /// Its lines joined by LF.
    pub(super) text: &'a str,
    /// Where the user stands, if in this file.
    pub(super) context: Option<&'a Context>,
}

/// What `instruction` changes in `file`.
pub(super) fn plan(instruction: &Instruction, file: File<'_>) -> Plan {
    match instruction {
        Instruction::Rename { from, to } => occurrences::replaced(file.text, from, to),
        Instruction::Replace { old, new } => occurrences::replaced(file.text, old, new),
        Instruction::Document { target } => doc_comment::added(file, target.as_deref()),
        Instruction::DeleteLine(line) => delete_line::deleted(file, line),
        Instruction::MakeAsync { target } => make_async::made(file, target.as_deref()),
        Instruction::WriteTests => unit_tests::written(file),
        Instruction::Fix { message } => fix::fixed(file, message),
        Instruction::Explain => Plan::default(),
    }
}

/// The definitions an instruction is about: the one named `target`, else those in the user's selection, else the one
/// the user stands in; all, if the user stands nowhere.
fn meant(file: File<'_>, target: Option<&str>) -> Vec<Definition> {
    let all = definitions(file.text);
    if let Some(target) = target {
        return all.into_iter().filter(|it| it.name == target).collect();
    }
    let Some((from, to)) = file.context.and_then(|context| context.lines) else { return all };
    let selected: Vec<Definition> =
        all.iter().filter(|it| (from..=to).contains(&(it.line + 1))).cloned().collect();
    if selected.is_empty() {
        all.into_iter().rev().find(|it| it.line < from).into_iter().collect()
    } else {
        selected
    }
}

fn meant_functions(file: File<'_>, target: Option<&str>) -> Vec<Definition> {
    let mut functions = meant(file, target);
    functions.retain(|it| it.kind == DefinitionKind::Function);
    functions
}

/// The byte at which the zero-based `line` begins; the end of the text past the last one.
fn start_of_line(text: &str, line: usize) -> usize {
    text.split_inclusive('\n').take(line).map(str::len).sum()
}

fn line_at(text: &str, line: usize) -> &str {
    text.split('\n').nth(line).unwrap_or_default()
}
