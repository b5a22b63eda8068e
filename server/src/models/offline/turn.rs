//! The next turn: look for the files, read them, change them, say what was done.

use std::fmt::Write;

use serde_json::{Value, json};

use super::changes::{File, plan};
use super::comment::without_comment;
use super::edits::{Change, Edit, edits};
use super::explain::explain;
use super::grammar::{Instruction, Line, Sentence, UNDERSTOOD, parse};
use super::reading::{Reading, reading};
use super::task::{Context, Done, Task, same_file};
use crate::models::ModelRequest;

/// What the offline model says and does in one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) input: Value,
}

/// Edits in one answer at most.
const EDITS_AT_ONCE: usize = 20;
/// Readings of a file at most: once, and once more if the file moved on under the edits.
const READINGS: usize = 2;

/// Answers the last thing the user said, from where the work stands.
pub(super) fn next(request: &ModelRequest) -> Turn {
    let Some(task) = Task::of(&request.messages) else {
        return said(format!("{INTRODUCTION}Ask me for something."));
    };
    let Some(sentence) = parse(&task.words) else {
        return said(format!("{INTRODUCTION}That is beyond me. What I understand:\n\n{UNDERSTOOD}"));
    };
    if let Some(why) = no_name(&sentence.instruction) {
        return said(format!("{INTRODUCTION}{why}"));
    }
    let mut turn = work(&task, &sentence);
    if let Some(missing) =
        turn.calls.iter().find(|call| !request.tools.iter().any(|tool| tool.name == call.tool))
    {
        turn = said(format!("For that I need the tool {}, which is not on offer here.", missing.tool));
    }
    if task.done.is_empty() {
        turn.text.insert_str(0, INTRODUCTION);
    }
    turn
}

/// Why nothing can be called what a rename asks for.
fn no_name(instruction: &Instruction) -> Option<String> {
    match instruction {
        Instruction::Rename { from, to } if from == to => {
            Some(format!("`{from}` is called that already, so there is nothing to do."))
        }
        Instruction::Rename { to, .. } if to.starts_with(|first: char| first.is_numeric()) => {
            Some(format!("`{to}` is no name: names don't begin with a digit."))
        }
        _ => None,
    }
}

/// Its first words in every task.
const INTRODUCTION: &str = "Offline model, no language model: I carry out a few fixed instructions. ";

/// Where an instruction applies.
enum Where {
    Files(Vec<String>),
    /// Wherever this regular expression matches; `what` it looks for, for the person.
    Matches {
        pattern: String,
        what: String,
    },
    Unsaid,
}

fn work(task: &Task, sentence: &Sentence) -> Turn {
    let files = match place(sentence, task.context.as_ref()) {
        Where::Files(files) => files,
        Where::Unsaid => {
            return said("Which file? Say `… in src/a.rs`, or ask from within the file.".to_owned());
        }
        Where::Matches { pattern, what } => {
            let Some(grep) = task.done.iter().find(|done| done.tool == "Grep") else {
                return Turn {
                    text: "First I look where that stands.".to_owned(),
                    calls: vec![call(
                        "Grep",
                        json!({ "pattern": pattern, "output_mode": "files_with_matches" }),
                    )],
                };
            };
            if grep.failed {
                return said(format!("The search failed: {}", grep.text));
            }
            let found = files_found(&grep.text);
            if found.is_empty() {
                let those = if grep.text.contains("may be read") { " that may be read" } else { "" };
                return said(format!(
                    "No file of the workspace{those} has {what}, so there is nothing to do."
                ));
            }
            found
        }
    };
    let pass = Pass::last(&task.done);
    let files = if pass.reads.is_empty() { files } else { pass.files() };
    let earlier: Vec<Done> = task.before.iter().chain(pass.before).cloned().collect();
    let mut texts = Vec::new();
    let mut failures = Vec::new();
    let mut next_reads = Vec::new();
    for path in files {
        match reading(&path, pass.reads, &earlier) {
            Reading::Whole(text) => texts.push((path, text)),
            Reading::Next(input) => next_reads.push(call("Read", input)),
            Reading::Failed(why) => failures.push(format!("`{path}` could not be read: {}", cause(&why))),
        }
    }
    if !next_reads.is_empty() {
        let text = if next_reads.len() == 1 { "I read the file." } else { "I read the files." };
        return Turn { text: text.to_owned(), calls: next_reads };
    }
    if sentence.instruction == Instruction::Explain {
        return explained(&texts, task.context.as_ref(), failures);
    }
    change(task, sentence, &pass, &texts, failures)
}

