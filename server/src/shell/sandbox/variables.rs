//! Which variables hold a secret: told by their names, and by the shape of what they hold.

mod shape;

/// Words of a name that stand for a secret, between underscores and without the number behind them.
const WORDS: &[&str] = &[
    "TOKEN",
    "TOKENS",
    "TKN",
    "TKNS",
    "SECRET",
    "SECRETS",
    "PASS",
    "PW",
    "PWD",
    "PSW",
    "PSWD",
    "PSWDS",
    "PASSWRD",
    "PWORD",
    "PASSCODE",
    "ASKPASS",
    "PIN",
    "LOGIN",
    "CREDS",
    "CRED",
    "KEY",
    "KEYS",
    "PAT",
    "AUTH",
    "OAUTH",
    "AUTHORIZATION",
    "BEARER",
    "JWT",
    "HMAC",
    "OTP",
    "TOTP",
    "MNEMONIC",
    "SALT",
    "PEPPER",
    "COOKIE",
    "COOKIES",
    "NETRC",
    "KUBECONFIG",
    "DSN",
    "WEBHOOK",
    "WEBHOOKS",
];
/// Parts of a word that stand for one wherever it is written together.
const PARTS: &[&str] = &[
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
    "ACCESSKEY",
    "PRIVATEKEY",
    "PRIVKEY",
    "AUTHKEY",
    "SIGNINGKEY",
];
/// Ends of words that are written together.
const ENDS: &[&str] = &[
    "TOKEN",
    "TOKENS",
    "TKN",
    "PASS",
    "PWD",
    "PSWD",
    "CREDS",
    "KEY",
    "KEYS",
    "JWT",
    "HMAC",
    "OAUTH",
    "CONNSTR",
    "CONNECTIONSTRING",
    "WEBHOOK",
    "WEBHOOKURL",
];
/// Ends of names of several words.
const LAST: &[&str] = &["CONN_STR", "CONN_STRING", "CONNECTION_STRING"];
/// The last word of a name, or all of it.
const LAST_WORDS: &[&str] = &["PRIVATE"];
/// Words that only end so, or hold it.
const HARMLESS: &[&str] = &[
    "COMPASS",
    "BYPASS",
    "TRESPASS",
    "SURPASS",
    "UNDERPASS",
    "OVERPASS",
    "ENCOMPASS",
    "MONKEY",
    "DONKEY",
    "TURKEY",
    "WHISKEY",
    "HOCKEY",
    "JOCKEY",
    "HOTKEY",
    "HOTKEYS",
    "LESSKEY",
    "SECRETARY",
];
/// The folder of a shell, and the one before.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];
/// What a session opens where nothing of this stands beside the word: of a desktop, a terminal, or about the session.
const SESSION: &str = "SESSION";
const OPEN_SESSIONS: &[&str] = &[
    "XDG", "DESKTOP", "GNOME", "KDE", "PLASMA", "DBUS", "TMUX", "ZELLIJ", "SCREEN", "WT", "TERM", "SSH",
    "MANAGER", "TYPE", "CLASS", "NAME", "PATH", "DIR", "FILE", "SEAT", "TIMEOUT", "BUS", "LOG", "SPEC",
    "SECURITY",
];

/// Whether a variable seems to hold a secret.
pub(super) fn sounds_secret(name: &str, value: &str) -> bool {
    is_name_of_one(name) || shape::is_one(value)
}

fn is_name_of_one(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if FOLDERS.contains(&name.as_str()) {
        return false;
    }
    let words: Vec<&str> =
        name.split('_').map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit())).collect();
    let opens_session =
        words.contains(&SESSION) && words.len() > 1 && !words.iter().any(|word| OPEN_SESSIONS.contains(word));
    let is_last = |last: &&&str| words.iter().rev().find(|word| !word.is_empty()) == Some(*last);
    opens_session
        || words.iter().any(|word| is_word_of_one(word))
        || LAST_WORDS.iter().any(|last| is_last(&last))
        || LAST.iter().any(|last| name.ends_with(last))
}

