//! Rules and command lines, side by side.

use proptest::prelude::*;

use super::*;

fn cwd() -> AbsPath {
    AbsPath::new("/ws").expect("absolute")
}

/// Whether rules that allow `allow` let `text` run, all its files being free to read and none to write.
fn runs(text: &str, allow: &[&str]) -> bool {
    let assessment = assess(text, &cwd());
    let fits = |part: &Part| allow.iter().any(|spec| spec_matches(spec, part, Side::Allow));
    assessment.ask.is_none()
        && assessment.edits.is_empty()
        && assessment.parts.iter().all(|part| part.read_only || fits(part))
}

#[track_caller]
fn check_runs(allow: &str, texts: &[&str]) {
    for text in texts {
        assert!(runs(text, &[allow]), "{allow} lets run {text}: {:#?}", assess(text, &cwd()));
    }
}

#[track_caller]
fn check_asks(allow: &str, texts: &[&str]) {
    for text in texts {
        assert!(!runs(text, &[allow]), "{allow} doesn't let run {text}: {:#?}", assess(text, &cwd()));
    }
}

#[track_caller]
fn check_forbids(deny: &str, texts: &[&str]) {
    for text in texts {
        let parts = assess(text, &cwd()).parts;
        assert!(
            parts.iter().any(|part| spec_matches(deny, part, Side::DenyOrAsk)),
            "{deny} forbids {text}: {parts:#?}"
        );
    }
}

fn paths(words: &[PathWord]) -> Vec<String> {
    words.iter().map(|word| word.path.as_ref().map_or("?".to_owned(), ToString::to_string)).collect()
}

#[track_caller]
fn check_paths(text: &str, reads: &[&str], edits: &[&str]) {
    let assessment = assess(text, &cwd());
    assert_eq!(
        (paths(&assessment.reads), paths(&assessment.edits)),
        (reads.iter().map(ToString::to_string).collect(), edits.iter().map(ToString::to_string).collect()),
        "{text}"
    );
}

#[track_caller]
fn check_offers(text: &str, rules: &[&str]) {
    assert_eq!(assess(text, &cwd()).suggestions, rules, "{text}");
}

#[test]
fn a_beginning_ends_at_a_word() {
    check_runs(
        "npm test:*",
        &["npm test", "npm test -- -u", "npm  test", "n'pm' test", "timeout 5 npm test", "LANG=C npm test"],
    );
    check_runs("npm test *", &["npm test", "npm test -- -u"]);
    check_asks(
        "npm test:*",
        &["npm testing", "npm test && rm x", "FOO=1 npm test", "$(npm test)", "npm test > /etc/x", "npm"],
    );
    check_asks("ls:*", &["lsof", "'ls -a' x"]);
}

#[test]
fn the_same_command_and_stars_anywhere() {
    check_runs("npm run build", &["npm run build", "time npm run build"]);
    check_asks("npm run build", &["npm run build x", "npm run", "npm run builds"]);
    check_runs("git * main", &["git push origin main", "git  push  main"]);
    check_asks("git * main", &["git push origin mainly", "git push; rm main"]);
    check_runs("* --version", &["foo --version"]);
    check_runs("*", &["foo bar", "x=1"]);
    check_asks("* test", &["EVIL=1 npm test"]);
    check_runs("FOO=1 npm test:*", &["FOO=1 npm test x"]);
}

#[test]
fn every_part_needs_a_rule_of_its_own() {
    check_runs(
        "git fetch:*",
        &[
            "git fetch && git fetch -p",
            "git fetch | cat",
            "git fetch; ls",
            "(git fetch)",
            "if git fetch; then ls; fi",
        ],
    );
    check_runs(
        "cargo test:*",
        &["for i in 1 2; do cargo test; done", "cargo test 2>&1 | tail -5", "cargo test > /dev/null"],
    );
    check_asks(
        "git fetch:*",
        &["git fetch & x", "git fetch $(x)", "git fetch <(x)", "git fetch | tee f", "x | git fetch"],
    );
}

#[test]
fn wrappers_are_looked_through() {
    check_runs(
        "cargo test:*",
        &[
            "timeout -k 5 10 cargo test",
            "time cargo test",
            "time -p cargo test",
            "nice -n 5 cargo test",
            "nice -5 cargo test",
            "nohup cargo test",
            "stdbuf -oL cargo test",
            "command cargo test",
            "timeout 5 nice cargo test x",
            "ls | xargs cargo test",
        ],
    );
    check_asks(
        "cargo test:*",
        &[
            "ls | xargs -I{} cargo test",
            "env cargo test",
            "sudo cargo test",
            "timeout $x cargo test",
            "exec cargo test",
        ],
    );
    check_asks("ls:*", &["timeout 5 touch x", "time touch x", "command touch x"]);
}

