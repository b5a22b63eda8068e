//! Links and other traps that a command leaves in its tree: this program neither writes, removes nor reads through them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use copydesk::shell::{ChangeKind, Whole};

use crate::drafts::told;
use crate::place::{Place, write};
use crate::trial_tree::{TREES, bits, place};

fn with_outside() -> impl Iterator<Item = Place> {
    TREES.into_iter().map(|best| {
        let place = place(
            best,
            &[("a.txt", "a\n"), ("sub/b.txt", "b\n"), ("sub/c.txt", "c\n"), ("src/b.txt", "s\n")],
        );
        for (name, text) in [("b.txt", "precious\n"), ("c.txt", "precious\n"), ("keep", "k\n")] {
            write(&place.base.join("outside").join(name), text);
        }
        fs::set_permissions(place.base.join("outside/keep"), fs::Permissions::from_mode(0o444)).unwrap();
        place
    })
}

#[tokio::test]
async fn what_is_pending_is_not_put_through_a_folder_that_became_a_link() {
    for place in with_outside() {
        let outside = place.base.join("outside");
        for target in [outside.as_str(), place.root.join("src").as_str(), "../outside", "src"] {
            let before = (bits(&outside), bits(&place.root));
            let pending = || {
                vec![
                    place.view("sub/b.txt", Some("agent\n")),
                    place.view("sub/new/deep.txt", Some("new\n")),
                    place.view("sub/c.txt", None),
                    place.view("sub/keep", None),
                ]
            };
            place.run(&format!("rm -rf sub; ln -s {target} sub"), pending()).await;
            let (output, _) = place.run("cat sub/b.txt sub/new/deep.txt; ls sub", pending()).await;
            assert_eq!(output, "agent\nnew\nb.txt\nnew\n", "{target}");
            place.run(&format!("rm -rf sub; ln -s {target} sub"), pending()).await;
            // Nothing is pending any more: the real files come back.
            let (output, _) = place.run("cat sub/b.txt sub/c.txt", vec![]).await;
            assert!(output.is_empty() || !output.contains("precious"), "{output}");
            place.run("true", vec![place.view("sub/b.txt", None), place.view("sub/c.txt", None)]).await;
            assert_eq!((bits(&outside), bits(&place.root)), before, "{target}");
        }
    }
}

#[tokio::test]
async fn what_is_pending_is_not_put_through_a_file_that_became_a_link_or_has_two_names() {
    for place in with_outside() {
        let outside = place.base.join("outside");
        let before = (bits(&outside), bits(&place.root));
        let pending = || ["a.txt", "other.txt"].map(|name| place.view(name, Some("agent\n"))).to_vec();
        place.run("ln -sf ../outside/b.txt a.txt", pending()).await;
        let (output, _) = place.run("cat a.txt; ln -f a.txt other.txt", pending()).await;
        assert_eq!(output, "agent\n");
        let later = vec![place.view("a.txt", Some("later\n")), place.view("other.txt", Some("agent\n"))];
        let (output, _) = place.run("cat a.txt other.txt", later).await;
        assert_eq!(output, "later\nagent\n");
        assert_eq!((bits(&outside), bits(&place.root)), before);
    }
}

#[tokio::test]
async fn folders_may_be_nested_as_deep_as_a_command_likes() {
    const NEST: &str = "d=$(printf 'd/%.0s' {1..900}); mkdir -p $d; echo x >${d}deep.txt";
    for best in TREES {
        let place = place(best, &[("a.txt", "a\n")]);
        let (output, outcome) = place.run(NEST, vec![]).await;
        assert_eq!(output, "");
        let [change] = outcome.changes.as_slice() else { panic!("{} changes", outcome.changes.len()) };
        let is_told = matches!(&change.kind, ChangeKind::Whole { what: Whole::Deep, .. });
        assert!(is_told && change.path.ends_with("d/d"), "{change:?}");
        // A file is to be where the nest is, and then the session is over.
        let (output, _) = place.run("cat d", vec![place.view("d", Some("file\n"))]).await;
        assert_eq!(output, "file\n");
    }
}

#[tokio::test]
async fn rules_of_what_is_ignored_are_not_read_from_a_file_of_any_size() {
    for best in TREES {
        let place = place(best, &[("a.txt", "a\n")]);
        let (_, outcome) =
            place.run("echo '*.txt' >.gitignore; truncate -s 3G .gitignore; echo b >b.txt", vec![]).await;
        let huge = ".gitignore Whole { what: Huge, size: 3221225472 }".to_owned();
        assert_eq!(told(&place, &outcome.changes), vec![huge, "b.txt: b".to_owned()]);
    }
}
