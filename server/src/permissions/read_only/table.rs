//! Programs that only read, each with the options that keep it so.

use super::options::{Row, Unknown};

/// One program.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) options: Row,
    pub(super) operands: Operands,
    /// For the options of the program as it is installed, not only for those listed.
    pub(super) unknown: Unknown,
}

/// What the words that are no options are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files to read, or none.
    Files,
    /// Files to read; without one, the folder the program runs in.
    FilesOrHere,
    /// A pattern, unless an option gives one, then files.
    PatternThenFiles,
    /// At most one file: a second is written.
    OneFile,
    /// Words that name no file.
    Texts,
}

/// Programs of which no option writes or starts anything take words that are only known when they run.
const ANY: Unknown = Unknown::Operand;
const LISTED: Unknown = Unknown::Refused;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["ls"],
        operands: Operands::FilesOrHere,
        unknown: ANY,
        options: "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U \
            -v -w: -x -X -Z -1 --all --almost-all --author --color? --classify? --directory --escape --file-type \
            --format= --full-time --group-directories-first --human-readable --hide= --ignore= --indicator-style= \
            --inode --no-group --numeric-uid-gid --quote-name --recursive --reverse --size --sort= --time= \
            --time-style= --width= --zero --version --help",
    },
    Program {
        names: &["cat"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends --show-nonprinting \
            --show-tabs --squeeze-blank --version --help",
    },
    Program {
        names: &["head"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-NUM -c: -n: -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated",
    },
    Program {
        names: &["tail"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-NUM -c: -n: -q -v -z -f -F --bytes= --lines= --follow? --pid= --quiet --silent --retry -s: \
            --sleep-interval= --verbose --zero-terminated",
    },
    Program {
        names: &["wc"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=",
    },
    Program {
        names: &["stat"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-L -f -c: -t --dereference --file-system --format= --printf= --terse --cached=",
    },
    Program {
        names: &["du"],
        operands: Operands::FilesOrHere,
        unknown: LISTED,
        options: "-0 -a -b -B: -c -d: -h -k -l -m -P -s -S -t: -x --all --apparent-size --block-size= --bytes \
            --exclude= --human-readable --inodes --max-depth= --null --one-file-system --separate-dirs --si \
            --summarize --threshold= --time? --total",
    },
    Program {
        names: &["tree"],
        operands: Operands::FilesOrHere,
        unknown: LISTED,
        options: "-a -d -f -x -L: -P: -I: -p -u -g -s -h -D -F -q -N -Q -r -t -U -v -c -S -A -n -C -i -J -X --du --si \
            --prune --gitignore --noreport --dirsfirst --filesfirst --matchdirs --ignore-case --charset= --filelimit= \
            --timefmt= --sort?",
    },
    Program {
        names: &["file"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-b -h -i -k -L -n -N -r -s -0 -E -F: --brief --mime --mime-type --mime-encoding --keep-going \
            --no-dereference --dereference --no-pad --raw --separator= --extension",
    },
    Program {
        names: &["diff"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-a -b -B -c -C: -d -e -E -F: -H -i -I: -n -N -p -q -r -s -t -T -u -U: -w -W: -x: -y -Z \
            --brief --changed-group-format= --color? --context? --ed --exclude= --expand-tabs --horizon-lines= \
            --ignore-all-space --ignore-blank-lines --ignore-case --ignore-file-name-case --ignore-matching-lines= \
            --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --label= --left-column --line-format= \
            --minimal --new-file --no-dereference --normal --rcs --recursive --report-identical-files \
            --show-c-function --show-function-line= --side-by-side --speed-large-files --strip-trailing-cr \
            --suppress-common-lines --tabsize= --text --unified? --width= --from-file< --to-file<",
    },
    Program {
        names: &["cmp"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-b -i: -l -n: -s --silent --quiet",
    },
    Program {
        names: &["comm"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
    },
    Program {
        names: &["grep", "egrep", "fgrep"],
        operands: Operands::PatternThenFiles,
        unknown: ANY,
        options: "-NUM -a -A: -b -B: -c -C: -d: -D: -e: -E -f< -F -G -h -H -i -I -l -L -m: -n -o -P -q -r -s -T -U -v \
            -w -x -y -z -Z --after-context= --basic-regexp --before-context= --binary-files= --byte-offset --color? \
            --colour? --context= --count --devices= --directories= --exclude= --exclude-dir= --exclude-from< \
            --extended-regexp --file< --files-with-matches --files-without-match --fixed-strings --ignore-case \
            --include= --initial-tab --invert-match --label= --line-buffered --line-number --line-regexp --max-count= \
            --no-filename --no-ignore-case --no-messages --null --null-data --only-matching --perl-regexp --quiet \
            --recursive --regexp= --silent --text --with-filename --word-regexp --version",
    },
    Program {
        names: &["rg"],
        operands: Operands::PatternThenFiles,
        unknown: LISTED,
        options: "-0 -. -a -A: -b -B: -c -C: -d: -e: -E: -f< -F -g: -H -i -I -j: -l -m: -M: -n -N -o -p -P -q -r: -s -S \
            -t: -T: -u -U -v -w -x --after-context= --before-context= --binary --byte-offset --case-sensitive \
            --color= --colors= --column --context= --context-separator= --count --count-matches --crlf --encoding= \
            --engine= --field-context-separator= --field-match-separator= --file< --files --files-with-matches \
            --files-without-match --fixed-strings --glob= --glob-case-insensitive --heading --hidden --iglob= \
            --ignore-case --ignore-file< --include-zero --invert-match --json --line-buffered --line-number \
            --line-regexp --max-columns= --max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= \
            --mmap --multiline --multiline-dotall --no-config --no-follow --no-heading --no-hidden --no-ignore \
            --no-ignore-dot --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-line-number \
            --no-filename --no-messages --no-mmap --no-require-git --no-unicode --null --null-data --one-file-system \
            --only-matching --passthru --path-separator= --pcre2 --pretty --quiet --regexp= --replace= --smart-case \
            --sort= --sortr= --stats --text --threads= --trim --type= --type-add= --type-clear= --type-list \
            --type-not= --unrestricted --version --vimgrep --with-filename --word-regexp",
    },
    Program {
        names: &["sort"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -t: -u -V -z --check? --dictionary-order --field-separator= \
            --general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting \
            --key= --merge --month-sort --numeric-sort --random-sort --reverse --sort= --stable --unique \
            --version-sort --zero-terminated",
    },
    Program {
        names: &["uniq"],
        operands: Operands::OneFile,
        unknown: LISTED,
        options: "-c -d -D -f: -i -s: -u -w: -z --all-repeated? --check-chars= --count --group? --ignore-case \
            --repeated --skip-chars= --skip-fields= --unique --zero-terminated",
    },
    Program {
        names: &["cut"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-b: -c: -d: -f: -n -s -z --bytes= --characters= --complement --delimiter= --fields= --only-delimited \
            --output-delimiter= --zero-terminated",
    },
    Program {
        names: &["tr"],
        operands: Operands::Texts,
        unknown: ANY,
        options: "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1",
    },
    Program {
        names: &["nl"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering= --number-format= --number-separator= \
            --number-width= --starting-line-number=",
    },
    Program {
        names: &["tac"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-b -r -s: --before --separator=",
    },
    Program { names: &["rev"], operands: Operands::Files, unknown: LISTED, options: "" },
    Program {
        names: &["paste"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-d: -s -z --delimiters= --serial --zero-terminated",
    },
    Program {
        names: &["fold"],
        operands: Operands::Files,
        unknown: ANY,
        options: "-b -s -w: --bytes --spaces --width=",
    },
    Program {
        names: &["strings"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-a -d -f -n: -o -t: -e: -w -NUM --all --data --bytes= --print-file-name --radix= --encoding=",
    },
    Program {
        names: &["od"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-a -A: -b -c -d -i -j: -l -N: -o -s -t: -v -w? -x --address-radix= --format= --skip-bytes= --read-bytes= \
            --output-duplicates --width?",
    },
    Program {
        names: &["md5sum", "sha1sum", "sha256sum", "sha512sum"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-b -t -z --binary --tag --text --zero",
    },
    Program {
        names: &["realpath", "readlink"],
        operands: Operands::Files,
        unknown: LISTED,
        options: "-e -f -m -n -q -s -z --canonicalize --canonicalize-existing --canonicalize-missing --relative-to< \
            --relative-base< --no-newline --quiet --zero",
    },
    Program {
        names: &["basename"],
        operands: Operands::Texts,
        unknown: ANY,
        options: "-a -s: -z --multiple --suffix= --zero",
    },
    Program { names: &["dirname"], operands: Operands::Texts, unknown: ANY, options: "-z --zero" },
    Program {
        names: &["seq"],
        operands: Operands::Texts,
        unknown: ANY,
        options: "-f: -s: -w --format= --separator= --equal-width",
    },
    Program { names: &["which"], operands: Operands::Texts, unknown: ANY, options: "-a" },
    Program { names: &["pwd"], operands: Operands::Texts, unknown: LISTED, options: "-L -P" },
    Program { names: &["whoami"], operands: Operands::Texts, unknown: LISTED, options: "" },
    Program {
        names: &["id"],
        operands: Operands::Texts,
        unknown: LISTED,
        options: "-u -g -G -n -r --user --group --groups --name",
    },
    Program {
        names: &["uname"],
        operands: Operands::Texts,
        unknown: LISTED,
        options: "-a -s -n -r -v -m -p -i -o --all",
    },
];
