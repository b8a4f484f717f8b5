//! Random programs over numbers at the edges: the two engines agree.

use crate::kit::{
    A0, DATA, OPERATIONS, addi, call, check, constant, immediate, load, move_bytes, program, register,
};
use crate::kit::{run, store};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

const EDGES: [u32; 12] =
    [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff, 0x1_0000, u32::MAX];

/// A register that holds an address is not computed with.
const BASE: u32 = 3;

/// Registers that are.
const FREE: [u32; 11] = [0, 5, 6, 7, 9, 13, 14, 15, 28, 30, 31];

/// A program of so many instructions, and its private input: registers begin with words of that, or with what
/// is public.
fn random(rng: &mut TestRng, instructions: usize) -> (Vec<u32>, Vec<u8>) {
    let mut pick = |n: usize| rng.next_u32() as usize % n;
    let word = |pick: &mut dyn FnMut(usize) -> usize| match pick(3) {
        0 => (pick(1 << 16) << 16 | pick(1 << 16)) as u32,
        _ => EDGES[pick(EDGES.len())],
    };
    let mut private = Vec::new();
    for _ in FREE {
        private.extend(word(&mut pick).to_le_bytes());
    }
    let mut code = move_bytes(63, 0, 0, private.len() as i32);
    code.extend(constant(BASE, DATA));
    for (i, register) in FREE.into_iter().enumerate().skip(1) {
        if pick(3) == 0 {
            code.extend(constant(register, word(&mut pick)));
        } else {
            code.push(load(2, register, BASE, 4 * i as i32));
        }
    }
    for _ in 0..instructions {
        let [rd, rs1, rs2] = [FREE[pick(FREE.len())], FREE[pick(FREE.len())], FREE[pick(FREE.len())]];
        code.push(match pick(8) {
            0..4 => {
                let (_, funct7, funct3) = OPERATIONS[pick(OPERATIONS.len())];
                register(funct7, funct3, rd, rs1, rs2)
            }
            4 => immediate([0, 2, 3, 4, 6, 7][pick(6)], rd, rs1, pick(4096) as i32 - 2048),
            5 => {
                let (funct3, funct7) = [(1, 0), (5, 0), (5, 0x20)][pick(3)];
                immediate(funct3, rd, rs1, funct7 << 5 | pick(32) as i32)
            }
            6 => {
                let (funct3, width) = [(0, 1), (1, 2), (2, 4), (4, 1), (5, 2)][pick(5)];
                load(funct3, rd, BASE, (pick(64) / width * width) as i32)
            }
            _ => {
                let (funct3, width) = [(0, 1), (1, 2), (2, 4)][pick(3)];
                store(funct3, rs2, BASE, (pick(64) / width * width) as i32)
            }
        });
    }
    for (i, register) in FREE.into_iter().enumerate() {
        code.push(store(2, register, BASE, 64 + 4 * i as i32));
    }
    code.extend(move_bytes(64, 1, 0, 64 + 4 * FREE.len() as i32));
    code.push(addi(A0, 0, 0));
    code.extend(call(93));
    (code, private)
}

fn programs_agree(count: u64, instructions: usize) {
    let mut seed = [7; 32];
    seed[..8].copy_from_slice(&count.to_le_bytes());
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    for i in 0..count {
        let (code, private) = random(&mut rng, instructions);
        let program = program(&code);
        let claim = run(&program, &[], &private).expect("it ends").claim;
        let mut wrong = claim.clone();
        check(&program, &[], &private, claim).unwrap_or_else(|why| panic!("program {i}: {why}"));
        let byte = rng.next_u32() as usize % wrong.output.len();
        wrong.output[byte] ^= 1 << (rng.next_u32() % 8);
        assert!(check(&program, &[], &private, wrong).is_err(), "program {i}");
    }
}

#[test]
fn engines_agree_on_random_programs() {
    programs_agree(100, 40);
}

#[test]
#[ignore = "slow"]
fn engines_agree_on_many_random_programs() {
    programs_agree(100_000, 40);
}
