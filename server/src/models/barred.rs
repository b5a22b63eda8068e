//! Stands where a model would, while the settings that say who is asked are broken: it asks nobody.

use futures::stream::{self, BoxStream, StreamExt as _};

use super::{
    ContextEditing, ModelError, ModelErrorKind, ModelRequest, Provider, ProviderEvent, ProviderInfo, Window,
};

/// Answers every request with what is to be mended.
#[derive(Clone, Debug)]
pub(super) struct BarredModel {
    why: String,
}

impl BarredModel {
    /// `why`: the setting, and what is wrong with it.
    pub(super) const fn new(why: String) -> Self {
        Self { why }
    }
}

impl Provider for BarredModel {
    fn info(&self) -> ProviderInfo {
        let label = "no model (a setting is broken)".to_owned();
        let (model, offline) = (String::new(), false);
        ProviderInfo {
            label,
            model,
            offline,
            window: Window::USUAL,
            context_edits: ContextEditing::Client,
            tool_references: false,
        }
    }

    fn stream(&self, _: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let message = format!(
            "No model was asked, since a setting that says which one, or how much it may do, is broken: {}. Mend it and start again; `copydesk config` shows what counts.",
            self.why
        );
        stream::iter([Err(ModelError::new(ModelErrorKind::InvalidRequest, message))]).boxed()
    }
}
