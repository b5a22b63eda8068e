//! What reaches the desk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot::Sender;

use super::MakeProposal;
use super::part::{Part, Plan};
use super::under_way::ClaimId;
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Changed, Closed, Opened, ReadError};
use crate::editor::{ApplyReply, FileEdit};
use crate::review::{
    Acceptance, AgentView, AgentWhole, Decision, DecisionResult, FileReview, HunkId, HunkRef, ProposeError,
    Proposed, Reason, ReviewView, Told, WholeChange, WholeFile,
};

pub(super) enum Message {
    Opened(Opened),
    Changed(Changed),
    Closed(Closed),
    Lost(Vec<AbsPath>),
    Saved(AbsPath),
    /// `command_of`: the session whose agent ran the command that did it.
    DiskChanged {
        paths: Vec<AbsPath>,
        command_of: Option<SessionId>,
    },
    Renamed {
        from: AbsPath,
        to: AbsPath,
    },
    Acceptance {
        session: SessionId,
        acceptance: Acceptance,
    },
    AgentView {
        session: SessionId,
        path: AbsPath,
        reply: Sender<Result<AgentView, ReadError>>,
    },
    Drafts {
        session: SessionId,
        reply: Sender<Vec<AgentView>>,
    },
    Propose {
        propose: Propose,
        reply: Sender<Result<Proposed, ProposeError>>,
    },
    ProposeWhole {
        propose: ProposeWhole,
        reply: Sender<Result<Option<WholeFile>, ProposeError>>,
    },
    /// What the session's commands are to see of files otherwise than the disk has them, beside their text.
    Wholes {
        session: SessionId,
        reply: Sender<Vec<AgentWhole>>,
    },
    TakeTold {
        session: SessionId,
        reply: Sender<Vec<Told>>,
    },
    WentIn {
        session: SessionId,
        reply: Sender<Vec<Arc<FileReview>>>,
    },
    Plan {
        decision: Decision,
        reply: Sender<Plan>,
    },
    Carry {
        part: Part,
        reply: Sender<Vec<DecisionResult>>,
    },
    Claimed(Vec<HunkRef>),
    /// The client answered to the edits of a claim.
    Replied {
        claim: ClaimId,
        reply: ApplyReply,
    },
    /// The person wants the damage of a stray edit taken back.
    TakeBack(FileEdit),
    /// The person wants accepted hunks of this file to be pending again.
    TakeBackAccepts {
        path: AbsPath,
        hunks: Vec<HunkId>,
        reply: Sender<Vec<DecisionResult>>,
    },
    /// Accepts to come wait so long for their echo.
    EchoWait(Duration),
    Settled(Sender<Arc<ReviewView>>),
}

pub(super) struct Propose {
    pub session: SessionId,
    pub path: AbsPath,
    pub reason: Reason,
    pub make: MakeProposal,
}

pub(super) struct ProposeWhole {
    pub session: SessionId,
    pub path: AbsPath,
    pub reason: Reason,
    pub change: WholeChange,
}
