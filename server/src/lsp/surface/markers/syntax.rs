//! How each language writes comments.

/// The tokens that begin a comment to the end of the line, and the pair around a block comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommentSyntax {
    pub(super) line: &'static [&'static str],
    pub(super) block: Option<(&'static str, &'static str)>,
}

const C: CommentSyntax = CommentSyntax { line: &["//"], block: Some(("/*", "*/")) };
const HASH: CommentSyntax = CommentSyntax { line: &["#"], block: None };
const DASH: CommentSyntax = CommentSyntax { line: &["--"], block: None };
const SEMICOLON: CommentSyntax = CommentSyntax { line: &[";"], block: None };
const PERCENT: CommentSyntax = CommentSyntax { line: &["%"], block: None };
const MARKUP: CommentSyntax = CommentSyntax { line: &[], block: Some(("<!--", "-->")) };

/// The comments of `language`, an LSP language id; where that is unknown, of the file's name.
pub(super) fn of(language: &str, file_name: &str) -> Option<CommentSyntax> {
    by_language(language).or_else(|| by_name(file_name))
}

/// Ids after the LSP specification's list, and those that editors send beside it.
fn by_language(language: &str) -> Option<CommentSyntax> {
    let syntax = match language {
        "c" | "cpp" | "csharp" | "cuda" | "d" | "dart" | "fsharp" | "go" | "groovy" | "java"
        | "javascript" | "javascriptreact" | "jsonc" | "json5" | "jsx" | "kotlin" | "less"
        | "objective-c" | "objective-cpp" | "objc" | "odin" | "proto" | "protobuf" | "rust" | "scala"
        | "scss" | "sass" | "solidity" | "swift" | "tsx" | "typescript" | "typescriptreact" | "typst"
        | "v" | "verilog" | "systemverilog" | "zig" | "glsl" | "hlsl" | "wgsl" | "gleam" | "rescript"
        | "hare" | "qml" => C,
        "php" => CommentSyntax { line: &["//", "#"], block: Some(("/*", "*/")) },
        "hcl" | "terraform" | "tf" | "nix" => CommentSyntax { line: &["#", "//"], block: Some(("/*", "*/")) },
        "css" => CommentSyntax { line: &[], block: Some(("/*", "*/")) },
        "awk" | "bash" | "cmake" | "conf" | "cfg" | "crystal" | "dockercompose" | "dockerfile"
        | "editorconfig" | "elixir" | "fish" | "gitcommit" | "gitignore" | "graphql" | "just" | "make"
        | "makefile" | "mojo" | "nu" | "nim" | "perl" | "properties" | "python" | "r" | "ruby"
        | "shellscript" | "sh" | "tcl" | "toml" | "yaml" | "zsh" | "gdscript" | "starlark" | "meson"
        | "ssh-config" => HASH,
        "julia" => CommentSyntax { line: &["#"], block: Some(("#=", "=#")) },
        "powershell" => CommentSyntax { line: &["#"], block: Some(("<#", "#>")) },
        "coffeescript" => CommentSyntax { line: &["#"], block: Some(("###", "###")) },
        "ada" | "vhdl" => DASH,
        "sql" | "pgsql" | "mysql" => CommentSyntax { line: &["--"], block: Some(("/*", "*/")) },
        "lua" => CommentSyntax { line: &["--"], block: Some(("--[[", "]]")) },
        "haskell" | "elm" | "purescript" | "idris" | "agda" | "lean" | "dhall" => {
            CommentSyntax { line: &["--"], block: Some(("{-", "-}")) }
        }
        "lisp" | "commonlisp" | "clojure" | "emacs-lisp" | "elisp" | "scheme" | "racket" | "fennel"
        | "asm" | "nasm" | "ini" | "llvm" => SEMICOLON,
        "erlang" | "latex" | "tex" | "bibtex" | "matlab" | "octave" | "prolog" | "postscript" => PERCENT,
        "html" | "xml" | "xsl" | "svg" | "markdown" | "vue" | "svelte" | "astro" | "xhtml" => MARKUP,
        "ocaml" | "coq" | "sml" => CommentSyntax { line: &[], block: Some(("(*", "*)")) },
        "pascal" | "delphi" => CommentSyntax { line: &["//"], block: Some(("(*", "*)")) },
        "vim" | "viml" => CommentSyntax { line: &["\""], block: None },
        "vb" | "vbnet" | "basic" => CommentSyntax { line: &["'", "REM ", "Rem ", "rem "], block: None },
        "bat" | "batch" => CommentSyntax { line: &["REM ", "Rem ", "rem ", "::"], block: None },
        "fortran" | "fortran-modern" => CommentSyntax { line: &["!"], block: None },
        "handlebars" | "mustache" => CommentSyntax { line: &[], block: Some(("{{!", "}}")) },
        "jinja" | "twig" => CommentSyntax { line: &[], block: Some(("{#", "#}")) },
        "abap" => CommentSyntax { line: &["\"", "*"], block: None },
        _ => return None,
    };
    Some(syntax)
}

fn by_name(file_name: &str) -> Option<CommentSyntax> {
    let lower = file_name.to_lowercase();
    let syntax = match lower.rsplit_once('.').map_or(lower.as_str(), |(_, extension)| extension) {
        "rs" | "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "java" | "js" | "mjs" | "cjs" | "jsx" | "ts"
        | "mts" | "tsx" | "go" | "kt" | "swift" | "scala" | "dart" | "zig" | "scss" | "less" | "proto"
        | "jsonc" | "m" | "mm" | "groovy" | "gradle" => C,
        "php" => by_language("php")?,
        "tf" | "hcl" | "nix" => by_language("nix")?,
        "py" | "pyi" | "rb" | "pl" | "sh" | "bash" | "zsh" | "fish" | "yml" | "yaml" | "toml" | "mk"
        | "makefile" | "dockerfile" | "justfile" | "ex" | "exs" | "cr" | "nim" | "r" | "jl" | "conf"
        | "gitignore" | "cmake" => HASH,
        "lua" => by_language("lua")?,
        "sql" => by_language("sql")?,
        "hs" | "elm" | "purs" => by_language("haskell")?,
        "el" | "lisp" | "clj" | "cljs" | "scm" | "rkt" | "ini" | "asm" => SEMICOLON,
        "erl" | "tex" | "bib" | "pro" => PERCENT,
        "html" | "htm" | "xml" | "svg" | "md" | "vue" | "svelte" => MARKUP,
        "css" => by_language("css")?,
        "ml" | "mli" | "v" => by_language("ocaml")?,
        "pas" => by_language("pascal")?,
        "vim" | "vimrc" => by_language("vim")?,
        "vb" | "bas" => by_language("vb")?,
        "bat" | "cmd" => by_language("bat")?,
        "f90" | "f95" | "f03" => by_language("fortran")?,
        "adb" | "ads" | "vhd" => DASH,
        _ => return None,
    };
    Some(syntax)
}
