//! What a call opens is what it was judged by, whatever is put in the way meanwhile.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::*;
use crate::permissions::{Behavior, Call, Rule, SettledRule, Source, Verdict, decide};
use crate::tools::fixture::Fixture;
use crate::tools::{Edit, Glob, Grep, NotebookEdit, Read, Tool, Write};

fn workspace(root: &str) -> Workspace {
    Workspace::new(vec![AbsPath::new(root).unwrap()], false)
}

#[test]
fn a_relative_path_starts_at_the_first_root() {
    let resolved = |path| resolve(&workspace("/w/app"), path).unwrap().to_string();
    assert_eq!(resolved("src/a.rs"), "/w/app/src/a.rs");
    assert_eq!(resolved("/etc/hosts"), "/etc/hosts");
    assert_eq!(resolved("../b"), "/w/b");
}

#[test]
fn a_missing_file_is_answered_with_names_like_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = AbsPath::new(folder.path().to_str().unwrap()).unwrap();
    for name in ["Store.rs", "store.ts", "stores.rs", "zebra.txt"] {
        std::fs::write(root.join(name).as_path(), "").unwrap();
    }
    let workspace = Workspace::new(vec![root.clone()], false);
    assert_eq!(
        missing(&workspace, &root.join("store.rs")).0,
        "store.rs does not exist. In the same folder there is: Store.rs, store.ts, stores.rs."
    );
    assert_eq!(missing(&workspace, &root.join("q/x")).0, "q/x does not exist.");
}

/// A workspace with a folder `sub`, and the same names with other texts in a folder beside it.
fn scene() -> Fixture {
    let fixture = Fixture::new(&[]);
    for name in ["a.txt", "a.png", "a.pdf", "a.ipynb", "a.big"] {
        fixture.write(&format!("sub/{name}"), "inside\n");
        fixture.write(&format!("../outside/{name}"), "secret\n");
    }
    fixture.write("../outside/only-there.txt", "secret\n");
    fixture
}

/// The folder `sub` gives way to a link to the one outside.
fn swap(fixture: &Fixture) {
    std::fs::rename(fixture.path("sub").as_path(), fixture.path("away").as_path()).unwrap();
    symlink(fixture.outside("outside").as_path(), fixture.path("sub").as_path()).unwrap();
}

/// What a call answers that was let through before `sub` was swapped.
async fn swapped(tool: &dyn Tool, input: Value) -> (Fixture, Result<String, String>) {
    let fixture = scene();
    for name in ["sub/a.txt", "sub/a.ipynb"] {
        fixture.call(&Read, json!({"file_path": name})).await.unwrap();
    }
    let context = fixture.context();
    let call = Call {
        tool: tool.name().to_owned(),
        aliases: tool.aliases(),
        title: tool.title(&input),
        is_read_only: tool.is_read_only(&input),
        access: tool.access(&input, &context),
        input: input.clone(),
    };
    assert_eq!(decide(&call, &context.policy), Verdict::Allow);
    swap(&fixture);
    let result = tool.call(input, context).await;
    (fixture, result.map(|result| format!("{:?} {}", result.content, result.data)).map_err(|error| error.0))
}

