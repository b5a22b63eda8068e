//! What a session keeps of its context from request to request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use camino::Utf8PathBuf;

use super::briefing::{MemoryChanges, MemoryFiles};
use crate::config::{ContextNumber, ContextSettings};
use crate::context::{CompactState, ContextLog, Decision, Known, iso_date};
use crate::conversation::{Message, text_tokens};
use crate::documents::{AbsPath, FileStateCache, Workspace};
use crate::models::ToolDefinition;
use crate::tools::Tools;

/// Of one session.
pub(super) struct SessionContext {
    pub(super) settings: ContextSettings,
    /// Where results that are too long are saved; `None`: nowhere.
    pub(super) results_folder: Option<Utf8PathBuf>,
    memory: MemoryFiles,
    /// What stands before the first message.
    user_context: Mutex<Arc<str>>,
    log: Mutex<ContextLog>,
    /// What the pipeline has found out about the conversation so far.
    pub(super) known: Mutex<Known>,
    /// Tokens of the definitions of these tools, counted once.
    tools_tokens: Mutex<(Vec<&'static str>, u64)>,
    /// How compaction has gone so far in the session.
    compact_state: Mutex<CompactState>,
}

impl SessionContext {
    pub(super) fn new(settings: ContextSettings, results_folder: Option<Utf8PathBuf>) -> Self {
        Self {
            settings,
            results_folder,
            memory: MemoryFiles::default(),
            user_context: Mutex::new("".into()),
            log: Mutex::default(),
            known: Mutex::default(),
            tools_tokens: Mutex::default(),
            compact_state: Mutex::default(),
        }
    }

    pub(super) fn compact_state(&self) -> CompactState {
        *self.compact_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_compact_state(&self, state: CompactState) {
        *self.compact_state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Tells the project's instructions and the date anew, before everything else.
    pub(super) async fn brief(
        &self,
        workspace: &Arc<Workspace>,
        documents: &Arc<FileStateCache>,
        now: SystemTime,
    ) {
        let most = self.settings.size(ContextNumber::MemoryFileChars);
        let words = self.memory.tell(workspace, documents, most, iso_date(now)).await;
        *self.user_context.lock().unwrap_or_else(PoisonError::into_inner) = words.into();
    }

    /// The same after a summary, for a session that was told of them.
    pub(super) async fn brief_again(
        &self,
        workspace: &Arc<Workspace>,
        documents: &Arc<FileStateCache>,
        now: SystemTime,
    ) {
        if !self.user_context().is_empty() {
            self.brief(workspace, documents, now).await;
        }
    }

    /// What has changed in the instructions, or the date, since they were told. `texts`: what they say at the time `now`.
    pub(super) fn memory_changes(
        &self,
        workspace: &Workspace,
        texts: BTreeMap<AbsPath, String>,
        now: SystemTime,
    ) -> MemoryChanges {
        self.memory.changes(workspace, texts, &iso_date(now))
    }

    pub(super) fn user_context(&self) -> Arc<str> {
        self.user_context.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A summary stands for what came before `messages`.
    pub(super) fn begin_anew(&self, messages: &[Message]) {
        self.log().keep_only(messages);
    }

    /// Makes every fold that waits for the need of it; gives their number.
    pub(super) fn drain(&self) -> usize {
        self.log().drain()
    }

    /// Keeps what the pipeline decided.
    pub(super) fn record(&self, decisions: impl IntoIterator<Item = Decision>) {
        self.log().record(decisions);
    }

    pub(super) fn tools_tokens(&self, tools: &Tools) -> u64 {
        let mut counted = self.tools_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let names = tools.names();
        if counted.0 != names {
            let tokens = |tool: &ToolDefinition| {
                text_tokens(&tool.name)
                    + text_tokens(&tool.description)
                    + text_tokens(&tool.input_schema.to_string())
            };
            *counted = (names, tools.definitions().iter().map(tokens).sum());
        }
        counted.1
    }

    /// What `work` gives in the time that is allowed between rounds; `None`: it takes longer.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let most = Duration::from_millis(self.settings.number(ContextNumber::AttachmentsMs));
        tokio::time::timeout(most, work).await.ok()
    }

    pub(super) fn log(&self) -> MutexGuard<'_, ContextLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_takes_longer_than_a_second_is_not_waited_for() {
        let session = SessionContext::new(ContextSettings::default(), None);
        let begun = tokio::time::Instant::now();
        assert_eq!(session.in_time(std::future::pending::<()>()).await, None);
        assert_eq!(begun.elapsed(), Duration::from_secs(1));
        assert_eq!(session.in_time(std::future::ready(7)).await, Some(7));
    }
}
