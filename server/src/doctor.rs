//! What works here, what does not, and what to do next: the same for `copydesk doctor` and for an editor that asks.

mod commands;
mod model;

pub use self::commands::look as look_at_commands;
pub use self::model::{GET_A_MODEL, look as look_at_model};

use std::path::PathBuf;

use crate::config::{Loaded, choose_model};

/// Editors, by the program that is looked for, and what `copydesk setup` calls them.
const EDITORS: [(&str, &str, &str); 7] = [
    ("Neovim", "nvim", "nvim"),
    ("Helix", "hx", "helix"),
    ("Helix", "helix", "helix"),
    ("VS Code", "code", "vscode"),
    ("VSCodium", "codium", "vscode"),
    ("Emacs", "emacs", "emacs"),
    ("Kakoune", "kak", ""),
];

/// All that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkup {
    pub sections: Vec<Section>,
    /// What to do next, the most pressing first.
    pub next: Vec<String>,
    /// Nothing is broken and a model can answer.
    pub fine: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub title: &'static str,
    pub findings: Vec<Finding>,
}

/// One line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub mark: Mark,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Good,
    Bad,
    /// Neither: more about the line above, or what is merely so.
    Note,
}

impl Finding {
    pub fn good(text: impl Into<String>) -> Self {
        Self { mark: Mark::Good, text: text.into() }
    }

    pub fn bad(text: impl Into<String>) -> Self {
        Self { mark: Mark::Bad, text: text.into() }
    }

    pub fn note(text: impl Into<String>) -> Self {
        Self { mark: Mark::Note, text: text.into() }
    }
}

/// Looks at the configuration and for editors. `server` says how the server does, `commands` what they run on; `on_path` finds a program, as
/// `on_path` below does.
pub fn checkup(
    loaded: &Loaded,
    server: Finding,
    commands: Vec<Finding>,
    on_path: impl Fn(&str) -> Option<PathBuf>,
) -> Checkup {
    let mut next = Vec::new();
    let runs = server.mark != Mark::Bad;
    let version = Finding::note(format!("copydesk {}", env!("CARGO_PKG_VERSION")));
    let (model, usable) = model::look(&choose_model(&loaded.settings), &mut next);
    let editors = editors(on_path, &mut next);
    let configuration = configuration(loaded, &mut next);
    next.push("`copydesk try` shows a whole task".to_owned());
    next.dedup();
    let section = |title, findings| Section { title, findings };
    Checkup {
        sections: vec![
            section("Program", vec![version, server]),
            section("Model", model),
            section("Commands", commands),
            section("Editors", editors),
            section("Configuration", configuration),
        ],
        next,
        fine: runs && usable && loaded.diagnostics.is_empty(),
    }
}

/// The first program of that name on the `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let program = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&program)).find(|path| path.is_file())
}

fn editors(on_path: impl Fn(&str) -> Option<PathBuf>, next: &mut Vec<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, program, setup) in EDITORS {
        let Some(path) = on_path(program) else { continue };
        findings.push(Finding::good(format!("{name} ({})", path.display())));
        if !setup.is_empty() {
            next.push(format!("`copydesk setup {setup}` prints what {name} needs to know"));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::note("none found on the PATH; any editor that speaks LSP will do"));
    }
    match on_path("copydesk") {
        Some(path) => findings.push(Finding::good(format!("they can start {}", path.display()))),
        None => next.push("put `copydesk` on your PATH, so that editors can start it".to_owned()),
    }
    findings
}

fn configuration(loaded: &Loaded, next: &mut Vec<String>) -> Vec<Finding> {
    let file = |(path, found): &(camino::Utf8PathBuf, bool)| {
        Finding::note(format!("{path}{}", if *found { "" } else { " (not there, which is fine)" }))
    };
    let mut findings: Vec<Finding> = loaded.files.iter().map(file).collect();
    findings.extend(loaded.diagnostics.iter().map(|diagnostic| Finding::bad(diagnostic.to_string())));
    if !loaded.diagnostics.is_empty() {
        next.push("mend the lines above; the rest of the configuration works".to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Places, load};

    #[track_caller]
    fn check(places: &Places, server: Finding, program: &str, wanted: (bool, &[&str])) {
        let found = checkup(&load(places), server, Vec::new(), |asked| {
            (asked == program).then(|| PathBuf::from("/bin/it"))
        });
        let lines: Vec<String> = found
            .sections
            .iter()
            .flat_map(|section| section.findings.iter().map(|finding| finding.text.clone()))
            .chain(found.next)
            .collect();
        for wanted in wanted.1 {
            assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted} in {lines:#?}");
        }
        assert_eq!(found.fine, wanted.0, "{lines:#?}");
    }

    #[test]
    fn what_is_there_is_named_with_the_next_step() {
        let offline =
            Places { environment: vec![("COPYDESK_PROVIDER".into(), "offline".into())], ..Places::default() };
        let up = || Finding::good("the server runs");
        check(
            &offline,
            up(),
            "hx",
            (true, &["Helix (/bin/it)", "the offline model", "`copydesk setup helix`"]),
        );
        check(&offline, up(), "copydesk", (true, &["none found on the PATH", "they can start /bin/it"]));
        check(
            &offline,
            Finding::bad("the server does not work"),
            "",
            (false, &["put `copydesk` on your PATH"]),
        );
    }

    #[test]
    fn a_missing_key_and_a_bad_setting_are_not_fine() {
        let up = || Finding::good("the server runs");
        let named = |provider: &str| vec![("COPYDESK_PROVIDER".to_owned(), provider.to_owned())];
        let keyless = Places { environment: named("anthropic"), ..Places::default() };
        check(&keyless, up(), "", (false, &["there is no key", "set ANTHROPIC_API_KEY"]));
        let odd = Places { environment: named("nobody"), ..Places::default() };
        check(&odd, up(), "", (false, &["\"nobody\" is none of", "mend the lines above"]));
    }
}
