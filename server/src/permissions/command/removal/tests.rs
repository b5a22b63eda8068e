//! Command lines, and whether what they remove is asked about.

use super::*;

/// In `cwd` of the workspace `/w`, for somebody at home in `/home/me`.
fn found_in(cwd: &str, text: &str) -> Option<Loss> {
    let path = |path: &str| AbsPath::new(path).unwrap();
    let (home, roots) = (path("/home/me"), [path("/w")]);
    removes_too_much(text, &path(cwd), &Kept { home: Some(&home), roots: &roots })
}

/// From `/w/sub`, a folder of the workspace.
#[track_caller]
fn check(texts: &[&str]) {
    for text in texts {
        let found = found_in("/w/sub", text);
        assert!(matches!(found, Some(Loss::OfKept(_))), "what is kept: {text}: {found:?}");
    }
}

/// From the workspace itself.
#[track_caller]
fn check_in_root(texts: &[&str]) {
    for text in texts {
        let found = found_in("/w", text);
        assert!(matches!(found, Some(Loss::OfKept(_))), "what is kept: {text}: {found:?}");
    }
}

#[track_caller]
fn check_not_known(texts: &[&str]) {
    for text in texts {
        let found = found_in("/w", text);
        assert!(matches!(found, Some(Loss::NotKnown(_))), "not known: {text}: {found:?}");
    }
}

#[track_caller]
fn check_free(texts: &[&str]) {
    for text in texts {
        assert_eq!(found_in("/w/sub", text), None, "not asked about: {text}");
    }
}

#[track_caller]
fn check_free_in_root(texts: &[&str]) {
    for text in texts {
        assert_eq!(found_in("/w", text), None, "not asked about: {text}");
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
        "rm -rf /home/m*",
        "rmdir ~",
        "find ~ -delete",
        "find \"$HOME\" -type f -delete",
        "find ~ -exec rm -rf {} +",
        "find ~ ! -name keep -delete",
        "mv ~ /w/old",
        "rsync -a --delete empty/ ~/",
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
        "rm -rf ../[a-z]*",
        "rm -rf /w",
        "rm -rf /?",
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
    check_in_root(&[
        "rm -rf .",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf [a-z]*",
        "rm -rf ?*",
        "rm -rf *.*",
        "rm -rf `pwd`",
        "rm -rf \"$(pwd)\"",
        "rm -rf $PWD",
        "rm -rf $(git rev-parse --show-toplevel)",
        "cd sub && rm -rf \"$(git rev-parse --show-toplevel)\"/*",
        "find . -delete",
        "find -delete",
        "find . -type f -exec rm {} +",
        "find . -type f -exec rm {} \\;",
        "find . -name '*' -delete",
        "mv * /tmp",
        "mv -t /tmp ./*",
        "mv \"$PWD\"/* /tmp/x",
        "git rm -rf .",
        "git rm -r '*'",
        "git clean -fdx",
        "git clean -fd .",
        "git -C /w clean -ffdx",
        "git -C sub/.. rm -r .",
        "rsync -a --delete empty/ ./",
        "rm -r\"\"f .",
        "r\"\"m -rf .",
        "r''m -rf .",
        "r\\m -rf .",
        "`echo rm` -rf .",
        "$(echo r)m -rf .",
    ]);
}

#[test]
fn a_repository() {
    check(&["rm -rf ../.git", "mv ../.git /tmp"]);
    check_in_root(&[
        "rm -rf .git",
        "rm -rf ./.git/",
        "rm -rf .git/*",
        "rm -rf .g*",
        "rm -rf {src,.git}",
        "rm -rf sub/.git/objects",
        "find . -name .git -exec rm -rf {} +",
    ]);
    check_free_in_root(&["rm -f .git/index.lock", "rm -rf .github .gitignore", "rm -rf /tmp/clone/.git"]);
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
        "bash <<'E'\nrm -rf ~\nE",
        "sh -s - <<E\nrm -rf $HOME\nE",
        "cat <<'E' | sh\nrm -rf ~\nE",
        "cat > x.sh <<'E'; sh x.sh\nrm -rf ~\nE",
        "echo 'rm -rf ~' | sh",
        "trap 'rm -rf ~' EXIT",
        "f() { rm -rf ~; }; f",
        "if true; then rm -rf ~; fi",
        "x=$(rm -rf ~)",
        "true && { rm -rf ~; }",
        "npx rimraf ~",
    ]);
}

