//! `copydesk setup`: the configuration to paste into an editor's own files. Nothing is written.

use std::fmt::Write;

use super::Exit;
use super::arguments::SetupEditor;
use super::terminal::Terminal;

pub(super) fn setup(terminal: &mut Terminal, editor: SetupEditor, languages: &[String]) -> Exit {
    if let Some(unknown) = languages.iter().find(|name| servers_of(name).is_none()) {
        let known = LANGUAGES.map(|(name, _)| name).join(", ");
        terminal.error(&format!(
            "`{unknown}` is no language of Helix whose servers are known here: {known}. For another one, put \"copydesk\" first \
             in its own `language-servers`, in front of those that `hx --health LANGUAGE` names."
        ));
        return Exit::Usage;
    }
    match editor {
        SetupEditor::Neovim => terminal.print(include_str!("setup/neovim.lua")),
        SetupEditor::Helix => {
            terminal.line("# ~/.config/helix/languages.toml\n");
            terminal.print(&helix_languages(languages));
            terminal.line("\n# ~/.config/helix/config.toml\n");
            terminal.print(HELIX_CONFIG);
        }
        SetupEditor::VsCode => terminal.print(include_str!("setup/vscode.txt")),
        SetupEditor::Emacs => {
            terminal.line(";; ~/.emacs.d/init.el   (then M-x eglot in a file)\n");
            terminal.print(include_str!("../../../editor-clients/emacs/copydesk.el"));
        }
    }
    Exit::Done
}

const HELIX_LANGUAGES: &str = include_str!("../../../editor-clients/helix/languages.toml");
const HELIX_CONFIG: &str = include_str!("../../../editor-clients/helix/config.toml");

/// Helix's languages with the servers that its own `languages.toml` gives them: naming any replaces them all.
const LANGUAGES: [(&str, &[&str]); 20] = [
    ("bash", &["bash-language-server"]),
    ("c", &["clangd"]),
    ("cpp", &["clangd"]),
    ("css", &["vscode-css-language-server"]),
    ("diff", &[]),
    ("go", &["gopls", "golangci-lint-lsp"]),
    ("html", &["vscode-html-language-server", "superhtml"]),
    ("java", &["jdtls"]),
    ("javascript", &["typescript-language-server"]),
    ("json", &["vscode-json-language-server"]),
    ("jsx", &["typescript-language-server"]),
    ("lua", &["lua-language-server"]),
    ("markdown", &["marksman", "markdown-oxide"]),
    ("python", &["ty", "ruff", "jedi", "pylsp"]),
    ("ruby", &["ruby-lsp", "solargraph"]),
    ("rust", &["rust-analyzer"]),
    ("toml", &["taplo", "tombi"]),
    ("tsx", &["typescript-language-server"]),
    ("typescript", &["typescript-language-server"]),
    ("yaml", &["yaml-language-server", "ansible-language-server"]),
];

/// Needed for the review file and the chat file.
const OWN: [&str; 2] = ["diff", "markdown"];

/// The file of `editor-clients/helix`, or blocks for the `wanted` languages. Copydesk stands first in each list: Helix sorts
/// code actions by server, so Accept is on top of the menu.
fn helix_languages(wanted: &[String]) -> String {
    if wanted.is_empty() {
        return HELIX_LANGUAGES.to_owned();
    }
    let mut text = String::from("[language-server.copydesk]\ncommand = \"copydesk\"\nargs = [\"--stdio\"]\n");
    let wanted = wanted.iter().map(String::as_str).filter(|name| !OWN.contains(name));
    for name in wanted.chain(OWN) {
        let servers = servers_of(name).unwrap_or_default();
        let list: Vec<String> =
            std::iter::once(&"copydesk").chain(servers).map(|server| format!("\"{server}\"")).collect();
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n[[language]]\nname = {}\nlanguage-servers = [{}]\n",
            toml_edit::Value::from(name),
            list.join(", ")
        );
    }
    text
}

/// `None`: not known here.
fn servers_of(language: &str) -> Option<&'static [&'static str]> {
    LANGUAGES.iter().find(|(name, _)| *name == language).map(|(_, servers)| *servers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::terminal::Written;

    #[test]
    fn helix_gets_copydesk_first_in_every_language() {
        let text = helix_languages(&["rust".to_owned(), "go".to_owned(), "diff".to_owned()]);
        let config: toml::Table = text.parse().unwrap();
        assert_eq!(config["language-server"]["copydesk"]["command"].as_str(), Some("copydesk"));
        let servers: Vec<_> = config["language"]
            .as_array()
            .unwrap()
            .iter()
            .map(|language| (language["name"].as_str().unwrap(), language["language-servers"].to_string()))
            .map(|(name, servers)| format!("{name} {servers}"))
            .collect();
        assert_eq!(
            servers,
            [
                r#"rust ["copydesk", "rust-analyzer"]"#,
                r#"go ["copydesk", "gopls", "golangci-lint-lsp"]"#,
                r#"diff ["copydesk"]"#,
                r#"markdown ["copydesk", "marksman", "markdown-oxide"]"#,
            ]
        );
    }

    #[test]
    fn the_usual_languages_have_the_servers_that_each_has_when_it_is_named() {
        let config: toml::Table = HELIX_LANGUAGES.parse().unwrap();
        for language in config["language"].as_array().unwrap() {
            let name = language["name"].as_str().unwrap();
            let named: toml::Table = helix_languages(&[name.to_owned()]).parse().unwrap();
            let named = named["language"].as_array().unwrap();
            let alone = named.iter().find(|alone| alone["name"].as_str() == Some(name)).unwrap();
            assert_eq!(language["language-servers"], alone["language-servers"], "{name}");
        }
    }

    #[test]
    fn an_unknown_language_is_told_with_those_that_are_known() {
        let written = Written::default();
        let told = Written::default();
        let mut terminal = Terminal::writing_to(written.clone()).noting_to(told.clone());
        assert_eq!(setup(&mut terminal, SetupEditor::Helix, &["nvim".to_owned()]), Exit::Usage);
        assert_eq!(written.text(), "", "nothing that could be pasted");
        let told = told.text();
        assert!(told.contains("nvim") && told.contains("rust, ") && told.contains("markdown"), "{told}");
    }

    #[test]
    fn what_is_printed_for_helix_is_toml() {
        HELIX_CONFIG.parse::<toml::Table>().unwrap();
    }
}
