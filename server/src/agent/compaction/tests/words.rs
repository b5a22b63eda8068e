//! What the user has asked for, beside a summary: word for word, as long as nothing finished stands behind it.

use super::*;

#[tokio::test]
async fn the_newest_prompt_is_kept_word_for_word() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let newest = Message::from(user(clock()(), vec![ContentBlock::text("and now this")]));
    params.messages.extend([answered(0), newest.clone()]);
    let view = params.messages.clone();
    let how = Compaction::Manual { instructions: "the tests".into() };
    let compacted = made(&params, &view, how).await;
    assert_eq!(compacted.messages.last(), Some(&newest));
    let [request] = model.requests().try_into().unwrap();
    let question = words(request.messages.last().unwrap());
    assert!(
        question.ends_with("in the summary:\nthe tests") && !question.contains("and now this"),
        "{question}"
    );
}

/// More than is kept of a conversation otherwise.
fn long_prompt() -> String {
    format!("FIRST WORDS {} LAST WORDS", "please look at this line of the log 12345\n".repeat(1_600))
}

/// The requests of a task with a long prompt behind an answered one. `kept`: `context.kept_tokens`.
async fn asked_with_a_long_prompt(kept: u64, tokens: u64, script: Vec<Vec<Piece>>) -> Vec<ModelRequest> {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(script);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let settings = crate::config::ContextSettings::default().with(ContextNumber::KeptTokens, kept);
    params.context = Arc::new(crate::agent::session_context::SessionContext::new(settings, None));
    params.messages.extend([answered(tokens), prompt(&long_prompt())]);
    let (lines, requests) = played(params, &model).await;
    assert!(lines.last().is_some_and(|line| line.starts_with("done completed")), "{lines:?}");
    requests
}

#[tokio::test]
async fn a_long_prompt_is_sent_word_for_word_behind_a_summary_of_what_came_before() {
    for kept in [1, 10_000] {
        let done = || vec![text("done")];
        let full = asked_with_a_long_prompt(kept, 168_000, vec![vec![text(SUMMARY)], done()]).await;
        let refused = vec![vec![Piece::Fail(ModelErrorKind::PromptTooLong)], vec![text(SUMMARY)], done()];
        let refused = asked_with_a_long_prompt(kept, 1_000, refused).await;
        for requests in [full, refused] {
            let [.., question, last] = requests.as_slice() else { panic!("two requests: {requests:?}") };
            assert!(is_question(question) && !format!("{question:?}").contains("LAST WORDS"), "{question:?}");
            let [last] = last.messages.as_slice() else { panic!("the user alone: {last:?}") };
            assert!(words(last).contains("1. All of it") && words(last).ends_with(&long_prompt()));
        }
    }
}

#[tokio::test]
async fn a_long_prompt_stays_while_the_work_on_it_is_summed_up_again_and_again() {
    let script = vec![
        call("t1", 168_000),
        vec![text(SUMMARY)],
        call("t2", 168_000),
        vec![text(SUMMARY)],
        vec![text("done")],
    ];
    let requests = asked_with_a_long_prompt(10_000, 1_000, script).await;
    assert_eq!(
        requests.iter().map(is_question).collect::<Vec<_>>(),
        [false, true, false, true, false],
        "{requests:?}"
    );
    for request in [&requests[2], &requests[4]] {
        let [first] = request.messages.as_slice() else { panic!("the user alone: {request:?}") };
        let words = words(first);
        assert!(words.contains(&long_prompt()) && words.contains("word for word"), "{words}");
    }
}

#[tokio::test]
async fn a_prompt_stays_without_the_picture_that_may_have_been_refused() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let image = ImageSource { media_type: "image/png".into(), data: "AAAA".into() };
    let content = vec![ContentBlock::text(long_prompt()), ContentBlock::Image(image)];
    params.messages.extend([answered(0), Message::from(user(clock()(), content))]);
    let view = params.messages.clone();
    let compacted = made(&params, &view, Compaction::Reactive { over_by: None }).await;
    let Some(Message::User(last)) = compacted.messages.last() else { panic!("the prompt: {compacted:?}") };
    let (ContentBlock::Text { text: first }, ContentBlock::Text { text: second }) =
        (&last.content[0], &last.content[1])
    else {
        panic!("texts: {last:?}")
    };
    assert_eq!((first.as_str(), second.as_str()), (long_prompt().as_str(), "[There was an image here.]"));
    let Message::System(boundary) = &compacted.messages[0] else { panic!("a boundary: {compacted:?}") };
    assert!(
        boundary
            .compaction
            .as_ref()
            .is_some_and(|said| said.without_images && said.kept == [last.id.clone()])
    );
}

#[tokio::test]
async fn words_that_leave_no_room_for_a_summary_go_and_the_user_is_told() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)], vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let long = prompt(&"long ".repeat(150_000));
    let is_told = |messages: &[Message]| {
        messages
            .iter()
            .any(|message| matches!(message, Message::System(system) if system.text == WORDS_TOO_LONG))
    };
    // Work on it was done, and there is no room for both.
    params.messages = vec![long.clone(), called("t1"), prompt("and this")];
    let view = params.messages.clone();
    let compacted = made(&params, &view, Compaction::Auto).await;
    assert!(is_told(&compacted.messages) && !compacted.messages.contains(&long));
    assert!(compacted.messages.contains(&view[2]), "the newest stays");
    // It is all there is, and was refused.
    let compacted = made(&params, std::slice::from_ref(&long), Compaction::Reactive { over_by: None }).await;
    assert!(is_told(&compacted.messages) && !compacted.messages.contains(&long));
}

fn called(id: &str) -> Message {
    let Message::Assistant(mut answer) = answered(0) else { unreachable!("it is an answer") };
    let block =
        ContentBlock::ToolUse { id: ToolUseId(id.to_owned()), name: "Look".to_owned(), input: json!({}) };
    Arc::make_mut(&mut answer).content = vec![block];
    Message::Assistant(answer)
}

#[tokio::test]
async fn a_prompt_alone_that_has_no_room_is_told_of_and_not_summed_up() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(Vec::new());
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    params.messages = vec![prompt(&"long ".repeat(150_000))];
    let (lines, requests) = played(params, &model).await;
    assert!(lines[0].starts_with("error What you have sent takes 250"), "{lines:?}");
    assert_eq!((lines[1].as_str(), requests.len()), ("done blocking_limit after 1", 0));
}
