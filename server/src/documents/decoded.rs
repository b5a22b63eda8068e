//! Texts of closed files that were decoded lately, by the hash of their bytes.

use std::collections::HashMap;

use super::Text;

/// At most this many bytes of text are kept.
const ROOM: usize = 64 * 1024 * 1024;
/// At most this many texts are kept.
const PLACES: usize = 1024;

/// Saves decoding and building a rope when a file says what it, or another, said before; by the hash, so it can't be stale.
#[derive(Debug, Default)]
pub(super) struct DecodedTexts {
    texts: HashMap<u64, (Text, u64)>,
    bytes: usize,
    /// Counts uses; the text used longest ago goes first.
    clock: u64,
}

impl DecodedTexts {
    pub(super) fn get(&mut self, hash: u64) -> Option<Text> {
        self.clock += 1;
        let (text, used) = self.texts.get_mut(&hash)?;
        *used = self.clock;
        Some(text.clone())
    }

    pub(super) fn put(&mut self, hash: u64, text: Text) {
        if text.len() > ROOM / 2 {
            return;
        }
        self.clock += 1;
        self.bytes += text.len();
        if let Some((old, _)) = self.texts.insert(hash, (text, self.clock)) {
            self.bytes -= old.len();
        }
        while self.bytes > ROOM || self.texts.len() > PLACES {
            let Some(oldest) = self.texts.iter().min_by_key(|(_, (_, used))| *used).map(|(hash, _)| *hash)
            else {
                return;
            };
            if let Some((old, _)) = self.texts.remove(&oldest) {
                self.bytes -= old.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_used_longest_ago_goes_first() {
        let mut texts = DecodedTexts::default();
        for hash in 0..PLACES as u64 {
            texts.put(hash, Text::from("x"));
        }
        assert!(texts.get(0).is_some());
        texts.put(u64::MAX, Text::from("y"));
        assert!(texts.get(0).is_some() && texts.get(1).is_none() && texts.get(2).is_some());
        assert_eq!(texts.bytes, PLACES);
    }

    #[test]
    fn a_text_that_would_fill_the_room_is_not_kept() {
        let mut texts = DecodedTexts::default();
        texts.put(1, Text::from("x".repeat(ROOM / 2 + 1)));
        assert_eq!(texts.get(1), None);
    }
}
