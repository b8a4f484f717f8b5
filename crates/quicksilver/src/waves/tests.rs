//! Maps prove what as many calls do, at every edge of waves, turns, blocks and threads; lies in any share are
//! found.

mod elements;
mod polynomials;
mod random;
mod vectorized;
mod wide;

use crate::prover::Prover;
use crate::verifier::Verifier;
use crate::waves::WideWaves;
use std::time::Duration;
use volery_channel::channel::{Channel, Flip, Party, Tape, pipe, side_by_side};
use volery_channel::error::{Error, Rejection, Result};
use volery_channel::pool::Pool;
use volery_channel::random::Random;
use volery_circuit::stream::{Recorder, Streamed};
use volery_circuit::{Backend, Circuit, Clear, Polynomials, Returned};
use volery_primitives::{Arch, F2, Field};
use volery_proof::verdict::Gates;
use volery_vole::macs::BitMacs;
use volery_vole::vole::{Delta, ideal};

/// Rounds of gates on each of some lanes, with gates before and behind.
///
/// A lane takes two wires. Each round takes a witness element and a hint, each used in a product, and asserts
/// that the hint is right. Behind the map all results are summed, with a product each.
#[derive(Clone, Copy)]
struct Rounds {
    lanes: usize,
    rounds: usize,
    /// Products before the map, so that it begins within a block.
    before: usize,
    /// Whether it is mapped: if not, it is called for each lane.
    mapped: bool,
}

impl Rounds {
    fn round<B: Backend<F = F2>>(&self, b: &mut B, lane: usize, of: &[B::Wire]) -> Result<Returned<B::Wire>> {
        let (mut x, mut y) = (of[0], of[1]);
        for round in 0..self.rounds {
            let element = b.witness()?;
            let one = b.constant(F2::ONE);
            let hinted = b.hints(&[x, element], 2, |of| vec![of[0] + of[1], of[0] * of[1]])?;
            let product = b.mul(x, element)?;
            let difference = b.add(product, hinted[1]);
            b.assert_zero(difference, format_args!("the product of round {round} in lane {lane}"))?;
            let sum = b.linear(&[F2::ONE, F2::ZERO, F2::ONE, F2::ONE], &[x, y, element, hinted[0]]);
            b.assert_zero(sum, format_args!("the sum of round {round} in lane {lane}"))?;
            let not = b.add(y, one);
            let inner = b.call(b"inner", &[not, product], |b, of| {
                Ok(Returned { wires: vec![b.mul(of[0], of[1])?, of[0]], public: vec![] })
            })?;
            (y, x) = (b.add(inner.wires[0], hinted[0]), inner.wires[1]);
        }
        Ok(Returned { wires: vec![y, x], public: vec![] })
    }
}

impl<B: Backend<F = F2>> Circuit<B> for Rounds {
    fn run(&self, b: &mut B) -> Result<()> {
        let first = b.witness()?;
        let mut sum = first;
        for _ in 0..self.before {
            let product = b.mul(first, sum)?;
            sum = b.add(sum, product);
        }
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let results = if self.mapped {
            b.map(b"rounds", self.lanes, &columns, |b, lane, of| self.round(b, lane, of))?.wires
        } else {
            let mut results = vec![B::Wire::default(); 2 * self.lanes];
            for lane in 0..self.lanes {
                let made = self.round(b, lane, &[columns[lane], columns[self.lanes + lane]])?.wires;
                (results[lane], results[self.lanes + lane]) = (made[0], made[1]);
            }
            results
        };
        for pair in results.as_chunks::<2>().0 {
            let product = b.mul(pair[0], pair[1])?;
            sum = b.add(sum, product);
        }
        let expected = b.witness()?;
        let difference = b.add(sum, expected);
        b.assert_zero(difference, "the sum of all")
    }
}

impl Rounds {
    fn new(lanes: usize, rounds: usize, before: usize) -> Self {
        Self { lanes, rounds, before, mapped: true }
    }

    /// A witness, whose last bit is what the others come to.
    fn witness(&self, seed: u8) -> Vec<F2> {
        let mut random = Random::from_seed(&[seed; 32]);
        let count = 2 + 2 * self.lanes + self.lanes * self.rounds;
        let mut witness = (0..count).map(|_| random.word().bit0()).collect::<Vec<_>>();
        let holds = |witness: &[F2]| self.run(&mut Clear::new(witness.iter().copied())).is_ok();
        if !holds(&witness) {
            *witness.last_mut().unwrap() += F2::ONE;
        }
        assert!(holds(&witness));
        witness
    }
}

