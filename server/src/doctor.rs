//! What works here, what does not, and what to do next: the same for `copydesk doctor` and for an editor that asks.

mod commands;
mod model;

pub use self::commands::look as look_at_commands;
pub use self::model::{GET_A_MODEL, local as local_model, look as look_at_model};

use std::path::PathBuf;

use crate::config::{Loaded, choose_model};
use crate::permissions::{TrustBy, Written, visible};

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

/// What there is to say of the permission rules, in words for the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What can't be read in them.
    pub problems: Vec<String>,
    /// What of the folder's settings does not count until it is trusted.
    pub waiting: Option<String>,
}

impl Rules {
    /// Those that are `written`, for a person who can trust the folder `by` this.
    pub fn of(written: &Written, by: TrustBy) -> Self {
        let problems = written.problems.iter().map(|problem| visible(problem)).collect();
        Self { problems, waiting: written.waiting(by).map(|waiting| visible(&waiting)) }
    }
}

/// Looks at the configuration and for editors. `server` says how the server does, `commands` what they run on; `on_path` finds a program, as
/// `on_path` below does.
pub fn checkup(
    loaded: &Loaded,
    rules: &Rules,
    server: Finding,
    commands: Vec<Finding>,
    on_path: impl Fn(&str) -> Option<PathBuf>,
) -> Checkup {
    let mut next = Vec::new();
    let runs = server.mark != Mark::Bad;
    let version = Finding::note(format!("copydesk {}", env!("CARGO_PKG_VERSION")));
    let (model, usable) = model::look(&loaded.settings, &mut next);
    let editors = editors(on_path, &mut next);
    let configuration = configuration(loaded, rules, &mut next);
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
        fine: runs && usable && loaded.diagnostics.is_empty() && rules.problems.is_empty(),
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

fn configuration(loaded: &Loaded, rules: &Rules, next: &mut Vec<String>) -> Vec<Finding> {
    let file = |(path, found): &(camino::Utf8PathBuf, bool)| {
        Finding::note(format!("{path}{}", if *found { "" } else { " (not there, which is fine)" }))
    };
    let mut findings: Vec<Finding> = loaded.files.iter().map(file).collect();
    findings.extend(loaded.diagnostics.iter().map(|diagnostic| Finding::bad(diagnostic.to_string())));
    findings.extend(rules.problems.iter().map(Finding::bad));
    findings.extend(rules.waiting.iter().map(Finding::note));
    // That no model is asked has its own step.
    let has_step = usize::from(choose_model(&loaded.settings).bar.is_some());
    let step = match (loaded.diagnostics.len() + rules.problems.len()).saturating_sub(has_step) {
        0 => None,
        _ if has_step > 0 => Some("mend the other lines above, too"),
        _ => Some("mend the lines above"),
    };
    if let Some(step) = step {
        // Nothing but that other step is as pressing.
        next.insert(has_step.min(next.len()), step.to_owned());
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Places, load};

    #[track_caller]
    fn check(places: &Places, server: Finding, program: &str, wanted: (bool, &[&str])) {
        let found = checkup(&load(places), &Rules::default(), server, Vec::new(), |asked| {
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
        check(&odd, up(), "", (false, &["\"nobody\" is none of", "until then no model is asked"]));
    }

    /// What is to be mended, of settings and rules.
    #[track_caller]
    fn check_mending(environment: &[(&str, &str)], problems: &[&str], wanted: &[&str]) {
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let loaded = load(&Places { environment, ..Places::default() });
        let rules = Rules { problems: problems.iter().map(ToString::to_string).collect(), waiting: None };
        let found = checkup(&loaded, &rules, Finding::good("up"), Vec::new(), |_| None);
        let steps: Vec<_> = found.next.into_iter().filter(|step| step.starts_with("mend")).collect();
        assert_eq!(
            (steps, found.fine),
            (wanted.iter().map(ToString::to_string).collect(), wanted.is_empty())
        );
    }

    #[test]
    fn what_is_to_be_mended_is_said_once_and_truly() {
        let (offline, loud) = (("COPYDESK_PROVIDER", "offline"), ("COPYDESK_LOG", "loud"));
        let broken = "mend the setting that is broken: until then no model is asked";
        check_mending(&[offline], &[], &[]);
        check_mending(&[offline, loud], &[], &["mend the lines above"]);
        check_mending(&[offline], &["f: `Bash(` is no rule"], &["mend the lines above"]);
        check_mending(&[("COPYDESK_PROVIDER", "nobody")], &[], &[broken]);
        let both = [broken, "mend the other lines above, too"];
        check_mending(&[("COPYDESK_PROVIDER", "nobody"), loud], &[], &both);
    }

    #[test]
    fn a_model_that_nobody_can_be_asked_for_is_not_fine() {
        let variables = [("COPYDESK_MODEL", "foo/bar"), ("COPYDESK_DETECT_LOCAL", "false")];
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let places = Places { environment, ..Places::default() };
        let wanted =
            ["there is no key and no server for the model `foo/bar`", "name the provider: `openai/foo/bar`"];
        check(&places, Finding::good("up"), "", (false, &wanted));
    }
}