/// Proposes what is left of the changes, or sums up.
fn change(
    task: &Task,
    sentence: &Sentence,
    pass: &Pass<'_>,
    texts: &[(String, String)],
    mut notes: Vec<String>,
) -> Turn {
    let mut wanted: Vec<(&str, Edit)> = Vec::new();
    for (path, text) in texts {
        let context = task.context.as_ref().filter(|context| same_file(&context.path, path));
        let comment = sentence.comment.filter(|_| context.is_some());
        let plan =
            without_comment(text, comment, |text| plan(&sentence.instruction, File { path, text, context }));
        if plan.changes.is_empty() && plan.notes.is_empty() && pass.number == 1 {
            notes.extend(does_not_occur(&sentence.instruction, path));
        }
        let mut edits = edits(text, &plan.changes);
        // Read does not tell whether the last line ends. One that does not is edited from the second reading.
        if pass.number == 1
            && let Some(last) = edits.last_mut()
            && leaves_nothing(text, &plan.changes)
        {
            last.old.push('\n');
        }
        wanted.extend(edits.into_iter().map(|edit| (path.as_str(), edit)));
        notes.extend(plan.notes);
    }
    let left: Vec<Call> = wanted
        .iter()
        .skip(pass.edits.len())
        .take(EDITS_AT_ONCE)
        .map(|(path, edit)| {
            let description = sentence.instruction.to_string();
            call(
                "Edit",
                json!({
                    "file_path": path, "old_string": edit.old, "new_string": edit.new, "description": description,
                }),
            )
        })
        .collect();
    if !left.is_empty() {
        let text = match left.len() {
            1 => "I propose one edit.".to_owned(),
            many => format!("I propose {many} edits."),
        };
        return Turn { text, calls: left };
    }
    let failed: Vec<&Done> = pass.edits.iter().filter(|edit| edit.failed).collect();
    // What was forbidden is so in a second reading too.
    let mut paths: Vec<&str> =
        failed.iter().filter(|edit| has_moved_on(edit)).filter_map(|edit| edit.field("file_path")).collect();
    if !paths.is_empty() && pass.number < READINGS {
        paths.dedup();
        let calls = paths.into_iter().map(|path| call("Read", json!({ "file_path": path }))).collect();
        return Turn { text: "Some changes did not fit, so I read again.".to_owned(), calls };
    }
    notes.extend(not_in(&failed));
    said(summary(&task.done, &notes))
}

/// Whether all of `text` goes.
fn leaves_nothing(text: &str, changes: &[Change]) -> bool {
    let mut gone_until = 0;
    for change in changes {
        if !change.new.is_empty() || change.span.start > gone_until {
            return false;
        }
        gone_until = gone_until.max(change.span.end);
    }
    gone_until >= text.len()
}

/// What is said of a file that has nothing an instruction could be carried out on.
fn does_not_occur(instruction: &Instruction, path: &str) -> Option<String> {
    match instruction {
        Instruction::Rename { from: text, .. } | Instruction::Replace { old: text, .. } => {
            Some(format!("`{text}` does not occur in `{path}`."))
        }
        // These say themselves what they looked for.
        Instruction::DeleteLine(_)
        | Instruction::Document { .. }
        | Instruction::MakeAsync { .. }
        | Instruction::WriteTests
        | Instruction::Fix { .. }
        | Instruction::Explain => None,
    }
}

/// The file said something else by the time the edit came.
fn has_moved_on(edit: &Done) -> bool {
    edit.text.contains("old_string")
}

/// Why a call failed. Where nobody could be asked, the question was shown with its reason and with what would let the call
/// through.
fn cause(text: &str) -> &str {
    if text.starts_with("Nobody is here to be asked") { "nobody was there to allow it." } else { text }
}

/// Each cause once, in the order they came.
fn not_in(failed: &[&Done]) -> Vec<String> {
    let mut causes: Vec<(&str, usize)> = Vec::new();
    for edit in failed {
        let why = cause(&edit.text);
        match causes.iter_mut().find(|(cause, _)| *cause == why) {
            Some((_, count)) => *count += 1,
            None => causes.push((why, 1)),
        }
    }
    let told = causes.into_iter().map(|(cause, count)| match count {
        1 => format!("One change did not go in: {cause}"),
        _ => format!("{count} changes did not go in: {cause}"),
    });
    told.collect()
}

