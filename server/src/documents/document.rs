//! The open documents: found by the client's URI or by the file they are of.

use std::collections::HashMap;

use super::{AbsPath, Changed, Closed, ContentChange, Ignored, OpenDocument, Opened, PathCase, Text, change};
use crate::editor::PositionEncoding;

/// All open documents. Pure: paths come in with their links already followed.
///
/// Where one file is open under two URIs (a link and its target), the one opened first speaks for the file; the others are
/// kept up to date in silence, and the next of them speaks when it is closed.
#[derive(Debug)]
pub(super) struct OpenDocuments {
    case: PathCase,
    by_uri: HashMap<String, Document>,
    /// By [`PathCase::key`]; the first URI speaks.
    by_file: HashMap<AbsPath, Vec<String>>,
}

#[derive(Clone, Debug)]
struct Document {
    path: AbsPath,
    language: String,
    version: i32,
    text: Text,
    dirty: bool,
    lost: bool,
}

impl OpenDocuments {
    pub(super) fn new(case: PathCase) -> Self {
        Self { case, by_uri: HashMap::new(), by_file: HashMap::new() }
    }

    /// didOpen; a second one of the same URI is the client's newer word and replaces the first.
    pub(super) fn open(&mut self, document: OpenDocument) -> Result<Opened, Ignored> {
        let OpenDocument { path, uri, language, version, text, dirty, lost } = document;
        if let Some(old) = self.by_uri.get(&uri)
            && !self.case.same_file(&old.path, &path)
        {
            // The URI's link was turned to another file since.
            let old = old.path.clone();
            self.forget_file(&old, &uri);
        }
        let uris = self.by_file.entry(self.case.key(&path)).or_default();
        if !uris.contains(&uri) {
            uris.push(uri.clone());
        }
        let speaker = uris.first().cloned().unwrap_or_else(|| uri.clone());
        // One file has one spelling for as long as it is open.
        let path = self.by_uri.get(&speaker).map_or(path, |first| first.path.clone());
        let opened = Opened { path: path.clone(), uri: uri.clone(), version, text: text.clone() };
        self.by_uri.insert(uri.clone(), Document { path, language, version, text, dirty, lost });
        if speaker == uri { Ok(opened) } else { Err(shadowed(&uri, &speaker)) }
    }

