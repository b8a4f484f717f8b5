//! Time of each kernel, and how many elements it does in a second, on every instruction set of this machine.
//!
//! An element is what the kernel goes through: a block, a leaf, a row, a gate, a triple or a pair.

use divan::{Bencher, Divan};
use std::hint::black_box;
use std::time::Duration;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{self, Punctures, Triple};
use volery_primitives::hash::{Circular, Construction, GateHash};
use volery_primitives::mac::Holes;
use volery_primitives::{
    Arch, F2, F61, F61x2, F128, F256, F65537, F65537x4, Field, Goldilocks, Goldilocksx2, Lanes, MacField,
    Q32, Q32x2, Tag as _,
};

fn main() {
    // Long enough that the median does not show what else the machine does; an option may say otherwise.
    Divan::default().min_time(Duration::from_millis(100)).config_with_args().main();
}

/// Elements in a batch: a tile of the LPN extension, half of SoftSpoken's longest chunk.
const TILE: usize = 4096;

/// Trees that stand side by side.
const TREES: usize = 16;

/// Operands of kernels, made before anything is timed.
trait Data {
    /// The elements that a kernel goes through.
    const ELEMENTS: usize = TILE;

    fn new(arch: Arch) -> Self;
}

/// A bench for each line `name: kernel`. Before them stand their data, its parameters, and what those become.
macro_rules! kernels {
    (@ ($data:ty, [$($parameter:tt)*], [$($choice:tt)*]) $name:ident $kernel:expr) => {
        #[divan::bench(args = Arch::available(), $($choice)*)]
        fn $name<$($parameter)*>(bencher: Bencher, arch: Arch) {
            time(bencher, <$data>::new(arch), $kernel);
        }
    };
    ($data:tt $($name:ident: $kernel:expr;)*) => { $(kernels! { @ $data $name $kernel })* };
}

fn time<D: Data, T>(bencher: Bencher, mut data: D, mut kernel: impl FnMut(&mut D) -> T) {
    bencher.counter(D::ELEMENTS).bench_local(|| kernel(black_box(&mut data)));
}

/// Elements that differ; others for each `seed`.
fn random<E: Field>(arch: Arch, seed: u128, length: usize) -> Vec<E> {
    let mut blocks = vec![F128::ZERO; 2 * length];
    Aes128::new(arch, F128(1)).counter(seed << 64, &mut blocks);
    let words = |block: F128| [block.0 as u64, (block.0 >> 64) as u64];
    let (pairs, _) = blocks.as_chunks::<2>();
    pairs.iter().map(|pair| E::sample(pair.map(words).as_flattened())).collect()
}

/// Kernels over F_2, where the lowest bit of a MAC is its value; the rows of a code add ten entries of a
/// table each.
mod binary {
    use super::*;

    struct Binary<const TABLE: usize = 0> {
        arch: Arch,
        key: Aes128,
        chi: Vec<F128>,
        a: Vec<F128>,
        triples: Vec<Triple>,
        bits: [Vec<F2>; 2],
        holes: Vec<F128>,
        table: Vec<F128>,
        nodes: Vec<F128>,
        out: Vec<F128>,
    }

    impl<const TABLE: usize> Data for Binary<TABLE> {
        fn new(arch: Arch) -> Self {
            Self {
                arch,
                key: Aes128::new(arch, F128(1)),
                chi: random(arch, 1, TILE),
                a: random(arch, 2, TILE),
                triples: random(arch, 3, 3 * TILE).as_chunks().0.to_vec(),
                bits: [4, 5].map(|seed| random(arch, seed, TILE)),
                holes: vec![F128::ZERO; TREES],
                table: random(arch, 6, TABLE),
                nodes: random(arch, 7, TILE),
                out: vec![F128::ZERO; TILE],
            }
        }
    }