#[test]
fn what_runs_its_arguments_is_never_allowed_by_a_beginning() {
    for runner in ["watch", "setsid", "ionice", "flock"] {
        check_asks(&format!("{runner}:*"), &[&format!("{runner} rm x")]);
    }
    check_asks("find:*", &["find . -exec rm {} +", "find . -delete", "find . -ok rm {} +"]);
    check_asks("*", &["find . -exec rm {} +"]);
    check_runs("watch ls", &["watch ls"]);
}

#[test]
fn any_part_can_forbid() {
    check_forbids(
        "rm:*",
        &[
            "rm x",
            "ls && rm x",
            "\"rm\" x",
            "r\\m x",
            "/bin/rm x",
            "FOO=1 rm x",
            "timeout 5 rm x",
            "xargs rm",
            "xargs -0 rm",
            "sudo -u a rm x",
            "env A=1 rm x",
            "find . -exec rm {} +",
            "sh -c 'cd x; rm y'",
            "echo $(rm x)",
            "bash -c \"rm x\"",
            "eval 'rm x'",
            "x() { rm y; }; x",
            "[[ a ]] && rm x",
            "for i in a; do rm $i; done",
            "! rm x",
            "cat <(rm x)",
            "{ rm x; }",
        ],
    );
    check_forbids("git push *", &["git push", "git push origin main"]);
    check_forbids("cargo publish", &["cargo publish"]);
}

#[test]
fn a_here_document_for_a_shell_can_be_forbidden_too() {
    check_forbids("rm:*", &["sh <<'E'\nls\nrm x\nE", "cat <<'E' | bash -s\nrm x\nE", "sudo sh <<E\nrm x\nE"]);
    let parts = assess("cat > f <<'E'\nrm x\nE", &cwd()).parts;
    assert!(!parts.iter().any(|part| spec_matches("rm:*", part, Side::DenyOrAsk)), "it is only written down");
}

#[test]
fn why_no_rule_is_offered_is_said() {
    for (text, want) in [
        ("python3 - <<'E'\nprint(1)\nE", Some("`python3` runs a program that is given here")),
        ("node -e 1", Some("`node` runs a program that is given here")),
        ("cat <<'E' | sh\nls\nE", Some("`sh` runs a program that is given here")),
        ("find . -delete", Some("What `find` does stands behind it")),
        ("cargo test", None),
        ("ls", None),
        ("cat > f <<'E'\nx\nE", None),
    ] {
        let assessment = assess(text, &cwd());
        assert_eq!(assessment.ask, None, "{text} is understood");
        assert_eq!(assessment.unoffered.is_some(), want.is_some(), "{text}: {:?}", assessment.unoffered);
        let why = assessment.unoffered.unwrap_or_default();
        assert!(why.contains(want.unwrap_or_default()), "{text}: {why}");
    }
}

#[test]
fn nothing_but_a_person_can_allow_it() {
    check_asks(
        "*",
        &[
            "cd x && git status",
            "cd x && echo a > f",
            "$x",
            "\"$(which ls)\" a",
            "PATH=. ; git diff",
            "for PATH in a; do ls; done",
            "echo a > /dev/tcp/localhost/80",
            "cat < /dev/tcp/localhost/80",
            "ls \u{202e}",
            "x() { ls; }; x",
            "",
        ],
    );
    check_asks("*", &[&vec!["ls"; MOST_COMMANDS + 1].join(";")]);
    check_runs("*", &[&vec!["ls"; MOST_COMMANDS].join(";"), "cd x && ls"]);
}

#[test]
fn paths_are_named_where_the_text_names_them() {
    check_paths("cat a b/../c /etc/x ../y", &["/ws/a", "?", "/etc/x", "/y"], &[]);
    check_paths("cat src/*.rs *.md $x ~/y", &["/ws/src", "/ws", "?", "?"], &[]);
    check_paths("cat < in > out 2>> err", &["/ws/in"], &["/ws/out", "/ws/err"]);
    check_paths("cd sub && cat a", &["/ws/sub", "/ws/a", "/ws/sub/a"], &[]);
    check_paths("cd $x; cat a", &["?"], &[]);
    check_paths("while true; do cat a; cd ..; done", &["?", "?"], &[]);
    check_paths("touch a b; rm -rf c; mkdir -p d", &[], &["/ws/a", "/ws/b", "/ws/c", "/ws/d"]);
    check_paths("cp a b c; mv d e", &["/ws/a", "/ws/b"], &["/ws/c", "/ws/d", "/ws/e"]);
    check_paths("sed -i s/a/b/ f", &[], &["/ws/f"]);
    check_paths("sed -i '1e touch x' f", &[], &["?"]);
    check_paths("rm --unlisted f", &[], &["?"]);
    check_paths("git diff --output=../o", &[], &["?"]);
    check_paths("sort -o a b", &[], &["?"]);
    check_paths("ls > /dev/null 2>&1", &["/ws"], &[]);
    check_paths("ls > $x", &["/ws"], &["?"]);
}