/// A run: the shares of a block, the threads of each party, the shares of the map whose corrections are lies,
/// and a bit that is flipped on the way.
#[derive(Clone, Default)]
struct By {
    block: usize,
    threads: usize,
    /// The lanes that both have agreed on.
    wide: Option<usize>,
    lies: Vec<u64>,
    flip: Option<Flip>,
}

/// The prover's gates and the verifier's, and all that the prover sent.
fn run_by<C: for<'r> Circuit<Recorder<'r, F2>> + Copy + Send + Sync>(
    proved: C,
    witness: Vec<F2>,
    verified: C,
    by: &By,
) -> (Result<Gates>, Result<Gates>, Vec<Vec<u8>>) {
    let (here, there) = pipe(Duration::from_secs(20));
    let (tape, sent) = Tape::new(here, by.flip);
    let mut proving = Channel::new(Party::Prover, tape);
    let mut verifying = Channel::new(Party::Verifier, there);
    let By { block, threads, wide, lies, .. } = by.clone();
    let widened = move || wide.map(|lanes| WideWaves { lanes, device: None });
    let prover = move || {
        let vole = Box::new(ideal::Prover::new(3, block));
        let mut prover = Prover::<BitMacs>::new(&mut proving, vole, Arch::detect(), witness);
        prover.lies_in_waves = lies;
        prover.kept.maps.wide = widened();
        let mut prover = prover.share_work(&Pool::of(threads));
        let run = Streamed(&proved).run(&mut prover);
        if !prover.lies_in_waves.is_empty() {
            prover.lie();
        }
        let proved = run.and_then(|()| prover.finish().map(|(gates, _)| gates));
        let _ = proving.flush();
        proved
    };
    let verifier = move || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, block, &delta));
        let mut verifier = Verifier::<BitMacs>::new(&mut verifying, vole, Arch::detect(), &delta);
        verifier.kept.maps.wide = widened();
        let mut verifier = verifier.share_work(&Pool::of(threads));
        Streamed(&verified).run(&mut verifier)?;
        verifier.finish().map(|(_, gates, _)| gates)
    };
    let (proved, verified) = side_by_side(prover, verifier);
    (proved, verified, sent.messages())
}

/// Functions that take much memory for each share, or for their fewest lanes, are called.
#[test]
fn memory_of_waves_is_bounded() {
    assert!(super::is_bounded(128 * 1000, 1000) && !super::is_bounded(128 * 1000 + 1, 1000));
    assert!(super::is_bounded(1 << 17, 1 << 20) && !super::is_bounded((1 << 17) + 1, 1 << 20));
    assert!(!super::is_bounded(0, 0));
}

#[test]
fn maps_come_to_what_calls_come_to() {
    for (lanes, rounds, before) in [
        (2, 1, 0),
        (7, 3, 1),
        (8, 5, 100),
        (9, 40, 400),
        (63, 9, 7),
        (64, 4, 3),
        (65, 20, 0),
        (200, 7, 11),
        (1030, 3, 5),
    ] {
        let statement = Rounds::new(lanes, rounds, before);
        let witness = statement.witness(lanes as u8);
        for block in [130, 192, 4096] {
            let by = By { block, threads: 1, ..By::default() };
            let (proved, verified, sent) = run_by(statement, witness.clone(), statement, &by);
            let gates = verified.unwrap_or_else(|error| panic!("{lanes} lanes, {block} shares: {error}"));
            assert_eq!(gates, proved.unwrap());
            let called = Rounds { mapped: false, ..statement };
            let (_, by_calls, sent_by_calls) = run_by(called, witness.clone(), called, &by);
            assert_eq!(gates, by_calls.unwrap());
            // As many blocks, of as many shares.
            assert_eq!(sent.concat().len(), sent_by_calls.concat().len());
        }
    }
}

/// Turns of many blocks, waves of all widths, and more tasks than threads are ahead of.
#[test]
fn every_number_of_threads_sends_the_same() {
    for (lanes, rounds) in [(100, 200), (1100, 30)] {
        let statement = Rounds::new(lanes, rounds, 50);
        let witness = statement.witness(1);
        let run = |threads| {
            let by = By { block: 4096, threads, ..By::default() };
            let (_, verified, sent) = run_by(statement, witness.clone(), statement, &by);
            (verified.unwrap(), sent)
        };
        let alone = run(1);
        assert!(lanes as u64 * rounds as u64 * 5 > 3 * super::TURN as u64);
        for threads in [2, 3, 8] {
            assert!(run(threads) == alone, "{threads} threads");
        }
    }
}

