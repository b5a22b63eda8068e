//! One file searched: the lines that match, those around them, and how often.

use std::fs::File;
use std::io::{self, Read};

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::report::{Hits, Line};
use super::{GrepInput, OutputMode};
use crate::documents::{AbsPath, Ground};
use crate::tools::ToolError;
use crate::tools::folder::Overlay;

/// A prepared search. The same one goes from file to file, so that its buffers are used again; each thread has its own.
#[derive(Clone)]
pub(super) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    mode: OutputMode,
    only_matching: bool,
    /// For files that it has room for.
    buffer: Vec<u8>,
}

/// Most source files are shorter: those are read with one call and searched where they lie.
const BUFFER: usize = 64 * 1024;

impl Search {
    /// The error names what is wrong with the pattern, and where.
    pub(super) fn new(input: &GrepInput) -> Result<Self, ToolError> {
        let mut matcher = RegexMatcherBuilder::new();
        matcher.case_insensitive(input.ignore_case).multi_line(true);
        if input.multiline {
            matcher.dot_matches_new_line(true);
        } else {
            matcher.crlf(true);
        }
        let matcher = matcher
            .build(&input.pattern)
            .map_err(|error| ToolError(format!("`pattern` is not a valid regular expression: {error}")))?;
        let context = |side: Option<usize>| match input.output_mode {
            OutputMode::Content if !input.only_matching => side.or(input.context).unwrap_or(0),
            OutputMode::Content | OutputMode::FilesWithMatches | OutputMode::Count => 0,
        };
        let line_end = if input.multiline { LineTerminator::default() } else { LineTerminator::crlf() };
        let searcher = SearcherBuilder::new()
            .line_terminator(line_end)
            .line_number(input.output_mode == OutputMode::Content)
            .multi_line(input.multiline)
            .before_context(context(input.before))
            .after_context(context(input.after))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        let (mode, only_matching, buffer) = (input.output_mode, input.only_matching, vec![0; BUFFER]);
        Ok(Self { matcher, searcher, mode, only_matching, buffer })
    }

    pub(super) const fn mode(&self) -> OutputMode {
        self.mode
    }

    /// Searches the text that counts for the agent. A file that can't be read has no hits: it may have gone meanwhile.
    pub(super) fn file(&mut self, path: &AbsPath, ground: Option<&Ground>, overlay: &Overlay) -> Hits {
        let Self { matcher, searcher, mode, only_matching, buffer } = self;
        let mut collector = Collector {
            matcher,
            mode: *mode,
            only_matching: *only_matching,
            hits: Hits { path: path.clone(), lines: Vec::new(), matches: 0 },
        };
        let searched = match overlay.text(path) {
            Some(text) => {
                let reader = Pieces { pieces: text.chunks(), piece: &[] };
                searcher.search_reader(&*matcher, reader, &mut collector)
            }
            None => on_disk(path, ground, buffer).and_then(|found| match found {
                OnDisk::Whole(bytes) => searcher.search_slice(&*matcher, bytes, &mut collector),
                OnDisk::Beginning(bytes, rest) => {
                    searcher.search_reader(&*matcher, bytes.chain(rest), &mut collector)
                }
            }),
        };
        if let Err(error) = searched {
            tracing::debug!(%path, %error, "a file is not searched");
        }
        collector.hits
    }
}

/// What of a file fits into a buffer.
enum OnDisk<'buffer> {
    Whole(&'buffer [u8]),
    Beginning(&'buffer [u8], File),
}

fn on_disk<'buffer>(
    path: &AbsPath,
    ground: Option<&Ground>,
    buffer: &'buffer mut [u8],
) -> io::Result<OnDisk<'buffer>> {
    let ground = ground.ok_or(io::ErrorKind::NotFound)?;
    let mut file = ground.file(path)?;
    let mut filled = 0;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => return Ok(OnDisk::Whole(buffer.get(..filled).unwrap_or_default())),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(OnDisk::Beginning(buffer, file))
}

struct Collector<'search> {
    matcher: &'search RegexMatcher,
    mode: OutputMode,
    only_matching: bool,
    hits: Hits,
}

impl Collector<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], matches: bool) {
        let first = number.unwrap_or(1);
        let text = String::from_utf8_lossy(bytes);
        let lines = text.trim_end_matches(['\r', '\n']).split('\n').zip(first..);
        self.hits.lines.extend(lines.map(|(line, number)| Line::Text {
            number,
            text: line.trim_end_matches('\r').to_owned(),
            matches,
        }));
    }

    /// Each matching part of the matched lines by itself, on the line where it begins.
    fn push_parts(&mut self, number: Option<u64>, bytes: &[u8]) -> io::Result<()> {
        let mut parts = Vec::new();
        self.matcher.find_iter(bytes, |part| {
            parts.push(part);
            true
        })?;
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let before = bytes.get(..part.start()).unwrap_or_default();
            let lines = before.split(|byte| *byte == b'\n').skip(1).count() as u64;
            let found = bytes.get(part.start()..part.end()).unwrap_or_default();
            self.push(number.map(|first| first + lines), found, true);
        }
        Ok(())
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.hits.matches += 1;
        match self.mode {
            OutputMode::FilesWithMatches => return Ok(false),
            OutputMode::Count => {}
            OutputMode::Content if self.only_matching => {
                self.push_parts(found.line_number(), found.bytes())?;
            }
            OutputMode::Content => self.push(found.line_number(), found.bytes(), true),
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push(around.line_number(), around.bytes(), false);
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> Result<bool, io::Error> {
        self.hits.lines.push(Line::Gap);
        Ok(true)
    }
}

/// A text in pieces as a stream of bytes.
struct Pieces<'text, I> {
    pieces: I,
    piece: &'text [u8],
}

impl<'text, I: Iterator<Item = &'text str>> Read for Pieces<'text, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.next() {
                Some(next) => self.piece = next.as_bytes(),
                None => return Ok(0),
            }
        }
        self.piece.read(buffer)
    }
}
