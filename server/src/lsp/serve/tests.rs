use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;

/// A server that has no core: for what the door does before one is needed.
struct Door {
    to_server: DuplexStream,
    from_server: BufReader<DuplexStream>,
    server: JoinHandle<Ending>,
}

fn open() -> Door {
    let (to_server, input) = duplex(1 << 16);
    let (output, from_server) = duplex(1 << 16);
    let host = Host { home: None, started_in: None };
    let build: Build = Box::new(|_| panic!("no core in this test"));
    Door {
        to_server,
        from_server: BufReader::new(from_server),
        server: tokio::spawn(serve(input, output, build, host)),
    }
}

impl Door {
    async fn send(&mut self, body: &str) {
        self.to_server
            .write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .await
            .unwrap();
    }

    async fn notify(&mut self, method: &str) {
        self.send(&json!({"jsonrpc": "2.0", "method": method}).to_string()).await;
    }

    async fn request(&mut self, id: i64, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request.to_string()).await;
        self.receive().await
    }

    async fn receive(&mut self) -> Value {
        let body = frame::read(&mut self.from_server).await.unwrap().unwrap().unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    async fn initialize(&mut self) {
        let answer = self.request(1, "initialize", json!({"capabilities": {}})).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "copydesk");
    }

    async fn ending(self) -> Ending {
        tokio::time::timeout(Duration::from_secs(2), self.server).await.unwrap().unwrap()
    }
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap()
}

#[tokio::test]
async fn exit_ends_it_though_the_input_stays_open() {
    let mut door = open();
    door.initialize().await;
    assert_eq!(door.request(2, "shutdown", Value::Null).await["result"], Value::Null);
    assert_eq!(code(&door.request(3, "shutdown", Value::Null).await), -32600);
    assert_eq!(code(&door.request(4, "textDocument/hover", json!({})).await), -32600);
    door.notify("exit").await;
    assert_eq!(door.ending().await, Ending::Asked);
}

#[tokio::test]
async fn exit_without_shutdown_is_a_failure() {
    let mut door = open();
    door.initialize().await;
    door.notify("exit").await;
    assert_eq!(door.ending().await, Ending::Abrupt);

    let mut door = open();
    door.notify("exit").await;
    assert_eq!(door.ending().await, Ending::Abrupt);
}

#[tokio::test]
async fn the_end_of_the_input_is_the_end() {
    let mut door = open();
    door.initialize().await;
    door.to_server.shutdown().await.unwrap();
    assert_eq!(door.ending().await, Ending::EditorGone);
}

#[tokio::test]
async fn an_editor_that_does_not_listen_is_gone() {
    let Door { mut to_server, from_server, server } = open();
    drop(from_server);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    to_server.write_all(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
    assert_eq!(
        tokio::time::timeout(Duration::from_secs(2), server).await.unwrap().unwrap(),
        Ending::EditorGone
    );
}

#[tokio::test]
async fn nothing_is_served_before_initialize_and_it_comes_once() {
    let mut door = open();
    assert_eq!(code(&door.request(1, "textDocument/hover", json!({})).await), -32002);
    door.notify("textDocument/didOpen").await;
    door.initialize().await;
    assert_eq!(code(&door.request(1, "initialize", json!({"capabilities": {}})).await), -32600);
}

#[tokio::test]
async fn broken_messages_are_answered_and_the_next_is_served() {
    let mut door = open();
    door.initialize().await;
    for (body, wanted) in [("{\"jsonrpc\":", -32700), ("", -32700), ("[]", -32600), ("\u{feff}{}", -32700)] {
        door.send(body).await;
        assert_eq!(code(&door.receive().await), wanted, "{body}");
    }
    door.to_server.write_all(b"Content-Length: 3\r\n\r\n\"\xff\"").await.unwrap();
    assert_eq!(code(&door.receive().await), -32700);
    door.to_server.write_all(b"Content-Length: x\r\n\r\n").await.unwrap();
    assert_eq!(code(&door.receive().await), -32700);
    assert_eq!(code(&door.request(2, "no/such/method", Value::Null).await), -32601);
    assert_eq!(code(&door.request(3, "textDocument/hover", json!({"wrong": 1})).await), -32602);
    assert_eq!(door.request(4, "shutdown", Value::Null).await["result"], Value::Null);
}

#[tokio::test]
async fn what_an_editor_answers_to_nothing_is_dropped() {
    let mut door = open();
    door.initialize().await;
    door.send(r#"{"jsonrpc":"2.0","id":99,"result":null}"#).await;
    door.send(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#).await;
    door.notify("$/cancelRequest").await;
    door.notify("$/unknown").await;
    assert_eq!(door.request(2, "shutdown", Value::Null).await["id"], 2);
}

#[tokio::test]
async fn the_answer_leaves_before_the_output_is_closed() {
    let mut door = open();
    door.initialize().await;
    door.send(r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#).await;
    door.notify("exit").await;
    assert_eq!(door.receive().await["id"], 2);
    let mut rest = Vec::new();
    door.from_server.read_to_end(&mut rest).await.unwrap();
    assert_eq!(door.ending().await, Ending::Asked);
    assert!(rest.is_empty());
}

#[tokio::test]
async fn an_input_that_ends_before_any_hello_came_from_no_editor() {
    let Door { to_server, from_server: _open, server } = open();
    drop(to_server);
    assert_eq!(server.await.unwrap(), Ending::NoEditor);
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_is_answered_whole_to_an_editor_that_has_said_all_and_reads_slowly() {
    let mut door = open();
    door.initialize().await;
    // The answer says which method it was.
    let long = format!("$/{}", "x".repeat(300_000));
    door.send(&json!({"jsonrpc": "2.0", "id": 2, "method": long}).to_string()).await;
    door.send(r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#).await;
    door.notify("exit").await;
    door.to_server.shutdown().await.unwrap();
    let mut read = Vec::new();
    let mut piece = vec![0; 1 << 14];
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        match door.from_server.read(&mut piece).await.unwrap() {
            0 => break,
            count => read.extend_from_slice(&piece[..count]),
        }
    }
    let mut read = &*read;
    let mut ids = Vec::new();
    while let Some(Ok(body)) = frame::read(&mut read).await.unwrap() {
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(answer["id"] == 3 || answer["error"]["message"].as_str().unwrap().contains(&long));
        ids.push(answer["id"].clone());
    }
    assert_eq!(ids, [json!(2), json!(3)]);
    assert_eq!(door.ending().await, Ending::Asked);
}

#[tokio::test]
async fn a_shutdown_that_is_under_way_when_exit_comes_was_asked_for() {
    let mut door = open();
    let messages = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
        r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ];
    for message in messages {
        door.send(message).await;
    }
    door.to_server.shutdown().await.unwrap();
    for id in 1..=3 {
        assert_eq!(door.receive().await["id"], id);
    }
    assert_eq!(door.ending().await, Ending::Asked);
}
