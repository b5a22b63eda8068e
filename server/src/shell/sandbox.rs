//! What a command may see: the places it can't read, and its environment.

use camino::{Utf8Path, Utf8PathBuf};

use super::Sandbox;
use super::order::Limits;
use crate::config::CommandNumber;

mod secrets;
mod variables;

use secrets::{OF_HOME, OF_SYSTEM};
use variables::sounds_secret;

/// Through these sockets other programs would act for the command, outside of its walls.
const SERVICES: [&str; 8] = [
    "/run/user",
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/containerd",
    "/run/podman",
    "/run/dbus",
    "/run/systemd/private",
    "/run/libvirt",
];

/// Variables that lead to a service outside of the walls, or change what a command does.
const DROPPED: [&str; 18] = [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XAUTHORITY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DOCKER_HOST",
    "XDG_RUNTIME_DIR",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "NVIM",
    "OLDPWD",
    // They make a command do what its text does not say.
    "CDPATH",
    "BASH_ENV",
    "ENV",
    "GIT_EXTERNAL_DIFF",
    "PROMPT_COMMAND",
];

/// What a program must not ask a person who isn't there.
const SET: [(&str, &str); 10] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    // What only looks at a repository writes nothing into it and fetches nothing.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// Settings of git that stand above those of a repository: what only looks starts no program for it.
const GIT: [(&str, &str); 3] = [
    ("core.fsmonitor", "false"),
    ("log.showSignature", "false"),
    // Else a difference writes the index anew, and a hook is told of that.
    ("diff.autoRefreshIndex", "false"),
];
/// How an environment hands settings to git.
const GIT_SETTINGS: &str = "GIT_CONFIG_";

impl Default for Limits {
    fn default() -> Self {
        let usual = CommandNumber::usual;
        let memory = usual(CommandNumber::Memory);
        Self { processes: usual(CommandNumber::Processes), memory, file_size: 16 << 30 }
    }
}

/// Where secrets are in this home, if it has them.
pub fn secret_places(home: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    OF_HOME.iter().map(move |secret| home.join(secret))
}

/// Files and folders that no command can read: `own` are the program's.
pub(super) fn hidden(home: Option<&Utf8Path>, own: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let of_home = home.into_iter().flat_map(secret_places);
    let of_system = OF_SYSTEM.iter().chain(&SERVICES).map(Utf8PathBuf::from);
    of_home.chain(of_system).chain(own.iter().cloned()).collect()
}

/// The variables of a command, from those of this program. `passed` are names of secrets that it is to have all the same.
pub(super) fn environment(
    inherited: impl IntoIterator<Item = (String, String)>,
    sandbox: Sandbox,
    passed: &[String],
) -> Vec<(String, String)> {
    let is_set = |name: &str| SET.iter().any(|(set, _)| *set == name);
    let is_kept = |(name, value): &(String, String)| {
        let is_out = match sandbox {
            Sandbox::Walled => {
                DROPPED.contains(&name.as_str())
                    || name.starts_with(GIT_SETTINGS)
                    || (sounds_secret(name, value) && !passed.iter().any(|passed| passed == name))
            }
            // The person has said that it may do what they may do.
            Sandbox::Without => false,
        };
        !is_own_secret(name) && !is_set(name) && !is_out
    };
    let mut kept: Vec<(String, String)> = inherited.into_iter().filter(is_kept).collect();
    kept.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
    if sandbox == Sandbox::Walled {
        kept.push((format!("{GIT_SETTINGS}COUNT"), GIT.len().to_string()));
        for (number, (key, value)) in GIT.iter().enumerate() {
            kept.push((format!("{GIT_SETTINGS}KEY_{number}"), (*key).to_owned()));
            kept.push((format!("{GIT_SETTINGS}VALUE_{number}"), (*value).to_owned()));
        }
    }
    kept
}

/// What this program is configured and paid with.
fn is_own_secret(name: &str) -> bool {
    ["COPYDESK_", "ANTHROPIC_", "OPENAI_"].iter().any(|own| name.starts_with(own))
        || ["_API_KEY", "_AUTH_TOKEN"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &[&str], sandbox: Sandbox, passed: &[&str], want: &[&str]) {
        let given = given.iter().map(|name| ((*name).to_owned(), "x".to_owned()));
        let passed: Vec<String> = passed.iter().map(|name| (*name).to_owned()).collect();
        let names: Vec<String> =
            environment(given, sandbox, &passed).into_iter().map(|(name, _)| name).collect();
        let is_set = |name: &&String| {
            SET.iter().any(|(set, _)| *set == name.as_str()) || name.starts_with(GIT_SETTINGS)
        };
        assert_eq!(names.iter().filter(|name| !is_set(name)).collect::<Vec<_>>(), want);
    }

    #[test]
    fn keys_and_agents_do_not_reach_a_command() {
        let given = [
            "PATH",
            "ANTHROPIC_API_KEY",
            "COPYDESK_LOG",
            "MISTRAL_API_KEY",
            "SSH_AUTH_SOCK",
            "PAGER",
            "GITHUB_TOKEN",
        ];
        check(&given, Sandbox::Walled, &[], &["PATH"]);
        check(&given, Sandbox::Without, &[], &["PATH", "SSH_AUTH_SOCK", "GITHUB_TOKEN"]);
    }

    #[test]
    fn what_the_person_lets_through_reaches_it_but_never_the_keys_of_this_program() {
        let given = ["GITHUB_TOKEN", "NPM_TOKEN", "ANTHROPIC_API_KEY"];
        check(&given, Sandbox::Walled, &["NPM_TOKEN", "ANTHROPIC_API_KEY"], &["NPM_TOKEN"]);
    }
}
