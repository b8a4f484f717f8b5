//! Evaluation in the clear: what a statement means, without a proof.

pub(crate) mod lanes;

use super::crossing::{Carried, Crossing, no_shard};
use super::memory::{Addresses, place, scan_lookup, scan_within};
use super::permutation::{are_permuted, count_words, scan_permutation};
use super::polynomial::{
    Bilinear, Entries, Lists, Matrix, Polynomials, check_sizes, common_lanes, lane_name,
};
use super::stream::straight::Lines;
use super::stream::{Argues, Everything, Executor, Map, Vectorized, argues};
use super::table::check_range;
use super::{
    Backend, Cells, Circuit, Crossings, Known, Memories, Permutations, Put, Rows, Scanned, Sizes, Tables,
};
use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use volery_primitives::hash::elements::{Expanded, absorb, expanded};
use volery_primitives::secret::verdict;
use zeroize::Zeroizing;

/// Evaluates a circuit on a witness and stops at the first assertion that fails.
///
/// This is the reference for every proof system, and what the prover runs before it contacts anyone.
pub struct Clear<'w, F: Field> {
    /// The witness, behind a pointer, so that a circuit is compiled once for all kinds of witnesses.
    witness: Box<dyn Iterator<Item = F> + 'w>,
    /// The number of comparisons so far, at least one for each assertion.
    compared: u64,
    /// Whether the evaluation goes to its end, whatever fails and however long the witness is, so that it
    /// takes the same steps for every witness.
    to_its_end: bool,
    /// Whether an assertion failed, where the evaluation goes to its end. It is a secret.
    failed: bool,
    /// Whether the circuit asked for more than the witness has.
    ended: bool,
    /// Witness and hints in their order, where they are kept.
    inputs: Option<Vec<F>>,
    /// Whether products, and values of polynomials that are committed to, are kept among them.
    products: bool,
    /// The outputs: ports, places and values.
    outputs: Vec<(usize, u64, F)>,
    /// The wires that come in from other shards and go out to them, where it is one.
    crossing: Option<Crossing<F>>,
    /// The functions that were mapped.
    lines: Lines<F>,
}

impl<'w, F: Field> Clear<'w, F> {
    /// An evaluation that reads its witness from `witness`.
    pub fn new(witness: impl IntoIterator<Item = F, IntoIter: 'w>) -> Self {
        Self {
            witness: Box::new(witness.into_iter()),
            compared: 0,
            to_its_end: false,
            failed: false,
            ended: false,
            inputs: None,
            products: false,
            outputs: Vec::new(),
            crossing: None,
            lines: Lines::default(),
        }
    }

    /// An evaluation of a shard with these incoming values, and `outgoing` wires that go out.
    pub fn shard(
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
        incoming: Carried<F>,
        outgoing: usize,
    ) -> Self {
        Self { crossing: Some(Crossing::new(incoming, outgoing)), ..Self::new(witness) }
    }

    /// An evaluation that goes on where an assertion fails, and on zeros where the witness ends.
    /// [`Clear::held`] says in the end whether the circuit holds.
    pub(crate) fn to_its_end(witness: impl IntoIterator<Item = F, IntoIter: 'w>) -> Self {
        Self { to_its_end: true, ..Self::new(witness.into_iter().fuse()) }
    }

    /// The values of witness and hints, in their order, with which `circuit` holds; there
    /// are `count` of them.
    ///
    /// # Errors
    /// Those of the evaluation.
    pub fn inputs<C: Circuit<Self>>(
        circuit: &C,
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
        count: usize,
    ) -> Result<Zeroizing<Vec<F>>> {
        Self::new(witness).kept(circuit, count)
    }

    /// All values that a prover of `circuit` commits to, in their order: the witness, hints, products and
    /// values of polynomials, with which it holds. There are `count` of them.
    ///
    /// # Errors
    /// Those of the evaluation.
    pub fn commitments<C: Circuit<Self>>(
        circuit: &C,
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
        count: usize,
    ) -> Result<Zeroizing<Vec<F>>> {
        Self { products: true, ..Self::new(witness) }.kept(circuit, count)
    }

