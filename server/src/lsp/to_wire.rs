//! The core's values as the custom methods carry them.

mod event;
mod proposal;
mod stretch;

pub(super) use event::{event, permission_asked, session_info, session_usage};
pub(super) use proposal::{decide_results, file_at, files};
pub(super) use stretch::begins_with_a_break;
