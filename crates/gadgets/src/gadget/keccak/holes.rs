//! Keccak-f[1600] with holes.
//!
//! The prover commits to the state behind every five rounds, and in the last four to what is taken of it. All
//! of a round but χ is linear; χ has degree 2, and its inverse 3. So from a state that is committed to three
//! rounds forward have degree 2³ = 8, and from the next two back 3² = 9, and where they meet they are equal:
//! a polynomial of degree 9 for each bit, which holds for one state alone, as rounds have inverses. Of the
//! last round a row, whose five bits alone χ mixes, can be taken back without the others, so that it takes
//! the planes that are read and no more of the state.
//!
//! These are the alternatives, in committed bits for a permutation whose first plane is read, such as the
//! last of a hash, and for one whose whole state goes on. Multiplications are the prover's, of 128 bits: a·b
//! + a + b for a product of degrees a and b.
//!
//! | committed | bits, last | whole | degree | multiplications |
//! |---|---|---|---|---|
//! | all ANDs | 38,400 | 38,400 | 2 | 115,000 |
//! | the state behind 3 rounds: two forward, one back | 11,520 | 12,800 | 4 | 240,000 |
//! | behind 4: three forward, one back | 8,320 | 9,600 | 8 | 410,000 |
//! | **behind 5: three forward, two back** | **6,720** | **8,000** | **9** | **600,000** |
//! | behind 6: four forward, two back | 6,720 | 6,400 | 16 | 1,060,000 |
//!
//! One more degree costs a file as much as 128 bits, once, so that degree 16 pays from two permutations on,
//! and for none of them what it takes longer.
//!
//! θ adds to each column the parities of two others. In polynomials in X and Z, which stand for the next lane
//! and the next bit of a plane, parities are multiplied by 1 + E, where E = X + X⁻¹·Z. As X⁵ = Z⁶⁴ = 1,
//! (1 + E)¹⁹² = 1; so the inverse is (1 + E)¹⁹¹, the product of all 1 + E^p for the seven powers of two p
//! that add up to 191, and E^p = X^p + X^-p·Z^p.

use super::{IOTA, LANE, Lane, MOVES, Permutation, ROUNDS, SIDE};
use crate::gadget::{Bit, Gates, Holes, Word, function_of_words};
use core::array;
use volery_channel::error::Result;
use volery_circuit::Polynomials;
use volery_primitives::F2;
use zeroize::Zeroizing;

/// Lanes of the state.
const LANES: usize = SIDE * SIDE;

/// Bits of a plane.
const PLANE: usize = SIDE * LANE;

/// Rounds from a state that is committed to to the next, and of these how many are forward.
const STEP: usize = 5;
const FORWARD: usize = 3;

impl<B: Polynomials<F = F2>> Permutation<B> for Holes {
    fn permute(b: &mut B, state: &[Lane<B::Wire>; LANES], planes: usize) -> Result<Vec<Lane<B::Wire>>> {
        if state.iter().all(Word::is_public) {
            return Gates::permute(b, state, planes);
        }
        let mut state = on_wires(b, state);
        for constants in IOTA.chunks(STEP) {
            let planes = if constants.len() == STEP { SIDE } else { planes };
            // On wires, so that equal steps with other constants are one function.
            let constants: Vec<_> = constants.iter().map(|&constant| Word::public(constant.into())).collect();
            let words = [&state[..], &on_wires(b, &constants)].concat();
            let name = format!("Keccak-f[1600], {} rounds with holes, {planes} planes", constants.len());
            state = function_of_words(b, &name, &words, |b, words| step(b, words, planes, |_, lane| lane))?;
        }
        Ok(state)
    }
}

