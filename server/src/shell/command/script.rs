//! The parts of a script: commands, words, redirections, and how they are joined.

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    Script(Script),
    /// Always ends in a question. `why` is a sentence for the person; `seen` are the commands that were recognised all the
    /// same: good enough to refuse, never to allow.
    NotUnderstood {
        why: String,
        seen: Vec<SimpleCommand>,
        heredocs: Vec<String>,
    },
}

/// A command line that is understood whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// In the order of the text, those inside substitutions, subshells, loops and functions too.
    pub commands: Vec<SimpleCommand>,
    /// The texts of its here-documents, with the lines that end them.
    pub heredocs: Vec<String>,
}

/// A program with its words, or assignments or redirections alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleCommand {
    /// As it stands in the text, with its redirections.
    pub source: String,
    /// The program and its arguments; empty if the command only assigns or redirects.
    pub words: Vec<Word>,
    /// Those in front of the program, or the whole command.
    pub assignments: Vec<Assignment>,
    pub redirections: Vec<Redirection>,
    pub place: Place,
}

impl SimpleCommand {
    /// The name of the program, if it is known before it runs.
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.literal.as_deref()
    }
}

/// One word as the shell counts words before it expands them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the text, with quotes.
    pub source: String,
    /// What the program is given; `None` if that is only known when it runs.
    pub literal: Option<String>,
    /// What the first word it becomes surely begins with; the whole of a literal.
    pub starts_with: String,
    pub expansion: Expansion,
}

impl Word {
    /// One without quotes and expansions.
    pub fn plain(text: &str) -> Self {
        let text = text.to_owned();
        Self {
            source: text.clone(),
            literal: Some(text.clone()),
            starts_with: text,
            expansion: Expansion::One,
        }
    }

    /// Stands for words that are only known when the command runs.
    pub const fn unknown() -> Self {
        Self { source: String::new(), literal: None, starts_with: String::new(), expansion: Expansion::Any }
    }
}

/// How many words a word becomes, and what is known of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// Exactly one.
    One,
    /// One or more, each beginning as the word does: file names that match a pattern.
    Names,
    /// Any number of any words.
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
    /// `+=`: behind what the variable holds.
    pub appends: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    pub source: String,
    pub direction: Direction,
    /// The file, descriptor or text behind the operator.
    pub target: Word,
}

/// What a redirection does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `<>`, and `>&` in front of a file.
    Write,
    /// `2>&1`, `<&3`, `>&-`: no file is opened.
    Descriptor,
    /// `<<` and `<<<`: text that stands in the command line.
    Text,
}

/// Where in the script a command stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// How it is joined to the command before it on its own level.
    pub join: Join,
    /// How many subshells, groups, substitutions, loops and branches are around it.
    pub depth: usize,
    /// It may run more than once: in a loop. Of what stands in a substitution this is told within the substitution only.
    pub repeats: bool,
    /// In `$(…)`, backquotes, `<(…)` or `>(…)`: its output goes to a word of another command.
    pub substitution: bool,
}

/// What stands between a command and the one before it on its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Nothing: the first.
    First,
    /// `|` or `|&`
    Pipe,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;`, `&` or the end of a line
    Next,
}
