//! The rules that an "always" would save for a command.

use super::{Part, wrappers};
use crate::shell::command::{SimpleCommand, Word};

const MOST: usize = 5;

/// Longer commands are not saved whole: nobody reads such a rule.
const LONGEST: usize = 120;

/// Programs that do quite different things by their first argument.
const BY_SUBCOMMAND: &[&str] = &[
    "apt", "brew", "bun", "bundle", "cargo", "composer", "deno", "docker", "dotnet", "gh", "git", "go", "gradle", "just",
    "kubectl", "make", "mix", "mvn", "nix", "npm", "pip", "pnpm", "poetry", "rails", "rake", "rustup", "stack", "swift", "uv",
    "yarn", "zig",
];

/// Programs that run whatever they are given, or that change what can't be told from how they begin: only the whole command
/// is offered.
const WHOLE: &[&str] = &[
    "awk", "bash", "chmod", "chown", "cp", "curl", "dash", "dd", "fish", "gawk", "kill", "ksh", "ln", "lua", "mv", "node",
    "nodejs", "npx", "perl", "php", "pkill", "psql", "python", "python2", "python3", "rm", "rmdir", "rsync", "ruby", "scp",
    "sed", "sh", "sqlite3", "ssh", "tar", "tclsh", "tee", "touch", "truncate", "wget", "zsh", "osascript", "sort", "uniq", "tree",
];

/// Nothing is offered: what they run stands in their arguments, or they change the shell itself.
const NEVER: &[&str] = &[
    ".", "alias", "builtin", "command", "declare", "doas", "enable", "env", "eval", "exec", "export", "find", "flock", "hash",
    "ionice", "nice", "nohup", "parallel", "popd", "pushd", "readonly", "script", "set", "setsid", "shopt", "source", "stdbuf",
    "su", "sudo", "time", "timeout", "trap", "typeset", "unalias", "unset", "watch", "xargs",
];

/// Of an interpreter, the options that give it a program in the command line.
const INLINE: &[&str] = &["-c", "-e", "-E", "-p", "-r", "-x", "-lc", "-ic", "--eval", "--print", "--command", "--require"];

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

fn spec(command: &SimpleCommand) -> Option<String> {
    let words = wrappers::stripped(command).words;
    let program = words.first()?.literal.as_deref()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:+@".contains(c));
    let inline = words.iter().skip(1).any(|word| word.literal.as_deref().is_none_or(|text| INLINE.contains(&text)));
    let is_interpreter = WHOLE.contains(&name);
    if NEVER.contains(&name) || !is_plain(program) || !command.assignments.is_empty() || (is_interpreter && inline) {
        return None;
    }
    if is_interpreter {
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
        (Some("exec" | "x" | "dlx" | "config" | "eval"), _) => whole(&words),
        (Some(first @ "run"), Some(second)) if name != "cargo" && name != "go" => {
            Some(format!("{program} {first} {second}:*"))
        }
        (Some("run"), None) => whole(&words),
        (Some(first), _) => Some(format!("{program} {first}:*")),
        (None, _) => whole(&words),
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
