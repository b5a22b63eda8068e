//! A table of refused calls as a program for the kernel's classic packet filter, which reads `struct seccomp_data`: the
//! call's number, the machine, the place, and six arguments of 64 bits.

use rustix::io::Errno;

use super::{Machine, Refused, When};

/// `struct sock_filter`: an operation, how many instructions to pass over if it holds and if not, and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(in super::super) struct Instruction {
    pub(super) code: u16,
    pub(super) yes: u8,
    pub(super) no: u8,
    pub(super) value: u32,
}

/// Operations: `BPF_LD | BPF_W | BPF_ABS` and so on.
pub(super) const LOAD: u16 = 0x20;
pub(super) const IS: u16 = 0x15;
pub(super) const IS_AT_LEAST: u16 = 0x35;
pub(super) const HAS: u16 = 0x45;
pub(super) const RETURN: u16 = 0x06;

/// Where the data has them.
pub(super) const NUMBER: u32 = 0;
pub(super) const MACHINE: u32 = 4;
pub(super) const ARGUMENTS: u32 = 16;

/// What a program can say of a call.
pub(super) const ALLOW: u32 = 0x7fff_0000;
pub(super) const REFUSE: u32 = 0x0005_0000;
pub(super) const KILL: u32 = 0x8000_0000;

/// For programs of `machine` and of what else runs there. Those of any other machine are killed, since their calls would
/// have other numbers.
pub(super) fn program(machine: Machine, refused: &[Refused]) -> Vec<Instruction> {
    let mut program = Vec::new();
    for machine in machine.at_home() {
        let calls = of_machine(*machine, refused);
        program.push(instruction(LOAD, 0, 0, MACHINE));
        program.push(instruction(IS, 1, 0, machine.code()));
        // An unconditional jump, since a conditional one passes over 255 at most.
        program.push(instruction(JUMP, 0, 0, u32::try_from(calls.len()).unwrap_or(u32::MAX)));
        program.extend(calls);
    }
    program.push(done(KILL));
    program
}

/// `BPF_JMP | BPF_JA`
pub(super) const JUMP: u16 = 0x05;

/// Ends in a verdict whatever the call.
fn of_machine(machine: Machine, refused: &[Refused]) -> Vec<Instruction> {
    let mut program = vec![instruction(LOAD, 0, 0, NUMBER)];
    if let Some(end) = machine.end() {
        program.push(instruction(IS_AT_LEAST, 0, 1, end));
        program.push(refuse(Errno::NOSYS));
    }
    for row in refused {
        let Some(number) = row.number(machine) else { continue };
        let verdict = verdict(row.when, row.with);
        // A verdict has a handful of instructions.
        program.push(instruction(IS, 0, u8::try_from(verdict.len()).unwrap_or(u8::MAX), number));
        program.extend(verdict);
    }
    program.push(done(ALLOW));
    program
}

/// What becomes of a call of the right number. It ends in any case, since the number is not at hand any more.
fn verdict(when: When, with: Errno) -> Vec<Instruction> {
    let argument = |number: u32| instruction(LOAD, 0, 0, ARGUMENTS + 8 * number);
    let one_of = |number: u32, values: &[u32], yes: Instruction, no: Instruction| {
        let mut program = vec![argument(number)];
        for (left, value) in (1..=values.len()).rev().zip(values) {
            // Over those that follow, and over the verdict if it is none of them.
            program.push(instruction(IS, u8::try_from(left).unwrap_or(u8::MAX), 0, *value));
        }
        program.extend([no, yes]);
        program
    };
    match when {
        When::Always => vec![refuse(with)],
        When::NoneOf(number, values) => one_of(number, values, done(ALLOW), refuse(with)),
        When::OneOf(number, values) => one_of(number, values, refuse(with), done(ALLOW)),
        When::Has(number, bits) => {
            vec![argument(number), instruction(HAS, 0, 1, bits), refuse(with), done(ALLOW)]
        }
    }
}

fn refuse(with: Errno) -> Instruction {
    done(REFUSE | with.raw_os_error().unsigned_abs())
}

const fn done(value: u32) -> Instruction {
    instruction(RETURN, 0, 0, value)
}

const fn instruction(code: u16, yes: u8, no: u8, value: u32) -> Instruction {
    Instruction { code, yes, no, value }
}
