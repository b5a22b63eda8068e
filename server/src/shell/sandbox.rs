//! What a command may see and use: the places it can't read, its environment, its share of the machine.

use camino::{Utf8Path, Utf8PathBuf};

use super::order::Limits;

/// Where secrets usually are, below the user's home.
const SECRETS: [&str; 29] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".password-store",
    ".pypirc",
    ".npmrc",
    ".terraform.d",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/git/credentials",
    ".cargo/credentials.toml",
    ".local/share/keyrings",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    "snap/firefox",
];

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

/// Variables that lead to a secret or to a service outside of the walls.
const DROPPED: [&str; 14] = [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XAUTHORITY",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DOCKER_HOST",
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

impl Default for Limits {
    fn default() -> Self {
        Self { processes: 4_096, memory: 16 << 30, file_size: 16 << 30 }
    }
}

/// Files and folders that no command can read: `own` are the program's.
pub(super) fn hidden(home: Option<&Utf8Path>, own: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let secrets = home.into_iter().flat_map(|home| SECRETS.map(|secret| home.join(secret)));
    secrets.chain(SERVICES.map(Utf8PathBuf::from)).chain(own.iter().cloned()).collect()
}

/// The variables of a command, from those of this program.
pub(super) fn environment(
    inherited: impl IntoIterator<Item = (String, String)>,
    is_walled: bool,
) -> Vec<(String, String)> {
    let is_set = |name: &str| SET.iter().any(|(set, _)| *set == name);
    let mut kept: Vec<(String, String)> = inherited
        .into_iter()
        .filter(|(name, _)| !is_own_secret(name) && !is_set(name))
        .filter(|(name, _)| !is_walled || !DROPPED.contains(&name.as_str()))
        .filter(|(name, _)| !is_walled || name != "TMPDIR")
        .collect();
    kept.extend(SET.map(|(name, value)| (name.to_owned(), value.to_owned())));
    kept
}

/// What this program is configured and paid with.
fn is_own_secret(name: &str) -> bool {
    let secret = ["_API_KEY", "_AUTH_TOKEN", "_ACCESS_TOKEN", "_SECRET", "_SECRET_KEY"];
    name.starts_with("COPYDESK_")
        || name.starts_with("ANTHROPIC_")
        || name.starts_with("OPENAI_")
        || secret.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_agents_do_not_reach_a_command() {
        let given =
            ["PATH", "ANTHROPIC_API_KEY", "COPYDESK_LOG", "MISTRAL_API_KEY", "SSH_AUTH_SOCK", "PAGER"];
        let names = |is_walled| {
            let given = given.map(|name| (name.to_owned(), "x".to_owned()));
            let set = |name: &str| SET.iter().any(|(set, _)| *set == name);
            let names = environment(given, is_walled).into_iter().map(|(name, _)| name);
            names.filter(|name| !set(name)).collect::<Vec<_>>()
        };
        assert_eq!(names(true), ["PATH"]);
        assert_eq!(names(false), ["PATH", "SSH_AUTH_SOCK"]);
    }
}