    kernels! {
        (Binary, [], [])
        aes_counter: |on| on.key.counter(0, &mut on.out);
        dot: |on| arch::dot(on.arch, &on.chi, &on.a);
        inner_product: |on| arch::inner_product(on.arch, &on.chi, &on.a);
        prover_sums: |on| arch::prover_sums(on.arch, &on.chi, &on.triples);
        verifier_sums: |on| arch::verifier_sums(on.arch, &on.chi, &on.triples);
        triple_sums: |on| arch::triple_sums(on.arch, &on.chi, &on.triples);
        opened_sums: |on| arch::opened_sums(on.arch, &on.chi, &on.triples, &on.bits[0], &on.bits[1]);
        transpose: |on| arch::transpose(on.arch, &on.a, &mut on.out);
        half_tree_level: |on| arch::grow(&on.key, &mut on.nodes);
        puncture: |on| {
            let punctures = Punctures { row: &on.holes, left: &on.holes, right: &on.holes };
            arch::puncture(on.arch, &mut on.nodes, punctures)
        };
        weigh: |on| arch::weigh(on.arch, &on.chi, &on.a);
    }

    kernels! {
        (Binary, [const K: usize], [consts = [4, 8]])
        softspoken_expansion: |on| {
            let (total, planes) = (&mut on.nodes[..TILE / 128], &mut on.out[..K * TILE / 128]);
            for _ in 0..128 / K {
                arch::fold_leaves(&on.key, &on.a[..1 << K], 0, total, planes);
            }
        };
    }

    kernels! {
        (Binary<TABLE>, [const TABLE: usize], [consts = [8_704, 36_864, 143_360, 557_056]])
        lpn_encode: |on| arch::encode(&on.key, 0, &on.table, &mut on.out);
    }
}

/// Products of integers.
mod integers {
    use super::*;
    use volery_primitives::arch::matrix::{self, COLUMNS, ROWS, Tile};

    struct Integers<const ELEMENTS: usize> {
        arch: Arch,
        row: Vec<i64>,
        sums: Vec<i64>,
        a: Vec<[f64; ROWS]>,
        b: Vec<[f64; COLUMNS]>,
        tile: Tile,
    }

    impl<const ELEMENTS: usize> Data for Integers<ELEMENTS> {
        const ELEMENTS: usize = ELEMENTS;

        fn new(arch: Arch) -> Self {
            let steps = ELEMENTS / (ROWS * COLUMNS);
            Self {
                arch,
                row: (0..ELEMENTS as i64).collect(),
                sums: vec![0; ELEMENTS],
                a: vec![[3.0; ROWS]; steps],
                b: vec![[5.0; COLUMNS]; steps],
                tile: [[0; COLUMNS]; ROWS],
            }
        }
    }

    kernels! {
        (Integers<ELEMENTS>, [const ELEMENTS: usize], [consts = [16 * 96, 256 * 96]])
        add_tile: |on| matrix::add_tile(on.arch, &on.a, &on.b, &mut on.tile);
    }

    kernels! {
        (Integers<ELEMENTS>, [const ELEMENTS: usize], [consts = [64, 512]])
        add_row: |on| matrix::add_row(on.arch, 7, &on.row, &mut on.sums);
        add_masked_row: |on| matrix::add_masked_row(on.arch, 7, &on.row, &on.row, &mut on.sums);
    }
}

/// The hashes of garbled gates: of labels that are there, and of those that depend on the gate before.
mod gates {
    use super::*;

    struct Gates {
        mitccrh: GateHash,
        tmmo: GateHash,
        labels: Vec<F128>,
    }

    impl Data for Gates {
        fn new(arch: Arch) -> Self {
            let hash = |construction| GateHash::new(arch, construction, F128(1), 0);
            let [mitccrh, tmmo] = [Construction::MultiInstance, Construction::Tweakable].map(hash);
            Self { mitccrh, tmmo, labels: random(arch, 1, TILE) }
        }
    }

