//! The context pipeline at work: what it decides is remembered, what it wants written is written, and where it asks for a
//! summary one is made, before a request is sent.

use std::sync::{Arc, PoisonError};

use super::params::QueryParams;
use crate::context::{CompactState, PipelineInput, Prepared, Save, prepare};
use crate::conversation::Message;

/// The next request's view of `messages`, ready to be sent if its verdict says so.
pub(super) async fn prepared(
    params: &QueryParams,
    messages: Arc<[Message]>,
    state: CompactState,
) -> Prepared {
    let folder = params.context.results_folder.as_deref();
    let prepared = attempt(params, messages.clone(), state, folder);
    let prepared = match write_all(prepared.saves.clone()).await {
        Ok(()) => prepared,
        Err(error) => {
            tracing::warn!(%error, "long results can't be saved, so they are cut");
            attempt(params, messages, state, None)
        }
    };
    params.context.record(prepared.new_decisions.iter().cloned());
    let round = &params.tool_use_context;
    for path in prepared.hidden.iter().filter_map(|path| round.workspace.resolve(path)) {
        round.seen.hide(&round.documents.real_path(&path));
    }
    prepared
}

fn attempt(
    params: &QueryParams,
    messages: Arc<[Message]>,
    state: CompactState,
    results_folder: Option<&camino::Utf8Path>,
) -> Prepared {
    let provider = params.provider.info();
    let context = &params.context;
    let result_limit = |name: &str| match params.tools.find(name) {
        Some(tool) => tool.max_result_chars(),
        None => Some(usize::MAX),
    };
    let input = PipelineInput {
        system: &params.system,
        user_context: &context.user_context(),
        window: provider.window,
        editing: provider.context_edits,
        log: &context.log(),
        now: (params.clock)(),
        settings: &context.settings,
        state,
        tools_tokens: context.tools_tokens(&params.tools),
        result_limit: &result_limit,
        results_folder,
    };
    let mut known = context.known.lock().unwrap_or_else(PoisonError::into_inner);
    prepare(messages, &mut known, &input, |_| {})
}

/// Each as a file that was not there before. One that is there was written by an earlier run of the same round.
async fn write_all(saves: Vec<Save>) -> std::io::Result<()> {
    if saves.is_empty() {
        return Ok(());
    }
    let writing = tokio::task::spawn_blocking(move || saves.iter().try_for_each(write_new));
    writing.await.map_err(std::io::Error::other)?
}

fn write_new(save: &Save) -> std::io::Result<()> {
    use std::io::Write as _;
    if let Some(folder) = save.path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::File::create_new(&save.path) {
        Ok(mut file) => file.write_all(save.text.as_bytes()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
