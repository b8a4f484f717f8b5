//! No branch and no address depends on a secret, shown by valgrind's memcheck: docs/constant-time.md says of
//! what, and what that leaves open.
//!
//! Both parties run here under memcheck, with their witness and all of their randomness marked as undefined,
//! and so what they compute from it: Δ, MACs, keys, seeds, choices, masks. What a party sends is public from
//! then on. Memcheck reports each branch and each address that depends on the rest, as Langley's ctgrind
//! does.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;
use volery::channel::{Channel, Party, pipe};
use volery::circuit::stream::Source;
use volery::circuit::{
    Arithmetic, Backend, Circuit, Network, Polynomials, Relation, Returned, Statement, Value, Values,
};
use volery::{
    Arch, Binary, Bn254, Correlations, F2, F61, F61x2, Field, Goldilocks, Named, Options, Over, Result,
    ShortBinary, System, prove_over, prove_to_over, verify_from_over, verify_over,
};
use volery_channel::testing::secrets::{self, AESNI, BOTH, Case, PORTABLE, Said, branch, case, leaks, slow};
use volery_primitives::arch::memcheck::hide;

/// Longer than a party works before it says something, slow as it is here.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The longest first.
const CASES: &[Case] = &[
    case("quicksilver-f61-tiny", AESNI, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    case("quicksilver-f2-tiny", AESNI, |arch| bits(System::QUICKSILVER, Correlations::TINY, arch)),
    case("controls", AESNI, sessions_that_leak),
    case("limbo-f61", PORTABLE, |arch| elements::<F61, F61>(System::LIMBO, None, arch)),
    case("limbo-f2", AESNI, |arch| bits(System::LIMBO, None, arch)),
    case("limbo-f2-file", AESNI, |arch| file(System::LIMBO, arch)),
    case("voleith-f2-file", AESNI, |arch| file(System::VOLEITH, arch)),
    case("voleith-f2-holes", AESNI, |arch| {
        let public = [
            ("plaintext", "0x00112233445566778899aabbccddeeff"),
            ("ciphertext", "0x69c4e0d86a7b0430d8cdb78070b4c55a"),
        ];
        holes("aes128?holes=1", ("key", "0x000102030405060708090a0b0c0d0e0f"), &public, arch);
    }),
    case("quicksilver-f2x64-tiny", AESNI, |arch| short(2_000, Correlations::TINY, arch)),
    slow("quicksilver-f2x64-tiny-portable", PORTABLE, |arch| short(2_000, Correlations::TINY, arch)),
    slow("quicksilver-f2x64-softspoken4", BOTH, |arch| short(2_000, Correlations::SOFTSPOKEN4, arch)),
    slow("quicksilver-f2-softspoken4", PORTABLE, |arch| {
        bits(System::QUICKSILVER, Correlations::SOFTSPOKEN4, arch)
    }),
    slow("limbo-f61-aesni", AESNI, |arch| elements::<F61, F61>(System::LIMBO, None, arch)),
    slow("limbo-f2-portable", PORTABLE, |arch| bits(System::LIMBO, None, arch)),
    slow("quicksilver-f61-tiny-portable", PORTABLE, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-f2-refilled", BOTH, |arch| {
        network(110_000, System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-f61-direct", BOTH, |arch| {
        elements::<F61, F61>(System::QUICKSILVER, Correlations::DIRECT, arch);
    }),
    slow("quicksilver-f61-polynomials", BOTH, |arch| {
        let options = by(System::QUICKSILVER, Correlations::DIRECT, arch);
        session::<Over<F61>>(&Squares(40), &[F61::ONE; 80], options);
    }),
    slow("wolverine-f2-tiny", BOTH, |arch| bits(System::WOLVERINE, Correlations::TINY, arch)),
    slow("wolverine-f61-tiny", BOTH, |arch| {
        elements::<F61, F61>(System::WOLVERINE, Correlations::TINY, arch)
    }),
    slow("quicksilver-bn254-direct", AESNI, |arch| {
        elements::<Bn254, Bn254>(System::QUICKSILVER, Correlations::DIRECT, arch);
    }),
    slow("quicksilver-f61x2", BOTH, |arch| {
        elements::<F61, F61x2>(System::QUICKSILVER, Correlations::TINY, arch)
    }),
    slow("quicksilver-goldilocks", AESNI, |arch| {
        elements::<Goldilocks, Goldilocks>(System::QUICKSILVER, Correlations::TINY, arch);
    }),
    slow("voleith-f2-keccak", AESNI, |arch| {
        let digest = "0x3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
        holes("sha3-256-preimage?length=3&holes=1", ("message", "0x616263"), &[("digest", digest)], arch);
    }),
    slow("jko", AESNI, |arch| bits(System::JKO, None, arch)),
];

fn main() -> ExitCode {
    secrets::main(CASES, env!("CARGO_TARGET_TMPDIR"))
}

/// Secrets come as far as to the peer, and to the hints of a statement.
fn sessions_that_leak(arch: Arch) {
    let options = Options { arch, ..Options::by(System::LIMBO) };
    let run = |leaks, public| both::<Binary>(&Square { leaks }, &[F2::ONE], &options, public);
    run(false, [true, true]);
    leaks("what the prover says depends on its secrets", || run(false, [false, true]));
    leaks("what the verifier says depends on its secrets", || run(false, [true, false]));
    leaks("the witness is secret", || run(true, [true, true]));
}

/// "I know a bit that is its square", and where said its prover branches on it.
struct Square {
    leaks: bool,
}

impl<B: Backend<F = F2>> Circuit<B> for Square {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        let leaks = self.leaks;
        let copy = b.hint(&[x], move |x| {
            let odd = leaks && branch(&[x[0].to_bool().into()]).is_empty();
            if odd { F2::ZERO } else { x[0] }
        })?;
        let square = b.mul(x, copy)?;
        let difference = b.add(square, x);
        b.assert_zero(difference, "square")
    }
}

