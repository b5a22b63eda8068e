//! What a secret looks like, whatever it is called: an address with a password in it, a token of a known maker, a key.

/// How tokens begin, by their makers, and how many characters they have at least.
const TOKENS: &[(&str, usize)] = &[
    // Forges.
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("glcbt-", 16),
    ("glptt-", 16),
    ("ATATT3", 20),
    ("ATBB", 20),
    // Clouds.
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 30),
    ("ya29.", 20),
    ("dop_v1_", 20),
    ("doo_v1_", 20),
    ("hvs.", 20),
    ("hvb.", 20),
    ("sbp_", 20),
    ("dapi", 32),
    ("fm1r_", 20),
    ("fm2_", 20),
    // Models.
    ("sk-", 20),
    ("gsk_", 20),
    ("xai-", 20),
    ("hf_", 20),
    ("nvapi-", 20),
    ("pplx-", 20),
    ("tvly-", 20),
    // Registries.
    ("npm_", 30),
    ("pypi-", 20),
    ("dckr_pat_", 20),
    ("rubygems_", 20),
    // Money and mail.
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 16),
    ("shpat_", 16),
    ("shpss_", 16),
    ("sq0csp-", 16),
    ("SG.", 30),
    ("xkeysib-", 20),
    ("key-", 36),
    // Chats and desks.
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("xoxa-", 16),
    ("xoxr-", 16),
    ("xoxs-", 16),
    ("xapp-", 16),
    ("lin_api_", 20),
    ("figd_", 20),
    ("PMAK-", 20),
    ("sntrys_", 20),
    ("sntryu_", 20),
    // Purses and files.
    ("AGE-SECRET-KEY-", 20),
];

/// Parts of a value that stand before a secret, in small letters.
const BEFORE_ONE: &[&str] = &[
    "password=",
    "pwd=",
    "passwd=",
    "secret=",
    "accountkey=",
    "sharedaccesskey=",
    "sharedaccesssignature=",
    "access_token=",
    "auth_token=",
    "api_key=",
    "apikey=",
    "?token=",
    "&token=",
    "&sig=",
    "?sig=",
    "x-amz-signature=",
    "authorization: ",
    "bearer ",
];
/// Addresses that are secrets as they stand: who knows one can write there.
const ADDRESSES: &[&str] = &["hooks.slack.com/", "discord.com/api/webhooks/", "webhook.office.com/"];
/// A name before the host that is none of a person's secrets has at most so many characters.
const LONGEST_USER: usize = 20;

/// Whether `value` is a secret, or holds one.
pub(super) fn is_one(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    BEFORE_ONE.iter().any(|before| has_more(&small, before))
        || ADDRESSES.iter().any(|address| small.contains(address))
        || (value.contains("-----BEGIN ") && value.contains("PRIVATE KEY"))
        || words(value).any(is_token)
        || has_user_with_secret(value)
}

/// Something stands behind it, and no variable that is only filled in later.
fn has_more(value: &str, before: &str) -> bool {
    value.match_indices(before).any(|(at, _)| {
        let rest = value.get(at + before.len()..).unwrap_or_default();
        rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "'\"/+-_".contains(c))
    })
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !(c.is_ascii_alphanumeric() || "_-.:".contains(c))).filter(|word| !word.is_empty())
}

fn is_token(word: &str) -> bool {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    let begins = |(begin, least): &(&str, usize)| {
        // It may stand behind a name and a colon.
        word.match_indices(begin).any(|(at, _)| {
            let is_start = at == 0 || word.get(..at).is_some_and(|before| before.ends_with(':'));
            is_start && word.len() - at >= *least
        })
    };
    (has_digit && TOKENS.iter().any(begins)) || is_web_token(word)
}

/// Three parts in base64, of which the first two are JSON.
fn is_web_token(word: &str) -> bool {
    let mut parts = word.rsplit(':').next().unwrap_or(word).split('.');
    let is_json = |part: Option<&str>| part.is_some_and(|part| part.starts_with("eyJ") && part.len() >= 10);
    is_json(parts.next()) && is_json(parts.next()) && parts.next().is_some()
}

