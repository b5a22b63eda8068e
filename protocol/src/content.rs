//! What a prompt is made of (ACP `ContentBlock`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Range;

/// One piece of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ContentBlock {
    Text {
        text: String,
    },
    /// A file, or a stretch of one, that the prompt is about.
    ResourceLink {
        uri: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        range: Option<Range>,
    },
    Image {
        /// Such as `image/png`.
        mime_type: String,
        /// Base64.
        data: String,
    },
}
