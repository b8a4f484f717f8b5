//! Counting gates, and the fingerprint of a circuit.

mod memory;
mod parts;

pub(super) use memory::{Open, kind_of};
pub(super) use parts::Part;

use super::accounting::{Accounting, Parameters, by_epochs};
use super::polynomial::{
    Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes, common_lanes, degree_of_product,
};
use super::stream::{Everything, Executor, Source, Stream};
use super::{Backend, Circuit, Crossings};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_primitives::Field;
use zeroize::DefaultIsZeroes;

/// The gates of a circuit by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Witness elements and hints: values that the prover commits to.
    pub inputs: u64,
    /// Elements of the witness among the inputs.
    pub witness: u64,
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
    /// Polynomials that are asserted to be zero, or whose values the prover commits to.
    pub polynomials: u64,
    /// The highest degree of these.
    pub degree: u64,
    /// Crowds of polynomials: how often they have 2^17 coefficients before 2^13 values are committed to.
    pub crowds: u64,
    /// Products of matrices, and bilinear forms, that are asserted.
    pub matrices: u64,
    /// Challenges to these: how often 2^21 entries of them wait for one, or the statement ends.
    pub challenged: u64,
    /// Values of polynomials among the inputs.
    pub committed: u64,
    /// Multiplications inside of polynomials and products of matrices, if they are computed gate by gate.
    pub polynomial_mul: u64,
    /// The sums of products that these are made of.
    pub sums: Sums,
    /// The cost of memories and tables where all cells are looked at.
    pub scanned: Scan,
    /// The cost of memories and tables for a system that has a proof for them.
    pub argued: Argued,
    /// Wires that come in from other shards.
    pub incoming: u64,
    /// Wires that go out to other shards.
    pub outgoing: u64,
}

/// The cost of looking at all cells of a memory, or all rows of a table, but for additions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Hints.
    pub inputs: u64,
    /// Multiplications.
    pub mul: u64,
    /// Assertions, less one for each access, lookup and number in a range.
    pub assert: u64,
    /// The most multiplications of one access or lookup: what grows with the cells or rows of the largest.
    pub most: u64,
}

/// The cost of proofs of memories and tables: those by products and sums that run over an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Argued {
    /// Values that the prover commits to.
    pub values: u64,
    /// Products of such, and of others.
    pub mul: u64,
    /// Polynomials in values of the field.
    pub polynomials: u64,
    /// Elements of the extension that the prover commits to, for one challenge of an epoch.
    pub wide: u64,
    /// Polynomials in these, for one challenge.
    pub wide_polynomials: u64,
    /// The highest degree of all.
    pub degree: u64,
    /// The sum, over all epochs, of the degrees of the polynomials that are to be zero at their challenges.
    pub tuples: u64,
    /// The highest of these degrees.
    pub longest: u64,
    /// Epochs that end, each with a challenge of its own.
    pub epochs: u64,
}

impl Argued {
    /// The costs of two parts together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            values: self.values + other.values,
            mul: self.mul + other.mul,
            polynomials: self.polynomials + other.polynomials,
            wide: self.wide + other.wide,
            wide_polynomials: self.wide_polynomials + other.wide_polynomials,
            degree: self.degree.max(other.degree),
            tuples: self.tuples + other.tuples,
            longest: self.longest.max(other.longest),
            epochs: self.epochs + other.epochs,
        }
    }
}

impl Scan {
    /// The costs of two parts together.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            mul: self.mul + other.mul,
            assert: self.assert + other.assert,
            most: self.most.max(other.most),
        }
    }
}

/// Sums of products: inner products that are not empty, and products of matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Inner products.
    pub inner: u64,
    /// The sum of the lengths of these.
    pub inner_mul: u64,
    /// The multiplications in products of matrices.
    pub matrix_mul: u64,
    /// The lengths of a row of each left matrix, added.
    pub matrix_inner: u64,
    /// The most rows of a product of matrices.
    pub rows: u64,
    /// The most columns of one.
    pub columns: u64,
}

