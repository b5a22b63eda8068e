//! What a model is sent around the conversation itself: the system prompt, and the pipeline that prepares each request.

mod autocompact;
mod calls;
mod clearing;
mod collapse;
mod compact_state;
mod date;
#[cfg(test)]
mod fixture;
mod limit;
mod log;
mod microcompact;
mod pipeline;
mod snip;
mod step;
mod summary;
mod system_prompt;
mod thresholds;
mod tool_result_budget;
mod view;

pub use autocompact::Verdict;
pub use compact_state::CompactState;
pub use date::iso_date;
pub use limit::too_long;
pub use log::{ContextLog, Decision, Fate, Fold};
pub use pipeline::{Prepared, Step, prepare};
pub use step::{PipelineInput, Report, Save};
pub use summary::{
    Afterwards, Division, divided, has_images, summarised, summary_of, summary_request, without_images,
    without_oldest,
};
pub use system_prompt::{Environment, GitSnapshot, MemoryFile, is_user_context, system_prompt, user_context};
pub use thresholds::Thresholds;
pub use view::Known;
