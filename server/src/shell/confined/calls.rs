//! What a command may not ask of the kernel: keys, other ways to the network, the system itself, and name spaces of its own.
//!
//! What ordinary programs do without a privilege stays: a build, a debugger of one's own processes, a server for a test.

mod filter;

use rustix::io::Errno;

pub(super) use self::filter::Instruction;

/// A machine whose calls have numbers of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    X86_64,
    /// Programs of 32 bits on the one above.
    I386,
    Aarch64,
}

/// Calls that are refused, and when.
struct Refused {
    /// Only read beside the numbers.
    #[cfg_attr(not(test), expect(dead_code, reason = "names the row"))]
    name: &'static str,
    numbers: Numbers,
    when: When,
    with: Errno,
}

/// What a call is called by on each machine; `None`: it is not there.
#[derive(Clone, Copy)]
struct Numbers {
    x86_64: Option<u32>,
    aarch64: Option<u32>,
    i386: Option<u32>,
}

/// What of a call is looked at: the lower half of an argument, which is all that the kernel looks at in these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Always,
    /// The argument of this number is none of these.
    NoneOf(u32, &'static [u32]),
    /// It is one of these.
    OneOf(u32, &'static [u32]),
    /// It has one of these bits.
    Has(u32, u32),
}

/// Which sockets a command may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Within this machine, and of networks: the other walls say what they reach.
    Usual,
    /// None that leads anywhere: the other walls know nothing of names that are files, nor of datagrams.
    None,
}

impl Sockets {
    const fn families(self) -> &'static [u32] {
        match self {
            Self::Usual => FAMILIES,
            Self::None => &[NETLINK],
        }
    }
}

/// Names of interfaces are asked by netlink.
const FAMILIES: &[u32] = &[UNIX, INET, INET6, NETLINK];
const UNIX: u32 = 1;
const INET: u32 = 2;
const INET6: u32 = 10;
const NETLINK: u32 = 16;
/// A name space of users makes whoever asks for it root in it, with far more of the kernel in reach.
const NEW_USERS: u32 = 0x1000_0000;
/// What writes into a terminal as if it had been typed there: `TIOCSTI` and `TIOCLINUX`.
const TYPING: &[u32] = &[0x5412, 0x541c];

