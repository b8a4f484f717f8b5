//! Every instruction set equals the portable kernels, on lengths around every vector's edge, and these equal
//! plain arithmetic in the field.

use super::*;
use crate::arch::{WEIGHT, tests::agree};
use crate::field::Field;
use crate::prg::Prg;

const LENGTHS: [usize; 22] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130, 515];

const PORTABLE: Arch = Arch::PORTABLE;

fn blocks(seed: u128, length: usize) -> Vec<F128> {
    let mut out = vec![F128::ZERO; length];
    Prg::new(PORTABLE, F128(seed)).fill(&mut out);
    out
}

fn random(seed: u128, length: usize) -> Vec<F64> {
    blocks(seed, length).into_iter().map(|block| F64::new(block.0 as u64)).collect()
}

fn bits(seed: u128, length: usize) -> Vec<F2> {
    blocks(seed, length).into_iter().map(|block| F2::low_bit(block.0)).collect()
}

/// The value and the MAC of a tag.
fn split(tag: F64) -> (F64, F64) {
    (F64::new(tag.get() & 1), F64::new(tag.get() & !1))
}

fn lift(bit: F2) -> F64 {
    F64::new(bit.to_word() as u64)
}

/// `kernel` on `sums`.
fn on<T: Clone>(sums: &T, kernel: impl FnOnce(&mut T)) -> T {
    let mut sums = sums.clone();
    kernel(&mut sums);
    sums
}

#[test]
fn sums_of_products() {
    for length in LENGTHS {
        let [chi, a, b, c] = [1, 2, 3, 4].map(|seed| random(seed, length));
        let factors = bits(5, length);
        let sum = |of: &dyn Fn(usize) -> F64| (0..length).map(of).sum::<F64>();
        let expect = |what, kernel: &dyn Fn(Arch) -> (F64, F64), expected: (F64, F64)| {
            agree(what, kernel);
            assert_eq!(kernel(PORTABLE), expected, "{what}");
        };
        let weighed = (sum(&|i| chi[i] * split(a[i]).1), sum(&|i| chi[i] * split(a[i]).0));
        expect("weigh", &|arch| weigh(arch, &chi, &a), weighed);
        let products = (
            sum(&|i| split(a[i]).1 * split(b[i]).1),
            sum(&|i| split(a[i]).0 * split(b[i]).1 + split(b[i]).0 * split(a[i]).1),
        );
        expect("inner_product", &|arch| inner_product(arch, &a, &b), products);
        let sums = (sum(&|i| chi[i] * (a[i] * b[i])), sum(&|i| chi[i] * c[i]));
        let triples: Vec<Triple> = (0..length).map(|i| [a[i], b[i], c[i]]).collect();
        expect("verifier_sums", &|arch| verifier_sums(arch, &chi, &triples), sums);
        let columns = [&a[..], &b, &c];
        expect("verifier_column_sums", &|arch| verifier_column_sums(arch, &chi, columns), sums);
        let single = (dot(PORTABLE, &a, &b), combine(PORTABLE, &factors, &a));
        expect("dot and combine", &|arch| (dot(arch, &a, &b), combine(arch, &factors, &a)), single);
        assert_eq!(single, (sum(&|i| a[i] * b[i]), sum(&|i| lift(factors[i]) * a[i])));
    }
}

#[test]
fn products_of_each() {
    for length in LENGTHS {
        let [sums, a, b, c] = [1, 2, 3, 4].map(|seed| random(seed, length));
        let (factors, delta) = (bits(5, length), F64::new(0xfedc_ba98_7654_3210));
        let expect = |what, kernel: &dyn Fn(Arch) -> Vec<F64>, expected: &dyn Fn(usize) -> F64| {
            agree(what, kernel);
            assert_eq!(kernel(PORTABLE), (0..length).map(expected).collect::<Vec<_>>(), "{what}");
        };
        expect("add_products", &|arch| on(&sums, |sums| add_products(arch, &a, &b, sums)), &|i| {
            sums[i] + a[i] * b[i]
        });
        expect("add_scaled", &|arch| on(&sums, |sums| add_scaled(arch, &a, &factors, sums)), &|i| {
            sums[i] + a[i] * lift(factors[i])
        });
        expect("correct", &|arch| on(&sums, |keys| correct(arch, keys, &factors, delta)), &|i| {
            sums[i] + delta * lift(factors[i])
        });
        let mut packed = vec![0; length.div_ceil(8)];
        for (i, &bit) in factors.iter().enumerate() {
            packed[i / 8] |= (bit.to_word() as u8) << (i % 8);
        }
        expect("add_where", &|arch| on(&sums, |rows| add_where(arch, &packed, delta, rows)), &|i| {
            sums[i] + delta * lift(factors[i])
        });
        let triples: Vec<Triple> = (0..length).map(|i| [a[i], b[i], c[i]]).collect();
        let by_triples = |arch| {
            on(&[sums.clone(), sums.clone()], |[constant, linear]| products(arch, &triples, constant, linear))
        };
        let by_columns = |arch| {
            on(&[sums.clone(), sums.clone()], |[constant, linear]| {
                column_products(arch, [&a, &b, &c], constant, linear)
            })
        };
        let constant = |i: usize| split(a[i]).1 * split(b[i]).1;
        let linear = |i: usize| split(a[i]).0 * split(b[i]).1 + split(b[i]).0 * split(a[i]).1 + split(c[i]).1;
        for (n, of) in [&constant as &dyn Fn(usize) -> F64, &linear].into_iter().enumerate() {
            expect("products", &|arch| by_triples(arch)[n].clone(), of);
            expect("column_products", &|arch| by_columns(arch)[n].clone(), of);
        }
        for places in [[0, 1, 2], [0, 0, 1], [1, 0, 1], [2, 2, 2]] {
            let words = [&a[..], &b, &c].concat();
            let [out, left, right] = places.map(|place| place * length);
            agree("add_rows", |arch| on(&words, |words| add_rows(arch, words, [out, left, right], length)));
            let after = on(&words, |words| add_rows(PORTABLE, words, [out, left, right], length));
            assert!((0..length).all(|i| after[out + i] == words[left + i] + words[right + i]));
        }
    }
}

