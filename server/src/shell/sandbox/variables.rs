//! Which variables hold a secret: told by their names, and by the shape of what they hold.

mod shape;

/// Words of a name that stand for a secret, between underscores and without the number behind them.
const WORDS: &[&str] = &[
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "PASS",
    "PW",
    "PWD",
    "ASKPASS",
    "PIN",
    "LOGIN",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "CRED",
    "KEY",
    "KEYS",
    "APIKEY",
    "PAT",
    "AUTH",
    "BEARER",
    "JWT",
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
/// Ends of names that are written without one.
const ENDS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASS",
    "PWD",
    "APIKEY",
    "APPKEY",
    "AUTHKEY",
    "ACCESSKEY",
    "ACCOUNTKEY",
    "ENCRYPTIONKEY",
    "MASTERKEY",
    "PRIVKEY",
    "PRIVATEKEY",
    "SECRETKEY",
    "SIGNINGKEY",
    "SSHKEY",
    "JWT",
    "CREDENTIALS",
    "CONNSTR",
    "CONN_STR",
    "CONN_STRING",
    "CONNECTIONSTRING",
    "CONNECTION_STRING",
    "WEBHOOK",
    "WEBHOOKURL",
];
/// Words that only end so.
const HARMLESS: &[&str] = &["COMPASS", "BYPASS", "TRESPASS", "SURPASS", "UNDERPASS", "OVERPASS"];
/// The folder of a shell, and the one before.
const FOLDERS: [&str; 2] = ["PWD", "OLDPWD"];

/// Whether a variable seems to hold a secret.
pub(super) fn sounds_secret(name: &str, value: &str) -> bool {
    is_name_of_one(name) || shape::is_one(value)
}

fn is_name_of_one(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if FOLDERS.contains(&name.as_str()) {
        return false;
    }
    let without_number = |word: &str| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    if name.split('_').any(|word| WORDS.contains(&without_number(word).as_str())) {
        return true;
    }
    let last = without_number(&name);
    ENDS.iter().any(|end| last.ends_with(end)) && !HARMLESS.iter().any(|harmless| last.ends_with(harmless))
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
            ],
        );
    }
}
