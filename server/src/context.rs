//! What a model is sent around the conversation itself: the system prompt, and the pipeline that prepares each request.

mod autocompact;
mod date;
mod log;
mod pipeline;
mod system_prompt;

pub use autocompact::{CompactState, Thresholds, Verdict};
pub use date::iso_date;
pub use log::{ContextLog, Decision, Fate, Fold};
pub use pipeline::{PipelineInput, Prepared, Report, Save, Step, prepare};
pub use system_prompt::{Environment, system_prompt};