    /// didChange. Versions may have gaps. A whole text that a newer one has overtaken on its way is ignored; of partial
    /// changes, which one is newer is the client's business.
    pub(super) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: &[ContentChange],
        encoding: PositionEncoding,
    ) -> Result<Changed, Ignored> {
        let document = self.by_uri.get_mut(uri).ok_or_else(|| not_open(uri))?;
        if version < document.version && changes.last().is_some_and(|change| change.range.is_none()) {
            let why = format!("version {version} comes after version {}", document.version);
            return Err(Ignored { uri: uri.to_owned(), why });
        }
        let whole = changes.iter().any(|change| change.range.is_none());
        if document.lost && !whole {
            let why = "an earlier change of it was lost".to_owned();
            return Err(Ignored { uri: uri.to_owned(), why });
        }
        document.lost = false;
        let before = document.text.clone();
        let applied = change::apply(&before, changes, encoding);
        document.text = applied.after.clone();
        document.version = version;
        document.dirty = true;
        let path = document.path.clone();
        match self.speaker(&path) {
            Some(speaker) if speaker != uri => Err(shadowed(uri, speaker)),
            _ => Ok(Changed {
                path,
                version,
                before,
                after: applied.after,
                changes: applied.changes,
                whole_text: applied.whole_text,
            }),
        }
    }

    /// A change was lost: of this document, else of any.
    pub(super) fn lose(&mut self, uri: Option<&str>) -> Vec<AbsPath> {
        let mut lost = Vec::new();
        for (of, document) in &mut self.by_uri {
            if uri.is_none_or(|uri| uri == of) {
                document.lost = true;
                lost.push(document.path.clone());
            }
        }
        lost.sort();
        lost.dedup();
        lost
    }

    /// didClose.
    pub(super) fn close(&mut self, uri: &str) -> Result<Closed, Ignored> {
        let document = self.by_uri.remove(uri).ok_or_else(|| not_open(uri))?;
        let spoke = self.speaker(&document.path) == Some(uri);
        self.forget_file(&document.path, uri);
        let next = self.speaker(&document.path).map(str::to_owned);
        match next {
            Some(speaker) if !spoke => Err(shadowed(uri, &speaker)),
            next => Ok(Closed {
                heir: next.and_then(|uri| {
                    let heir = self.by_uri.get(&uri)?;
                    Some(Opened {
                        path: heir.path.clone(),
                        version: heir.version,
                        text: heir.text.clone(),
                        uri,
                    })
                }),
                path: document.path,
                text: document.text,
            }),
        }
    }

    /// didSave. `None` if the document is not open or another one speaks for its file.
    pub(super) fn saved(&mut self, uri: &str) -> Option<AbsPath> {
        let document = self.by_uri.get_mut(uri)?;
        document.dirty = false;
        let path = document.path.clone();
        (self.speaker(&path) == Some(uri)).then_some(path)
    }

    /// The document that speaks for the file at `path`, whose links are followed.
    pub(super) fn of_file(&self, path: &AbsPath) -> Option<OpenDocument> {
        self.of_uri(self.speaker(path)?)
    }

    pub(super) fn of_uri(&self, uri: &str) -> Option<OpenDocument> {
        let document = self.by_uri.get(uri)?;
        Some(OpenDocument {
            path: document.path.clone(),
            uri: uri.to_owned(),
            language: document.language.clone(),
            version: document.version,
            text: document.text.clone(),
            dirty: document.dirty,
            lost: document.lost,
        })
    }

    /// The documents that speak for their files, by path.
    pub(super) fn all(&self) -> Vec<OpenDocument> {
        let mut all: Vec<_> = self.by_file.values().filter_map(|uris| self.of_uri(uris.first()?)).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    fn speaker(&self, path: &AbsPath) -> Option<&str> {
        self.by_file.get(&self.case.key(path))?.first().map(String::as_str)
    }

    fn forget_file(&mut self, path: &AbsPath, uri: &str) {
        let key = self.case.key(path);
        if let Some(uris) = self.by_file.get_mut(&key) {
            uris.retain(|other| other != uri);
            if uris.is_empty() {
                self.by_file.remove(&key);
            }
        }
    }
}

fn not_open(uri: &str) -> Ignored {
    Ignored { uri: uri.to_owned(), why: "it is not open".into() }
}

