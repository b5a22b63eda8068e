//! What is read, what is not, and that the two readers agree with bash.

use proptest::prelude::*;

use super::*;

/// The commands of `text`, each as its words' literals, `?` for one that is not known; redirections behind them.
fn told(text: &str) -> Vec<String> {
    match parse(text) {
        Parsed::NotUnderstood { why, .. } => panic!("{text:?}: {why}"),
        Parsed::Script(script) => script.commands.iter().map(line).collect(),
    }
}

fn line(command: &SimpleCommand) -> String {
    let assigned = command.assignments.iter().map(|a| format!("{}={}", a.name, value(&a.value)));
    let words = command.words.iter().map(value);
    let redirected = command.redirections.iter().map(|r| format!("{:?}:{}", r.direction, value(&r.target)));
    assigned.chain(words).chain(redirected).collect::<Vec<_>>().join(" ")
}

fn value(word: &Word) -> String {
    word.literal.clone().unwrap_or_else(|| format!("{}?", word.starts_with))
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    assert_eq!(told(text), want, "{text:?}");
}

#[track_caller]
fn check_not_understood(text: &str) {
    assert!(matches!(parse(text), Parsed::NotUnderstood { .. }), "{text:?}: {:?}", parse(text));
}

#[test]
fn words_and_quotes() {
    check("git diff --stat HEAD", &["git diff --stat HEAD"]);
    check("  git diff  ", &["git diff"]);
    check("git diff -- 'a;b.txt' \"a && b\" a\\;b", &["git diff -- a;b.txt a && b a;b"]);
    check("echo \\# a#b '#' # note", &["echo # a#b #"]);
    check("ls \"a\nb\" c\\ d", &["ls a\nb c d"]);
    check("ls src/*.rs ~/x \"$HOME/y\" $z", &["ls src/? /? ? ?"]);
    check("ls {a,b} {} x{1..3}", &["ls ? {} ?"]);
    check("git diff @{u} HEAD^ HEAD~1", &["git diff @{u} HEAD^ HEAD~1"]);
    check("echo $((1 + 2)) ${x:-a} ${y%.rs}", &["echo ? ? ?"]);
}

#[test]
fn every_way_to_join() {
    check("a && b || c; d | e |& f & g", &["a", "b", "c", "d", "e", "f", "g"]);
    check("git diff\ntouch x", &["git diff", "touch x"]);
    check("(cd x; ls) && { ls; pwd; }", &["cd x", "ls", "ls", "pwd"]);
    check("! git diff; touch x", &["git diff", "touch x"]);
    check("cat f |\n wc", &["cat f", "wc"]);
    check("git diff \\\n  --stat", &["git diff --stat"]);
    check("git diff # note\ntouch x", &["git diff", "touch x"]);
}

#[test]
fn how_commands_are_joined_and_where_they_stand() {
    let Parsed::Script(script) = parse("a | b && c; while d; do e $(f); done") else { panic!() };
    let places: Vec<_> =
        script.commands.iter().map(|c| (c.place.join, c.place.repeats, c.place.substitution)).collect();
    assert_eq!(
        places,
        [
            (Join::First, false, false),
            (Join::Pipe, false, false),
            (Join::And, false, false),
            (Join::Next, true, false),
            (Join::Next, true, false),
            (Join::First, false, true)
        ]
    );
}

#[test]
fn loops_and_branches() {
    check("for i in 1 *.rs; do ls \"$i\"; done", &["i=1 i=?", "ls ?"]);
    check("while read x; do ls; done < f", &["read x", "ls", "Read:f"]);
    check("if a; then b; elif c; then d; else e; fi > out", &["a", "b", "c", "d", "e", "Write:out"]);
    check("if [ -f x ]; then ls; fi", &["[ -f x ]", "ls"]);
}

#[test]
fn redirections_and_assignments() {
    check("a > f 2>&1", &["a Write:f Descriptor:1"]);
    check("> f git diff", &["git diff Write:f"]);
    check(
        "a >> f; b >| g; c &> h; d 2>> i; e >& j",
        &["a Write:f", "b Write:g", "c Write:h", "d Write:i", "e Write:j"],
    );
    check("< f cat | wc > x", &["cat Read:f", "wc Write:x"]);
    check("{ ls; } > f", &["ls", "Write:f"]);
    check("cat <<< 'a b'", &["cat Text:a b"]);
    check("> f", &["Write:f"]);
    check("FOO=1 BAR='x y' ls", &["FOO=1 BAR=x y ls"]);
    check("x=1", &["x=1"]);
    check("export A=b", &["export A=b"]);
}

