//! A function of polynomials alone, on all lanes of a map together.
//!
//! A function that commits to nothing and returns nothing says that polynomials in its arguments are zero. Where each
//! of its vectors has one lane, calls of it on some lanes come to the same as one computation on vectors with as many:
//! a column of arguments in the place of each wire.

#[cfg(test)]
mod tests;

use super::block::{Block, Op};
use super::interpreter::{Arithmetic, Map, OneLane};
use core::ops::Range;
use std::sync::Arc;
use volery_primitives::Field;
use zeroize::{Zeroize, Zeroizing};

/// The most lanes that are computed together: what lies between is to stay in the second-level cache. Coefficients of
/// checks go part by part, so that with another number peers do not understand each other.
const MOST_LANES: usize = 512;

/// The most coefficients of the polynomials that are computed together, unless one lane has more: likewise.
const MOST_COEFFICIENTS: usize = 1 << 15;

/// A function of polynomials, whose vectors have one lane.
pub struct Vectorized<F> {
    function: Arc<Block<F>>,
    /// The degrees of the vectors that are to be zero, in their order.
    pub degrees: Vec<usize>,
}

impl<F: Field> Vectorized<F> {
    /// `function`, if it is one.
    pub fn of(function: &Arc<Block<F>>) -> Option<Self> {
        if !function.read(function.results).list().runs.is_empty() {
            return None;
        }
        // Of each vector the degree. One of degree zero is public, and has one lane however many there are.
        let mut vectors = vec![0; function.vectors as usize];
        let mut degrees = Vec::new();
        for record in &function.records {
            let [out, a, b] = [record.out, record.a, record.b].map(|number| number as usize);
            vectors[out] = match record.op {
                Op::Public if b == 1 => 0,
                Op::Vector if function.read(record.a).list().len() == 1 => 1,
                Op::Sum => vectors[a].max(vectors[b]),
                Op::Product => vectors[a] + vectors[b],
                Op::Combination => {
                    let mut words = function.read(record.a);
                    let count = words.next();
                    let degree = |slot: &u32| vectors[*slot as usize];
                    let products = words.take(count).as_chunks().0.iter();
                    let products = products.map(|[a, b]| degree(a) + degree(b)).max();
                    let count = words.next();
                    let terms = words.take(count).iter().map(degree).max();
                    products.max(terms).unwrap_or(0)
                }
                Op::AssertZeroes if vectors[a] > 0 => {
                    degrees.push(vectors[a]);
                    continue;
                }
                Op::Drop => continue,
                _ => return None,
            };
        }
        (!degrees.is_empty()).then(|| Self { function: function.clone(), degrees })
    }

    /// The ranges of a map's lanes that are computed together, one after the other.
    pub fn parts(&self, lanes: usize) -> impl Iterator<Item = Range<usize>> + use<F> {
        let coefficients = self.degrees.iter().sum::<usize>();
        let width = (MOST_COEFFICIENTS / coefficients).clamp(1, MOST_LANES);
        (0..lanes).step_by(width).map(move |first| first..lanes.min(first + width))
    }

    /// The arguments of some lanes of a map, column by column.
    pub fn columns<W: Copy + Zeroize>(map: &Map<'_, F, W>, lanes: &Range<usize>) -> Zeroizing<Vec<W>> {
        let count = map.arguments.len() / map.lanes * lanes.len();
        // What has to move would leave a copy behind.
        let mut columns = Zeroizing::new(Vec::with_capacity(count));
        for column in map.arguments.chunks_exact(map.lanes) {
            columns.extend_from_slice(&column[lanes.clone()]);
        }
        columns
    }

    /// Computes the polynomials of some lanes, of whose arguments these are the `columns`. Each vector that is to be
    /// zero goes to `vanish`, in their order. `memory` is for what lies between.
    pub fn compute<A: Arithmetic<F = F>>(
        &self,
        by: &mut A,
        memory: &mut OneLane<A>,
        columns: &[A::Wire],
        vanish: impl FnMut(&mut A, A::Vector),
    ) {
        let lanes = columns.len() / self.function.arguments as usize;
        memory.run_on_columns(by, &self.function, (columns, lanes), vanish);
    }
}