impl Shape {
    /// The shape of a recorded statement: functions of gates are counted once, and multiplied.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    pub fn of<F: Field>(source: &dyn Source<F>) -> Result<Self> {
        Stream::new(source).count_with_depth()
    }

    /// The shape of a recorded statement, whose depth is left out: parts that repeat are counted once.
    ///
    /// # Errors
    /// `Invalid` where the statement is malformed.
    pub fn without_depth<F: Field>(source: &dyn Source<F>) -> Result<Self> {
        Stream::new(source).count()
    }

    /// Adds the gates of `other`, not knowing whether its depth lies behind this one's or beside it.
    pub(super) fn add(&mut self, other: &Self) {
        // Functions that call each other may come to any number.
        let grow = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        let Self { inputs, witness, mul, add, scale, constant, assert, .. } = *other;
        let Self { polynomials, degree, matrices, committed, polynomial_mul, sums, .. } = *other;
        grow(&mut self.inputs, inputs);
        grow(&mut self.witness, witness);
        grow(&mut self.mul, mul);
        grow(&mut self.add, add);
        grow(&mut self.scale, scale);
        grow(&mut self.constant, constant);
        grow(&mut self.assert, assert);
        grow(&mut self.polynomials, polynomials);
        self.degree = self.degree.max(degree);
        grow(&mut self.matrices, matrices);
        grow(&mut self.committed, committed);
        grow(&mut self.polynomial_mul, polynomial_mul);
        grow(&mut self.sums.inner, sums.inner);
        grow(&mut self.sums.inner_mul, sums.inner_mul);
        grow(&mut self.sums.matrix_mul, sums.matrix_mul);
        grow(&mut self.sums.matrix_inner, sums.matrix_inner);
        self.sums.rows = self.sums.rows.max(sums.rows);
        self.sums.columns = self.sums.columns.max(sums.columns);
        self.scanned = self.scanned.and(other.scanned);
        self.argued = self.argued.and(other.argued);
        grow(&mut self.incoming, other.incoming);
        grow(&mut self.outgoing, other.outgoing);
    }

    /// Counts `lanes` polynomials that are asserted or committed to.
    pub(super) fn polynomials(&mut self, lanes: usize, degree: usize) {
        self.polynomials += lanes as u64;
        self.degree = self.degree.max(degree as u64);
    }

    /// Counts an inner product of `length` pairs.
    pub(super) fn inner(&mut self, length: u64) {
        self.polynomial_mul += length;
        self.sums.inner += u64::from(length > 0);
        self.sums.inner_mul += length;
    }

    /// Counts an assertion on a product of matrices.
    pub(super) fn matrix(&mut self, rows: u64, inner: u64, columns: u64) {
        let mul = rows * inner * columns;
        self.polynomial_mul += mul;
        self.sums.matrix_mul += mul;
        self.sums.matrix_inner += inner;
        self.sums.rows = self.sums.rows.max(rows);
        self.sums.columns = self.sums.columns.max(columns);
        self.assert += u64::from(rows > 0);
        self.matrices += 1;
        self.degree = self.degree.max(2);
    }

    /// Counts an assertion on a bilinear form, whose second list may be public: nothing is multiplied then.
    pub(super) fn bilinear(&mut self, form: &Bilinear, is_public: bool) {
        if !is_public {
            let [products, entries] = form.products();
            self.polynomial_mul += products;
            self.sums.inner += entries;
            self.sums.inner_mul += products;
        }
        self.assert += 1;
        self.matrices += 1;
        self.degree = self.degree.max(2);
    }

    /// Multiplications where polynomials are computed gate by gate.
    pub fn mul_by_gates(&self) -> u64 {
        self.mul + self.polynomial_mul + self.scanned.mul
    }

    /// Witness elements and hints, which are all inputs where polynomials are computed gate by gate.
    pub fn inputs_by_gates(&self) -> u64 {
        self.inputs - self.committed + self.scanned.inputs
    }

    /// The sizes on which a proof's soundness depends, where memories and tables are looked at row by row.
    pub fn size(&self) -> Size {
        let Self { mul, polynomials, degree, crowds, challenged: matrices, scanned, .. } = *self;
        let inputs = self.inputs + scanned.inputs;
        let commitments = inputs.saturating_add(mul).saturating_add(scanned.mul);
        Size { commitments, inputs, polynomials, degree, crowds, matrices, ..Size::default() }
    }

    /// The sizes on which a proof's soundness depends, where there is a proof for memories and tables.
    pub fn size_with(&self, by: Arguing) -> Size {
        let Self { argued, .. } = *self;
        let inputs = self.inputs + argued.values + by.challenges * by.degree * argued.wide;
        Size {
            commitments: inputs + self.mul + argued.mul,
            inputs,
            polynomials: self.polynomials + argued.polynomials + by.challenges * argued.wide_polynomials,
            degree: self.degree.max(argued.degree),
            matrices: self.challenged,
            tuples: argued.tuples,
            longest: argued.longest,
            epochs: argued.epochs,
            ..Size::default()
        }
    }

    /// The sizes on which a proof's soundness depends, where polynomials are computed gate by gate.
    pub fn size_by_gates(&self) -> Size {
        let inputs = self.inputs_by_gates();
        Size { inputs, ..Size::gates(inputs + self.mul_by_gates()) }
    }
}

