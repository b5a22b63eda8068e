//! The custom methods that are answered here, as the editor is told of them.

use copydesk_protocol::methods;

/// For `experimental.copydesk`. `custom.rs` says where each is handled.
pub(super) const METHODS: &[&str] = &[
    methods::TASK_START,
    methods::TASK_SEND,
    methods::TASK_CANCEL,
    methods::SESSION_LIST,
    methods::SESSION_USAGE,
    methods::SESSION_SET_MODE,
    methods::SESSION_COMPACT,
    methods::SESSION_END_COMMANDS,
    methods::PROPOSAL_LIST,
    methods::PROPOSAL_SHOW,
    methods::PROPOSAL_DECIDE,
    methods::PROPOSAL_AMEND,
    methods::PROPOSAL_ACCEPTED,
    methods::PERMISSION_ANSWER,
    methods::CONFIG_SHOW,
    methods::DOCTOR,
];
