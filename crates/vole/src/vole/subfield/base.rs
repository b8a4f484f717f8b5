//! The first shares, from oblivious transfers: COPEe and base sVOLE of Wolverine, figures 15 and 5.
//!
//! The verifier writes Δ as Σ g_j·Δ_j with bits Δ_j and public places g_j (r·⌈log p⌉ of them, `gadget`),
//! and receives one of two keys by each bit. For every share the prover sends, for each j, its value u masked
//! by the difference of what the two keys expand to; either way the verifier then has the prover's t_j plus
//! Δ_j·u, and k = Σ g_j·(t_j + Δ_j·u) = m + u·Δ.
//!
//! Over fields of more than 128 bits the Δ_j are **digits of 8 bits** (`DIGIT`): for each, eight transfers
//! and a tree of 256 leaves ([`pprf`]), of which the verifier gets all but the one at Δ_j. With t_j = −Σ
//! y·G(leaf y) and u_j = Σ G(leaf y) it has Σ (Δ_j − y)·G(leaf y) = t_j + Δ_j·u_j, and τ_j = u − u_j makes of
//! it t_j + Δ_j·u: an eighth of the bytes. For a share 256 leaves of each digit are expanded in the place of
//! two keys of each bit, which is 16 times as much for the prover, and 32 times for the verifier.
//!
//! | from | message | bytes | figures 15 and 5 |
//! |---|---|---|---|
//! | both | base transfers, once; the verifier receives by the bits of Δ | `ot/base` | 15, initialize |
//! | prover | by digits: the trees, once | `ot/pprf` | |
//! | prover | τ_{j,i} = t_{j,i} − G(K_{j,1})_i + u_i, where t_j = G(K_{j,0}), for up to 256 shares i and all j | b·r·⌈log p⌉ a share, by digits b·⌈(log p)/8⌉ | 15, extend |
//! | verifier | seed of the coefficients χ | 16 | 5, step 3 |
//! | prover | x = Σ χ_i·u_i + Σ a_h·X^h | b' | 5, step 3 |
//! | prover | digest of z_j = Σ χ_i·t_{j,i} + Σ c_{j,h}·X^h for all j | 32 | 5, step 3 |
//!
//! b and b' are the bytes of an element of the field and of its extension; the a_h with their t_j,
//! c_{j,h}, are r shares more. With k_{j,i} = t_{j,i} + Δ_j·u_i the verifier digests Σ χ_i·k_{j,i} + Σ
//! b_{j,h}·X^h − Δ_j·x (step 4).
//!
//! Deviation: the check is **by bits of Δ**, as SoftSpoken's, where figure 5 checks the one sum over them,
//! weighed by the places g_j. Over an extension of degree 2 and more that sum does not hold the values in B:
//! a prover that adds errors e_j to its values for each j, such that Σ g_j·e_j·Δ_j − γ·Δ takes |B|^(r/2)
//! values only, passes with a guess at that one and then has shares of values u + γ with γ outside B
//! (`one_sum_attack` in the tests); theorem 2's bound does not cover it. Here every column that passes
//! without a guess at its bit has the same values, but for collisions of two of them under χ ([`error`]); and
//! for a column whose bit was guessed the prover can correct its t_j. So all shares are right for values in
//! B, and the guesses at bits of Δ lower what is left to guess by as much as they cost: figure 5's
//! sub-protocol, which the paper keeps where Δ must be guessed whole.
//!
//! **By digits** the check is the same, with Δ_j for the bit. The trees' check binds the prover to one set of
//! leaves for all digits that do not make it fail, but where a single one is left, which is a guess at the
//! digit. So a column that passes for two digits has one u_j with its corrections; and were that other values
//! than those of another column, Σ χ_i·(u_{j,i} − x_i) is zero by a collision alone, or the prover adds to
//! z_j a multiple of it by the one digit that it guesses, since Δ_j ↦ Δ_j·c is one to one for c other than
//! zero. What passes is therefore, but for collisions ([`error`], over as many columns as there are digits),
//! right for values in B once the guessed columns are corrected, and a prover that deviates in the columns of
//! some digits passes with the probability of these digits, 2^−8 for each but the highest, whose bits above
//! ⌈log p⌉ are zero and which p bounds: as much as they are less to guess, since Δ is uniform. In the trees
//! it may guess a set of digits, an affine one, and pays for as many bits as it comes to know. What an abort
//! leaks is that such a guess was wrong.
//!
//! **Masks.** G(K_{j,1})_i, of the key that the verifier does not have, is uniform but for the distance of
//! [`Field::sample`]: 2^-61 over 2^61 − 1, 2^-64 and less elsewhere, none in characteristic two. A share is sent
//! under one for each column, and its value is the pad of what is committed to. So what the verifier sees of n shares
//! is at a distance of n·(columns + 1)·2^-61 from that of uniform masks: 2^-44 of the 2,048 shares up to which
//! sessions take them from here unasked, and of the seeds of the LPN extension; 2^-28 of 2^27, whose traffic
//! would be 65 GB.
//!
//! The seed is the verifier's coin, sent after all that it combines: the field may be too small for a
//! transcript's. Coefficients are independent. Given x the verifier knows each z_j, so that the digest tells
//! it nothing; x is masked. Nothing the verifier sends depends on Δ: an abort tells the prover whether its
//! guess was right, and ends Δ. A prover that leaves after the coin has been rejected.

