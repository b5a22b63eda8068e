//! What a command leaves that can't be told as text: bytes, and permissions.

use std::fs;

use copydesk::shell::LARGEST_KEPT;

use crate::drafts::{Drafts, keep, told, views};
use crate::trial_tree::{COPY, OVERLAY, TREES, bits, place};

#[tokio::test]
async fn bytes_that_are_no_text_and_permissions_are_shown_as_long_as_they_are_pending() {
    for best in TREES {
        let place = place(best, &[("run.sh", "true\n"), ("text.txt", "t\n")]);
        fs::write(place.root.join("old.png"), b"\x89PNG\0").unwrap();
        let before = bits(&place.root);
        let mut drafts = Drafts::new();
        let command = "chmod +x run.sh; printf 'new\\0' >new.png; rm old.png; printf 'b\\0' >text.txt";
        let (_, outcome) = place.run(command, vec![]).await;
        let wanted = [
            "new.png Bytes { size: 4 }",
            "old.png Deleted",
            "run.sh Mode(493)",
            "text.txt Bytes { size: 2 }",
        ];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
        keep(&place, &mut drafts, &outcome.changes);
        let look = "stat -c '%n %a %s' *; ./run.sh && echo runs";
        let pending = "new.png 644 4\nrun.sh 755 5\ntext.txt 644 2\nruns\n";
        for _ in 0..2 {
            let (output, outcome) = place.run(look, views(&drafts)).await;
            assert_eq!((output.as_str(), told(&place, &outcome.changes)), (pending, vec![]), "{best:?}");
        }
        // What a later command makes of it is told from there; what it takes back, too.
        let (_, outcome) =
            place.run("printf '!' >>new.png; chmod -x run.sh; echo t >text.txt", views(&drafts)).await;
        let wanted = ["new.png Bytes { size: 5 }", "run.sh UsualMode", "text.txt: t"];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
        // Rejected, and then the user's own file: the tree has what the disk has.
        let (output, outcome) = place.run("ls; stat -c %a run.sh; cat text.txt", vec![]).await;
        assert_eq!(output, "old.png\nrun.sh\ntext.txt\n644\nt\n", "{best:?}");
        assert_eq!(told(&place, &outcome.changes), Vec::<String>::new(), "{best:?}");
        assert_eq!(bits(&place.root), before, "{best:?}");
        fs::write(place.root.join("new.png"), b"user's\0").unwrap();
        assert_eq!(place.run("stat -c %s new.png", vec![]).await.0, "7\n", "{best:?}");
    }
}

#[tokio::test]
async fn a_folder_that_was_removed_or_replaced_is_there_again_when_that_is_rejected() {
    let again = ["mv dir other; mkdir dir; touch -d 2001-01-01 dir/b.txt", "rm -rf dir; echo file >dir"];
    for (best, command) in TREES.into_iter().flat_map(|best| again.map(|command| (best, command))) {
        let place = place(best, &[("dir/b.txt", "b\n"), ("dir/sub/c.txt", "c\n")]);
        place.run(command, vec![]).await;
        let (output, _) = place.run("find . -type f | sort; cat dir/b.txt", vec![]).await;
        assert_eq!(output, "./dir/b.txt\n./dir/sub/c.txt\nb\n", "{best:?} {command}");
    }
}

#[tokio::test]
async fn what_is_too_large_to_be_kept_is_told_alone() {
    for best in [OVERLAY, COPY] {
        let place = place(best, &[("a.txt", "a\n")]);
        let large = LARGEST_KEPT + 1;
        let (_, outcome) =
            place.run(&format!("truncate -s {large} huge.bin; truncate -s 60M big.bin"), vec![]).await;
        let wanted =
            ["big.bin Bytes { size: 62914560 }", &format!("huge.bin Whole {{ what: Huge, size: {large} }}")];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
    }
}

#[tokio::test]
async fn a_private_file_stays_private_and_one_that_nobody_may_read_is_told() {
    for best in TREES {
        let place = place(best, &[("a.txt", "a\n"), ("b.txt", "b\n")]);
        let command = "umask 077; echo k >key; chmod 000 a.txt; echo c >b.txt; chmod 200 b.txt";
        let (_, outcome) = place.run(command, vec![]).await;
        let wanted = ["a.txt Mode(0)", "b.txt: c", "b.txt Mode(128)", "key: k", "key Mode(384)"];
        assert_eq!(told(&place, &outcome.changes), wanted, "{best:?}");
    }
}
