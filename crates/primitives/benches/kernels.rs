//! Time of each kernel, per element, on every instruction set of this machine.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{
    Punctures, Triple, dot, encode, fold_leaves, grow, inner_product, opened_sums, prover_sums, puncture,
    transpose, triple_sums, verifier_sums, weigh,
};
use volery_primitives::hash::{Circular, Construction, GateHash};
use volery_primitives::mac::Holes;
use volery_primitives::{Arch, F2, F61, F61x2, F128, F256, Field, Lanes, MacField, Q32, Q32x2, Tagged};

/// Elements in a batch: a tile of the LPN extension, half of SoftSpoken's longest chunk.
const TILE: usize = 4096;

fn kernels(criterion: &mut Criterion) {
    for arch in Arch::available() {
        let mut group = criterion.benchmark_group(arch.name());
        let key = Aes128::new(arch, F128(1));
        let mut out = vec![F128::ZERO; TILE];
        group.throughput(Throughput::Elements(TILE as u64));
        group.bench_function("aes counter, per block", |b| b.iter(|| key.counter(0, black_box(&mut out))));

        let random = |seed: u128, length| {
            let mut blocks = vec![F128::ZERO; length];
            key.counter(seed << 64, &mut blocks);
            blocks
        };
        let (chi, a) = (random(1, TILE), random(2, TILE));
        let triples = random(3, 3 * TILE);
        let triples: &[Triple] = triples.as_chunks().0;
        group.bench_function("dot", |bench| bench.iter(|| dot(arch, black_box(&chi), &a)));
        group.bench_function("inner product, per pair", |bench| {
            bench.iter(|| inner_product(arch, black_box(&chi), &a))
        });
        group.bench_function("prover sums, per gate", |bench| {
            bench.iter(|| prover_sums(arch, black_box(&chi), triples))
        });
        group.bench_function("verifier sums, per gate", |bench| {
            bench.iter(|| verifier_sums(arch, black_box(&chi), triples))
        });
        group.bench_function("triple sums, per triple", |bench| {
            bench.iter(|| triple_sums(arch, black_box(&chi), triples))
        });
        let [left, right] = [&chi, &a].map(|words| words.iter().map(|word| word.bit0()).collect::<Vec<_>>());
        group.bench_function("opened sums, per triple", |bench| {
            bench.iter(|| opened_sums(arch, black_box(&chi), triples, &left, &right))
        });
        group.bench_function("transpose, per row", |bench| {
            bench.iter(|| transpose(arch, black_box(&a), &mut out))
        });
        for k in [4, 8] {
            let blocks = TILE / 128;
            let (mut total, mut planes) = (vec![F128::ZERO; blocks], vec![F128::ZERO; k * blocks]);
            group.bench_function(format!("softspoken expansion k={k}, per row"), |bench| {
                bench.iter(|| {
                    for _ in 0..128 / k {
                        fold_leaves(&key, &a[..1 << k], 0, black_box(&mut total), &mut planes);
                    }
                })
            });
        }
        let (trees, mut nodes) = (16, random(4, TILE));
        group.bench_function("half-tree level, per leaf", |bench| {
            bench.iter(|| grow(&key, black_box(&mut nodes)))
        });
        let row = vec![F128::ZERO; trees];
        let punctures = Punctures { row: &row, left: &row, right: &row };
        group.bench_function("puncture, per leaf", |bench| {
            bench.iter(|| puncture(arch, black_box(&mut nodes), punctures))
        });
        group.bench_function("weigh, per leaf", |bench| bench.iter(|| weigh(arch, black_box(&chi), &a)));
        for size in [8_704, 36_864, 143_360, 557_056] {
            let table = random(5, size);
            group.bench_function(format!("lpn encode, table of {size}, per row"), |bench| {
                bench.iter(|| encode(&key, 0, black_box(&table), &mut out))
            });
        }
        group.finish();
        gates(criterion, arch, &a);
        lanes::<F2, F128>(criterion, arch, [chi, a, out]);
        macs::<F61, F61>(criterion, arch);
        macs::<F61, F61x2>(criterion, arch);
        macs::<Q32, Q32x2>(criterion, arch);
        macs::<F256, F128>(criterion, arch);
    }
}

/// The hashes of garbled gates: of labels that are there, and of those that depend on the gate before.
fn gates(criterion: &mut Criterion, arch: Arch, labels: &[F128]) {
    for construction in Construction::ALL {
        let mut group = criterion.benchmark_group(format!("{} {}", arch.name(), construction.name()));
        group.throughput(Throughput::Elements(labels.len() as u64));
        let mut hash = GateHash::new(arch, construction, F128(1), 0);
        group.bench_function("garbled gate, garbler, independent", |bench| {
            bench.iter(|| garble::<false>(&mut hash, black_box(labels)))
        });
        group.bench_function("garbled gate, garbler, chained", |bench| {
            bench.iter(|| garble::<true>(&mut hash, black_box(labels)))
        });
        group.bench_function("garbled gate, evaluator, independent", |bench| {
            bench.iter(|| evaluate::<false>(&mut hash, black_box(labels)))
        });
        group.bench_function("garbled gate, evaluator, chained", |bench| {
            bench.iter(|| evaluate::<true>(&mut hash, black_box(labels)))
        });
        group.finish();
    }
}

fn garble<const CHAINED: bool>(hash: &mut GateHash, labels: &[F128]) -> F128 {
    labels.iter().fold(F128::ZERO, |sum, &label| {
        let [zero, one] = hash.pair(if CHAINED { label ^ sum } else { label }, labels[0]);
        sum ^ zero ^ one
    })
}

