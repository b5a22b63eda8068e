//! The editor's settings, changed while the program runs.

#![allow(clippy::indexing_slicing, reason = "what is not in a JSON value reads as null")]

use copydesk_tests::client::{Answer, Client, Home, full_capabilities};
use copydesk_tests::person::{ask, choose, hunks, menu, plain};
use serde_json::{Value, json};

const TEXT: &str = "fn load() {}\n\nfn main() {\n    load();\n}\n";

fn change(client: &mut Client, settings: &Value) {
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
}

async fn told(client: &mut Client, what: &str) -> String {
    let is_it = |shown: &Value| shown["message"].as_str().is_some_and(|message| message.contains(what));
    client.notification("window/showMessage", is_it).await["message"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_users_own_actions_are_in_the_menu_and_start_their_task() {
    let home = Home::new();
    let mut client = plain(&home).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", TEXT);
    let actions = json!([
        { "title": "Open up", "prompt": "rename load to open" },
        { "title": "Review this file", "prompt": "review", "scope": "file" },
    ]);
    change(&mut client, &json!({ "copydesk": { "actions": actions, "model": { "name": "other" } } }));
    // The last of what the change brings.
    told(&mut client, "model.name will count when the language server is started anew").await;
    let titles = menu(&mut client, &uri, 0).await;
    assert_eq!(
        titles,
        ["Ask Copydesk…", "Explain", "Document", "Write tests", "Open up", "Review this file", "Open chat"]
    );
    choose(&mut client, &uri, 0, "Open up").await;
    hunks(&mut client, &uri, 2).await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_bad_value_is_told_with_its_key_and_the_rest_counts_at_once() {
    let home = Home::new();
    let mut client = Client::start(&home);
    let mut capabilities = full_capabilities();
    capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    client.answer("workspace/inlayHint/refresh", Answer::Result(Value::Null));
    client.initialize(&home, capabilities).await;
    let uri = home.uri("a.rs");
    client.did_open(&uri, "rust", TEXT);
    ask(&mut client, "rename load to open in a.rs").await;
    hunks(&mut client, &uri, 2).await;
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 5, "character": 0 } });
    let asked = json!({ "textDocument": { "uri": uri }, "range": whole });
    assert_eq!(client.request("textDocument/inlayHint", asked.clone()).await, Ok(json!([])));
    assert_eq!(client.times_asked("workspace/inlayHint/refresh"), 0, "nothing is shown so");

    let settings = json!({ "review": { "inlayHints": true, "advance": "sometimes" }, "colour": 3 });
    change(&mut client, &settings);
    let wrong = told(&mut client, "advance").await;
    assert!(wrong.contains("expected true or false") && wrong.contains("Mend that"), "{wrong}");
    assert!(told(&mut client, "colour").await.contains("there is no setting `colour`"));
    client.asked("workspace/inlayHint/refresh", 1).await;
    let hints = client.request("textDocument/inlayHint", asked).await;
    assert_eq!(hints.as_ref().ok().and_then(Value::as_array).map(Vec::len), Some(2), "{hints:?}");

    choose(&mut client, &uri, 0, "Accept hunk 1/2").await;
    client.asked("workspace/inlayHint/refresh", 2).await;
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn an_editor_that_sends_no_settings_is_asked_for_them() {
    let home = Home::new();
    let mut client = Client::start(&home);
    let mut capabilities = full_capabilities();
    capabilities["workspace"]["configuration"] = json!(true);
    client.answer("workspace/configuration", Answer::Result(json!([{ "maxTurns": 3 }])));
    client.initialize(&home, capabilities).await;
    change(&mut client, &Value::Null);
    told(&mut client, "max_turns will count").await;
    let shown = client.request("copydesk/config/show", json!({})).await.unwrap_or_default();
    let of_key = |setting: &&Value| setting["key"] == "max_turns";
    let setting = shown["settings"].as_array().and_then(|settings| settings.iter().find(of_key));
    assert_eq!(setting.map(|setting| setting["value"].clone()), Some(json!("3")), "{shown}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn the_doctor_answers_an_editor_too() {
    let mut home = Home::new();
    home.environment.push(("COPYDESK_PROVIDER".to_owned(), "offline".to_owned()));
    let mut client = Client::open(&home).await;
    let methods = &client.capabilities["experimental"]["copydesk"]["methods"];
    assert!(
        methods.as_array().is_some_and(|methods| methods.contains(&json!("copydesk/doctor"))),
        "{methods}"
    );
    let found = client.request("copydesk/doctor", json!({})).await.unwrap_or_default();
    let titles: Vec<_> =
        found["sections"].as_array().into_iter().flatten().map(|section| &section["title"]).collect();
    assert_eq!(titles, ["Program", "Model", "Commands", "Editors", "Configuration"]);
    assert_eq!(found["fine"], true, "{found:#}");
    assert!(found.to_string().contains("the offline model"), "{found:#}");
    assert!(found["next"].as_array().is_some_and(|next| !next.is_empty()), "{found:#}");
    assert_eq!(client.close().await, 0);
}
