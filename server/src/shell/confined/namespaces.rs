//! Name spaces of the command's own: users, mounts, processes, messages and the network.

use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, LinkNameSpaceType, UnshareFlags, capabilities,
    configure_capability_in_ambient_set, move_into_link_name_space, set_capabilities,
};

use super::super::order::{Namespaces, Neighbour, Network};
use super::{Refused, Step};

/// What the first process inside still needs: to mount its processes, and to bring its network up.
const STILL_NEEDED: [CapabilitySet; 2] = [CapabilitySet::SYS_ADMIN, CapabilitySet::NET_ADMIN];

/// Leaves those of the server. The next child is the first process of its own.
pub(super) fn enter(spaces: &Namespaces) -> Result<(), Refused> {
    let own = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    let network = match spaces.network {
        Network::Shared => UnshareFlags::empty(),
        // The neighbour may have ended just now.
        Network::None if spaces.neighbour.as_ref().is_some_and(|neighbour| join(neighbour).is_some()) => {
            return unshare(own).step("namespaces");
        }
        Network::None => UnshareFlags::NEWNET,
    };
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER).step("user name space")?;
    // Without it an unprivileged process may not map its group.
    fs::write("/proc/self/setgroups", "deny").step("user name space")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).step("user name space")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).step("user name space")?;
    unshare(own | network).step("namespaces")
}

/// Has the users and the network of a neighbour. A network belongs to the users that it was made for.
fn join(neighbour: &Neighbour) -> Option<()> {
    let open = |kind: &str| File::open(format!("/proc/{}/ns/{kind}", neighbour.process)).ok();
    let (users, network) = (open("user")?, open("net")?);
    // Else the process is gone, and another has its number.
    if network.metadata().ok()?.ino() != neighbour.network {
        return None;
    }
    move_into_link_name_space(users.as_fd(), Some(LinkNameSpaceType::User)).ok()?;
    move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network)).ok()
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
