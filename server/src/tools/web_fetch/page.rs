//! A page as Markdown.

use htmd::HtmlToMarkdown;

/// Open elements within each other. Beyond, the page is stripped of its tags instead, since a parser's stack has an end.
const DEEPEST: usize = 256;

/// What holds no text for a reader.
const SKIPPED: [&str; 7] = ["script", "style", "noscript", "svg", "iframe", "template", "head"];

/// Elements that need not be closed, or can't be.
const UNCLOSED: [&str; 24] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    "p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead", "colgroup",
];

/// Whether a content type (RFC 9110 §8.3) is one for readers.
pub(super) fn is_text(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml"].iter().any(|end| {
            kind == format!("application/{end}")
                || kind.ends_with(&format!("+{end}"))
                || kind == format!("application/x-{end}")
        })
}

/// `text` of this content type as a model reads it.
pub(super) fn markdown(kind: &str, text: String) -> String {
    if !kind.contains("html") {
        return text;
    }
    let converted = (deepest(&text) <= DEEPEST)
        .then(|| HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build().convert(&text).ok())
        .flatten();
    let text = converted.unwrap_or_else(|| stripped(&text));
    text.trim().to_owned()
}

/// How deep elements stand within each other, counted by their tags.
fn deepest(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for (at, _) in html.match_indices('<') {
        let rest = html.get(at + 1..).unwrap_or_default();
        let (closes, rest) = rest.strip_prefix('/').map_or((false, rest), |rest| (true, rest));
        let name: String = rest
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .take(16)
            .collect();
        if name.is_empty() || UNCLOSED.contains(&name.as_str()) {
            continue;
        }
        depth = if closes { depth.saturating_sub(1) } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text without its tags.
fn stripped(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        rest = tag.split_once('>').map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, want: &str) {
        assert_eq!(markdown("text/html; charset=utf-8", html.to_owned()), want);
    }

    #[test]
    fn a_page_is_read_as_markdown() {
        check(
            "<html><head><title>T</title></head><body><h1>One</h1><script>evil()</script><p>Two <b>three</b> \
             <a href=\"/x\">four</a></p></body></html>",
            "# One\n\nTwo **three** [four](/x)",
        );
        assert_eq!(markdown("text/plain", "<b>as it is</b>".into()), "<b>as it is</b>");
    }

    #[test]
    fn a_page_that_is_nested_without_end_is_stripped_of_its_tags() {
        let deep = format!("{}text{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
        check(&deep, "text");
        let unclosed = format!("<ul>{}</ul>", "<li>x".repeat(2_000));
        assert!(markdown("text/html", unclosed).starts_with("*   x"), "what need not be closed is not deep");
    }

    #[test]
    fn only_text_is_shown() {
        for kind in [
            "text/html; charset=utf-8",
            "text/plain",
            "application/json",
            "application/ld+json",
            "image/svg+xml",
        ] {
            assert!(is_text(kind), "{kind}");
        }
        for kind in ["image/png", "application/pdf", "application/octet-stream"] {
            assert!(!is_text(kind), "{kind}");
        }
    }
}
