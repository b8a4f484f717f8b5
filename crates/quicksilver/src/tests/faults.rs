//! Circuits that swallow errors: a party that has met with one says nothing more, and asks
//! for no further share.

use super::*;
use crate::arithmetic;
use core::marker::PhantomData;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use volery_channel::channel::{Link, Playback};
use volery_circuit::{Entries, Matrix, Polynomials};
use volery_primitives::{F61, F61x2, MacField};
use volery_vole::vole::{BoxedVole, Share, Shares, subfield};

/// Pairs of ones, three shares each.
const PAIRS: u64 = 150;

/// "I know pairs of elements whose products, gate by gate, as polynomials and now and then as matrices, are
/// their first ones", by a circuit that goes on after errors, with zeroes.
fn run_on<B: Polynomials>(b: &mut B) {
    let zero = b.constant(B::F::ZERO);
    for i in 0..PAIRS {
        let [x, y] = [0; 2].map(|_| b.witness().unwrap_or(zero));
        let product = b.mul(x, y).unwrap_or(zero);
        let less = b.scale(product, -B::F::ONE);
        let difference = b.add(x, less);
        let _ = b.assert_zero(difference, "a product");
        let [left, right, less] = [x, y, less].map(|wire| b.vector(&[wire]));
        let polynomial = b.product(&left, &right).unwrap();
        let polynomial = b.sum(&polynomial, &less);
        let _ = b.assert_zeroes(polynomial, "a polynomial");
        if i % 60 == 20 {
            let [left, right, product] = [[x], [y], [product]];
            let [left, right] = [&left, &right].map(|entries| Matrix::new(entries, 1));
            let _ = b.assert_matrix_product(left, right, Entries::Wires(&product), "a matrix");
        }
        // Weighed later: by what comes next, which may be a new section, or the end.
        let _ = b.assert_product(x, y, x, "an asserted product");
    }
}

/// Correlations whose prover says something with each block, and at the end.
struct Spoken<V>(V);

impl<V: Vole<Share: Share> + 'static> Vole for Spoken<V> {
    type Share = V::Share;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<V::Share>) -> Result<()> {
        match channel.party() {
            Party::Prover => channel.send(&[1])?,
            Party::Verifier => channel.recv(&mut [0])?,
        }
        self.0.block(channel, block)
    }
    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<V::Share>> {
        self.block(channel, &mut Shares::default())?;
        Ok(self)
    }
}

/// The parties of that statement over some field.
trait Parties {
    /// Proves it by a witness of so many ones.
    fn prove(channel: &mut Channel, ones: usize) -> Result<()>;
    fn verify(channel: &mut Channel) -> Result<()>;
}

struct Bits;

impl Parties for Bits {
    fn prove(channel: &mut Channel, ones: usize) -> Result<()> {
        let vole = Box::new(Spoken(ideal::Prover::new(3, BLOCK)));
        let mut prover = Prover::new(channel, vole, Arch::detect(), vec![F2::ONE; ones]);
        run_on(&mut prover);
        prover.finish().map(drop)
    }
    fn verify(channel: &mut Channel) -> Result<()> {
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(Spoken(ideal::Verifier::new(3, BLOCK, &delta)));
        let mut verifier = Verifier::new(channel, vole, Arch::detect(), &delta);
        run_on(&mut verifier);
        verifier.finish().map(drop)
    }
}

struct Elements<B, E>(PhantomData<(B, E)>);

impl<B: Field, E: MacField<B>> Parties for Elements<B, E> {
    fn prove(channel: &mut Channel, ones: usize) -> Result<()> {
        let vole = Box::new(Spoken(subfield::ideal::Prover::<B, E>::new(3, BLOCK)));
        let mut prover = arithmetic::Prover::new(channel, vole, Arch::detect(), vec![B::ONE; ones]);
        run_on(&mut prover);
        prover.finish().map(drop)
    }
    fn verify(channel: &mut Channel) -> Result<()> {
        let random = &mut Random::from_seed(&[5; 32]);
        let delta = subfield::Delta::<B, E>::random(random);
        let vole = Box::new(Spoken(subfield::ideal::Verifier::new(3, BLOCK, &delta)));
        let mut verifier = arithmetic::Verifier::new(channel, vole, Arch::detect(), &delta, random);
        run_on(&mut verifier);
        verifier.finish().map(drop)
    }
}

/// A link to a peer that is played, which fails once.
struct Fault {
    peer: Playback,
    /// The calls of any of the link's functions.
    calls: Arc<AtomicUsize>,
    /// The call that fails.
    at: usize,
}

