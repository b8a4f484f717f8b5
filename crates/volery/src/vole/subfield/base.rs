//! The first shares, from oblivious transfers: COPEe and base sVOLE of Wolverine, figures 15 and 5.
//!
//! The verifier writes Δ as Σ g_j·Δ_j with bits Δ_j and public places g_j (r·⌈log p⌉ of them, [`gadget`]), and receives
//! one of two keys by each bit. For every share the prover sends, for each j, its value u masked by the difference of
//! what the two keys expand to; either way the verifier then has the prover's t_j plus Δ_j·u, and k = Σ g_j·(t_j +
//! Δ_j·u) = m + u·Δ.
//!
//! | from | message | bytes | figures 15 and 5 |
//! |---|---|---|---|
//! | both | base transfers, once; the verifier receives by the bits of Δ | `ot/base` | 15, initialize |
//! | prover | τ_{j,i} = G(K_{j,0})_i − G(K_{j,1})_i + u_i for up to 256 shares i and all j | b·r·⌈log p⌉ a share | 15, extend |
//! | verifier | seed of the coefficients χ | 16 | 5, step 3 |
//! | prover | x = Σ χ_i·u_i + Σ a_h·X^h and z = Σ χ_i·m_i + Σ c_h·X^h | 2·b' | 5, step 3 |
//!
//! b and b' are the bytes of an element of the field and of its extension; the a_h with their MACs c_h are r shares
//! more. The verifier compares Σ χ_i·k_i + Σ b_h·X^h with z + x·Δ (step 4).
//!
//! The seed is the verifier's coin, sent after all that it combines: the field may be too small for a transcript's.
//! Coefficients are independent. A prover that is not consistent about u passes only with a guess at bits of Δ that
//! holds: what it learns by it lowers what it can still guess by as much (figure 5's sub-protocol, which the paper's
//! optimization keeps for uses where Δ must be guessed whole). The rest is theorem 2's (r·⌈log p⌉)²/p^r
//! ([`error`]). Nothing the verifier sends depends on Δ: an abort tells the prover whether its guess was right, and
//! ends Δ.

use super::{Delta, coefficients, same};
use crate::channel::Channel;
use crate::error::{Error, Result};
use crate::ot::base;
use crate::random::Random;
use core::marker::PhantomData;
use volery_primitives::arch::Arch;
use volery_primitives::prg::Prg;
use volery_primitives::{F128, Field, MacField, Tagged};
use zeroize::Zeroizing;

/// Shares whose masked values are one message.
const PIECE: usize = 256;

/// The places of the bits of Δ: `Σ bit_j·gadget[j]` is all of the extension.
pub(super) fn gadget<B: Field, E: MacField<B>>() -> Vec<E> {
    let mut places = Vec::new();
    for coordinate in 0..E::DEGREE as usize {
        for bit in 0..B::BITS {
            let mut coordinates = vec![E::ZERO; coordinate + 1];
            coordinates[coordinate] = E::from(B::place(bit));
            places.push(E::pack(&coordinates));
        }
    }
    places
}

/// The error of the check: a prover that cheats gets by with this probability without a guess at Δ.
pub fn error<B: Field, E: MacField<B>>() -> f64 {
    f64::from(E::DEGREE * B::BITS).powi(2) * super::guess::<B, E>()
}

/// The expansion of one key of a transfer.
struct Expansion<B> {
    prg: Prg,
    field: PhantomData<B>,
}

impl<B: Field> Expansion<B> {
    fn new(arch: Arch, key: F128) -> Self {
        Self { prg: Prg::new(arch, key), field: PhantomData }
    }

    /// Fills `out` with the next elements.
    fn fill(&mut self, out: &mut [B]) {
        let mut blocks = Zeroizing::new(vec![F128::ZERO; (B::SAMPLE * out.len()).div_ceil(2)]);
        self.prg.fill(&mut blocks);
        let words: Zeroizing<Vec<u64>> = Zeroizing::new(
            blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]).collect(),
        );
        out.iter_mut().zip(words.chunks_exact(B::SAMPLE)).for_each(|(out, words)| *out = B::sample(words));
    }
}

/// The prover's end.
pub(super) struct Prover<B, E> {
    arch: Arch,
    /// For each bit of Δ both keys' expansions, and its place.
    transfers: Vec<([Expansion<B>; 2], E)>,
    random: Random,
}

