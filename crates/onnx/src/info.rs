//! The size of a quantised network: what is computed, and what a proof of it commits to and looks up.
//!
//! A rounding by up to 16 bits costs two elements, quotient and remainder, each in a range of 16 bits; a longer one has two
//! limbs of remainder. A table costs an element and a lookup a value, and its key's range is the lookup itself. A
//! maximum of `k` is an element and `k` ranges of 16 bits. A function of a wide value takes two lookups, four elements and
//! two of each limb of 16 bits below the leading bits, an index a one-hot row. Sums, moves and products are free.

use crate::network::{Bilinear, Kind, Network, Power, Step, WideTable};
use std::collections::{BTreeMap, HashSet};

/// The most factors of a product that shows that a maximum is one of its window.
const MOST_FACTORS: usize = 120;

/// Lookups of a table, and of ranges, for which its rows are committed once.
const LOOKUPS_A_TABLE: u64 = 1 << 19;
const RANGES_A_TABLE: u64 = 1 << 20;

/// Rows of the table of ranges.
const RANGE_ROWS: u64 = 1 << 16;

/// Counts of some layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Exact sums of products.
    pub sums: u64,
    /// Products in them.
    pub products: u64,
    /// Terms of the linear forms that check them.
    pub terms: u64,
    /// Values that are rounded.
    pub roundings: u64,
    /// Values that are looked up in tables of functions.
    pub lookups: u64,
    /// Maxima.
    pub maxima: u64,
    /// Elements that a prover commits to.
    pub elements: u64,
    /// Ranges of 16 bits.
    pub ranges: u64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        let all = |counts: &Self| {
            let Self { sums, products, terms, roundings, lookups, maxima, elements, ranges } = *counts;
            [sums, products, terms, roundings, lookups, maxima, elements, ranges]
        };
        let (own, others) = (all(self), all(other));
        // A file can ask for more than anybody could compute.
        let [sums, products, terms, roundings, lookups, maxima, elements, ranges] =
            core::array::from_fn(|i| own[i].saturating_add(others[i]));
        *self = Self { sums, products, terms, roundings, lookups, maxima, elements, ranges };
    }
}

/// The size of a layer.
#[derive(Clone, Debug)]
pub struct LayerInfo {
    /// The name of the node.
    pub name: String,
    /// The operator in the file.
    pub operator: String,
    /// The shape of the output.
    pub shape: Vec<usize>,
    /// The exponent of the output.
    pub exponent: i32,
    /// The bits that public data allows an integer of the output.
    pub bits: u32,
    /// The counts.
    pub counts: Counts,
}

/// The size of a network.
#[derive(Clone, Debug)]
pub struct Info {
    /// The layers, in their order.
    pub layers: Vec<LayerInfo>,
    /// Counts by operator; all tables are one, all of leading bits, and all inputs.
    pub operators: BTreeMap<String, Counts>,
    /// Counts of all layers and inputs.
    pub total: Counts,
    /// The integers of weights; each is an element and a range of its own, once a session.
    pub weights: u64,
    /// The integers of public constants.
    pub publics: u64,
    /// The widest bits of weights by their types.
    pub weight_bits: u32,
    /// The lookups of each table, by the function's name, which `wide/` stands before if it is one of leading bits.
    pub tables: BTreeMap<String, u64>,
    /// Rows of tables that are committed to.
    pub rows: u64,
}

