//! `volery bench holes`: what polynomials spare a Boolean circuit, which is proved with them and gate by
//! gate.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use sha2::{Digest, Sha256};
use volery::circuit::gadget::{Word, products_with_holes};
use volery::circuit::stream::Source;
use volery::circuit::{Polynomials, Relation, Statement, Value, Values};
use volery::random::Random;
use volery::{Binary, Circuit, F2, Named as _};
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::print::{human, seconds};
use volery_cli::report::Outcome;

/// Blocks of SHA-256, and multiplications, where no number is given.
const BLOCKS: u64 = 100;
const MULTIPLICATIONS: u64 = 10_000;

/// The most of either: their public values are held.
const MOST: u64 = 1 << 20;

/// Proves the circuit of --kind both ways.
pub(crate) fn holes(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let kind = run.typed.kind.as_deref().unwrap_or("sha256");
    one_of("--kind", kind, &["sha256", "multiplication"])?;
    let few = if kind == "sha256" { BLOCKS } else { MULTIPLICATIONS };
    let count = size("--count", run.typed.count.as_deref(), few)?;
    if !(1..=MOST).contains(&count) {
        return Err(Failure::usage(format_args!("--count: {count}: choose from 1 to {MOST}")));
    }
    let [gates, holes] =
        if kind == "sha256" { blocks(&plan, count)? } else { multiplications(&plan, count)? };
    report(&plan, kind, count, gates, holes)
}

/// Proves one message of `count` blocks, its padding included.
fn blocks(plan: &Plan, count: u64) -> Result<[Outcome; 2]> {
    let length = 64 * count - 9;
    let mut random = Random::from_system()?;
    let message: Vec<u8> = (0..count).flat_map(|_| random.bytes::<64>()).take(length as usize).collect();
    let proved = |holes: u8| {
        let relation =
            Relation::open(&format!("builtin:sha256-preimage?length={length}&holes={holes}"), None)?;
        let (mut public, mut private) = (Values::new(), Values::new());
        public.insert("digest", Value::from_bytes(&Sha256::digest(&message)))?;
        private.insert("message", Value::from_bytes(&message))?;
        let statement = Statement::new(relation, public)?;
        let witness = statement.witness(private)?;
        prove(plan, count, &statement, statement.digest(), witness.bits())
    };
    Ok([proved(0)?, proved(1)?])
}

/// "I know pairs of 32-bit numbers with these products modulo 2^32."
struct Multiplications {
    products: Vec<u32>,
    holes: bool,
}

/// Pairs that are read at a time.
const PAIRS: usize = 256;

impl Multiplications {
    fn digest(&self) -> [u8; 32] {
        let products = self.products.iter().flat_map(|product| product.to_le_bytes());
        let bytes: Vec<u8> = products.chain([self.holes.into()]).collect();
        Sha256::digest(bytes).into()
    }
}

impl<B: Polynomials<F = F2>> Circuit<B> for Multiplications {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        for expected in self.products.chunks(PAIRS) {
            let (mut xs, mut ys) = (Vec::new(), Vec::new());
            for _ in expected {
                xs.push(Word::<_, 32>::witness(b)?);
                ys.push(Word::witness(b)?);
            }
            let products = if self.holes {
                products_with_holes(b, &xs, &ys)?
            } else {
                xs.iter().zip(&ys).map(|(x, y)| x.mul(b, y)).collect::<volery::Result<Vec<_>>>()?
            };
            for (product, expected) in products.iter().zip(expected) {
                product.assert_equal(b, &Word::public((*expected).into()), "product")?;
            }
        }
        Ok(())
    }
}

fn multiplications(plan: &Plan, count: u64) -> Result<[Outcome; 2]> {
    let mut random = Random::from_system()?;
    let pairs: Vec<[u32; 2]> =
        (0..count).map(|_| [(); 2].map(|()| u32::from_le_bytes(random.bytes()))).collect();
    let products: Vec<u32> = pairs.iter().map(|[x, y]| x.wrapping_mul(*y)).collect();
    let bits = |word: u32| (0..32).map(move |i| F2::from(word >> i & 1 == 1));
    let witness: Vec<F2> = pairs.into_iter().flatten().flat_map(bits).collect();
    let proved = |holes| {
        let statement = Multiplications { products: products.clone(), holes };
        prove(plan, count, &statement, statement.digest(), witness.iter().copied())
    };
    Ok([proved(false)?, proved(true)?])
}

fn prove<W>(
    plan: &Plan,
    count: u64,
    circuit: &dyn Source<F2>,
    digest: [u8; 32],
    witness: W,
) -> Result<Outcome>
where
    W: IntoIterator<Item = F2> + Clone + Send,
{
    let shape = Binary::compiled().count(circuit)?;
    let options = plan.settings.options(digest, Some(shape.size()))?;
    plan.prove::<Binary, _>(("count", count), circuit, witness, shape.mul, &options)
}

/// Reports the run with holes, with the one without beside it.
fn report(plan: &Plan, kind: &str, count: u64, gates: Outcome, mut holes: Outcome) -> Result<()> {
    let each = |outcome: &Outcome| {
        let gates = &outcome.report.gates;
        let statements = count * u64::from(plan.repeat);
        (gates.inputs + gates.mul) as f64 / statements as f64
    };
    let online = gates.report.online.as_secs_f64();
    let without = json!({
        "gates": {"mul": gates.report.gates.mul},
        "committed_bits_each": each(&gates),
        "online_bytes": gates.online_bytes(),
        "seconds": {"online": online},
    });
    holes.more("kind", json!(kind), kind.into());
    holes.more("committed_bits_each", json!(each(&holes)), format!("{:.0} bits each", each(&holes)));
    let text = format!(
        "{} online, {}B, {:.0} bits each",
        seconds(online),
        human(gates.online_bytes() as f64),
        each(&gates)
    );
    holes.more("gate_by_gate", without, text);
    plan.print(&holes)
}
