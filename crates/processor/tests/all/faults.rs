//! Each kind of fault, and the corners of control.

use crate::kit::{
    A0, A1, BREAK, DATA, TEXT, addi, branch, bytes, call, check, constant, file, jal, jalr, load,
};
use crate::kit::{lui, program, run, store};
use crate::steps::claimed_in_rows;
use volery_processor::{Claim, End, Fault, Kind, Program, Told};

/// Demands that `program` ends in `kind` at instruction number `at`: in the clear, by public control, and row by
/// row.
#[track_caller]
fn faults_in(program: &Program, kind: Kind, at: u32, about: u32) {
    let ended = run(program, &[], &[]).expect("it ends");
    assert_eq!(ended.end, End::Fault(Fault { kind, pc: TEXT + 4 * at, about }));
    assert_eq!(ended.claim, Claim { private: 0, output: vec![], end: Told::Fault(kind) });
    check(program, &[], &[], ended.claim.clone()).expect("it holds");
    claimed_in_rows(program, &ended.claim, &[], None).expect("it holds");
    for other in Kind::ALL.into_iter().filter(|other| *other != kind) {
        let claim = Claim { end: Told::Fault(other), ..ended.claim.clone() };
        assert!(check(program, &[], &[], claim).is_err());
    }
    assert!(check(program, &[], &[], Claim { end: Told::Exit(0), ..ended.claim }).is_err());
}

/// Demands that it exits with this code, likewise.
#[track_caller]
fn exits_with(program: &Program, code: u32) {
    let ended = run(program, &[], &[]).expect("it ends");
    assert_eq!(ended.end, End::Exit(code));
    check(program, &[], &[], ended.claim.clone()).expect("it holds");
    claimed_in_rows(program, &ended.claim, &[], None).expect("it holds");
    assert!(check(program, &[], &[], Claim { end: Told::Exit(code ^ 1), ..ended.claim }).is_err());
}

#[test]
fn words_that_are_no_instructions() {
    let reserved = [
        0,
        0xffff_ffff,
        0x0000_0001,
        0x4000_1033,
        0x0200_1013,
        0x0000_2063,
        0x0000_3003,
        0x0000_3023,
        0x0000_1067,
        // `unimp`, which is a write to `cycle`, and another to `mhartid`.
        0xc000_1073,
        0xf142_a073,
        0xf140_d073,
        0x0000_4073,
        0x0020_0073,
        0x0000_200f,
        0x0600_5033,
    ];
    for word in reserved {
        faults_in(&program(&[addi(A0, 0, 1), word]), Kind::Illegal, 1, word);
    }
    faults_in(&program(&[BREAK]), Kind::Break, 0, TEXT);
    faults_in(&program(&[0x0000_100f]), Kind::SelfModifying, 0, TEXT);
    // Nothing was stored: it is named for what it is.
    let told = Fault { kind: Kind::SelfModifying, pc: TEXT, about: TEXT }.to_string();
    assert!(told.contains("fence.i") && !told.contains("not the file's"), "{told}");
    // `fence` and `fence.tso` do nothing.
    exits_with(&program(&[&[0x0ff0_000f, 0x8330_000f, addi(A0, 0, 7)][..], &call(93)].concat()), 7);
}

#[test]
fn jumps_to_where_no_instruction_is() {
    // Past the end, into data, between instructions, and around the top of memory.
    faults_in(&program(&[addi(A0, 0, 1)]), Kind::Fetch, 1, TEXT + 4);
    for (code, target) in [
        (vec![lui(A0, DATA), jalr(0, A0, 0)], DATA),
        (vec![jal(0, 6)], TEXT + 6),
        (vec![branch(0, 0, 0, -2)], TEXT - 2),
        (vec![jalr(0, 0, -3)], 0xffff_fffc),
        (vec![jalr(0, 0, 0)], 0),
    ] {
        let ended = run(&program(&code), &[], &[]).expect("it ends");
        assert_eq!(ended.end, End::Fault(Fault { kind: Kind::Fetch, pc: target, about: target }));
    }
    // Not taken, it is none.
    exits_with(&program(&[&[branch(1, 0, 0, 2), addi(A0, 0, 3)][..], &call(93)].concat()), 3);
}

#[test]
fn jumps_through_registers_drop_the_lowest_bit_and_link_last() {
    let code = [
        &constant(A1, TEXT + 13)[..],
        // To the instruction behind the next, by an odd address; the link goes to the same register.
        &[jalr(A1, A1, 4), addi(A0, 0, 99), lui(5, TEXT), crate::kit::register(0x20, 0, A0, A1, 5)],
        &call(93),
    ];
    exits_with(&program(&code.concat()), 12);
}