    /// An evaluation of `circuit` to its end, of which witness and hints are kept, and where `products`, all
    /// that a prover commits to: `count` values at most.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserted nothing, or is malformed.
    pub fn evaluated<C: Circuit<Self>>(
        circuit: &C,
        witness: impl IntoIterator<Item = F, IntoIter: 'w>,
        (count, products): (usize, bool),
    ) -> Result<Evaluated<F>> {
        let mut clear =
            Self { products, inputs: Some(Vec::with_capacity(count)), ..Self::to_its_end(witness) };
        let run = circuit.run(&mut clear);
        let values = Zeroizing::new(clear.inputs.take().expect("set above"));
        run?;
        Ok(Evaluated { values, compared: clear.compared, holds: clear.held() })
    }

    /// Evaluates `circuit`, and gives the `count` values that are kept.
    fn kept<C: Circuit<Self>>(mut self, circuit: &C, count: usize) -> Result<Zeroizing<Vec<F>>> {
        // Of its full length from the beginning: what grows leaves copies behind.
        self.inputs = Some(Vec::with_capacity(count));
        let run = circuit.run(&mut self);
        let inputs = Zeroizing::new(self.inputs.take().expect("set above"));
        run.and_then(|()| self.finish()).map(|()| inputs)
    }

    /// The outputs of the circuit so far: ports, places and values.
    pub fn outputs(&self) -> &[(usize, u64, F)] {
        &self.outputs
    }

    fn keep(&mut self, values: &[F]) {
        if let Some(inputs) = &mut self.inputs {
            inputs.extend_from_slice(values);
        }
    }

    /// Whether the circuit asked for more than the witness has.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Whether the circuit holds for the witness, and reads all of it, after an evaluation to its end.
    pub(super) fn held(mut self) -> bool {
        let read = !self.ended && self.witness.next().is_none();
        (read && self.compared > 0) & !self.failed
    }

    /// Whether a comparison that `fails` ends the evaluation. It does not where the evaluation goes to its
    /// end.
    #[inline]
    pub(super) fn ends(&mut self, fails: bool) -> bool {
        self.compared += 1;
        if self.to_its_end {
            self.failed |= fails;
            return false;
        }
        // Where one fails, the evaluation ends: nothing is proved.
        verdict(fails)
    }

    /// Whether memories and tables are looked at cell by cell: where values are kept, and where an address
    /// may be any.
    fn scans(&self) -> bool {
        self.inputs.is_some() || self.to_its_end
    }

    /// Ends the evaluation.
    ///
    /// # Errors
    /// `Invalid` where the circuit asserted nothing, or left a part of the witness unread.
    pub fn finish(self) -> Result<()> {
        if self.compared == 0 {
            return Err(nothing_asserted());
        }
        self.finish_half().map(drop)
    }

    /// Ends the evaluation of a shard, which may assert nothing: gives the wires that go out, and the running
    /// value of comparisons.
    ///
    /// # Errors
    /// `Invalid` where it left a part of the witness unread, or other wires cross than were announced.
    pub fn finish_shard(mut self) -> Result<(Carried<F>, u64)> {
        let outgoing = self.crossing.take().ok_or_else(no_shard)?.finish()?;
        Ok((outgoing, self.finish_half()?))
    }

    /// Ends a part of a statement, which may assert nothing, and gives the number of comparisons.
    ///
    /// # Errors
    /// `Invalid` where it left a part of the witness unread.
    pub(super) fn finish_half(mut self) -> Result<u64> {
        match self.witness.next() {
            Some(_) => Err(witness_unread()),
            None => Ok(self.compared),
        }
    }
}

/// An evaluation that went to its end.
pub struct Evaluated<F: Field> {
    /// The values that were kept, in their order.
    pub values: Zeroizing<Vec<F>>,
    /// The number of comparisons that were made for assertions.
    pub compared: u64,
    /// Whether the circuit holds for the witness. It is a secret.
    pub holds: bool,
}

impl<F: Field> Executor for Clear<'_, F> {
    type Beyond = Everything<Self>;

    fn argues(&self) -> Argues {
        if !self.scans() {
            return Self::proofs();
        }
        Argues {
            memories: false,
            tables: argues::Tables::None,
            ranges: false,
            permutations: false,
            ..Self::proofs()
        }
    }

    fn map_lanes(&mut self, map: Map<'_, F, F>) -> Result<Option<Zeroizing<Vec<F>>>> {
        if self.inputs.is_some() || self.to_its_end || map.lanes == 1 {
            return Ok(None);
        }
        if let Some(function) = Vectorized::of(map.function) {
            lanes::evaluate_polynomials(self, &function, &map)?;
            self.compared += (map.lanes * function.degrees.len()) as u64;
            return Ok(Some(Zeroizing::default()));
        }
        let Some(line) = self.lines.find(map.function, lanes::fits) else { return Ok(None) };
        let results = lanes::evaluate(&line, &map, &mut self.witness)?;
        self.compared += map.lanes as u64 * line.assertions;
        Ok(Some(results))
    }
}