/// The size of a statement, as far as the soundness of its proof depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Values that the prover commits to: inputs, hints and products.
    pub commitments: u64,
    /// Values among them that are no products.
    pub inputs: u64,
    /// Polynomials, as in [`Shape`].
    pub polynomials: u64,
    /// The highest degree of polynomials.
    pub degree: u64,
    /// Crowds of polynomials, as in [`Shape`], where these were counted in their order.
    pub crowds: u64,
    /// Challenges to products of matrices and bilinear forms.
    pub matrices: u64,
    /// Clauses of which one holds, and which are run over one tape.
    pub clauses: u64,
    /// Commitments among them that come after the challenge to the tape.
    pub late: u64,
    /// The sum of the degrees, each in its challenge, of the arguments that end epochs of memories and
    /// tables.
    pub tuples: u64,
    /// The highest of these degrees.
    pub longest: u64,
    /// Epochs, whose challenges end a batch early each.
    pub epochs: u64,
}

/// The parameters of a proof of memories and tables in a system that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguing {
    /// Values to an element of the extension.
    pub degree: u64,
    /// Challenges of an epoch.
    pub challenges: u64,
}

impl Size {
    /// The most values of a challenge for which something false passes: two for the vectors of a product of
    /// matrices, the number of clauses for a tape, the degree of its argument for an epoch.
    pub fn chances(&self) -> f64 {
        self.longest.max(self.clauses).max(2) as f64
    }

    /// The size of a statement with this many commitments, all of them products, without polynomials or
    /// matrices.
    pub fn gates(commitments: u64) -> Self {
        Self { commitments, ..Self::default() }
    }

    /// The larger of two sizes, number by number.
    pub fn or_more(self, other: Self) -> Self {
        Self {
            commitments: self.commitments.max(other.commitments),
            inputs: self.inputs.max(other.inputs),
            polynomials: self.polynomials.max(other.polynomials),
            degree: self.degree.max(other.degree),
            crowds: self.crowds.max(other.crowds),
            matrices: self.matrices.max(other.matrices),
            clauses: self.clauses.max(other.clauses),
            late: self.late.max(other.late),
            tuples: self.tuples.max(other.tuples),
            longest: self.longest.max(other.longest),
            epochs: self.epochs.max(other.epochs),
        }
    }
}

/// Counts gates by kind and the multiplicative depth, and fingerprints the circuit on request.
pub struct Count<F> {
    shape: Shape,
    fingerprint: Option<Box<Fingerprint>>,
    wires: u64,
    /// The memories and tables that are not at an end.
    open: Open<F>,
    /// The number of values committed to that the account of polynomials knows of.
    marked: u64,
}

/// A wire of [`Count`]: its number in order of creation, and the multiplications on the longest path to it.
#[derive(Clone, Copy, Default)]
pub struct Counted {
    number: u64,
    depth: u64,
}

impl DefaultIsZeroes for Counted {}

impl Counted {
    /// The number of the wire.
    pub(super) fn number(self) -> u64 {
        self.number
    }
}

/// A vector of [`Count`]: numbered like a wire.
#[derive(Clone, Copy)]
pub struct CountedVector {
    wire: Counted,
    lanes: usize,
    degree: usize,
}

impl<F: Field> Count<F> {
    /// The shape of `circuit`, which is compiled for this backend.
    pub(super) fn direct<C: Circuit<Self>>(circuit: &C) -> Result<Shape> {
        let mut count = Self::begun(false);
        circuit.run(&mut count)?;
        Ok(count.ended().0)
    }

    /// Tells the account how many values are committed to so far, and gives it for what comes next.
    fn mark(&mut self) -> &mut dyn Accounting<F> {
        let values = self.shape.size().commitments;
        let accounting = self.open.accounting();
        accounting.commit(values - self.marked);
        self.marked = values;
        accounting
    }