impl<B: Field, E: MacField<B>> Prover<B, E> {
    /// Sets up, as the sender of the base transfers.
    pub(super) fn new(channel: &mut Channel, arch: Arch, random: &mut Random) -> Result<Self> {
        let gadget = gadget::<B, E>();
        let pairs = base::send(channel, gadget.len(), random)?;
        let expansions = pairs.iter().map(|pair| pair.map(|key| Expansion::new(arch, key)));
        let transfers = expansions.zip(gadget).collect();
        Ok(Self { arch, transfers, random: Random::from_seed(&random.bytes()) })
    }

    /// `count` shares of random values, checked.
    pub(super) fn extend(
        &mut self,
        channel: &mut Channel,
        count: usize,
    ) -> Result<Zeroizing<Vec<Tagged<B, E>>>> {
        let mut shares = Zeroizing::new(vec![Tagged::ZERO; count + E::DEGREE as usize]);
        let mut values = Expansion::new(self.arch, self.random.word());
        for shares in shares.chunks_mut(PIECE) {
            let [mut u, mut first, mut second] =
                [(); 3].map(|()| Zeroizing::new(vec![B::ZERO; shares.len()]));
            values.fill(&mut u);
            shares.iter_mut().zip(u.iter()).for_each(|(share, u)| share.value = *u);
            let mut masked = Vec::with_capacity(self.transfers.len() * shares.len());
            for ([zero, one], place) in &mut self.transfers {
                zero.fill(&mut first);
                one.fill(&mut second);
                for (((share, u), t), other) in
                    shares.iter_mut().zip(u.iter()).zip(first.iter()).zip(second.iter())
                {
                    share.mac += place.scale(*t);
                    masked.push(*t - *other + *u);
                }
            }
            channel.send_elements(&masked)?;
        }
        // Figure 5, step 3.
        let chi = coefficients(self.arch, F128::from_bytes(channel.recv_array()?), count);
        let masks = Zeroizing::new(shares.split_off(count));
        let sums = E::weigh(self.arch, &chi, &shares);
        let [x, z] = [sums.1 + super::values(&masks), sums.0 + super::macs(&masks)];
        channel.send_elements(&[x, z])?;
        Ok(shares)
    }
}

/// The verifier's end.
pub(super) struct Verifier<B, E: Field> {
    arch: Arch,
    /// For each bit of Δ the chosen key's expansion, all ones where the bit is set, and the bit's place.
    transfers: Vec<(Expansion<B>, u64, E)>,
    delta: Zeroizing<E>,
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
        let gadget = gadget::<B, E>();
        let keys = base::receive(channel, *delta.choices, gadget.len(), random)?;
        let bits = (0..).map(|j| ((delta.choices.0 >> j) as u64 & 1).wrapping_neg());
        let expansions = keys.iter().map(|key| Expansion::new(arch, *key));
        let transfers = expansions.zip(bits).zip(gadget).map(|((e, bit), place)| (e, bit, place)).collect();
        let random = Random::from_seed(&random.bytes());
        Ok(Self { arch, transfers, delta: Zeroizing::new(delta.value()), random })
    }

    /// `count` shares, checked.
    pub(super) fn extend(&mut self, channel: &mut Channel, count: usize) -> Result<Zeroizing<Vec<E>>> {
        let mut keys = Zeroizing::new(vec![E::ZERO; count + E::DEGREE as usize]);
        for keys in keys.chunks_mut(PIECE) {
            let mut masked = vec![B::ZERO; self.transfers.len() * keys.len()];
            channel.recv_elements(&mut masked)?;
            let mut chosen = Zeroizing::new(vec![B::ZERO; keys.len()]);
            let masked = masked.chunks_exact(keys.len());
            for ((expansion, bit, place), masked) in self.transfers.iter_mut().zip(masked) {
                expansion.fill(&mut chosen);
                for ((key, chosen), masked) in keys.iter_mut().zip(chosen.iter()).zip(masked) {
                    *key += place.scale(*chosen + masked.masked(*bit));
                }
            }
        }
        // Figure 5, steps 3 and 4.
        let seed = self.random.word();
        channel.send_words(&[seed])?;
        let masks = Zeroizing::new(keys.split_off(count));
        let y = E::dot(self.arch, &coefficients(self.arch, seed, count), &keys) + E::pack(&masks);
        let mut sent = [E::ZERO; 2];
        channel.recv_elements(&mut sent)?;
        let [x, z] = sent;
        if same(y, z + x * *self.delta) {
            Ok(keys)
        } else {
            Err(Error::Misbehaved("the check of its base correlations failed"))
        }
    }
}

#[cfg(test)]
mod tests;
