//! The custom methods of the protocol, and where each is handled.

use copydesk_protocol::methods;
use serde_json::Value;
use tower_lsp::LspServiceBuilder;
use tower_lsp::jsonrpc::Result;

use super::backend::Backend;
use super::failure::not_available;
use super::{handlers, lost_change};

/// Methods of the protocol that are answered by saying so.
const NOT_YET: &[&str] = &[
    "copydesk/session/load",
    "copydesk/session/fork",
    "copydesk/session/delete",
    "copydesk/session/rename",
    "copydesk/session/rewind",
    "copydesk/session/setModel",
];

pub(super) fn register(service: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
    let service = service
        .custom_method(methods::TASK_START, handlers::task_start)
        .custom_method(methods::TASK_SEND, handlers::task_send)
        .custom_method(methods::TASK_CANCEL, handlers::task_cancel)
        .custom_method(methods::SESSION_LIST, handlers::session_list)
        .custom_method(methods::SESSION_USAGE, handlers::session_usage)
        .custom_method(methods::SESSION_SET_MODE, handlers::session_set_mode)
        .custom_method(methods::SESSION_COMPACT, handlers::session_compact)
        .custom_method(methods::SESSION_END_COMMANDS, handlers::session_end_commands)
        .custom_method(methods::PROPOSAL_LIST, handlers::proposal_list)
        .custom_method(methods::PROPOSAL_SHOW, handlers::proposal_show)
        .custom_method(methods::PROPOSAL_DECIDE, handlers::proposal_decide)
        .custom_method(methods::PROPOSAL_AMEND, handlers::proposal_amend)
        .custom_method(methods::PROPOSAL_ACCEPTED, handlers::proposal_accepted)
        .custom_method(methods::PERMISSION_ANSWER, handlers::permission_answer)
        .custom_method(methods::CONFIG_SHOW, handlers::config_show)
        .custom_method(methods::DOCTOR, handlers::doctor)
        // Of LSP itself, but the library does not know it.
        .custom_method("window/workDoneProgress/cancel", handlers::work_done_progress_cancel)
        .custom_method(lost_change::METHOD, handlers::lost_change);
    NOT_YET.iter().fold(service, |service, method| {
        service.custom_method(method, move |_: &Backend, _: Value| {
            std::future::ready(Result::<Value>::Err(not_available(method)))
        })
    })
}