mod transfers;

use super::{Delta, coefficients};
use crate::ot::{base, pprf};
use subtle::ConstantTimeEq;
use transfers::{Chosen, DIGIT, Dealt, Leaves};
use volery_channel::channel::{Carried, Channel};
use volery_channel::error::{Error, Misbehaviour, Result};
use volery_channel::random::Random;
use volery_primitives::arch::Arch;
use volery_primitives::bits::mask;
use volery_primitives::hash::Digest;
use volery_primitives::secret::verdict;
use volery_primitives::{F128, Field, MacField, Tag as _};
use zeroize::Zeroizing;

/// Shares whose masked values go in one message.
const PIECE: usize = 256;

/// Bits of each Δ_j, which has a column of its own: one, or those of a digit.
const fn bits<B: Field>() -> usize {
    if B::BITS > 128 { DIGIT } else { 1 }
}

/// The public places of Δ's bits or digits: the sums `Σ Δ_j·gadget[j]` make up the whole extension.
pub(super) fn gadget<B: Field, E: MacField<B>>() -> Vec<E> {
    // A digit that went on into the next coordinate would have no place of its own.
    const { assert!(bits::<B>() == 1 || E::DEGREE == 1, "digits of an extension") }
    let mut places = Vec::new();
    for coordinate in 0..E::degree() as usize {
        for bit in (0..B::bits()).step_by(bits::<B>()) {
            let mut coordinates = vec![E::ZERO; coordinate + 1];
            coordinates[coordinate] = E::from(B::place(bit));
            places.push(E::pack(&coordinates));
        }
    }
    places
}

/// Δ_j, as a number.
pub(super) fn digit<B: Field, E: MacField<B>>(delta: &Delta<B, E>, j: usize) -> u64 {
    pprf::slice(*delta.choices, j, bits::<B>())
}

/// The number of columns: one for each place of the gadget.
fn columns<B: Field, E: MacField<B>>() -> u64 {
    u64::from(E::degree()) * u64::from(B::bits()).div_ceil(bits::<B>() as u64)
}

/// Bytes of the base transfers, and of the trees on them.
pub fn set_up_traffic<B: Field, E: MacField<B>>() -> Carried {
    let transfers = base::traffic(columns::<B, E>() * bits::<B>() as u64);
    match bits::<B>() {
        1 => transfers,
        bits => transfers + Carried::by_prover(pprf::traffic(bits, columns::<B, E>() as usize)),
    }
}

/// Bytes of `shares` shares and `checks` checks, each with its masks.
pub fn traffic<B: Field, E: MacField<B>>(shares: u64, checks: u64) -> Carried {
    let share = Carried::by_prover(B::BYTES as u64 * columns::<B, E>());
    let check = share * E::degree().into() + Carried { prover: E::BYTES as u64 + 32, verifier: 16 };
    share * shares + check * checks
}

/// The error of one check: the probability that the values of two columns differ and meet under χ.
pub fn error<B: Field, E: MacField<B>>() -> f64 {
    let columns = columns::<B, E>() as f64;
    columns * (columns - 1.0) / 2.0 * super::likeliest::<B, E>()
}

/// The combination of one column, or of the values, by `chi`, plus the element that the masks behind them
/// pack.
fn weigh<B: Field, E: MacField<B>>(arch: Arch, chi: &[E], column: &[B]) -> E {
    let (shares, masks) = column.split_at(chi.len());
    let masks: Zeroizing<Vec<E>> = Zeroizing::new(masks.iter().map(|element| E::from(*element)).collect());
    E::combine(arch, shares, chi) + E::pack(&masks)
}

