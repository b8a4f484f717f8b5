//! Endemic oblivious transfers over ristretto255: Masny and Rindal, CCS 2019, with the batch hygiene of
//! McQuoid, Rosulek and Roy 2021.
//!
//! After it the sender holds pairs (K_{i,0}, K_{i,1}), and the receiver with choice bits c holds K_{i,c_i}.
//! "Endemic": an honest party's keys look random, a corrupt party may choose its own. The users of the keys
//! must, and do, bear that.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | receiver | R_{i,0}, R_{i,1} for each of n transfers | 64·n |
//! | sender | M = s·g | 32 |
//!
//! The receiver draws R_{i,1-c} at random and sets R_{i,c} = a_i·g − HG(i, c, R_{i,1-c}): whichever
//! of the two it fixes last has its hash already determined, so it knows the logarithm of at most
//! one Q_{i,b} = R_{i,b} + HG(i, b, R_{i,1-b}). Its message is uniform whatever the choices: they
//! are hidden unconditionally. Keys are K_{i,b} = H(sid, i, b, h₁, M, s·Q_{i,b}), where h₁
//! digests the first message.
//!
//! One s serves all transfers, as the paper allows: every hash names its transfer and slot, so that equal or
//! exchanged points in two of them have nothing in common, and each Q_{i,b} of which the receiver does not
//! know the logarithm is an instance of its own by rerandomisation. Security: programmable random oracle and
//! the gap Diffie-Hellman assumption on ristretto255 (about 126 bits); not post-quantum.
//!
//! Encodings that are not canonical are refused, and so is the identity as M. Ristretto has prime order: no
//! cofactor to clear, no subgroup to check. An abort depends on public messages alone.

use core::ops::Range;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use std::sync::Arc;
use subtle::{Choice, ConditionallySelectable};
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::hash::Digest;
use volery_primitives::{F128, U256};
use zeroize::{Zeroize, Zeroizing};

/// The transfers that SoftSpoken is set up by.
pub const TRANSFERS: usize = 128;

/// The most transfers in a batch, one for each choice bit.
const MOST: usize = 256;

/// The sender's output: both keys of each transfer.
pub type Pairs = Zeroizing<Vec<[F128; 2]>>;
/// The receiver's output: the chosen key of each transfer.
pub type Chosen = Zeroizing<Vec<F128>>;

/// A session's hash functions: all are bound to its identifier.
#[derive(Clone, Copy)]
struct Oracle {
    sid: [u8; 32],
}

impl Oracle {
    /// HG(i, b, R): a group element whose logarithm nobody knows.
    fn group(&self, i: usize, slot: u8, other: &CompressedRistretto) -> RistrettoPoint {
        let digest = Digest::new("volery base ot v1, hash to group");
        let bytes = digest.field(&self.sid).number(i as u64).field(&[slot]).field(other.as_bytes()).finish();
        RistrettoPoint::from_uniform_bytes(&bytes)
    }

    fn first_message(&self, message: &[u8]) -> [u8; 32] {
        Digest::new("volery base ot v1, first message").field(&self.sid).field(message).finish()
    }

    fn key(
        &self,
        i: usize,
        slot: u8,
        first: &[u8; 32],
        sender: &CompressedRistretto,
        shared: &RistrettoPoint,
    ) -> F128 {
        let digest = Digest::new("volery base ot v1, key").field(&self.sid).number(i as u64).field(&[slot]);
        let mut shared = shared.compress().to_bytes();
        let key = digest.field(first).field(sender.as_bytes()).field(&shared).finish();
        shared.zeroize();
        F128::from_bytes(key)
    }
}

fn random_scalar(random: &mut Random) -> Scalar {
    let mut wide = random.bytes::<64>();
    let scalar = Scalar::from_bytes_mod_order_wide(&wide);
    wide.zeroize();
    scalar
}

/// A point in its canonical encoding.
fn decode(bytes: &[u8; 32]) -> Result<(CompressedRistretto, RistrettoPoint)> {
    let encoded = CompressedRistretto(*bytes);
    let point = encoded.decompress().ok_or(Error::Misbehaved(Misbehaviour::NonCanonicalPoint))?;
    Ok((encoded, point))
}