#[test]
fn accesses_where_nothing_is() {
    for (address, kind) in [(0, Kind::Load), (0xfff, Kind::Load), (DATA + 0x2000 + (32 << 10), Kind::Load)] {
        let code = [&constant(A1, address)[..], &[load(4, A0, A1, 0)]].concat();
        faults_in(&program(&code), kind, 2, address);
        let code = [&constant(A1, address)[..], &[store(0, A0, A1, 0)]].concat();
        faults_in(&program(&code), Kind::Store, 2, address);
    }
    // Addresses wrap.
    let code = [&constant(A1, 0xffff_fffc)[..], &[load(2, A0, A1, 4)]].concat();
    faults_in(&program(&code), Kind::Load, 2, 0);
    // Text can be read, and not be written to.
    let code = [&constant(A1, TEXT)[..], &[load(2, A0, A1, 0), store(2, A0, A1, 0)]].concat();
    faults_in(&program(&code), Kind::Store, 3, TEXT);
}

#[test]
fn accesses_are_aligned() {
    for (funct3, width) in [(0, 1), (1, 2), (2, 4)] {
        for offset in 0..4 {
            for (access, is_store) in
                [(load(funct3, A0, A1, offset), false), (store(funct3, A0, A1, offset), true)]
            {
                let code = [&constant(A1, DATA)[..], &[access, addi(A0, 0, 0)], &call(93)].concat();
                let program = program(&code);
                if offset % width == 0 {
                    exits_with(&program, 0);
                } else {
                    faults_in(&program, Kind::Misaligned, 2, DATA + offset as u32);
                }
                let _ = is_store;
            }
        }
    }
}

/// A store need not be seen by who fetches an instruction, as RISC-V has it where no `fence.i` follows.
#[test]
fn what_is_stored_is_data() {
    // Text and data on one page that can be written to, as -N links.
    let code = [
        &constant(A1, TEXT + 24)[..],
        &constant(5, addi(A0, 0, 7)),
        &[store(2, 5, A1, 0), addi(0, 0, 0), addi(A0, 0, 1), load(2, 6, A1, 0)],
        &[branch(0, 5, 6, 8), addi(A0, 0, 3)],
        &call(93),
    ];
    let text = bytes(&code.concat());
    let program = Program::read(&file(TEXT, &[(TEXT, &text, 4096, 7)])).expect("a program");
    exits_with(&program, 1);
    // Data behind the text are no instructions.
    let code =
        [&constant(A1, TEXT + 0x100)[..], &[store(2, A1, A1, 0), load(2, A0, A1, 0)], &call(93)].concat();
    let program = Program::read(&file(TEXT, &[(TEXT, &bytes(&code), 4096, 7)])).expect("a program");
    exits_with(&program, TEXT + 0x100);
}

#[test]
fn zero_stays_zero() {
    let code = [
        &[addi(0, 0, 5), lui(0, 0x1000), jal(0, 4), crate::kit::register(0, 0, 0, 2, 2)][..],
        &[load(2, 0, 2, -4), crate::kit::register(0, 0, A0, 0, 0)],
        &call(93),
    ];
    exits_with(&program(&code.concat()), 0);
}

/// An instruction does what its word says, and this does not depend on which constants lie elsewhere: such as that of `mret`.
#[test]
fn registers_of_control_are_there_for_all_programs() {
    for constant in [None, Some(0x3020_0073)] {
        // csrr t0, mhartid; csrc cycle, x0
        let code = [&[0xf140_22f3, 0xc000_3073, addi(A0, 5, 0)][..], &call(93), constant.as_slice()].concat();
        exits_with(&program(&code), 0);
        let code = [&[0xc000_1073][..], constant.as_slice()].concat();
        faults_in(&program(&code), Kind::Illegal, 0, 0xc000_1073);
    }
    // csrs mepc, a0; csrwi mepc, 4: nothing is written there but what `mret` goes to. csrr a0, mepc is none.
    for word in [0x3415_2073, 0x3412_5073] {
        faults_in(&program(&[word]), Kind::Illegal, 0, word);
    }
    exits_with(&program(&[&[0x3410_2573][..], &call(93)].concat()), 0);
}

/// Programs of the architecture's own tests set up a machine before they do anything.
#[test]
fn a_machine_can_be_set_up() {
    let csr = |funct3: u32, number: u32, rd: u32, rs1: u32| {
        number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73
    };
    let code = [
        &[
            addi(A0, 0, 5),
            csr(2, 0xf14, A0, 0),
            branch(1, A0, 0, 8),
            csr(1, 0x305, 0, A1),
            csr(5, 0x300, 0, 8),
        ][..],
        &constant(A1, TEXT + 4 * 10),
        &[csr(1, 0x341, 0, A1), 0x3020_0073, BREAK, addi(A0, 0, 42)],
        &call(93),
    ];
    exits_with(&program(&code.concat()), 42);
}
