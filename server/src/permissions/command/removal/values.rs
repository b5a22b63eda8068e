//! What the variables of a line may hold, and which texts the shell can make of a word with them.

use std::collections::BTreeMap;

use super::place::Scene;
use crate::shell::command::{SimpleCommand, Word};

/// What is assigned in a script, and in the scripts around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// As they are written; `None`: something that is only known when it runs.
    of: BTreeMap<String, Vec<Option<String>>>,
}

/// Texts that one word may become.
const MOST: usize = 64;
/// Variables whose values hold variables.
const DEEPEST: usize = 6;
/// Folders whose content nobody misses.
const PASSING: &[&str] = &["/tmp/", "/var/tmp/"];
/// Where `mktemp` makes something.
const MADE: &str = "/tmp/made/anew";

impl Values {
    /// These and those that `commands` assign.
    pub(super) fn with(&self, commands: &[SimpleCommand]) -> Self {
        let mut values = self.clone();
        for command in commands {
            for assignment in &command.assignments {
                let value = assignment.value.source.as_str();
                if assignment.appends {
                    values.append(&assignment.name, value, command.place.repeats);
                } else {
                    values.put(&assignment.name, Some(value.to_owned()));
                }
            }
            let is_declared =
                matches!(command.program(), Some("export" | "local" | "declare" | "typeset" | "readonly"));
            // Another name for a variable, which may be set to anything later.
            let refers = |word: &Word| word.source.starts_with('-') && word.source.contains('n');
            if matches!(command.program(), Some("local" | "declare" | "typeset"))
                && command.words.iter().any(refers)
            {
                for word in command.words.iter().skip(1).filter(|word| !word.source.starts_with('-')) {
                    values.put(word.source.split('=').next().unwrap_or_default(), None);
                }
                continue;
            }
            // Where a text is not understood, an assignment is a word.
            let in_front = command.words.iter().take_while(|word| is_assignment(word) || is_declared);
            for (name, value) in in_front.filter_map(assigned) {
                match name.strip_suffix('+') {
                    Some(name) => values.append(name, value, false),
                    None => values.put(name, Some(value.to_owned())),
                }
            }
            if matches!(command.program(), Some("read" | "mapfile" | "readarray" | "getopts" | "printf")) {
                for word in command.words.iter().skip(1) {
                    values.put(&word.source, None);
                }
            }
        }
        values
    }

    /// The texts that `source` may become, quotes taken off; `None`: that is not known.
    pub(super) fn texts(&self, source: &str, scene: &Scene<'_>) -> Option<Vec<String>> {
        self.expanded(source, scene, DEEPEST)
    }

    fn put(&mut self, name: &str, value: Option<String>) {
        self.of.entry(name.to_owned()).or_default().push(value);
    }

    /// Any of what the variable may hold, with `value` behind it; `again`: nobody knows how often.
    fn append(&mut self, name: &str, value: &str, again: bool) {
        let held = self.of.entry(name.to_owned()).or_default();
        if again || held.len() > MOST / 2 {
            held.push(None);
            return;
        }
        let longer = |one: &Option<String>| one.as_ref().map(|one| format!("{one}{value}"));
        let more: Vec<Option<String>> = held.iter().map(longer).collect();
        if more.is_empty() {
            // What it holds is set elsewhere.
            held.push(None);
        }
        held.extend(more);
    }

    fn expanded(&self, source: &str, scene: &Scene<'_>, depth: usize) -> Option<Vec<String>> {
        let bare = source.replace(['"', '\'', '\\'], "");
        let known = with_home(&bare, scene)?;
        self.all(&known, scene, depth)
    }

    /// What becomes of all expansions in `text`.
    fn all(&self, text: &str, scene: &Scene<'_>, depth: usize) -> Option<Vec<String>> {
        let Some(at) = text.find(['$', '`']) else { return Some(vec![text.to_owned()]) };
        let (front, behind) = text.split_at(at);
        let of_first = self.first(behind, scene, depth.checked_sub(1)?);
        let known = of_first.and_then(|(values, rest)| Some((values, self.all(rest, scene, depth)?)));
        match known {
            Some((values, rests)) if values.len() * rests.len() <= MOST => {
                let join =
                    |value: &String| rests.iter().map(|rest| format!("{front}{value}{rest}")).collect();
                Some(values.iter().flat_map(|value| -> Vec<String> { join(value) }).collect())
            }
            // Whatever it is, it lies there.
            _ if is_passing(front, scene) && !text.contains("..") => Some(vec![MADE.to_owned()]),
            _ => None,
        }
    }

