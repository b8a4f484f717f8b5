//! Memories, tables and permutations.

use super::{Commitments, Verifier};
use crate::EPOCH;
use crate::memory::wide::{AtDelta, WideKeys};
use crate::memory::{self, Coefficients, MOST_OF_EPOCH, Party, Remembered};
use crate::polynomial::Keys;
use core::fmt::Display;
use volery_channel::error::Result;
use volery_channel::pool::Pool;
use volery_circuit::stream::{Argues, Everything, Executor, Map};
use volery_circuit::{Accesses, Backend as _, Cells, Memories, Permutations, Put, Rows, Tables};
use volery_primitives::arch::Arch;
use volery_primitives::{Extension, Lanes};
use zeroize::Zeroizing;

#[cfg(test)]
impl<M: Commitments> Verifier<'_, M> {
    /// Takes these epochs: so do both parties of a test.
    pub fn set_epochs(&mut self, parameters: volery_circuit::accounting::Parameters) {
        self.remembered().parameters = parameters;
    }
}

impl<M: Commitments> Party for Verifier<'_, M> {
    type E = M::E;
    type Wide = M::E;
    type Ring = AtDelta<M::F, M::E>;

    fn value(_: M::E) -> Option<M::F> {
        None
    }
    fn wide_value(_: M::E) -> Option<M::E> {
        None
    }
    #[inline]
    fn part(key: M::E, _: usize) -> M::E {
        key
    }

    #[inline]
    fn commit_value(&mut self, _: Option<M::F>) -> Result<M::E> {
        self.commit_to()
    }
    fn commit_values(&mut self, _: &[M::F], wires: &mut [M::E]) -> Result<()> {
        self.witnesses(wires)
    }
    fn packed(&self, coordinates: &[M::E]) -> M::E {
        M::E::pack(coordinates)
    }
    #[inline]
    fn widened(wire: M::E) -> M::E {
        wire
    }
    #[inline]
    fn wide(&self, value: M::E) -> M::E {
        value * M::delta(self.delta)
    }
    fn places() -> &'static [M::E] {
        M::places()
    }
    fn weighed_by(arch: Arch, factors: &[M::E], wires: &[M::E]) -> M::E {
        M::E::dot(arch, factors, wires)
    }

    fn ring(&self) -> Self::Ring {
        AtDelta::new(self.arch, &self.vectors.buffers, M::delta(self.delta))
    }
    fn pool(&self) -> &Pool {
        &self.pool
    }
    fn arch(&self) -> Arch {
        self.arch
    }

    fn vanish_wide(&mut self, zero: WideKeys<M::E>, _: &dyn Display) -> Result<()> {
        self.vanish_among(Keys::lent(zero.degree, zero.keys), MOST_OF_EPOCH)
    }
    fn vanish_computed(
        &mut self,
        [lanes, degree]: [usize; 2],
        compute: impl FnOnce() -> WideKeys<M::E> + Send + 'static,
        _: &'static str,
    ) -> Result<()> {
        self.take_asserted()?;
        self.count_polynomials(lanes, degree)?;
        M::add_computed(self, [1, lanes], move || {
            let WideKeys { degree, keys } = compute();
            vec![Keys::lent(degree, keys)]
        });
        self.go_on_or_end(MOST_OF_EPOCH)
    }
    fn vanish_lanes(&mut self, zero: Keys<M::E>, _: &dyn Display) -> Result<()> {
        let delta = M::delta(self.delta);
        self.vanish_among(zero.raised(delta), MOST_OF_EPOCH)
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
    fn asserted(&mut self, count: u64, _: bool, _: &dyn Display) {
        self.gates.assert += count;
    }

    fn argues(&self) -> bool {
        memory::is_argued::<M::F>() && self.feed.is_none()
    }
    fn remembered(&mut self) -> &mut Remembered<M::F, M::E, M::E> {
        &mut self.remembered
    }
}

impl<M: Commitments> Executor for Verifier<'_, M> {
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

    fn map_lanes(&mut self, map: Map<'_, M::F, M::E>) -> Result<Option<Zeroizing<Vec<M::E>>>> {
        if self.map_polynomials(&map)? {
            return Ok(Some(Zeroizing::default()));
        }
        M::map(self, map)
    }
}

impl<M: Commitments> Memories for Verifier<'_, M> {
    type Memory = memory::Memory;

    fn memory(&mut self, cells: Cells<'_, M::F, M::E>, width: usize) -> Result<Self::Memory> {
        memory::memory(self, cells, width)
    }
    fn access(
        &mut self,
        memory: &mut Self::Memory,
        address: &[M::E],
        put: Put<'_, M::E>,
        name: &dyn Display,
    ) -> Result<Vec<M::E>> {
        memory::access(self, memory, address, put, name)
    }
    fn access_rows(
        &mut self,
        memory: &mut Self::Memory,
        ports: &[Accesses<'_, M::E>],
        name: &dyn Display,
    ) -> Result<Vec<Vec<M::E>>> {
        memory::access_rows(self, memory, ports, name)
    }
    fn close(&mut self, memory: Self::Memory) -> Result<()> {
        memory::close(self, memory)
    }
}

impl<M: Commitments> Tables for Verifier<'_, M> {
    type Table = memory::Table<M::F>;

    fn table(&mut self, rows: Rows<'_, M::F>) -> Result<Self::Table> {
        memory::table(self, rows)
    }
    fn look_up(&mut self, table: &mut Self::Table, key: &[M::E], name: &dyn Display) -> Result<Vec<M::E>> {
        memory::look_up(self, table, key, name)
    }
    fn look_up_rows(
        &mut self,
        table: &mut Self::Table,
        key: &[&[M::E]],
        name: &dyn Display,
    ) -> Result<Vec<Vec<M::E>>> {
        memory::look_up_rows(self, table, key, name)
    }
    fn assert_within(&mut self, values: &[M::E], bits: u32, name: &dyn Display) -> Result<()> {
        memory::within(self, values, bits, name)
    }
}

impl<M: Commitments> Permutations for Verifier<'_, M> {
    fn assert_permutation(
        &mut self,
        xs: &[M::E],
        ys: &[M::E],
        width: usize,
        name: &dyn Display,
    ) -> Result<()> {
        memory::permutation(self, xs, ys, width, name)
    }
}
