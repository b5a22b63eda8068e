//! What a program with its words removes, as far as the words name it.

use super::super::part::base_name;
use super::place::{Named, Scene, all_of, fits, named, unquoted};
use crate::documents::AbsPath;
use crate::shell::command::Word;

/// What a program removes.
#[derive(Default)]
pub(super) struct Removal {
    /// A word without source stands for what is not known.
    pub(super) words: Vec<Word>,
    /// The folder that it works in, if not the one that the shell is in.
    pub(super) folder: Option<Word>,
    /// It leaves what holds something.
    pub(super) only_what_is_empty: bool,
}

/// Programs that remove what they name.
const REMOVERS: &[&str] = &["rm", "unlink", "shred", "rimraf", "trash", "trash-put", "srm"];

/// What the program `words` removes: no word of another program.
pub(super) fn removed(words: &[Word]) -> Removal {
    let Some((_, arguments)) = words.split_first() else { return Removal::default() };
    let all = |words| Removal { words, ..Removal::default() };
    match base_name(words.first()) {
        "rmdir" => Removal { only_what_is_empty: true, ..all(operands(arguments)) },
        "find" => all(found_by(arguments)),
        "mv" => all(moved(arguments)),
        "rsync" => all(mirrored(arguments)),
        "git" => by_git(arguments),
        name if REMOVERS.contains(&name) => all(operands(arguments)),
        _ => Removal::default(),
    }
}

/// The symbolic links that the program `words` makes, each with where it leads, as far as that is known.
pub(super) fn linked(words: &[Word], scene: &Scene<'_>) -> Vec<(AbsPath, AbsPath)> {
    let Some((_, arguments)) = words.split_first() else { return Vec::new() };
    let is_symbolic = |word: &Word| {
        let option = word.starts_with.as_str();
        option == "--symbolic" || option.starts_with('-') && !option.starts_with("--") && option.contains('s')
    };
    if base_name(words.first()) != "ln" || !arguments.iter().any(is_symbolic) {
        return Vec::new();
    }
    let mut targets = operands(arguments);
    let link = if targets.len() > 1 { targets.pop() } else { None }.unwrap_or_else(here);
    let Named::Places(links) = named(&link, scene) else { return Vec::new() };
    let mut found = Vec::new();
    for target in &targets {
        let last = unquoted(target);
        let name = last.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        // The link itself, or one in the folder of that name.
        for at in links.iter().flat_map(|link| [link.clone(), link.join(name)]) {
            let folder = at.parent();
            let beside = Scene { cwd: folder.as_ref(), ..*scene };
            if let Named::Places(places) = named(target, &beside) {
                found.extend(places.into_iter().map(|place| (at.clone(), place)));
            }
        }
    }
    found
}

/// A word for the folder that a command runs in.
pub(super) fn here() -> Word {
    Word::plain(".")
}

/// What is no option, those behind `--` whatever they begin with.
fn operands(arguments: &[Word]) -> Vec<Word> {
    let mut options = true;
    let is_operand = |word: &&Word| {
        let is_option = options && word.starts_with.starts_with('-');
        options &= word.literal.as_deref() != Some("--");
        !is_option
    };
    arguments.iter().filter(is_operand).cloned().collect()
}

/// What `mv` takes away from where it is.
fn moved(arguments: &[Word]) -> Vec<Word> {
    let names_target = |word: &Word| {
        word.starts_with.starts_with("-t") || word.starts_with.starts_with("--target-directory")
    };
    let mut words = operands(arguments);
    if !arguments.iter().any(names_target) {
        words.pop();
    }
    words
}

/// The folder from which `rsync --delete` removes what the other does not hold.
fn mirrored(arguments: &[Word]) -> Vec<Word> {
    let deletes = |word: &Word| word.starts_with.starts_with("--del");
    let target = operands(arguments).pop().filter(|_| arguments.iter().any(deletes));
    target.into_iter().collect()
}

