use super::filter::{
    ALLOW, ARGUMENTS, HAS, IS, IS_AT_LEAST, JUMP, KILL, LOAD, MACHINE, NUMBER, REFUSE, RETURN, program,
};
use super::*;

/// What the kernel makes of a call: the number of the error, or `None` if it goes through.
fn judged(
    (home, sockets): (Machine, Sockets),
    machine: u32,
    number: u32,
    arguments: [u32; 2],
) -> Result<Option<u32>, &'static str> {
    let program = program(home, &refused(sockets));
    assert!(program.len() < 4_096, "the kernel takes no longer one");
    let (mut at, mut held) = (0_usize, 0_u32);
    loop {
        let step = program[at];
        at += 1;
        let holds = match step.code {
            LOAD => {
                held = match step.value {
                    NUMBER => number,
                    MACHINE => machine,
                    place => arguments[((place - ARGUMENTS) / 8) as usize],
                };
                continue;
            }
            JUMP => {
                at += step.value as usize;
                continue;
            }
            RETURN if step.value == ALLOW => return Ok(None),
            RETURN if step.value == KILL => return Err("killed"),
            RETURN => return Ok(Some(step.value - REFUSE)),
            IS => held == step.value,
            IS_AT_LEAST => held >= step.value,
            HAS => held & step.value != 0,
            other => panic!("operation {other}"),
        };
        at += usize::from(if holds { step.yes } else { step.no });
    }
}

/// `want`: the error, or `None` if the call goes through.
#[track_caller]
fn check(machine: Machine, call: &str, arguments: [u32; 2], want: Option<Errno>) {
    let home = if machine == Machine::I386 { Machine::X86_64 } else { machine };
    let row = refused(Sockets::Usual).into_iter().find(|row| row.name == call).unwrap();
    let number = row.number(machine).unwrap();
    let want = want.map(|errno| errno.raw_os_error().unsigned_abs());
    assert_eq!(
        judged((home, Sockets::Usual), machine.code(), number, arguments),
        Ok(want),
        "{machine:?} {call} {arguments:?}"
    );
}

const MACHINES: [Machine; 3] = [Machine::X86_64, Machine::I386, Machine::Aarch64];

#[test]
fn what_only_harms_is_refused_on_each_machine() {
    for machine in MACHINES {
        for call in
            ["keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "mount", "setns"]
        {
            check(machine, call, [0, 0], Some(Errno::PERM));
        }
        for call in ["io_uring_setup", "clone3"] {
            check(machine, call, [0, 0], Some(Errno::NOSYS));
        }
    }
}

#[test]
fn a_socket_is_one_of_four_families() {
    const VSOCK: u32 = 40;
    const ALG: u32 = 38;
    const PACKET: u32 = 17;
    for machine in MACHINES {
        for call in ["socket", "socketpair"] {
            for family in [UNIX, INET, INET6, NETLINK] {
                check(machine, call, [family, 1], None);
            }
            for family in [VSOCK, ALG, PACKET, 0, 3] {
                check(machine, call, [family, 1], Some(Errno::AFNOSUPPORT));
            }
        }
    }
    check(Machine::I386, "socketcall", [1, 0], Some(Errno::NOSYS));
}

#[test]
fn where_no_other_wall_is_around_them_a_socket_leads_nowhere() {
    let (machine, sockets) = (Machine::X86_64, Sockets::None);
    let made = |call: &str, family: u32| {
        let row = refused(sockets).into_iter().find(|row| row.name == call).unwrap();
        judged((machine, sockets), machine.code(), row.number(machine).unwrap(), [family, 1])
    };
    let refused = Ok(Some(Errno::AFNOSUPPORT.raw_os_error().unsigned_abs()));
    for family in [UNIX, INET, INET6] {
        assert_eq!(made("socket", family), refused, "{family}");
        assert_eq!(made("socketpair", family), Ok(None), "{family}");
    }
    assert_eq!(made("socket", NETLINK), Ok(None));
}

#[test]
fn processes_and_threads_are_made_but_no_name_space_of_users() {
    const THREAD: u32 = 0x003d_0f00;
    const FORK: u32 = 0x0120_0011;
    const NEW_MOUNTS: u32 = 0x0002_0000;
    for machine in MACHINES {
        check(machine, "clone", [THREAD, 0], None);
        check(machine, "clone", [FORK, 0], None);
        check(machine, "clone", [NEW_USERS | 0x11, 0], Some(Errno::PERM));
        check(machine, "unshare", [0x200, 0], None);
        check(machine, "unshare", [NEW_USERS | NEW_MOUNTS, 0], Some(Errno::PERM));
        check(machine, "ioctl", [1, 0x5401], None);
        check(machine, "ioctl", [1, 0x5412], Some(Errno::PERM));
    }
}

#[test]
fn what_is_in_no_row_goes_through() {
    // read, write, execve, ptrace, and a call that there is not yet.
    for (machine, numbers) in
        [(Machine::X86_64, [0, 1, 59, 101, 4_000]), (Machine::Aarch64, [63, 64, 221, 117, 4_000])]
    {
        for number in numbers {
            assert_eq!(
                judged((machine, Sockets::Usual), machine.code(), number, [0, 0]),
                Ok(None),
                "{machine:?} {number}"
            );
        }
    }
}

#[test]
fn another_table_of_calls_is_no_way_around() {
    let no_such_call = Ok(Some(Errno::NOSYS.raw_os_error().unsigned_abs()));
    assert_eq!(
        judged((Machine::X86_64, Sockets::Usual), Machine::X86_64.code(), 0x4000_0000 + 250, [0, 0]),
        no_such_call
    );
    let arm = 0x4000_0028;
    assert_eq!(judged((Machine::Aarch64, Sockets::Usual), arm, 0, [0, 0]), Err("killed"));
    assert_eq!(judged((Machine::X86_64, Sockets::Usual), Machine::Aarch64.code(), 0, [0, 0]), Err("killed"));
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_numbers_are_those_of_this_machine() {
    for (call, number) in [
        ("keyctl", libc::SYS_keyctl),
        ("socket", libc::SYS_socket),
        ("clone", libc::SYS_clone),
        ("unshare", libc::SYS_unshare),
        ("io_uring_setup", libc::SYS_io_uring_setup),
        ("bpf", libc::SYS_bpf),
        ("ioctl", libc::SYS_ioctl),
        ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ] {
        let row = refused(Sockets::Usual).into_iter().find(|row| row.name == call).unwrap();
        assert_eq!(row.number(Machine::X86_64).map(i64::from), Some(number), "{call}");
    }
}