/// What was proposed, file by file, and what the person should know.
fn summary(done: &[Done], notes: &[String]) -> String {
    let mut by_file: Vec<(&str, usize)> = Vec::new();
    let proposed =
        done.iter().filter(|it| it.tool == "Edit" && !it.failed).filter_map(|it| it.field("file_path"));
    for path in proposed {
        match by_file.iter_mut().find(|(file, _)| *file == path) {
            Some((_, count)) => *count += 1,
            None => by_file.push((path, 1)),
        }
    }
    let total: usize = by_file.iter().map(|(_, count)| count).sum();
    let mut said = match total {
        0 => "Nothing was changed.".to_owned(),
        1 => "Done: one edit".to_owned(),
        _ => format!("Done: {total} edits"),
    };
    if let [(file, _)] = by_file.as_slice() {
        let _ = write!(said, " in `{file}`.");
    } else if total > 0 {
        let _ = write!(said, " in {} files:\n\n", by_file.len());
        for (file, count) in &by_file {
            let _ = writeln!(said, "- `{file}`: {count}");
        }
    }
    for note in notes {
        let gap = if said.ends_with('\n') { "\n" } else { "\n\n" };
        let _ = write!(said, "{gap}{note}");
    }
    said.trim_end().to_owned()
}

fn explained(texts: &[(String, String)], context: Option<&Context>, failures: Vec<String>) -> Turn {
    let mut parts: Vec<String> = texts
        .iter()
        .map(|(path, text)| {
            let here = context.filter(|context| same_file(&context.path, path));
            explain(path, text, here.and_then(|context| context.lines))
        })
        .collect();
    parts.extend(failures);
    said(parts.join("\n\n"))
}

/// The calls since the files were last read: those Reads, and the Edits made from them.
struct Pass<'a> {
    /// One-based.
    number: usize,
    before: &'a [Done],
    reads: &'a [Done],
    edits: &'a [Done],
}

impl<'a> Pass<'a> {
    fn last(done: &'a [Done]) -> Self {
        let mut pass = Self { number: 0, before: &[], reads: &[], edits: &[] };
        let mut seen = 0;
        for run in done.chunk_by(|one, next| one.tool == next.tool) {
            match run.first().map(|first| first.tool.as_str()) {
                Some("Read") => {
                    let before = done.get(..seen).unwrap_or_default();
                    pass = Self { number: pass.number + 1, before, reads: run, edits: &[] };
                }
                Some("Edit") => pass.edits = run,
                _ => {}
            }
            seen += run.len();
        }
        pass
    }

    fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for path in self.reads.iter().filter_map(|read| read.field("file_path")) {
            if !files.iter().any(|file| file == path) {
                files.push(path.to_owned());
            }
        }
        files
    }
}

fn place(sentence: &Sentence, context: Option<&Context>) -> Where {
    if !sentence.files.is_empty() {
        // Who stands in a file may call it by its last name.
        let meant = |file: &String| match context {
            Some(context) if same_file(&context.path, file) => context.path.clone(),
            _ => file.clone(),
        };
        return Where::Files(sentence.files.iter().map(meant).collect());
    }
    let here = || context.map(|context| Where::Files(vec![context.path.clone()]));
    match &sentence.instruction {
        Instruction::Rename { from, .. } => Where::Matches {
            pattern: format!("\\b{}\\b", regex::escape(from)),
            what: format!("`{from}` in it"),
        },
        Instruction::Replace { old: text, .. } | Instruction::DeleteLine(Line::Text(text)) => here()
            .unwrap_or_else(|| Where::Matches {
                pattern: regex::escape(text),
                what: format!("`{text}` in it"),
            }),
        Instruction::Document { target: Some(target) } | Instruction::MakeAsync { target: Some(target) } => {
            here().unwrap_or_else(|| Where::Matches {
                pattern: format!("\\b(fn|def|func|function|class|struct|enum|trait|type) {target}\\b"),
                what: format!("a definition of `{target}`"),
            })
        }
        Instruction::DeleteLine(Line::Number(_))
        | Instruction::Document { target: None }
        | Instruction::MakeAsync { target: None }
        | Instruction::WriteTests
        | Instruction::Fix { .. }
        | Instruction::Explain => here().unwrap_or(Where::Unsaid),
    }
}

/// The paths in what Grep said: one a line, beside its own remarks.
fn files_found(result: &str) -> Vec<String> {
    result
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['(', '[']))
        .filter(|line| !line.starts_with("Found ") && !line.starts_with("No "))
        .map(str::to_owned)
        .collect()
}

fn call(tool: &'static str, input: Value) -> Call {
    Call { tool, input }
}

fn said(text: String) -> Turn {
    Turn { text, calls: Vec::new() }
}
