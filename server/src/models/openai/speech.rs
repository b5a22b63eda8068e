//! What a model says and thinks, cut into blocks: one of each kind is open at a time.

use crate::conversation::ContentBlock;
use crate::models::{BlockDelta, ProviderEvent};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
}

/// The block that is still coming in.
#[derive(Debug, Default)]
pub(super) struct Speech {
    open: Option<Open>,
    /// White space that no block has begun with: alone it is none.
    blank: String,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    index: usize,
    text: String,
}

impl Speech {
    /// Adds a piece. `blocks` numbers the blocks of the answer.
    pub(super) fn speak(
        &mut self,
        kind: Kind,
        text: &str,
        blocks: &mut usize,
        events: &mut Vec<ProviderEvent>,
    ) {
        if text.is_empty() {
            return;
        }
        if self.open.as_ref().is_some_and(|open| open.kind != kind) {
            if text.trim().is_empty() {
                return;
            }
            events.extend(self.close());
        }
        let text = match &self.open {
            Some(_) => text.to_owned(),
            None if text.trim().is_empty() => {
                self.blank.push_str(text);
                return;
            }
            None => std::mem::take(&mut self.blank) + text,
        };
        let open = self.open.get_or_insert_with(|| {
            let index = *blocks;
            *blocks += 1;
            events.push(ProviderEvent::BlockStart { index, block: block(kind, String::new()) });
            Open { kind, index, text: String::new() }
        });
        open.text.push_str(&text);
        let delta = match kind {
            Kind::Text => BlockDelta::Text(text),
            Kind::Thinking => BlockDelta::Thinking(text),
        };
        events.push(ProviderEvent::BlockDelta { index: open.index, delta });
    }

    /// The block that was open is whole.
    pub(super) fn close(&mut self) -> Option<ProviderEvent> {
        self.blank.clear();
        let Open { kind, index, text } = self.open.take()?;
        Some(ProviderEvent::BlockStop { index, block: block(kind, text) })
    }
}

fn block(kind: Kind, text: String) -> ContentBlock {
    match kind {
        Kind::Text => ContentBlock::Text { text },
        // Nobody signs thinking on this wire.
        Kind::Thinking => ContentBlock::Thinking { thinking: text, signature: String::new() },
    }
}