/// Products that are reduced twice, and once more.
#[test]
fn extreme_products() {
    let elements = [!0, 1 << 63, !1, 1, 0, 0xf << 60, 3, 1 << 60].map(F64::new);
    for a in elements {
        let (a, b) = ([a; 8], elements);
        let triples: Vec<Triple> = (0..8).map(|i| [a[i], b[i], a[i]]).collect();
        let expected: Vec<F64> = (0..8).map(|i| a[i] * b[i]).collect();
        let sum = (0..8).map(|i| b[i] * (a[i] * b[i])).sum();
        for arch in Arch::available() {
            assert_eq!(on(&vec![F64::default(); 8], |sums| add_products(arch, &a, &b, sums)), expected);
            assert_eq!(verifier_sums(arch, &b, &triples).0, sum);
        }
    }
}

#[test]
fn leaves() {
    for length in LENGTHS {
        agree("grow_leaves", |arch| {
            let mut leaves = random(1, 2 * length);
            grow_leaves(&Aes128::new(arch, F128(2)), &mut blocks(3, length), &mut leaves);
            leaves
        });
        let mut leaves = random(1, 2 * length);
        grow_leaves(&Aes128::new(PORTABLE, F128(2)), &mut blocks(3, length), &mut leaves);
        let mut hashes = blocks(3, length);
        crate::hash::Circular::new(PORTABLE, F128(2)).apply(&mut hashes);
        for (i, hash) in hashes.iter().enumerate() {
            let words = [hash.0 as u64, (hash.0 >> 64) as u64].map(|word| F64::new(word & !1));
            assert_eq!([leaves[i], leaves[length + i]], words);
        }
    }
}

#[test]
fn trees_side_by_side() {
    for trees in [1, 2, 3, 4, 7, 8, 9, 16, 33] {
        for half in [1, 2, 4, 16] {
            let leaves: Vec<F64> = random(1, 2 * half * trees);
            agree("sum_rows", |arch| on(&random(2, trees), |sums| sum_rows(arch, &leaves, sums)));
            let sums = on(&random(2, trees), |sums| sum_rows(PORTABLE, &leaves, sums));
            for (g, &sum) in sums.iter().enumerate() {
                assert_eq!(sum, leaves.iter().skip(g).step_by(trees).copied().sum());
            }
            let row: Vec<u64> = blocks(3, trees).iter().map(|block| block.0 as u64 % half as u64).collect();
            let holes = [4, 5].map(|seed| random(seed, trees));
            let holes = [&holes[0][..], &holes[1]];
            let punctured =
                |arch| on(&random(6, leaves.len()), |rows| puncture(arch, &leaves, &row, holes, rows));
            agree("puncture", punctured);
            for (at, (&after, &before)) in punctured(PORTABLE).iter().zip(&leaves).enumerate() {
                let (y, g) = (at / trees, at % trees);
                let here = row[g] == (y % half) as u64;
                assert_eq!(after + before, if here { holes[y / half][g] } else { F64::default() });
            }
        }
    }
}

#[test]
fn encodings() {
    for size in [1, 10, 999, 1 << 15, 143_360] {
        let table = random(1, size);
        for (first, length) in [(0, 2), (6, 64), (100, 66), (1 << 40, 200), (2, 7)] {
            let encoded = |arch| {
                on(&random(2, length), |rows| encode(&Aes128::new(arch, F128(3)), first, &table, rows))
            };
            agree("encode", encoded);
            let mut words = vec![F128::ZERO; (WEIGHT * (length + 1)).div_ceil(4)];
            Aes128::new(PORTABLE, F128(3)).counter(u128::from(first) * WEIGHT as u128 / 4, &mut words);
            let place = |i: usize| ((words[i / 4].0 >> (32 * (i % 4))) as u32 as u64 * size as u64) >> 32;
            for (j, (row, before)) in encoded(PORTABLE).into_iter().zip(random(2, length)).enumerate() {
                let entries = (WEIGHT * j..WEIGHT * (j + 1)).map(|i| table[place(i) as usize]);
                assert_eq!(row, entries.fold(before, |sum, entry| sum + entry));
            }
        }
    }
}

#[test]
fn transposes() {
    for count in [0, 1, 2, 3, 4, 5, 8, 11] {
        let columns = blocks(count as u128, 64 * count);
        agree("transpose", |arch| on(&random(1, 128 * count), |rows| transpose(arch, &columns, rows)));
        let rows = on(&random(1, 128 * count), |rows| transpose(PORTABLE, &columns, rows));
        for (i, row) in rows.iter().enumerate() {
            let bit = |p: usize| columns[p * count + i / 128].0 >> (i % 128) & 1;
            assert!((0..64).all(|p| u128::from(row.get() >> p & 1) == bit(p)));
        }
    }
}
