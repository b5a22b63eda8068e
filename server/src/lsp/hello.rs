//! What an editor says of itself in `initialize`, read field by field so that one it got wrong loses no other.

use serde_json::Value;

use super::commands::CommandIds;
use super::core::Host;
use crate::documents::{AbsPath, to_path};

/// The params of `initialize` (LSP "Initialize Request").
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hello {
    pub(super) process_id: Option<u32>,
    /// `clientInfo.name`, empty if it is not said.
    pub(super) client: String,
    pub(super) version: String,
    /// `workspaceFolders`, else `rootUri`.
    pub(super) folders: Vec<AbsPath>,
    /// The deprecated `rootPath`: Helix says only here where it was started.
    pub(super) root_path: Option<AbsPath>,
    pub(super) capabilities: Value,
    /// `initializationOptions`: the user's settings under their own names, and `commandPrefix`.
    pub(super) options: Value,
}

impl Hello {
    pub(super) fn read(params: &Value) -> Self {
        let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let value = |name: &str| params.get(name).cloned().unwrap_or_default();
        Self {
            process_id: params.get("processId").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok()),
            client: text("/clientInfo/name").to_owned(),
            version: text("/clientInfo/version").to_owned(),
            folders: folders(params),
            root_path: AbsPath::new(text("/rootPath")),
            capabilities: value("capabilities"),
            options: value("initializationOptions"),
        }
    }

    /// The ids this client wants the commands to have.
    pub(super) fn command_ids(&self) -> CommandIds {
        CommandIds::new(self.options.get("commandPrefix").and_then(Value::as_str).unwrap_or_default())
    }

    /// Where the session works: what the editor named, else the folder it was started in if `first`, the first document,
    /// lies there, else that document's folder. A home folder is no project.
    pub(super) fn roots(&self, first: Option<&AbsPath>, host: &Host) -> Vec<AbsPath> {
        if !self.folders.is_empty() {
            return self.folders.clone();
        }
        let started_in = self.root_path.as_ref().or(host.started_in.as_ref());
        let project =
            started_in.filter(|folder| Some(*folder) != host.home.as_ref() && folder.parent().is_some());
        let root = match first {
            Some(document) => {
                project.filter(|project| document.is_in(project)).cloned().or_else(|| document.parent())
            }
            None => started_in.cloned(),
        };
        root.into_iter().collect()
    }
}

fn folders(params: &Value) -> Vec<AbsPath> {
    let folder = |uri: &Value| to_path(uri.as_str()?).ok();
    let named = params.get("workspaceFolders").and_then(Value::as_array);
    let named: Vec<_> = named.into_iter().flatten().filter_map(|named| folder(named.get("uri")?)).collect();
    if named.is_empty() { params.get("rootUri").and_then(folder).into_iter().collect() } else { named }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[track_caller]
    fn check_roots(params: Value, first: Option<&str>, wanted: &[&str]) {
        let first = first.map(path);
        let host = Host { home: Some(path("/home/me")), started_in: Some(path("/started")) };
        let roots = Hello::read(&params).roots(first.as_ref(), &host);
        assert_eq!(roots, wanted.iter().copied().map(path).collect::<Vec<_>>());
    }

    #[test]
    fn the_editor_names_the_roots() {
        let folders =
            json!([{"uri": "file:///a%20b", "name": "a"}, {"uri": "untitled:x"}, {"uri": "file:///c"}]);
        check_roots(json!({"workspaceFolders": folders, "rootUri": "file:///d"}), None, &["/a b", "/c"]);
        check_roots(json!({"workspaceFolders": [], "rootUri": "file:///d"}), Some("/x/a.rs"), &["/d"]);
    }

    #[test]
    fn without_them_the_first_document_says_where_one_works() {
        check_roots(json!({"rootPath": "/w"}), Some("/w/src/a.rs"), &["/w"]);
        check_roots(json!({"rootPath": "/w"}), Some("/x/a.rs"), &["/x"]);
        check_roots(json!({"rootPath": "/home/me"}), Some("/home/me/x/a.rs"), &["/home/me/x"]);
        check_roots(json!({"rootPath": "/"}), Some("/x/a.rs"), &["/x"]);
        check_roots(json!({"rootPath": "/w"}), None, &["/w"]);
        check_roots(json!({}), Some("/started/a.rs"), &["/started"]);
    }

    #[test]
    fn a_field_of_the_wrong_kind_is_as_good_as_absent() {
        let hello = Hello::read(
            &json!({"processId": "one", "clientInfo": 7, "rootUri": {}, "workspaceFolders": "x"}),
        );
        assert_eq!(hello, Hello::default());
        assert_eq!(Hello::read(&Value::Null), Hello::default());
    }
}
