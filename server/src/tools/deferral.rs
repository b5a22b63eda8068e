//! Tools that a model knows by name only, and those of them it has asked for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::Tool;

/// How the model is shown a tool that it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchWire {
    /// All are sent, and the service shows those that a result refers to (Messages API, `tool_reference`).
    References,
    /// What was asked for is sent from the next request on.
    Schemas,
}

/// The names that a session's model has asked for, in the order of the demands. Cheap to clone; every clone is the same
/// list.
#[derive(Clone, Debug, Default)]
pub struct Loaded(Arc<Mutex<Vec<String>>>);

impl Loaded {
    pub(super) fn add(&self, name: &str) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Which tools wait behind a search.
#[derive(Clone, Debug)]
pub(super) struct Deferral {
    names: BTreeSet<&'static str>,
    loaded: Loaded,
    wire: SearchWire,
}

impl Deferral {
    pub(super) fn new(deferred: &[Arc<dyn Tool>], loaded: Loaded, wire: SearchWire) -> Self {
        Self { names: deferred.iter().map(|tool| tool.name()).collect(), loaded, wire }
    }

    pub(super) const fn wire(&self) -> SearchWire {
        self.wire
    }

    pub(super) fn is_deferred(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        !self.is_deferred(name) || self.loaded.all().iter().any(|loaded| loaded == name)
    }

    /// Those of the deferred that were asked for.
    pub(super) fn loaded(&self) -> Vec<String> {
        self.loaded.all().into_iter().filter(|name| self.is_deferred(name)).collect()
    }
}
