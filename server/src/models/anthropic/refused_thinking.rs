//! Thinking that the service has refused, which is not shown to it again: each is refused at most once.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use crate::conversation::{ApiMessage, ContentBlock, without_blocks};

/// By its signature, which no other thinking has. Eight bytes for each, so there is no need to forget any.
#[derive(Debug, Default)]
pub(super) struct RefusedThinking {
    signatures: Mutex<HashSet<u64>>,
}

impl RefusedThinking {
    /// The thinking among `messages` was refused: without it they were taken.
    pub(super) fn note(&self, messages: &[Arc<ApiMessage>]) {
        let blocks = messages.iter().flat_map(|message| &message.content);
        self.signatures.lock().unwrap_or_else(PoisonError::into_inner).extend(blocks.filter_map(signature));
    }

    /// `messages` without what was refused. `None`: none of it was.
    pub(super) fn left_out_of(&self, messages: &[Arc<ApiMessage>]) -> Option<Vec<Arc<ApiMessage>>> {
        let signatures = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        if signatures.is_empty() {
            return None;
        }
        let is_refused = |block: &ContentBlock| signature(block).is_some_and(|one| signatures.contains(&one));
        let has_any = |message: &Arc<ApiMessage>| message.content.iter().any(is_refused);
        messages.iter().any(has_any).then(|| without_blocks(messages, is_refused))
    }
}

/// `None`: it is no thinking.
fn signature(block: &ContentBlock) -> Option<u64> {
    let (ContentBlock::Thinking { signature: signed, .. } | ContentBlock::RedactedThinking { data: signed }) =
        block
    else {
        return None;
    };
    let mut hasher = DefaultHasher::new();
    signed.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Role;

    fn answer(signatures: &[&str]) -> Arc<ApiMessage> {
        let thought = |signed: &&str| match signed.strip_prefix('r') {
            Some(data) => ContentBlock::RedactedThinking { data: data.to_owned() },
            None => ContentBlock::Thinking { thinking: "hm".to_owned(), signature: (*signed).to_owned() },
        };
        let words = [ContentBlock::text("ok")];
        let content = signatures.iter().map(thought).chain(words).collect();
        Arc::new(ApiMessage { role: Role::Assistant, content })
    }

    fn user() -> Arc<ApiMessage> {
        Arc::new(ApiMessage { role: Role::User, content: vec![ContentBlock::text("q")] })
    }

    #[test]
    fn what_was_refused_is_left_out_from_then_on_and_nothing_else() {
        let refused = RefusedThinking::default();
        let messages = [user(), answer(&["S1", "rR1"])];
        assert_eq!(refused.left_out_of(&messages), None);
        refused.note(&messages);
        let longer = [user(), answer(&["S1", "rR1"]), user(), answer(&["S2"]), user()];
        let left = refused.left_out_of(&longer).expect("there is some");
        assert_eq!(left, [user(), answer(&[]), user(), answer(&["S2"]), user()]);
        assert!(Arc::ptr_eq(&left[0], &longer[0]) && Arc::ptr_eq(&left[3], &longer[3]), "the same in memory");
        assert_eq!(refused.left_out_of(&left), None);
    }
}
