//! How full a conversation may become before something is done about it.

use crate::config::{ContextNumber, ContextSettings};
use crate::models::Window;

/// Token counts at which something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// The window without the room that is kept for the answer.
    pub effective: u64,
    pub warning: u64,
    /// From here on a summary is made.
    pub compact: u64,
    /// From here on nothing is sent.
    pub blocking: u64,
}

impl Thresholds {
    /// Of a model with `window`. The margins are a fifth of what they are taken from, at most: small windows have little
    /// to spare.
    pub fn of(window: Window, settings: &ContextSettings) -> Self {
        let number = |which| settings.number(which);
        let below = |from: u64, margin: u64| from - margin.min(from / 5);
        let reserved =
            number(ContextNumber::ReservedOutput).min(u64::from(window.max_output)).min(window.context / 2);
        let effective = window.context - reserved;
        let at_percent = effective / 100 * number(ContextNumber::CompactAtPercent)
            + effective % 100 * number(ContextNumber::CompactAtPercent) / 100;
        let compact = below(effective, number(ContextNumber::CompactMargin)).min(at_percent);
        Self {
            effective,
            warning: below(compact, number(ContextNumber::WarningMargin)),
            compact,
            blocking: below(effective, number(ContextNumber::BlockingMargin)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(window: (u64, u32), settings: &ContextSettings, want: [u64; 4]) {
        let window = Window { context: window.0, max_output: window.1 };
        let Thresholds { effective, warning, compact, blocking } = Thresholds::of(window, settings);
        assert_eq!([effective, warning, compact, blocking], want);
    }

    #[test]
    fn thresholds_of_usual_and_of_small_windows() {
        let usual = ContextSettings::default();
        check((200_000, 64_000), &usual, [180_000, 147_000, 167_000, 177_000]);
        check((100_000, 64_000), &usual, [80_000, 53_600, 67_000, 77_000]);
        check((1_000_000, 64_000), &usual, [980_000, 947_000, 967_000, 977_000]);
        check((8_192, 4_096), &usual, [4_096, 2_622, 3_277, 3_277]);
    }

    #[test]
    fn settings_move_them() {
        let with = |which, value| ContextSettings::default().with(which, value);
        let window = (200_000, 64_000);
        check(window, &with(ContextNumber::CompactAtPercent, 50), [180_000, 72_000, 90_000, 177_000]);
        check(window, &with(ContextNumber::CompactAtPercent, 99), [180_000, 147_000, 167_000, 177_000]);
    }
}