#[test]
fn substitutions() {
    check("echo $(touch a) `touch b` \"$(touch c)\"", &["echo ? ? ?", "touch a", "touch b", "touch c"]);
    check("diff <(ls a) <(ls b)", &["diff /dev/fd/? /dev/fd/?", "ls a", "ls b"]);
    check("echo $(<f)", &["echo ?", "Read:f"]);
    check("$(a $(b))", &["?", "a ?", "b"]);
}

#[test]
fn here_documents() {
    check("cat <<'EOF' > out\n$(rm x)\nEOF\nls", &["cat Text:EOF Write:out", "ls"]);
    check("cat <<EOF | wc\n$x\nEOF", &["cat Text:EOF", "wc"]);
    check(
        "git commit -m \"$(cat <<'EOF'\na (b) 'c'\nEOF\n)\" && ls",
        &["git commit -m ?", "cat Text:EOF", "ls"],
    );
    check_not_understood("cat <<EOF\n$(rm x)\nEOF");
    check_not_understood("cat <<EOF\nno end");
}

#[test]
fn here_documents_as_they_are_written_every_day() {
    check("python3 - <<'E'\nprint(1)\nE", &["python3 - Text:E"]);
    check(
        "python3 -u - a <<\"E\" > out 2>&1\nprint(1)\nE\n",
        &["python3 -u - a Text:E Write:out Descriptor:1"],
    );
    check("python3 <<'E' - a\nprint(1)\nE", &["python3 - a Text:E"]);
    check("python3 -<<E | tail -5\nprint(\"$HOME\")\nE", &["python3 - Text:E", "tail -5"]);
    check("cd sub && node - <<'E' && ls\nx()\nE\nls -l", &["cd sub", "node - Text:E", "ls", "ls -l"]);
    check(
        "cat > a <<'E'; chmod +x a\nx\nE\ncat > b <<'E'\ny\nE",
        &["cat Write:a Text:E", "chmod +x a", "cat Write:b Text:E"],
    );
    check("cat <<'A' <<'B'\nx\nA\ny\nB", &["cat Text:A Text:B"]);
    check("cat <<-'E'\n\ta\n\tE\nls", &["cat Text:E", "ls"]);
    check("<<E cat\nx\nE", &["cat Text:E"]);
    check("cat <<'E' |\nx\nE\nsh", &["cat Text:E", "sh"]);
    check("while read x; do ls; done <<'E'\na\nE", &["read x", "ls", "Text:E"]);
    check("{ cat; ls; } <<'E' > f\na\nE", &["cat", "ls", "Text:E", "Write:f"]);
    check("(cat <<'E'\nx\nE\n) | sort", &["cat Text:E", "sort"]);
    check("if true; then\ncat > f <<'E'\n{ ' \" ` $( \\\nE\nfi", &["true", "cat Write:f Text:E"]);
    check("cat > f.c <<E\nprintf(\"a\\n\", ${x}, \\$y, ${z:-1});\nE", &["cat Write:f.c Text:E"]);
    check(
        "gh pr create --body \"$(cat <<'E'\n- a `code` b\nE\n)\"",
        &["gh pr create --body ?", "cat Text:E"],
    );
    for text in ["cat <<E\n`rm x`\nE", "cat <<E\na\\\nE\nE", "cat <<E\n${x:=$(y)}\nE", "cat <<E\n\\\\$(x)\nE"]
    {
        check_not_understood(text);
    }
}

