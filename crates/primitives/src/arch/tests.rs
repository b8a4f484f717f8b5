//! Every instruction set equals its portable twin, on lengths around every vector and batch edge.

use super::*;
use crate::field::Field;
use crate::prg::Prg;

const LENGTHS: [usize; 22] =
    [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 65, 130, 511, 512, 513, 1024];

fn random(seed: u128, length: usize) -> Vec<F128> {
    let mut out = vec![F128::ZERO; length];
    Prg::new(Arch::PORTABLE, F128(seed)).fill(&mut out);
    out
}

/// Calls `kernel` with every accelerated instruction set and with the portable one, and compares.
pub(super) fn agree<T: PartialEq + core::fmt::Debug>(what: &str, kernel: impl Fn(Arch) -> T) {
    let expected = kernel(Arch::PORTABLE);
    for arch in Arch::available() {
        assert_eq!(kernel(arch), expected, "{what} on {}", arch.name());
    }
}

#[test]
fn names_are_found_and_unknown_ones_refused() {
    for arch in Arch::available() {
        assert_eq!(Arch::from_name(arch.name()), Ok(arch));
    }
    assert!(Arch::from_name("mmx").unwrap_err().contains("portable"));
    assert!(Arch::available().contains(&Arch::detect()));
}

/// The kernel for several counters gives the words that the hash gives for each.
#[test]
fn counters_are_searched() {
    let key: [u8; 32] = core::array::from_fn(|i| (7 * i + 1) as u8);
    let words = core::array::from_fn(|i| u32::from_le_bytes(key[4 * i..4 * i + 4].try_into().unwrap()));
    for first in [0_u32, 1, 8, 1000, u32::MAX - 3] {
        let expected: [u32; SEARCHED] = core::array::from_fn(|i| {
            let counter = first.wrapping_add(i as u32).to_le_bytes();
            let hash = *blake3::keyed_hash(&key, &counter).as_bytes();
            u32::from_le_bytes(hash[16..20].try_into().unwrap())
        });
        for arch in Arch::available() {
            let mut found = [0; SEARCHED];
            search(arch, &words, first, &mut found);
            assert_eq!(found, expected, "{first} on {}", arch.name());
        }
    }
}

/// Tiles equal sums of 64 bits, on their way to [`matrix::LIMIT`] and back, too.
#[test]
fn tiles_of_products_are_exact() {
    use matrix::{COLUMNS, LIMIT, ROWS, Tile, number};
    let check = |a: &[[i64; ROWS]], b: &[[i64; COLUMNS]]| {
        let begun: Tile = core::array::from_fn(|i| core::array::from_fn(|j| (i as i64 - j as i64) << 58));
        let mut expected = begun;
        for (a, b) in a.iter().zip(b) {
            for (i, j) in (0..ROWS).flat_map(|i| (0..COLUMNS).map(move |j| (i, j))) {
                expected[i][j] += a[i] * b[j];
            }
        }
        let a: Vec<_> = a.iter().map(|a| a.map(number)).collect();
        let b: Vec<_> = b.iter().map(|b| b.map(number)).collect();
        for arch in Arch::available() {
            let mut sums = begun;
            matrix::add_tile(arch, &a, &b, &mut sums);
            assert_eq!(sums, expected, "{} products on {arch}", a.len());
        }
    };
    for length in LENGTHS {
        let words: Vec<i64> =
            random(7, (ROWS + COLUMNS) * length).iter().map(|word| word.0 as i64 >> 43).collect();
        let (a, b) = words.split_at(ROWS * length);
        check(a.as_chunks().0, b.as_chunks().0);
    }
    for limit in [LIMIT.cast_signed(), -LIMIT.cast_signed()] {
        check(&[limit / 2, limit / 2, -limit].map(|value| [value; ROWS]), &[[1; COLUMNS]; 3]);
        check(&[[limit >> 25; ROWS]], &[[1 << 25; COLUMNS]]);
        check(&[[1; ROWS], [-2; ROWS]], &[[limit; COLUMNS]; 2]);
    }
}

