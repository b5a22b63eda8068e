//! The settings under `[task]`: how far one task goes.

use std::collections::BTreeMap;

use super::{Origin, Setting, Value};

/// Bounds of a task, as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSettings {
    changed: BTreeMap<TaskNumber, Setting<u32>>,
}

/// One number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskNumber {
    /// Tokens of an answer, where `model.max_tokens` says nothing.
    FirstOutputTokens,
    /// The same once an answer was cut.
    EscalatedOutputTokens,
    /// How often in a row Stop hooks may block an end; 0: as often as they like.
    StopHookBlocks,
    /// Calls of one answer that run at the same time.
    ToolsAtOnce,
}

impl TaskSettings {
    pub fn number(&self, which: TaskNumber) -> u32 {
        self.changed.get(&which).map_or(which.usual(), |setting| setting.value)
    }

    pub(super) fn set(&mut self, which: TaskNumber, value: &Value, origin: Origin) -> Result<(), String> {
        let number = value.whole(which.least())?;
        let value = u32::try_from(number).map_err(|_| format!("{number} is too large"))?;
        self.changed.insert(which, Setting { value, origin });
        Ok(())
    }

    pub(super) fn origin(&self, which: TaskNumber) -> &Origin {
        self.changed.get(&which).map_or(&Origin::Default, |setting| &setting.origin)
    }
}

impl TaskNumber {
    pub const ALL: [Self; 4] =
        [Self::FirstOutputTokens, Self::EscalatedOutputTokens, Self::StopHookBlocks, Self::ToolsAtOnce];

    /// What it is, for a person.
    pub const fn about(self) -> &'static str {
        match self {
            Self::FirstOutputTokens => "tokens of an answer, where `model.max_tokens` says nothing",
            Self::EscalatedOutputTokens => "tokens of an answer that is asked for again because it was cut",
            Self::StopHookBlocks => {
                "how often in a row Stop hooks may block an end; 0: as often as they like"
            }
            Self::ToolsAtOnce => "calls of one answer that run at the same time",
        }
    }

    /// As `config.toml` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstOutputTokens => "task.first_output_tokens",
            Self::EscalatedOutputTokens => "task.escalated_output_tokens",
            Self::StopHookBlocks => "task.stop_hook_blocks",
            Self::ToolsAtOnce => "task.tools_at_once",
        }
    }

    /// What it is unless it is set.
    pub const fn usual(self) -> u32 {
        match self {
            Self::FirstOutputTokens => 8_000,
            Self::EscalatedOutputTokens => 64_000,
            Self::StopHookBlocks => 8,
            Self::ToolsAtOnce => 10,
        }
    }

    const fn least(self) -> u64 {
        match self {
            Self::StopHookBlocks => 0,
            Self::FirstOutputTokens | Self::EscalatedOutputTokens | Self::ToolsAtOnce => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_usual_one_until_it_is_set() {
        let mut settings = TaskSettings::default();
        settings.set(TaskNumber::StopHookBlocks, &Value::Whole(0), Origin::Editor).expect("a number");
        assert!(settings.set(TaskNumber::ToolsAtOnce, &Value::Whole(0), Origin::Editor).is_err());
        let numbers = TaskNumber::ALL.map(|number| settings.number(number));
        assert_eq!(numbers, [8_000, 64_000, 0, 10]);
        assert_eq!(settings.origin(TaskNumber::StopHookBlocks), &Origin::Editor);
    }
}
