//! Commands to try: what is known to do harm, what only reads, and what chance makes of both.

use std::fs;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// The commands of the cases about permissions.
pub(crate) fn payloads() -> Vec<String> {
    let mut found = Vec::new();
    for name in ["49-compound-commands", "51-find-xargs-and-other-readers", "53-git-subcommands-that-write"] {
        let path = format!("{}/cases/{name}/case.json", env!("CARGO_MANIFEST_DIR"));
        let case: Value = serde_json::from_str(&fs::read_to_string(&path).expect(&path)).unwrap();
        let rows = case["rows"].as_array().unwrap().iter();
        found.extend(rows.map(|row| row["command"].as_str().unwrap().to_owned()));
    }
    found
}

/// Commands that people run to look around.
pub(crate) const READ_ONLY: &[&str] = &[
    "ls",
    "ls -la src",
    "ls *.json",
    "cat a",
    "cat -n a b",
    "head -n 2 a",
    "tail -2 a",
    "wc -l a b",
    "stat a",
    "du -sh .",
    "pwd",
    "file a",
    "diff -u a b",
    "cmp a b",
    "grep -rn main src",
    "grep -c a b",
    "egrep 'a|b' a",
    "rg main src",
    "sort a",
    "sort -u -k1 a b",
    "uniq -c a",
    "cut -d: -f1 a",
    "tr a b < a",
    "nl a",
    "tac a",
    "rev a",
    "paste a b",
    "fold -w 3 a",
    "strings a",
    "od -c a",
    "sha256sum a",
    "realpath a",
    "basename src/lib.rs",
    "dirname src/lib.rs",
    "seq 3",
    "which ls",
    "echo a 'b c' \"$HOME\"",
    "printf '%s\\n' a",
    "true",
    "test -f a",
    "[ -d src ]",
    "cd src",
    "command -v ls",
    "type ls",
    "find . -name '*.rs' -type f",
    "find src -maxdepth 1 -print0",
    "find . -newer a ! -name b",
    "sed -n '1,2p' a",
    "sed 's/a/b/g' a",
    "sed -n '/a/,$p' a",
    "jq .name package.json",
    "git status",
    "git status -sb",
    "git diff",
    "git diff --stat HEAD",
    "git log --oneline -3",
    "git log --format=%H",
    "git show HEAD",
    "git show HEAD:a",
    "git blame a",
    "git grep -n main",
    "git branch",
    "git branch --list",
    "git tag -l",
    "git remote -v",
    "git ls-files",
    "git ls-tree HEAD",
    "git rev-parse HEAD",
    "git describe --tags --always",
    "git shortlog -sn HEAD",
    "git stash list",
    "git reflog",
    "git cat-file -p HEAD",
    "git merge-base main other",
    "git for-each-ref",
    "git show-ref",
    "git worktree list",
    "git rev-list --count HEAD",
    "git diff --cached --name-only",
    "git --no-pager log -p",
    "git check-ignore a",
    "git count-objects -v",
    "git name-rev HEAD",
    "git cherry other",
    "cat a | grep a | sort | uniq -c",
    "cd src && ls",
    "ls 2>/dev/null || true",
    "if [ -f a ]; then cat a; fi",
    "cat < a",
    "(cat a; cat b)",
    "for i in a b; do ls; done",
    "diff <(sort a) <(sort b)",
    "cat <<'EOF'\n$(touch PWNED)\nEOF",
    "! grep -q zzz a",
];

/// Words that may turn a command that reads into one that does not.
const SPICE: &[&str] = &[
    "-o",
    "-oPWNED",
    "--output=PWNED",
    "--output",
    "PWNED",
    "-exec",
    "touch PWNED",
    "{}",
    "+",
    "\\;",
    "-delete",
    "-ok",
    "-fprint",
    "-fls",
    "-i",
    "-n",
    "-e",
    "-f",
    "-c",
    "-p",
    "-w",
    "-z",
    "-T",
    "-O",
    "-Ox",
    "-L",
    "-R",
    "-C",
    "--",
    "'w PWNED'",
    "'1e touch PWNED'",
    "'s/a/b/w PWNED'",
    "'s/a/b/e'",
    "'1p;w PWNED'",
    "--pre",
    "--pre=x",
    "--ext-diff",
    "--textconv",
    "--format=%G?",
    "--show-signature",
    "--paginate",
    "*",
    "./*",
    "$x",
    "\"$x\"",
    "${x:-a}",
    "$(touch PWNED)",
    "`touch PWNED`",
    "\"$(touch PWNED)\"",
    "<(touch PWNED)",
    ">(touch PWNED)",
    "> PWNED",
    "2>PWNED",
    ">>PWNED",
    ">|PWNED",
    "&>PWNED",
    "<>PWNED",
    ">&PWNED",
    "{a,b}",
    "{-o,PWNED}",
    "$'\\x2doPWNED'",
    "~",
    "#",
    "\\",
    "'",
    "\"",
    "(",
    ")",
    "{",
    "}",
    "a",
    "b",
    "src",
    "unlisted",
    "touch",
    "env",
    "xargs",
    "sh -c 'touch PWNED'",
    "PATH=.",
    "GIT_PAGER=unlisted",
    "LANG=C",
    "time",
    "timeout 1",
    "command",
    "!",
    "-v",
    "'x[$(touch PWNED)]'",
    "-D",
    "-d",
    "-m",
    "--list",
    "other",
    "new",
    "<<EOF",
    "EOF",
    "\\\n",
    "é",
    "\u{a0}",
];

const JOINS: &[&str] =
    &[" ", " ", " ", " ", "; ", " && ", " || ", " | ", " |& ", " & ", "\n", "", "\t", " \\\n"];

/// Lines made of the above: whole commands joined, with words put in, cut out and doubled.
pub(crate) fn made_up() -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), select(SPICE), select(JOINS), 0..4_u8);
    let more = (select(JOINS), select(READ_ONLY));
    (select(READ_ONLY), prop::collection::vec(more, 0..2), prop::collection::vec(change, 0..3)).prop_map(
        |(first, more, changes)| {
            let line = more.iter().fold(first.to_owned(), |line, (join, command)| line + join + command);
            changes.iter().fold(line, |line, (at, spice, join, kind)| changed(&line, *at, spice, join, *kind))
        },
    )
}

fn changed(line: &str, at: prop::sample::Index, spice: &str, join: &str, kind: u8) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let place = at.index(words.len());
    let (before, after) = words.split_at(place);
    let (word, rest) = after.split_first().unwrap();
    let middle = match kind {
        0 => format!("{word}{join}{spice}"),
        1 => format!("{spice}{join}{word}"),
        2 => format!("{word} {word}"),
        _ => spice.to_owned(),
    };
    [before.join(" "), middle, rest.join(" ")].join(" ").trim().to_owned()
}