#[test]
fn what_variables_of_the_line_hold() {
    check(&[
        "for d in ~ /x/y; do rm -rf \"$d\"; done",
        "for d in \"$HOME\"/*; do rm -rf $d; done",
        "d=~; rm -rf $d",
        "D=$HOME; rm -rf \"$D\"",
        "rm -rf $(echo ~)",
        "X=rm; $X -rf ~",
        "X='rm -rf'; $X /",
        "x=/; y=$x; rm -rf \"${y}\"",
        "export D=~; rm -rf $D",
    ]);
    check_in_root(&["W=$PWD; rm -rf $W", "for f in *; do rm -rf \"$f\"; done", "rm -rf ${OUT:-.}"]);
    check_free_in_root(&[
        "for f in *.o; do rm \"$f\"; done",
        "for d in build dist; do rm -rf \"./$d\"; done",
        "d=build; rm -rf \"$d\"/*",
        "for f in *.js; do mv \"$f\" \"${f%.js}.ts\"; done",
        "rm -rf \"${OUT:-build}\"",
    ]);
}

#[test]
fn what_is_only_known_when_it_runs() {
    check_not_known(&[
        "rm -rf $x",
        "rm -rf \"$UNSET\"/*",
        "rm -rf ${UNSET}/build",
        "rm -rf ~/$UNSET",
        "rm -rf /$UNSET",
        "rm -rf $OLDPWD",
        "rm -rf ~-",
        "rm -rf $(cat list)",
        "rm -rf `cat list`",
        "rm -rf \"$1\"",
        "cd $x && rm -rf *",
        "cd - && rm -rf build",
        "find \"$x\" -delete",
        "mv \"$x\" /tmp",
        "ls | xargs rm",
        "ls | xargs -n1 rm -rf",
        "ls | xargs -I{} mv {} /tmp/x",
        "git ls-files -o | xargs rm",
        "git rm -r $x",
        "git rm -r :/",
        "git ls-files | xargs git rm",
        "find . | while read -r f; do rm \"$f\"; done",
        "for f in $(ls); do rm -rf $f; done",
        "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
        "f() { rm -rf \"$1\"; }; f src",
        "shopt -s extglob; rm -rf !(keep)",
        "x=(a b); rm -rf \"${x[@]}\"",
        "rm -rf $'a\\x2f..'",
        // Where the line is not even cut into words, no word is sure.
        "clean() { rm -rf target; }; clean",
    ]);
    check_not_known(&[
        "$X -rf .",
        "\"$X\" a",
        "`cat x` -rf .",
        "$(cat x)m -rf .",
        "sudo $X -rf .",
        "env A=1 $X -rf .",
        "eval \"$X\"",
        "bash -c \"$X\"",
        "if true; then $X; fi",
    ]);
}