/// The digest of the columns' sums.
fn digest<E: Field>(seed: F128, sums: impl Iterator<Item = E>) -> [u8; 32] {
    let digest = Digest::new("volery svole v1, check of base").field(&seed.to_bytes());
    sums.fold(digest, |digest, sum| digest.field(&sum.to_integer().to_bytes()[..E::DIGESTED])).finish()
}

/// A party's part of `count` shares and r masks: a column of elements of B for each bit or digit of Δ, one
/// after the other.
pub(super) struct Columns<B: Field>(Zeroizing<Vec<B>>, usize);

impl<B: Field> Columns<B> {
    fn new(number: usize, length: usize) -> Self {
        Self(Zeroizing::new(vec![B::ZERO; number * length]), length)
    }

    /// Rows `from` on of each column, `length` of them.
    fn piece(&mut self, from: usize, length: usize) -> impl Iterator<Item = &mut [B]> {
        self.0.chunks_exact_mut(self.1).map(move |column| &mut column[from..][..length])
    }

    fn iter(&self) -> impl Iterator<Item = &[B]> {
        self.0.chunks_exact(self.1)
    }

    /// `Σ places[j]·column j`, the first `count` rows of it.
    fn combine<E: MacField<B>>(&self, places: &[E], count: usize) -> Zeroizing<Vec<E>> {
        let mut sums = Zeroizing::new(vec![E::ZERO; count]);
        for (place, column) in places.iter().zip(self.iter()) {
            sums.iter_mut().zip(column).for_each(|(sum, element)| *sum += place.scale(*element));
        }
        sums
    }
}

/// The prover's end.
pub(super) struct Prover<B, E> {
    arch: Arch,
    /// The sources of the columns.
    transfers: Vec<Dealt<B>>,
    places: Vec<E>,
    random: Random,
}

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Sets up, as the sender of the base transfers.
    pub(super) fn new(channel: &mut Channel, arch: Arch, random: &mut Random) -> Result<Self> {
        let places = gadget::<B, E>();
        let pairs = base::send(channel, places.len() * bits::<B>(), random)?;
        let transfers = if bits::<B>() == 1 {
            pairs.iter().map(|pair| Dealt::Bit(Leaves::new(arch, pair))).collect()
        } else {
            let leaves = pprf::deal(channel, &pairs, bits::<B>())?;
            let trees = leaves.chunks_exact(1 << bits::<B>());
            trees.map(|leaves| Dealt::Digit(Leaves::new(arch, leaves))).collect()
        };
        Ok(Self { arch, transfers, places, random: Random::from_seed(&random.bytes()) })
    }

    /// Makes `count` shares of random values, and has them checked.
    pub(super) fn extend(&mut self, channel: &mut Channel, count: usize) -> Result<Zeroizing<Vec<E::Tag>>> {
        let mut values = Zeroizing::new(vec![B::ZERO; count + E::degree() as usize]);
        Leaves::new(self.arch, &[self.random.word()]).sum::<E>(&mut values);
        let columns = self.send_columns(channel, |_| &values)?;
        // Figure 5, step 3.
        let seed = F128::from_bytes(channel.recv_array()?);
        let chi = coefficients::<B, E>(self.arch, seed, count);
        let sums = columns.iter().map(|column| weigh(self.arch, &chi, column));
        let digest = digest(seed, sums);
        channel.send_elements(&[weigh(self.arch, &chi, &values)])?;
        channel.send(&digest)?;
        let macs = columns.combine(&self.places, count);
        let shares = values.iter().zip(macs.iter()).map(|(value, mac)| E::Tag::new(*value, *mac));
        Ok(Zeroizing::new(shares.collect()))
    }

    /// Expands the columns t_j, and sends τ_j, which masks `values(j)`: an honest prover has the same values
    /// for each column. Figure 15, extend.
    pub(super) fn send_columns<'v>(
        &mut self,
        channel: &mut Channel,
        values: impl Fn(usize) -> &'v [B],
    ) -> Result<Columns<B>> {
        let length = values(0).len();
        let mut columns = Columns::new(self.transfers.len(), length);
        for from in (0..length).step_by(PIECE) {
            let piece = PIECE.min(length - from);
            let mut own = Zeroizing::new(vec![B::ZERO; piece]);
            let mut masked = Vec::with_capacity(self.transfers.len() * piece);
            let transfers = self.transfers.iter_mut().zip(columns.piece(from, piece));
            for (j, (dealt, t)) in transfers.enumerate() {
                dealt.fill::<E>(t, &mut own);
                let u = &values(j)[from..][..piece];
                masked.extend(own.iter().zip(u).map(|(own, u)| *u - *own));
            }
            channel.send_elements(&masked)?;
        }
        Ok(columns)
    }
}

