//! `volery bench convert`: words of bits that become numbers, and numbers that become words of bits.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use volery::circuit::{Backend, Mixed, MixedCircuit, widest};
use volery::random::Random;
use volery::{F2, Field, MacField, Over, ProvableMixed, Registered, Setting as _, U256, with_fields};
use volery_cli::failure::{Failure, Result, one_of};

const COUNT: u64 = 1 << 20;
const BITS: u64 = 32;

/// Secret words, or numbers, that are converted in turn.
const SECRETS: usize = 64;

/// A statement of conversions: `count` words of `width` bits.
struct Conversions {
    count: u64,
    bits: usize,
    to_bits: bool,
}

impl<M: Mixed> MixedCircuit<M> for Conversions {
    fn run(&self, m: &mut M) -> volery::Result<()> {
        if self.to_bits {
            let n = m.numbers()?;
            let secrets = (0..SECRETS).map(|_| n.witness()).collect::<volery::Result<Vec<_>>>()?;
            let mut left = self.count;
            while left > 0 {
                let some = left.min(SECRETS as u64);
                m.bits_of(&secrets[..some as usize], self.bits, &"a number")?;
                left -= some;
            }
            return Ok(());
        }
        let b = m.bits()?;
        let secrets = (0..SECRETS * self.bits).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>()?;
        let mut sum = m.numbers()?.constant(<M::Numbers as Backend>::F::ZERO);
        for word in secrets.chunks(self.bits).cycle().take(self.count as usize) {
            let number = m.number(word)?;
            sum = m.numbers()?.add(sum, number);
        }
        let n = m.numbers()?;
        let total = n.hint(&[sum], |sum| sum[0])?;
        let minus = n.scale(total, -<M::Numbers as Backend>::F::ONE);
        let difference = n.add(sum, minus);
        n.assert_zero(difference, "the sum")
    }
}

/// Measures conversions of --bits, in the direction of --kind, over F_2 and the field.
pub(crate) fn convert(run: &Run) -> Result<()> {
    let field = run.field()?;
    let name = field.name();
    if field.modulus().is_none_or(|prime| prime == U256::from(2_u64)) {
        return Err(Failure::usage(format_args!(
            "--field: bits are converted to numbers modulo an odd prime, and {name} has characteristic two"
        )));
    }
    macro_rules! by_name {
        ($($values:ident: $($macs:ident)+;)+) => {$($(
            if const { is_measured(<volery::$values as Field>::BITS) }
                && name == Over::<volery::$values, volery::$macs>::name()
            {
                return over::<volery::$values, volery::$macs>(run);
            }
        )+)+};
    }
    with_fields!(by_name);
    Err(Failure::usage(format_args!(
        "--field: conversions are measured over primes of up to {MOST} bits, and not over {name}"
    )))
}

/// The most bits of a prime whose conversions are measured.
const MOST: u32 = 64;

/// Whether conversions are measured over a field of this many bits; bytes are no numbers.
const fn is_measured(bits: u32) -> bool {
    bits > 8 && bits <= MOST
}

fn over<B: Field, E: MacField<B>>(run: &Run) -> Result<()>
where
    Over<B, E>: Registered,
{
    let plan = Plan::new(run)?;
    let typed = run.typed;
    let kind = typed.kind.as_deref().unwrap_or("to-number");
    one_of("--kind", kind, &["to-number", "to-bits"])?;
    let most = widest::<B>() as u64;
    let bits = size("--bits", typed.bits.as_deref(), BITS.min(most))?;
    let count = size("--count", typed.count.as_deref(), COUNT)?;
    if !(1..=most).contains(&bits) {
        return Err(Failure::usage(format_args!("--bits: {bits}: choose from 1 to {most}")));
    }
    if count == 0 {
        return Err(Failure::usage("--count: 0: choose 1 or more"));
    }
    let statement = Conversions { count, bits: bits as usize, to_bits: kind == "to-bits" };
    let mut random = Random::from_seed(&Random::from_system()?.bytes());
    let words: Vec<u128> = (0..SECRETS).map(|_| random.word().0 & ((1 << bits) - 1)).collect();
    let (mut of_bits, mut of_numbers) = (Vec::new(), Vec::new());
    if statement.to_bits {
        of_numbers.extend(words.iter().map(|word| B::from_word(*word).expect("of so few bits")));
    } else {
        let all = words.iter().flat_map(|word| (0..bits).map(move |place| F2::low_bit(word >> place)));
        of_bits.extend(all);
    }
    let digest = ProvableMixed::<B, E>::count(&statement, true)?.1.expect("asked for");
    let options = plan.settings.options(digest, None)?;
    let reports = plan.task("conversions", count).each(
        &options,
        plan.repeat,
        &mut |channel, options| {
            volery::prove_mixed::<B, E>(&statement, of_bits.clone(), of_numbers.clone(), channel, options)
        },
        &mut |channel, options| volery::verify_mixed::<B, E>(&statement, channel, options),
    )?;
    let mut outcome = plan.outcome(("count", count), &reports);
    let seconds = outcome.report.online.as_secs_f64() / f64::from(plan.repeat);
    let (rate, bytes) = (count as f64 / seconds, outcome.online_bytes() as f64);
    outcome.more("kind", json!(kind), kind.into());
    outcome.more("word_bits", json!(bits), bits.to_string());
    outcome.more("conversions", json!(count), count.to_string());
    outcome.more("conversions_per_second", json!(rate), format!("{:.2} million/s", rate / 1e6));
    let each = bytes / (count as f64 * f64::from(plan.repeat));
    outcome.more("bytes_per_conversion", json!(each), format!("{each:.1}"));
    plan.print(&outcome)
}
