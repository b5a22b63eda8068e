//! Builds every part and joins them; no logic.

mod logging;
mod stdio;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use camino::Utf8PathBuf;
use etcetera::BaseStrategy as _;

use self::logging::SetLevel;
use self::stdio::Stdio;
use crate::agent::{Limits, NoHooks, PermissionSetup, SessionDeps, Sessions, ShellDeps, ToolSetup};
use crate::cli;
use crate::config::{
    self, CommandNumber, Loaded, NetworkChoice, Override, Places, Settings, TaskNumber, choose_model,
    other_model,
};
use crate::documents::{self, AbsPath, FileStateCache, PathCase, Workspace};
use crate::editor::{Editor, Loudness};
use crate::lsp::{self, Core, Host, Opening, Reload};
use crate::models::{self, Provider};
use crate::permissions::{self, Beginning, PermissionMode, RuleBook, TrustBy};
use crate::review::{DeskHandle, Waits};
use crate::shell::{self, ShellSettings, TextRule};
use crate::tools::Tools;

/// Serves one editor over stdin and stdout until it ends; the exit code is LSP's. `overrides` are settings of the command
/// line.
pub fn serve_stdio(overrides: Vec<Override>) -> ExitCode {
    // Before an editor has said anything; its own settings come too late for the log.
    let early = config::load(&Places { command_line: overrides.clone(), ..Places::of_process() });
    let log = logging::start(early.settings.log_level.value);
    let set_level = log.set_level.clone();
    // Two threads: one for the messages of the editor, one for the rest. Waiting costs nothing.
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "the runtime can't be started");
            return ExitCode::FAILURE;
        }
    };
    let build = Box::new(move |opening| core(opening, &overrides, &set_level));
    let ending = runtime.block_on(async {
        let Stdio { input, output, borrowed } = Stdio::of_process();
        // On the runtime's own threads: what one task hands to the next then needs no other thread to be woken.
        let served = tokio::spawn(lsp::serve(input, output, build, host()));
        let ending = tokio::select! {
            served = served => served.map_err(|error| tracing::error!(%error, "serving ended")).ok(),
            () = stdio::told_to_end() => None,
        };
        drop(borrowed);
        ending
    });
    // A thread that still waits for input must not hold the process.
    runtime.shutdown_background();
    let Some(ending) = ending else { return ExitCode::FAILURE };
    if ending == lsp::Ending::NoEditor {
        // Whoever started it by hand is at the other end of stderr.
        let _ = writeln!(std::io::stderr(), "{NO_EDITOR}");
    }
    ExitCode::from(ending.exit_code())
}

const NO_EDITOR: &str = "copydesk: the input ended before an editor said `initialize`. Without a command, copydesk is a \
                         language server that an editor starts; `copydesk help` says what else it does.";

/// The core of one editor's session.
fn core(opening: Opening, overrides: &[Override], set_level: &SetLevel) -> Core {
    let Opening { roots, editor, options } = opening;
    let reload = reload(roots.first(), overrides, set_level);
    let loaded = reload(&options);
    tell_problems(&loaded, editor.as_ref());
    let settings = &loaded.settings;
    let case = PathCase::usual();
    let workspace = Workspace::new(roots, case == PathCase::Insensitive);
    let state_folder = project_folder(&workspace);
    let workspace = Arc::new(match state_folder.clone().and_then(AbsPath::new) {
        Some(folder) => workspace.with_own_folder(folder),
        None => workspace,
    });
    let documents = Arc::new(FileStateCache::with_rules(case, settings.files.edit_limit.value));
    let editor_name = editor.features().name;
    let waits = Waits { echo: settings.review.echo_timeout.value, ..Waits::default() };
    let desk = DeskHandle::start_with(documents.clone(), workspace.clone(), editor.clone(), waits);
    let (again, chosen_with) = (reload.clone(), options.clone());
    let provider =
        models::provider(choose_model(settings), move || choose_model(&again(&chosen_with).settings));
    tell_if_offline(settings, &provider, &editor);
    // Each looks for its own key again when the one it has is refused.
    let other = |model: &String| {
        let (again, chosen_with, model) = (reload.clone(), options.clone(), model.clone());
        let choice = other_model(settings, &model);
        models::provider(choice, move || other_model(&again(&chosen_with).settings, &model))
    };
    let shell = ShellDeps {
        settings: Arc::new(shell_settings(settings)),
        roots: real_roots(&workspace, &documents),
        folder: state_folder.clone().unwrap_or_else(temporary_folder),
    };
    let permissions = permissions(&workspace, settings, editor.as_ref());
    let rules = permissions.book.clone();
    let sessions = Sessions::new(SessionDeps {
        shell,
        fallbacks: settings.model.fallback.value.iter().map(other).collect(),
        small: settings.model.small.value.as_ref().map(other),
        prices: Arc::new(settings.model.prices.value.clone()),
        hooks: Arc::new(NoHooks),
        provider,
        documents: documents.clone(),
        desk: desk.clone(),
        workspace: workspace.clone(),
        tools: Tools::built_in(),
        tool_setup: ToolSetup {
            mode: settings.tools.mode.value,
            search: settings.tools.search.value,
            web_search: settings.tools.web_search.value,
        },
        editor: editor.clone(),
        permissions: permissions.clone(),
        editor_name,
        limits: limits(settings),
        context: settings.context.clone(),
        state_folder,
        clock: Arc::new(SystemTime::now),
    });
    Core { workspace, documents, desk, sessions, rules, configuration: Arc::new(loaded), options, reload }
}

