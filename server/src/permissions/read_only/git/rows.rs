//! The options of git's subcommands that only look.

use super::super::options::Row;
use super::{Operands, Subcommand};

/// Without `--output`, which writes, `--ext-diff` and `--textconv`, which start programs, and `--no-index`, which compares
/// files anywhere.
pub(super) const DIFF: Row = "-p -u -s -U: -z -w -b -W -R -a -M? -C? -B? -S: -G: -1 -2 -l: --patch --no-patch --unified= --raw \
    --patch-with-raw --patch-with-stat --minimal --patience --histogram --diff-algorithm= --anchored= --stat? --compact-summary \
    --numstat --shortstat --dirstat? --summary --name-only --name-status --color? --no-color --color-moved? --word-diff? \
    --word-diff-regex= --color-words? --no-renames --find-renames? --find-copies? --find-copies-harder --break-rewrites? \
    --irreversible-delete --text --ignore-space-change --ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol \
    --ignore-blank-lines --ignore-matching-lines= --function-context --exit-code --quiet --no-ext-diff --no-textconv \
    --diff-filter= --pickaxe-regex --pickaxe-all --relative? --no-relative --src-prefix= --dst-prefix= --no-prefix --cached \
    --staged --merge-base --inter-hunk-context= --abbrev? --full-index --binary --check --indent-heuristic \
    --no-indent-heuristic --ws-error-highlight= --line-prefix= --ignore-submodules?";

/// Without `--show-signature`, which starts a program.
pub(super) const LOG: Row = "-NUM -n: -i -E -F -P -c -m -g -L: --oneline --graph --no-graph --all --branches? --tags? --remotes? \
    --glob= --exclude= --decorate? --no-decorate --decorate-refs= --max-count= --skip= --since= --after= --until= --before= \
    --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings \
    --perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent --reverse --follow --date= --relative-date \
    --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --topo-order --date-order --author-date-order \
    --abbrev-commit --no-abbrev-commit --simplify-by-decoration --full-history --ancestry-path? --not --walk-reflogs --source \
    --use-mailmap --no-mailmap --boundary --merge --cc --diff-merges= --no-notes --notes? --parents --children --dense --sparse \
    --count --no-walk? --encoding= --no-show-signature --clear-decorations";

pub(super) const FORMATS: Row = "--format= --pretty?";

pub(super) const BLAME: Row = "-L: -l -t -s -e -w -M? -C? -f -n -p -c --root --show-stats --show-name --show-number --show-email \
    --porcelain --line-porcelain --incremental --date= --since= --abbrev= --color-lines --color-by-age --first-parent \
    --no-textconv";

/// Without `-O`, which opens what it finds in a program, and `--textconv`.
pub(super) const GREP: Row = "-NUM -a -i -I -w -v -h -H -E -G -P -F -n -l -L -z -o -c -p -W -q -e: -f< -A: -B: -C: -m: \
    --cached --untracked --no-textconv --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp \
    --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only \
    --files-without-match --null --only-matching --count --color? --no-color --break --heading --show-function \
    --function-context --and --or --not --all-match --quiet --max-depth= --max-count= --recursive --no-recursive \
    --after-context= --before-context= --context= --threads= --exclude-standard --no-exclude-standard";

pub(super) const REFS: Row = "--format= --sort= --count= --contains? --no-contains? --merged? --no-merged? --points-at= --ignore-case \
    --exclude= --color?";

pub(super) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        names: &["diff", "diff-index", "diff-files", "diff-tree"],
        options: &[DIFF, "-r -t --root --stdin -m -c"],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["log", "show", "whatchanged", "rev-list"],
        options: &[DIFF, LOG, FORMATS],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["status"],
        options: &[
            "-s -b -v -u? -z --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? \
            --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["ls-files"],
        options: &[
            "-c -d -m -o -i -s -u -k -z -t -v -f -x: --cached --deleted --modified --others --ignored --stage --unmerged \
            --killed --exclude-standard --directory --no-empty-directory --exclude= --full-name --error-unmatch --abbrev? --eol \
            --deduplicate",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["ls-tree"],
        options: &[
            "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev?",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["rev-parse"],
        options: &[
            "-q --quiet --verify --abbrev-ref? --short? --symbolic --symbolic-full-name --show-toplevel --show-prefix \
            --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir \
            --is-bare-repository --is-shallow-repository --all --branches? --tags? --remotes? --path-format=",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["describe"],
        options: &[
            "--tags --all --long --always --abbrev= --exact-match --match= --exclude= --first-parent --contains --candidates=",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["shortlog"],
        options: &["-n -s -e -c --numbered --summary --email --since= --until= --no-merges --merges --all"],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["branch"],
        options: &[
            REFS,
            "-a -r -l -v -i --all --remotes --list --verbose --show-current --abbrev= --no-abbrev --column? --no-column \
            --no-color",
        ],
        operands: Operands::OnlyListed,
    },
    Subcommand {
        names: &["tag"],
        options: &[REFS, "-l -i --list -n? --column? --no-column"],
        operands: Operands::OnlyListed,
    },
    Subcommand { names: &["remote"], options: &["-v --verbose"], operands: Operands::None },
    Subcommand { names: &["cat-file"], options: &["-p -t -s -e"], operands: Operands::Any },
    Subcommand {
        names: &["merge-base"],
        options: &["-a --all --is-ancestor --fork-point --octopus --independent"],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["name-rev"],
        options: &["--name-only --tags --refs= --always"],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["show-ref"],
        options: &[
            "-q -s -d --head --heads --branches --tags --verify --hash? --abbrev? --quiet --dereference",
        ],
        operands: Operands::Any,
    },
    Subcommand {
        names: &["count-objects"],
        options: &["-v -H --verbose --human-readable"],
        operands: Operands::None,
    },
    Subcommand {
        names: &["check-ignore"],
        options: &["-q -v -n -z --quiet --verbose --non-matching --no-index"],
        operands: Operands::Any,
    },
    Subcommand { names: &["cherry"], options: &["-v"], operands: Operands::Any },
];