#[tokio::test]
async fn a_link_put_in_the_way_of_a_call_that_was_let_through_is_told_and_not_followed() {
    for name in ["a.txt", "a.png", "a.pdf", "a.ipynb", "only-there.txt", "none.txt"] {
        let (_, result) = swapped(&Read, json!({"file_path": format!("sub/{name}")})).await;
        let error = result.expect_err(name);
        assert!(error.contains("a symbolic link was put in the way of"), "{name}: {error}");
        assert!(name.contains("only-there") || !error.contains("only-there"), "{name}: {error}");
    }
    let edit = json!({"file_path": "sub/a.txt", "old_string": "secret", "new_string": "x"});
    let write = json!({"file_path": "sub/new.txt", "content": "x"});
    let cell = json!({"notebook_path": "sub/a.ipynb", "new_source": "x", "cell_id": "0"});
    let grep = json!({"pattern": "secret", "path": "sub"});
    let one = json!({"pattern": "secret", "path": "sub/a.txt"});
    let glob = json!({"pattern": "**/*", "path": "sub"});
    let calls: [(&dyn Tool, Value); 6] =
        [(&Edit, edit), (&Write, write), (&NotebookEdit, cell), (&Grep, grep), (&Grep, one), (&Glob, glob)];
    for (tool, input) in calls {
        let (fixture, result) = swapped(tool, input.clone()).await;
        let error = result.expect_err("it was swapped");
        assert!(error.contains("a symbolic link was put in the way of"), "{input}: {error}");
        let drafts = fixture.desk.drafts(&fixture.session).await;
        assert!(drafts.is_empty(), "{input}");
    }
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_since_it_was_judged_is_read_where_it_led() {
    let fixture = scene();
    symlink("sub/a.txt", fixture.path("link").as_path()).unwrap();
    let context = fixture.context();
    let input = json!({"file_path": "link"});
    Read.access(&input, &context);
    std::fs::remove_file(fixture.path("link").as_path()).unwrap();
    symlink(fixture.outside("outside/a.txt").as_path(), fixture.path("link").as_path()).unwrap();
    let read = Read.call(input, context).await.unwrap();
    assert!(format!("{:?}", read.content).contains("inside"), "{read:?}");
}

/// Runs `look` again and again while `sub` flips between itself and a link to `target`.
async fn while_it_flips(fixture: &Fixture, target: &AbsPath, look: impl AsyncFn(usize)) {
    let [sub, away, link] = ["sub", "away", "link"].map(|name| fixture.path(name));
    symlink(target.as_path(), link.as_path()).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let flipping = std::thread::spawn({
        let is_over = is_over.clone();
        move || {
            while !is_over.load(Ordering::Relaxed) {
                for (from, to) in [(&sub, &away), (&link, &sub), (&sub, &link), (&away, &sub)] {
                    std::fs::rename(from.as_path(), to.as_path()).unwrap();
                }
            }
        }
    });
    for number in 0..TRIES {
        look(number).await;
    }
    is_over.store(true, Ordering::Relaxed);
    flipping.join().unwrap();
}

const TRIES: usize = 100;

#[tokio::test]
async fn while_a_folder_flips_no_tool_shows_what_lies_outside() {
    let fixture = scene();
    while_it_flips(&fixture, &fixture.outside("outside"), async |_| {
        let calls: [(&dyn Tool, Value); 5] = [
            (&Read, json!({"file_path": "sub/a.txt"})),
            (&Read, json!({"file_path": "sub/only-there.txt"})),
            (&Grep, json!({"pattern": "secret", "output_mode": "content"})),
            (&Glob, json!({"pattern": "**/*"})),
            (&Glob, json!({"pattern": "*", "path": "sub"})),
        ];
        for (tool, input) in calls {
            let context = fixture.context();
            let call = Call {
                tool: tool.name().to_owned(),
                aliases: &[],
                title: String::new(),
                is_read_only: true,
                access: tool.access(&input, &context),
                input: input.clone(),
            };
            if decide(&call, &context.policy) != Verdict::Allow {
                continue;
            }
            let said = match tool.call(input.clone(), context).await {
                Ok(result) => format!("{:?}", result.content),
                Err(error) => error.0,
            };
            let asked_for = input.to_string();
            let shows = |what: &str| said.contains(what) && !asked_for.contains(what);
            assert!(!shows("secret") && !shows("only-there"), "{asked_for}: {said}");
        }
    })
    .await;
}

#[tokio::test]
async fn while_a_folder_flips_no_search_shows_what_a_rule_hides() {
    let mut fixture = scene();
    fixture.write("hidden/a.txt", "hidden text\n");
    let rule = Rule::parse("Read(hidden/**)").unwrap();
    let starts = fixture.policy.starts();
    fixture
        .policy
        .rules
        .push(SettledRule::new(Behavior::Deny, rule, Source::User, "the settings", &starts).unwrap());
    while_it_flips(&fixture, &fixture.path("hidden"), async |_| {
        let found = fixture.call(&Grep, json!({"pattern": "hidden text", "output_mode": "content"})).await;
        assert_eq!(
            found.unwrap(),
            "No matches in what may be read: rules keep other files from being read.",
        );
    })
    .await;
}
