//! Command lines, and whether what they remove is asked about.

use super::*;

/// In `/w/sub` of the workspace `/w`, for somebody at home in `/home/me`.
fn found(text: &str) -> Option<String> {
    let path = |path: &str| AbsPath::new(path).unwrap();
    let (home, roots) = (path("/home/me"), [path("/w")]);
    removes_too_much(text, &path("/w/sub"), &Kept { home: Some(&home), roots: &roots })
}

#[track_caller]
fn check(texts: &[&str]) {
    for text in texts {
        assert!(found(text).is_some(), "asked about: {text}");
    }
}

#[track_caller]
fn check_free(texts: &[&str]) {
    for text in texts {
        assert_eq!(found(text), None, "not asked about: {text}");
    }
}

#[test]
fn home_by_whatever_name() {
    check(&[
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf ~/*",
        "rm -rf ~/.",
        "rm -rf ~/.*",
        "rm -rf ~/{*,.*}",
        "rm -rf ~me",
        "rm -rf $HOME",
        "rm -rf \"$HOME\"",
        "rm -rf \"${HOME}\"",
        "rm -rf ${HOME:?}/*",
        "rm -rf \"$HOME\"/*",
        "rm -rf '/home/me'",
        "rm -rf /home",
        "rm -rf ../../home/me",
        "rmdir ~",
        "find ~ -delete",
        "find \"$HOME\" -type f -delete",
        "find ~ -exec rm -rf {} +",
        "find ~ ! -name keep -delete",
    ]);
}

#[test]
fn the_root_and_the_workspace() {
    check(&[
        "rm -rf /",
        "rm -rf /*",
        "rm -rf / --no-preserve-root x",
        "rm -rf --no-preserve-root /",
        "rm --unknown -rf /usr",
        "rm -rf x /etc",
        "rm -rf -- /",
        "rm -rf /{usr,etc}",
        "rm -rf ..",
        "rm -rf ../*",
        "rm -rf /w",
        "rm -rf \"$PWD/..\"",
        "cd .. && rm -rf *",
        "cd .. && find . -delete",
        "cd / ; rm -rf ./*",
        "cd ~ && rm -rf *",
        "cd && rm -rf -- *",
        "cd \"$HOME\"; rm -rf ./*",
        "pushd ~ && rm -rf .",
        "(cd / && rm -rf *)",
    ]);
}

#[test]
fn through_other_programs_and_texts() {
    check(&[
        "sudo rm -rf /",
        "/bin/rm -rf ~",
        "\\rm -rf ~",
        "command rm -rf ~",
        "env A=1 rm -rf ~",
        "timeout 5 nice rm -rf ~",
        "eval rm -rf ~",
        "eval \"rm -rf $HOME\"",
        "eval 'rm -rf \"$HOME\"'",
        "bash -c 'rm -rf ~'",
        "bash -c \"rm -rf $HOME\"",
        "bash -lc 'cd ~ && rm -rf *'",
        "sh -c \"sh -c 'rm -rf ~'\"",
        "bash <<< 'rm -rf ~'",
        "echo 'rm -rf ~' | sh",
        "trap 'rm -rf ~' EXIT",
        "f() { rm -rf ~; }; f",
        "if true; then rm -rf ~; fi",
        "x=$(rm -rf ~)",
        "true && { rm -rf ~; }",
    ]);
}

#[test]
fn what_only_shows_when_it_runs_beside_a_place_that_is_kept() {
    check(&[
        "echo ~ | xargs rm -rf",
        "find ~ -type f | xargs rm -f",
        "ls -d / | xargs -n1 rm -rf",
        "for d in ~ /x/y; do rm -rf \"$d\"; done",
        "for d in \"$HOME\"/*; do rm -rf $d; done",
        "d=~; rm -rf $d",
        "D=$HOME; rm -rf \"$D\"",
        "rm -rf $(echo ~)",
        "find / | while read -r f; do rm \"$f\"; done",
    ]);
    check(&[
        "rm -rf \"$UNSET\"/*",
        "rm -rf $UNSET/",
        "rm -rf ${UNSET}/*",
        "rm -rf ~/$UNSET",
        "rm -rf /$UNSET",
    ]);
}

#[test]
fn everyday_removals_are_free() {
    check_free(&[
        "rm -rf target",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf $x",
        "rm -rf \"$dir\"/build",
        "rm -rf ~/x",
        "rm -rf ~/.cache/x/*",
        "rm -rf \"$HOME/x\"",
        "rm -rf '~'",
        "rm -rf /tmp/x",
        "rm -rf /tmp/$x",
        "rm -rf /usr/local/x",
        "d=$(mktemp -d /tmp/x.XXXX); rm -rf \"$d\"",
        "d=$(mktemp -d); rm -rf \"$d\"/*",
        "for f in *.o; do rm \"$f\"; done",
        "cd build && rm -rf *",
        "(cd .. && ls); rm -rf *",
        "find .. -name '*.o' -delete",
        "find .. -type d -empty -delete",
        "find . -delete",
        "find .. -name '*.o' | xargs rm -f",
        "git ls-files -o | xargs rm",
        "grep -rl x .. | xargs rm",
        "ls ~ && echo rm",
        "echo rm -rf ~",
        "git rm -r --cached ~",
        "cargo build && ls /",
        "npm run rm -- /",
        "PATH=$HOME/bin:$PATH rm -rf $x",
    ]);
}