#[test]
fn rows_of_integers() {
    let integers = |seed, length| random(seed, length).iter().map(|word| word.0 as i64).collect::<Vec<_>>();
    for length in LENGTHS {
        let [row, mask, sums] = [1, 2, 3].map(|seed| integers(seed, length));
        let expected = |mask: &[i64]| {
            let product = |i: usize| (row[i] & mask[i]).wrapping_mul(-12_345_678_901_234);
            (0..length).map(|i| sums[i].wrapping_add(product(i))).collect::<Vec<_>>()
        };
        for arch in Arch::available() {
            let mut found = [sums.clone(), sums.clone()];
            matrix::add_row(arch, -12_345_678_901_234, &row, &mut found[0]);
            matrix::add_masked_row(arch, -12_345_678_901_234, &row, &mask, &mut found[1]);
            assert_eq!(found, [expected(&vec![-1; length]), expected(&mask)], "{length} on {arch}");
        }
    }
}

#[test]
fn encrypt_and_counter() {
    for length in LENGTHS {
        agree("encrypt", |arch| {
            let mut blocks = random(1, length);
            Aes128::new(arch, F128(3)).encrypt(&mut blocks);
            blocks
        });
        agree("counter", |arch| {
            let mut blocks = random(2, length);
            Aes128::new(arch, F128(3)).counter((9 << 64) + 5, &mut blocks);
            blocks
        });
    }
}

/// Each batch of key schedules equals those expanded one by one, among them the one of FIPS 197 appendix A.
#[test]
fn key_schedules_of_gates() {
    let [salts, tweaks] = [1, 2].map(|seed| random(seed, 50));
    let published = F128(0x3c4fcf09_8815f7ab_a6d2ae28_16157e2b);
    let cases = salts.into_iter().zip(tweaks).map(|(salt, tweak)| (salt, tweak.0 >> 1));
    for (salt, tweak) in cases.chain([(published, 0)]) {
        for arch in Arch::available() {
            let mut rounds = [[F128::ZERO; gates::BATCH]; 11];
            gates::expand(arch, salt, tweak, &mut rounds);
            for (g, tweak) in (0..gates::BATCH).zip(tweak..) {
                let key = salt ^ F128(tweak);
                assert_eq!(rounds[0][g], key);
                if let Some(expected) = expand_key(arch, key) {
                    assert_eq!(rounds.map(|round| round[g]), expected, "{}", arch.name());
                }
            }
            if arch != Arch::PORTABLE && salt == published {
                assert_eq!(rounds[10][0], F128(0xa60c63b6_c80c3fe1_8925eec9_a8f914d0));
            }
        }
    }
}

#[test]
fn folded_leaves() {
    for k in 3..=8 {
        for blocks in [1, 3, 4, 6, 8, 13] {
            agree("fold_leaves", |arch| {
                let leaves = random(k as u128, 1 << k);
                let (mut total, mut planes) = (random(1, blocks), random(2, k * blocks));
                fold_leaves(&Aes128::new(arch, F128(4)), &leaves, 77, &mut total, &mut planes);
                (total, planes)
            });
        }
    }
}

