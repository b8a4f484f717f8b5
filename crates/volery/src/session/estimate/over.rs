//! The same over any field but F_2, by the tables of `vole/subfield/{base,direct,single_point,extend}.rs` and
//! `zk/quicksilver/arithmetic.rs`.

use super::{Carried, Estimate, HANDSHAKE, LONGEST_CHUNK, Masks, chunks_and_check, softspoken_setup};
use crate::circuit::Size;
use crate::ot::softspoken::{BLOCK, Depth};
use crate::session::{FieldCorrelations, Over};
use crate::vole::extend::Schedule;
use crate::vole::lpn::{Params, Sets, TILE};
use crate::vole::subfield::direct;
use crate::zk::quicksilver::arithmetic::BLOCKS;
use crate::zk::quicksilver::degree_of_check;
use crate::zk::{by_transcript, section};
use volery_primitives::{Field, MacField};

impl<B: Field, E: MacField<B>> Over<B, E> {
    /// What a session of one statement of this size sends over these correlations, where they were given; see
    /// [`Estimate::measured`] for the rest. Matrix products are taken for the last of each batch, and of the statement:
    /// what a batch that ends early otherwise leaves unused of a section, and its coins, are not counted.
    pub fn traffic(correlations: FieldCorrelations, size: Size) -> Estimate {
        let (commitments, masks) = (size.commitments, Masks::of(&size, E::DEGREE.into()));
        let (blocks, longest) = Self::blocks(correlations, size, masks);
        let mut setup = HANDSHAKE;
        setup += Self::setup(correlations);
        let online = Self::draw(correlations, &blocks);
        let batches = if by_transcript::<E>() { 0 } else { blocks.number.div_ceil(BLOCKS as u64) };
        let mut total = setup;
        total += online;
        total += Carried { prover: B::BYTES as u64 * sections(commitments, longest), verifier: 32 * batches };
        if !by_transcript::<E>() {
            // The vectors of each; and the coefficients of a batch more for each that others follow.
            total.verifier += 16 * size.matrices + 32 * size.matrices.saturating_sub(1);
        }
        // U_0, …, U_{d-1} and the digest of asserted wires; the verdict.
        let opened = degree_of_check(size.degree) * E::BYTES;
        total += Carried { prover: opened as u64 + 32, verifier: 1 };
        Estimate { setup, total }
    }

    /// The set-up, and drawing so many shares.
    pub(in super::super) fn traffic_of_shares(correlations: FieldCorrelations, shares: u64) -> [Carried; 2] {
        let (blocks, _) = Self::blocks(correlations, Size::gates(shares), Masks { lines: 0, shares: 0 });
        [Self::setup(correlations), Self::draw(correlations, &blocks)]
    }

    /// The blocks that a statement of this size draws, and how long they become.
    fn blocks(correlations: FieldCorrelations, size: Size, masks: Masks) -> (Blocks, usize) {
        match correlations {
            FieldCorrelations::Direct => {
                let next = |drawn| direct::next(drawn as usize);
                (Blocks::cover(size, masks, direct::LONGEST, next), direct::LONGEST)
            }
            _ => (Blocks::cover(size, masks, TILE, |_| TILE), TILE),
        }
    }

    fn setup(correlations: FieldCorrelations) -> Carried {
        match correlations {
            FieldCorrelations::Direct => Self::base_setup(),
            FieldCorrelations::Lpn(params) => Self::lpn_setup(params),
        }
    }

    fn draw(correlations: FieldCorrelations, blocks: &Blocks) -> Carried {
        match correlations {
            FieldCorrelations::Direct => {
                Self::base(blocks.shares + blocks.masks.iter().sum::<u64>(), blocks.drawn())
            }
            FieldCorrelations::Lpn(params) => Self::lpn(params, blocks.drawn()),
        }
    }

    /// The bits of Δ.
    fn columns() -> u64 {
        (E::DEGREE * B::BITS).into()
    }

    /// Base transfers, the verifier being their receiver.
    fn base_setup() -> Carried {
        Carried { prover: 32 * Self::columns(), verifier: 64 * Self::columns() }
    }

    /// So many shares straight from transfers, and the checks of so many `blocks`, each with its masks.
    fn base(shares: u64, blocks: u64) -> Carried {
        let share = B::BYTES as u64 * Self::columns();
        let check = share * u64::from(E::DEGREE) + E::BYTES as u64 + 32;
        Carried { prover: share * shares + check * blocks, verifier: 16 * blocks }
    }

