//! The stages of a call as they are told to the person, for each way a call's life can go.

use serde_json::Value;

use super::*;
use crate::agent::ToolCallStatus::{self, Completed, Failed, InProgress, Pending, Rejected};

/// Of each call in the order of their first stage: its id, its stages with their texts, and its group.
type Lives = Vec<(String, Vec<(ToolCallStatus, Option<String>)>, Option<String>)>;

async fn lives(calls: Vec<Piece>) -> Lives {
    let does = [Does::Look, Does::Tell, Does::Run, Does::Refuse, Does::Decline, Does::Act];
    let tools =
        Tools::new(does.into_iter().map(|does| Arc::new(TestTool::new(does)) as Arc<dyn Tool>).collect());
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![calls]);
    let params = QueryParams { tools, ..params(&fixture, model, CancellationToken::new()) };
    let mut lives: Lives = Vec::new();
    let events: Vec<SessionEvent> = query(params).collect().await;
    for event in events {
        let SessionEvent::ToolCall(update) = event else { continue };
        let id = update.id.to_string();
        let stage = (update.status, update.text.clone());
        match lives.iter_mut().find(|(known, ..)| *known == id) {
            Some((_, stages, group)) => {
                assert_eq!(*group, update.group.map(|group| group.to_string()), "a call stays in its group");
                stages.push(stage);
            }
            None => lives.push((id, vec![stage], update.group.map(|group| group.to_string()))),
        }
    }
    lives
}

async fn life(call: Piece) -> Vec<(ToolCallStatus, Option<String>)> {
    lives(vec![call]).await.remove(0).1
}

/// A stage with these words.
fn says(status: ToolCallStatus, text: &str) -> (ToolCallStatus, Option<String>) {
    (status, Some(text.to_owned()))
}

#[tokio::test]
async fn a_call_that_succeeds_is_asked_runs_and_is_done() {
    let done = life(tool("t1", "Look", json!({}))).await;
    assert_eq!(done, [(Pending, None), (InProgress, None), says(Completed, "{}")]);
}

#[tokio::test]
async fn progress_is_told_while_the_call_runs() {
    let told = life(tool("t1", "Tell", json!({}))).await;
    let want = [(Pending, None), (InProgress, None), says(InProgress, "half way"), says(Completed, "{}")];
    assert_eq!(told, want);
}

#[tokio::test]
async fn a_denied_call_never_runs() {
    let denied = life(tool("t1", "Refuse", json!({}))).await;
    assert_eq!(denied, [(Pending, None), says(Rejected, "It is forbidden.")]);
}

#[tokio::test]
async fn a_call_whose_question_the_person_declines_is_rejected() {
    let declined = life(tool("t1", "Decline", json!({}))).await;
    assert_eq!(declined, [(Pending, None), (InProgress, None), says(Rejected, "not now")]);
}

#[tokio::test]
async fn a_call_that_fails_says_why() {
    let failed = life(tool("t1", "Run", json!({"exit": 1}))).await;
    assert_eq!(failed, [(Pending, None), (InProgress, None), says(Failed, "exit 1")]);
}

#[tokio::test]
async fn calls_that_may_run_side_by_side_are_a_group() {
    let lives = lives(vec![
        tool("t1", "Look", json!({})),
        tool("t2", "Tell", json!({})),
        tool("t3", "Act", json!({})),
        tool("t4", "Look", json!({})),
    ])
    .await;
    let groups: Vec<(&str, Option<&str>)> =
        lives.iter().map(|(id, _, group)| (id.as_str(), group.as_deref())).collect();
    assert_eq!(groups, [("t1", Some("t1")), ("t2", Some("t1")), ("t3", None), ("t4", Some("t4"))]);
}

#[tokio::test]
async fn what_a_call_changes_holds_for_the_calls_after_it_and_the_editor_alone_sees_its_meta() {
    let tools = Tools::new(vec![
        Arc::new(TestTool::new(Does::Modify)) as Arc<dyn Tool>,
        Arc::new(TestTool::new(Does::Where)),
    ]);
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![
        vec![tool("t1", "Where", json!({})), tool("t2", "Modify", json!({})), tool("t3", "Where", json!({}))],
        vec![tool("t4", "Where", json!({}))],
    ]);
    let params = QueryParams { tools, ..params(&fixture, model.clone(), CancellationToken::new()) };
    let events: Vec<SessionEvent> = query(params).collect().await;
    let lines: Vec<String> =
        events.iter().filter_map(line).filter(|line| line.starts_with("user t")).collect();
    assert_eq!(lines, ["user t1: s_1", "user t2: changed", "user t3: s_2", "user t4: s_2"]);
    let metas: Vec<Value> = events
        .iter()
        .filter_map(|event| match event {
            SessionEvent::Loop(LoopEvent::Message(Message::User(message))) => message.mcp_meta.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(metas, [json!({"only": "for the editor"})]);
    assert!(!format!("{:?}", model.all_requests()).contains("for the editor"));
}