#[test]
fn what_takes_the_place_of_a_whole_file_is_named() {
    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        assert_eq!(paths(&assess(text, &cwd()).replaces), want, "{text}");
    }
    check("cp a b", &["/ws/b"]);
    check("mv a sub/", &["/ws/a", "/ws/sub"]);
    check("cp -t sub a", &["?"]);
    check("cat a > b 2>> c", &["/ws/b"]);
    check("echo x &>b; echo y >>c; echo z >|d", &["/ws/b", "/ws/d"]);
    check("tee a < b; tee -a c < d", &["/ws/a"]);
    check("sed -i s/a/b/ f; rm g; touch h", &[]);
}

#[test]
fn rules_are_offered_that_a_person_can_judge() {
    check_offers("cargo test --all", &["Bash(cargo test:*)"]);
    check_offers("npm run build -- -x && cargo fmt", &["Bash(npm run build:*)", "Bash(cargo fmt:*)"]);
    check_offers("timeout 5 pytest -x | tail", &["Bash(pytest:*)"]);
    check_offers("python3 x.py", &["Bash(python3 x.py)"]);
    check_offers("rm a\\(b", &["Bash(rm a\\\\\\(b)"]);
    check_offers("ls", &[]);
    for never in [
        "python3 -c 'x'",
        "sh -c x",
        "node -e x",
        "perl -pe x f",
        "find . -delete",
        "xargs -0 rm",
        "watch ls",
        "env A=1 x",
        "sudo x",
        "eval x",
        "FOO=1 x",
        "rm *",
        "source x",
        "cd x && git log",
        "$x",
        "x() { y; }",
    ] {
        check_offers(never, &[]);
    }
    check_offers("a; b; c; d; e; f", &["Bash(a:*)", "Bash(b:*)", "Bash(c:*)", "Bash(d:*)", "Bash(e:*)"]);
}

/// Commands of all kinds, to be put together at random.
const PIECES: &[&str] = &[
    "ls",
    "ls -la",
    "cat a",
    "git diff",
    "git status",
    "npm test",
    "rm x",
    "touch y",
    "cd src",
    "echo a > f",
    "cat < f",
    "FOO=1 ls",
    "find . -delete",
    "find .",
    "sort -o a b",
    "$x",
    "x=1",
    "PATH=.",
    "echo $(rm x)",
    "grep a b 2>/dev/null",
    "for i in a; do ls; done",
    "(ls)",
    "timeout 5 ls",
    "[ -f a ]",
    "a \\",
    "'",
];

fn line() -> impl Strategy<Value = String> {
    let piece = || prop::sample::select(PIECES);
    let join = || prop::sample::select(&["; ", " && ", " || ", " | ", " & ", "\n"][..]);
    (piece(), prop::collection::vec((join(), piece()), 0..5)).prop_map(|(first, more)| {
        more.iter().fold(first.to_owned(), |line, (join, piece)| line + join + piece)
    })
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,60}") {
        let _ = assess(&text, &cwd());
    }

    #[test]
    fn one_more_part_never_lets_a_line_run(
        line in line(), piece in prop::sample::select(PIECES), join in prop::sample::select(&["; ", " && ", " | ", "\n"][..]),
    ) {
        let allow = ["npm test:*", "git:*"];
        let before = runs(&line, &allow);
        let after = runs(&format!("{line}{join}{piece}"), &allow) || runs(&format!("{piece}{join}{line}"), &allow);
        prop_assert!(before || !after, "{line} / {piece}");
    }

    #[test]
    fn a_line_that_writes_is_not_read_only(line in line(), operator in prop::sample::select(&[">", ">>", ">|", "&>"][..])) {
        let text = format!("{line} {operator} out");
        prop_assert!(!assess(&text, &cwd()).read_only, "{text}");
    }

    #[test]
    fn what_is_read_only_needs_no_rule_and_writes_nothing(line in line()) {
        let assessment = assess(&line, &cwd());
        prop_assert!(!assessment.read_only || (runs(&line, &[]) && assessment.suggestions.is_empty()), "{line}");
    }
}
