//! Functions of wide values: a power of the base, the leading bits that it leaves, and a table of those.
//!
//! `m₀ · β^k ≤ V < m₀ · β^(k+1)` and `m = ⌊V / β^k⌋` give `T[m − m₀] · w_k + a_k`. The number of rows of `T` tells `β` and
//! `m₀`: 2^(n−1) rows are base 2, and 3 · 2^(n−2) are base 4, of `n` leading bits.

use super::read::{Form, Reader, refuse};
use super::{Kind, Quantity, SUM_LIMIT, Step};
use crate::graph::Node;
use crate::stored::Element;
use crate::tensor::{Constant, Tensor};
use volery_channel::error::Result;

/// The name of a table's initialiser, before its own.
const WIDE_PREFIX: &str = "volery.wide/";

/// The bits of the largest power: the remainder of a value has as many, which are three limbs of 16.
pub const POWER_BITS: u32 = 48;

/// A table of leading bits.
#[derive(Debug)]
pub struct WideTable<'f> {
    /// The name.
    pub name: &'f str,
    /// The values for the leading bits from the least on.
    pub values: Vec<i32>,
}

/// A power of the base, which makes `factor · value + summand` of the value of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Power {
    /// The factor; 0 where values of this power have no result, which are the first ones.
    pub factor: i64,
    /// The summand.
    pub summand: i64,
}

/// A value as `leading · base^power + rest`, where the rest is below that power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The exponent of the base.
    pub power: usize,
    /// The leading bits.
    pub leading: i64,
    /// The remainder, below the power.
    pub rest: i64,
}

impl WideTable<'_> {
    /// The bits of the base: 1 or 2.
    pub fn base_bits(&self) -> u32 {
        if self.values.len().is_power_of_two() { 1 } else { 2 }
    }

    /// The least leading bits, `m₀`.
    pub fn least(&self) -> i64 {
        self.values.len() as i64 / if self.base_bits() == 1 { 1 } else { 3 }
    }

    /// The values that have a result: the first, and the end.
    pub fn range(&self, powers: &[Power]) -> [i64; 2] {
        let first = powers.iter().take_while(|power| power.factor == 0).count();
        [first, powers.len()].map(|power| self.least() << (power as u32 * self.base_bits()))
    }

    /// The parts of a value in the range.
    pub fn split(&self, value: i64) -> Parts {
        let power = (value / self.least()).ilog2() / self.base_bits();
        let shift = power * self.base_bits();
        Parts { power: power as usize, leading: value >> shift, rest: value & ((1 << shift) - 1) }
    }

    /// The result for a value in the range.
    pub fn apply(&self, powers: &[Power], value: i64) -> i64 {
        let Parts { power, leading, .. } = self.split(value);
        let Power { factor, summand } = powers[power];
        i64::from(self.values[(leading - self.least()) as usize]) * factor + summand
    }
}

impl<'f> Reader<'_, 'f> {
    /// A function of a wide value.
    pub(super) fn wide(&mut self, node: &Node<'f>) -> Result<()> {
        let from = self.real(node, 0)?;
        let exponent = self.exponent(node)?;
        let table = match self.known_wide.get(node.kind) {
            Some(&table) => table,
            None => {
                let (name, values) = (node.kind, self.wide_values(node)?);
                self.wides.push(WideTable { name, values });
                self.known_wide.insert(name, self.wides.len() - 1);
                self.wides.len() - 1
            }
        };
        let powers = self.powers(node, &self.wides[table])?;
        let largest = self.wides[table].values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
        let reach = |power: &Power| {
            let product = power.factor.unsigned_abs().saturating_mul(largest.into());
            product.saturating_add(power.summand.unsigned_abs())
        };
        let bound = powers.iter().map(reach).max().unwrap_or(0);
        if bound >= SUM_LIMIT {
            return Err(refuse(node, format!("has results of up to {bound}, and they are to be below 2^59")));
        }
        let wide = Quantity { exponent, kind: Kind::Wide, bound, ..self.plain(node) };
        let output = self.layer(node, Step::Wide { table, powers }, vec![from], wide);
        self.forms[node.output] = Some(Form::Real(output));
        Ok(())
    }

    fn wide_values(&self, node: &Node<'f>) -> Result<Vec<i32>> {
        let tensor = self.table_of(WIDE_PREFIX, node);
        let Some(Tensor { element: Element::Int32, shape, constant: Some(Constant::Stored(stored)), .. }) =
            tensor
        else {
            return Err(refuse(
                node,
                format!("has no table: an initialiser {WIDE_PREFIX}{} of int32", node.kind),
            ));
        };
        let fits = |&rows: &usize| {
            let least = if rows.is_multiple_of(3) { rows / 3 } else { rows / 2 };
            least.is_power_of_two() && (64..=16_384).contains(&least)
        };
        if !matches!(&shape[..], [rows] if fits(rows)) {
            return Err(refuse(
                node,
                format!("has a table of the shape {shape:?}: 2^7 to 2^15 rows, or 3 times 2^6 to 2^14"),
            ));
        }
        Ok(self.integers(stored)?.iter().map(|&value| value as i32).collect())
    }

    fn powers(&self, node: &Node<'f>, table: &WideTable<'_>) -> Result<Vec<Power>> {
        let tensor = node.inputs.get(2).copied().flatten().map(|place| &self.graph.tensors[place]);
        let Some(Tensor { name, element: Element::Int64, shape, constant: Some(Constant::Stored(stored)) }) =
            tensor
        else {
            return Err(refuse(node, "has no powers: an initialiser of int64"));
        };
        // Of the last row the least value is below the limit of sums.
        let most = (SUM_LIMIT.ilog2() - 1 - table.least().ilog2()).min(POWER_BITS) / table.base_bits() + 1;
        if !matches!(shape[..], [rows, 2] if (1..=most as usize).contains(&rows)) {
            return Err(refuse(
                node,
                format!("has the powers {name:?} of the shape {shape:?}: [1, 2] to [{most}, 2]"),
            ));
        }
        let powers: Vec<Power> = self
            .integers(stored)?
            .chunks_exact(2)
            .map(|row| Power { factor: row[0], summand: row[1] })
            .collect();
        let first = powers.iter().position(|power| power.factor != 0).unwrap_or(powers.len());
        if first == powers.len() || powers[first..].iter().any(|power| power.factor == 0) {
            return Err(refuse(
                node,
                format!("has the powers {name:?}, of which a factor is 0 that is not among the first"),
            ));
        }
        Ok(powers)
    }

    /// Rows of a tensor that an input names.
    pub(super) fn rows(&mut self, node: &Node<'f>) -> Result<()> {
        let from = self.real(node, 0)?;
        let source = node.inputs[1].expect("an operator's second input");
        let Some(Form::Indices(index)) = self.forms[source] else {
            let name = self.graph.tensors[source].name;
            return Err(refuse(
                node,
                format!("has the indices {name:?}, which are neither constant nor an input"),
            ));
        };
        let Quantity { exponent, bound, degree, .. } = self.tensors[from];
        if degree > 1 {
            return Err(refuse(node, "reads rows of a sum of products: that has to be quantised before"));
        }
        let rows = Quantity { exponent, bound, degree: degree + 1, ..self.plain(node) };
        let output = self.layer(node, Step::Rows, vec![from, index], rows);
        self.forms[node.output] = Some(Form::Real(output));
        Ok(())
    }
}
