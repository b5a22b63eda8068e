//! `copydesk config`: the settings in effect, and where each comes from.

use std::sync::Arc;

use camino::Utf8PathBuf;

use super::Exit;
use super::terminal::{Look, Terminal};
use crate::config::{Key, Loaded, Origin, Override, Places, Shown, load};
use crate::documents::AbsPath;
use crate::permissions::{self, Behavior, RuleBook, TrustBy, Written, visible};

pub(super) fn show(terminal: &mut Terminal, overrides: &[Override]) -> Exit {
    let loaded = load(&places(overrides));
    print(terminal, &loaded);
    print_rules(terminal, &loaded);
    if loaded.diagnostics.is_empty() { Exit::Done } else { Exit::Failed }
}

/// What is read for a command that is run in this folder.
pub(super) fn places(overrides: &[Override]) -> Places {
    Places {
        workspace: std::env::current_dir().ok().and_then(|folder| Utf8PathBuf::from_path_buf(folder).ok()),
        command_line: overrides.to_vec(),
        ..Places::of_process()
    }
}

fn print(terminal: &mut Terminal, loaded: &Loaded) {
    for (path, found) in &loaded.files {
        let found = if *found { "" } else { " (not there)" };
        terminal.styled(Look::Quiet, &format!("# {path}{found}"));
    }
    let rows = Key::all().map(|key| {
        let (value, origin) = key.show(&loaded.settings);
        let row = match value {
            Shown::Value(value) => format!("{} = {value}", key.name()),
            Shown::Unset => format!("# {} is not set", key.name()),
            Shown::Hidden => format!("# {} is set, and not shown", key.name()),
        };
        (key.about(), row, origin)
    });
    for (about, row, origin) in rows {
        terminal.styled(Look::Quiet, &format!("\n# {about}"));
        let origin = match origin {
            Origin::Default => String::new(),
            origin => terminal.paint(Look::Quiet, &format!("  # {origin}")),
        };
        terminal.line(&format!("{row}{origin}"));
    }
    for diagnostic in &loaded.diagnostics {
        terminal.styled(Look::Bad, &remark(&diagnostic.to_string()));
    }
}

/// What is no setting is a comment to whoever reads the settings as TOML.
fn remark(text: &str) -> String {
    text.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n")
}

/// The permission rules that are written down for a command that is run in this folder.
pub(super) fn written_rules(loaded: &Loaded) -> Arc<Written> {
    let root = std::env::current_dir().ok().and_then(|folder| Utf8PathBuf::from_path_buf(folder).ok());
    let places = permissions::Places::of_process(root.and_then(AbsPath::new), &loaded.settings.permissions);
    RuleBook::new(places).current()
}

/// The rules in force, strongest behaviour first, each with where it is written.
fn print_rules(terminal: &mut Terminal, loaded: &Loaded) {
    let written = written_rules(loaded);
    for (path, found) in &written.files {
        let found = if *found { "" } else { " (not there)" };
        terminal.styled(Look::Quiet, &format!("# {path}{found}"));
    }
    let mut rules: Vec<_> = written.rules.iter().collect();
    rules.sort_by_key(|settled| settled.behavior);
    for settled in rules {
        let behavior = match settled.behavior {
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
            Behavior::Allow => "allow",
        };
        let origin = terminal.paint(Look::Quiet, &format!("# {}", settled.origin));
        terminal.line(&format!("# {behavior:5} {}  {origin}", visible(&settled.rule.to_string())));
    }
    for problem in written.problems.iter().chain(&written.waiting(TrustBy::Flag)) {
        let lines: Vec<String> = problem.lines().map(visible).collect();
        terminal.styled(Look::Bad, &remark(&lines.join("\n")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::Written;

    #[test]
    fn settings_are_toml_with_their_origins() {
        let loaded = load(&Places {
            environment: vec![("ANTHROPIC_API_KEY".into(), "sk-FAKE".into())],
            command_line: vec![Override { key: Key::ModelName, value: "m".into(), flag: "--model" }],
            ..Places::default()
        });
        let written = Written::default();
        print(&mut Terminal::writing_to(written.clone()), &loaded);
        let text = written.text();
        let rows: Vec<_> =
            text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for want in [
            "model.name = \"m\" # --model",
            "# anthropic.api_key is set, and not shown # $ANTHROPIC_API_KEY",
            "# the address of a chat-completions server",
            "# openai.base_url is not set",
            "max_turns = 100",
        ] {
            assert!(rows.iter().any(|row| row == want), "{want} in\n{text}");
        }
        assert!(!text.contains("FAKE"));
        let abouts = Key::all().map(Key::about);
        for about in abouts {
            let first = about.chars().next().unwrap();
            assert!(first.is_lowercase() && !about.ends_with('.'), "they are written alike: {about}");
        }
        // Values are as long as they are.
        assert!(
            text.lines().filter(|row| row.starts_with('#')).all(|row| row.chars().count() <= 110),
            "{text}"
        );
    }
}
