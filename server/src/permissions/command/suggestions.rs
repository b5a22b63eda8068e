//! The rules that an "always" would save for a command.

use super::{Part, wrappers};
use crate::shell::command::{SimpleCommand, Word};

const MOST: usize = 5;

/// Longer commands are not saved whole: nobody reads such a rule.
pub(super) const LONGEST: usize = 120;

/// Programs that do quite different things by their first argument.
const BY_SUBCOMMAND: &[&str] = &[
    "apt", "brew", "bun", "bundle", "cargo", "composer", "deno", "docker", "dotnet", "gh", "git", "go",
    "gradle", "just", "kubectl", "make", "mix", "mvn", "nix", "npm", "pip", "pnpm", "poetry", "rails",
    "rake", "rustup", "stack", "swift", "uv", "yarn", "zig",
];

/// Programs that run a program they are given: a script by name is offered whole, one in the command line never.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bash",
    "dash",
    "fish",
    "gawk",
    "ksh",
    "lua",
    "node",
    "nodejs",
    "npx",
    "osascript",
    "perl",
    "php",
    "psql",
    "python",
    "python2",
    "python3",
    "ruby",
    "sh",
    "sqlite3",
    "ssh",
    "tclsh",
    "zsh",
];

/// Programs that write where their arguments say: only the whole command is offered.
const WHOLE: &[&str] = &[
    "chmod", "chown", "cp", "curl", "dd", "kill", "ln", "mv", "pkill", "rm", "rmdir", "rsync", "scp", "sed",
    "sort", "tar", "tee", "touch", "tree", "truncate", "uniq", "wget",
];

/// Nothing is offered: what they run stands in their arguments, or they change the shell itself.
const NEVER: &[&str] = &[
    ".", "alias", "builtin", "command", "declare", "doas", "enable", "env", "eval", "exec", "export", "find",
    "flock", "hash", "ionice", "nice", "nohup", "parallel", "popd", "pushd", "readonly", "script", "set",
    "setsid", "shopt", "source", "stdbuf", "su", "sudo", "time", "timeout", "trap", "typeset", "unalias",
    "unset", "watch", "xargs",
];

/// Whole rules, such as `Bash(cargo test:*)`; empty if one part would be left without.
pub(super) fn of(commands: &[SimpleCommand], parts: &[Part]) -> Vec<String> {
    let mut found = Vec::new();
    for (command, _) in commands.iter().zip(parts).filter(|(_, part)| !part.read_only) {
        if command.words.is_empty() {
            continue;
        }
        let Some(spec) = spec(command) else { return Vec::new() };
        let rule = format!("Bash({})", escaped(&spec));
        if !found.contains(&rule) {
            found.push(rule);
        }
    }
    found.truncate(MOST);
    found
}

/// Why nothing is offered for a command that no rule can speak of well, in a sentence for the person.
pub(super) fn why_none(commands: &[SimpleCommand], parts: &[Part]) -> Option<String> {
    commands.iter().zip(parts).filter(|(_, part)| !part.read_only).find_map(|(command, _)| {
        let words = wrappers::stripped(command).words;
        let program = words.first()?.literal.clone()?;
        let name = program.rsplit('/').next().unwrap_or(&program);
        if spec(command).is_some() {
            None
        } else if INTERPRETERS.contains(&name) {
            Some(format!(
                "`{program}` runs a program that is given here, and a rule for that would let any run."
            ))
        } else if NEVER.contains(&name) {
            Some(format!(
                "What `{program}` does stands behind it, and a rule for it would let that be anything."
            ))
        } else {
            None
        }
    })
}

fn spec(command: &SimpleCommand) -> Option<String> {
    let words = wrappers::stripped(command).words;
    let program = words.first()?.literal.as_deref()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:+@".contains(c));
    if NEVER.contains(&name) || !is_plain(program) || !command.assignments.is_empty() {
        return None;
    }
    if INTERPRETERS.contains(&name) {
        let runs_file =
            words.get(1).is_some_and(|word| !word.starts_with.starts_with('-') && is_plain(&word.source));
        return if runs_file { whole(&words) } else { None };
    }
    if WHOLE.contains(&name) {
        return whole(&words);
    }
    if !BY_SUBCOMMAND.contains(&name) {
        return Some(format!("{program}:*"));
    }
    let plain = |at: usize| {
        let text = words.get(at).and_then(|word| word.literal.as_deref())?;
        (is_plain(text) && !text.starts_with('-')).then_some(text)
    };
    match (plain(1), plain(2)) {
        (Some(first @ "run"), Some(second)) if name != "cargo" && name != "go" => {
            Some(format!("{program} {first} {second}:*"))
        }
        (None | Some("exec" | "x" | "dlx" | "config" | "eval"), _) | (Some("run"), None) => whole(&words),
        (Some(first), _) => Some(format!("{program} {first}:*")),
    }
}

/// The command as it stands, if all of it is known and it holds no `*`, which would mean more in a rule.
fn whole(words: &[Word]) -> Option<String> {
    let known = words.iter().all(|word| word.literal.is_some());
    let text = words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(" ");
    (known && !text.contains(['*', '\n']) && text.len() <= LONGEST).then_some(text)
}

/// As a rule writes it: parentheses and backslashes don't stand for themselves.
fn escaped(spec: &str) -> String {
    let mut out = String::new();
    for c in spec.chars() {
        if matches!(c, '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