    /// Counts polynomials.
    fn vanish(&mut self, of: &CountedVector) {
        self.mark().polynomials(of.lanes, of.degree);
        self.shape.polynomials(of.lanes, of.degree);
    }

    /// The shape of `circuit`, and a collision-resistant digest of its gates, constants and wiring. Names of
    /// assertions and the functions of hints do not enter: they do not change what is proved.
    ///
    /// # Errors
    /// `Invalid` where the circuit is malformed.
    pub fn fingerprint<C: Circuit<Self>>(circuit: &C) -> Result<(Shape, [u8; 32])> {
        Self::fingerprint_by(Parameters::default(), circuit)
    }

    /// Counts and digests the gates, as [`Count::fingerprint`] does, where epochs are those of `parameters`.
    pub fn fingerprint_by<C: Circuit<Self>>(
        parameters: Parameters,
        circuit: &C,
    ) -> Result<(Shape, [u8; 32])> {
        let mut count = Self::by(parameters, true);
        circuit.run(&mut count)?;
        let (shape, digest) = count.ended();
        Ok((shape, digest.expect("begun with it")))
    }

    /// A count of nothing yet, which digests the gates on request.
    pub(super) fn begun(fingerprinted: bool) -> Self {
        Self::by(Parameters::default(), fingerprinted)
    }

    fn by(parameters: Parameters, fingerprinted: bool) -> Self {
        let fingerprint = fingerprinted.then(|| {
            let mut hasher = blake3::Hasher::new_derive_key("volery circuit fingerprint v1");
            hasher.update(F::name().as_bytes());
            Box::new(Fingerprint { hasher, gates: [0; ABSORBED + GATE], filled: 0 })
        });
        let open = Open::new(by_epochs(parameters));
        Self { shape: Shape::default(), fingerprint, wires: 0, open, marked: 0 }
    }

    /// The counts, and the digest of the gates where it was asked for.
    pub(super) fn ended(mut self) -> (Shape, Option<[u8; 32]>) {
        self.open.end(&mut self.shape);
        (self.shape, self.fingerprint.map(|fingerprint| fingerprint.finalize()))
    }

    /// Counts `count` values of another field that are committed to in this one, too.
    pub(super) fn copies(&mut self, count: usize) -> Vec<Counted> {
        self.shape.inputs += count as u64;
        self.gate(b'v', count as u128, 0);
        (0..count).map(|_| self.wire(0)).collect()
    }

    /// Counts the assertion that `sum` is the number of bits that were copied.
    pub(super) fn made_of_copies(&mut self, sum: Counted, width: usize) {
        self.shape.assert += 1;
        self.gate(b'u', sum.number.into(), width as u128);
    }

    /// How many wires there are.
    pub(super) fn wires(&self) -> u64 {
        self.wires
    }

    /// Absorbs one gate: its kind and two operands, in a fixed length.
    fn gate(&mut self, kind: u8, a: u128, b: u128) {
        if let Some(fingerprint) = &mut self.fingerprint {
            fingerprint.absorb(kind, a, b);
        }
    }

    /// Absorbs the operands of the gate that was absorbed last.
    fn operands(&mut self, wires: &[Counted]) {
        if self.fingerprint.is_some() {
            for wire in wires {
                self.gate(b',', wire.number.into(), 0);
            }
        }
    }

    /// A gate of kind `kind` that has an element in it.
    fn constant_gate(&mut self, kind: u8, c: F) {
        let c = c.to_integer();
        self.gate(kind, c.low(), c.high());
    }

    /// Adds public values to the fingerprint.
    fn values(&mut self, values: &[F]) {
        if self.fingerprint.is_some() {
            values.iter().for_each(|value| self.constant_gate(b',', *value));
        }
    }

    fn lanes(&mut self, lanes: usize, degree: usize, depth: u64) -> CountedVector {
        CountedVector { wire: self.wire(depth), lanes, degree }
    }

    fn wire(&mut self, depth: u64) -> Counted {
        let number = self.wires;
        self.wires += 1;
        self.shape.depth = self.shape.depth.max(depth);
        Counted { number, depth }
    }
}

/// The running digest of gates.
struct Fingerprint {
    hasher: blake3::Hasher,
    /// Gates that are still to be hashed: long pieces are hashed many lanes at a time.
    gates: [u8; ABSORBED + GATE],
    filled: usize,
}

/// Bytes that are hashed at once: whole subtrees of the hash.
const ABSORBED: usize = 1 << 16;