fn evaluate<const CHAINED: bool>(hash: &mut GateHash, labels: &[F128]) -> F128 {
    labels.iter().fold(F128::ZERO, |sum, &label| sum ^ hash.one(if CHAINED { label ^ sum } else { label }))
}

/// The kernels on vectors, of which those in polynomials of values under MACs may be short.
fn lanes<B: Field, E: Lanes<B>>(criterion: &mut Criterion, arch: Arch, [a, b, mut sums]: [Vec<E>; 3]) {
    let mut group = criterion.benchmark_group(format!("{} {} under {}", arch.name(), B::NAME, E::NAME));
    let factors: Vec<B> =
        (0..TILE).map(|i| B::place(i as u32 % B::BITS).masked((i as u64 & 1).wrapping_neg())).collect();
    for length in [1, 32, TILE] {
        group.throughput(Throughput::Elements(length as u64));
        let (a, b, factors, sums) = (&a[..length], &b[..length], &factors[..length], &mut sums[..length]);
        group.bench_function(format!("add products, {length}"), |bench| {
            bench.iter(|| E::add_products(arch, black_box(a), b, sums))
        });
        group.bench_function(format!("add scaled, {length}"), |bench| {
            bench.iter(|| E::add_scaled(arch, black_box(a), factors, sums))
        });
        group.bench_function(format!("combine, {length}"), |bench| {
            bench.iter(|| E::combine(arch, factors, black_box(a)))
        });
    }
    group.finish();
}

/// The kernels on values under MACs; the tables are those that fit the second-level cache.
fn macs<B: Field, E: MacField<B>>(criterion: &mut Criterion, arch: Arch) {
    let mut group = criterion.benchmark_group(format!("{} {}", arch.name(), E::NAME));
    group.throughput(Throughput::Elements(TILE as u64));
    let key = Aes128::new(arch, F128(1));
    let elements = |seed: u128, length| {
        let mut blocks = vec![F128::ZERO; 2 * length];
        key.counter(seed << 64, &mut blocks);
        let mut out = vec![E::ZERO; length];
        E::sample_all(arch, &blocks, &mut out);
        out
    };
    let tagged = |seed: u128, length| {
        let values = (0..).map(|i: u32| B::place(i % B::BITS));
        let macs = elements(seed, length);
        values.zip(macs).map(|(value, mac)| Tagged { value, mac }).collect::<Vec<_>>()
    };

    let keys: Vec<_> = (0..E::SAMPLE).map(|i| Circular::new(arch, F128(i as u128))).collect();
    let mut blocks = vec![F128::ONE; TILE * E::SAMPLE / 2 + TILE];
    let (mut leaves, mut other) = (elements(1, TILE), elements(2, TILE));
    group.bench_function("grow, per leaf", |bench| {
        bench.iter(|| E::grow_leaves(&keys, black_box(&mut blocks[..TILE / 2]), &mut leaves))
    });
    let mut sums = elements(3, 16);
    group.bench_function("sum of rows, per leaf", |bench| {
        bench.iter(|| E::sum_rows(arch, black_box(&leaves), &mut sums))
    });
    group.bench_function("sample", |bench| {
        bench.iter(|| E::sample_all(arch, black_box(&blocks), &mut leaves))
    });

    let (mut rows, holed) = (tagged(4, TILE), tagged(5, 16));
    let holes = Holes { row: &[7; 16], left: &holed, right: &holed };
    group.bench_function("puncture, per row", |bench| {
        bench.iter(|| E::puncture(arch, black_box(&leaves), holes, &mut rows))
    });
    for size in [8_704, 32_768] {
        let (table, tagged) = (elements(6, size), tagged(7, size));
        group.bench_function(format!("encode keys, table of {size}, per row"), |bench| {
            bench.iter(|| E::encode_keys(&key, 0, black_box(&table), &mut leaves))
        });
        group.bench_function(format!("encode, table of {size}, per row"), |bench| {
            bench.iter(|| E::encode_tagged(&key, 0, black_box(&tagged), &mut rows))
        });
    }

    let chi = elements(8, TILE);
    group.bench_function("weigh, per row", |bench| bench.iter(|| E::weigh(arch, black_box(&chi), &rows)));
    group.bench_function("dot", |bench| bench.iter(|| E::dot(arch, black_box(&chi), &leaves)));
    let others = tagged(11, TILE);
    group.bench_function("inner product, per pair", |bench| {
        bench.iter(|| E::inner_product(arch, black_box(&rows), &others))
    });
    let factors: Vec<B> = others.iter().map(|share| share.value).collect();
    group.bench_function("linear, per row", |bench| {
        bench.iter(|| E::linear(arch, &factors, black_box(&rows)))
    });
    let (triples, keys) = (tagged(9, 3 * TILE), elements(10, 3 * TILE));
    group.bench_function("products, per gate", |bench| {
        bench.iter(|| E::products(arch, black_box(triples.as_chunks().0), &mut leaves, &mut other))
    });
    group.bench_function("verifier sums, per gate", |bench| {
        bench.iter(|| E::verifier_sums(arch, black_box(&chi), keys.as_chunks().0))
    });
    let corrections: Vec<B> = triples[..TILE].iter().map(|share| share.value).collect();
    group.bench_function("correct", |bench| {
        bench.iter(|| E::correct(arch, black_box(&mut leaves), &corrections, chi[0]))
    });
    group.finish();
    lanes(criterion, arch, [chi, leaves, other]);
}

criterion_group!(benches, kernels);
criterion_main!(benches);
