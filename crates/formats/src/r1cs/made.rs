//! Files made for tests.

use super::prime::{Limbs, Prime};
use super::{Most, R1cs, Source};
use volery_primitives::F61;

/// A linear form: wires and factors.
pub(super) type Form<'a> = &'a [(u32, i64)];

/// The parts of a file.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) prime: Prime,
    pub(super) wires: u32,
    pub(super) outputs: u32,
    pub(super) inputs: u32,
    pub(super) announced: u32,
    /// The section of constraints.
    pub(super) constraints: Vec<u8>,
}

impl Made {
    /// A system of `constraints` over `wires` wires, of which the first are public outputs.
    pub(super) fn new(prime: Prime, wires: u32, outputs: u32, constraints: &[[Form<'_>; 3]]) -> Self {
        let mut bytes = Vec::new();
        for form in constraints.iter().flatten() {
            bytes.extend((form.len() as u32).to_le_bytes());
            for (wire, factor) in *form {
                bytes.extend(wire.to_le_bytes());
                bytes.extend(written(&number(&prime, *factor), &prime));
            }
        }
        let announced = constraints.len() as u32;
        Self { prime, wires, outputs, inputs: 0, announced, constraints: bytes }
    }

    /// The header's section.
    pub(super) fn header(&self) -> Vec<u8> {
        let mut bytes = (self.prime.bytes as u32).to_le_bytes().to_vec();
        bytes.extend(written(&self.prime.limbs, &self.prime));
        for count in [self.wires, self.outputs, self.inputs, 0] {
            bytes.extend(count.to_le_bytes());
        }
        bytes.extend(u64::from(self.wires).to_le_bytes());
        bytes.extend(self.announced.to_le_bytes());
        bytes
    }

    /// The labels: three times the number of each wire.
    pub(super) fn labels(&self) -> Vec<u8> {
        (0..u64::from(self.wires)).flat_map(|wire| (3 * wire).to_le_bytes()).collect()
    }

    /// The file, in the order in which circom writes sections.
    pub(super) fn file(&self) -> Vec<u8> {
        container(b"r1cs", 1, &[(2, &self.constraints), (1, &self.header()), (3, &self.labels())])
    }

    #[cfg(test)]
    /// A witness of these values behind the one of wire 0.
    pub(super) fn witness(&self, values: &[i64]) -> Vec<u8> {
        let mut header = (self.prime.bytes as u32).to_le_bytes().to_vec();
        header.extend(written(&self.prime.limbs, &self.prime));
        header.extend((values.len() as u32 + 1).to_le_bytes());
        let all = core::iter::once(&1).chain(values);
        let values: Vec<u8> =
            all.flat_map(|value| written(&number(&self.prime, *value), &self.prime)).collect();
        container(b"wtns", 2, &[(1, &header), (2, &values)])
    }
}

impl R1cs {
    /// `out = (a + 2)·b`, `7·c·c = out + d` and `d = 3·e` over F61: held, or read from the file for each run.
    #[doc(hidden)]
    pub fn made(held: bool) -> Self {
        let constraints: [[Form<'_>; 3]; 3] = [
            [&[(2, 1), (0, 2)], &[(3, 1)], &[(1, 1)]],
            [&[(4, 7)], &[(4, 1)], &[(1, 1), (5, 1)]],
            [&[], &[], &[(5, -1), (6, 3)]],
        ];
        let file = Made::new(Prime::of::<F61>(), 7, 1, &constraints).file();
        let most = if held { Most::USUAL } else { Most { bytes: 0, ..Most::USUAL } };
        let system = Self::new("made.r1cs".into(), Source::Bytes(file.into()), most).expect("well-formed");
        assert_eq!(system.kept.is_some(), held);
        system
    }
}

/// A file of these sections.
pub(super) fn container(magic: &[u8; 4], version: u32, sections: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend((sections.len() as u32).to_le_bytes());
    for (kind, section) in sections {
        bytes.extend(kind.to_le_bytes());
        bytes.extend((section.len() as u64).to_le_bytes());
        bytes.extend_from_slice(section);
    }
    bytes
}

fn number(prime: &Prime, number: i64) -> Limbs {
    let limbs = [number.unsigned_abs(), 0, 0, 0];
    if number < 0 { prime.negated(&limbs) } else { limbs }
}

/// An element in as many bytes as the prime has.
pub(super) fn written(limbs: &Limbs, prime: &Prime) -> Vec<u8> {
    limbs.iter().flat_map(|limb| limb.to_le_bytes()).take(prime.bytes).collect()
}
