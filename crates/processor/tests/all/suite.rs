//! A program for each instruction, as a compiler makes it and with the manners of the architecture's own tests
//! (`tests/suite/suite.py` says which), and those themselves, where `VOLERY_RISCV_TESTS` names their folder.

use crate::kit::{check, inputs, run};
use crate::steps::{chosen, claimed_in_rows, session};
use std::fs;
use std::path::{Path, PathBuf};
use volery_processor::{Program, Run, Told};

/// The folder of this repository's programs.
const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");

/// The architecture's own tests of another policy than ours: here instructions that are stored are not run,
/// and accesses that are not aligned are faults.
const LEFT_OUT: [&str; 2] = ["fence_i", "ma_data"];

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The files of a folder of which this is true, in the order of their names.
fn files(folder: &Path, is: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let named = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(&is);
    let mut paths: Vec<PathBuf> = paths.filter(named).collect();
    paths.sort();
    paths
}

/// Programs with their names.
fn programs() -> Vec<(String, Vec<u8>)> {
    let mut paths = files(Path::new(SUITE), |name| name.ends_with(".elf"));
    assert_eq!(paths.len(), 47);
    match std::env::var_os("VOLERY_RISCV_TESTS") {
        Some(folder) => {
            let left_out = |name: &str| LEFT_OUT.iter().any(|out| name.ends_with(out));
            let own = |name: &str| name.starts_with("rv32ui-p-") || name.starts_with("rv32um-p-");
            let theirs =
                files(Path::new(&folder), |name| own(name) && !name.contains('.') && !left_out(name));
            assert!(!theirs.is_empty(), "VOLERY_RISCV_TESTS: no rv32ui-p-* in {}", folder.display());
            paths.extend(theirs);
        }
        None => println!("the architecture's own tests are left out: VOLERY_RISCV_TESTS names no folder"),
    }
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

/// Asserts that a run ends by this code in the clear, by public control, and row by row: and by no other.
fn ends(name: &str, file: &[u8], code: u32) {
    let program = Program::read(file).unwrap_or_else(|why| panic!("{name}: {why}"));
    let claim = run(&program, &[], &[]).unwrap_or_else(|why| panic!("{name}: {why}")).claim;
    assert_eq!(claim.end, Told::Exit(code), "{name}");
    check(&program, &[], &[], claim.clone()).unwrap_or_else(|why| panic!("{name}: {why}"));
    let rows = claimed_in_rows(&program, &claim, &[], None).unwrap_or_else(|why| panic!("{name}: {why}"));
    let mut other = claim;
    other.end = Told::Exit(code ^ 1);
    assert!(check(&program, &[], &[], other.clone()).is_err(), "{name}");
    assert!(claimed_in_rows(&program, &other, &[], Some(rows)).is_err(), "{name}");
}

#[test]
fn every_instruction_does_what_it_should() {
    for (name, file) in programs() {
        ends(&name, &file, 0);
    }
}

/// The last case of each expects another number: the program says which it was.
#[test]
fn a_wrong_expectation_is_told() {
    wrong_expectations_are_told(4);
}

#[test]
#[ignore = "slow"]
fn every_wrong_expectation_is_told() {
    wrong_expectations_are_told(1);
}

/// Expects what is told in the clear; of one program in `step` by public control and row by row, too.
fn wrong_expectations_are_told(step: usize) {
    let programs = files(Path::new(SUITE), |name| name.ends_with(".elf"));
    for (number, path) in programs.into_iter().enumerate() {
        let (name, mut file) = (path.display().to_string(), read(&path));
        let word = |file: &[u8], at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four"));
        // `bne …, t2, fail`, before which t2 is given a number.
        let is_last = |at: &usize| word(&file, *at) & 0x01f0_707f == 7 << 20 | 1 << 12 | 0x63;
        let last = (0..file.len() - 4).step_by(4).rfind(is_last).expect("a case");
        let before = word(&file, last - 4);
        let bit = if before & 0x7f == 0x37 { 12 } else { 20 };
        assert_eq!(before >> 7 & 31, 7, "{name}");
        file[last - 4..last].copy_from_slice(&(before ^ 1 << bit).to_le_bytes());
        let program = Program::read(&file).expect("a program");
        let Told::Exit(code) = run(&program, &[], &[]).expect("it ends").claim.end else { panic!("{name}") };
        assert!(code > 3 && code % 2 == 1, "{name} ends by {code}");
        if number % step == 0 {
            ends(&name, &file, code);
        }
    }
}

/// Every instruction is proved between two parties.
#[test]
#[ignore = "slow"]
fn every_instruction_is_proved() {
    for (name, file) in programs() {
        let program = Program::read(&file).expect("a program");
        let locate = |address| program.symbols().place(address);
        let run = Run::new(&program, inputs(&[]), &locate);
        let claim = crate::kit::run(&program, &[], &[]).expect("it ends").claim;
        let rows = chosen(&run.steps(&claim, 0).expect("it has room"), &[]).expect("it ends so").rows();
        let (proved, ..) = session(&run, &claim, rows, &[]);
        proved.unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