#[test]
fn sums_of_products() {
    for length in LENGTHS {
        let [chi, a, b] = [1, 2, 3].map(|seed| random(seed, length));
        let triples: Vec<Triple> = random(4, 3 * length).as_chunks().0.to_vec();
        agree("dot", |arch| dot(arch, &a, &b));
        agree("multiply", |arch| {
            let mut out = chi.clone();
            multiply(arch, &a, &b, &mut out);
            out
        });
        agree("inner_product", |arch| inner_product(arch, &a, &b));
        let factors: Vec<F2> = chi.iter().map(|x| x.bit0()).collect();
        agree("combine", |arch| combine(arch, &factors, &a));
        agree("add_products", |arch| {
            let mut sums = chi.clone();
            add_products(arch, &a, &b, &mut sums);
            sums
        });
        agree("add_scaled", |arch| {
            let mut sums = chi.clone();
            add_scaled(arch, &a, &factors, &mut sums);
            sums
        });
        // No products, or none that are scaled, one factor for all lanes, and more of each.
        let (products, scaled) =
            ([(&a[..], &b[..]), (&b, &chi), (&a, &a)], [(&b[..], &factors[..]), (&chi, &[F2::ONE])]);
        for (count, others) in [(0, 0), (0, 2), (1, 0), (1, 1), (3, 2)] {
            for kernel in [add_sums, set_sums] {
                agree("add_sums and set_sums", |arch| {
                    let mut sums = chi.clone();
                    kernel(arch, &products[..count], &scaled[..others], &mut sums);
                    sums
                });
            }
        }
        agree("weigh", |arch| weigh(arch, &a, &b));
        agree("prover_sums", |arch| prover_sums(arch, &chi, &triples));
        agree("verifier_sums", |arch| verifier_sums(arch, &chi, &triples));
        let columns = [0, 1, 2].map(|i| triples.iter().map(|triple| triple[i]).collect::<Vec<_>>());
        let columns = [0, 1, 2].map(|i| &columns[i][..]);
        agree("prover_column_sums", |arch| prover_column_sums(arch, &chi, columns));
        agree("verifier_column_sums", |arch| verifier_column_sums(arch, &chi, columns));
        for places in [[0, 1, 2], [0, 0, 1], [1, 0, 1], [2, 2, 2]] {
            agree("add_rows", |arch| {
                let mut words = [&a[..], &b, &chi].concat();
                add_rows(arch, &mut words, places.map(|place| place * length), length);
                words
            });
        }
        agree("add_where", |arch| {
            let bits: Vec<u8> = b[..length.div_ceil(8)].iter().map(|word| word.0 as u8).collect();
            let mut rows = chi.clone();
            add_where(arch, &bits, F128(u128::MAX >> 3), &mut rows);
            rows
        });
        agree("triple_sums", |arch| triple_sums(arch, &chi, &triples));
        let other: Vec<F2> = a.iter().map(|x| x.bit0()).collect();
        agree("opened_sums", |arch| opened_sums(arch, &chi, &triples, &factors, &other));
    }
}

/// Each sum of columns is an inner product, the third of opened triples with the columns
/// that their bits select.
#[test]
fn sums_of_columns() {
    let (chi, bits) = (random(1, 130), random(2, 130));
    let triples: Vec<Triple> = random(3, 3 * 130).as_chunks().0.to_vec();
    let [left, right] =
        [0, 1].map(|at| bits.iter().map(|word| F2::low_bit(word.0 >> at)).collect::<Vec<_>>());
    let sum = |of: &dyn Fn(usize) -> F128| (0..130).map(|i| chi[i] * of(i)).sum::<F128>();
    let columns = [0, 1, 2].map(|column| sum(&|i| triples[i][column]));
    assert_eq!(triple_sums(Arch::PORTABLE, &chi, &triples), columns);
    let chosen = |bits: &[F2], column: usize| {
        sum(&|i| if bits[i].to_bool() { triples[i][column] } else { F128::ZERO })
    };
    let third = columns[2] + chosen(&right, 0) + chosen(&left, 1);
    assert_eq!(opened_sums(Arch::PORTABLE, &chi, &triples, &left, &right), [columns[0], columns[1], third]);
}

#[test]
fn half_trees() {
    for trees in [1, 2, 3, 4, 7, 8, 33, 64, 128] {
        for rows in [1, 2, 4, 16, 64] {
            let length = 2 * rows * trees;
            agree("grow", |arch| {
                let mut nodes = random(1, length);
                grow(&Aes128::new(arch, F128(2)), &mut nodes);
                nodes
            });
            agree("sum_rows", |arch| {
                let mut sums = random(1, trees);
                sum_rows(arch, &random(2, length), &mut sums);
                sums
            });
            let row: Vec<F128> = random(3, trees)
                .iter()
                .map(|r| F128((r.0 as u64 % rows as u64) as u128 * (1 << 64 | 1)))
                .collect();
            let (left, right) = (random(4, trees), random(5, trees));
            let punctured = |arch| {
                let mut nodes = random(6, length);
                puncture(arch, &mut nodes, Punctures { row: &row, left: &left, right: &right });
                nodes
            };
            agree("puncture", punctured);
            for keep in [u128::MAX, !1].map(F128) {
                let grown = |arch, punctures| {
                    let mut nodes = random(6, length);
                    grow_with(&Aes128::new(arch, F128(2)), &mut nodes, keep, punctures);
                    nodes
                };
                let punctures = Punctures { row: &row, left: &left, right: &right };
                agree("grow_with", |arch| grown(arch, Some(punctures)));
                let mut after = grown(Arch::PORTABLE, None);
                assert!(after.iter().all(|node| node.0 & keep.0 == node.0));
                puncture(Arch::PORTABLE, &mut after, punctures);
                assert_eq!(grown(Arch::PORTABLE, Some(punctures)), after);
            }
            let (before, after) = (random(6, length), punctured(Arch::PORTABLE));
            for g in 0..trees {
                for y in 0..rows {
                    let here = row[g].0 as u64 == y as u64;
                    let changed = |at: usize| before[at * trees + g] ^ after[at * trees + g];
                    assert_eq!(changed(y), if here { left[g] } else { F128::ZERO });
                    assert_eq!(changed(rows + y), if here { right[g] } else { F128::ZERO });
                }
            }
        }
    }
}