/// Polynomials alone on each of some lanes: that numbers are squares of others.
struct Squares(usize);

impl<B: Polynomials> Circuit<B> for Squares {
    fn run(&self, b: &mut B) -> Result<()> {
        let columns = (0..2 * self.0).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        b.map(b"squares", self.0, &columns, |b, _, of| {
            let (x, y) = (b.vector(&of[..1]), b.vector(&of[1..]));
            let difference = b.combination(&[(&x, &x)], &[(-B::F::ONE, &y)], B::F::ZERO)?;
            b.assert_zeroes(difference, "a square")?;
            Ok(Returned::default())
        })?;
        Ok(())
    }
}

fn bits(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) {
    network(2_000, system, correlations, arch);
}

fn network(gates: u64, system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) {
    over_bits::<Binary>(gates, by(system, correlations, arch));
}

/// Bits under MACs of 64 bits.
fn short(gates: u64, correlations: Correlations, arch: Arch) {
    over_bits::<ShortBinary>(gates, by(System::QUICKSILVER, correlations, arch));
}

fn over_bits<S: Named<F = F2>>(gates: u64, options: Options) {
    let network = Network::new(gates).unwrap();
    let witness: Vec<F2> = network.witness([7; 32]).collect();
    session::<S>(&network, &witness, options);
}

fn elements<F: Field, E>(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch)
where
    Over<F, E>: Named<F = F>,
{
    let network = Arithmetic::<F>::new(300).unwrap();
    let witness: Vec<F> = network.witness([7; 32]).collect();
    session::<Over<F, E>>(&network, &witness, by(system, correlations, arch));
}

/// Settings with which a prover goes through its witness both before and during the proof.
fn by(system: System, correlations: impl Into<Option<Correlations>>, arch: Arch) -> Options {
    Options { arch, ..Options::by(system).with_correlations(correlations) }
}

fn session<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], options: Options) {
    both::<S>(circuit, witness, &options, [true; 2]);
}

/// Runs both parties on secrets; `public` says for each whether what it sends is marked as such.
fn both<S: Named>(circuit: &dyn Source<S::F>, witness: &[S::F], options: &Options, public: [bool; 2]) {
    let mut witness = witness.to_vec();
    hide(&mut witness);
    let (proving, verifying) = (seeded(options, 1), seeded(options, 2));
    let (here, there) = pipe(TIMEOUT);
    let (here, there) = (Said { link: here, public: public[0] }, Said { link: there, public: public[1] });
    thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            prove_over::<S>(circuit, witness, &mut channel, &proving).unwrap();
        });
        let mut channel = Channel::new(Party::Verifier, there);
        let _accepted = verify_over::<S>(circuit, &mut channel, &verifying).unwrap();
        prover.join().unwrap();
    });
}

/// The options with randomness that is secret.
fn seeded(options: &Options, seed: u8) -> Options {
    let mut seed = [seed; 32];
    hide(&mut seed);
    Options { seed: Some(seed), ..options.clone() }
}

fn file(system: System, arch: Arch) {
    let network = Network::new(2_000).unwrap();
    written(&network, network.witness([7; 32]).collect(), by(system, None, arch));
}

/// A file about a built-in statement, whose hints are computed of the private value.
fn holes(spec: &str, (port, secret): (&str, &str), public: &[(&str, &str)], arch: Arch) {
    let number = |text: &str| Value::from_number_hex(text).unwrap();
    let mut values = Values::new();
    public.iter().for_each(|(port, text)| values.insert(*port, number(text)).unwrap());
    let relation = Relation::open(&format!("builtin:{spec}"), None).unwrap();
    let statement = Statement::new(relation, values).unwrap();
    let mut private = Values::new();
    private.insert(port, number(secret)).unwrap();
    let witness = statement.witness(private).unwrap().bits().collect();
    written(statement.source(), witness, by(System::VOLEITH, None, arch));
}

/// A file, and whoever reads it, who has no secrets.
fn written(circuit: &dyn Source<F2>, mut witness: Vec<F2>, options: Options) {
    hide(&mut witness);
    let mut file = Said { link: vec![], public: true };
    prove_to_over::<Binary>(circuit, witness, &mut file, &seeded(&options, 1)).unwrap();
    let _accepted = verify_from_over::<Binary>(circuit, &mut &file.link[..], &options).unwrap();
}
