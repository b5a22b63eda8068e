//! `git`: subcommands that look, each with the options that keep them from writing and from starting programs.
//!
//! What a repository's own configuration starts (filters, text conversion, a monitor of the file system) is not told from a
//! command line.

mod rows;

use self::rows::{BLAME, DIFF, FORMATS, GREP, LOG, REFS, SUBCOMMANDS};
use super::options::{self, Given, Row, Unknown};
use crate::shell::command::Word;

/// In front of the subcommand. `-c`, `-C`, `--git-dir` and `--paginate` change which repository, configuration and programs
/// are used.
const IN_FRONT: &[&str] = &[
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
];

/// What the operands of a subcommand are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Revisions and paths.
    Any,
    /// A pattern unless `-e` gives it, then revisions and paths.
    PatternFirst,
    /// Names of branches or tags, which are made unless the subcommand is told to list.
    OnlyListed,
    None,
}

/// A subcommand, and its own subcommand where it has some.
pub(super) struct Subcommand {
    pub(super) names: &'static [&'static str],
    pub(super) options: &'static [Row],
    pub(super) operands: Operands,
}

pub(super) fn reads(arguments: &[Word]) -> Option<Vec<Word>> {
    let mut left = arguments;
    while let [option, rest @ ..] = left
        && IN_FRONT.contains(&option.literal.as_deref()?)
    {
        left = rest;
    }
    let (name, rest) = left.split_first()?;
    let name = name.literal.as_deref()?;
    let next = rest.first().and_then(|word| word.literal.as_deref());
    match (name, next) {
        ("--version" | "version", _) => rest.is_empty().then(Vec::new),
        ("reflog", None | Some("show")) => {
            by_options(rest.get(1..).unwrap_or_default(), &[LOG, DIFF, FORMATS], Operands::Any)
        }
        ("stash", Some("list")) => by_options(rest.get(1..)?, &[LOG, FORMATS], Operands::None),
        ("stash", Some("show")) => by_options(rest.get(1..)?, &[DIFF], Operands::Any),
        ("worktree", Some("list")) => {
            by_options(rest.get(1..)?, &["-v --porcelain -z --verbose"], Operands::None)
        }
        ("remote", Some("get-url")) => {
            by_options(rest.get(1..)?, &["--all --push"], Operands::Any).map(|_| Vec::new())
        }
        ("blame", _) => by_options(rest, &[BLAME], Operands::Any),
        ("grep", _) => by_options(rest, &[GREP], Operands::PatternFirst),
        ("for-each-ref", _) => by_options(rest, &[REFS], Operands::Any),
        _ => {
            let subcommand = SUBCOMMANDS.iter().find(|subcommand| subcommand.names.contains(&name))?;
            by_options(rest, subcommand.options, subcommand.operands)
        }
    }
}

/// Whether a subcommand has options that write a file: a word that is only known when it runs may be one.
pub(in crate::permissions) fn may_write_output(subcommand: &str) -> bool {
    SUBCOMMANDS.iter().any(|known| known.names.contains(&subcommand) && known.options.contains(&DIFF))
        || matches!(subcommand, "reflog" | "stash" | "format-patch" | "archive" | "bundle" | "range-diff")
}

fn by_options(arguments: &[Word], rows: &[Row], operands: Operands) -> Option<Vec<Word>> {
    let given = options::read(arguments, rows, Unknown::Refused)?;
    let names_no_program = given.values(&["--format", "--pretty", "--sort"]).all(is_plain_format);
    let lists = given.has(&["-l", "--list"]);
    let Given { mut operands, files, .. } = match operands {
        Operands::None | Operands::OnlyListed if !given.operands.is_empty() && !lists => return None,
        Operands::OnlyListed | Operands::None => Given { operands: Vec::new(), ..given },
        Operands::PatternFirst => without_pattern(given),
        Operands::Any => given,
    };
    operands.extend(files);
    names_no_program.then(|| operands.iter().filter_map(path).collect())
}

fn without_pattern(mut given: Given) -> Given {
    if !given.has(&["-e", "-f"]) && !given.operands.is_empty() {
        given.operands.remove(0);
    }
    given
}

/// A format that is spelled out: a name may stand for one in the configuration, and `%G` and `%(signature)` start a program.
fn is_plain_format(format: &Word) -> bool {
    const NAMED: &[&str] =
        &["oneline", "short", "medium", "full", "fuller", "reference", "email", "raw", "mboxrd"];
    format.literal.as_deref().is_some_and(|text| {
        let spelled_out = text.contains('%') || text.starts_with("format:") || text.starts_with("tformat:");
        let is_key = text.trim_start_matches('-').split(':').next().is_some_and(|key| {
            matches!(
                key,
                "refname" | "committerdate" | "authordate" | "creatordate" | "version" | "v" | "taggerdate"
            )
        });
        (spelled_out || is_key || NAMED.contains(&text))
            && !text.contains("%G")
            && !text.contains("signature")
    })
}

/// The path in an operand: behind the colon of `HEAD:file`, or the whole, which may be a revision instead.
fn path(operand: &Word) -> Option<Word> {
    match operand.literal.as_deref() {
        Some(text) if text.starts_with(':') && !text.contains("..") => None,
        Some(text) => Some(Word::plain(text.rsplit_once(':').map_or(text, |(_, path)| path))),
        None => Some(operand.clone()),
    }
}