/// A level keeps the sum of all nodes: what the half-tree is named for.
#[test]
fn children_sum_to_their_parent() {
    let key = Aes128::new(Arch::detect(), F128(9));
    let parents = random(1, 40);
    let mut nodes = [parents.clone(), random(2, 40)].concat();
    grow(&key, &mut nodes);
    for (i, &parent) in parents.iter().enumerate() {
        assert_eq!(nodes[i] ^ nodes[40 + i], parent);
        let mut hashed = [parent];
        crate::hash::Circular::new(Arch::PORTABLE, F128(9)).apply(&mut hashed);
        assert_eq!(nodes[i], hashed[0]);
    }
}

#[test]
fn encodings() {
    for size in [1, 10, 1000, 1 << 15, 36_864] {
        let table = random(1, size);
        for (first, length) in [(0, 2), (6, 64), (100, 66), (1 << 40, 200), (2, 7)] {
            agree("encode", |arch| {
                let mut rows = random(2, length);
                encode(&Aes128::new(arch, F128(3)), first, &table, &mut rows);
                rows
            });
        }
    }
}

#[test]
fn encoded_rows_do_not_depend_on_the_tile() {
    let (table, key) = (random(1, 999), Aes128::new(Arch::detect(), F128(4)));
    let mut whole = random(2, 300);
    let mut pieces = whole.clone();
    encode(&key, 500, &table, &mut whole);
    let (a, b) = pieces.split_at_mut(130);
    encode(&key, 500, &table, a);
    encode(&key, 630, &table, b);
    assert_eq!(whole, pieces);
}

#[test]
fn extreme_products() {
    let all = [F128(u128::MAX); 9];
    let top = [F128(1 << 127); 9];
    agree("dot", |arch| dot(arch, &all, &top));
    let triples = [[top[0], all[0], all[0]]; 9];
    agree("prover_sums", |arch| prover_sums(arch, &all, &triples));
    agree("opened_sums", |arch| opened_sums(arch, &all, &triples, &[F2::ONE; 9], &[F2::ONE; 9]));
}

#[test]
fn transposes() {
    for blocks in [1, 2, 3, 4, 5, 8, 11] {
        let columns = random(blocks as u128, 128 * blocks);
        agree("transpose", |arch| {
            let mut rows = vec![F128::ZERO; 128 * blocks];
            transpose(arch, &columns, &mut rows);
            rows
        });
        let mut rows = vec![F128::ZERO; 128 * blocks];
        transpose(Arch::PORTABLE, &columns, &mut rows);
        for (p, j, b) in [(0, 0, 0), (127, 3, blocks - 1), (5, 127, blocks / 2), (64, 63, 0)] {
            assert_eq!(rows[128 * b + j].0 >> p & 1, columns[p * blocks + b].0 >> j & 1);
        }
    }
}

#[test]
#[should_panic(expected = "wrap")]
fn a_counter_may_not_wrap() {
    Aes128::new(Arch::PORTABLE, F128(0)).counter(u64::MAX.into(), &mut [F128::ZERO; 2]);
}

#[test]
fn products_of_bit_matrices() {
    for blocks in [1, 2, 3, 4, 5, 8, 9, 32] {
        for (height, width) in [(0, 3), (1, 1), (4, 2), (5, 3), (64, 7), (3, 0)] {
            let (rows, columns) = (random(1, height * blocks), random(2, width * blocks));
            agree("bit products", |arch| {
                let mut out = random(3, height * width);
                bit_products(arch, &rows, &columns, blocks, &mut out);
                out
            });
        }
    }
}