impl Network<'_> {
    /// Counts what the network takes.
    pub fn info(&self) -> Info {
        let mut info = Info {
            layers: vec![],
            operators: BTreeMap::new(),
            total: Counts::default(),
            weights: 0,
            publics: 0,
            weight_bits: 0,
            tables: BTreeMap::new(),
            rows: 0,
        };
        let made: HashSet<usize> =
            self.layers.iter().map(|layer| layer.output).chain(self.inputs.iter().copied()).collect();
        let mut origins = HashSet::new();
        for (i, tensor) in self.tensors.iter().enumerate() {
            // One that is given two scales, or is moved, is committed to once.
            if made.contains(&i) || !origins.insert(tensor.origin) {
                continue;
            }
            match tensor.kind {
                Kind::Public => info.publics += tensor.count() as u64,
                _ => {
                    info.weights += tensor.count() as u64;
                    info.weight_bits = info.weight_bits.max(tensor.bound.ilog2() + 1);
                }
            }
        }
        // Indices are held as one-hot rows, where they are read.
        let held =
            self.inputs.iter().map(|&input| &self.tensors[input]).filter(|input| input.kind == Kind::Held);
        let inputs: u64 = held.map(|input| input.count() as u64).sum();
        let counts = Counts { elements: inputs, ranges: inputs, ..Counts::default() };
        info.operators.entry("input".into()).or_default().add(&counts);
        info.total.add(&counts);
        let keys = self.keys();
        for layer in &self.layers {
            let counts = self.counts(layer.output, &layer.step, &layer.inputs, &keys);
            let (operator, quantity) = (layer.operator.to_string(), &self.tensors[layer.output]);
            let kind = match layer.step {
                Step::Table(table) => {
                    *info.tables.entry(self.tables[table].name.into()).or_default() += counts.lookups;
                    "table".into()
                }
                Step::Wide { table, .. } => {
                    *info.tables.entry(wide_key(&self.wides[table])).or_default() += quantity.count() as u64;
                    "wide".into()
                }
                _ => operator.clone(),
            };
            info.operators.entry(kind).or_default().add(&counts);
            info.total.add(&counts);
            info.layers.push(LayerInfo {
                name: layer.name.into(),
                operator,
                shape: quantity.shape.clone(),
                exponent: quantity.exponent,
                bits: quantity.bound.checked_ilog2().map_or(1, |bits| bits + 1),
                counts,
            });
        }
        let tables = self.tables.iter().map(|table| (table.name.into(), table.values.len()));
        let wides = self.wides.iter().map(|table| (wide_key(table), table.values.len()));
        for (name, rows) in tables.chain(wides) {
            let lookups = info.tables.get::<String>(&name).copied().unwrap_or(0);
            info.rows += rows as u64 * lookups.div_ceil(LOOKUPS_A_TABLE);
        }
        info.rows += RANGE_ROWS * info.total.ranges.div_ceil(RANGES_A_TABLE);
        info
    }

    /// The rounded tensors that are keys of tables with a row for each integer of 16 bits.
    fn keys(&self) -> HashSet<usize> {
        let looked = self.layers.iter().filter_map(|layer| match layer.step {
            Step::Table(table) if self.tables[table].bits() == crate::HELD_BITS => Some(layer.inputs[0]),
            _ => None,
        });
        looked.collect()
    }

    fn counts(&self, output: usize, step: &Step, inputs: &[usize], keys: &HashSet<usize>) -> Counts {
        let count = |tensor: usize| self.tensors[tensor].count() as u64;
        let (n, of) = (count(output), |i: usize| &*self.tensors[inputs[i]].shape);
        match step {
            Step::Requantise { shift } => {
                // What is held already, and not shifted, is the same element.
                let is_held = self.tensors[inputs[0]].kind == Kind::Held && *shift == 0;
                let limbs = if is_held { return Counts::default() } else { u64::from(shift.div_ceil(16)) };
                let key = u64::from(!keys.contains(&output));
                // A linear combination that is not shifted is itself what is held.
                let quotient = u64::from(*shift > 0 || self.tensors[inputs[0]].degree > 1);
                Counts {
                    roundings: n,
                    elements: n * (quotient + limbs),
                    ranges: n * (key + limbs),
                    ..Counts::default()
                }
            }
            Step::Table(_) => Counts { lookups: n, elements: n, ..Counts::default() },
            Step::Wide { table, powers } => wide(n, &self.wides[*table], powers),
            // One-hot rows, each of which is multiplied by all rows.
            Step::Rows => {
                let (hot, terms) = (count(inputs[1]) * of(0)[0] as u64, count(inputs[0]) + n);
                Counts { sums: n, products: n, terms: hot + terms, elements: hot, ..Counts::default() }
            }
            Step::Multiply => Counts { sums: n, products: n, terms: 2 * n, ..Counts::default() },
            Step::Bilinear { form, .. } => {
                let taps = match form {
                    Bilinear::MatMul { .. } => 1,
                    Bilinear::Conv { window, .. } | Bilinear::ConvTranspose { window, .. } => {
                        window.taps() as u64
                    }
                };
                let products = match form {
                    // Each place of the source is spread over the taps of the kernels of its group.
                    Bilinear::ConvTranspose { .. } => count(inputs[0]) * taps * of(1)[1] as u64,
                    _ => n * form.products(of(0), of(1)) as u64,
                };
                let terms = count(inputs[0]) * taps + count(inputs[1]) + n;
                Counts { sums: n, products, terms, ..Counts::default() }
            }
            Step::MaxPool(window) => maxima(n, window.taps()),
            Step::ReduceMaximum { axes } => maxima(n, axes.iter().map(|&axis| of(0)[axis]).product()),
            Step::Maximum => maxima(n, inputs.len()),
            Step::ArgMax { .. } => {
                let of_all = count(inputs[0]);
                Counts { maxima: n, elements: of_all + n, ranges: of_all, ..Counts::default() }
            }
            Step::Same | Step::Add { .. } | Step::Subtract { .. } | Step::Sum { .. } | Step::Move { .. } => {
                Counts::default()
            }
        }
    }
}

fn wide_key(table: &WideTable<'_>) -> String {
    format!("wide/{}", table.name)
}

/// The counts of `n` values of which a power and leading bits are taken.
fn wide(n: u64, table: &WideTable<'_>, powers: &[Power]) -> Counts {
    let (last, rows) = (powers.len() as u32 - 1, powers.iter().filter(|power| power.factor != 0).count());
    let limbs = u64::from((last * table.base_bits()).div_ceil(16));
    // The leading bits and what is looked up, the power and its factor, two remainders less a limb, and the product.
    let several = u64::from(rows > 1);
    let summed = u64::from(rows > 1 && powers.iter().any(|power| power.summand != 0));
    let elements = 2 + 3 * several + summed + (2 * limbs).saturating_sub(1);
    Counts { lookups: n * (1 + several), elements: n * elements, ranges: n * 2 * limbs, ..Counts::default() }
}

/// The counts of `n` maxima of `k` each.
fn maxima(n: u64, k: usize) -> Counts {
    let parts = (k / MOST_FACTORS) as u64;
    Counts { maxima: n, elements: n * (1 + parts), ranges: n.saturating_mul(k as u64), ..Counts::default() }
}
