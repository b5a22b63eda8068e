//! Which commands are read-only, and what they read.

use super::*;
use crate::shell::command::{Parsed, parse};

fn told(text: &str) -> Option<String> {
    let Parsed::Script(script) = parse(text) else { panic!("{text}") };
    let [command] = script.commands.as_slice() else { panic!("{text}") };
    let reads = reads(&command.words)?;
    Some(reads.iter().map(|word| word.literal.as_deref().unwrap_or("?")).collect::<Vec<_>>().join(" "))
}

/// `text` only reads, namely `want`.
#[track_caller]
fn check(text: &str, want: &str) {
    assert_eq!(told(text).as_deref(), Some(want), "{text}");
}

#[track_caller]
fn check_refused(texts: &[&str]) {
    for text in texts {
        assert_eq!(told(text), None, "{text}");
    }
}

#[test]
fn files_and_folders() {
    check("ls", ".");
    check("ls -la --color=auto src 'a b'", "src a b");
    check("ls *.rs", "?");
    check("cat -n a b", "a b");
    check("cat -", "");
    check("head -20 a", "a");
    check("tail -n 5 -- -x", "-x");
    check("wc -l src/*.rs", "?");
    check("stat -c %s f", "f");
    check("du -sh", ".");
    check("diff -u a b", "a b");
    check("pwd", "");
    check("which cargo", "");
    check_refused(&[
        "tree -o f",
        "tree -R",
        "file -C",
        "diff -l a b",
        "wc --files0-from=f",
        "ls --unlisted",
        "wc *",
        "du *",
    ]);
}

#[test]
fn text() {
    check("grep -rn pattern src", "src");
    check("grep -rn pattern", ".");
    check("grep -e a f g", "f g");
    check("grep -f patterns f", "patterns f");
    check("grep -A3 -i x f", "f");
    check("rg -n --hidden pattern", ".");
    check("rg --files src", "src");
    check("rg /api/ src", "src");
    check("rg -g '*.rs' x", ".");
    check("sort -t, -k2 f", "f");
    check("uniq -c f", "f");
    check("cut -d: -f1 f", "f");
    check("tr a-z A-Z", "");
    check_refused(&[
        "sort -o f g",
        "sort -uo f g",
        "sort --output=f g",
        "sort --outp=f g",
        "sort -T d f",
        "sort --compress-program=x f",
        "sort *",
        "sort $x",
        "uniq a b",
        "uniq a*",
        "rg --pre ./x pat",
        "rg -z x",
        "rg --hostname-bin x y",
        "rg -L x",
        "grep -R x",
        "rg $x",
    ]);
}

#[test]
fn find() {
    check("find . -name '*.rs' -type f", ".");
    check("find src tests \\( -name a -o -name b \\) ! -path './x/*' -print0", "src tests");
    check("find -maxdepth 2", ".");
    check("find . -name '-exec'", ".");
    check("find . -newer f", ". f");
    check_refused(&[
        "find . -exec touch x {} +",
        "find . -execdir x \\;",
        "find . -ok x \\;",
        "find . -okdir x \\;",
        "find . -delete",
        "find . -fprint f",
        "find . -fprint0 f",
        "find . -fprintf f x",
        "find . -fls f",
        "find -L .",
        "find . -follow",
        "find . $x",
        "find *",
        "find . -name",
        "find . -files0-from f",
        "find . -unlisted",
    ]);
}