    kernels! {
        (Gates, [], [])
        mitccrh_garbler_independent: |on| garble::<false>(&mut on.mitccrh, &on.labels);
        mitccrh_garbler_chained: |on| garble::<true>(&mut on.mitccrh, &on.labels);
        mitccrh_evaluator_independent: |on| evaluate::<false>(&mut on.mitccrh, &on.labels);
        mitccrh_evaluator_chained: |on| evaluate::<true>(&mut on.mitccrh, &on.labels);
        tmmo_garbler_independent: |on| garble::<false>(&mut on.tmmo, &on.labels);
        tmmo_garbler_chained: |on| garble::<true>(&mut on.tmmo, &on.labels);
        tmmo_evaluator_independent: |on| evaluate::<false>(&mut on.tmmo, &on.labels);
        tmmo_evaluator_chained: |on| evaluate::<true>(&mut on.tmmo, &on.labels);
    }

    fn garble<const CHAINED: bool>(hash: &mut GateHash, labels: &[F128]) -> F128 {
        labels.iter().fold(F128::ZERO, |sum, &label| {
            let [zero, one] = hash.pair(if CHAINED { label ^ sum } else { label }, labels[0]);
            sum ^ zero ^ one
        })
    }

    fn evaluate<const CHAINED: bool>(hash: &mut GateHash, labels: &[F128]) -> F128 {
        labels
            .iter()
            .fold(F128::ZERO, |sum, &label| sum ^ hash.one(if CHAINED { label ^ sum } else { label }))
    }
}

/// A field, and the extension that its values have MACs in; the types below give them names to be printed.
trait Under {
    type Value: Field;
    type Mac: Lanes<Self::Value>;
}

macro_rules! under {
    ($($name:ident: $value:ty, $mac:ty;)*) => {$(
        struct $name;
        impl Under for $name {
            type Value = $value;
            type Mac = $mac;
        }
    )*};
}

under! {
    F2UnderF128: F2, F128;
    F61UnderF61: F61, F61;
    F61UnderF61x2: F61, F61x2;
    Q32UnderQ32x2: Q32, Q32x2;
    F256UnderF128: F256, F128;
    GoldilocksUnderGoldilocks: Goldilocks, Goldilocks;
    GoldilocksUnderGoldilocksx2: Goldilocks, Goldilocksx2;
    F65537UnderF65537x4: F65537, F65537x4;
}

/// Vectors, of which those in polynomials of values under MACs may be short.
mod lanes {
    use super::*;

    struct Vectors<B, E, const LENGTH: usize> {
        arch: Arch,
        a: Vec<E>,
        b: Vec<E>,
        factors: Vec<B>,
        sums: Vec<E>,
    }

    impl<B: Field, E: Lanes<B>, const LENGTH: usize> Data for Vectors<B, E, LENGTH> {
        const ELEMENTS: usize = LENGTH;

        fn new(arch: Arch) -> Self {
            let [a, b, sums] = [1, 2, 3].map(|seed| random(arch, seed, LENGTH));
            Self { arch, a, b, factors: random(arch, 4, LENGTH), sums }
        }
    }

    kernels! {
        (Vectors<U::Value, U::Mac, LENGTH>, [U: Under, const LENGTH: usize], [
            types = [
                F2UnderF128, F61UnderF61, F61UnderF61x2, Q32UnderQ32x2, F256UnderF128,
                GoldilocksUnderGoldilocks, GoldilocksUnderGoldilocksx2, F65537UnderF65537x4,
            ],
            consts = [1, 32, TILE],
        ])
        add_products: |on| U::Mac::add_products(on.arch, &on.a, &on.b, &mut on.sums);
        add_scaled: |on| U::Mac::add_scaled(on.arch, &on.a, &on.factors, &mut on.sums);
        combine: |on| U::Mac::combine(on.arch, &on.factors, &on.a);
    }
}

/// Values under MACs; the tables are those that fit the second-level cache.
mod macs {
    use super::*;

    struct Macs<B: Field, E: MacField<B>, const TABLE: usize = 0> {
        arch: Arch,
        key: Aes128,
        keys: Vec<Circular>,
        blocks: Vec<F128>,
        chi: Vec<E>,
        triples: Vec<[E; 3]>,
        tagged_triples: Vec<[E::Tag; 3]>,
        values: Vec<B>,
        others: Vec<E::Tag>,
        holes: Vec<E::Tag>,
        table: Vec<E>,
        tagged_table: Vec<E::Tag>,
        sums: Vec<E>,
        leaves: [Vec<E>; 2],
        rows: Vec<E::Tag>,
    }

