//! Whole proofs by parties of which one, both or none have a card: the same bytes, whoever walks.

mod elements;

use std::sync::{Arc, LazyLock};
use std::time::Duration;
use volery::channel::{Channel, Party, Tape, pipe};
use volery::circuit::{Backend, Circuit, Returned};
use volery::{
    Binary, Correlations, Device, Error, F2, Field, Named, Options, Provable, Result, prove_over, verify_over,
};
use volery_gpu::Card;
use volery_primitives::F128;
use volery_primitives::prg::Seed;
use volery_proof::device::{Plan, PlanOfElements, Run, Walk, WalkOfElements};
use volery_vole::vole::device::{Expander, Forest, Growing, Held, OriginOfElements, Tile};
use zeroize::Zeroizing;

/// One card for all tests: the software of Mesa where there is no other.
static CARD: LazyLock<Arc<Card>> =
    LazyLock::new(|| Arc::new(Card::open(0, 1 << 30).expect("a driver of Vulkan: see gpu/README.md")));

/// A function of all that cards know, on some lanes, between gates; a part of a lane's witness is its own.
struct Mapped {
    lanes: usize,
    products: usize,
    own: usize,
}

impl<B: Backend> Circuit<B> for Mapped {
    fn run(&self, b: &mut B) -> Result<()> {
        let columns = (0..2 * self.lanes).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let made = b.map(b"mapped", self.lanes, &columns, |b, lane, of| {
            let (mut x, mut y) = (of[0], of[1]);
            for i in 0..self.products {
                let product = b.mul(x, y)?;
                let sum = b.add(product, of[i % 2]);
                if i % 50 == 1 && i / 50 < self.own {
                    let own = b.witness()?;
                    let one = b.constant(B::F::ONE);
                    y = b.add(own, one);
                } else if i % 50 == 3 {
                    y = b.add(product, y);
                }
                x = sum;
            }
            // The same twice is zero.
            let (first, second) = (b.mul(x, y)?, b.mul(y, x)?);
            let zero = b.add(first, second);
            b.assert_zero(zero, format_args!("equal products in lane {lane}"))?;
            let is_zero = b.mul(of[0], of[1])?;
            b.assert_zero(is_zero, format_args!("the arguments of lane {lane}"))?;
            Ok(Returned { wires: vec![x, zero], public: Vec::new() })
        })?;
        // Results are used in the batch in which the map ends.
        let first = made.wires[0];
        let square = b.mul(first, first)?;
        let zero = b.add(square, first);
        b.assert_zero(zero, "a bit is its square")?;
        let last = *made.wires.last().expect("some");
        b.assert_zero(last, "the last lane")
    }
}

impl Mapped {
    /// A witness that holds, but for the arguments of these lanes.
    fn witness(&self, wrong: &[usize]) -> Vec<F2> {
        let bit = |i: usize| F2::from((i * i + i / 3) % 5 < 2);
        let mut witness: Vec<F2> = (0..self.lanes).map(bit).collect();
        // One of both arguments is zero.
        let other: Vec<F2> = (0..self.lanes)
            .map(|lane| if wrong.contains(&lane) { F2::ONE } else { witness[lane] + F2::ONE })
            .collect();
        wrong.iter().for_each(|&lane| witness[lane] = F2::ONE);
        witness.extend(other);
        witness.extend((0..self.lanes * self.own).map(bit));
        witness
    }
}

/// The verdicts of both, and what each has sent.
type Session = ([Result<()>; 2], [Vec<Vec<u8>>; 2]);

fn run(statement: &Mapped, witness: &[F2], set: Correlations, lanes: u32, on_card: [bool; 2]) -> Session {
    run_by::<Binary>(statement, witness, set, lanes, cards(on_card))
}

fn cards(on_card: [bool; 2]) -> [Option<Arc<dyn Device>>; 2] {
    on_card.map(|on_card| on_card.then(|| CARD.clone() as Arc<dyn Device>))
}

fn run_by<S: Named>(
    statement: &(impl Provable<S> + Sync),
    witness: &[S::F],
    set: Correlations,
    lanes: u32,
    devices: [Option<Arc<dyn Device>>; 2],
) -> Session {
    let options = devices.map(|device| {
        let options = Options { lanes: Some(lanes), device, check: false, ..Options::default() };
        Options { seed: Some([42; 32]), ..options.with_correlations(set) }
    });
    let (here, there) = pipe(Duration::from_secs(100));
    let ((here, proved), (there, verified)) = (Tape::new(here, None), Tape::new(there, None));
    let [proving, verifying] = &options;
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<S>(statement, witness.iter().copied(), &mut channel, proving).map(drop)
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let verdict = verify_over::<S>(statement, &mut channel, verifying).map(drop);
        drop(channel);
        let verdicts = [prover.join().expect("no panic"), verdict];
        (verdicts, [proved, verified].map(|record| record.messages()))
    })
}

/// Waves of one word and of many, which begin and end within blocks and across iterations, the last one shorter.
#[test]
fn whoever_walks_sends_the_same() {
    let cases = [
        (Mapped { lanes: 600, products: 240, own: 3 }, Correlations::TINY, 256),
        (Mapped { lanes: 4133, products: 60, own: 1 }, Correlations::TINY, 1 << 15),
        (Mapped { lanes: 300, products: 500, own: 0 }, Correlations::L2, 64),
        // Turns of many waves.
        (Mapped { lanes: 40_001, products: 2, own: 0 }, Correlations::TINY, 256),
    ];
    for (statement, set, lanes) in cases {
        let witness = statement.witness(&[]);
        let by = |on_card| run(&statement, &witness, set, lanes, on_card);
        let ([proved, verified], expected) = by([false, false]);
        proved.unwrap();
        verified.unwrap();
        for on_card in [[true, false], [false, true], [true, true]] {
            let ([proved, verified], sent) = by(on_card);
            proved.unwrap();
            verified.unwrap();
            assert!(sent == expected, "{} lanes, on cards: {on_card:?}", statement.lanes);
        }
    }
}

