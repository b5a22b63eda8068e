//! What an answer costs from its bytes to its events: per megabyte the same, however long one block gets and however small
//! the pieces are in which the network brings it.

use std::hint::black_box;
use std::io;
use std::time::Duration;

use copydesk::config::ApiKey;
use copydesk::conversation::{ApiMessage, ContentBlock, Role};
use copydesk::models::{Anthropic, AnthropicConfig, Credential, ModelRequest, Provider};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Bytes of text in one delta.
const DELTA: usize = 100;
/// Bytes in one chunk of the network.
const CHUNK: usize = 700;

/// A response with one text block of `bytes`, in many deltas.
fn response(bytes: usize) -> Vec<u8> {
    let mut stream =
        String::from("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
    let mut event = |data: &str| stream.extend(["data: ", data, "\n\n"]);
    event(r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#);
    event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#);
    let text = "x".repeat(DELTA);
    for _ in 0..bytes / DELTA {
        event(&format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#
        ));
    }
    event(r#"{"type":"content_block_stop","index":0}"#);
    event(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#);
    event(r#"{"type":"message_stop"}"#);
    stream.into_bytes()
}

async fn play(mut connection: TcpStream, response: &[u8]) -> io::Result<()> {
    let mut request = [0; 4_096];
    // One read: what is asked makes no difference to the answer.
    let _asked = connection.read(&mut request).await?;
    for chunk in response.chunks(CHUNK) {
        connection.write_all(chunk).await?;
    }
    connection.shutdown().await
}

async fn serve(listener: TcpListener, response: Vec<u8>) {
    while let Ok((connection, _)) = listener.accept().await {
        // Who leaves early is no matter of the benchmark.
        let _ = play(connection, &response).await;
    }
}

async fn events(provider: &Anthropic) -> usize {
    let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
    let request = ModelRequest::new(Vec::new(), Vec::new(), vec![prompt], 1_000);
    provider.stream(request).map(black_box).count().await
}

fn streaming(criterion: &mut Criterion) {
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
    else {
        return;
    };
    let mut group = criterion.benchmark_group("one block");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for megabytes in [1, 2, 5, 10] {
        let bytes = megabytes * 1024 * 1024;
        let Ok(listener) = runtime.block_on(TcpListener::bind("127.0.0.1:0")) else { return };
        let Ok(address) = listener.local_addr() else { return };
        let server = runtime.spawn(serve(listener, response(bytes)));
        let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new("k"))), "bench");
        config.base_url = format!("http://{address}");
        let provider = Anthropic::new(config);
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("{megabytes} MB")), |bencher| {
            bencher.iter(|| runtime.block_on(events(&provider)));
        });
        server.abort();
    }
    group.finish();
}

criterion_group!(benches, streaming);
criterion_main!(benches);
