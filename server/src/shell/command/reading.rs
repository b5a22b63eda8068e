//! The commands of a text, by two readers that have to agree: the grammar, and the tokens as bash cuts them.
//!
//! The grammar says how commands are joined, the tokens what each one is, and what its here-documents are. A kind of node that is not listed here, or a
//! token that is not where the grammar has it, and the text is not understood.

mod simple;

use std::collections::BTreeMap;
use std::ops::Range;

use tree_sitter::{Node, Parser};

use self::simple::{is_keyword, simple_command};
use super::lexer::Unclear;
use super::token::{Token, TokenKind};
use super::{Assignment, Join, Place, SimpleCommand, heredocs};

/// How deeply statements may stand in one another.
const DEEPEST: usize = 48;

/// All simple commands of `text`, whose tokens are `tokens`, in the order of the text.
pub(super) fn read(text: &str, tokens: &[Token]) -> Result<Vec<SimpleCommand>, Unclear> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .map_err(|error| format!("The grammar can't be loaded: {error}."))?;
    let shown = heredocs::without(text, tokens);
    let Some(tree) = parser.parse(&shown, None) else {
        return Err("The grammar gave up.".into());
    };
    let root = tree.root_node();
    if root.has_error() {
        return Err("It is not written as bash wants it, or in a way that is not known here.".into());
    }
    let mut found = Vec::new();
    let place = Place { join: Join::First, depth: 0, repeats: false, substitution: false };
    Line::new(text, &shown, tokens).read(root, &place, &mut found)?;
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, command)| command).collect())
}

/// Commands with the place where each begins.
type Found = Vec<(usize, SimpleCommand)>;