    impl<B: Field, E: MacField<B>, const TABLE: usize> Data for Macs<B, E, TABLE> {
        fn new(arch: Arch) -> Self {
            let tagged = |seed, length| {
                let (values, macs) = (random(arch, seed, length), random(arch, seed + 1, length));
                values.into_iter().zip(macs).map(|(value, mac)| E::Tag::new(value, mac)).collect::<Vec<_>>()
            };
            Self {
                arch,
                key: Aes128::new(arch, F128(1)),
                keys: (0..E::SAMPLE).map(|i| Circular::new(arch, F128(i as u128))).collect(),
                blocks: random(arch, 1, E::SAMPLE * TILE / 2),
                chi: random(arch, 2, TILE),
                triples: random(arch, 3, 3 * TILE).as_chunks().0.to_vec(),
                tagged_triples: tagged(4, 3 * TILE).as_chunks().0.to_vec(),
                values: random(arch, 6, TILE),
                others: tagged(7, TILE),
                holes: tagged(9, TREES),
                table: random(arch, 11, TABLE),
                tagged_table: tagged(12, TABLE),
                sums: random(arch, 14, TREES),
                leaves: [15, 16].map(|seed| random(arch, seed, TILE)),
                rows: tagged(17, TILE),
            }
        }
    }

    kernels! {
        (Macs<U::Value, U::Mac>, [U: Under<Mac: MacField<U::Value>>], [
            types = [
                F61UnderF61, F61UnderF61x2, Q32UnderQ32x2, F256UnderF128, GoldilocksUnderGoldilocks,
                GoldilocksUnderGoldilocksx2, F65537UnderF65537x4,
            ],
        ])
        grow: |on| U::Mac::grow_leaves(&on.keys, &mut on.blocks[..TILE / 2], &mut on.leaves[0]);
        sum_of_rows: |on| U::Mac::sum_rows(on.arch, &on.leaves[0], &mut on.sums);
        sample: |on| U::Mac::sample_all(on.arch, &on.blocks, &mut on.leaves[0]);
        puncture: |on| {
            let holes = Holes { row: &[7; TREES], left: &on.holes, right: &on.holes };
            U::Mac::puncture(on.arch, &on.leaves[0], holes, &mut on.rows)
        };
        weigh: |on| U::Mac::weigh(on.arch, &on.chi, &on.rows);
        dot: |on| U::Mac::dot(on.arch, &on.chi, &on.leaves[0]);
        inner_product: |on| U::Mac::inner_product(on.arch, &on.rows, &on.others);
        linear: |on| U::Mac::linear(on.arch, &on.values, &on.rows);
        products: |on| {
            let [constant, linear] = &mut on.leaves;
            U::Mac::products(on.arch, &on.tagged_triples, constant, linear)
        };
        verifier_sums: |on| U::Mac::verifier_sums(on.arch, &on.chi, &on.triples);
        correct: |on| U::Mac::correct(on.arch, &mut on.leaves[0], &on.values, on.chi[0]);
    }

    kernels! {
        (Macs<U::Value, U::Mac, TABLE>, [U: Under<Mac: MacField<U::Value>>, const TABLE: usize], [
            types = [
                F61UnderF61, F61UnderF61x2, Q32UnderQ32x2, F256UnderF128, GoldilocksUnderGoldilocks,
                GoldilocksUnderGoldilocksx2, F65537UnderF65537x4,
            ],
            consts = [8_704, 32_768],
        ])
        encode_keys: |on| U::Mac::encode_keys(&on.key, 0, &on.table, &mut on.leaves[0]);
        encode: |on| U::Mac::encode_tagged(&on.key, 0, &on.tagged_table, &mut on.rows);
    }
}