/// The bytes of a gate.
const GATE: usize = 33;

impl Fingerprint {
    /// One gate, in a fixed length.
    fn absorb(&mut self, kind: u8, a: u128, b: u128) {
        let gate = &mut self.gates[self.filled..self.filled + GATE];
        gate[0] = kind;
        gate[1..17].copy_from_slice(&a.to_le_bytes());
        gate[17..].copy_from_slice(&b.to_le_bytes());
        self.filled += GATE;
        if self.filled >= ABSORBED {
            self.hasher.update(&self.gates[..ABSORBED]);
            self.gates.copy_within(ABSORBED..self.filled, 0);
            self.filled -= ABSORBED;
        }
    }

    fn finalize(mut self) -> [u8; 32] {
        self.hasher.update(&self.gates[..self.filled]);
        self.hasher.finalize().into()
    }
}

impl<F: Field> Executor for Count<F> {
    type Beyond = Everything<Self>;
}

impl<F: Field> Backend for Count<F> {
    type F = F;
    type Wire = Counted;

    fn constant(&mut self, c: F) -> Counted {
        self.shape.constant += 1;
        self.constant_gate(b'c', c);
        self.wire(0)
    }
    fn add(&mut self, a: Counted, b: Counted) -> Counted {
        self.shape.add += 1;
        self.gate(b'+', a.number.into(), b.number.into());
        self.wire(a.depth.max(b.depth))
    }
    fn scale(&mut self, a: Counted, c: F) -> Counted {
        self.shape.scale += 1;
        let c = c.to_integer();
        self.gate(b's', a.number.into(), c.low());
        // What is longer than the place for it stands behind it.
        if F::BITS > 128 {
            self.gate(b',', c.high(), 0);
        }
        self.wire(a.depth)
    }
    fn witness(&mut self) -> Result<Counted> {
        self.shape.inputs += 1;
        self.shape.witness += 1;
        self.gate(b'w', 0, 0);
        Ok(self.wire(0))
    }
    fn hint(&mut self, of: &[Counted], _: impl Fn(&[F]) -> F + Send + Sync + 'static) -> Result<Counted> {
        self.shape.inputs += 1;
        self.gate(b'w', 0, 0);
        Ok(self.wire(deepest(of)))
    }
    fn hints(
        &mut self,
        of: &[Counted],
        count: usize,
        _: impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static,
    ) -> Result<Vec<Counted>> {
        let depth = deepest(of);
        self.shape.inputs += count as u64;
        let mut hints = Vec::with_capacity(count);
        for _ in 0..count {
            self.gate(b'w', 0, 0);
            hints.push(self.wire(depth));
        }
        Ok(hints)
    }
    fn mul(&mut self, a: Counted, b: Counted) -> Result<Counted> {
        self.shape.mul += 1;
        self.gate(b'*', a.number.into(), b.number.into());
        Ok(self.wire(a.depth.max(b.depth) + 1))
    }
    fn assert_zero(&mut self, a: Counted, _: impl Display) -> Result<()> {
        self.shape.assert += 1;
        self.gate(b'0', a.number.into(), 0);
        Ok(())
    }
}

impl<F: Field> Crossings for Count<F> {
    fn incoming(&mut self, count: usize) -> Result<Vec<Counted>> {
        self.shape.incoming += count as u64;
        self.gate(b'<', count as u128, 0);
        Ok((0..count).map(|_| self.wire(0)).collect())
    }
    fn outgoing(&mut self, wires: &[Counted]) -> Result<()> {
        self.shape.outgoing += wires.len() as u64;
        self.gate(b'>', wires.len() as u128, 0);
        self.operands(wires);
        Ok(())
    }
}

impl<F: Field> Polynomials for Count<F> {
    type Vector = CountedVector;

