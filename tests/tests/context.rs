//! What a model is sent around the conversation, through the real program.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test ends where it can't go on"
)]

use copydesk_tests::client::{Client, Home, full_capabilities};
use copydesk_tests::model_server::{Answer, ModelServer, Request};
use copydesk_tests::person::{ask, done, plain};
use serde_json::{Value, json};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

async fn program(home: &mut Home, server: &ModelServer) -> Client {
    home.environment.extend(server.environment());
    let mut client = Client::start(home);
    client.initialize(home, full_capabilities()).await;
    client
}

async fn send(client: &mut Client, session: &Value, words: &str) {
    let prompt = json!([{ "type": "text", "text": words }]);
    let params = json!({ "sessionId": session, "prompt": prompt });
    client.request("copydesk/task/send", params).await.expect("a prompt is taken");
    ended(client).await;
}

/// Waits for the end of the task and gives its session.
async fn ended(client: &mut Client) -> Value {
    let end = client.notification("copydesk/event", |params| params["event"]["type"] == "terminal").await;
    end["sessionId"].clone()
}

/// The text of a request up to its last mark, and whether the next one begins with it.
#[track_caller]
fn check_prefix(first: &Request, second: &Request) {
    let text = |request: &Request| String::from_utf8(request.bytes.clone()).expect("UTF-8");
    let (first, second) = (text(first), text(second));
    let moved = first.rfind(MARK).expect("a mark");
    let shared = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    assert!(shared >= moved, "they part at {shared}: {}", second.get(shared.saturating_sub(60)..).unwrap());
}

#[tokio::test]
async fn every_request_begins_with_the_bytes_of_the_one_before() {
    let mut home = Home::new();
    home.write("CLAUDE.md", "Be kind.\n");
    home.write("a.txt", "text\n");
    let input = json!({ "file_path": home.path("a.txt").to_str().unwrap() });
    let server = ModelServer::playing([
        Answer::calls("Read", input.clone()),
        Answer::says("Read."),
        Answer::calls("Read", input),
        Answer::says("Done."),
    ])
    .await;
    let mut client = program(&mut home, &server).await;
    ask(&mut client, "read it").await;
    let session = ended(&mut client).await;
    send(&mut client, &session, "and again").await;
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for pair in requests.windows(2) {
        let [first, second] = pair else { unreachable!() };
        check_prefix(first, second);
    }
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn a_projects_instructions_come_first_and_their_change_is_told_once() {
    let mut home = Home::new();
    home.write("CLAUDE.md", "Be kind.\n");
    let server = ModelServer::answering(|_| Answer::says("Done.")).await;
    let mut client = program(&mut home, &server).await;
    ask(&mut client, "one").await;
    let session = ended(&mut client).await;
    home.write("CLAUDE.md", "Be brief.\n");
    send(&mut client, &session, "two").await;
    send(&mut client, &session, "three").await;
    let texts: Vec<String> = server
        .last_request()
        .messages()
        .iter()
        .filter(|message| message["role"] == "user")
        .flat_map(|message| message["content"].as_array().unwrap().clone())
        .map(|block| block["text"].as_str().unwrap().to_owned())
        .collect();
    let first = texts.first().unwrap();
    assert!(first.starts_with("<system-reminder>") && first.contains("Be kind."), "{first}");
    let told: Vec<&String> = texts.iter().filter(|text| text.contains("Be brief.")).collect();
    assert_eq!(told.len(), 1, "{texts:#?}");
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn in_an_editor_without_a_plugin_a_person_can_ask_what_the_conversation_takes() {
    let mut home = Home::new();
    let server = ModelServer::playing([Answer::says("Hello.")]).await;
    home.environment.extend(server.environment());
    let mut client = plain(&home).await;
    ask(&mut client, "hello").await;
    done(&mut client).await;
    ask(&mut client, "/context").await;
    let told = "Copydesk: The conversation takes 2095 tokens, as the service counts them, of the";
    let shown = client
        .notification("window/showMessage", |shown| shown["message"].as_str().unwrap().starts_with(told))
        .await;
    assert_eq!((&shown["type"], server.requests().len()), (&json!(3), 1), "no model answers that");
    assert_eq!(client.close().await, 0);
}