fn tell_problems(loaded: &Loaded, editor: &dyn Editor) {
    // A task at a terminal ends with the words of what bars it.
    let at_terminal = editor.features().name == cli::EDITOR_NAME;
    let told_later = choose_model(&loaded.settings).bar.filter(|_| at_terminal);
    for diagnostic in &loaded.diagnostics {
        tracing::warn!(%diagnostic, "configuration");
        if told_later.as_ref().is_some_and(|why| *why == diagnostic.to_string()) {
            continue;
        }
        editor.show_message(Loudness::Warning, format!("Copydesk's configuration: {diagnostic}"));
    }
}

fn limits(settings: &Settings) -> Limits {
    Limits {
        max_turns: settings.max_turns.value,
        max_output_tokens: settings.model.max_tokens.value,
        first_output_tokens: settings.task.number(TaskNumber::FirstOutputTokens),
        escalated_output_tokens: settings.task.number(TaskNumber::EscalatedOutputTokens),
        stop_hook_blocks: settings.task.number(TaskNumber::StopHookBlocks),
        tools_at_once: settings.task.number(TaskNumber::ToolsAtOnce) as usize,
        max_budget: settings.max_budget.value,
    }
}

/// Says, once that is known, that no language model was found though one was asked for.
fn tell_if_offline(settings: &Settings, provider: &Arc<dyn Provider>, editor: &Arc<dyn Editor>) {
    if let Some(missing) = config::missing_model(settings)
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        let (asked, editor) = (provider.clone(), editor.clone());
        runtime.spawn(async move {
            asked.settled().await;
            if asked.info().offline {
                editor.show_message(Loudness::Warning, format!("Copydesk: {}", missing.told()));
            }
        });
    }
}

/// What calls are judged by, with a word to the person on what does not count and why.
fn permissions(workspace: &Workspace, settings: &Settings, editor: &dyn Editor) -> PermissionSetup {
    let places = permissions::Places::of_process(workspace.roots.first().cloned(), &settings.permissions);
    let home = places.home.clone();
    let book = RuleBook::new(places);
    let written = book.current();
    let tell = |text: &str| editor.show_message(Loudness::Warning, format!("Copydesk: {text}"));
    for problem in &written.problems {
        tell(problem);
    }
    let by = if editor.features().name == cli::EDITOR_NAME { TrustBy::Flag } else { TrustBy::Command };
    if let Some(text) = book.newly_waiting(by) {
        tell(&text);
    }
    let beginning =
        Beginning::new(written.mode, written.forbids_bypass.as_deref(), permissions::is_unconfined_root());
    if written.mode == Some(PermissionMode::BypassPermissions)
        && let Some(why) = &beginning.no_bypass
    {
        tell(why);
    }
    let plans = project_folder(workspace).and_then(AbsPath::new).map(|folder| folder.join("plans"));
    PermissionSetup { beginning, book, home, plans, trust_by: by }
}