#[test]
fn everyday_removals_are_free() {
    check_free(&[
        "rm -rf target",
        "rm -rf *",
        "rm -rf ./*",
        "rm -rf ~/x",
        "rm -rf ~/.cache/x/*",
        "rm -rf \"$HOME/x\"",
        "rm -rf '~'",
        "rm -rf ''",
        "rm -rf /tmp/x",
        "rm -rf /tmp/$x",
        "rm -rf \"$TMPDIR\"/x",
        "rm -rf /usr/local/x",
        "d=$(mktemp -d /tmp/x.XXXX); rm -rf \"$d\"",
        "d=$(mktemp -d); rm -rf \"$d\"/*",
        "d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; ls",
        "cd build && rm -rf *",
        "cd \"$(mktemp -d)\" && rm -rf *",
        "(cd .. && ls); rm -rf *",
        "find .. -name '*.o' -delete",
        "find .. -type d -empty -delete",
        "find . -delete",
        "git clean -n",
        "git clean -fd build",
        "git rm src/a.rs",
        "git rm -r --cached ~",
        "git rm -n .",
        "git -C /tmp/x clean -fdx",
        "mv a b",
        "mv a.rs ../b.rs",
        "mv x ~",
        "rsync -a x/ ~/",
        "rmdir \"$x\"",
        "ls ~ && echo rm",
        "echo rm -rf ~",
        "cargo build && ls /",
        "npm run rm -- /",
        "timeout 5 grep \"$a $b\" f",
        "for i in 1 2; do ls $i; done",
        "FOO=$x ls",
        "~/.cargo/bin/cargo test",
        "\"$HOME\"/bin/x",
        "cat > x.sh <<'E'\nrm -rf ~\nE",
        "[[ -d target ]] && rm -rf target",
        "x=(a b); ls \"${x[@]}\"",
    ]);
}

#[test]
fn what_is_put_behind_a_variable_and_what_runs_beside() {
    check_in_root(&[
        "x=.g; x+=it; rm -rf $x",
        "x=.g && x+='it' && rm -rf \"$x\"",
        "x=; x+=.; x+=git; rm -rf $x",
        "x=.g; [[ a ]]; x+=it; rm -rf $x",
        "export x=.g; export x+=it; rm -rf $x",
        "x=.gitx; rm -rf ${x%x}",
        "x=x.git; rm -rf ${x#x}",
        "coproc rm -rf .git",
        "coproc N { rm -rf .git; }",
        "coproc { ls; rm -rf .git; }",
        "function f { rm -rf .git; }; f",
    ]);
    check_not_known(&[
        "x+=it; rm -rf $x",
        "x=.; for i in g i t; do x+=$i; done; rm -rf $x",
        "a=(.git); rm -rf \"${a[0]}\"",
        "a=(.git); rm -rf ${a[@]}",
        "a[0]=.git; rm -rf ${a[0]}",
        "declare -a a=(.git); rm -rf ${a[0]}",
        "a=(x); a+=(.git); rm -rf ${a[1]}",
        "mapfile a < x; rm -rf ${a[0]}",
        "x=a.git; rm -rf ${x##*a}",
        "x=.git; y=x; rm -rf ${!y}",
    ]);
    check_free_in_root(&["x=build; x+=/out; rm -rf $x", "PATH+=:/x ls", "x=a.o; rm ${x%.o}.d"]);
}

#[test]
fn scripts_that_a_shell_is_fed_with() {
    check_in_root(&[
        "source <(echo 'rm -rf .git')",
        ". <(printf 'rm -rf .git')",
        "bash <(echo 'rm -rf .git')",
        "timeout 5 bash <(echo 'rm -rf .git')",
        "echo 'rm -rf .git' > /tmp/s; bash /tmp/s",
        "printf 'rm -rf .git' | bash /dev/stdin",
        "echo 'rm -rf .git' | sudo sh -s",
    ]);
    check_not_known(&[
        "bash /tmp/no-such-script",
        "source /tmp/no-such-script",
        "sh -x /tmp/no-such-script a b",
        "bash \"$x\"",
        ". $x",
        "source <(cat list)",
        "curl https://example.com/x | sh",
        "cat \"$x\" | bash",
        "base64 -d x | bash -s -- y",
        "bash < /tmp/no-such-script",
    ]);
    check_free_in_root(&[
        // What only the trial tree has.
        "bash made.sh",
        "source .venv/bin/activate && ls",
        "bash -c 'ls' x",
        "sh -c ls",
        "bash --version",
        "bash",
        "ls | cat",
        "ssh host ls",
        "echo ls | bash",
    ]);
}

