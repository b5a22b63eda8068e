//! What a model is sent around the conversation itself: the system prompt, and the pipeline that prepares each request.

mod date;
mod pipeline;
mod system_prompt;

pub use date::iso_date;
pub use pipeline::{Prepared, Step, prepare};
pub use system_prompt::{Environment, system_prompt};
