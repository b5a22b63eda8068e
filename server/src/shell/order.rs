//! What a confined process is told over its control socket, and what it says back.

use std::io;

use camino::Utf8PathBuf;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// One command, and the walls to run it in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    pub(super) cwd: Utf8PathBuf,
    /// All of it: nothing is inherited.
    pub(super) environment: Vec<(String, String)>,
    pub(super) walls: Walls,
    pub(super) filter: CallFilter,
    pub(super) limits: Limits,
}

/// Whether the kernel refuses a command the calls that it has no use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallFilter {
    On,
    /// There are no walls, or this kernel has no such filter.
    Off,
}

/// The step that fails where it has none.
pub(super) const FILTER: &str = "filter of system calls";

/// What keeps a command inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Walls {
    /// A file system, processes and a network of its own.
    Namespaces(Namespaces),
    /// Rights on the files of this system alone: what is left where namespaces are refused.
    Rights(Rights),
    /// Nothing, but that its processes end with it.
    Open,
}

/// The file system that the command sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Namespaces {
    pub(super) trees: Vec<Tree>,
    /// What `/tmp` is.
    pub(super) temporary: Utf8PathBuf,
    /// An empty folder of this command alone, for what is put over others.
    pub(super) scratch: Utf8PathBuf,
    /// Files and folders that can't be read; those that are not there are passed over.
    pub(super) hidden: Vec<Utf8PathBuf>,
    /// Real folders that the command may write to.
    pub(super) writable: Vec<Utf8PathBuf>,
    pub(super) network: Network,
    /// A file that says how many commands run on the same trees, and is written whenever one begins or ends; `None`: no
    /// others do.
    pub(super) running: Option<Utf8PathBuf>,
    /// A command that runs already, whose network this one has too.
    pub(super) neighbour: Option<Neighbour>,
}

/// A process with a network of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Neighbour {
    pub(super) process: u32,
    /// The number of that network, by which it is known again.
    pub(super) network: u64,
}

/// What stands in the place of a folder of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Tree {
    /// The folder `at` with `upper` over it; what is written goes there. `work` is a folder of this mount alone.
    Overlay { at: Utf8PathBuf, upper: Utf8PathBuf, work: Utf8PathBuf },
    /// The folder `copy` instead.
    Copy { at: Utf8PathBuf, copy: Utf8PathBuf },
}

/// What a command may do where only rights on files can be taken from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rights {
    pub(super) writable: Vec<Utf8PathBuf>,
    pub(super) hidden: Vec<Utf8PathBuf>,
    pub(super) network: Network,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// This machine's.
    Shared,
    /// None but a loopback of its own.
    None,
}

/// What one command may use at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads together.
    pub processes: u64,
    /// Bytes of data of each process.
    pub memory: u64,
    /// Bytes of one file it writes.
    pub file_size: u64,
}

/// What the confined process says, one a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// The walls can't be built: nothing has run.
    Refused {
        step: String,
        cause: String,
    },
    Started,
    Ended(Exit),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

impl Exit {
    /// As a shell tells it: 128 and the signal's number for one that was killed.
    pub const fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// `message` with its length before it, so that its reader takes no byte too many.
pub(super) fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    Ok([length.to_le_bytes().as_slice(), &body].concat())
}

/// The next framed message.
pub(super) fn read_frame<T: DeserializeOwned>(mut read: impl io::Read) -> io::Result<T> {
    let mut length = [0; 4];
    read.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_le_bytes(length) as usize];
    read.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_to_its_end_and_no_further() {
        let sent = Report::Refused { step: "overlay".to_owned(), cause: "no\nway".to_owned() };
        let bytes = [frame(&sent).unwrap(), frame(&Exit::Signal(9)).unwrap()].concat();
        let mut left = bytes.as_slice();
        assert_eq!(read_frame::<Report>(&mut left).unwrap(), sent);
        assert_eq!(read_frame::<Exit>(&mut left).unwrap().code(), 137);
        assert!(left.is_empty() && read_frame::<Exit>(left).is_err());
    }
}