#[test]
fn everyday_lines_are_understood() {
    for text in [
        "cargo test -q 2>&1 | tail -50",
        "a && b || { echo c; exit 1; }",
        "node -e \"\nconst a = 1;\nconsole.log(a);\n\"",
        "python3 -c \"\nimport sys\nprint(sys.version)\n\"",
        "diff <(sort a) <(sort b) | head",
        "grep x <<< \"$y\"",
        "for f in $(git ls-files '*.rs'); do wc -l \"$f\"; done",
        "ls | while read -r l; do echo \"$l\"; done",
        "until curl -s localhost; do sleep 1; done",
        "cd \"$(git rev-parse --show-toplevel)\" && ls",
        "node server.js > log 2>&1 &",
        "find . -type f \\( -name '*.a' -o -name '*.b' \\) -print",
        "mkdir -p src/{a,b} && ls *.{rs,toml}",
        "x=\"$(git rev-parse HEAD)\"; echo \"$x\"",
        "awk -F: '{ print $1 }' f | sort | uniq -c | sort -rn",
        "set -euo pipefail\nls",
        "ls |& tail; ls &> out; ls >| out",
    ] {
        assert!(matches!(parse(text), Parsed::Script(_)), "{text}: {:?}", parse(text));
    }
}

#[test]
fn what_is_not_understood_is_said_for_what_it_is() {
    for (text, want) in [
        ("cat <<E\n$(rm x)\nE", "here-document runs commands"),
        ("cat <<E\na\\\nb\nE", "goes on in the next"),
        ("f() { ls; }; f", "or a function"),
        ("[[ -f x ]] && ls", "`[[` can calculate"),
        ("case x in a) ls;; esac", "parenthesis"),
        ("echo 'a", "quote is not closed"),
        ("x=(a b)", "an array"),
    ] {
        let Parsed::NotUnderstood { why, .. } = parse(text) else { panic!("{text}") };
        assert!(why.contains(want), "{text}: {why}");
    }
}

#[test]
fn what_the_grammar_and_bash_read_differently() {
    for text in [
        "cat <> x",
        "git diff\r\ntouch x",
        "git\u{a0}diff",
        "git\u{2003}diff",
        "rm x\u{8}ls",
        "a\0b",
        "ls \\",
        "l\\\ns",
        "echo \"$\\\n(touch x)\"",
        "a &\\\n& b",
        "echo {1.\\\n.3}",
        "x=(a b)",
        "a[$(touch x)]=1",
        "echo $((a[$(touch x)]))",
        "echo $[1]",
        "((x = 1))",
        "echo ${x@P}",
        "echo ${x:=$(touch y)}",
        "echo ${a[$(touch x)]}",
        "echo ${!x}",
        "echo $'\\x41'",
        "echo $\"x\"",
        "ls @(a|b)",
        "coproc ls",
        "select x in a; do ls; done",
        "case x in a) ls;; esac",
        "x() { ls; }",
        "function y { ls; }",
        "[[ -f x ]]",
        "for ((;;)); do ls; done",
        "ls {fd}>x",
        "ls <&$x",
        "echo 'a",
        "echo \"a",
        "echo `a",
        "echo $(a",
        "(ls",
        "ls)",
        "ls &&",
        "| ls",
        "if a; then b",
        "then ls",
        "echo `a \\`b\\``",
        "cat <<E\\OF\nx\nEOF",
    ] {
        check_not_understood(text);
    }
    check_not_understood(&"a".repeat(LONGEST + 1));
    check_not_understood(&"$(".repeat(200));
    check_not_understood(&"(".repeat(5_000));
}

#[test]
fn what_is_not_understood_can_still_be_refused() {
    let Parsed::NotUnderstood { seen, .. } = parse("f() { git diff; }; [[ a ]] && rm -rf x") else {
        panic!()
    };
    assert!(seen.iter().any(|command| line(command) == "rm -rf x"), "{seen:?}");
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_line_of_shell_is_too_odd(pieces in prop::collection::vec(prop::sample::select(&[
        "ls", " ", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{", "}", "<", ">", "<<", "EOF", "'", "\"", "`", "$",
        "$(", "${", "\\", "#", "a", "=", "[", "]", "*", "~", "!", "do", "done", "for", "in", "if", "then", "fi", "é",
    ][..]), 0..40)) {
        let _ = parse(&pieces.concat());
    }

    #[test]
    fn a_quoted_word_is_read_back(word in "[^\\p{C}\\p{Z}]{0,20}|[ -~\n\t]{0,20}") {
        let text = format!("echo {}", quoted(&word));
        let Parsed::Script(script) = parse(&text) else { return Err(TestCaseError::fail(text)) };
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert_eq!(script.commands[0].words[1].literal.as_deref(), Some(word.as_str()));
    }
}