/// Each share in turn, whatever it commits to: a witness element or a hint by itself breaks an assertion or the
/// final sum, where it is the product that is asserted, or the check of products.
#[test]
fn a_lie_in_any_share_is_rejected() {
    let statement = Rounds::new(9, 3, 10);
    let witness = statement.witness(2);
    let shares = 9 * 3 * 5;
    for lie in 0..shares {
        for block in [130, 192] {
            let by = By { block, threads: 1 + lie as usize % 2, lies: vec![lie], ..By::default() };
            let (_, verified, _) = run_by(statement, witness.clone(), statement, &by);
            assert!(matches!(verified, Err(Error::Rejected(_))), "share {lie}: {verified:?}");
        }
    }
    // No share of the map is beyond these.
    let by = By { block: 192, threads: 1, lies: vec![shares], ..By::default() };
    run_by(statement, witness, statement, &by).1.unwrap();
}

/// Two lies that cancel in the final sum: the products that they change are found by the check alone. They lie
/// at both sides of the ends of blocks, waves and turns.
#[test]
fn lies_about_products_at_seams_are_rejected() {
    let statement = Rounds::new(70, 120, 0);
    let witness = statement.witness(3);
    let (wave, turn) = (super::LANES.min(8) as u64 * 600, super::TURN as u64);
    let seams = [0, 191, 192, 193, wave - 1, wave, wave + 1, turn - 1, turn, turn + 1, 70 * 120 * 5 - 1];
    for threads in [1, 3] {
        for lie in seams {
            let by = By { block: 192, threads, lies: vec![lie], ..By::default() };
            let (_, verified, _) = run_by(statement, witness.clone(), statement, &by);
            assert!(matches!(verified, Err(Error::Rejected(_))), "share {lie}: {verified:?}");
        }
    }
}

/// Waves whose last share is the last of a turn: the next ones begin in their order, in which they read the witness.
#[test]
fn waves_begin_in_their_order() {
    for ((lanes, width, commitments, block), least) in [
        ((1024, 64, 65, 4160), super::TURN),
        ((2048, 64, 152 * 256, 8192), super::TURN),
        ((2048, 64, 152 * 256, 8192), super::TURN_OF_POLYNOMIALS),
        ((2048, 32, 64, 8192), super::TURN),
        ((1000, 16, 544, 4096), super::TURN),
        ((1000, 16, 544, 4096), super::TURN_OF_POLYNOMIALS),
        ((70, 8, 9, 130), super::TURN),
    ] {
        let mut turns = super::Turns::new(lanes, width, (commitments, least, super::ACTIVE));
        let (mut begun, mut taken) = (0, vec![0; lanes.div_ceil(width)]);
        while turns.left > 0 {
            let shares = block.min(turns.left as usize);
            for piece in turns.pieces(shares) {
                assert!(piece.wave <= begun, "wave {} before {begun}", piece.wave);
                begun = begun.max(piece.wave + 1);
                taken[piece.wave] += piece.shares.len();
            }
            turns.turn(shares, None);
        }
        let shares = |wave| turns.lanes_of(wave).len() * commitments as usize;
        assert!((0..taken.len()).all(|wave| taken[wave] == shares(wave)));
    }
}

