//! Where secrets usually are, and how variables are called that hold one.

/// Below the user's home. Files without which a build would not even begin, such as Maven's settings, are not among them.
pub(super) const OF_HOME: &[&str] = &[
    // Keys and passwords.
    ".ssh",
    ".gnupg",
    ".pki",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/keepassxc",
    ".config/Bitwarden",
    ".config/1Password",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".vault-token",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".env",
    // Clouds and clusters.
    ".aws",
    ".azure",
    ".oci",
    ".boto",
    ".s3cfg",
    ".kube",
    ".docker",
    ".terraform.d",
    ".terraformrc",
    ".config/gcloud",
    ".config/doctl",
    ".config/hcloud",
    ".config/rclone",
    ".config/containers/auth.json",
    ".config/netlify",
    ".local/share/com.vercel.cli",
    ".fly",
    // Forges and package registries.
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".npmrc",
    ".pypirc",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings-security.xml",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".subversion/auth",
    // Databases and mail.
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".msmtprc",
    ".mbsyncrc",
    // Other agents.
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".history",
    ".python_history",
    ".node_repl_history",
    ".irb_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".viminfo",
    ".local/share/fish/fish_history",
    ".local/share/nu/history.txt",
    // Browsers and messengers.
    ".mozilla",
    ".librewolf",
    ".thunderbird",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    ".config/opera",
    ".config/Slack",
    ".config/discord",
    ".config/Signal",
    ".var/app",
    "snap/firefox",
    "snap/chromium",
    // Purses.
    ".electrum",
    ".bitcoin",
    ".ethereum/keystore",
];

/// Readable for whoever is root outside.
pub(super) const OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/krb5.keytab",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/NetworkManager/system-connections",
];

/// Words of a name that stand for a secret, between underscores.
const WORDS: &[&str] = &[
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "ASKPASS",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "KEY",
    "KEYS",
    "APIKEY",
    "PAT",
    "AUTH",
    "COOKIE",
    "COOKIES",
    "NETRC",
    "KUBECONFIG",
    "DSN",
];
/// Ends of names that are written without one.
const ENDS: &[&str] = &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "_PWD", "PASSPHRASE"];

/// Whether a variable seems to hold a secret: by its name, or since its value is an address with a password in it.
pub(super) fn sounds_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.split('_').any(|word| WORDS.contains(&word))
        || ENDS.iter().any(|end| name.ends_with(end))
        || has_password(value)
}

/// `scheme://user:password@host`
fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, pass)| !pass.is_empty()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(want: bool, variables: &[(&str, &str)]) {
        for (name, value) in variables {
            assert_eq!(sounds_secret(name, value), want, "{name}={value}");
        }
    }

    #[test]
    fn secrets_are_told_by_their_names() {
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "AWS_ACCESS_KEY_ID",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "NPM_TOKEN",
            "npm_config__authToken",
            "MISTRAL_API_KEY",
            "MY_SECRET_THING",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASSWORD",
            "GH_PAT",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GIT_ASKPASS",
            "SENTRY_DSN",
            "KUBECONFIG",
            "DOCKER_AUTH_CONFIG",
        ] {
            check(true, &[(name, "x")]);
        }
        check(
            true,
            &[("DATABASE_URL", "postgres://me:hunter2@db/x"), ("HTTPS_PROXY", "http://u:p@proxy:8080")],
        );
    }

    #[test]
    fn the_rest_reaches_a_command() {
        check(
            false,
            &[
                ("PATH", "/usr/bin:/bin"),
                ("PWD", "/w"),
                ("TOKENIZERS_PARALLELISM", "false"),
                ("KEYBOARD", "us"),
                ("CARGO_HOME", "/h/.cargo"),
                ("DATABASE_URL", "sqlite://db.sqlite"),
                ("HTTPS_PROXY", "http://proxy:8080"),
                ("GOPATH", "/go"),
                ("LANG", "C.UTF-8"),
                ("COMPASS_HOME", "/x"),
            ],
        );
    }
}