impl Fault {
    fn call(&self) -> io::Result<()> {
        let failed = self.calls.fetch_add(1, Ordering::Relaxed) == self.at;
        if failed { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl Link for Fault {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.call().and_then(|()| self.peer.send(bytes))
    }
    fn flush(&mut self) -> io::Result<()> {
        self.call().and_then(|()| self.peer.flush())
    }
    fn recv(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.call().and_then(|()| self.peer.recv(bytes))
    }
}

/// The result of `run` with a peer that says `heard`, and how often it uses the link, which fails at call
/// number `at`.
fn with_fault(
    party: Party,
    heard: &[Vec<u8>],
    at: usize,
    run: impl Fn(&mut Channel) -> Result<()>,
) -> (Result<()>, usize) {
    let (peer, calls) = (Playback::new(heard.concat()), Arc::default());
    let mut channel = Channel::new(party, Fault { peer, calls: Arc::clone(&calls), at });
    let ended = run(&mut channel);
    (ended, calls.load(Ordering::Relaxed))
}

/// Never.
const NO_FAULT: usize = usize::MAX;

/// Wherever the link fails, and though it would go on, it is not used again.
fn stops_at_any_fault(party: Party, heard: &[Vec<u8>], run: impl Fn(&mut Channel) -> Result<()>) {
    let (ended, calls) = with_fault(party, heard, NO_FAULT, &run);
    ended.unwrap();
    assert!(calls > 8);
    for at in 0..calls {
        let (ended, calls) = with_fault(party, heard, at, &run);
        assert!(ended.is_err(), "{} at {at}", party.name());
        assert_eq!(calls, at + 1, "{}", party.name());
    }
}

#[test]
fn nobody_goes_on_after_an_error() {
    fn test<P: Parties>() {
        let ones = 2 * PAIRS as usize;
        let (here, there) = pipe(Duration::from_secs(20));
        let ((here, said), (there, answered)) = (Tape::new(here, None), Tape::new(there, None));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, here);
                P::prove(&mut channel, ones).unwrap();
                channel.flush().unwrap();
            });
            P::verify(&mut Channel::new(Party::Verifier, there)).unwrap();
        });
        let (mut said, answered) = (said.messages(), answered.messages());
        stops_at_any_fault(Party::Prover, &answered, |channel| P::prove(channel, ones));
        stops_at_any_fault(Party::Verifier, &said, P::verify);

        // A witness that ends early.
        let short = |ones| with_fault(Party::Prover, &answered, NO_FAULT, |channel| P::prove(channel, ones));
        assert!(short(ones - 1).0.is_err());
        let (ended, calls) = short(0);
        assert!(ended.is_err());
        assert_eq!(calls, 0);

        // In the last corrections, before sums and digest, that of a share which commits to nothing, canonical or
        // not. What comes behind is not read.
        let (_, all) = with_fault(Party::Verifier, &said, NO_FAULT, P::verify);
        let before = said.len() - 2;
        let at = said[..before].iter().rposition(|message| message.len() > 1).expect("corrections");
        let last = 8 * said[at].len();
        for bit in [last - 64, last - 1] {
            said[at][bit / 8] ^= 1 << (bit % 8);
            let (ended, calls) = with_fault(Party::Verifier, &said, NO_FAULT, P::verify);
            said[at][bit / 8] ^= 1 << (bit % 8);
            assert!(ended.is_err());
            assert!(calls + 2 <= all, "{calls} of {all}");
        }
    }
    test::<Bits>();
    test::<Elements<F61, F61>>();
    test::<Elements<F61, F61x2>>();
}

/// Correlations whose check fails once the prover has said what belongs to it.
struct Failing<V>(Spoken<V>);

impl<V: Vole<Share: Share> + 'static> Vole for Failing<V> {
    type Share = V::Share;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<V::Share>) -> Result<()> {
        self.0.block(channel, block)
    }
    fn check(self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<V::Share>> {
        Box::new(self.0).check(channel)?;
        Err(Error::Rejected(Rejection::Shards))
    }
}

/// A check that has failed is not undone by a prover that leaves before its last message.
#[test]
fn a_failed_check_is_the_end_whoever_leaves() {
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, said) = Tape::new(here, None);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut channel = Channel::new(Party::Prover, here);
            Bits::prove(&mut channel, 2 * PAIRS as usize).unwrap();
            channel.flush().unwrap();
        });
        Bits::verify(&mut Channel::new(Party::Verifier, there)).unwrap();
    });
    let said = said.messages();
    let verify = |heard: &[Vec<u8>]| {
        let channel = &mut Channel::new(Party::Verifier, Playback::new(heard.concat()));
        let delta = Delta::random(&mut Random::from_seed(&[5; 32]));
        let vole = Box::new(Failing(Spoken(ideal::Verifier::new(3, BLOCK, &delta))));
        let mut verifier = Verifier::new(channel, vole, Arch::detect(), &delta);
        run_on(&mut verifier);
        verifier.finish().map(drop)
    };
    let (whole, mut failed) = (said.len(), 0);
    for kept in 0..=whole {
        match verify(&said[..kept]) {
            Err(Error::Rejected(Rejection::Shards)) => failed += 1,
            // Before the check.
            Err(_) if failed == 0 => {}
            ended => panic!("{ended:?} after {kept} of {whole}"),
        }
    }
    // Before the sums, before the digest of assertions, and with both.
    assert!(failed >= 3, "{failed} of {whole}");
}