    fn lanes_of(&self, a: &CountedVector) -> usize {
        a.lanes
    }
    fn public(&mut self, values: &[F]) -> CountedVector {
        self.gate(b'C', values.len() as u128, 0);
        self.values(values);
        self.lanes(values.len(), 0, 0)
    }
    fn vector(&mut self, wires: &[Counted]) -> CountedVector {
        self.gate(b'V', wires.len() as u128, 0);
        self.operands(wires);
        self.lanes(wires.len(), 1, deepest(wires))
    }
    fn sum(&mut self, a: &CountedVector, b: &CountedVector) -> CountedVector {
        self.gate(b'P', a.wire.number.into(), b.wire.number.into());
        let lanes = common_lanes(a.lanes, b.lanes);
        self.lanes(lanes, a.degree.max(b.degree), a.wire.depth.max(b.wire.depth))
    }
    fn product(&mut self, a: &CountedVector, b: &CountedVector) -> Result<CountedVector> {
        self.gate(b'M', a.wire.number.into(), b.wire.number.into());
        let lanes = common_lanes(a.lanes, b.lanes);
        let deeper = u64::from(a.degree > 0 && b.degree > 0);
        let depth = a.wire.depth.max(b.wire.depth) + deeper;
        self.shape.polynomial_mul += lanes as u64;
        Ok(self.lanes(lanes, degree_of_product(a.degree, b.degree)?, depth))
    }
    fn combination(
        &mut self,
        products: &[(&CountedVector, &CountedVector)],
        terms: &[(F, &CountedVector)],
        constant: F,
    ) -> Result<CountedVector> {
        self.gate(b'L', terms.len() as u128, products.len() as u128);
        self.values(&[constant]);
        let (mut lanes, mut degree, mut depth) = (1, 0, 0);
        for (a, b) in products {
            let product = self.product(a, b)?;
            lanes = common_lanes(lanes, product.lanes);
            (degree, depth) = (degree.max(product.degree), depth.max(product.wire.depth));
        }
        for (factor, vector) in terms {
            self.gate(b';', vector.wire.number.into(), 0);
            self.values(&[*factor]);
            lanes = common_lanes(lanes, vector.lanes);
            (degree, depth) = (degree.max(vector.degree), depth.max(vector.wire.depth));
        }
        Ok(self.lanes(lanes, degree, depth))
    }
    fn gather(&mut self, a: &CountedVector, lanes: &[Option<usize>]) -> CountedVector {
        assert!(lanes.iter().flatten().all(|lane| *lane < a.lanes), "a lane that is not there");
        self.gate(b'G', a.wire.number.into(), lanes.len() as u128);
        if self.fingerprint.is_some() {
            let places = lanes.iter().map(|lane| lane.map_or(0, |lane| lane as u128 + 1));
            places.for_each(|place| self.gate(b',', place, 0));
        }
        self.lanes(lanes.len(), a.degree, a.wire.depth)
    }
    fn total(&mut self, a: &CountedVector) -> CountedVector {
        self.gate(b'T', a.wire.number.into(), 0);
        self.lanes(1, a.degree, a.wire.depth)
    }
    fn inner_product(&mut self, a: &[Counted], b: &[Counted]) -> Result<CountedVector> {
        assert_eq!(a.len(), b.len());
        self.gate(b'I', a.len() as u128, 0);
        self.operands(a);
        self.operands(b);
        self.shape.inner(a.len() as u64);
        Ok(self.lanes(1, 2, deepest(a).max(deepest(b)) + 1))
    }
    fn commit(&mut self, a: &CountedVector) -> Result<Vec<Counted>> {
        self.gate(b'H', a.wire.number.into(), 0);
        self.shape.inputs += a.lanes as u64;
        self.shape.committed += a.lanes as u64;
        self.vanish(a);
        Ok((0..a.lanes).map(|_| self.wire(a.wire.depth)).collect())
    }
    fn assert_zeroes(&mut self, a: CountedVector, _: impl Display) -> Result<()> {
        self.gate(b'Z', a.wire.number.into(), 0);
        self.shape.assert += a.lanes as u64;
        self.vanish(&a);
        Ok(())
    }
    fn assert_product(&mut self, a: Counted, b: Counted, c: Counted, _: impl Display) -> Result<()> {
        self.gate(b'Q', a.number.into(), b.number.into());
        self.operands(&[c]);
        self.shape.polynomial_mul += 1;
        self.shape.assert += 1;
        self.shape.depth = self.shape.depth.max(deepest(&[a, b]) + 1);
        self.vanish(&CountedVector { wire: c, lanes: 1, degree: 2 });
        Ok(())
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<Counted>,
        b: Matrix<Counted>,
        c: Entries<F, Counted>,
        _: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        // All three sizes and the kind of the product, so that what follows can be read in one way only.
        let kind = if matches!(c, Entries::Public(_)) { b'Y' } else { b'X' };
        self.gate(kind, a.rows().len() as u128, (a.columns() as u128) << 64 | b.columns() as u128);
        self.operands(a.entries());
        self.operands(b.entries());
        match c {
            Entries::Public(c) => self.values(c),
            Entries::Wires(c) => self.operands(c),
        }
        self.shape.depth = self.shape.depth.max(deepest(a.entries()).max(deepest(b.entries())) + 1);
        let entries = a.entries().len() + b.entries().len() + c.len();
        self.mark().products(entries as u64);
        self.shape.matrix(a.rows().len() as u64, a.columns() as u64, b.columns() as u64);
        Ok(())
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, F, Counted>,
        _: impl Display,
    ) -> Result<()> {
        let lengths = [first.len(), second.len(), result.len()];
        form.validate()?;
        form.check(lengths);
        let is_public = matches!(second, Entries::Public(_));
        self.gate(b'Z', u128::from(is_public), 0);
        // No number of sizes is that of two kinds of forms.
        form.words().into_iter().for_each(|size| self.gate(b';', size.into(), 0));
        self.operands(first);
        let depth = match second {
            Entries::Public(second) => {
                self.values(second);
                deepest(first)
            }
            Entries::Wires(second) => {
                self.operands(second);
                deepest(first).max(deepest(second)) + 1
            }
        };
        self.operands(result);
        self.shape.depth = self.shape.depth.max(depth);
        self.mark().products(lengths.iter().map(|length| *length as u64).sum());
        self.shape.bilinear(form, is_public);
        Ok(())
    }
}

