//! OpenAI's chat completions, as many servers speak it.

mod answer;
mod arguments;
mod call_id;
mod calls;
mod failure;
mod messages;
mod quirks;
mod reasoning;
mod request;
mod schema;
mod speech;
mod text_calls;