/// One command line: the whole text, or the inside of a substitution.
struct Line<'a> {
    text: &'a str,
    /// The same as the grammar has it.
    shown: &'a str,
    tokens: &'a [Token],
    /// Which tokens the grammar has accounted for.
    used: Vec<bool>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, shown: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, shown, tokens, used: vec![false; tokens.len()] }
    }

    /// Reads the statements below `node`, then those in the substitutions of its words.
    fn read(mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        self.statements(node, place, found)?;
        self.heredocs_of_groups(place, found)?;
        let left = self
            .tokens
            .iter()
            .zip(&self.used)
            .find(|(token, used)| !**used && !matches!(token.kind, TokenKind::Newline));
        if let Some((token, _)) = left {
            return Err(disagreement(self.slice(&token.span)));
        }
        self.substitutions(node, place, found)
    }

    fn substitutions(&self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let mut nodes = BTreeMap::new();
        for inner in outermost_substitutions(node) {
            let (Some(open), Some(close)) = (inner.child(0), last_child(inner)) else {
                return Err(disagreement(self.slice(&inner.byte_range())));
            };
            nodes.insert(open.end_byte(), (inner, close.start_byte()));
        }
        for nested in self.tokens.iter().flat_map(Token::nested) {
            match nodes.remove(&nested.span.start) {
                Some((inner, end)) if end == nested.span.end => {
                    let place = Place {
                        join: Join::First,
                        depth: place.depth + 1,
                        substitution: true,
                        ..place.clone()
                    };
                    Line::new(self.text, self.shown, &nested.tokens).read(inner, &place, found)?;
                }
                Some(_) | None => return Err(disagreement(self.slice(&nested.span))),
            }
        }
        match nodes.values().next() {
            None => Ok(()),
            Some((inner, _)) => Err(disagreement(self.slice(&inner.byte_range()))),
        }
    }

    /// The children of a node that holds statements and what joins them.
    fn statements(&mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        if place.depth > DEEPEST {
            return Err("Commands are nested too deeply.".into());
        }
        let mut place = place.clone();
        for child in children(node) {
            if child.is_named() {
                self.statement(child, &place, found)?;
                // Each statement of a sequence follows the one before, whatever that was joined to.
                place.join = Join::Next;
            } else {
                self.use_mark(child)?;
                place.join = match child.kind() {
                    "|" | "|&" => Join::Pipe,
                    "&&" => Join::And,
                    "||" => Join::Or,
                    ";" | "&" | "then" | "do" | "else" | "elif" => Join::Next,
                    _ => place.join,
                };
            }
        }
        Ok(())
    }

    fn statement(&mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let inside = || Place { depth: place.depth + 1, ..place.clone() };
        match node.kind() {
            "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments" => self.command(node, place, found),
            "test_command" if self.slice(&node.byte_range()).starts_with("[ ") => {
                self.command(node, place, found)
            }
            "list" | "pipeline" | "negated_command" | "redirected_statement" => {
                self.statements(node, place, found)
            }
            "file_redirect" | "herestring_redirect" => self.bare_redirection(node, place, found),
            "subshell" | "if_statement" | "elif_clause" | "else_clause" => {
                self.statements(node, &inside(), found)
            }
            "compound_statement" if self.slice(&node.byte_range()).starts_with('{') => {
                self.statements(node, &inside(), found)
            }
            "while_statement" | "do_group" => {
                self.statements(node, &Place { repeats: true, ..inside() }, found)
            }
            "for_statement" => self.for_loop(node, place, found),
            // What stands behind `#` was passed over when the text was cut into tokens.
            "comment" => Ok(()),
            "function_definition" => Err("It defines a function.".into()),
            "case_statement" => Err("It chooses with `case`.".into()),
            "test_command" => Err("`[[` can calculate, which can run commands.".into()),
            other => Err(format!("It holds a {}.", other.replace('_', " "))),
        }
    }

    /// A command with its words and all of its redirections, wherever the grammar puts those.
    fn command(&mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let tokens = self.tokens;
        let run = self.run_from(node.start_byte())?;
        let pieces: Vec<Range<usize>> = children(node).map(|child| child.byte_range()).collect();
        for token in tokens.get(run.clone()).unwrap_or_default() {
            let is_word = matches!(token.kind, TokenKind::Word(..));
            let is_inside = node.start_byte() <= token.span.start && token.span.end <= node.end_byte();
            let is_piece = node.kind() != "command" || pieces.contains(&token.span);
            if is_word && !(is_inside && is_piece) {
                return Err(disagreement(self.slice(&token.span)));
            }
        }
        self.take(run, place, found)
    }

    /// A redirection that no command around it has taken: it stands alone, or behind a group.
    fn bare_redirection(&mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let Some(at) = self.tokens.iter().position(|token| token.span.start == node.start_byte()) else {
            return Err(disagreement(self.slice(&node.byte_range())));
        };
        if self.used.get(at).copied().unwrap_or_default() {
            return Ok(());
        }
        let run = at..self.end_of_run(at);
        self.take(run, place, found)
    }

    /// The here-documents behind a loop or a group: no command around them has taken them.
    fn heredocs_of_groups(&mut self, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        for (at, token) in self.tokens.iter().enumerate() {
            if token.begins_heredoc() && self.used.get(at) == Some(&false) {
                self.take(at..at + 1, place, found)?;
            }
        }
        Ok(())
    }

    /// The variable is assigned each of the words.
    fn for_loop(&mut self, node: Node<'_>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let inside = Place { depth: place.depth + 1, ..place.clone() };
        let mut name = None;
        let mut assignments = Vec::new();
        for child in children(node) {
            match child.kind() {
                "select" => return Err("It chooses with `select`.".into()),
                "variable_name" => {
                    self.use_mark(child)?;
                    name = Some(self.slice(&child.byte_range()).to_owned());
                }
                "do_group" => self.statement(child, &inside, found)?,
                "comment" => {}
                _ => {
                    let at = self.use_mark(child)?;
                    let token = self.tokens.get(at).filter(|_| child.is_named());
                    if let (Some(name), Some(TokenKind::Word(value, _))) =
                        (&name, token.map(|token| &token.kind))
                    {
                        assignments.push(Assignment {
                            name: name.clone(),
                            value: value.clone(),
                            appends: false,
                        });
                    }
                }
            }
        }
        let Some(name) = name.filter(|_| !assignments.is_empty()) else {
            return Err("A loop over words that are not named.".into());
        };
        let source = format!("for {name}");
        let command = SimpleCommand {
            source,
            words: Vec::new(),
            assignments,
            redirections: Vec::new(),
            place: Place { repeats: true, ..inside },
        };
        found.push((node.start_byte(), command));
        Ok(())
    }

    /// The tokens of the simple command that begins at `start`.
    fn run_from(&self, start: usize) -> Result<Range<usize>, Unclear> {
        let at = self.tokens.iter().position(|token| token.span.start == start);
        let Some(at) = at.filter(|at| self.used.get(*at) == Some(&false)) else {
            return Err(disagreement(self.slice(&(start..self.text.len()))));
        };
        let in_front = self.tokens.get(..at).unwrap_or_default();
        let heredocs = in_front.iter().rev().take_while(|token| token.begins_heredoc()).count();
        let at = at - heredocs;
        // Before a command stands what ends another, or a keyword.
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before).zip(self.used.get(before)));
        match before {
            Some((token, used)) if !(token.ends_command() || *used && is_keyword(token)) => {
                Err(disagreement(self.slice(&token.span)))
            }
            Some(_) | None => Ok(at..self.end_of_run(at)),
        }
    }

    fn end_of_run(&self, start: usize) -> usize {
        let length = self.tokens.iter().skip(start).take_while(|token| !token.ends_command()).count();
        start + length
    }

    fn take(&mut self, run: Range<usize>, place: &Place, found: &mut Found) -> Result<(), Unclear> {
        let tokens = self.tokens.get(run.clone()).unwrap_or_default();
        let Some(used) = self.used.get_mut(run) else {
            return Err(disagreement("the end"));
        };
        if used.contains(&true) {
            return Err(disagreement("a command that is part of another"));
        }
        used.fill(true);
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return Err(disagreement("an empty command"));
        };
        let source = self.slice(&(first.span.start..last.span.end));
        let command = simple_command(source, tokens, place.clone())?;
        found.push((first.span.start, command));
        Ok(())
    }

    /// Accounts for the one token that `node` is.
    fn use_mark(&mut self, node: Node<'_>) -> Result<usize, Unclear> {
        let range = node.byte_range();
        if self.shown.get(range.clone()).unwrap_or_default().trim().is_empty()
            || is_bracket_of_substitution(node)
        {
            return Ok(usize::MAX);
        }
        let at = self.tokens.iter().position(|token| token.span == range);
        let used = at.and_then(|at| self.used.get_mut(at));
        match (at, used) {
            (Some(at), Some(used)) if !*used => {
                *used = true;
                Ok(at)
            }
            _ => Err(disagreement(self.slice(&range))),
        }
    }

    fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }
}

fn disagreement(text: &str) -> Unclear {
    let line = text.lines().next().unwrap_or_default();
    format!("It can be read in two ways near `{line}`.")
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..node.child_count()).filter_map(move |at| node.child(at))
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    children(node).last()
}

fn is_substitution(node: Node<'_>) -> bool {
    matches!(node.kind(), "command_substitution" | "process_substitution")
}

/// The parentheses or backquotes around a substitution are no tokens of the line inside.
fn is_bracket_of_substitution(node: Node<'_>) -> bool {
    node.parent().is_some_and(is_substitution)
        && (node.prev_sibling().is_none() || node.next_sibling().is_none())
}

/// The substitutions below `node` that stand in no other.
fn outermost_substitutions(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut left: Vec<Node<'_>> = children(node).collect();
    while let Some(next) = left.pop() {
        if is_substitution(next) {
            found.push(next);
        } else {
            left.extend(children(next));
        }
    }
    found
}
