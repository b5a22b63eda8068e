//! Keys and tokens: where they are sent, and that no text holds one.

use copydesk::config::ApiKey;
use copydesk::models::{Anthropic, AnthropicConfig, Credential, ModelErrorKind, Renewal};
use copydesk_tests::heard::heard;
use copydesk_tests::model_server::{Answer, ModelServer};

use super::asking::{KEY, ask, ask_with, config, request};

#[tokio::test]
async fn the_key_is_in_no_text() {
    for said in [format!("bad key {KEY}"), format!("bad key {}…", &KEY[..20]), format!("x-api-key: {KEY}")]
    {
        let server = ModelServer::playing([Answer::refusal(401, "authentication_error", &said)]).await;
        let told = format!("{:?}", ask(&server.url()).await);
        assert!(!told.contains("FAKE") && told.contains("[key]"), "{told}");
    }
    assert!(!format!("{:?}", Anthropic::new(config("http://127.0.0.1"))).contains("FAKE"));
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let server = ModelServer::playing([]).await;
    let mut config = config(&server.url());
    config.credential = None;
    ask_with(config, request()).await.check_error(
        ModelErrorKind::Authentication,
        "There is no key for the model: set ANTHROPIC_API_KEY, or choose the offline model.",
    );
}

#[tokio::test]
async fn a_token_goes_where_gateways_look_for_it_and_is_in_no_text() {
    let said = format!("bad token {KEY}");
    let server =
        ModelServer::playing([Answer::says("Here."), Answer::refusal(403, "permission_error", &said)]).await;
    let mut config = config(&server.url());
    config.credential = Some(Credential::Bearer(ApiKey::new(KEY)));
    ask_with(config.clone(), request()).await.check_whole("Here.");
    let asked = server.last_request();
    let bearer = format!("Bearer {KEY}");
    assert_eq!((asked.header("authorization"), asked.header("x-api-key")), (Some(bearer.as_str()), None));
    let told = format!("{:?} {config:?}", ask_with(config.clone(), request()).await);
    assert!(!told.contains("FAKE") && told.contains("[key]"), "{told}");
}

#[tokio::test]
async fn a_refused_key_is_looked_for_anew_once() {
    let expired = || Answer::refusal(401, "authentication_error", "expired");
    let renewed = |server: &ModelServer, name: &'static str| AnthropicConfig {
        renewal: Some(Renewal::new(move || Some(Credential::Key(ApiKey::new(name))))),
        ..config(&server.url())
    };
    let server = ModelServer::playing([expired(), Answer::says("Here."), Answer::says("Again.")]).await;
    let provider = Anthropic::new(renewed(&server, "new-key"));
    heard(&provider, request()).await.check_whole("Here.");
    heard(&provider, request()).await.check_whole("Again.");
    let requests = server.requests();
    let keys: Vec<Option<&str>> = requests.iter().map(|request| request.header("x-api-key")).collect();
    assert_eq!(keys, [Some(KEY), Some("new-key"), Some("new-key")]);

    let server = ModelServer::playing([expired(), expired()]).await;
    let told = ask_with(renewed(&server, "new-key"), request()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Authentication), "and no loop");
    let server = ModelServer::playing([expired()]).await;
    let told = ask_with(renewed(&server, KEY), request()).await;
    assert_eq!(told.error.map(|error| error.kind), Some(ModelErrorKind::Authentication), "the same key");
}
