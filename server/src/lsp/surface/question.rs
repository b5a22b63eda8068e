//! How a permission question is put to the person: so that it is seen, and so that no key meant for the text answers it.
//!
//! Invariant: only a choice is an answer. A closed window, an error, "Decide later" and silence leave the question open.

mod actor;

use std::time::{Duration, Instant};

use super::OpenQuestion;
use super::words::{asked, one_line, shortened};
use crate::editor::{EditorFeatures, Loudness};
use crate::permissions::{Asks, PermissionAnswer, PermissionOptionKind, PermissionRequest};

pub use actor::Asker;

/// First in the list, since Helix selects that and an `Enter` takes it.
const LATER: &str = "Decide later";
/// Without a key for so long, nobody is typing.
const QUIET: Duration = Duration::from_secs(2);
/// What is left of a line of 80 columns, with what Neovim writes before an error and keeps free behind it.
const SHORT: usize = 54;
/// A message is one line that the next key wipes away.
const REPEAT: Duration = Duration::from_secs(5);
/// Then it is drawn over the open files.
const OVERDUE: Duration = Duration::from_secs(10);

/// What this editor is asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Our plug-in has a view of its own, told by `copydesk/permission/asked`.
    PlugIn,
    /// `window/showMessageRequest`.
    Request,
    /// Messages that point to the code actions, then a diagnostic.
    Messages,
    /// The same where a message waits for a key, which was meant for the text, unless it is an error that fits on a line.
    ShortErrors,
}

/// Every open question, and when it was put to the person. Pure: the time comes in.
#[derive(Debug)]
pub struct Questions {
    style: Style,
    open: Vec<Asked>,
    last_key: Option<Instant>,
}

#[derive(Debug)]
struct Asked {
    request: PermissionRequest,
    since: Instant,
    /// The last time it was put to the person.
    put: Option<Instant>,
    overdue: bool,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `window/showMessageRequest`; the reply goes to `Questions::chosen`.
    Ask { request_id: String, text: String, choices: Vec<String> },
    /// `window/showMessage`.
    Tell(Loudness, String),
    /// The surfaces look different now.
    Redraw,
}

impl Questions {
    pub fn new(features: &EditorFeatures) -> Self {
        let style = if features.copydesk.permissions {
            Style::PlugIn
        } else if features.safe_questions {
            Style::Request
        } else if features.messages_wait {
            Style::ShortErrors
        } else {
            Style::Messages
        };
        Self { style, open: Vec::new(), last_key: None }
    }

    pub fn asked(&mut self, request: PermissionRequest, now: Instant) {
        self.open.push(Asked { request, since: now, put: None, overdue: false });
    }

    /// Answered somewhere, or void.
    pub fn resolved(&mut self, request_id: &str) {
        self.open.retain(|asked| asked.request.id != request_id);
    }

    /// A document changed: somebody types.
    pub fn typed(&mut self, now: Instant) {
        self.last_key = Some(now);
    }

    /// The reply to an `Ask`. `None`: it decides nothing.
    pub fn chosen(&self, request_id: &str, choice: Option<&str>) -> Option<PermissionAnswer> {
        let asked = self.open.iter().find(|asked| asked.request.id == request_id)?;
        let option = asked.request.options.iter().find(|option| Some(option.name.as_str()) == choice)?;
        Some(PermissionAnswer::of(option.id.clone()))
    }

    /// What is due at `now`. One question at a time: the oldest.
    pub fn due(&mut self, now: Instant) -> Vec<Effect> {
        let quiet = self.quiet_from().is_none_or(|from| from <= now);
        let style = self.style;
        let Some(asked) = self.open.first_mut() else { return Vec::new() };
        let mut effects = Vec::new();
        match style {
            Style::PlugIn => {}
            Style::Request => {
                if asked.put.is_none() && quiet {
                    asked.put = Some(now);
                    effects.push(ask(&asked.request));
                }
            }
            Style::Messages | Style::ShortErrors => {
                if !asked.overdue && now >= asked.since + OVERDUE {
                    asked.overdue = true;
                    effects.push(Effect::Redraw);
                } else if !asked.overdue && asked.put.is_none_or(|put| now >= put + REPEAT) {
                    asked.put = Some(now);
                    effects.push(tell(&asked.request, style));
                }
            }
        }
        effects
    }

    /// When to call `due` again; `None`: not before something happens.
    pub fn wake(&self) -> Option<Instant> {
        let asked = self.open.first()?;
        match self.style {
            Style::PlugIn => None,
            Style::Request => match asked.put {
                None => Some(self.quiet_from().unwrap_or(asked.since)),
                Some(_) => None,
            },
            Style::Messages | Style::ShortErrors if asked.overdue => None,
            Style::Messages | Style::ShortErrors => {
                let overdue = asked.since + OVERDUE;
                Some(asked.put.map_or(asked.since, |put| (put + REPEAT).min(overdue)))
            }
        }
    }

    /// Oldest first.
    pub fn open(&self) -> Vec<OpenQuestion> {
        let open = |asked: &Asked| OpenQuestion { request: asked.request.clone(), overdue: asked.overdue };
        self.open.iter().map(open).collect()
    }

    fn quiet_from(&self) -> Option<Instant> {
        self.last_key.map(|key| key + QUIET)
    }
}

fn ask(request: &PermissionRequest) -> Effect {
    let title = one_line(&request.title);
    let lead = match request.asks {
        Asks::Leave => "Copydesk wants to",
        Asks::Choice => "Copydesk asks",
    };
    let text = match request.explanation.trim() {
        "" => format!("{lead}: {title}"),
        explanation => format!("{lead}: {title} ({})", one_line(explanation)),
    };
    // Whoever moves the cursor down and begins a line has chosen the second: that must allow nothing either.
    let (denials, rest): (Vec<_>, Vec<_>) = request.options.iter().partition(|option| match option.kind {
        PermissionOptionKind::RejectOnce | PermissionOptionKind::RejectAlways => request.asks == Asks::Leave,
        PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways => false,
    });
    let names = denials.into_iter().chain(rest).map(|option| option.name.clone());
    let choices = std::iter::once(LATER.to_owned()).chain(names).collect();
    Effect::Ask { request_id: request.id.clone(), text, choices }
}

fn tell(request: &PermissionRequest, style: Style) -> Effect {
    match style {
        Style::ShortErrors => {
            let text = format!("Answer by code action: {}", one_line(&request.title));
            Effect::Tell(Loudness::Error, shortened(&text, SHORT).into_owned())
        }
        Style::PlugIn | Style::Request | Style::Messages => {
            let text = format!("Copydesk waits for you: {} Answer with a code action.", asked(request));
            Effect::Tell(Loudness::Warning, text)
        }
    }
}

#[cfg(test)]
mod tests;
