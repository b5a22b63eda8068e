//! One method of the protocol a file. Text sync changes the text and tells the desk before anything is awaited.

mod did_change;
mod did_close;
mod did_open;
mod did_save;
mod initialize;
mod permission_answer;
mod proposal_amend;
mod proposal_decide;
mod proposal_list;
mod proposal_show;
mod session_list;
mod shutdown;
mod task_cancel;
mod task_send;
mod task_start;

pub(super) use did_change::did_change;
pub(super) use did_close::did_close;
pub(super) use did_open::did_open;
pub(super) use did_save::did_save;
pub(super) use initialize::initialize;
pub(super) use permission_answer::permission_answer;
pub(super) use proposal_amend::proposal_amend;
pub(super) use proposal_decide::proposal_decide;
pub(super) use proposal_list::proposal_list;
pub(super) use proposal_show::proposal_show;
pub(super) use session_list::session_list;
pub(super) use shutdown::shutdown;
pub(super) use task_cancel::task_cancel;
pub(super) use task_send::task_send;
pub(super) use task_start::task_start;