impl<F: Field> Backend for Clear<'_, F> {
    type F = F;
    type Wire = F;

    #[inline]
    fn constant(&mut self, c: F) -> F {
        c
    }
    #[inline]
    fn add(&mut self, a: F, b: F) -> F {
        a + b
    }
    #[inline]
    fn scale(&mut self, a: F, c: F) -> F {
        a * c
    }
    #[inline]
    fn witness(&mut self) -> Result<F> {
        let next = self.witness.next();
        self.ended |= next.is_none();
        let value = match next {
            Some(value) => value,
            None if self.to_its_end => F::ZERO,
            None => return Err(witness_ended()),
        };
        self.keep(&[value]);
        Ok(value)
    }
    fn hint(&mut self, of: &[F], f: impl Fn(&[F]) -> F + Send + Sync + 'static) -> Result<F> {
        let value = f(of);
        self.keep(&[value]);
        Ok(value)
    }
    fn hints(
        &mut self,
        of: &[F],
        count: usize,
        f: impl Fn(&[F]) -> Vec<F> + Send + Sync + 'static,
    ) -> Result<Vec<F>> {
        let values = f(of);
        assert_eq!(values.len(), count);
        self.keep(&values);
        Ok(values)
    }
    #[inline]
    fn mul(&mut self, a: F, b: F) -> Result<F> {
        let product = a * b;
        if self.products {
            self.keep(&[product]);
        }
        Ok(product)
    }
    #[inline]
    fn assert_zero(&mut self, a: F, name: impl Display) -> Result<()> {
        if self.ends(a != F::ZERO) { Err(Error::Unsatisfied(name.to_string())) } else { Ok(()) }
    }
    fn output(&mut self, port: usize, place: u64, wire: F) -> Result<()> {
        self.outputs.push((port, place, wire));
        Ok(())
    }
}

/// A memory in the clear.
pub enum ClearMemory<F: Field> {
    /// The words of a memory.
    Words(ClearWords<F>),
    /// The words of a memory where hints are kept, as a system would have them that looks at all cells.
    Scanned(Scanned<F>),
}

/// Words, one after the other.
pub struct ClearWords<F: Field> {
    sizes: Sizes,
    addresses: Option<Addresses>,
    words: Zeroizing<Vec<F>>,
}

impl<F: Field> Memories for Clear<'_, F> {
    type Memory = ClearMemory<F>;

    fn memory(&mut self, cells: Cells<'_, F, F>, width: usize) -> Result<ClearMemory<F>> {
        if self.scans() {
            return Scanned::new(self, cells, width).map(ClearMemory::Scanned);
        }
        let (sizes, addresses) = (Sizes::new(&cells, width)?, Addresses::of(&cells)?);
        let words = match cells {
            Cells::Zero(count) => vec![F::ZERO; count * width],
            Cells::Public(words) | Cells::Wires(words) | Cells::At(_, words) => words.to_vec(),
        };
        Ok(ClearMemory::Words(ClearWords { sizes, addresses, words: Zeroizing::new(words) }))
    }

    fn access(
        &mut self,
        memory: &mut ClearMemory<F>,
        address: &[F],
        put: Put<'_, F>,
        name: &dyn Display,
    ) -> Result<Vec<F>> {
        let ClearWords { sizes, addresses, words } = match memory {
            ClearMemory::Words(words) => words,
            ClearMemory::Scanned(scanned) => return scanned.access(self, address, put, name),
        };
        sizes.check::<F, _>(address.len(), put)?;
        let at = place(address.iter().copied());
        let cell = match addresses {
            Some(addresses) => addresses.find(at),
            None => usize::try_from(at).ok().filter(|cell| *cell < sizes.cells),
        };
        let failed = self.ends(cell.is_none());
        let Some(cell) = cell.filter(|_| !failed) else { return Err(Error::Unsatisfied(name.to_string())) };
        let cell = &mut words[cell * sizes.width..][..sizes.width];
        let before = cell.to_vec();
        let (bit, word) = put.parts();
        if let Some(word) = word {
            let bit = bit.unwrap_or(F::ONE);
            cell.iter_mut().zip(word).for_each(|(cell, new)| *cell += bit * (*new - *cell));
        }
        Ok(before)
    }

    fn close(&mut self, _: ClearMemory<F>) -> Result<()> {
        Ok(())
    }
}

