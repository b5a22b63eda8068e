//! What was written of the last request, since most of the next one is the same: known by being the same in memory, where
//! nothing ever changes.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Marker, message, tools};
use crate::conversation::ApiMessage;
use crate::models::ToolDefinition;

/// Messages and tools as JSON, without the marker that moves.
#[derive(Debug, Default)]
pub(in crate::models::anthropic) struct Written {
    messages: Mutex<Vec<(Arc<ApiMessage>, Arc<RawValue>)>>,
    tools: Mutex<Option<WrittenTools>>,
}

#[derive(Debug)]
struct WrittenTools {
    definitions: Arc<[ToolDefinition]>,
    json: Option<Arc<RawValue>>,
}

impl Written {
    pub(super) fn messages(&self, messages: &[Arc<ApiMessage>]) -> Vec<Arc<RawValue>> {
        let mut written = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        let same = messages.iter().zip(&*written).take_while(|(one, (other, _))| Arc::ptr_eq(one, other));
        let same = same.count();
        written.truncate(same);
        written.extend(messages.iter().skip(same).map(|new| (new.clone(), raw(&message(new, Marker::No)))));
        written.iter().map(|(_, json)| json.clone()).collect()
    }

    /// `None`: there are none that can be sent.
    pub(super) fn tools(&self, definitions: &Arc<[ToolDefinition]>) -> Option<Arc<RawValue>> {
        let mut written = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let same = written.take().filter(|written| Arc::ptr_eq(&written.definitions, definitions));
        let now = same.unwrap_or_else(|| {
            let tools = tools(definitions);
            let json = (!tools.is_empty()).then(|| raw(&tools));
            WrittenTools { definitions: definitions.clone(), json }
        });
        written.insert(now).json.clone()
    }
}

/// Nothing that is sent fails to be written: every key is a text, and no number is infinite.
pub(super) fn raw(value: &impl Serialize) -> Arc<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()).into()
}