#[test]
fn what_fails_is_named_and_rejected() {
    let statement = Mapped { lanes: 600, products: 240, own: 3 };
    let witness = statement.witness(&[77, 300, 599]);
    for on_card in [[false, false], [true, false], [false, true]] {
        let ([proved, verified], _) = run(&statement, &witness, Correlations::TINY, 256, on_card);
        assert!(
            matches!(proved, Err(Error::Unsatisfied(name)) if name == "the arguments of lane 77"),
            "{on_card:?}"
        );
        assert!(verified.is_err());
    }
}

/// A prover's card that sends one correction of another value than it has committed to.
struct Liar(u64);

impl Expander for Liar {
    fn grow(&self, forest: &Forest<'_>) -> Result<Box<dyn Growing>> {
        CARD.grow(forest)
    }
    fn hold_elements(&self, origin: &OriginOfElements) -> Result<Arc<dyn Held>> {
        CARD.hold_elements(origin)
    }
}

impl Device for Liar {
    fn name(&self) -> &str {
        "a liar"
    }
    fn lanes(&self) -> u32 {
        CARD.lanes()
    }
    fn walk(&self, plan: &Plan<'_>) -> Result<Box<dyn Walk>> {
        Ok(Box::new(Lying { walk: CARD.walk(plan)?, left: self.0 }))
    }
    fn walk_elements(&self, plan: &PlanOfElements<'_>) -> Result<Box<dyn WalkOfElements>> {
        Ok(Box::new(elements::Lying::new(plan, self.0)?))
    }
}

/// Its map, and the corrections before the one that is a lie.
struct Lying {
    walk: Box<dyn Walk>,
    left: u64,
}

impl Walk for Lying {
    fn begin(
        &mut self,
        wave: usize,
        lanes: usize,
        columns: &mut dyn Iterator<Item = &[F128]>,
        witness: &[u64],
    ) -> Result<()> {
        self.walk.begin(wave, lanes, columns, witness)
    }
    fn draw(&mut self, tiles: &[Tile], runs: Vec<Run>) -> Result<()> {
        self.walk.draw(tiles, runs)
    }
    fn corrections(&mut self) -> Result<Vec<u8>> {
        let mut corrections = self.walk.corrections()?;
        let bits = 8 * corrections.len() as u64;
        if self.left < bits {
            corrections[self.left as usize / 8] ^= 1 << (self.left % 8);
        }
        self.left = self.left.checked_sub(bits).unwrap_or(u64::MAX);
        Ok(corrections)
    }
    fn correct(&mut self, corrections: &[u8]) -> Result<()> {
        self.walk.correct(corrections)
    }
    fn asserted(&mut self) -> Result<Zeroizing<Vec<F128>>> {
        self.walk.asserted()
    }
    fn fold(&mut self, seed: Seed) -> Result<()> {
        self.walk.fold(seed)
    }
    fn wires(&mut self, wave: usize, slots: &[u32]) -> Result<Zeroizing<Vec<F128>>> {
        self.walk.wires(wave, slots)
    }
    fn leave(&mut self, wave: usize) {
        self.walk.leave(wave);
    }
    fn sums(&mut self) -> Result<Zeroizing<[F128; 2]>> {
        self.walk.sums()
    }
}

/// At both sides of the ends of commitments, turns and waves, and at the last that the card sends.
#[test]
fn lies_at_seams_are_rejected() {
    let statement = Mapped { lanes: 600, products: 240, own: 3 };
    let witness = statement.witness(&[]);
    // The map begins within a block, whose rest is not the card's: so all seams are moved by less than a block.
    let (turn, wave, all) = (32 * 1024, 256 * 246, 600 * 246 - 2 * 4096);
    let lies = [0, 1, 255, 256, turn - 1, turn, turn + 1, wave - 1, wave, wave + 1, all - 1];
    for lie in lies.into_iter().chain(wave - 4096..wave - 4090) {
        for verifier in [None, Some(CARD.clone() as Arc<dyn Device>)] {
            let devices = [Some(Arc::new(Liar(lie)) as Arc<dyn Device>), verifier];
            let ([_, verified], _) = run_by::<Binary>(&statement, &witness, Correlations::TINY, 256, devices);
            assert!(matches!(verified, Err(Error::Rejected(_))), "{lie}: {verified:?}");
        }
    }
    let devices = [Some(Arc::new(Liar(u64::MAX)) as Arc<dyn Device>), None];
    let ([_, verified], _) = run_by::<Binary>(&statement, &witness, Correlations::TINY, 256, devices);
    verified.unwrap();
}

/// What a card does not hold is said before it is tried, and nothing is left of it.
#[test]
fn too_little_memory_is_an_error() {
    let card = Arc::new(Card::open(0, 1 << 20).unwrap());
    let statement = Mapped { lanes: 600, products: 240, own: 3 };
    let witness = statement.witness(&[]);
    let devices = [Some(card.clone() as Arc<dyn Device>), None];
    let ([proved, verified], _) = run_by::<Binary>(&statement, &witness, Correlations::TINY, 256, devices);
    let why = proved.unwrap_err().to_string();
    assert!(why.contains("of 1 MB that may be taken"), "{why}");
    assert!(matches!(verified, Err(Error::Io { .. })), "{verified:?}");
    assert_eq!(card.memory_in_use(), 0);
    let missing = Card::open(1000, 1 << 30).err().unwrap().to_string();
    assert!(missing.contains("no graphics processor number 1000"), "{missing}");
}