fn is_word_of_one(word: &str) -> bool {
    let is_harmless = HARMLESS.iter().any(|harmless| word.ends_with(harmless));
    WORDS.contains(&word)
        || !is_harmless
            && (PARTS.iter().any(|part| word.contains(part)) || ENDS.iter().any(|end| word.ends_with(end)))
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
            "DBPASS",
            "dbPassword",
            "JWT",
            "BEARER",
            "PRIVKEY",
            "ADMIN_PW",
            "USERPWD",
            "SMTP_LOGIN",
            "SLACK_WEBHOOK",
            "CONN_STR",
            "AZURE_STORAGE_CONNECTION_STRING",
            "MY_PIN",
            "SALT",
            "PASSWORD2",
            "DB_PASS_1",
            "BW_SESSION",
            "OP_SESSION_my",
            "AUTHORIZATION",
            "HTTP_AUTHORIZATION",
            "GH_OAUTH",
            "GITHUB_OAUTH2",
            "CI_TKN",
            "DB_PSWD",
            "DBPSWD",
            "SECRETKEYBASE",
            "RAILS_SECRETKEYBASE",
            "TLSKEY",
            "SERVERKEYS",
            "APITOKENS",
            "ACCESSKEYID",
            "AWSACCESSKEYID",
            "PRIVATE",
            "RSA_PRIVATE",
            "HMAC",
            "WEBHOOK_HMAC_1",
            "SIGNINGKEYID",
            "apiToken",
        ] {
            check(true, &[(name, "x")]);
        }
        check(
            true,
            &[
                ("DATABASE_URL", "postgres://me:hunter2@db/x"),
                ("X", "ghp_FAKE0123456789FAKE0123456789FAKE0123"),
            ],
        );
    }

    #[test]
    fn the_rest_reaches_a_command() {
        check(
            false,
            &[
                ("PATH", "/usr/bin:/bin"),
                ("PWD", "/w"),
                ("OLDPWD", "/w"),
                ("BYPASS", "1"),
                ("MONKEY", "x"),
                ("SPINNER", "x"),
                ("LOGNAME", "me"),
                ("SSL_CERT_FILE", "/etc/ssl/cert.pem"),
                ("TOKENIZERS_PARALLELISM", "false"),
                ("KEYBOARD", "us"),
                ("CARGO_HOME", "/h/.cargo"),
                ("DATABASE_URL", "sqlite://db.sqlite"),
                ("HTTPS_PROXY", "http://proxy:8080"),
                ("GOPATH", "/go"),
                ("LANG", "C.UTF-8"),
                ("COMPASS_HOME", "/x"),
                ("XDG_SESSION_ID", "2"),
                ("XDG_SESSION_TYPE", "wayland"),
                ("DESKTOP_SESSION", "gnome"),
                ("SESSION_MANAGER", "local/host:@/tmp/.ICE-unix/1"),
                ("ZELLIJ_SESSION_NAME", "main"),
                ("TERM_SESSION_ID", "w0t0p0:0A1B2C3D-0123-4567-89AB-0123456789AB"),
                ("WT_SESSION", "0a1b2c3d-0123-4567-89ab-0123456789ab"),
                ("GOPRIVATE", "example.com/x"),
                ("GIT_AUTHOR_NAME", "me"),
                ("AUTHORITY", "x"),
                ("KEYTIMEOUT", "1"),
                ("LESSKEY", "/h/.less"),
                ("HOTKEYS", "on"),
                ("TURKEY", "x"),
                ("TOKENIZER", "fast"),
                ("PINNED", "1"),
                ("PATTERN", "x"),
                ("PATCH", "1"),
                ("SECRETARY", "x"),
                ("NODE_OPTIONS", "--max-old-space-size=4096"),
                ("LS_COLORS", "rs=0:di=01;34:ln=01;36:*.tar=01;31"),
                ("INVOCATION_ID", "0123456789abcdef0123456789abcdef"),
                ("JAVA_HOME", "/usr/lib/jvm/java-17-openjdk-amd64"),
                ("NIX_PATH", "/nix/store/0c3fa1b2c3d4e5f60718293a4b5c6d7e-source"),
                ("GITHUB_SHA", "0123456789abcdef0123456789abcdef01234567"),
                ("RUSTFLAGS", "-C target-cpu=native"),
                ("VIRTUAL_ENV", "/w/.venv"),
                ("HOSTNAME", "ip-10-0-0-1"),
                ("MANPAGER", "less"),
            ],
        );
    }
}