/// Each lane reads bits of its own number.
#[test]
fn lanes_read_the_witness_in_their_order() {
    struct Numbers(usize);
    impl<B: Backend<F = F2>> Circuit<B> for Numbers {
        fn run(&self, b: &mut B) -> Result<()> {
            let bits = [F2::ZERO, F2::ONE].map(|bit| b.constant(bit));
            let number = (0..65).flat_map(|bit| (0..self.0).map(move |lane| lane >> (bit % 10) & 1));
            let columns = number.map(|bit| bits[bit]).collect::<Vec<_>>();
            b.map(b"numbers", self.0, &columns, |b, lane, of| {
                for wire in of {
                    let bit = b.witness()?;
                    let difference = b.add(bit, *wire);
                    b.assert_zero(difference, format_args!("a bit of lane {lane}"))?;
                }
                Ok(Returned::default())
            })?;
            Ok(())
        }
    }
    let statement = Numbers(1024);
    let witness = (0..1024).flat_map(|lane| (0..65).map(move |bit| F2::from(lane >> (bit % 10) & 1 == 1)));
    let witness = witness.collect::<Vec<_>>();
    let (here, there) = pipe(Duration::from_secs(20));
    let (mut proving, mut verifying) =
        (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
    let prover = || {
        let vole = Box::new(ideal::Prover::new(3, 4160));
        let mut prover = Prover::<BitMacs>::new(&mut proving, vole, Arch::detect(), witness);
        Streamed(&statement).run(&mut prover).and_then(|()| prover.finish().map(drop))?;
        proving.flush()
    };
    let verifier = || {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(ideal::Verifier::new(3, 4160, &delta));
        let mut verifier = Verifier::<BitMacs>::new(&mut verifying, vole, Arch::detect(), &delta);
        Streamed(&statement).run(&mut verifier)?;
        verifier.finish().map(drop)
    };
    let (proved, verified) = side_by_side(prover, verifier);
    proved.unwrap();
    verified.unwrap();
}

#[test]
fn the_first_assertion_that_fails_in_the_order_of_calls_is_named() {
    /// Asserts that the bits of some lanes are zero, and the second bit of each.
    struct Zeroes(usize);
    impl<B: Backend<F = F2>> Circuit<B> for Zeroes {
        fn run(&self, b: &mut B) -> Result<()> {
            b.map(b"zero", self.0, &[], |b, lane, _| {
                let (first, second) = (b.witness()?, b.witness()?);
                let product = b.mul(first, second)?;
                b.assert_zero(product, format_args!("the product in lane {lane}"))?;
                b.assert_zero(second, format_args!("the bit in lane {lane}"))?;
                Ok(Returned::default())
            })?;
            Ok(())
        }
    }
    let lanes = 150;
    let prove = |ones: &[usize], missing: usize| {
        let witness = (0..2 * lanes - missing).map(|i| F2::from(ones.contains(&i))).collect::<Vec<_>>();
        let (here, _there) = pipe(Duration::from_secs(20));
        let mut channel = Channel::new(Party::Prover, here);
        let vole = Box::new(ideal::Prover::new(3, 192));
        let mut prover = Prover::<BitMacs>::new(&mut channel, vole, Arch::detect(), witness);
        let run = Streamed(&Zeroes(lanes)).run(&mut prover);
        run.and_then(|()| prover.finish().map(drop)).map_err(|error| error.to_string())
    };
    prove(&[], 0).unwrap();
    prove(&[0, 298], 0).unwrap();
    for (ones, name) in [
        (&[1][..], "the bit in lane 0"),
        (&[0, 1], "the product in lane 0"),
        (&[299, 203, 202, 131], "the bit in lane 65"),
        (&[298, 299], "the product in lane 149"),
    ] {
        let error = prove(ones, 0).unwrap_err();
        assert!(error.contains(name), "{error}");
    }
    for missing in [1, 2, 300] {
        assert!(prove(&[], missing).unwrap_err().contains("witness"));
    }
}

/// A verifier that calls what the prover maps, or the other way round, or maps another number of lanes, accepts
/// nothing: the order of commitments is another.
#[test]
fn another_order_is_rejected() {
    let statement = Rounds::new(20, 4, 3);
    let witness = statement.witness(4);
    let called = Rounds { mapped: false, ..statement };
    let by = By { block: 192, threads: 1, ..By::default() };
    for (proved, verified) in [(statement, called), (called, statement)] {
        let (_, verdict, _) = run_by(proved, witness.clone(), verified, &by);
        assert!(matches!(verdict, Err(Error::Rejected(_))), "{verdict:?}");
    }
}

/// A product that is asserted before a map which takes all of the last block, and nothing behind it: it is
/// checked with the batch that was open, and no later.
#[test]
fn what_is_asserted_before_a_map_is_checked() {
    /// Asserts x·y = z, and then that the bits of some lanes are zero.
    struct Asserted {
        lanes: usize,
        rounds: usize,
    }
    impl<B: Polynomials<F = F2>> Circuit<B> for Asserted {
        fn run(&self, b: &mut B) -> Result<()> {
            let [x, y, z] = [b.witness()?, b.witness()?, b.witness()?];
            b.assert_product(x, y, z, "the product")?;
            b.map(b"zeroes", self.lanes, &[], |b, lane, _| {
                for _ in 0..self.rounds {
                    let bit = b.witness()?;
                    b.assert_zero(bit, format_args!("a bit of lane {lane}"))?;
                }
                Ok(Returned::default())
            })?;
            Ok(())
        }
    }
    // 3 and 381 are two blocks; 3 and 189 are one.
    for (lanes, rounds) in [(3, 127), (3, 63), (9, 42), (3, 126)] {
        let statement = Asserted { lanes, rounds };
        for z in [true, false] {
            let (here, there) = pipe(Duration::from_secs(20));
            let mut proving = Channel::new(Party::Prover, here);
            let mut verifying = Channel::new(Party::Verifier, there);
            let statement = &statement;
            let prover = move || {
                let product = [true, true, z].map(F2::from);
                let witness = product.into_iter().chain(core::iter::repeat_n(F2::ZERO, lanes * rounds));
                let vole = Box::new(ideal::Prover::new(3, 192));
                let mut prover = Prover::<BitMacs>::new(&mut proving, vole, Arch::detect(), witness);
                let run = Streamed(statement).run(&mut prover);
                prover.lie();
                let proved = run.and_then(|()| prover.finish().map(drop));
                let _ = proving.flush();
                proved
            };
            let verifier = move || {
                let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
                let vole = Box::new(ideal::Verifier::new(3, 192, &delta));
                let mut verifier = Verifier::<BitMacs>::new(&mut verifying, vole, Arch::detect(), &delta);
                Streamed(statement).run(&mut verifier)?;
                verifier.finish().map(drop)
            };
            let (proved, verified) = side_by_side(prover, verifier);
            proved.unwrap();
            assert_eq!(verified.is_ok(), z, "{lanes} lanes of {rounds}");
        }
    }
}

/// Each message in turn, which are corrections of blocks, and then the sums and the digest.
#[test]
fn a_flipped_bit_in_any_message_is_rejected() {
    let statement = Rounds::new(10, 6, 10);
    let witness = statement.witness(5);
    let by = By { block: 192, threads: 1, ..By::default() };
    let messages = run_by(statement, witness.clone(), statement, &by).2.len();
    for message in 0..messages {
        for bit in [0, 77, 191] {
            let by = By { flip: Some(Flip { message, bit }), ..by.clone() };
            assert!(
                run_by(statement, witness.clone(), statement, &by).1.is_err(),
                "message {message}, bit {bit}"
            );
        }
    }
}

/// Products of witness bits that nobody reads: only the check of products can find that one is false, whichever
/// coefficient it has, at the ends of tiles, lanes, blocks, waves and turns.
#[test]
fn false_products_are_found_by_their_check_alone() {
    struct Unread {
        lanes: usize,
        products: usize,
    }
    impl<B: Backend<F = F2>> Circuit<B> for Unread {
        fn run(&self, b: &mut B) -> Result<()> {
            let zero = b.constant(F2::ZERO);
            b.assert_zero(zero, "zero")?;
            b.map(b"unread", self.lanes, &[], |b, _, _| {
                let (x, y) = (b.witness()?, b.witness()?);
                for _ in 0..self.products {
                    b.mul(x, y)?;
                }
                Ok(Returned::default())
            })?;
            Ok(())
        }
    }
    // One wave is eight lanes, and all of them one turn and more.
    let statement = Unread { lanes: 70, products: 600 };
    let commitments = 70 * 602;
    let (block, wave, turn) = (1024, 8 * 602, super::TURN as u64);
    let witness = vec![F2::ONE; 140];
    let verdict = |lie: Option<u64>, threads| {
        let (here, there) = pipe(Duration::from_secs(20));
        let (mut proving, mut verifying) =
            (Channel::new(Party::Prover, here), Channel::new(Party::Verifier, there));
        let prover = || {
            let vole = Box::new(ideal::Prover::new(3, block as usize));
            let mut prover = Prover::<BitMacs>::new(&mut proving, vole, Arch::detect(), witness.clone());
            prover.lies_in_waves = lie.into_iter().collect();
            let mut prover = prover.share_work(&Pool::of(threads));
            Streamed(&statement).run(&mut prover).and_then(|()| prover.finish().map(drop))?;
            proving.flush()
        };
        let verifier = || {
            let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
            let vole = Box::new(ideal::Verifier::new(3, block as usize, &delta));
            let verifier = Verifier::<BitMacs>::new(&mut verifying, vole, Arch::detect(), &delta);
            let mut verifier = verifier.share_work(&Pool::of(threads));
            Streamed(&statement).run(&mut verifier)?;
            verifier.finish().map(drop)
        };
        side_by_side(prover, verifier).1
    };
    verdict(None, 2).unwrap();
    let seams = [16, 256, 512, block, 2 * block, wave, wave + 16, turn, turn + 256, commitments - 1];
    for seam in seams {
        for lie in [seam - 1, seam, seam + 1] {
            // The first two commitments of each lane of a wave are its witness.
            let is_product = lie < commitments && lie % wave >= 16;
            let found = verdict(Some(lie), 1 + lie as usize % 3);
            if is_product {
                assert!(
                    matches!(found, Err(Error::Rejected(Rejection::ProductsAndPolynomials))),
                    "share {lie}: {found:?}"
                );
            }
        }
    }
}