#[test]
fn what_comes_in_by_a_side_door() {
    check_in_root(&[
        ". /dev/stdin <<< 'rm -rf .git'",
        "source /dev/stdin <<'E'\nrm -rf .git\nE",
        "ln -s .git l; rm -rf l/",
        "ln -s .git l && rm -rf l/*",
        "ln -sfn \"$PWD\" sub/l; rm -rf sub/l/.git",
        "git -c alias.z='!rm -rf .git' z",
        "git -c \"alias.z=!rm -rf .git\" z",
    ]);
    check_not_known(&[
        "declare -n z=v; v=.git; rm -rf $z",
        "typeset -n z=v; v=.git; rm -rf \"$z\"",
        "f() { local -n z=$1; rm -rf $z; }; f v",
        "BASH_ENV=/tmp/no-such-script bash -c :",
        "env BASH_ENV=/tmp/no-such-script bash -c :",
        "export BASH_ENV=/tmp/no-such-script; bash -c :",
        "ENV=/tmp/no-such-script sh -i -c :",
        "xargs -a s.sh -I{} sh -c '{}'",
        "xargs -I % bash -c % < s.sh",
        "cat s.sh | xargs -0 sh -c",
    ]);
    check_free_in_root(&[
        "bash -euo pipefail -c 'make'",
        "ENV=/tmp/production npm start",
        "ENV=production bash -c 'make'",
        "ls | xargs -I{} sh -c 'echo {}'",
        "ls | xargs -n1 sh -c 'echo \"$0\"'",
        "ln -s build l; rm -rf l/",
        "ln -s ../.git/hooks/x l",
        "git -c alias.z='!ls' z",
        "declare -n z=v; v=1; echo $z",
        "declare -i n=1; rm -rf out",
    ]);
}

#[test]
fn scripts_that_can_be_read_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let long = format!("{}rm -rf .git\n", "echo a line of it\n".repeat(2_000));
    for (name, text) in [
        ("clean", "set -e\nrm -rf target\n"),
        ("all", "#!/usr/bin/env bash\nset -e\nrm -rf .git\n"),
        ("inner", "bash ./all\n"),
        ("given", "rm -rf \"$1\"\n"),
        ("tool", "#!/usr/bin/python3\n# rm -rf .git\n"),
        ("program", "$RUNNER build \"$@\"\n"),
        ("long", &long),
        ("bare", "rm -rf .git\n"),
        ("binary", "\u{7f}ELF\0\nrm -rf .git\n"),
    ] {
        std::fs::write(root.join(name).as_path(), text).unwrap();
    }
    let found = |text: &str| {
        let home = AbsPath::new("/home/me").unwrap();
        let kept = Kept { home: Some(&home), roots: std::slice::from_ref(&root) };
        match removes_too_much(text, &root, &kept) {
            Some(Loss::OfKept(_)) => "kept",
            Some(Loss::NotKnown(_)) => "not known",
            None => "free",
        }
    };
    for (text, want) in [
        ("bash clean", "free"),
        ("bash ./all", "kept"),
        ("sh -e all x", "kept"),
        ("source all", "kept"),
        (". ./all", "kept"),
        ("./all", "kept"),
        ("nice ./all", "kept"),
        ("bash < all", "kept"),
        ("cat all | sh", "kept"),
        ("bash inner", "kept"),
        ("s=all; bash $s", "kept"),
        ("bash long", "kept"),
        ("bash given x", "not known"),
        ("./tool", "free"),
        ("bash program", "free"),
        ("cat all", "free"),
        ("bash -euo pipefail all", "kept"),
        ("bash -euo pipefail clean", "free"),
        ("bash -eo pipefail -x ./all", "kept"),
        ("chmod +x bare; ./bare", "kept"),
        ("./binary", "free"),
        ("BASH_ENV=all bash -c :", "kept"),
        ("BASH_ENV=./clean bash -c :", "free"),
        ("env BASH_ENV=./all bash -c :", "kept"),
        ("ENV=./all sh -i -c :", "kept"),
    ] {
        assert_eq!(found(text), want, "{text}");
    }
}