    /// SoftSpoken's part, the first shares, and an iteration of each set on the way.
    fn lpn_setup(params: Params) -> Carried {
        let sets = Sets::of::<B>();
        let mut setup = softspoken_setup(Depth::Eight);
        setup += Self::base_setup();
        setup += Self::base(sets.seed.consumed_over(E::DEGREE as usize) as u64, 1);
        let mut drawn = 0;
        for set in sets.chain(params) {
            let before = drawn;
            while (drawn - before) * (BLOCK as u64) < transfers(set) {
                // Each chunk is as long as all before.
                drawn += drawn.clamp(8, LONGEST_CHUNK);
            }
            setup.prover += chunks_and_check(Depth::Eight, drawn - before);
            setup += Self::trees(set, set.tiles(), set.tiles());
            setup += Self::exchange();
            setup += Self::opening();
        }
        setup
    }

    /// Draws of a tile each, every one with its part for the next iteration. The set-up has come to the longest chunks.
    fn lpn(params: Params, draws: u64) -> Carried {
        let schedule = Schedule::over(params, E::DEGREE as usize);
        let (iterations, rest) =
            (draws / schedule.draws() as u64, (draws % schedule.draws() as u64) as usize);
        let whole = Self::iteration(params, schedule, schedule.draws());
        let mut online = Self::iteration(params, schedule, rest);
        online += Carried { prover: whole.prover * iterations, verifier: whole.verifier * iterations };
        online
    }

    /// The work of so many `draws` of one iteration.
    fn iteration(params: Params, schedule: Schedule, draws: usize) -> Carried {
        let chunks = transfers(params).div_ceil(BLOCK as u64 * LONGEST_CHUNK);
        let mut sent = Self::trees(params, schedule.planted(draws), schedule.fixed(draws));
        // One chunk while a tile is set aside, and with the last of these tiles all that are missing.
        sent.prover += if !schedule.sets_aside(draws) || draws as u64 >= chunks {
            chunks_and_check(Depth::Eight, chunks * LONGEST_CHUNK)
        } else {
            chunks_and_check(Depth::Eight, draws as u64 * LONGEST_CHUNK) - chunks_and_check(Depth::Eight, 0)
        };
        if draws >= schedule.checked() {
            sent += Self::exchange();
        }
        if draws >= schedule.opened() {
            sent += Self::opening();
        }
        sent
    }

    /// The corrections of the trees of `planted` tiles, and the coins of `fixed` ones.
    fn trees(params: Params, planted: usize, fixed: usize) -> Carried {
        let tile = params.trees_per_tile() * (16 * (params.depth - 1) + 3 * E::BYTES);
        Carried { prover: 16 * fixed as u64, verifier: (tile * planted) as u64 }
    }

    /// x, and the commitment to V.
    fn exchange() -> Carried {
        Carried { prover: E::BYTES as u64, verifier: 32 }
    }

    /// V, and the opening.
    fn opening() -> Carried {
        Carried { prover: E::BYTES as u64, verifier: 32 }
    }
}

/// The shares of the sections that hold so many commitments, in blocks that come to be the `longest`.
fn sections(commitments: u64, longest: usize) -> u64 {
    let mut shares = 0;
    while shares < commitments {
        let left = longest - shares as usize % longest;
        shares += section(shares as usize, left) as u64;
    }
    shares
}

/// The transfers that an iteration of this set takes.
const fn transfers(params: Params) -> u64 {
    (params.trees * params.depth) as u64
}

/// The blocks that a statement draws.
struct Blocks {
    /// Those with commitments.
    number: u64,
    shares: u64,
    /// The shares of further ones, where the last one has too few left for the masks.
    masks: Vec<u64>,
}

impl Blocks {
    /// Blocks for a statement of this size whose lengths `next` gives by the shares drawn before, all as long as the
    /// `longest` after so many shares.
    fn cover(size: Size, masks: Masks, longest: usize, next: impl Fn(u64) -> usize) -> Self {
        let commitments = size.commitments;
        // A matrix product ends the section with its batch.
        let used = if size.matrices > 0 { sections(commitments, longest) } else { commitments };
        let longest = longest as u64;
        let (mut number, mut shares) = (0, 0);
        while shares < commitments.min(longest) {
            shares += next(shares) as u64;
            number += 1;
        }
        let more = commitments.saturating_sub(shares).div_ceil(longest);
        number += more;
        shares += longest * more;
        let mut drawn = shares;
        let masks = masks.blocks(shares - used, || {
            let block = next(drawn) as u64;
            drawn += block;
            block
        });
        Self { number, shares, masks }
    }

