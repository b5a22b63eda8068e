//! Two requests to the kernel that only its bare interface has: to filter calls, and to leave the keys of the session.

use rustix::io::Errno;

use super::super::order::{CallFilter, FILTER};
use super::calls::{self, Instruction, Sockets};
use super::{Refused, Step};

/// keyctl(2)
const JOIN_SESSION_KEYRING: libc::c_int = 1;

/// From here on calls are refused, to this process and all that come from it.
pub(super) fn filter_calls(filter: CallFilter, sockets: Sockets) -> Result<(), Refused> {
    match filter {
        CallFilter::On => install(&calls::program(sockets).step(FILTER)?).step(FILTER),
        CallFilter::Off => Ok(()),
    }
}

/// The keys of the session that this program was started in are out of reach from here on: a command has a keyring of its
/// own, with nothing in it.
pub(super) fn leave_keys(filter: CallFilter) -> Result<(), Refused> {
    match (join_new_keyring(), filter) {
        // Where nobody has keys, or may ask for them, there is nothing to leave.
        (Ok(()) | Err(Errno::NOSYS | Errno::PERM), _) | (Err(_), CallFilter::On) => Ok(()),
        (Err(error), CallFilter::Off) => Err(Refused::new("keys", error)),
    }
}

#[allow(unsafe_code, reason = "nothing safe makes this call")]
fn join_new_keyring() -> Result<(), Errno> {
    let unnamed = std::ptr::null::<libc::c_char>();
    // SAFETY: it takes a name, or no pointer at all for a keyring without one, and keeps neither.
    done(unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, unnamed) })
}

#[allow(unsafe_code, reason = "nothing safe makes this call")]
fn install(program: &[Instruction]) -> Result<(), Errno> {
    let length = libc::c_ushort::try_from(program.len()).map_err(|_| Errno::INVAL)?;
    let program =
        libc::sock_fprog { len: length, filter: program.as_ptr().cast::<libc::sock_filter>().cast_mut() };
    // SAFETY: an `Instruction` is laid out as a `sock_filter`, there are as many as is said, and the kernel copies them.
    done(unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) })
}

fn done(answer: libc::c_long) -> Result<(), Errno> {
    if answer >= 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
}
