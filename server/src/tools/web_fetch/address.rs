//! Which addresses may be fetched: those of the public network, over HTTPS.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// A longer address is no page's.
const LONGEST: usize = 2_000;

/// The address that `written` means, `http` made `https`. The error says what is wrong with it.
pub(super) fn read(written: &str) -> Result<Url, String> {
    if written.len() > LONGEST {
        return Err(format!("the address is longer than {LONGEST} bytes"));
    }
    let mut url = Url::parse(written.trim()).map_err(|error| {
        format!("`{written}` is no address ({error}): give it whole, such as https://example.com/page")
    })?;
    match url.scheme() {
        "https" => {}
        "http" => {
            // Only between two such schemes can this not fail.
            let _ = url.set_scheme("https");
        }
        other => return Err(format!("`{other}:` is not fetched: only https is")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it holds a user name or a password, which are not sent".to_owned());
    }
    url.set_fragment(None);
    Ok(url)
}

/// The address of the host if it is written as one, or as the name of this machine (RFC 6761).
pub(super) fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let is_here = name == "localhost" || name.ends_with(".localhost");
            is_here.then_some(IpAddr::V4(Ipv4Addr::LOCALHOST))
        }
    }
}

/// The same site, with or without `www.`.
pub(super) fn is_same_host(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| url.host_str().map(|host| host.trim_start_matches("www.").to_owned());
    host(one).is_some()
        && host(one) == host(other)
        && one.port_or_known_default() == other.port_or_known_default()
}

/// Whether it belongs to the public network (IANA special-purpose address registries).
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b)))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // The whole of IPv4 stands in it: mapped, compatible, translated (NAT64), and 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => embedded(high, low),
        // Documentation, Teredo, benchmarking and what else is not given to anybody.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        // All that is given out lies in 2000::/3.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, want: Result<&str, &str>) {
        match (read(written), want) {
            (Ok(url), Ok(want)) => assert_eq!(url.as_str(), want),
            (Err(why), Err(want)) => assert!(why.contains(want), "{why}"),
            (read, want) => panic!("{written}: {read:?} where {want:?} is wanted"),
        }
    }

    #[test]
    fn only_web_addresses_are_read() {
        check("http://example.com/a?b=c#d", Ok("https://example.com/a?b=c"));
        check("https://example.com", Ok("https://example.com/"));
        check("example.com", Err("is no address"));
        check("file:///etc/passwd", Err("`file:` is not fetched"));
        check("data:text/html,x", Err("`data:` is not fetched"));
        check("https://me:secret@example.com/", Err("a user name or a password"));
        check(&format!("https://example.com/{}", "x".repeat(2_000)), Err("longer than 2000"));
    }

    #[test]
    fn a_host_is_the_same_with_and_without_www() {
        let same =
            |one: &str, other: &str| is_same_host(&Url::parse(one).unwrap(), &Url::parse(other).unwrap());
        assert!(same("https://example.com/a", "https://www.example.com/b"));
        assert!(!same("https://example.com/", "https://example.org/"));
        assert!(!same("https://example.com/", "https://example.com:8443/"));
    }

    #[test]
    fn private_addresses_are_told_from_public_ones() {
        for public in ["1.1.1.1", "8.8.8.8", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.0.8",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn an_odd_spelling_of_an_address_is_read_as_one() {
        for (written, want) in
            [("http://0x7f.1/", "127.0.0.1"), ("http://2130706433/", "127.0.0.1"), ("http://[::1]/", "::1")]
        {
            assert_eq!(literal(&read(written).unwrap()), want.parse().ok(), "{written}");
        }
    }
}