fn shell_settings(settings: &Settings) -> ShellSettings {
    let home = etcetera::home_dir().ok().and_then(|home| Utf8PathBuf::from_path_buf(home).ok());
    let own = etcetera::choose_base_strategy().ok().map(|places| places.config_dir().join("copydesk"));
    let commands = &settings.shell;
    let number = |which| commands.number(which);
    let chars = |which| usize::try_from(number(which)).unwrap_or(usize::MAX);
    let milliseconds = |which| Duration::from_millis(number(which));
    let usual = shell::Caps::default();
    ShellSettings {
        program: shell::own_program(),
        home,
        own: own.into_iter().filter_map(|own| Utf8PathBuf::from_path_buf(own).ok()).collect(),
        writable: Vec::new(),
        pass_through: commands
            .pass_through
            .iter()
            .map(|name| name.value.trim_end_matches('/').into())
            .collect(),
        passed: commands.environment.iter().map(|name| name.value.clone()).collect(),
        network: match commands.network.value {
            NetworkChoice::None => shell::Network::None,
            NetworkChoice::Host => shell::Network::Shared,
        },
        times: shell::Times {
            usual: milliseconds(CommandNumber::DefaultTimeout),
            longest: milliseconds(CommandNumber::LongestTimeout),
        },
        limits: shell::Limits {
            processes: number(CommandNumber::Processes),
            memory: number(CommandNumber::Memory),
            ..shell::Limits::default()
        },
        caps: shell::Caps {
            whole: chars(CommandNumber::OutputChars),
            failed: chars(CommandNumber::FailedOutputChars),
            ends: usual.ends.min(chars(CommandNumber::OutputChars)),
            saved: number(CommandNumber::SavedBytes),
            most: number(CommandNumber::MostBytes),
        },
        text: TextRule {
            largest: settings.files.edit_limit.value,
            is_text: |bytes| documents::text_of(bytes).is_some(),
        },
        trial_tree: commands.trial_tree.value,
        best: shell::Best::of(commands.trial_tree.value),
        largest_copy: shell::LARGEST_COPY,
    }
}

fn real_roots(workspace: &Workspace, documents: &FileStateCache) -> Vec<Utf8PathBuf> {
    workspace.roots.iter().map(|root| documents.real_path(root).as_path().to_owned()).collect()
}

/// For a server that has no place of its own.
fn temporary_folder() -> Utf8PathBuf {
    let folder = std::env::temp_dir().join(format!("copydesk-{}", std::process::id()));
    Utf8PathBuf::from_path_buf(folder).unwrap_or_else(|_| "/tmp/copydesk".into())
}

/// Everything that the configuration is read from, but for the editor's settings.
fn reload(root: Option<&AbsPath>, overrides: &[Override], set_level: &SetLevel) -> Reload {
    let workspace = root.map(|root| root.as_path().to_owned());
    let (command_line, set_level) = (overrides.to_vec(), set_level.clone());
    Arc::new(move |options| {
        let loaded = config::load(&Places {
            workspace: workspace.clone(),
            editor: Some(options.clone()),
            command_line: command_line.clone(),
            ..Places::of_process()
        });
        set_level(loaded.settings.log_level.value);
        loaded
    })
}

/// Where sessions of this workspace keep their files: a folder of its own for each workspace.
fn project_folder(workspace: &Workspace) -> Option<Utf8PathBuf> {
    let root = workspace.roots.first()?;
    let name: String =
        root.as_str().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let state = Utf8PathBuf::from_path_buf(state_folder()?).ok()?;
    Some(state.join("projects").join(name))
}

/// `$XDG_STATE_HOME/copydesk` or what the system has for it. `None` without a home folder that is there: a relative one would
/// be a folder of the workspace, and one that is missing is nobody's.
fn state_folder() -> Option<PathBuf> {
    let home = etcetera::home_dir().ok().filter(|home| home.is_absolute() && home.is_dir());
    let strategy = etcetera::choose_base_strategy().ok()?;
    let state = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
    let is_apart = std::env::var_os("XDG_STATE_HOME").is_some_and(|named| state.starts_with(named));
    (state.is_absolute() && (is_apart || home.is_some())).then(|| state.join("copydesk"))
}

fn host() -> Host {
    let folder = |path: PathBuf| AbsPath::new(Utf8PathBuf::from_path_buf(path).ok()?);
    Host {
        home: etcetera::home_dir().ok().and_then(folder),
        started_in: std::env::current_dir().ok().and_then(folder),
    }
}
