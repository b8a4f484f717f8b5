//! Memories, tables and permutations.

use super::{Commitments, Prover};
use crate::EPOCH;
use crate::failure::{Failure, Name};
use crate::memory::wide::{OfCoefficients, Wides};
use crate::memory::{self, Coefficients, MAC, MOST_OF_EPOCH, Party, Remembered};
use crate::polynomial::{Computed, Vector};
use core::fmt::Display;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_circuit::stream::{Argues, Everything, Executor, Map};
use volery_circuit::{Accesses, Cells, Memories, Permutations, Put, Rows, Tables};
use volery_primitives::arch::Arch;
use volery_primitives::secret::verdict;
use volery_primitives::{Extension, Field, Tagged};
use zeroize::Zeroizing;

#[cfg(test)]
impl<M: Commitments> Prover<'_, M> {
    /// Takes these epochs: so do both parties of a test.
    pub fn set_epochs(&mut self, parameters: volery_circuit::accounting::Parameters) {
        self.remembered().parameters = parameters;
    }
}

impl<M: Commitments> Party for Prover<'_, M> {
    type E = M::E;
    type Wide = Tagged<M::E, M::E>;
    type Ring = OfCoefficients<M::F, M::E>;

    fn value(wire: M::Tag) -> Option<M::F> {
        Some(M::value(wire))
    }
    fn wide_value(line: Self::Wide) -> Option<M::E> {
        Some(line.value)
    }
    #[inline]
    fn part(line: Self::Wide, part: usize) -> M::E {
        if part == MAC { line.mac } else { line.value }
    }

    #[inline]
    fn commit_value(&mut self, value: Option<M::F>) -> Result<M::Tag> {
        self.commit_to(value.expect("the prover knows"))
    }
    fn commit_values(&mut self, values: &[M::F], wires: &mut [M::Tag]) -> Result<()> {
        self.commit_to_all(values, wires)
    }
    fn packed(&self, coordinates: &[M::Tag]) -> Self::Wide {
        let mut values = Zeroizing::new(Vec::with_capacity(coordinates.len()));
        let mut macs = Zeroizing::new(Vec::with_capacity(coordinates.len()));
        for wire in coordinates {
            values.push(M::value(*wire).into());
            macs.push(M::mac(*wire));
        }
        Tagged { value: M::E::pack(&values), mac: M::E::pack(&macs) }
    }
    #[inline]
    fn widened(wire: M::Tag) -> Self::Wide {
        Tagged { value: M::value(wire).into(), mac: M::mac(wire) }
    }
    #[inline]
    fn wide(&self, value: M::E) -> Self::Wide {
        Tagged { value, mac: M::E::ZERO }
    }
    fn places() -> &'static [M::E] {
        M::places()
    }
    fn weighed_by(arch: Arch, factors: &[M::E], wires: &[M::Tag]) -> Self::Wide {
        M::combine(arch, factors, wires)
    }

    fn ring(&self) -> Self::Ring {
        OfCoefficients::new(self.arch, self.vectors.buffers.lower())
    }
    fn pool(&self) -> &Pool {
        &self.pool
    }
    fn arch(&self) -> Arch {
        self.arch
    }

    fn vanish_wide(&mut self, zero: Wides<M::E>, name: &dyn Display) -> Result<()> {
        self.note(zero.vanish(), name);
        self.vanish_among(zero.copy_lower(self.vectors.buffers.lower()), MOST_OF_EPOCH)
    }
    fn vanish_computed(
        &mut self,
        [lanes, degree]: [usize; 2],
        compute: impl FnOnce() -> Wides<M::E> + Send + 'static,
        name: &'static str,
    ) -> Result<()> {
        self.take_asserted()?;
        self.count_polynomials(lanes, degree)?;
        let (before, buffers) = (self.gates.assert, self.vectors.buffers.lower().clone());
        let computed = self.pool.run(move || {
            let zero = compute();
            let fails = !verdict(zero.vanish());
            let failed = fails.then(|| Failure { before, name: Name::Known(name.to_string()) });
            Computed { vectors: vec![zero.copy_lower(&buffers)], failed }
        });
        M::polynomials(self).push_computed(lanes * degree, computed);
        let ahead = self.pool.ahead();
        M::settle(self, ahead);
        self.go_on_or_end(MOST_OF_EPOCH)
    }
    fn vanish_lanes(&mut self, zero: Vector<M::F, M::E>, name: &dyn Display) -> Result<()> {
        self.note_failure(|| zero.failure(name));
        self.vanish_among(zero.into_lower(), MOST_OF_EPOCH)
    }

    fn coefficients(&mut self) -> Result<Coefficients<M::E>> {
        let seed = self.challenge(EPOCH)?;
        Ok(Box::new(M::coefficients(self.arch, seed)))
    }

    fn end_forms(&mut self) -> Result<()> {
        self.end_forms()
    }
    fn argued(&mut self, degrees: &[u64]) {
        self.gates.argued(degrees);
    }
    fn asserted(&mut self, count: u64, hold: bool, name: &dyn Display) {
        self.note(hold, name);
        self.gates.assert += count;
    }

    fn argues(&self) -> bool {
        memory::is_argued::<M::F>() && self.drain.is_none()
    }
    fn remembered(&mut self) -> &mut Remembered<M::F, M::Tag, M::E> {
        &mut self.remembered
    }
}