    /// What the expansion at the beginning of `text` becomes, and what stands behind it.
    fn first<'t>(&self, text: &'t str, scene: &Scene<'_>, depth: usize) -> Option<(Vec<String>, &'t str)> {
        if let Some(inside) = text.strip_prefix('`') {
            let (inside, rest) = inside.split_once('`')?;
            return Some((self.output(inside, scene, depth)?, rest));
        }
        let text = text.strip_prefix('$')?;
        if let Some(inside) = text.strip_prefix('(') {
            let (inside, rest) = inside.split_at_checked(closing(inside)?)?;
            return Some((self.output(inside, scene, depth)?, rest.get(1..)?));
        }
        if let Some(inside) = text.strip_prefix('{') {
            let (inside, rest) = inside.split_once('}')?;
            let (name, more) = inside.split_at(name_length(inside));
            let mut values = self.values(name, scene, depth);
            // A default counts where nothing is set.
            let default = [":-", "-", ":="].iter().find_map(|sign| more.strip_prefix(sign));
            if let (None, Some(default), false) = (&values, default, self.of.contains_key(name)) {
                values = self.expanded(default, scene, depth);
            }
            let is_whole = more.is_empty() || default.is_some() || more.starts_with([':', '?', '[']);
            return Some((if is_whole { values? } else { cut(&values?, more)? }, rest));
        }
        let (name, rest) = text.split_at(name_length(text));
        Some((self.values(name, scene, depth)?, rest))
    }

    fn values(&self, name: &str, scene: &Scene<'_>, depth: usize) -> Option<Vec<String>> {
        if name.is_empty() {
            return None;
        }
        let path = |path: &crate::documents::AbsPath| vec![path.to_string()];
        let Some(set) = self.of.get(name) else {
            return match name {
                "HOME" => scene.kept.home.map(path),
                "PWD" => scene.cwd.map(path),
                "TMPDIR" => Some(vec![MADE.to_owned()]),
                _ => None,
            };
        };
        let mut texts = Vec::new();
        for value in set {
            texts.extend(self.expanded(value.as_deref()?, scene, depth)?);
        }
        (texts.len() <= MOST).then_some(texts)
    }

    /// What a command in a substitution writes.
    fn output(&self, line: &str, scene: &Scene<'_>, depth: usize) -> Option<Vec<String>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["pwd"] | ["pwd", "-P" | "-L"] => scene.cwd.map(|cwd| vec![cwd.to_string()]),
            ["git", "rev-parse", "--show-toplevel"] => {
                Some(scene.kept.roots.iter().map(ToString::to_string).collect())
            }
            ["mktemp", ..] => Some(vec![MADE.to_owned()]),
            ["echo" | "realpath", word] | ["printf", "%s" | "'%s'", word] | ["readlink", "-f", word] => {
                self.expanded(word, scene, depth)
            }
            _ => None,
        }
    }
}

/// `values` without the end (`%`) or the beginning (`#`) that `sign` names; `None`: that can't be told.
fn cut(values: &[String], sign: &str) -> Option<Vec<String>> {
    let text = sign.trim_start_matches(['%', '#']);
    if text == sign || text.contains(['*', '?', '[', '$', '`']) {
        return None;
    }
    let is_pattern = |value: &String| value.contains(['*', '?', '[']);
    let one = |value: &String| {
        let left = if sign.starts_with('%') { value.strip_suffix(text) } else { value.strip_prefix(text) };
        // Of a pattern nobody knows what its end stands for.
        left.filter(|_| !is_pattern(value)).unwrap_or(value).to_owned()
    };
    Some(values.iter().map(one).collect())
}

/// Whether what begins so lies where nobody keeps anything.
fn is_passing(front: &str, scene: &Scene<'_>) -> bool {
    let is_kept = |folder: &str| scene.kept.roots.iter().any(|root| root.as_str().starts_with(folder));
    PASSING.iter().any(|folder| front.starts_with(folder) && !is_kept(folder))
}

/// Whether a word assigns, which it does where a text is not understood.
pub(super) fn is_assignment(word: &Word) -> bool {
    assigned(word).is_some()
}

/// `NAME=value` or `NAME+=value` as a word; the name with its `+`.
fn assigned(word: &Word) -> Option<(&str, &str)> {
    let (name, value) = word.source.split_once('=')?;
    let bare = name.strip_suffix('+').unwrap_or(name);
    (!bare.is_empty() && name_length(bare) == bare.len()).then_some((name, value))
}

/// `~` in front, and the home of whomever is named behind it.
fn with_home(word: &str, scene: &Scene<'_>) -> Option<String> {
    let Some(behind) = word.strip_prefix('~') else { return Some(word.to_owned()) };
    let rest = behind.find('/').and_then(|at| behind.get(at..)).unwrap_or_default();
    let folder = if behind.starts_with('-') {
        return None;
    } else if behind.starts_with('+') {
        scene.cwd?.as_str()
    } else {
        scene.kept.home.map_or("/home/~", |home| home.as_str())
    };
    Some(format!("{folder}{rest}"))
}

/// Bytes of the name of a variable that `text` begins with.
fn name_length(text: &str) -> usize {
    let is_digit_first = text.starts_with(|c: char| c.is_ascii_digit());
    let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    if is_digit_first { 0 } else { length }
}

/// Where the parenthesis is that closes the one in front of `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.char_indices().find_map(|(at, c)| match c {
        '(' => {
            open += 1;
            None
        }
        ')' if open == 0 => Some(at),
        ')' => {
            open -= 1;
            None
        }
        _ => None,
    })
}