impl<F: Field> Tables for Clear<'_, F> {
    type Table = Known<F>;

    fn table(&mut self, rows: Rows<'_, F>) -> Result<Known<F>> {
        Known::new(rows)
    }

    fn look_up(&mut self, table: &mut Known<F>, key: &[F], name: &dyn Display) -> Result<Vec<F>> {
        if self.scans() {
            return scan_lookup(self, table, key, name);
        }
        table.check(key.len())?;
        self.compared += 1;
        match table.find(key) {
            Some(row) => Ok(table.row(row)[table.key..].to_vec()),
            None => Err(Error::Unsatisfied(name.to_string())),
        }
    }

    fn assert_within(&mut self, values: &[F], bits: u32, name: &dyn Display) -> Result<()> {
        if self.scans() {
            return scan_within(self, values, bits, name);
        }
        check_range::<F>(bits)?;
        self.compared += values.len() as u64;
        let within = values.iter().all(|value| value.to_integer() >> bits == 0);
        if verdict(within) { Ok(()) } else { Err(Error::Unsatisfied(name.to_string())) }
    }
}

impl<F: Field> Permutations for Clear<'_, F> {
    fn assert_permutation(&mut self, xs: &[F], ys: &[F], width: usize, name: &dyn Display) -> Result<()> {
        if self.scans() {
            return scan_permutation(self, xs, ys, width, name);
        }
        if count_words::<F>(xs.len(), ys.len(), width)? == 0 {
            return Ok(());
        }
        let permuted = are_permuted(xs, ys, width);
        if self.ends(!permuted) { Err(Error::Unsatisfied(name.to_string())) } else { Ok(()) }
    }
}

impl<F: Field> Crossings for Clear<'_, F> {
    fn incoming(&mut self, count: usize) -> Result<Vec<F>> {
        self.crossing.as_mut().ok_or_else(no_shard)?.incoming(count)
    }
    fn outgoing(&mut self, wires: &[F]) -> Result<()> {
        self.crossing.as_mut().ok_or_else(no_shard)?.outgoing(wires)
    }
}

