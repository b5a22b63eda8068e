//! The address of a model's service, as people write it.

use std::net::IpAddr;

use url::Url;

/// `written` with its scheme in small letters and without a slash at the end. `example` is such an address. An error says
/// what is wrong and what to write; it never shows a name, a password or a query.
pub(super) fn address(written: &str, example: &str) -> Result<String, String> {
    let written = written.trim().trim_end_matches('/');
    let expected =
        |what: &str| format!("{} {what}: write an address such as {example:?}", without_secrets(written));
    let Some((scheme, rest)) = written.split_once("://") else {
        let whole = Some(with_scheme(written)).filter(|_| !written.to_lowercase().starts_with("http"));
        let Some(whole) = whole else { return Err(expected("is no address")) };
        return Err(match address(&whole, example) {
            Ok(_) => format!(
                "{} does not begin with http:// or https://: write {}",
                without_secrets(written),
                without_secrets(&whole)
            ),
            Err(why) => why,
        });
    };
    let scheme = scheme.to_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return Err(expected("does not begin with http:// or https://"));
    }
    if written.contains('#') {
        return Err(expected("has a fragment (#…) behind it, which no server ever sees"));
    }
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = host_and_port(authority);
    if host.is_empty() || written.contains(char::is_whitespace) {
        return Err(expected("is no address"));
    }
    let is_number = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    if is_number && !port.parse::<u16>().is_ok_and(|port| port > 0) {
        return Err(expected(&format!("has the port {port}, and ports go from 1 to 65535")));
    }
    let whole = format!("{scheme}://{rest}");
    match Url::parse(&whole) {
        Ok(_) => Ok(whole),
        Err(why) => Err(expected(&format!("is no address ({why})"))),
    }
}

/// What stands for the host, without brackets, and the port, which is empty where there is none.
fn host_and_port(authority: &str) -> (&str, &str) {
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    if let Some((host, port)) = place.strip_prefix('[').and_then(|place| place.split_once(']')) {
        return (host, port.trim_start_matches(':'));
    }
    place.rsplit_once(':').unwrap_or((place, ""))
}

/// What was most likely meant: machines nearby and ports of one's own rarely speak TLS.
fn with_scheme(written: &str) -> String {
    let authority = written.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host_and_port(authority);
    let is_near = host == "localhost" || host.parse::<IpAddr>().is_ok() || !matches!(port, "" | "443");
    format!("{}://{written}", if is_near { "http" } else { "https" })
}

/// A value that can't be read can't be told from its secrets either, once there is a sign of one.
fn without_secrets(written: &str) -> String {
    if written.contains('@') {
        return "what is set, which is not shown because of its password,".to_owned();
    }
    format!("{:?}", written.split(['?', '#']).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, wanted: Result<&str, &str>) {
        match (address(written, "https://api.example.com"), wanted) {
            (Ok(got), Ok(wanted)) => assert_eq!(got, wanted),
            (Err(got), Err(wanted)) => assert!(got.contains(wanted), "{got}"),
            (got, wanted) => panic!("{written}: wanted {wanted:?}, got {got:?}"),
        }
    }

    #[test]
    fn an_address_that_can_be_used() {
        check("http://localhost:1/", Ok("http://localhost:1"));
        check(" HTTP://Host/v1 ", Ok("http://Host/v1"));
        check("Https://me:pass@host/v1?key=x", Ok("https://me:pass@host/v1?key=x"));
        check("http://[::1]:11434/v1", Ok("http://[::1]:11434/v1"));
        check("http://host:/v1", Ok("http://host:/v1"));
    }

    #[test]
    fn one_that_can_not_is_told_with_what_to_write() {
        check("localhost:11434", Err("\"localhost:11434\" does not begin with http:// or https://"));
        check("localhost:11434", Err("write \"http://localhost:11434\""));
        check("studio.lan:11434/v1", Err("write \"http://studio.lan:11434/v1\""));
        check("10.0.0.7", Err("write \"http://10.0.0.7\""));
        check("gateway.corp", Err("write \"https://gateway.corp\""));
        check("ftp://host", Err("write an address such as \"https://api.example.com\""));
        check("http:/host", Err("\"http:/host\" is no address: write an address such as"));
        check("http://", Err("is no address"));
        check("http://a b", Err("is no address"));
        check("", Err("write an address such as"));
        check("http://host/v1#x", Err("has a fragment"));
        check("http://host:65536", Err("has the port 65536, and ports go from 1 to 65535"));
        check("localhost:99999", Err("has the port 99999"));
        check("http://host:0/v1", Err("has the port 0"));
        check("http://host:many", Err("is no address (invalid port number)"));
    }

    #[test]
    fn no_message_shows_a_secret() {
        for written in ["me:FAKE@host", "http://me:FA/KE@host#x", "host?key=FAKE", "ftp://host?a@FAKE"] {
            let why = address(written, "https://api.example.com").unwrap_err();
            assert!(!why.contains("FAKE") && !why.contains("KE@"), "{why}");
        }
    }
}
