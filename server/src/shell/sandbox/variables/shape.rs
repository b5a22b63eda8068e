//! What a secret looks like, whatever it is called: an address with a password in it, a token as makers hand them out, a
//! key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

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
    ("glsoat-", 16),
    ("gloas-", 16),
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
    ("pscale_", 20),
    ("nfp_", 20),
    ("atlasv1-", 20),
    // Models.
    ("sk-", 20),
    ("gsk_", 20),
    ("xai-", 20),
    ("hf_", 20),
    ("nvapi-", 20),
    ("pplx-", 20),
    ("tvly-", 20),
    ("r8_", 20),
    ("csk-", 20),
    ("lsv2_", 20),
    // Registries.
    ("npm_", 30),
    ("pypi-", 20),
    ("dckr_pat_", 20),
    ("dckr_oat_", 20),
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
    ("sq0atp-", 16),
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
    ("ntn_", 20),
    ("secret_", 30),
    ("CFPAT-", 20),
    ("figd_", 20),
    ("PMAK-", 20),
    ("sntrys_", 20),
    ("sntryu_", 20),
    // What watches programs.
    ("NRAK-", 20),
    ("NRII-", 20),
    ("glsa_", 20),
    ("glc_", 20),
    ("dp.st.", 20),
    ("dp.pt.", 20),
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
        || is_basic(value)
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
    (has_digit && TOKENS.iter().any(begins))
        || is_web_token(word)
        || is_of_bot(word)
        || word.split(':').any(has_mark_in_front)
}

/// What many makers hand out: a mark of a few small letters, and behind it a row of letters and digits that nobody chose.
fn has_mark_in_front(word: &str) -> bool {
    let Some((mark, row)) = word.rsplit_once(['_', '-']) else { return false };
    let is_mark = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let count = |is: fn(&char) -> bool| row.chars().filter(is).count();
    let (small, large, digits) =
        (count(char::is_ascii_lowercase), count(char::is_ascii_uppercase), count(char::is_ascii_digit));
    (2..=16).contains(&mark.len())
        && mark.chars().all(is_mark)
        && row.len() >= 24
        && small + large + digits == row.len()
        && [small, large, digits].iter().all(|count| *count >= 3)
}

/// `number:row`, or three rows of which the first is a number in base64, as services for chats name their bots.
fn is_of_bot(word: &str) -> bool {
    let is_row = |text: &str, least: usize| {
        text.len() >= least && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    let is_number = |text: &str| (8..=11).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if let Some((number, row)) = word.split_once(':') {
        return is_number(number) && is_row(row, 30);
    }
    match word.split('.').collect::<Vec<_>>().as_slice() {
        [number, time, row] => {
            let decoded = decoded(number);
            let is_id = decoded.len() >= 15 && decoded.iter().all(u8::is_ascii_digit);
            is_id && is_row(time, 5) && is_row(row, 25)
        }
        _ => false,
    }
}

/// `Basic` and a name with its password in base64.
fn is_basic(value: &str) -> bool {
    let mut words = value.split([' ', '"', '\'', ',']).filter(|word| !word.is_empty());
    let mut is_behind = words.by_ref().skip_while(|word| !word.eq_ignore_ascii_case("basic")).skip(1);
    is_behind.next().is_some_and(|word| {
        let decoded = decoded(word);
        decoded.contains(&b':') && decoded.len() >= 3 && std::str::from_utf8(&decoded).is_ok()
    })
}

/// The bytes that `text` says in base64, of either alphabet; none if it is no base64.
fn decoded(text: &str) -> Vec<u8> {
    let plain = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    STANDARD_NO_PAD.decode(plain).unwrap_or_default()
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
                "sq0atp-FAKE0123456789FAKE0123",
                "NRAK-FAKE0123456789FAKE012345678",
                "pscale_tkn_FAKE0123456789fake0123456789",
                "pscale_pw_FAKE0123456789fake",
                "secret_FAKE0123456789fake0123456789FAKE0123456",
                "ntn_0123456789FAKE0123456789fake0123456789FAKE",
                "123456789:AAFAKE0123456789fake0123456789FAKE0",
                "MTIzNDU2Nzg5MDEyMzQ1Njc4.GFAKE0.FAKE0123456789fake0123456789FAKE",
                "Basic bWU6aHVudGVyMg==",
                "Authorization: Basic bWU6aHVudGVyMg",
                "newmaker_FAKEfake0123456789FAKEfake",
                "acme-live_0123FAKEfake4567FAKEfake89",
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
                "Basic Latin",
                "basic auth",
                "visual basic 6.0",
                "x86_64-unknown-linux-gnu",
                "node_modules",
                "jdk-17.0.1+12",
                "sha256-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "0123456789abcdef0123456789abcdef01234567",
                "0a1b2c3d-0123-4567-89ab-0123456789ab",
                "secret_santa",
                "12:30:00",
                "127.0.0.1:8080",
                "1.2.3",
                "my-very-long-branch-name-without-an-end",
                "feature_ABC123",
                "com.example.MyApplication2024",
                "/nix/store/0c3fa1b2c3d4e5f60718293a4b5c6d7e-gcc-13.2.0",
                "ubuntu-24.04-LTS-2024",
            ],
        );
    }
}
