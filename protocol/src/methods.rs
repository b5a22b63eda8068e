//! The names of the custom methods: `copydesk/<resource>/<verb>`.

// Client to server, requests.
pub const TASK_START: &str = "copydesk/task/start";
pub const TASK_CANCEL: &str = "copydesk/task/cancel";
pub const TASK_SEND: &str = "copydesk/task/send";
pub const SESSION_LIST: &str = "copydesk/session/list";
pub const SESSION_USAGE: &str = "copydesk/session/usage";
pub const SESSION_SET_MODE: &str = "copydesk/session/setMode";
pub const SESSION_COMPACT: &str = "copydesk/session/compact";
pub const SESSION_END_COMMANDS: &str = "copydesk/session/endCommands";
pub const PROPOSAL_LIST: &str = "copydesk/proposal/list";
pub const PROPOSAL_SHOW: &str = "copydesk/proposal/show";
pub const PROPOSAL_DECIDE: &str = "copydesk/proposal/decide";
pub const PROPOSAL_AMEND: &str = "copydesk/proposal/amend";
pub const PROPOSAL_ACCEPTED: &str = "copydesk/proposal/accepted";
pub const PERMISSION_ANSWER: &str = "copydesk/permission/answer";
pub const CONFIG_SHOW: &str = "copydesk/config/show";
pub const DOCTOR: &str = "copydesk/doctor";

// Server to client, notifications.
pub const EVENT: &str = "copydesk/event";
pub const PROPOSAL_CHANGED: &str = "copydesk/proposal/changed";
pub const PERMISSION_ASKED: &str = "copydesk/permission/asked";
pub const PERMISSION_RESOLVED: &str = "copydesk/permission/resolved";
pub const SESSION_CHANGED: &str = "copydesk/session/changed";

// Server to client, requests; only to a client that announced them.
pub const PROMPT_ASK: &str = "copydesk/prompt/ask";
pub const FILE_SAVE: &str = "copydesk/file/save";
pub const DIAGNOSTICS_GET: &str = "copydesk/diagnostics/get";
pub const DEFINITION: &str = "copydesk/definition";
pub const REFERENCES: &str = "copydesk/references";
pub const HOVER: &str = "copydesk/hover";
