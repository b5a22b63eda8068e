//! Where all sessions' events go out: numbered without gaps, to everybody who listens.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::super::{SessionEvent, SessionUpdate};
use crate::conversation::{SessionId, TaskId};

#[derive(Debug, Default)]
pub(super) struct Hub {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    listeners: Vec<mpsc::UnboundedSender<SessionUpdate>>,
    /// The next number of each session.
    next: HashMap<SessionId, u64>,
}

impl Hub {
    pub(super) fn subscribe(&self) -> mpsc::UnboundedReceiver<SessionUpdate> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.lock().listeners.push(sender);
        receiver
    }

    /// Numbering and sending are one step, so every listener sees the numbers in order.
    pub(super) fn publish(&self, session: &SessionId, task: &TaskId, event: SessionEvent) {
        let mut inner = self.lock();
        let next = inner.next.entry(session.clone()).or_default();
        let update = SessionUpdate { session: session.clone(), task: task.clone(), seq: *next, event };
        *next += 1;
        inner.listeners.retain(|listener| listener.send(update.clone()).is_ok());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
