//! Time of each kernel, per element, on every instruction set of this machine.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use volery_primitives::aes::Aes128;
use volery_primitives::arch::{
    Punctures, Triple, dot, encode, fold_leaves, grow, prover_sums, puncture, transpose, verifier_sums, weigh,
};
use volery_primitives::{Arch, F128, Field};

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
        group.bench_function("prover sums, per gate", |bench| {
            bench.iter(|| prover_sums(arch, black_box(&chi), triples))
        });
        group.bench_function("verifier sums, per gate", |bench| {
            bench.iter(|| verifier_sums(arch, black_box(&chi), triples))
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
    }
}

criterion_group!(benches, kernels);
criterion_main!(benches);