/// What is refused, in the order that it is looked for.
fn refused(sockets: Sockets) -> Vec<Refused> {
    let same = |number| [number, number, number];
    let mut rows = Vec::new();
    let mut refuse = |name, [x86_64, aarch64, i386]: [u32; 3], when, with| {
        let number = |number: u32| (number != NONE).then_some(number);
        let numbers = Numbers { x86_64: number(x86_64), aarch64: number(aarch64), i386: number(i386) };
        rows.push(Refused { name, numbers, when, with });
    };
    // Keys: those of the session and of the user hold tickets and passwords.
    refuse("keyctl", [250, 219, 288], When::Always, Errno::PERM);
    refuse("add_key", [248, 217, 286], When::Always, Errno::PERM);
    refuse("request_key", [249, 218, 287], When::Always, Errno::PERM);
    // Ways out that no other wall knows: to the host of a virtual machine, by radio, past the network.
    refuse("socket", [41, 198, 359], When::NoneOf(0, sockets.families()), Errno::AFNOSUPPORT);
    // The two ends of one lead to each other only.
    refuse("socketpair", [53, 199, 360], When::NoneOf(0, FAMILIES), Errno::AFNOSUPPORT);
    // Its arguments lie where nothing can look at them; programs ask for a socket by itself then.
    refuse("socketcall", [NONE, NONE, 102], When::Always, Errno::NOSYS);
    // It does what other calls do, unseen.
    refuse("io_uring_setup", same(425), When::Always, Errno::NOSYS);
    refuse("io_uring_enter", same(426), When::Always, Errno::NOSYS);
    refuse("io_uring_register", same(427), When::Always, Errno::NOSYS);
    // Name spaces. The arguments of the newer call can't be looked at; programs take the older one then.
    refuse("clone", [56, 220, 120], When::Has(0, NEW_USERS), Errno::PERM);
    refuse("clone3", same(435), When::Always, Errno::NOSYS);
    refuse("unshare", [272, 97, 310], When::Has(0, NEW_USERS), Errno::PERM);
    refuse("setns", [308, 268, 346], When::Always, Errno::PERM);
    // Mounts, and files by a number instead of a name.
    refuse("mount", [165, 40, 21], When::Always, Errno::PERM);
    refuse("umount2", [166, 39, 52], When::Always, Errno::PERM);
    refuse("umount", [NONE, NONE, 22], When::Always, Errno::PERM);
    refuse("pivot_root", [155, 41, 217], When::Always, Errno::PERM);
    refuse("open_tree", same(428), When::Always, Errno::PERM);
    refuse("move_mount", same(429), When::Always, Errno::PERM);
    refuse("fsopen", same(430), When::Always, Errno::PERM);
    refuse("fsconfig", same(431), When::Always, Errno::PERM);
    refuse("fsmount", same(432), When::Always, Errno::PERM);
    refuse("fspick", same(433), When::Always, Errno::PERM);
    refuse("mount_setattr", same(442), When::Always, Errno::PERM);
    refuse("open_tree_attr", same(467), When::Always, Errno::PERM);
    refuse("open_by_handle_at", [304, 265, 342], When::Always, Errno::PERM);
    // The kernel itself.
    refuse("bpf", [321, 280, 357], When::Always, Errno::PERM);
    refuse("perf_event_open", [298, 241, 336], When::Always, Errno::PERM);
    refuse("userfaultfd", [323, 282, 374], When::Always, Errno::PERM);
    refuse("kexec_load", [246, 104, 283], When::Always, Errno::PERM);
    refuse("kexec_file_load", [320, 294, NONE], When::Always, Errno::PERM);
    refuse("init_module", [175, 105, 128], When::Always, Errno::PERM);
    refuse("finit_module", [313, 273, 350], When::Always, Errno::PERM);
    refuse("delete_module", [176, 106, 129], When::Always, Errno::PERM);
    refuse("syslog", [103, 116, 103], When::Always, Errno::PERM);
    refuse("lookup_dcookie", [212, 18, 253], When::Always, Errno::PERM);
    // The machine.
    refuse("reboot", [169, 142, 88], When::Always, Errno::PERM);
    refuse("swapon", [167, 224, 87], When::Always, Errno::PERM);
    refuse("swapoff", [168, 225, 115], When::Always, Errno::PERM);
    refuse("acct", [163, 89, 51], When::Always, Errno::PERM);
    refuse("quotactl", [179, 60, 131], When::Always, Errno::PERM);
    refuse("quotactl_fd", same(443), When::Always, Errno::PERM);
    refuse("settimeofday", [164, 170, 79], When::Always, Errno::PERM);
    refuse("clock_settime", [227, 112, 264], When::Always, Errno::PERM);
    refuse("clock_settime64", [NONE, NONE, 404], When::Always, Errno::PERM);
    refuse("stime", [NONE, NONE, 25], When::Always, Errno::PERM);
    refuse("iopl", [172, NONE, 110], When::Always, Errno::PERM);
    refuse("ioperm", [173, NONE, 101], When::Always, Errno::PERM);
    refuse("vhangup", [153, 58, 111], When::Always, Errno::PERM);
    refuse("ioctl", [16, 29, 54], When::OneOf(1, TYPING), Errno::PERM);
    rows
}

/// Where a machine does not have a call.
const NONE: u32 = u32::MAX;

impl Machine {
    /// What this program was built for, if it is known here.
    const fn own() -> Option<Self> {
        if cfg!(target_arch = "x86_64") {
            Some(Self::X86_64)
        } else if cfg!(target_arch = "aarch64") {
            Some(Self::Aarch64)
        } else {
            None
        }
    }

    /// As the kernel's audit names it.
    const fn code(self) -> u32 {
        match self {
            Self::X86_64 => 0xc000_003e,
            Self::I386 => 0x4000_0003,
            Self::Aarch64 => 0xc000_00b7,
        }
    }

    /// The machines whose programs run where this one's do.
    const fn at_home(self) -> &'static [Self] {
        match self {
            Self::X86_64 => &[Self::X86_64, Self::I386],
            Self::I386 => &[Self::I386],
            Self::Aarch64 => &[Self::Aarch64],
        }
    }

    /// Calls from this number on are those of another table, which only some kernels have.
    const fn end(self) -> Option<u32> {
        match self {
            Self::X86_64 => Some(0x4000_0000),
            Self::I386 | Self::Aarch64 => None,
        }
    }
}

impl Refused {
    const fn number(&self, machine: Machine) -> Option<u32> {
        match machine {
            Machine::X86_64 => self.numbers.x86_64,
            Machine::I386 => self.numbers.i386,
            Machine::Aarch64 => self.numbers.aarch64,
        }
    }
}

/// The filter for this machine; an error says why there is none.
pub(super) fn program(sockets: Sockets) -> Result<Vec<Instruction>, &'static str> {
    let machine = Machine::own().ok_or("the numbers of this processor's calls are not known here")?;
    Ok(filter::program(machine, &refused(sockets)))
}

#[cfg(test)]
mod tests;
