//! What a command sees, and what becomes of what it does.

use copydesk::shell::{ChangeKind, Outcome};

use crate::place::{Place, code};

/// Changes as lines: path and what became of it.
fn told(place: &Place, outcome: &Outcome) -> Vec<String> {
    let told = outcome.changes.iter().map(|change| {
        let path = change.path.strip_prefix(&place.root).unwrap();
        match &change.kind {
            ChangeKind::Written(bytes) => format!("{path}: {}", String::from_utf8_lossy(bytes)),
            other => format!("{path} {other:?}"),
        }
    });
    told.collect()
}

#[tokio::test]
async fn a_command_sees_what_is_pending_and_changes_nothing() {
    let place = Place::new(&[("a.txt", "disk"), ("b.txt", "b"), (".gitignore", "out/\n")]);
    let views =
        vec![place.view("a.txt", Some("draft")), place.view("b.txt", None), place.view("n/c.txt", Some("c"))];
    let (output, outcome) =
        place.run("cat a.txt n/c.txt; ls; echo new >d.txt; mkdir out; echo x >out/x", views).await;
    assert_eq!(output, "draftca.txt\nn\n");
    assert_eq!(code(&outcome), 0);
    assert_eq!(told(&place, &outcome), ["d.txt: new\n"]);
    assert_eq!((place.read("a.txt").as_deref(), place.read("d.txt")), (Some("disk"), None));
}
