//! Streams that are cut, anywhere.

use copydesk_tests::heard::request;
use copydesk_tests::model_server::Wire;

use super::*;

/// A model behind the other wire that is asked again without long waits.
fn chat_model(server: &ModelServer) -> OpenAi {
    let usual = OpenAiConfig::new(server.url());
    OpenAi::new(OpenAiConfig { model: Some("m".to_owned()), retry: quick(usual.retry), ..usual })
}

#[tokio::test]
async fn a_cut_stream_is_not_an_answer() {
    let name = "40-stream-cut-is-not-an-answer";
    let case = case(name);
    let most = 1 + case["max_retries"].as_u64().unwrap() as usize;
    for (stream, wanted) in case["streams"].as_object().unwrap() {
        // The other wire's name stands in the file's.
        let [messages, chat] = [format!("in/{stream}.sse"), format!("in/{stream}.openai.sse")];
        let (file, wire) = if cases::has(name, &messages) {
            (messages, Wire::Messages)
        } else {
            (chat, Wire::ChatCompletions)
        };
        let bytes = cases::file(name, &file);
        let server = ModelServer::answering_in(wire, move |_| Answer::stream(bytes.clone())).await;
        let told = match wire {
            Wire::Messages => send(&model(&server, "m"), &[says("go")]).await,
            Wire::ChatCompletions | Wire::Ollama => heard(&chat_model(&server), request()).await,
        };
        let asked = server.requests().len();
        match wanted.as_str().unwrap() {
            "complete" => assert_eq!((told.is_whole, asked, told.error), (true, 1, None), "{file}"),
            "asked again" => {
                assert_eq!((told.is_whole, told.blocks.len(), asked), (false, 0, most), "{file}: {told:?}");
                assert!(told.error.is_some(), "{file}");
            }
            "kept, incomplete" => {
                assert_eq!((told.is_whole, told.blocks.len(), asked), (false, 1, 1), "{file}: {told:?}");
                assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::StreamCut));
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_call_before_the_cut_runs_once_and_the_person_is_told() {
    let mut home = Home::new();
    home.write("a.txt", "text\n");
    let input = json!({ "file_path": home.path("a.txt").to_str().unwrap() });
    let server = ModelServer::playing([
        Answer::calls("Read", input).beginning_to_say("and then").ending_early(),
        Answer::says("Done."),
    ])
    .await;
    let mut client = program(&mut home, &server, "").await;
    ask(&mut client, "read it").await;
    let notice = client
        .notification("copydesk/event", |params| {
            params["event"]["message"]["text"].as_str().is_some_and(|text| text.contains("may be incomplete"))
        })
        .await;
    assert!(notice.is_object());
    assert_eq!(terminal(&mut client).await["reason"], "completed");
    assert_eq!(server.last_request().results().len(), 1);
    assert_eq!(client.close().await, 0);
}

#[tokio::test]
async fn bytes_of_a_stream_may_be_cut_anywhere() {
    let name = "41-sse-bytes-cut-anywhere";
    let case = case(name);
    let bytes = cases::file(name, "in/stream.sse");
    assert!(case["every_two_way_cut"].as_bool().unwrap());
    let sizes = case["chunk_sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize);
    // The first chunk ends at every place, and so do those behind it.
    let sizes: Vec<usize> = sizes.chain(1..bytes.len()).collect();
    let mut left = sizes.clone().into_iter();
    let server = ModelServer::answering(move |_| {
        Answer::stream(bytes.clone()).in_pieces_of(left.next().expect("one answer a size"))
    })
    .await;
    let model = model(&server, "m");
    for size in sizes {
        let told = send(&model, &[says("go")]).await;
        assert_eq!((told.text.as_str(), told.is_whole), (case["text"].as_str().unwrap(), true), "{size}");
        assert_eq!(told.stop_reason.as_ref().map(StopReason::as_str), case["stop_reason"].as_str(), "{size}");
        assert_eq!(told.blocks.len(), 1, "{size}");
    }
}