fn shadowed(uri: &str, speaker: &str) -> Ignored {
    Ignored { uri: uri.to_owned(), why: format!("the same file is open as {speaker}, which speaks for it") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::{Position, Range};

    fn document(uri: &str, path: &str, text: &str) -> OpenDocument {
        OpenDocument {
            path: AbsPath::new(path).unwrap(),
            uri: uri.to_owned(),
            language: "rust".into(),
            version: 1,
            text: text.into(),
            dirty: false,
            lost: false,
        }
    }

    fn typed(text: &str) -> Vec<ContentChange> {
        let start = Position::new(0, 0);
        vec![ContentChange { range: Some(Range::new(start, start)), text: text.into() }]
    }

    #[test]
    fn a_lost_change_is_made_good_by_a_whole_text_and_by_nothing_less() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        for uri in ["file:///w/a", "file:///w/b"] {
            open.open(document(uri, uri.trim_start_matches("file://"), "old")).unwrap();
        }
        let path = |path: &str| AbsPath::new(path).unwrap();
        assert_eq!(open.lose(Some("file:///w/a")), [path("/w/a")]);
        assert!(open.of_file(&path("/w/a")).unwrap().lost);
        open.change("file:///w/a", 2, &typed("x"), PositionEncoding::Utf16).unwrap_err();
        let whole = [ContentChange { range: None, text: "new".into() }];
        open.change("file:///w/a", 3, &whole, PositionEncoding::Utf16).unwrap();
        let now = open.of_file(&path("/w/a")).unwrap();
        assert_eq!((now.text, now.lost), ("new".into(), false));
        assert_eq!(open.lose(None), [path("/w/a"), path("/w/b")], "nobody knows which");
        open.open(document("file:///w/b", "/w/b", "again")).unwrap();
        assert!(!open.of_file(&path("/w/b")).unwrap().lost);
    }

    #[test]
    fn a_document_lives_from_open_to_close() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        open.open(document("file:///w/a%2ers", "/w/a.rs", "b")).unwrap();
        let changed = open.change("file:///w/a%2ers", 7, &typed("a"), PositionEncoding::Utf16).unwrap();
        assert_eq!((changed.version, changed.before, changed.after), (7, "b".into(), "ab".into()));
        let now = open.of_file(&AbsPath::new("/w/a.rs").unwrap()).unwrap();
        assert_eq!((now.uri.as_str(), now.version, now.dirty), ("file:///w/a%2ers", 7, true));
        assert_eq!(open.saved(&now.uri), Some(now.path.clone()));
        assert!(!open.of_uri(&now.uri).unwrap().dirty);
        assert_eq!(open.close(&now.uri).unwrap().text, "ab");
        assert_eq!((open.all(), open.of_uri(&now.uri)), (vec![], None));
    }

    #[test]
    fn an_overtaken_whole_text_is_ignored() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        open.open(document("file:///w/a.rs", "/w/a.rs", "")).unwrap();
        let whole = |text: &str| vec![ContentChange { range: None, text: text.into() }];
        open.change("file:///w/a.rs", 3, &whole("abc"), PositionEncoding::Utf16).unwrap();
        let late = open.change("file:///w/a.rs", 2, &whole("ab"), PositionEncoding::Utf16);
        assert_eq!(late.unwrap_err().why, "version 2 comes after version 3");
        assert_eq!(open.of_uri("file:///w/a.rs").unwrap().text, "abc");
    }

    #[test]
    fn what_is_not_open_is_ignored() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        let uri = "file:///w/a.rs";
        assert_eq!(open.change(uri, 1, &[], PositionEncoding::Utf8).unwrap_err().why, "it is not open");
        assert_eq!(open.close(uri).unwrap_err().why, "it is not open");
        assert_eq!(open.saved(uri), None);
    }

    #[test]
    fn a_second_open_of_one_uri_replaces_the_text() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        open.open(document("file:///w/a.rs", "/w/a.rs", "old")).unwrap();
        assert_eq!(open.open(document("file:///w/a.rs", "/w/a.rs", "new")).unwrap().text, "new");
        assert_eq!(open.all().len(), 1);
    }

    #[test]
    fn of_two_buffers_of_one_file_the_first_speaks() {
        let mut open = OpenDocuments::new(PathCase::Sensitive);
        let file = AbsPath::new("/w/real.md").unwrap();
        open.open(document("file:///w/link.md", "/w/real.md", "first")).unwrap();
        let ignored = open.open(document("file:///w/real.md", "/w/real.md", "second")).unwrap_err();
        assert_eq!(ignored.why, "the same file is open as file:///w/link.md, which speaks for it");
        open.change("file:///w/real.md", 2, &typed("my "), PositionEncoding::Utf8).unwrap_err();
        assert_eq!(open.of_file(&file).unwrap().text, "first");
        let heir = open.close("file:///w/link.md").unwrap().heir.unwrap();
        assert_eq!((heir.uri.as_str(), heir.text), ("file:///w/real.md", "my second".into()));
        assert_eq!(open.of_file(&file).unwrap().text, "my second");
        assert_eq!(open.close("file:///w/real.md").unwrap().heir, None);
    }

    #[test]
    fn case_joins_two_spellings_where_the_volume_does() {
        for (case, same) in [(PathCase::Insensitive, true), (PathCase::Sensitive, false)] {
            let mut open = OpenDocuments::new(case);
            open.open(document("file:///W/App/x.rs", "/W/App/x.rs", "")).unwrap();
            let found = open.of_file(&AbsPath::new("/W/App/X.rs").unwrap());
            assert_eq!(found.is_some(), same, "{case:?}");
        }
    }
}