/// The longest chain of multiplications to any of `wires`, 0 where there are none.
fn deepest(wires: &[Counted]) -> u64 {
    wires.iter().map(|wire| wire.depth).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::F61;

    /// Circuits over three elements of a witness.
    struct Over<C>(C);

    impl<C: Fn(&mut Count<F61>, [Counted; 3]) -> Result<()>> Circuit<Count<F61>> for Over<C> {
        fn run(&self, b: &mut Count<F61>) -> Result<()> {
            let x = [b.witness()?, b.witness()?, b.witness()?];
            (self.0)(b, x)
        }
    }

    fn digest(circuit: impl Fn(&mut Count<F61>, [Counted; 3]) -> Result<()>) -> [u8; 32] {
        Count::fingerprint(&Over(circuit)).unwrap().1
    }

    /// x·(y, z) = (1, 0), and x·y = z beside a public vector that nothing is said about: the
    /// same operands in a row.
    #[test]
    fn gates_are_hashed_in_order_whatever_is_hashed_at_once() {
        for gates in [0, 1, ABSORBED / GATE, ABSORBED / GATE + 1, ABSORBED, 3 * ABSORBED / GATE] {
            let mut fingerprint =
                Fingerprint { hasher: blake3::Hasher::new(), gates: [0; ABSORBED + GATE], filled: 0 };
            let mut whole = Vec::new();
            for i in 0..gates as u128 {
                fingerprint.absorb(i as u8, i, !i);
                whole.push(i as u8);
                whole.extend(i.to_le_bytes());
                whole.extend((!i).to_le_bytes());
            }
            assert_eq!(fingerprint.finalize(), *blake3::hash(&whole).as_bytes(), "{gates} gates");
        }
    }

    #[test]
    fn products_of_matrices_of_other_sizes_have_other_fingerprints() {
        let public = [F61::ONE, F61::ZERO];
        let row = digest(|b, [x, y, z]| {
            let [x, yz] = [&[x][..], &[y, z]];
            b.assert_matrix_product(Matrix::new(x, 1), Matrix::new(yz, 2), Entries::Public(&public), "c")
        });
        let one = digest(|b, [x, y, z]| {
            let (x, y) = ([x], [y]);
            b.assert_matrix_product(Matrix::new(&x, 1), Matrix::new(&y, 1), Entries::Wires(&[z]), "c")?;
            b.public(&public);
            Ok(())
        });
        assert_ne!(row, one);
    }

    #[test]
    fn asserted_products_are_as_deep_as_others() {
        let depth = |circuit: fn(&mut Count<F61>, [Counted; 3]) -> Result<()>| {
            Count::fingerprint(&Over(circuit)).unwrap().0.depth
        };
        assert_eq!(depth(|b, [x, y, z]| b.assert_product(x, y, z, "z")), 1);
        let chain = |b: &mut Count<F61>, [x, y, z]: [Counted; 3]| {
            let product = b.mul(x, y)?;
            b.assert_product(y, product, z, "z")
        };
        assert_eq!(depth(chain), 2);
    }
}