/// Commits to so many `planes` of the state after some rounds: `words` are the state before them, and the
/// constant of each. The prover's lanes are changed by `alter`, which is given their numbers.
///
/// # Panics
/// Where these are not five rounds with all planes, or four.
pub(super) fn step<B: Polynomials<F = F2>>(
    b: &mut B,
    words: &[Lane<B::Wire>],
    planes: usize,
    alter: impl Fn(usize, u64) -> u64 + Send + Sync + 'static,
) -> Result<Vec<Lane<B::Wire>>> {
    let rounds = words.len() - LANES;
    assert!(rounds == FORWARD + 1 || rounds == STEP && planes == SIDE);
    let wires: Vec<_> = words.iter().flat_map(|word| *word.bits()).map(|bit| bit.wire(b)).collect();
    let behind = b.hints(&wires, planes * PLANE, move |values| {
        let lanes = Zeroizing::new(values.chunks_exact(LANE).map(number).collect::<Vec<_>>());
        let (state, constants) = lanes.split_first_chunk().expect("a state");
        let behind = Zeroizing::new(evaluate(state, constants));
        let lanes = behind.iter().take(planes * SIDE).enumerate().map(|(number, lane)| alter(number, *lane));
        lanes.flat_map(|lane| (0..LANE).map(move |z| F2::low_bit((lane >> z).into()))).collect()
    })?;
    let (before, constants) = wires.split_at(LANES * LANE);
    let constants: Vec<_> = constants.chunks_exact(LANE).map(|constant| b.vector(constant)).collect();

    let mut forward = b.vector(before);
    for constant in &constants[..FORWARD] {
        let moved = linear(b, &forward, SIDE);
        forward = chi(b, &moved, constant)?;
    }
    let forward = linear(b, &forward, planes);

    let mut back = b.vector(&behind);
    for (i, constant) in constants[FORWARD..].iter().enumerate().rev() {
        back = iota(b, &back, constant);
        back = inverse_of_chi(b, &back)?;
        if i > 0 {
            back = inverse_of_linear(b, &back);
        }
    }
    let difference = b.sum(&forward, &back);
    b.assert_zeroes(difference, format_args!("bits of Keccak-f[1600] between {rounds} rounds"))?;
    let lane = |bits: &[B::Wire]| Word::new(array::from_fn(|bit| Bit::Wire(bits[bit])));
    Ok(behind.chunks_exact(LANE).map(lane).collect())
}

/// Computes θ, ρ and π, FIPS 202 sections 3.2.1 to 3.2.3, and gives the first `planes` of the result.
fn linear<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector, planes: usize) -> B::Vector {
    let parities = parities(b, state);
    let effect = shifted(b, &parities, 1);
    let state = add_to_planes(b, state, &effect);
    gather(b, &state, planes * PLANE, |at| {
        let (from, by) = MOVES[at / LANE];
        from * LANE + (at + LANE - by) % LANE
    })
}

/// The inverse of [`linear`], of all planes.
pub(super) fn inverse_of_linear<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector) -> B::Vector {
    let mut to = [(0, 0); LANES];
    for (lane, (from, by)) in MOVES.into_iter().enumerate() {
        to[from] = (lane, by);
    }
    let state = gather(b, state, LANES * LANE, |at| {
        let (lane, by) = to[at / LANE];
        lane * LANE + (at + by) % LANE
    });
    let mut before = parities(b, &state);
    for power in [1, 2, 4, 8, 16, 32, 128] {
        let effect = shifted(b, &before, power);
        before = b.sum(&before, &effect);
    }
    let effect = shifted(b, &before, 1);
    add_to_planes(b, &state, &effect)
}

/// The parities of all columns.
fn parities<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector) -> B::Vector {
    let first = gather(b, state, PLANE, |at| at);
    (1..SIDE).fold(first, |sum, y| {
        let plane = gather(b, state, PLANE, |at| y * PLANE + at);
        b.sum(&sum, &plane)
    })
}

/// E^`power` times a plane; the power is a power of two.
fn shifted<B: Polynomials<F = F2>>(b: &mut B, plane: &B::Vector, power: usize) -> B::Vector {
    let mut by = |lanes: usize, bits: usize| {
        gather(b, plane, PLANE, |at| {
            let (x, z) = (at / LANE, at % LANE);
            (x + SIDE - lanes) % SIDE * LANE + (z + LANE - bits) % LANE
        })
    };
    let left = by(power % SIDE, 0);
    let right = by(SIDE - power % SIDE, power % LANE);
    b.sum(&left, &right)
}