    fn drawn(&self) -> u64 {
        self.number + self.masks.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{proved, ran};
    use super::*;
    use crate::circuit::Arithmetic;
    use crate::session::Registered;
    use crate::session::{Correlations, Options, Report, Setting};
    use volery_primitives::{F61, F61x2, F128, F256, F65537, F65537x4, Q32, Q32x2};

    /// What the verifier reports of a network with so many commitments: 256 to 383, 512 to 767, or 1024 and more.
    fn run<B: Field, E: MacField<B>>(commitments: u64, correlations: FieldCorrelations) -> Report
    where
        Over<B, E>: Registered,
    {
        let of_width = |bits: u32| {
            let network = Arithmetic::<B>::new(commitments.checked_sub(1 << bits)?).ok()?;
            (network.width() == 1 << bits).then_some(network)
        };
        let network = (2..10).find_map(of_width).expect("a network with so many commitments");
        let options = Options {
            correlations: Some(correlations.into()),
            statement: Some(network.digest()),
            size: Some(Size::gates(commitments)),
            check: false,
            ..Options::default()
        };
        proved::<Over<B, E>, _>(&network, network.witness([1; 32]).collect(), &options)
    }

    #[track_caller]
    fn assert_foretold<B: Field, E: MacField<B>>(name: &str, sizes: impl IntoIterator<Item = u64>)
    where
        Over<B, E>: Registered,
    {
        let correlations = Correlations::named::<Over<B, E>>(name).unwrap();
        for commitments in sizes {
            let foretold = Over::<B, E>::traffic(correlations, Size::gates(commitments));
            let ran = ran(&run::<B, E>(commitments, correlations));
            assert_eq!(foretold, ran, "{commitments} over {name} of {}", Over::<B, E>::name());
        }
    }

    /// So many tiles, less what their masks take.
    fn tiles<B: Field, E: MacField<B>>(number: usize) -> u64 {
        (TILE * number) as u64 - u64::from(E::DEGREE)
    }

    /// Around the ends of blocks, and of a batch of them.
    #[test]
    fn direct_sends_what_was_foretold() {
        let ends = [256, 512, 1024, 2048, 4096, 10_240];
        let around = ends.into_iter().flat_map(|end| [end - 2, end - 1, end, end + 1]);
        assert_foretold::<F61, F61>(
            "direct",
            around.filter(|size| ![254, 255, 510, 511, 1022, 1023].contains(size)),
        );
        assert_foretold::<F61, F61x2>("direct", [256, 1024, 2046, 2047]);
        assert_foretold::<F65537, F65537x4>("direct", [300, 2044, 2045]);
        assert_foretold::<Q32, Q32x2>("direct", [300, 2046, 2047]);
        assert_foretold::<F256, F128>("direct", [300, 2032, 2033]);
    }

    /// Around the end of a tile, and at every stage of a refill, in the first iteration and the second.
    #[test]
    fn refills_send_what_was_foretold() {
        let schedule = Schedule::over(Sets::LARGE.tiny, 1);
        let (draws, checked, opened) = (schedule.draws(), schedule.checked(), schedule.opened());
        let stages = [1, 2, 3, 4, 8, 9, 13, checked - 1, checked, opened - 1, opened, draws, draws + 1];
        let sizes = stages.into_iter().map(tiles::<F61, F61>);
        let beyond = [1, draws, 2 * draws + 4].map(|number| tiles::<F61, F61>(number) + 1);
        assert_foretold::<F61, F61>("tiny", sizes.chain(beyond));
    }

    #[test]
    fn every_field_sends_what_was_foretold() {
        fn sizes<B: Field, E: MacField<B>>() -> [u64; 5] {
            let draws = Schedule::over(Sets::of::<B>().tiny, E::DEGREE as usize).draws();
            [1, 2, draws / 2, draws - 1, draws].map(|number| tiles::<B, E>(number) + u64::from(number > 1))
        }
        assert_foretold::<F61, F61x2>("tiny", sizes::<F61, F61x2>());
        assert_foretold::<F65537, F65537x4>("tiny", sizes::<F65537, F65537x4>());
        assert_foretold::<Q32, Q32x2>("tiny", sizes::<Q32, Q32x2>());
        assert_foretold::<F256, F128>("tiny", sizes::<F256, F128>());
    }

    #[test]
    fn larger_sets_send_what_was_foretold() {
        let draws = Schedule::over(Sets::LARGE.l2, 1).draws();
        assert_foretold::<F61, F61>("l2", [tiles::<F61, F61>(draws + 3)]);
        assert_foretold::<F61, F61>("mid", [5000]);
    }
}
