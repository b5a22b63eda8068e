//! The settings under `[tools]`: which tools there are, and how a model is told of them.

use super::{Origin, Setting};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSettings {
    pub mode: Setting<ToolMode>,
    pub search: Setting<ToolSearchChoice>,
    /// Whether the web is searched by the model's service; `None`: where it is known to do that.
    pub web_search: Setting<Option<bool>>,
}

/// Which tools there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolMode {
    #[default]
    All,
    /// Bash, Read and Edit.
    Simple,
}

/// Whether tools that can wait are sent only when a model asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSearchChoice {
    Off,
    #[default]
    On,
    /// Where they would take more than so many hundredths of the model's window.
    Above(u64),
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            mode: Setting { value: ToolMode::default(), origin: Origin::Default },
            search: Setting { value: ToolSearchChoice::default(), origin: Origin::Default },
            web_search: Setting { value: None, origin: Origin::Default },
        }
    }
}

impl ToolMode {
    pub const ALL: [Self; 2] = [Self::All, Self::Simple];

    /// As the setting has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Simple => "simple",
        }
    }

    /// Whether the tool called `name` is among them.
    pub fn has(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Simple => ["Bash", "Read", "Edit"].contains(&name),
        }
    }
}

/// What `auto` means without a number, in hundredths.
const USUAL_SHARE: u64 = 10;

impl ToolSearchChoice {
    /// `on`, `off`, `auto` or `auto:N`.
    pub fn named(written: &str) -> Result<Self, String> {
        let unknown = || format!("{written:?} is none of \"on\", \"off\", \"auto\", \"auto:10\"");
        match written {
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            "auto" => Ok(Self::Above(USUAL_SHARE)),
            other => {
                let share = other.strip_prefix("auto:").and_then(|share| share.parse().ok());
                share.filter(|share| (0..=100).contains(share)).map(Self::Above).ok_or_else(unknown)
            }
        }
    }

    /// As the setting has it.
    pub fn shown(self) -> String {
        match self {
            Self::On => "on".to_owned(),
            Self::Off => "off".to_owned(),
            Self::Above(share) => format!("auto:{share}"),
        }
    }

    /// Whether definitions of so many tokens wait, in a window of so many.
    pub const fn defers(self, tokens: u64, window: u64) -> bool {
        match self {
            Self::On => true,
            Self::Off => false,
            Self::Above(share) => tokens * 100 > window * share,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_read_as_it_is_shown() {
        for written in ["on", "off", "auto:10", "auto:0"] {
            assert_eq!(ToolSearchChoice::named(written).unwrap().shown(), written);
        }
        assert_eq!(ToolSearchChoice::named("auto"), Ok(ToolSearchChoice::Above(10)));
        for wrong in ["yes", "auto:101", "auto:x"] {
            assert!(ToolSearchChoice::named(wrong).unwrap_err().contains("is none of"), "{wrong}");
        }
    }

    #[test]
    fn a_share_of_the_window_decides() {
        assert!(ToolSearchChoice::Above(10).defers(20_001, 200_000));
        assert!(!ToolSearchChoice::Above(10).defers(20_000, 200_000));
        assert!(ToolSearchChoice::On.defers(0, 200_000));
        assert!(!ToolSearchChoice::Off.defers(u64::from(u32::MAX), 1));
    }

    #[test]
    fn the_simple_mode_has_three_tools() {
        assert!(["Bash", "Read", "Edit"].iter().all(|name| ToolMode::Simple.has(name)));
        assert!(!ToolMode::Simple.has("Write") && ToolMode::All.has("Write"));
    }
}