/// Δ_j as an element.
fn factor<B: Field, E: MacField<B>>(delta: &Delta<B, E>, j: usize) -> Zeroizing<B> {
    // A secret: no branch tells what its bits are.
    let bits = (0..bits::<B>() as u32).zip(core::iter::repeat(digit(delta, j)));
    let bit = |(place, digit): (u32, u64)| {
        let place = if place == 0 { B::ONE } else { B::place(place) };
        place.masked(mask(digit))
    };
    Zeroizing::new(bits.map(|(place, digit)| bit((place, digit >> place))).sum())
}

/// The verifier's end.
pub(super) struct Verifier<B: Field, E: Field> {
    arch: Arch,
    /// The sources of the columns, each with Δ_j.
    transfers: Vec<(Chosen<B>, Zeroizing<B>)>,
    places: Vec<E>,
    random: Random,
}

impl<B: Field, E: MacField<B>> Verifier<B, E> {
    /// Sets up under `delta`, as the receiver of the base transfers.
    pub(super) fn new(
        channel: &mut Channel,
        arch: Arch,
        delta: &Delta<B, E>,
        random: &mut Random,
    ) -> Result<Self> {
        let places = gadget::<B, E>();
        let transfers = places.len() * bits::<B>();
        let chosen: Vec<_> = if bits::<B>() == 1 {
            let keys = base::receive(channel, *delta.choices, transfers, random)?;
            keys.iter().map(|key| Chosen::Bit(Leaves::new(arch, &[*key]))).collect()
        } else {
            let choices = Zeroizing::new(pprf::choices_among(*delta.choices, bits::<B>(), transfers));
            let keys = base::receive(channel, *choices, transfers, random)?;
            let leaves = pprf::puncture(channel, &keys, *delta.choices, bits::<B>())?;
            let trees = leaves.chunks_exact(1 << bits::<B>());
            trees.map(|leaves| Chosen::Digit(Leaves::new(arch, leaves))).collect()
        };
        let transfers =
            chosen.into_iter().enumerate().map(|(j, chosen)| (chosen, factor(delta, j))).collect();
        Ok(Self { arch, transfers, places, random: Random::from_seed(&random.bytes()) })
    }

    /// Makes `count` shares, and checks them.
    pub(super) fn extend(&mut self, channel: &mut Channel, count: usize) -> Result<Zeroizing<Vec<E>>> {
        let length = count + E::degree() as usize;
        let mut columns = Columns::new(self.transfers.len(), length);
        for from in (0..length).step_by(PIECE) {
            let piece = PIECE.min(length - from);
            let mut masked = vec![B::ZERO; self.transfers.len() * piece];
            channel.recv_elements(&mut masked)?;
            let transfers = self.transfers.iter_mut().zip(columns.piece(from, piece));
            for (((chosen, digit), k), masked) in transfers.zip(masked.chunks_exact(piece)) {
                chosen.fill::<E>(**digit, k);
                k.iter_mut().zip(masked).for_each(|(k, masked)| *k += *masked * **digit);
            }
        }
        // Figure 5, steps 3 and 4.
        let seed = self.random.word();
        channel.send_coin(&[seed])?;
        let mut x = [E::ZERO];
        channel.recv_elements(&mut x)?;
        let sent: [u8; 32] = channel.recv_array()?;
        let chi = coefficients::<B, E>(self.arch, seed, count);
        let sums = columns.iter().zip(&self.transfers);
        let sums = sums.map(|(column, (_, digit))| weigh(self.arch, &chi, column) - x[0].scale(**digit));
        if verdict(digest(seed, sums).ct_eq(&sent)) {
            Ok(columns.combine(&self.places, count))
        } else {
            Err(Error::Misbehaved(Misbehaviour::BaseCorrelations))
        }
    }
}

#[cfg(test)]
mod tests;
