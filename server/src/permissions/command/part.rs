//! One simple command as rules see it: its spellings, and what it reads and writes.

use super::{Part, edits, wrappers};
use crate::permissions::read_only;
use crate::shell::command::{Direction, Expansion, Parsed, Redirection, SimpleCommand, Word, parse, quoted};

/// A part, and the words that name what it reads and writes.
pub(super) struct Known {
    pub(super) part: Part,
    pub(super) reads: Vec<Word>,
    pub(super) edits: Vec<Word>,
    /// Those of `edits` of whose text nothing stays.
    pub(super) replaces: Vec<Word>,
}

/// Programs whose arguments are commands, and which no rule for a beginning allows.
const RUNNERS: &[&str] = &["watch", "setsid", "ionice", "flock"];

/// Programs whose arguments hold a command somewhere.
pub(super) const CARRIERS: &[&str] = &[
    "env", "sudo", "doas", "exec", "eval", "xargs", "find", "sh", "bash", "dash", "zsh", "ksh", "nice",
    "timeout", "nohup", "stdbuf", "time", "chroot", "strace", "parallel", "script", "watch", "setsid",
    "ionice", "flock", "busybox", "su", "ssh",
];

/// Programs that run a text which they are given.
pub(super) const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ssh"];

/// Variables that change how a program writes, and not what it does.
const SAFE: &[&str] = &[
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "CI",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CARGO_TERM_COLOR",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "NODE_ENV",
];

pub(super) fn of(command: &SimpleCommand) -> Known {
    let stripped = wrappers::stripped(command);
    let has_safe_environment = command.assignments.iter().all(is_safe);
    let reads = if command.words.is_empty() {
        command.assignments.iter().all(|assignment| is_own_variable(&assignment.name)).then(Vec::new)
    } else {
        read_only::reads(&stripped.words).filter(|_| has_safe_environment)
    };
    let (more_reads, mut edits) = edits::of(&stripped.words);
    let mut replaces = if edits::replaces(&stripped.words) { edits.clone() } else { Vec::new() };
    let read_only = reads.is_some() && edits.is_empty();
    let mut reads = reads.unwrap_or_default();
    reads.extend(more_reads);
    for redirection in &command.redirections {
        match redirection.direction {
            Direction::Read => reads.push(redirection.target.clone()),
            Direction::Write if redirection.target.literal.as_deref() == Some("/dev/null") => {}
            Direction::Write => {
                edits.push(redirection.target.clone());
                if !appends(redirection) {
                    replaces.push(redirection.target.clone());
                }
            }
            Direction::Descriptor | Direction::Text => {}
        }
    }
    let part = Part {
        source: command.source.clone(),
        read_only,
        reads: Vec::new(),
        shows: read_only::shows(&stripped.words),
        exact: exact(command, &stripped, has_safe_environment),
        wider: wider(command, &stripped),
        whole_only: whole_only(&stripped) || whole_only(command),
        starts_shell: command.words.iter().any(|word| SHELLS.contains(&base_name(Some(word)))),
    };
    Known { part, reads, edits, replaces }
}

/// `parts` where a shell may run what the here-documents say, so that rules may forbid that too.
pub(super) fn with_heredocs(mut parts: Vec<Part>, heredocs: &[String]) -> Vec<Part> {
    for part in parts.iter_mut().filter(|part| part.starts_shell) {
        part.wider.extend(heredocs.iter().flat_map(|text| inside(text)));
    }
    parts
}

/// `>>`, whatever stands before it.
fn appends(redirection: &Redirection) -> bool {
    redirection
        .source
        .find('>')
        .and_then(|at| redirection.source.get(at..))
        .is_some_and(|it| it.starts_with(">>"))
}

/// The variable that an assignment without a program sets for later programs, if it may mean something to one.
pub(super) fn lasting_assignment(command: &SimpleCommand) -> Option<&str> {
    let lasting = command.words.is_empty();
    let mut names = command.assignments.iter().filter(|_| lasting).map(|assignment| assignment.name.as_str());
    names.find(|name| !is_own_variable(name))
}