/// `scheme://user:password@host`, `scheme://token@host`, and the first without its scheme.
fn has_user_with_secret(value: &str) -> bool {
    let authority = |rest: &str| rest.split(['/', '?', '#', ' ']).next().unwrap_or_default().to_owned();
    let mut addresses = value.match_indices("://").filter_map(|(at, _)| {
        let scheme = value.get(..at)?.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '+')).next()?;
        Some((scheme, authority(value.get(at + 3..)?)))
    });
    addresses.any(|(scheme, authority)| {
        let Some((user, _)) = authority.rsplit_once('@') else { return false };
        if let Some((_, password)) = user.split_once(':') {
            return !password.is_empty();
        }
        // Who only fetches pages has a name only where it is a token.
        let on_the_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
        !user.is_empty() && (on_the_web || user.len() > LONGEST_USER)
    }) || is_bare_address(value)
}

/// `user:password@host.name`, as some drivers take it: nothing else has this form but names of packages and of images.
fn is_bare_address(value: &str) -> bool {
    let Some((user, host)) = value.split_once('@') else { return false };
    let Some((user, password)) = user.split_once(':') else { return false };
    let is_word =
        |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "/\\".contains(c));
    let is_host = host.starts_with("tcp(")
        || host.starts_with("unix(")
        || host.starts_with("localhost")
        || host.split(['/', ':', '?']).next().is_some_and(|host| host.contains('.'));
    let is_package = ["npm", "workspace", "file", "link", "patch", "jsr"].contains(&user);
    is_word(user) && is_word(password) && is_host && !is_package
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(want: bool, values: &[&str]) {
        for value in values {
            assert_eq!(is_one(value), want, "{value}");
        }
    }

    #[test]
    fn addresses_with_a_password_or_a_token() {
        check(
            true,
            &[
                "postgres://me:hunter2@db/x",
                "http://u:p@proxy:8080",
                "https://FAKE0123456789@git.example.com/x.git",
                "https://oauth2:FAKE@git.example.com/x.git",
                "https://x-access-token:FAKE@github.com/x",
                "redis://:FAKE@cache:6379/0",
                "ssh://FAKE0123456789abcdefghij@host/x",
                "me:hunter2@db.example.com/x",
                "me:hunter2@tcp(127.0.0.1:3306)/x",
                "Server=db;User Id=me;Password=hunter2;",
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=FAKE==",
                "https://a.blob.example.com/x?sv=1&sig=FAKE",
                "https://api.example.com/?access_token=FAKE",
                "https://hooks.slack.com/services/T0/B0/FAKE",
                "Authorization: Bearer FAKE",
            ],
        );
    }

    #[test]
    fn tokens_and_keys_by_their_makers() {
        check(
            true,
            &[
                "ghp_FAKE0123456789FAKE0123456789FAKE0123",
                "github_pat_FAKE0123456789_FAKE0123456789",
                "glpat-FAKE0123456789FAKE",
                "AKIAFAKE0123456789AB",
                "sk-ant-FAKE-0123456789abcdef",
                "token: xoxb-0123456789-FAKE",
                "npm_FAKE0123456789FAKE0123456789FAKE01",
                "me:ghp_FAKE0123456789FAKE0123456789FAKE0123",
                "eyJGQUtFIjoxfQ.eyJGQUtFIjoyfQ.FAKE",
                "-----BEGIN OPENSSH PRIVATE KEY-----\nFAKE",
            ],
        );
    }

    #[test]
    fn the_rest_is_no_secret() {
        check(
            false,
            &[
                "",
                "/usr/bin:/bin:/home/me/.cargo/bin",
                "https://example.com/a@b",
                "http://proxy:8080",
                "ssh://git@github.com/x/y.git",
                "git@github.com:x/y.git",
                "postgres://me@localhost/db",
                "me@example.com",
                "alpine:3.19@sha256:0123456789abcdef",
                "npm:left-pad@1.3.0",
                r"\u@\h:\w\$ ",
                "--max-old-space-size=4096",
                "sk-learn",
                "-C target-cpu=native --cfg key-value",
                "sqlite://db.sqlite",
                "tcp://127.0.0.1:2375",
                "C.UTF-8",
                "en_GB:en",
            ],
        );
    }
}