fn add_to_planes<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector, plane: &B::Vector) -> B::Vector {
    let planes = gather(b, plane, LANES * LANE, |at| at % PLANE);
    b.sum(state, &planes)
}

/// χ, FIPS 202 section 3.2.4, and ι with its `constant`, of a whole state.
fn chi<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector, constant: &B::Vector) -> Result<B::Vector> {
    let [next, second] = [1, 2].map(|by| along_rows(b, state, by));
    // What has the lower degree comes first.
    let sum = iota(b, state, constant);
    let sum = b.sum(&sum, &second);
    let both = b.product(&next, &second)?;
    Ok(b.sum(&sum, &both))
}

/// The inverse of χ, of any planes: x_i = y_i + (y_{i+1} + 1)·(y_{i+2} + (y_{i+3} + 1)·y_{i+4}).
pub(super) fn inverse_of_chi<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector) -> Result<B::Vector> {
    let [first, second, third, fourth] = [1, 2, 3, 4].map(|by| along_rows(b, state, by));
    let both = b.product(&third, &fourth)?;
    let sum = b.sum(&second, &fourth);
    let inner = b.sum(&sum, &both);
    let outer = b.product(&first, &inner)?;
    let sum = b.sum(state, &inner);
    Ok(b.sum(&sum, &outer))
}

/// ι, FIPS 202 section 3.2.5, of any planes.
fn iota<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector, constant: &B::Vector) -> B::Vector {
    let places: Vec<_> = (0..b.lanes_of(state)).map(|at| (at < LANE).then_some(at)).collect();
    let constant = b.gather(constant, &places);
    b.sum(state, &constant)
}

/// For each bit the bit that stands some places further in its row.
fn along_rows<B: Polynomials<F = F2>>(b: &mut B, state: &B::Vector, by: usize) -> B::Vector {
    let count = b.lanes_of(state);
    gather(b, state, count, |at| at / PLANE * PLANE + (at + by * LANE) % PLANE)
}

/// `count` lanes, each that which `from` says.
fn gather<B: Polynomials<F = F2>>(
    b: &mut B,
    of: &B::Vector,
    count: usize,
    from: impl Fn(usize) -> usize,
) -> B::Vector {
    let lanes: Vec<_> = (0..count).map(|at| Some(from(at))).collect();
    b.gather(of, &lanes)
}

/// Words with all bits on wires.
fn on_wires<B: Polynomials<F = F2>>(b: &mut B, words: &[Lane<B::Wire>]) -> Vec<Lane<B::Wire>> {
    words.iter().map(|word| Word::new(word.bits().map(|bit| Bit::Wire(bit.wire(b))))).collect()
}

fn number(bits: &[F2]) -> u64 {
    bits.iter().rev().fold(0, |number, bit| number << 1 | bit.to_word() as u64)
}

/// The state behind rounds with these constants.
pub(super) fn evaluate(state: &[u64; LANES], constants: &[u64]) -> [u64; LANES] {
    let mut state = *state;
    for constant in constants {
        let columns: [u64; SIDE] =
            array::from_fn(|x| (1..SIDE).fold(state[x], |sum, y| sum ^ state[x + SIDE * y]));
        let sums: [u64; SIDE] =
            array::from_fn(|x| columns[(x + 4) % SIDE] ^ columns[(x + 1) % SIDE].rotate_left(1));
        let moved = MOVES.map(|(from, by)| (state[from] ^ sums[from % SIDE]).rotate_left(by as u32));
        state = array::from_fn(|i| {
            let row = i - i % SIDE;
            moved[i] ^ !moved[row + (i + 1) % SIDE] & moved[row + (i + 2) % SIDE]
        });
        state[0] ^= constant;
    }
    state
}

// The last step is a shorter one.
const _: () = assert!(ROUNDS % STEP == FORWARD + 1);
