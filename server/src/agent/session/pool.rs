//! The tools that a session's tasks are given: all there are, less what the mode, a bare deny rule or the editor leaves out.

use std::sync::{Arc, Mutex, PoisonError};

use super::SessionDeps;
use crate::models::{Provider, SearchesWeb, ToolDefinition};
use crate::permissions::Policy;
use crate::tools::{Loaded, Offers, SearchWire, Searcher, Tool, Tools};

/// Of one session.
pub(super) struct Pool {
    searcher: Option<Arc<Searcher>>,
    /// The tools that its model has asked for.
    loaded: Loaded,
    /// The tools of the last round, and what they were chosen by.
    last: Mutex<Option<(Chosen, Tools)>>,
}

/// What decides on the tools of a round.
#[derive(PartialEq, Eq)]
struct Chosen {
    names: Vec<&'static str>,
    context: u64,
    wire: SearchWire,
}

const BYTES_A_TOKEN: u64 = 4;

impl Pool {
    pub(super) fn new(deps: &SessionDeps) -> Self {
        let searcher = searcher(deps).map(|provider| Arc::new(Searcher::new(provider)));
        Self { searcher, loaded: Loaded::default(), last: Mutex::default() }
    }

    /// Searches the web, if a model's service does.
    pub(super) fn searcher(&self) -> Option<Arc<Searcher>> {
        self.searcher.clone()
    }

    /// Those of a round under `policy`.
    pub(super) fn tools(&self, deps: &SessionDeps, policy: &Policy) -> Tools {
        let provider = deps.provider.info();
        let offers = Offers { editor: deps.editor.features(), web_search: self.searcher.is_some() };
        let setup = deps.tool_setup;
        let wanted = |tool: &dyn Tool| {
            setup.mode.has(tool.name()) && !policy.denies_whole(tool.name(), tool.aliases())
        };
        let pool = deps.tools.pool(wanted, &offers);
        let chosen = Chosen {
            names: pool.names(),
            context: provider.window.context,
            wire: if provider.tool_references { SearchWire::References } else { SearchWire::Schemas },
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, same)) = last.as_ref().filter(|(before, _)| *before == chosen) {
            return same.clone();
        }
        let pool = if setup.search.defers(deferrable_tokens(&pool), chosen.context) {
            pool.deferring(&self.loaded, chosen.wire)
        } else {
            pool
        };
        last.insert((chosen, pool)).1.clone()
    }
}

/// The model whose service searches the web: the small one, if it can.
fn searcher(deps: &SessionDeps) -> Option<Arc<dyn Provider>> {
    let searches = |provider: &&Arc<dyn Provider>| match (provider.searches_web(), deps.tool_setup.web_search)
    {
        (SearchesWeb::No, _) | (_, Some(false)) => false,
        (SearchesWeb::Yes, None | Some(true)) => true,
        (SearchesWeb::Perhaps, told) => told == Some(true),
    };
    deps.small.iter().chain([&deps.provider]).find(searches).cloned()
}

/// About what the definitions take of the tools that can wait.
fn deferrable_tokens(tools: &Tools) -> u64 {
    let bytes = |tool: &ToolDefinition| {
        tool.name.len() + tool.description.len() + tool.input_schema.to_string().len()
    };
    tools.deferrable().iter().map(|tool| bytes(tool) as u64 / BYTES_A_TOKEN).sum()
}