pub(super) fn writes_by_redirection(command: &SimpleCommand) -> bool {
    command.redirections.iter().any(|redirection| {
        redirection.direction == Direction::Write
            && redirection.target.literal.as_deref() != Some("/dev/null")
    })
}

/// A variable of the script's own: in small letters, and none that programs look at.
fn is_own_variable(name: &str) -> bool {
    let small = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    small && name != "_" && !name.ends_with("_proxy") && !name.starts_with("npm_") && name != "histchars"
}

fn is_safe(assignment: &crate::shell::command::Assignment) -> bool {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_.:@,=-".contains(c));
    (SAFE.contains(&assignment.name.as_str()) || assignment.name.starts_with("LC_"))
        && assignment.value.literal.as_deref().is_some_and(plain)
}

/// As written and as the shell reads it, with one blank between words; then without wrappers.
fn exact(command: &SimpleCommand, stripped: &SimpleCommand, safe: bool) -> Vec<String> {
    let mut front = String::new();
    if !safe {
        for assignment in &command.assignments {
            front.extend([&assignment.name, "=", &assignment.value.source, " "]);
        }
    }
    let mut found = Vec::new();
    for words in [&command.words, &stripped.words] {
        for spelled in [as_written(words), as_read(words)] {
            let spelled = format!("{front}{spelled}").trim_end().to_owned();
            if !found.contains(&spelled) {
                found.push(spelled);
            }
        }
    }
    found
}

fn as_written(words: &[Word]) -> String {
    join(words.iter().map(|word| word.source.clone()))
}

/// Each known word in one spelling, however it was quoted.
fn as_read(words: &[Word]) -> String {
    join(words.iter().map(|word| word.literal.as_deref().map_or_else(|| word.source.clone(), quoted)))
}

fn bare(words: &[Word]) -> String {
    join(words.iter().map(|word| word.literal.clone().unwrap_or_else(|| word.source.clone())))
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Spellings that a rule may forbid: without quotes, without the folder of the program, and whatever command the arguments
/// of a program that starts others hold.
fn wider(command: &SimpleCommand, stripped: &SimpleCommand) -> Vec<String> {
    let mut found = Vec::new();
    for words in [&command.words, &stripped.words] {
        found.extend(without_folder(words));
        let program = base_name(words.first());
        if CARRIERS.contains(&program) {
            for start in 1..words.len() {
                found.extend(without_folder(words.get(start..).unwrap_or_default()));
            }
        }
        if CARRIERS.contains(&program) || RUNNERS.contains(&program) {
            found.extend(words.iter().skip(1).filter_map(|word| word.literal.as_deref()).flat_map(inside));
        }
    }
    found
}

fn without_folder(words: &[Word]) -> Vec<String> {
    let all = bare(words);
    let rest = words.get(1..).map(bare).unwrap_or_default();
    let short = format!("{} {rest}", base_name(words.first())).trim().to_owned();
    vec![all, as_read(words), short]
}

pub(super) fn base_name(program: Option<&Word>) -> &str {
    program
        .and_then(|word| word.literal.as_deref())
        .and_then(|name| name.rsplit('/').next())
        .unwrap_or_default()
}

/// The commands of a text that a program is given to run.
fn inside(text: &str) -> Vec<String> {
    if !text.contains(' ') {
        return Vec::new();
    }
    let commands = match parse(text) {
        Parsed::Script(script) => script.commands,
        Parsed::NotUnderstood { seen, .. } => seen,
    };
    commands.iter().flat_map(|command| without_folder(&wrappers::stripped(command).words)).collect()
}

fn whole_only(command: &SimpleCommand) -> bool {
    let program = base_name(command.words.first());
    let runs = |word: &Word| {
        let text = word.starts_with.as_str();
        ["-exec", "-ok", "-delete"].iter().any(|start| text.starts_with(start))
            || word.expansion == Expansion::Any
    };
    RUNNERS.contains(&program) || (program == "find" && command.words.iter().any(runs))
}