impl<M: Commitments> Executor for Prover<'_, M> {
    type Beyond = Everything<Self>;

    fn pool(&self) -> Pool {
        self.pool.clone()
    }

    fn proofs() -> Argues {
        memory::proofs::<M::F>()
    }

    fn argues(&self) -> Argues {
        if Party::argues(self) { Self::proofs() } else { memory::ALL_CELLS }
    }

    fn map_lanes(&mut self, map: Map<'_, M::F, M::Tag>) -> Result<Option<Zeroizing<Vec<M::Tag>>>> {
        if self.map_polynomials(&map)? {
            return Ok(Some(Zeroizing::default()));
        }
        M::map(self, map)
    }

    fn name_failure(&mut self, name: &dyn Fn(u64) -> String) {
        M::settle(self, 0);
        self.failed.find_name(name);
    }
}

impl<M: Commitments> Memories for Prover<'_, M> {
    type Memory = memory::Memory;

    fn memory(&mut self, cells: Cells<'_, M::F, M::Tag>, width: usize) -> Result<Self::Memory> {
        memory::memory(self, cells, width)
    }
    fn access(
        &mut self,
        memory: &mut Self::Memory,
        address: &[M::Tag],
        put: Put<'_, M::Tag>,
        name: &dyn Display,
    ) -> Result<Vec<M::Tag>> {
        memory::access(self, memory, address, put, name)
    }
    fn access_rows(
        &mut self,
        memory: &mut Self::Memory,
        ports: &[Accesses<'_, M::Tag>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<M::Tag>>> {
        memory::access_rows(self, memory, ports, name)
    }
    fn close(&mut self, memory: Self::Memory) -> Result<()> {
        memory::close(self, memory)
    }
}

impl<M: Commitments> Tables for Prover<'_, M> {
    type Table = memory::Table<M::F>;

    fn table(&mut self, rows: Rows<'_, M::F>) -> Result<Self::Table> {
        memory::table(self, rows)
    }
    fn look_up(
        &mut self,
        table: &mut Self::Table,
        key: &[M::Tag],
        name: &dyn Display,
    ) -> Result<Vec<M::Tag>> {
        memory::look_up(self, table, key, name)
    }
    fn look_up_rows(
        &mut self,
        table: &mut Self::Table,
        key: &[&[M::Tag]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<M::Tag>>> {
        memory::look_up_rows(self, table, key, name)
    }
    fn assert_within(&mut self, values: &[M::Tag], bits: u32, name: &dyn Display) -> Result<()> {
        memory::within(self, values, bits, name)
    }
}

impl<M: Commitments> Permutations for Prover<'_, M> {
    fn assert_permutation(
        &mut self,
        xs: &[M::Tag],
        ys: &[M::Tag],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        memory::permutation(self, xs, ys, width, name)
    }
}
