//! Agents whose model is played by the test, call by call: between two calls the test decides, types, and looks around.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::{Client, DEADLINE, Home, full_capabilities};
use crate::model_server::{Answer, Asked, ModelServer};

/// An editor, its server, and any number of sessions that wait for the test's word.
pub struct Puppets {
    pub home: Home,
    pub client: Client,
    /// How long a call may take.
    pub patience: Duration,
    /// Held so that its checks of every request run at the end.
    model: ModelServer,
    asked: mpsc::UnboundedReceiver<Asked>,
    sessions: BTreeMap<String, Puppet>,
}

/// One session.
struct Puppet {
    id: String,
    waiting: Asked,
}

/// What a tool gave back to the model, and what the model was told beside it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub text: String,
    pub is_error: bool,
    pub told: String,
    /// How the call's end was shown to the person.
    pub event: Value,
}

impl Puppets {
    /// Starts the program in `home`, for an editor that can do everything.
    pub async fn start(home: Home) -> Self {
        Self::start_with(home, full_capabilities()).await
    }

    /// Starts the program for an editor with these `initialize` capabilities.
    pub async fn start_with(mut home: Home, capabilities: Value) -> Self {
        let (model, asked) = ModelServer::by_hand().await;
        home.environment.push(("ANTHROPIC_API_KEY".to_owned(), "not-a-key".to_owned()));
        home.environment.push(("ANTHROPIC_BASE_URL".to_owned(), model.url()));
        let mut client = Client::start(&home);
        client.initialize(&home, capabilities).await;
        Self { home, client, patience: DEADLINE, model, asked, sessions: BTreeMap::new() }
    }

    /// The session called `session` (begun if need be) calls a tool.
    pub async fn call(&mut self, session: &str, tool: &str, input: Value) -> Outcome {
        // The model's word comes by another way than the editor's: what was typed before has to be there first.
        let settled = self.client.request("copydesk/session/list", json!({})).await;
        settled.unwrap_or_else(|error| panic!("sessions are listed: {error}"));
        self.client.take_unread("copydesk/event");
        let Puppet { id, waiting } = self.take(session).await;
        waiting.answer(Answer::calls(tool, input));
        let asked = self.next_asked().await;
        let (text, is_error) = asked.request.results().pop().unwrap_or_default();
        let outcome = Outcome {
            text,
            is_error,
            told: asked.request.last_text(),
            event: self.client.notification("copydesk/event", is_end_of_call).await["event"].take(),
        };
        self.sessions.insert(session.to_owned(), Puppet { id, waiting: asked });
        outcome
    }

    /// What the session is told with its next request: it is ended and asked again.
    pub async fn told(&mut self, session: &str) -> String {
        let Puppet { id, waiting } = self.take(session).await;
        waiting.answer(Answer::says("Done."));
        let ended =
            |params: &Value| params["event"]["type"] == "terminal" && params["sessionId"] == id.as_str();
        self.client.notification("copydesk/event", ended).await;
        let prompt = json!([{ "type": "text", "text": "And now?" }]);
        let sent =
            self.client.request("copydesk/task/send", json!({ "sessionId": id, "prompt": prompt })).await;
        sent.unwrap_or_else(|error| panic!("the session takes another prompt: {error}"));
        let asked = self.next_asked().await;
        let told = asked.request.last_text();
        self.sessions.insert(session.to_owned(), Puppet { id, waiting: asked });
        told
    }

    /// `copydesk/proposal/decide`; gives its results.
    pub async fn decide(&mut self, decision: &str, target: Value) -> Vec<Value> {
        // Only what was shown can be decided.
        self.client.request("copydesk/proposal/list", json!({})).await.expect("what there is to decide");
        let params = json!({ "decision": decision, "target": target });
        let answer = self.client.request("copydesk/proposal/decide", params).await;
        let answer = answer.unwrap_or_else(|error| panic!("a decision is answered: {error}"));
        answer["results"].as_array().cloned().unwrap_or_default()
    }

    /// `copydesk/proposal/show`.
    pub async fn show(&mut self, uri: &str) -> Value {
        let shown = self.client.request("copydesk/proposal/show", json!({ "uri": uri })).await;
        shown.unwrap_or_else(|error| panic!("a file can be shown: {error}"))
    }

    /// Ends every session and the program.
    pub async fn end(mut self) -> Home {
        for (_, puppet) in std::mem::take(&mut self.sessions) {
            let id = puppet.id.clone();
            puppet.waiting.answer(Answer::says("Done."));
            let ended =
                |params: &Value| params["event"]["type"] == "terminal" && params["sessionId"] == id.as_str();
            self.client.notification("copydesk/event", ended).await;
        }
        self.model.requests();
        let code = self.client.close().await;
        assert_eq!(code, 0, "the program ends well");
        self.home
    }

    /// The session, which is begun if need be. It has to be put back.
    async fn take(&mut self, session: &str) -> Puppet {
        if let Some(puppet) = self.sessions.remove(session) {
            return puppet;
        }
        let prompt = json!([{ "type": "text", "text": format!("You are {session}.") }]);
        let started = self.client.request("copydesk/task/start", json!({ "prompt": prompt })).await;
        let started = started.unwrap_or_else(|error| panic!("a task starts: {error}"));
        let id = started["sessionId"].as_str().unwrap_or_default().to_owned();
        Puppet { id, waiting: self.next_asked().await }
    }

    /// The next request of any session. The tests play one session at a time, so it is the one that was answered last.
    async fn next_asked(&mut self) -> Asked {
        let asked = self.client.until(tokio::time::timeout(self.patience, self.asked.recv())).await;
        match asked {
            Ok(Some(asked)) => asked,
            Ok(None) => panic!("the model server has ended"),
            Err(tokio::time::error::Elapsed { .. }) => {
                panic!("the model was not asked; unread: {:#?}", self.client.take_unread("copydesk/event"))
            }
        }
    }
}

fn is_end_of_call(params: &Value) -> bool {
    let event = &params["event"];
    event["type"] == "toolCall"
        && ["completed", "failed", "rejected"].iter().any(|end| event["status"] == *end)
}
