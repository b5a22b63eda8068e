//! The custom methods of the protocol, and where each is handled.

use tower_lsp::LspServiceBuilder;

use super::backend::Backend;

/// The methods that are answered, as `experimental.copydesk` announces them.
pub(super) const METHODS: &[&str] = &[];

pub(super) fn register(service: LspServiceBuilder<Backend>) -> LspServiceBuilder<Backend> {
    service
}
