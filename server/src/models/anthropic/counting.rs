//! What a request would take, as the service itself counts it (Messages API, "Count tokens"): free, and asked only when
//! somebody wants to know.

use std::time::Duration;

use serde_json::Value;

use super::AnthropicConfig;
use super::credential::Credential;
use super::exchange::{endpoint, headers};
use crate::models::http::Client;

/// Who asks does not wait longer.
const LONGEST: Duration = Duration::from_secs(10);

/// `None`: the service does not count, or not now.
pub(super) async fn counted(
    client: &Client,
    config: &AnthropicConfig,
    credential: Option<&Credential>,
    body: Vec<u8>,
) -> Option<u64> {
    let mut url = endpoint(&config.base_url).ok()?;
    url.set_path(&format!("{}/count_tokens", url.path()));
    let headers = headers(credential, None).ok()?;
    let request = client.post(url).headers(headers).timeout(LONGEST).body(body);
    let response = client.send(request).await.ok().filter(|response| response.status().is_success())?;
    let answer: Value = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
    answer.get("input_tokens")?.as_u64()
}
