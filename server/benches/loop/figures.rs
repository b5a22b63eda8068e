//! Times as a reader wants them.

use std::fmt::Write as _;
use std::time::Duration;

/// The value below which so many percent lie; zero if there are none.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or_default()
}

pub(crate) fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// Twenty times a line, in ms.
pub(crate) fn table(times: &[Duration]) -> String {
    let mut lines = String::new();
    for (at, line) in times.chunks(20).enumerate() {
        let times: Vec<String> = line.iter().copied().map(millis).collect();
        let _ = writeln!(lines, "{:>5}  {}", at * 20 + 1, times.join(" "));
    }
    lines.trim_end().to_owned()
}