/// Bytes of so many transfers, where the verifier receives.
pub(crate) const fn traffic(transfers: u64) -> Carried {
    Carried { prover: 32, verifier: 64 * transfers }
}

/// The sender's side of `count` transfers.
///
/// # Errors
/// `Misbehaved` where a point is not canonical; link errors.
pub fn send(channel: &mut Channel, count: usize, random: &mut Random) -> Result<Pairs> {
    let oracle = Oracle { sid: channel.checkpoint("base ot") };
    let mut message = vec![0; 64 * count];
    channel.recv(&mut message)?;
    let first = oracle.first_message(&message);

    // Behind a pointer, as what tasks are given.
    let s = Arc::new(Zeroizing::new(vec![random_scalar(random)]));
    let m = RistrettoPoint::mul_base(&s[0]).compress();
    let message = Arc::new(message);
    let parts = parts(channel, count, move |places| {
        let (message, s) = (message.clone(), s.clone());
        move || {
            let mut pairs = Zeroizing::new(Vec::with_capacity(places.len()));
            let slots = &message.as_chunks::<32>().0.as_chunks::<2>().0[places.clone()];
            for (i, [r0, r1]) in places.zip(slots) {
                let ((e0, r0), (e1, r1)) = (decode(r0)?, decode(r1)?);
                let q0 = r0 + oracle.group(i, 0, &e1);
                let q1 = r1 + oracle.group(i, 1, &e0);
                let key = |slot, q| oracle.key(i, slot, &first, &m, &(s[0] * q));
                pairs.push([key(0, q0), key(1, q1)]);
            }
            Ok(pairs)
        }
    });
    let mut pairs = Zeroizing::new(Vec::with_capacity(count));
    for part in parts {
        let part: Pairs = part?;
        pairs.extend_from_slice(&part);
    }
    channel.send(m.as_bytes())?;
    Ok(pairs)
}

/// The transfers that a task computes.
const PART: usize = 8;

/// The results of tasks, in order, each for some of `count` transfers.
fn parts<T: Send + 'static, F: FnOnce() -> T + Send + 'static>(
    channel: &Channel,
    count: usize,
    task: impl Fn(Range<usize>) -> F,
) -> impl Iterator<Item = T> {
    let places = (0..count).step_by(PART).map(move |first| first..count.min(first + PART));
    channel.pool().results(places.map(task))
}

/// The receiver's side of `count` transfers, with choice bit i at bit i of `choices`. Time does not
/// depend on the choices.
///
/// # Errors
/// `Misbehaved` where a point is not canonical or is the identity; link errors.
pub fn receive(
    channel: &mut Channel,
    choices: impl Into<U256>,
    count: usize,
    random: &mut Random,
) -> Result<Chosen> {
    assert!(count <= MOST, "{count} transfers");
    let choices = Zeroizing::new(vec![choices.into()]);
    let oracle = Oracle { sid: channel.checkpoint("base ot") };
    let mut exponents = Zeroizing::new(Vec::with_capacity(count));
    // Whoever saw these would know which point of each pair is which.
    let mut others = Zeroizing::new(Vec::with_capacity(count));
    for _ in 0..count {
        exponents.push(random_scalar(random));
        others.push(random.bytes::<64>());
    }
    let (choices, exponents, others) = (Arc::new(choices), Arc::new(exponents), Arc::new(others));
    let own = (choices.clone(), exponents.clone());
    let points = parts(channel, count, move |places| {
        let ((choices, exponents), others) = (own.clone(), others.clone());
        move || {
            let mut message = Vec::with_capacity(64 * places.len());
            for i in places {
                let slot = choice(&choices[0], i);
                let other = RistrettoPoint::from_uniform_bytes(&others[i]).compress();
                let group = oracle.group(i, slot.unwrap_u8(), &other);
                let chosen = (RistrettoPoint::mul_base(&exponents[i]) - group).compress();
                for (if_zero, if_one) in [(&chosen, &other), (&other, &chosen)] {
                    let select =
                        |(if_zero, if_one): (&u8, &u8)| u8::conditional_select(if_zero, if_one, slot);
                    message.extend(if_zero.as_bytes().iter().zip(if_one.as_bytes()).map(select));
                }
            }
            message
        }
    });
    let message: Vec<u8> = points.flatten().collect();
    let first = oracle.first_message(&message);
    channel.send(&message)?;

    let (encoded, m) = decode(&channel.recv_array()?)?;
    if m.is_identity() {
        return Err(Error::Misbehaved(Misbehaviour::IdentityPoint));
    }
    // Its multiples in a table: all of them are multiplied by this point.
    let table = Arc::new(RistrettoBasepointTable::create(&m));
    let parts = parts(channel, count, move |places| {
        let (choices, exponents, table) = (choices.clone(), exponents.clone(), table.clone());
        move || {
            let key = |i: usize| {
                let slot = choice(&choices[0], i).unwrap_u8();
                oracle.key(i, slot, &first, &encoded, &(&exponents[i] * &*table))
            };
            Zeroizing::new(places.map(key).collect::<Vec<_>>())
        }
    });
    let mut keys = Zeroizing::new(Vec::with_capacity(count));
    parts.for_each(|part| keys.extend_from_slice(&part));
    Ok(keys)
}