impl<F: Field> Polynomials for Clear<'_, F> {
    type Vector = Zeroizing<Vec<F>>;

    fn lanes_of(&self, a: &Zeroizing<Vec<F>>) -> usize {
        a.len()
    }
    fn public(&mut self, values: &[F]) -> Zeroizing<Vec<F>> {
        values.to_vec().into()
    }
    fn vector(&mut self, wires: &[F]) -> Zeroizing<Vec<F>> {
        wires.to_vec().into()
    }
    fn sum(&mut self, a: &Zeroizing<Vec<F>>, b: &Zeroizing<Vec<F>>) -> Zeroizing<Vec<F>> {
        lanes(a, b, |a, b| a + b).into()
    }
    fn product(&mut self, a: &Zeroizing<Vec<F>>, b: &Zeroizing<Vec<F>>) -> Result<Zeroizing<Vec<F>>> {
        Ok(lanes(a, b, |a, b| a * b).into())
    }
    fn gather(&mut self, a: &Zeroizing<Vec<F>>, lanes: &[Option<usize>]) -> Zeroizing<Vec<F>> {
        lanes.iter().map(|lane| lane.map_or(F::ZERO, |lane| a[lane])).collect::<Vec<_>>().into()
    }
    fn total(&mut self, a: &Zeroizing<Vec<F>>) -> Zeroizing<Vec<F>> {
        vec![a.iter().copied().sum()].into()
    }
    fn inner_product(&mut self, a: &[F], b: &[F]) -> Result<Zeroizing<Vec<F>>> {
        Ok(vec![dot(a, b)].into())
    }
    fn commit(&mut self, a: &Zeroizing<Vec<F>>) -> Result<Vec<F>> {
        if self.products {
            self.keep(a);
        }
        Ok(a.to_vec())
    }
    fn assert_zeroes(&mut self, a: Zeroizing<Vec<F>>, name: impl Display) -> Result<()> {
        for (lane, value) in a.iter().enumerate() {
            if self.ends(*value != F::ZERO) {
                return Err(Error::Unsatisfied(lane_name(&name, lane, a.len())));
            }
        }
        Ok(())
    }
    fn assert_product(&mut self, a: F, b: F, c: F, name: impl Display) -> Result<()> {
        if self.ends(a * b != c) { Err(Error::Unsatisfied(name.to_string())) } else { Ok(()) }
    }
    fn assert_matrix_product(
        &mut self,
        a: Matrix<F>,
        b: Matrix<F>,
        c: Entries<F, F>,
        name: impl Display,
    ) -> Result<()> {
        check_sizes(&a, &b, c.len());
        let (Entries::Public(c) | Entries::Wires(c)) = c;
        // Freivalds: A·(B·v) = C·v fails for a wrong row of C but with probability 1/|F|.
        let mut coefficients = coefficients(&[a.entries(), b.entries(), c]);
        for _ in 0..64_u32.div_ceil(F::bits()) + 1 {
            let v: Vec<F> = coefficients.by_ref().take(b.columns()).collect();
            let image: Vec<F> = b.rows().map(|row| dot(row, &v)).collect();
            for ((i, row), product) in a.rows().enumerate().zip(c.chunks_exact(b.columns())) {
                if self.ends(dot(row, &image) != dot(product, &v)) {
                    let entry = |j| row.iter().zip(b.rows()).map(|(&a, b)| a * b[j]).sum::<F>();
                    let j = (0..b.columns()).find(|&j| entry(j) != product[j]).expect("a row that differs");
                    return Err(Error::Unsatisfied(format!("{name}[{i}][{j}]")));
                }
            }
        }
        Ok(())
    }
    fn assert_bilinear(
        &mut self,
        form: &Bilinear,
        (first, second, result): Lists<'_, F, F>,
        name: impl Display,
    ) -> Result<()> {
        let (Entries::Public(second) | Entries::Wires(second)) = second;
        form.validate()?;
        form.check([first, second, result].map(<[_]>::len));
        let mut coefficients = coefficients(&[first, second, result]);
        for _ in 0..64_u32.div_ceil(F::bits()) + 1 {
            let [u, v] = form.vectors().map(|length| coefficients.by_ref().take(length).collect::<Vec<F>>());
            let (x, y) = (form.of_first(&u, first, &dot), form.of_second(&v, second, &dot));
            let (factors, z) = form.of_result([&u, &v], result, &dot);
            if self.ends(dot(&x, &y) != dot(&factors, &z)) {
                return form.entries(&mut |entry, products| {
                    let sum = products.iter().map(|(i, j)| first[*i] * second[*j]).sum::<F>();
                    let holds = sum == result[entry];
                    if holds { Ok(()) } else { Err(Error::Unsatisfied(format!("{name}[{entry}]"))) }
                });
            }
        }
        Ok(())
    }
}

/// Applies `f` to each pair of lanes. A single lane stands for as many as the other has.
pub(super) fn lanes<F: Copy>(a: &[F], b: &[F], f: impl Fn(F, F) -> F) -> Vec<F> {
    let length = common_lanes(a.len(), b.len());
    let lane = |x: &[F], i: usize| if x.len() == 1 { x[0] } else { x[i] };
    (0..length).map(|i| f(lane(a, i), lane(b, i))).collect()
}

fn dot<F: Field>(a: &[F], b: &[F]) -> F {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// Elements that are a function of `matrices`: an evaluation in the clear need not convince anybody.
fn coefficients<F: Field>(matrices: &[&[F]]) -> Expanded<F> {
    let mut hasher = blake3::Hasher::new_derive_key("volery clear evaluation v1, random vectors");
    matrices.iter().for_each(|entries| absorb(&mut hasher, entries));
    expanded(hasher.finalize().into())
}

/// The error of a witness that ends while the circuit asks for more.
pub fn witness_ended() -> Error {
    Error::invalid("the witness is too short: the circuit reads on after its end")
}

/// The error of a witness that the circuit does not read to its end.
pub fn witness_unread() -> Error {
    Error::invalid("the witness is too long: the circuit does not read all of it")
}

/// The error of a circuit that ends without an assertion.
pub fn nothing_asserted() -> Error {
    Error::invalid("the statement asserts nothing, so that any witness would satisfy it")
}
