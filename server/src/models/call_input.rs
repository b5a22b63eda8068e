//! The input of a call while it comes in: taken up to the longest that any call may have, and counted beyond.

use serde_json::Value;

use crate::config::{ContextNumber, ContextSettings};
use crate::conversation::{Overlong, overlong_input};

/// Bytes of an input that is too long which are kept, for the model to know it again.
const KEPT: usize = 200;

/// Bytes of the longest that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongestInput(pub(super) usize);

impl Default for LongestInput {
    fn default() -> Self {
        Self(ContextSettings::default().size(ContextNumber::InputBytes))
    }
}

#[derive(Debug)]
pub(super) struct CallInput {
    json: String,
    /// That came, whether they were taken or not.
    bytes: usize,
    most: LongestInput,
}

impl CallInput {
    pub(super) const fn up_to(most: LongestInput) -> Self {
        Self { json: String::new(), bytes: 0, most }
    }

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
        let overlong = Overlong { bytes: self.bytes, most: self.most.0 };
        if self.is_overlong() { Err(overlong_input(&self.json, overlong)) } else { Ok(self.json) }
    }

    const fn is_overlong(&self) -> bool {
        self.bytes > self.most.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 1_000;

    /// `piece` so many times: whether all were taken, and what it comes to.
    fn grown(piece: &str, times: usize) -> (bool, Result<String, Value>) {
        let mut input = CallInput::up_to(LongestInput(MOST));
        let taken = (0..times).filter(|_| input.push(piece)).count();
        (taken == times, input.whole())
    }

    fn overlong(kept: &str, bytes: usize) -> Result<String, Value> {
        Err(overlong_input(kept, Overlong { bytes, most: MOST }))
    }

    #[test]
    fn what_fits_is_whole_and_of_what_does_not_the_beginning_is_kept() {
        assert_eq!(grown("{}", 2), (true, Ok("{}{}".to_owned())));
        assert_eq!(grown("0123456789", 100), (true, Ok("0123456789".repeat(100))));
        assert_eq!(grown("0123456789", 101), (false, overlong(&"0123456789".repeat(20), 1_010)));
    }

    #[test]
    fn no_character_is_cut_in_two() {
        assert_eq!(grown("世", 400), (false, overlong(&"世".repeat(KEPT / 3), 1_200)));
    }
}
