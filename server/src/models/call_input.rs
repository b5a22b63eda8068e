//! The input of a call while it comes in: taken up to the longest that any call may have, and counted beyond.

use serde_json::Value;

use crate::conversation::{LONGEST_INPUT, overlong_input};

/// Bytes of an input that is too long which are kept, for the model to know it again.
const KEPT: usize = 200;

#[derive(Debug, Default)]
pub(super) struct CallInput {
    json: String,
    /// That came, whether they were taken or not.
    bytes: usize,
}

impl CallInput {
    /// Puts `piece` behind what came before. `false`: with it the input is too long, so it was not taken.
    pub(super) fn push(&mut self, piece: &str) -> bool {
        self.bytes += piece.len();
        if self.is_overlong() {
            let end = (0..=KEPT).rev().find(|at| self.json.is_char_boundary(*at));
            self.json.truncate(end.unwrap_or_default());
            self.json.shrink_to_fit();
            return false;
        }
        self.json.push_str(piece);
        true
    }

    /// What was taken so far.
    pub(super) fn as_str(&self) -> &str {
        &self.json
    }

    /// All of it, or what stands for an input that is too long.
    pub(super) fn whole(self) -> Result<String, Value> {
        if self.is_overlong() { Err(overlong_input(&self.json, self.bytes)) } else { Ok(self.json) }
    }

    const fn is_overlong(&self) -> bool {
        self.bytes > LONGEST_INPUT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `piece` so many times: whether all were taken, and what it comes to.
    fn grown(piece: &str, times: usize) -> (bool, Result<String, Value>) {
        let mut input = CallInput::default();
        let taken = (0..times).filter(|_| input.push(piece)).count();
        (taken == times, input.whole())
    }

    #[test]
    fn what_fits_is_whole_and_of_what_does_not_the_beginning_is_kept() {
        assert_eq!(grown("{}", 2), (true, Ok("{}{}".to_owned())));
        let megabyte = "x".repeat(1 << 20);
        let most = LONGEST_INPUT >> 20;
        assert_eq!(grown(&megabyte, most).1.map(|whole| whole.len()), Ok(LONGEST_INPUT));
        let (all, whole) = grown(&megabyte, 30);
        assert_eq!((all, whole), (false, Err(overlong_input(&"x".repeat(KEPT), 30 << 20))));
    }

    #[test]
    fn no_character_is_cut_in_two() {
        let (_, whole) = grown(&"世".repeat(1 << 20), 10);
        assert_eq!(whole, Err(overlong_input(&"世".repeat(KEPT / 3), 30 << 20)));
    }
}
