//! Counting gates, and the fingerprint of a circuit.

use super::{Backend, Circuit};
use crate::error::Result;
use core::fmt::Display;
use core::marker::PhantomData;
use volery_primitives::Field;

/// The gates of a circuit by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Witness elements and hints: values that the prover commits to.
    pub inputs: u64,
    /// Multiplications (over F_2: ANDs).
    pub mul: u64,
    /// Additions (over F_2: XORs).
    pub add: u64,
    /// Multiplications by a public factor.
    pub scale: u64,
    /// Public constants.
    pub constant: u64,
    /// Assertions.
    pub assert: u64,
    /// The longest chain of multiplications.
    pub depth: u64,
}

/// Counts gates by kind and the multiplicative depth, and fingerprints the circuit on request.
pub struct Count<F> {
    shape: Shape,
    fingerprint: Option<Box<blake3::Hasher>>,
    wires: u64,
    field: PhantomData<F>,
}

/// A wire of [`Count`]: its number in order of creation, and the multiplications on the longest path to it.
#[derive(Clone, Copy)]
pub struct Counted {
    number: u64,
    depth: u64,
}

impl<F: Field> Count<F> {
    /// The shape of `circuit`.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn shape<C: Circuit<Self>>(circuit: &C) -> Result<Shape> {
        let mut count = Self { shape: Shape::default(), fingerprint: None, wires: 0, field: PhantomData };
        circuit.run(&mut count)?;
        Ok(count.shape)
    }

    /// The shape of `circuit`, and a collision-resistant digest of its gates, constants and wiring. Names of
    /// assertions and the functions of hints do not enter: they do not change what is proved.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn fingerprint<C: Circuit<Self>>(circuit: &C) -> Result<(Shape, [u8; 32])> {
        let mut hasher = blake3::Hasher::new_derive_key("volery circuit fingerprint v1");
        hasher.update(F::NAME.as_bytes());
        let mut count = Self {
            shape: Shape::default(),
            fingerprint: Some(Box::new(hasher)),
            wires: 0,
            field: PhantomData,
        };
        circuit.run(&mut count)?;
        let digest = count.fingerprint.expect("set above").finalize().into();
        Ok((count.shape, digest))
    }

    /// Absorbs one gate: its kind and two operands, in a fixed length.
    fn gate(&mut self, kind: u8, a: u128, b: u128) {
        if let Some(hasher) = &mut self.fingerprint {
            let mut bytes = [0; 33];
            bytes[0] = kind;
            bytes[1..17].copy_from_slice(&a.to_le_bytes());
            bytes[17..].copy_from_slice(&b.to_le_bytes());
            hasher.update(&bytes);
        }
    }

    fn wire(&mut self, depth: u64) -> Counted {
        let number = self.wires;
        self.wires += 1;
        self.shape.depth = self.shape.depth.max(depth);
        Counted { number, depth }
    }
}

impl<F: Field> Backend for Count<F> {
    type F = F;
    type Wire = Counted;

    fn constant(&mut self, c: F) -> Counted {
        self.shape.constant += 1;
        self.gate(b'c', c.to_word(), 0);
        self.wire(0)
    }
    fn add(&mut self, a: Counted, b: Counted) -> Counted {
        self.shape.add += 1;
        self.gate(b'+', a.number.into(), b.number.into());
        self.wire(a.depth.max(b.depth))
    }
    fn scale(&mut self, a: Counted, c: F) -> Counted {
        self.shape.scale += 1;
        self.gate(b's', a.number.into(), c.to_word());
        self.wire(a.depth)
    }
    fn witness(&mut self) -> Result<Counted> {
        self.shape.inputs += 1;
        self.gate(b'w', 0, 0);
        Ok(self.wire(0))
    }
    fn hint(&mut self, of: &[Counted], _: impl FnOnce(&[F]) -> F) -> Result<Counted> {
        self.shape.inputs += 1;
        self.gate(b'w', 0, 0);
        Ok(self.wire(of.iter().map(|w| w.depth).max().unwrap_or(0)))
    }
    fn mul(&mut self, a: Counted, b: Counted) -> Result<Counted> {
        self.shape.mul += 1;
        self.gate(b'*', a.number.into(), b.number.into());
        Ok(self.wire(a.depth.max(b.depth) + 1))
    }
    fn assert_zero(&mut self, a: Counted, _: &dyn Display) -> Result<()> {
        self.shape.assert += 1;
        self.gate(b'0', a.number.into(), 0);
        Ok(())
    }
}