/// `git rm` and `git clean`, unless they only tell or leave the files.
fn by_git(arguments: &[Word]) -> Removal {
    let mut folder = None;
    let mut left = arguments.iter();
    let subcommand = loop {
        let Some(word) = left.next() else { return Removal::default() };
        match word.literal.as_deref() {
            Some("-C") => folder = left.next().cloned(),
            Some("-c" | "--git-dir" | "--work-tree" | "--namespace") => {
                left.next();
            }
            Some(option) if option.starts_with('-') => {}
            Some(name) => break name,
            None => return Removal::default(),
        }
    };
    let mut arguments: Vec<Word> = left.cloned().collect();
    let has = |short: char, long: &str| {
        arguments.iter().any(|word| {
            let option = word.starts_with.as_str();
            option == long || (option.starts_with('-') && !option.starts_with("--") && option.contains(short))
        })
    };
    let words = match subcommand {
        "rm" if !has('n', "--dry-run") && !has('\0', "--cached") => {
            if arguments.iter().any(|word| word.starts_with.starts_with("--pathspec-from")) {
                arguments.push(Word::unknown());
            }
            operands(&arguments)
        }
        "clean" if !has('n', "--dry-run") => {
            // What stands behind `-e` is left.
            let excludes = |word: &Word| matches!(word.literal.as_deref(), Some("-e" | "--exclude"));
            while let Some(at) = arguments.iter().position(excludes) {
                arguments.drain(at..arguments.len().min(at + 2));
            }
            let mut words = operands(&arguments);
            if words.is_empty() {
                words.push(here());
            }
            words
        }
        _ => Vec::new(),
    };
    // A colon in front means something to git that is no path, such as the root of the repository.
    let plain = |word: Word| if word.starts_with.starts_with(':') { Word::unknown() } else { word };
    Removal { words: words.into_iter().map(plain).collect(), folder, only_what_is_empty: false }
}

/// Where `find` deletes all there is; nothing, where it picks some by their name, age or the like.
fn found_by(arguments: &[Word]) -> Vec<Word> {
    let of = |word: &Word| word.literal.clone().unwrap_or_else(|| word.source.clone());
    let texts: Vec<String> = arguments.iter().map(of).collect();
    let runs = |pair: &[String]| match pair {
        [option, program] => {
            let program = program.rsplit('/').next().unwrap_or_default();
            (option.starts_with("-exec") || option.starts_with("-ok"))
                && (REMOVERS.contains(&program) || matches!(program, "mv" | "rmdir"))
        }
        _ => false,
    };
    let deletes = texts.iter().any(|text| text == "-delete") || texts.windows(2).any(runs);
    let tests = |text: &str, value: &str| {
        let Some(name) = text.strip_prefix('-') else { return false };
        let by_name = ["name", "path", "wholename", "regex", "lname"];
        let by_other = ["empty", "newer", "size", "perm", "user", "group"];
        let of_time = ["amin", "atime", "cmin", "ctime", "mmin", "mtime"];
        if by_name.contains(&name.strip_prefix('i').unwrap_or(name)) {
            return !all_of(value) && !fits(value, ".git");
        }
        by_other.iter().any(|test| name.starts_with(test)) || of_time.contains(&name)
    };
    let values = texts.iter().skip(1).map(String::as_str).chain([""]);
    let picked = texts.iter().zip(values).any(|(text, value)| tests(text, value));
    let turned = texts.iter().any(|text| matches!(text.as_str(), "!" | "-not" | "-o" | "-or" | ","));
    if !deletes || picked && !turned {
        return Vec::new();
    }
    let is_option = |text: &String| matches!(text.as_str(), "-H" | "-L" | "-P");
    let begin = texts.iter().take_while(|text| is_option(text)).count();
    let is_place = |text: &&String| !text.starts_with(['-', '(', '!']);
    let count = texts.iter().skip(begin).take_while(is_place).count();
    match arguments.get(begin..begin + count) {
        None | Some([]) => vec![here()],
        Some(places) => places.to_vec(),
    }
}
