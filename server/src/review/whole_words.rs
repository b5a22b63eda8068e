//! What is proposed of a file beside its text, in words for people: `binary, 12 kB → 14 kB`, `mode 644 → 755`.

use std::fmt;

use super::{ModeChange, WholeBytes};

/// `binary, 12 kB → 14 kB`, `new binary, 12 kB`, `removed binary, 12 kB`
impl fmt::Display for WholeBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made { size } => write!(f, "new binary, {}", Size(*size)),
            Self::Deleted { from } => write!(f, "removed binary, {}", Size(*from)),
            Self::Changed { from, to } => write!(f, "binary, {} → {}", Size(*from), Size(*to)),
        }
    }
}

/// `mode 644 → 755`; of a file that is made, `mode 755`.
impl fmt::Display for ModeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.from {
            Some(from) => write!(f, "mode {from:03o} → {}", Bits(self.to)),
            None => write!(f, "mode {}", Bits(self.to)),
        }
    }
}

/// Permissions as `chmod` has them, and in words what is more than reading, writing and running: `4755 (setuid)`.
pub struct Bits(pub u32);

const SPECIAL: [(u32, &str); 3] = [(0o4000, "setuid"), (0o2000, "setgid"), (0o1000, "sticky")];

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = SPECIAL.iter().filter(|(bit, _)| self.0 & bit != 0).map(|(_, name)| *name);
        let special: Vec<&str> = special.collect();
        write!(f, "{:03o}", self.0)?;
        if special.is_empty() { Ok(()) } else { write!(f, " ({})", special.join(", ")) }
    }
}

/// A number of bytes: `812 bytes`, `1.2 kB`, `14 MB`.
struct Size(u64);

const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => return f.write_str("1 byte"),
            bytes @ 0..1000 => return write!(f, "{bytes} bytes"),
            _ => {}
        }
        // In tenths of the unit.
        let (mut tenths, mut units) = (self.0 / 100, UNITS.iter());
        let mut unit = units.next();
        while tenths >= 10_000
            && let Some(next) = units.next()
        {
            (tenths, unit) = (tenths / 1000, Some(next));
        }
        let unit = unit.unwrap_or(&"kB");
        if tenths < 100 {
            write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
        } else {
            write!(f, "{} {unit}", tenths / 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        for (bytes, want) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (1_250, "1.2 kB"),
            (12_345, "12 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1.0 MB"),
            (123_456_789, "123 MB"),
            (u64::MAX, "18446 PB"),
        ] {
            assert_eq!(Size(bytes).to_string(), want);
        }
    }

    #[test]
    fn bytes_and_permissions_in_words() {
        let check = |words: String, want: &str| assert_eq!(words, want);
        check(WholeBytes::Changed { from: 12_000, to: 14_000 }.to_string(), "binary, 12 kB → 14 kB");
        check(WholeBytes::Made { size: 3 }.to_string(), "new binary, 3 bytes");
        check(WholeBytes::Deleted { from: 3 }.to_string(), "removed binary, 3 bytes");
        check(ModeChange { from: Some(0o644), to: 0o755 }.to_string(), "mode 644 → 755");
        check(ModeChange { from: None, to: 0o755 }.to_string(), "mode 755");
        check(ModeChange { from: Some(0), to: 0o4755 }.to_string(), "mode 000 → 4755 (setuid)");
        check(ModeChange { from: None, to: 0o3070 }.to_string(), "mode 3070 (setgid, sticky)");
    }
}
