//! The settings under `[shell]`: on what commands run, what they may reach, and for how long.

use std::collections::BTreeMap;

use super::{Origin, Setting, Value};

/// How commands run. Lists of all layers are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSettings {
    /// What a command is tried on.
    pub trial_tree: Setting<TrialTreeChoice>,
    /// What of the network it reaches.
    pub network: Setting<NetworkChoice>,
    /// Variables that reach commands though their names sound secret.
    pub environment: Vec<Setting<String>>,
    /// Folders of the workspace, ignored by git, of which commands have the real ones.
    pub pass_through: Vec<Setting<String>>,
    numbers: BTreeMap<CommandNumber, Setting<u64>>,
}

/// What a command is tried on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrialTreeChoice {
    /// The best that this machine lets be made.
    #[default]
    Auto,
    /// A layer over the workspace; Linux only.
    Overlay,
    /// A copy of the workspace.
    Copy,
    /// The files themselves, after a question each time.
    Direct,
}

/// What of the network a command in the sandbox reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NetworkChoice {
    /// Nothing.
    #[default]
    None,
    /// All that this machine reaches.
    Host,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommandNumber {
    /// Milliseconds a command may take if the model says nothing.
    DefaultTimeout,
    /// Milliseconds it may take at most.
    LongestTimeout,
    /// Characters of the output of a command that did well which a model is shown.
    OutputChars,
    /// The same of a command that failed.
    FailedOutputChars,
    /// Bytes of an output that are saved.
    SavedBytes,
    /// Bytes of output after which a command is ended.
    MostBytes,
    /// Processes of one command.
    Processes,
    /// Bytes of memory of each of them.
    Memory,
}

impl CommandSettings {
    /// As it is set, else the usual one.
    pub fn number(&self, which: CommandNumber) -> u64 {
        self.numbers.get(&which).map_or(which.usual(), |setting| setting.value)
    }

    pub(super) fn set(&mut self, which: CommandNumber, value: &Value, origin: Origin) -> Result<(), String> {
        let value = value.whole(which.least())?;
        self.numbers.insert(which, Setting { value, origin });
        Ok(())
    }

    pub(super) fn origin(&self, which: CommandNumber) -> &Origin {
        self.numbers.get(&which).map_or(&Origin::Default, |setting| &setting.origin)
    }
}

impl Default for CommandSettings {
    fn default() -> Self {
        Self {
            trial_tree: Setting { value: TrialTreeChoice::default(), origin: Origin::Default },
            network: Setting { value: NetworkChoice::default(), origin: Origin::Default },
            environment: Vec::new(),
            pass_through: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }
}

impl TrialTreeChoice {
    /// In the order people are told them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Overlay, Self::Copy, Self::Direct];

    /// As the setting has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Overlay => "overlay",
            Self::Copy => "copy",
            Self::Direct => "direct",
        }
    }
}

impl NetworkChoice {
    /// In the order people are told them.
    pub const ALL: [Self; 2] = [Self::None, Self::Host];

    /// As the setting has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Host => "host",
        }
    }
}

impl CommandNumber {
    /// In the order people are shown them.
    pub const ALL: [Self; 8] = [
        Self::DefaultTimeout,
        Self::LongestTimeout,
        Self::OutputChars,
        Self::FailedOutputChars,
        Self::SavedBytes,
        Self::MostBytes,
        Self::Processes,
        Self::Memory,
    ];

    /// What it is, for a person.
    pub const fn about(self) -> &'static str {
        match self {
            Self::DefaultTimeout => "milliseconds a command may take if the model says nothing",
            Self::LongestTimeout => "milliseconds a command may take at most, whatever the model says",
            Self::OutputChars => "characters of a command's output that the model is shown, at most",
            Self::FailedOutputChars => {
                "characters of a failed command's output that the model is shown, at most"
            }
            Self::SavedBytes => "bytes of a long output that are saved in a file, at most",
            Self::MostBytes => "bytes of output after which a command is ended",
            Self::Processes => "processes and threads of one command, at most",
            Self::Memory => "bytes of memory of each process of a command, at most",
        }
    }

    /// As `config.toml` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DefaultTimeout => "shell.default_timeout_ms",
            Self::LongestTimeout => "shell.longest_timeout_ms",
            Self::OutputChars => "shell.output_chars",
            Self::FailedOutputChars => "shell.failed_output_chars",
            Self::SavedBytes => "shell.saved_bytes",
            Self::MostBytes => "shell.most_output_bytes",
            Self::Processes => "shell.processes",
            Self::Memory => "shell.memory_bytes",
        }
    }

    /// What it is unless it is set.
    pub const fn usual(self) -> u64 {
        match self {
            Self::DefaultTimeout => 120_000,
            Self::LongestTimeout => 600_000,
            Self::OutputChars => 30_000,
            Self::FailedOutputChars => 10_000,
            Self::SavedBytes => 64 << 20,
            Self::MostBytes => 5 << 30,
            Self::Processes => 4_096,
            Self::Memory => 16 << 30,
        }
    }

    /// With less than this nothing would work.
    const fn least(self) -> u64 {
        match self {
            Self::DefaultTimeout | Self::LongestTimeout => 1,
            Self::OutputChars | Self::FailedOutputChars => 200,
            Self::SavedBytes => 0,
            Self::MostBytes => 1_000,
            Self::Processes => 10,
            Self::Memory => 64 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_usual_one_until_it_is_set() {
        let mut settings = CommandSettings::default();
        settings.set(CommandNumber::DefaultTimeout, &Value::Whole(5), Origin::Editor).expect("a number");
        assert!(settings.set(CommandNumber::Processes, &Value::Whole(1), Origin::Editor).is_err());
        assert_eq!(settings.number(CommandNumber::DefaultTimeout), 5);
        assert_eq!(settings.number(CommandNumber::Processes), 4_096);
        assert_eq!(settings.origin(CommandNumber::DefaultTimeout), &Origin::Editor);
        assert_eq!(settings.origin(CommandNumber::Processes), &Origin::Default);
    }
}
