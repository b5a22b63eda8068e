//! Name spaces of the command's own: users, mounts, processes, messages and the network.

use std::fs;

use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set,
    set_capabilities,
};

use super::super::order::{Namespaces, Network};
use super::{Refused, Step};

/// What the first process inside still needs: to mount its processes, and to bring its network up.
const STILL_NEEDED: [CapabilitySet; 2] = [CapabilitySet::SYS_ADMIN, CapabilitySet::NET_ADMIN];

/// Leaves those of the server. The next child is the first process of its own.
pub(super) fn enter(spaces: &Namespaces) -> Result<(), Refused> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let network = match spaces.network {
        Network::Shared => UnshareFlags::empty(),
        Network::None => UnshareFlags::NEWNET,
    };
    unshare(UnshareFlags::NEWUSER).step("user name space")?;
    // Without it an unprivileged process may not map its group.
    fs::write("/proc/self/setgroups", "deny").step("user name space")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).step("user name space")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).step("user name space")?;
    let own = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    unshare(own | network).step("namespaces")
}

/// What is still needed outlives the next exec, whoever the user is.
pub(super) fn keep_privileges() -> Result<(), Refused> {
    let has = capabilities(None).step("privileges")?;
    let kept = STILL_NEEDED.into_iter().collect();
    set_capabilities(None, CapabilitySets { inheritable: kept, ..has }).step("privileges")?;
    STILL_NEEDED
        .into_iter()
        .try_for_each(|capability| configure_capability_in_ambient_set(capability, true).step("privileges"))
}

#[allow(deprecated, reason = "unsafe with `FILES` only, which nobody asks for here")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}
