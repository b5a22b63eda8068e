//! The person's terminal: what may be coloured, what may be asked, and text that can't play tricks on it.

use std::io::{IsTerminal, Write};

use crate::permissions::{hides, visible_text};

/// Where the person reads and types.
pub(super) struct Terminal {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    colours: Colours,
    /// Somebody can be asked.
    pub(super) interactive: bool,
    /// What is printed is shown on a screen, and read by no program.
    pub(super) is_screen: bool,
    /// What is printed goes nowhere.
    nowhere: bool,
    /// Why some of the output is lost, though there is somebody to read it.
    lost: Option<std::io::Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colours {
    On,
    Off,
}

/// What a piece of text is, as far as its look goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    Heading,
    Quiet,
    Good,
    Bad,
    Added,
    Removed,
    Place,
}

impl Look {
    /// A line of a file, and none that stands beside one.
    pub(super) const fn is_text(self) -> bool {
        match self {
            Self::Plain | Self::Added | Self::Removed => true,
            Self::Heading | Self::Quiet | Self::Good | Self::Bad | Self::Place => false,
        }
    }
}

impl Terminal {
    /// Colours if stdout is a terminal that has them and `NO_COLOR` is not set (no-color.org).
    pub(super) fn of_process() -> Self {
        let out = std::io::stdout();
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let terminal = out.is_terminal();
        Self {
            colours: if terminal && !no_colour { Colours::On } else { Colours::Off },
            interactive: terminal && std::io::stdin().is_terminal(),
            is_screen: terminal,
            nowhere: goes_nowhere(&out),
            out: Box::new(out),
            err: Box::new(std::io::stderr()),
            lost: None,
        }
    }

    /// A terminal that nobody sits at and that takes no colours.
    #[cfg(test)]
    pub(super) fn writing_to(out: impl Write + 'static) -> Self {
        let (out, err) = (Box::new(out), Box::new(std::io::sink()));
        let is_screen = false;
        Self { out, err, colours: Colours::Off, interactive: false, is_screen, nowhere: false, lost: None }
    }

    /// The same, with what is no result there.
    #[cfg(test)]
    pub(super) fn noting_to(self, err: impl Write + 'static) -> Self {
        Self { err: Box::new(err), ..self }
    }

    /// As it is, without a line break.
    pub(super) fn print(&mut self, text: &str) {
        self.print_bytes(text.as_bytes());
    }

    /// For a program to read.
    pub(super) fn print_bytes(&mut self, bytes: &[u8]) {
        let written = self.out.write_all(bytes).and_then(|()| self.out.flush());
        if let Err(error) = written {
            self.lost.get_or_insert(error);
        }
    }

    /// Why not all that was printed has arrived, such as a full disk. A script must not take what there is for the whole.
    /// A reader that has gone away is no error: there is nobody to tell.
    pub(super) fn lost_output(&self) -> Option<String> {
        let lost = self.lost.as_ref().filter(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
        lost.map(ToString::to_string)
    }

    /// All that was printed has arrived somewhere.
    pub(super) fn is_heard(&self) -> bool {
        self.lost.is_none() && !self.nowhere
    }

    pub(super) fn line(&mut self, text: &str) {
        self.print(&format!("{text}\n"));
    }

    pub(super) fn styled(&mut self, look: Look, text: &str) {
        let text = self.paint(look, text);
        self.line(&text);
    }

    /// On stderr, under the program's name.
    pub(super) fn error(&mut self, text: &str) {
        let _ = writeln!(self.err, "copydesk: {text}");
    }

    /// On stderr, for what is not the result.
    pub(super) fn note(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }

    /// The same, without a line break.
    pub(super) fn note_part(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }

    pub(super) fn paint(&self, look: Look, text: &str) -> String {
        let code = match (self.colours, look) {
            (Colours::Off, _) | (Colours::On, Look::Plain) => return text.to_owned(),
            (Colours::On, Look::Heading) => "1",
            (Colours::On, Look::Quiet) => "2",
            (Colours::On, Look::Good | Look::Added) => "32",
            (Colours::On, Look::Bad | Look::Removed) => "31",
            (Colours::On, Look::Place) => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// Asks and waits for a line; `None` at the end of the input. What was typed before the question stood there answers
    /// nothing: it is dropped.
    pub(super) async fn ask(&mut self, question: &str) -> Option<String> {
        typed::forget();
        self.print(question);
        tokio::task::spawn_blocking(typed::line).await.ok().flatten()
    }
}

/// What is typed. Nothing is read ahead of a line, so that all that was typed early is the terminal's own to drop.
#[cfg(unix)]
mod typed {
    use rustix::stdio::stdin;
    use rustix::termios::{QueueSelector, tcflush};

    /// Of a terminal only: what a pipe holds was written for the program to read.
    pub(super) fn forget() {
        let _ = tcflush(stdin(), QueueSelector::IFlush);
    }

    pub(super) fn line() -> Option<String> {
        let (mut line, mut byte) = (Vec::new(), [0]);
        while !line.ends_with(b"\n") {
            match rustix::io::retry_on_intr(|| rustix::io::read(stdin(), &mut byte)).ok()? {
                0 if line.is_empty() => return None,
                0 => break,
                _ => line.extend(byte),
            }
        }
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }
}

#[cfg(not(unix))]
mod typed {
    use std::io::BufRead as _;

    pub(super) const fn forget() {}

    pub(super) fn line() -> Option<String> {
        let mut line = String::new();
        let length = std::io::stdin().lock().read_line(&mut line).ok()?;
        (length > 0).then(|| line.trim().to_owned())
    }
}

/// Whether stdout is the null device, which also stands in for one that was closed.
#[cfg(unix)]
fn goes_nowhere(out: &std::io::Stdout) -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let Ok(out) = out.as_fd().try_clone_to_owned() else { return true };
    let (out, null) = (std::fs::File::from(out).metadata(), std::fs::metadata("/dev/null"));
    let (Ok(out), Ok(null)) = (out, null) else { return false };
    out.file_type().is_char_device() && out.rdev() == null.rdev()
}

#[cfg(not(unix))]
fn goes_nowhere(_out: &std::io::Stdout) -> bool {
    false
}

/// `text` with every control character but tab and line feed made visible, so that a file or a model can't move the cursor or
/// hide what it says.
pub(super) fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            // C1 controls, and what turns the direction of writing.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            other => other,
        })
        .collect()
}

/// What is said of files and their changes, names included: nothing is hidden in it.
pub(super) fn told(text: &str) -> String {
    if hides(text) { visible_text(text) } else { text.to_owned() }
}

/// What was written, for tests.
#[cfg(test)]
#[derive(Clone, Default)]
pub(super) struct Written(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

#[cfg(test)]
impl Written {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

#[cfg(test)]
impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(visible("a\tb\n"), "a\tb\n");
        assert_eq!(visible("\x1b[2Jx\r\x7f"), "␛[2Jx␍␡");
        assert_eq!(visible("a\u{9b}b\u{202e}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn no_colours_where_none_are_wanted() {
        assert_eq!(Terminal::writing_to(std::io::sink()).paint(Look::Added, "+x"), "+x");
    }
}
