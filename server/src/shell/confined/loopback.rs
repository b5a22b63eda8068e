//! The loopback of a network of its own, which begins switched off: tests talk to servers of their own through it.

use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socket_with};

use super::super::order::Network;

/// rtnetlink(7): `RTM_NEWLINK`, `NLM_F_REQUEST`, `IFF_UP`, and the number that the loopback has in each network.
const NEW_LINK: u16 = 16;
const REQUEST: u16 = 1;
const UP: u32 = 1;
const LOOPBACK: u32 = 1;

/// A command without a loopback fails only if it needs one, so this can't fail.
pub(super) fn bring_up(network: Network) {
    if network == Network::Shared {
        return;
    }
    let netlink = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None);
    if let Ok(netlink) = netlink {
        let _ = send(&netlink, &request(), SendFlags::empty());
    }
}

/// A header of 16 bytes, then what is wanted of which interface.
fn request() -> [u8; 32] {
    let mut message = [0; 32];
    let parts: [(usize, &[u8]); 6] = [
        (0, &32_u32.to_ne_bytes()),
        (4, &NEW_LINK.to_ne_bytes()),
        (6, &REQUEST.to_ne_bytes()),
        (20, &LOOPBACK.to_ne_bytes()),
        (24, &UP.to_ne_bytes()),
        (28, &UP.to_ne_bytes()),
    ];
    for (at, bytes) in parts {
        for (place, byte) in message.iter_mut().skip(at).zip(bytes) {
            *place = *byte;
        }
    }
    message
}
