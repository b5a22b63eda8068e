//! `file:` URIs to paths and back (RFC 8089, RFC 3986). What the client spelled is never rewritten here.

use camino::Utf8PathBuf;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{AbsPath, Ignored};

/// The path that `uri` names. Anything but a `file:` URI of this machine with an absolute path is `Ignored` with the
/// reason.
pub fn to_path(uri: &str) -> Result<AbsPath, Ignored> {
    parse(uri).map_err(|why| Ignored { uri: uri.to_owned(), why })
}

/// The `file:` URI of a path, for files that no client has spelled yet.
pub fn from_path(path: &AbsPath) -> String {
    let path = path.as_str();
    // Elsewhere it is a character of a name as any other.
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let rooted = if path.starts_with('/') { path } else { format!("/{path}") };
    format!("file://{}", utf8_percent_encode(&rooted, ESCAPED))
}

/// RFC 3986 `pchar` and the slash stay as they are.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

fn parse(uri: &str) -> Result<AbsPath, String> {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return Err("it has no scheme".into());
    };
    if !scheme.eq_ignore_ascii_case("file") {
        return Err(format!("only file: documents are kept, not {scheme}:"));
    }
    let path = match rest.strip_prefix("//") {
        Some(after) => {
            let (host, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(format!("it lies on another machine ({host})"));
            }
            path
        }
        None => rest,
    };
    // Editors escape `?` and `#` in names, so a bare one starts a query or a fragment.
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if path.is_empty() {
        return Err("it names no file".into());
    }
    let decoded = percent_decode_str(path).decode_utf8().map_err(|_| "its path is not UTF-8".to_owned())?;
    if decoded.contains('\0') {
        return Err("its path holds a NUL".into());
    }
    let path = Utf8PathBuf::from(without_slash_before_drive(&decoded));
    match AbsPath::new(&path) {
        Some(path) if path.file_name().is_empty() => Err("it names a root folder".into()),
        Some(path) => Ok(path),
        None => Err("its path is not absolute".into()),
    }
}

/// `/c:/a` is `c:/a` on Windows; elsewhere it stays.
fn without_slash_before_drive(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => {
            path.get(1..).unwrap_or(path)
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, want: Result<&str, &str>) {
        match (to_path(uri), want) {
            (Ok(path), Ok(want)) => assert_eq!(path.as_str(), want, "{uri}"),
            (Err(ignored), Err(want)) => {
                assert_eq!(ignored.uri, uri);
                assert!(ignored.why.contains(want), "{uri}: {}", ignored.why);
            }
            (got, want) => panic!("{uri}: wanted {want:?}, got {got:?}"),
        }
    }

    #[test]
    fn file_uris_in_every_spelling() {
        check("file:///w/a.rs", Ok("/w/a.rs"));
        check("file:/w/a.rs", Ok("/w/a.rs"));
        check("FILE://localhost/w/a.rs", Ok("/w/a.rs"));
        check("file:///w/a%20b.rs", Ok("/w/a b.rs"));
        check("file:///w/a b.rs", Ok("/w/a b.rs"));
        check("file:///w/%E4%B8%AD.rs", Ok("/w/中.rs"));
        check("file:///w/中.rs", Ok("/w/中.rs"));
        check("file:///w/100%.rs", Ok("/w/100%.rs"));
        check("file:///w/a%3Fb%23c", Ok("/w/a?b#c"));
        check("file:///w/./x/../a.rs", Ok("/w/a.rs"));
        check("file:///w/a.rs?query#L3", Ok("/w/a.rs"));
    }

    #[test]
    fn everything_else_is_ignored_with_a_reason() {
        check("", Err("no scheme"));
        check("/w/a.rs", Err("no scheme"));
        check("file:", Err("names no file"));
        check("file://", Err("names no file"));
        check("file:///", Err("root folder"));
        check("file:relative.rs", Err("not absolute"));
        check("file://server/share/a.rs", Err("another machine (server)"));
        check("file:///w/%ff%fe", Err("not UTF-8"));
        check("file:///w/%00", Err("NUL"));
        check("untitled:Untitled-1", Err("not untitled:"));
        check("unsaved://343C-9D33", Err("not unsaved:"));
        check("git:/repo/a.rs?ref=HEAD", Err("not git:"));
        check("vscode-notebook-cell:/w/n.ipynb#W0", Err("not vscode-notebook-cell:"));
        check("inmemory://model/1", Err("not inmemory:"));
    }

    #[cfg(unix)]
    #[test]
    fn a_backslash_is_a_character_of_a_name() {
        for (path, uri) in [
            ("/w/n\\w", "file:///w/n%5Cw"),
            ("/w/..\\out\\v", "file:///w/..%5Cout%5Cv"),
            ("/w/\\", "file:///w/%5C"),
        ] {
            let path = AbsPath::new(path).unwrap();
            assert_eq!(from_path(&path), uri);
            check(uri, Ok(path.as_str()));
        }
    }

    #[cfg(unix)]
    proptest::proptest! {
        #[test]
        fn every_path_comes_back_from_its_uri(
            names in proptest::collection::vec(r#"(\.\.\\)?[-a-z0-9.%?#\\:~ \n\t"'|<>^`{}ü中😀]{1,8}"#, 1..4)
        ) {
            let path = AbsPath::new(format!("/w/{}", names.join("/"))).unwrap();
            let uri = from_path(&path);
            proptest::prop_assert!(uri.is_ascii() && !uri.contains(['\\', '?', '#', ' ', '\n']), "{}", uri);
            if !path.file_name().is_empty() {
                proptest::prop_assert_eq!(to_path(&uri).unwrap(), path);
            }
        }
    }

    #[test]
    fn a_path_comes_back_from_its_uri() {
        for path in ["/w/a.rs", "/w/a b/ü中😀.rs", "/w/100%/a?b#c", "/w/[x]{y}^`|\"<>.rs", "/w/a:b@c"] {
            let path = AbsPath::new(path).unwrap();
            assert_eq!(to_path(&from_path(&path)).unwrap(), path);
        }
        assert_eq!(from_path(&AbsPath::new("/w/a b#c.rs").unwrap()), "file:///w/a%20b%23c.rs");
    }
}