#[test]
fn sed_and_jq() {
    check("sed -n '1,5p' f", "f");
    check("sed -n '/fn main/,$p;10q' f", "f");
    check("sed -n -e 3p -e '$=' f", "f");
    check("sed 's/a/b/g; s#/x/#y#' f", "f");
    check("sed '1,/^$/d' f", "f");
    check("jq -r .name package.json", "package.json");
    check("jq '.a[] | select(.b == \"c\")' f", "f");
    check_refused(&[
        "sed -i s/a/b/ f",
        "sed --in-place s/a/b/ f",
        "sed -n 'w f' g",
        "sed '1e touch x' f",
        "sed 's/a/b/e' f",
        "sed 's/a/b/w f' g",
        "sed -f script f",
        "sed -n '1p;w f' g",
        "sed 'r /etc/x' f",
        "sed \"$x\" f",
        "sed",
        "sed 's/[/]/x/w y/' f",
        "sed -ni p f",
        "jq env f",
        "jq '$ENV.x' f",
        "jq 'import \"a\" as a; .' f",
        "jq -f x f",
        "jq --unlisted . f",
    ]);
}

#[test]
fn the_shell_itself() {
    check("echo -n 'a b' $? \"$HOME\"", "");
    check("printf '%s\\n' a", "");
    check("cd src", "src");
    check("test -f a", "a");
    check("[ -d src -a 1 -lt 2 ]", "src 1 2");
    check("command -v cargo", "");
    check_refused(&[
        "echo $x",
        "printf -v x y",
        "printf -- -v",
        "cd",
        "cd -",
        "cd $x",
        "test -v 'a[$(x)]'",
        "[ -R x ]",
        "test $x",
        "command ls",
        "type -a ls",
        "read x",
        "eval ls",
        "source f",
        "export A=b",
        "set -x",
        "exec ls",
    ]);
}

#[test]
fn git_looks() {
    check("git diff --stat HEAD -- src", "HEAD src");
    check("git --no-pager log --oneline -20", "");
    check("git log --format='%H %s' main..dev", "main..dev");
    check("git log --pretty=format:%h", "");
    check("git show HEAD:src/lib.rs", "src/lib.rs");
    check("git status -sb", "");
    check("git blame -L 1,5 f", "f");
    check("git grep -n x -- src", "src");
    check("git branch --list", "");
    check("git branch -a", "");
    check("git branch --list 'a*'", "");
    check("git tag -l 'v*'", "");
    check("git remote -v", "");
    check("git stash list", "");
    check("git stash show -p", "");
    check("git reflog", "");
    check("git rev-parse --abbrev-ref HEAD", "HEAD");
    check("git ls-files -o --exclude-standard", "");
    check("git diff /etc/a ../b", "/etc/a ../b");
}

#[test]
fn git_writes_or_starts_programs() {
    check_refused(&[
        "git diff --output=f",
        "git diff --output f",
        "git log --output=f",
        "git show --output=f",
        "git diff --ext-diff",
        "git diff --textconv",
        "git diff --no-index a b",
        "git diff -O f",
        "git diff --outp=f",
        "git diff $x",
        "git -c diff.external=x diff",
        "git -C .. diff",
        "git --git-dir=x diff",
        "git -p log",
        "git --exec-path=x log",
        "git grep -Ox y",
        "git grep --open-files-in-pager=x y",
        "git grep --textconv x",
        "git grep --no-index x",
        "git branch -D a",
        "git branch a",
        "git branch -m a",
        "git branch --edit-description",
        "git tag t",
        "git tag -d t",
        "git tag -v t",
        "git remote add a b",
        "git remote show a",
        "git remote update",
        "git config user.name x",
        "git stash",
        "git stash pop",
        "git reflog expire --all",
        "git reflog delete x",
        "git log --show-signature",
        "git log --format=%G?",
        "git log --pretty=mine",
        "git log --format=mine",
        "git for-each-ref --format='%(signature)'",
        "git fetch",
        "git pull",
        "git push",
        "git commit",
        "git checkout x",
        "git restore x",
        "git clean",
        "git worktree add x",
        "git blame --contents f g",
        "git cat-file --textconv x",
        "git cat-file --filters x",
        "git archive HEAD",
        "git help log",
        "git my-alias",
        "git",
        "git difftool",
        "git submodule status",
        "git bisect log",
        "git notes",
        "git ls-remote",
        "git rev-parse --parseopt",
        "git status --unlisted",
    ]);
}