fn choice(choices: &U256, i: usize) -> Choice {
    Choice::from(choices.bit(i as u32) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use volery_channel::channel::{Flip, Party, Tape, pipe};
    use volery_channel::pool::Pool;

    const COUNT: usize = MOST;
    const CHOICES: U256 =
        U256::new(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210, 0x0fed_cba9_8765_4321_1234_5678_9abc_def0);

    /// Runs both sides, with one bit of the sender's or the receiver's message flipped where asked.
    fn run(in_reply: Option<Flip>, in_first: Option<Flip>) -> (Result<Pairs>, Result<Chosen>) {
        run_by(1, in_reply, in_first)
    }

    fn run_by(
        threads: usize,
        in_reply: Option<Flip>,
        in_first: Option<Flip>,
    ) -> (Result<Pairs>, Result<Chosen>) {
        let (sender, receiver) = pipe(Duration::from_secs(10));
        let mut sender = Channel::new(Party::Prover, Tape::new(sender, in_reply).0);
        let mut receiver = Channel::new(Party::Verifier, Tape::new(receiver, in_first).0);
        [&mut sender, &mut receiver].into_iter().for_each(|end| end.share_work(&Pool::of(threads)));
        std::thread::scope(|scope| {
            let sending = scope.spawn(move || {
                let pairs = send(&mut sender, COUNT, &mut Random::from_seed(&[1; 32]))?;
                sender.flush().map(|()| pairs)
            });
            let received = receive(&mut receiver, CHOICES, COUNT, &mut Random::from_seed(&[2; 32]));
            drop(receiver);
            (sending.join().unwrap(), received)
        })
    }

    #[test]
    fn the_receiver_holds_the_chosen_key_and_not_the_other() {
        let (pairs, keys) = run(None, None);
        for (i, (pair, key)) in pairs.unwrap().iter().zip(keys.unwrap().iter()).enumerate() {
            let c = CHOICES.bit(i as u32) as usize;
            assert_eq!(*key, pair[c]);
            assert_ne!(*key, pair[1 - c]);
        }
    }

    /// The keys depend on every byte that was said.
    #[test]
    fn every_number_of_threads_gives_the_same() {
        let (pairs, keys) = run(None, None);
        for threads in [2, 3, 40] {
            let (again, chosen) = run_by(threads, None, None);
            assert_eq!(*again.unwrap(), **pairs.as_ref().unwrap(), "{threads} threads");
            assert_eq!(*chosen.unwrap(), **keys.as_ref().unwrap(), "{threads} threads");
        }
    }

    /// A changed point is either no point, or changes every key: through h₁, or M.
    #[test]
    fn a_flipped_bit_changes_the_keys() {
        for bit in [3, 77, 255 + 256 * 9, 64 * 8 * 127 + 256] {
            if let (Ok(pairs), Ok(keys)) = run(None, Some(Flip { message: 0, bit })) {
                assert!(pairs.iter().zip(keys.iter()).all(|(pair, key)| !pair.contains(key)));
            }
            if let (Ok(pairs), Ok(keys)) = run(Some(Flip { message: 0, bit: bit % 256 }), None) {
                assert!(pairs.iter().zip(keys.iter()).all(|(pair, key)| !pair.contains(key)));
            }
        }
    }

    /// A receiver that takes both points for its own: whichever it fixes last has moved the hash under the
    /// other, so that it knows one key of the two.
    #[test]
    fn a_receiver_of_both_slots_knows_one_key() {
        let (sender, receiver) = pipe(Duration::from_secs(10));
        let mut sender = Channel::new(Party::Prover, sender);
        let mut receiver = Channel::new(Party::Verifier, receiver);
        let oracle = Oracle { sid: receiver.checkpoint("base ot") };
        let random = &mut Random::from_seed(&[2; 32]);
        let mut message = vec![];
        let exponents: Vec<[Scalar; 2]> = (0..COUNT)
            .map(|i| {
                let [a, b] = [random_scalar(random), random_scalar(random)];
                let before = RistrettoPoint::mul_base(&random_scalar(random)).compress();
                let r1 = (RistrettoPoint::mul_base(&b) - oracle.group(i, 1, &before)).compress();
                let r0 = (RistrettoPoint::mul_base(&a) - oracle.group(i, 0, &r1)).compress();
                message.extend_from_slice(r0.as_bytes());
                message.extend_from_slice(r1.as_bytes());
                [a, b]
            })
            .collect();
        let first = oracle.first_message(&message);
        receiver.send(&message).unwrap();
        receiver.flush().unwrap();
        let pairs = send(&mut sender, COUNT, &mut Random::from_seed(&[1; 32])).unwrap();
        sender.flush().unwrap();
        let (encoded, m) = decode(&receiver.recv_array().unwrap()).unwrap();
        for (i, exponents) in exponents.iter().enumerate() {
            let key = |slot: usize| oracle.key(i, slot as u8, &first, &encoded, &(exponents[slot] * m));
            assert_eq!(key(0), pairs[i][0]);
            assert_ne!(key(1), pairs[i][1]);
        }
    }

    #[test]
    fn other_sessions_have_other_keys() {
        let (sender, receiver) = pipe(Duration::from_secs(10));
        let mut sender = Channel::new(Party::Prover, sender);
        let mut receiver = Channel::new(Party::Verifier, receiver);
        // The receiver's session has one challenge more behind it.
        let _ = receiver.checkpoint("an earlier step");
        std::thread::scope(|scope| {
            let sending = scope.spawn(move || {
                let pairs = send(&mut sender, COUNT, &mut Random::from_seed(&[1; 32])).unwrap();
                sender.flush().unwrap();
                pairs
            });
            let keys = receive(&mut receiver, CHOICES, COUNT, &mut Random::from_seed(&[2; 32])).unwrap();
            let pairs = sending.join().unwrap();
            assert!(pairs.iter().zip(keys.iter()).all(|(pair, key)| !pair.contains(key)));
        });
    }

    #[test]
    fn the_identity_and_non_canonical_points_are_refused() {
        let (sender, receiver) = pipe(Duration::from_secs(10));
        let mut sender = Channel::new(Party::Prover, sender);
        let mut receiver = Channel::new(Party::Verifier, receiver);
        sender.send(&[0; 32]).unwrap();
        sender.flush().unwrap();
        let error = receive(&mut receiver, CHOICES, COUNT, &mut Random::from_seed(&[2; 32])).unwrap_err();
        assert!(matches!(error, Error::Misbehaved(Misbehaviour::IdentityPoint)));

        let (sender, receiver) = pipe(Duration::from_secs(10));
        let mut sender = Channel::new(Party::Prover, sender);
        let mut receiver = Channel::new(Party::Verifier, receiver);
        receiver.send(&[0xff; 64 * COUNT]).unwrap();
        receiver.flush().unwrap();
        let error = send(&mut sender, COUNT, &mut Random::from_seed(&[1; 32])).unwrap_err();
        assert!(matches!(error, Error::Misbehaved(_)));
    }
}
