//! Every kernel of every field by its formula, on all instruction sets, lengths around every vector and batch
//! edge, and elements at the edges of the reductions.

use volery_primitives::aes::Aes128;
use volery_primitives::arch::WEIGHT;
use volery_primitives::hash::Circular;
use volery_primitives::mac::Holes;
use volery_primitives::prg::Prg;
use volery_primitives::{
    Arch, Bls12381, Bn254, F2, F61, F61x2, F64, F128, F256, F65537, F65537x4, Field, Goldilocks,
    Goldilocksx2, MOST_WORDS, MacField, Q32, Q32x2, Tag as _,
};

const LENGTHS: [usize; 20] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 200, 511, 512, 513];

/// Random elements, one in two of which is zero, one, minus one or minus two.
fn elements<F: Field>(seed: u128, length: usize) -> Vec<F> {
    let mut blocks = vec![F128::ZERO; 4 * length];
    Prg::new(Arch::PORTABLE, F128(seed)).fill(&mut blocks);
    let element = |x: &[F128; 4]| {
        let words: [u64; MOST_WORDS] = core::array::from_fn(|i| (x[i / 2].0 >> (64 * (i % 2))) as u64);
        match x[3].0 % 8 {
            0 => F::ZERO,
            1 => F::ONE,
            2 => -F::ONE,
            3 => -F::ONE - F::ONE,
            _ => F::sample(&words[..F::SAMPLE]),
        }
    };
    blocks.as_chunks().0.iter().map(element).collect()
}

fn tagged<B: Field, E: MacField<B>>(seed: u128, length: usize) -> Vec<E::Tag> {
    let pairs = elements(seed, length).into_iter().zip(elements(seed + 100, length));
    pairs.map(|(value, mac)| E::Tag::new(value, mac)).collect()
}

/// The values and the MACs of `rows`.
fn parts<B: Field, E: MacField<B>>(rows: &[E::Tag]) -> (Vec<B>, Vec<E>) {
    rows.iter().map(|row| (row.value(), row.mac())).unzip()
}

fn field<B: Field, E: MacField<B>>() {
    for arch in Arch::available() {
        for length in LENGTHS {
            sums::<B, E>(arch, length);
            samples::<B, E>(arch, length);
        }
        for trees in [1, 2, 3, 4, 5, 7, 8, 9, 16, 33] {
            for rows in [1, 2, 8, 15] {
                trees_and_rows::<B, E>(arch, trees, rows);
            }
        }
        for (keys, length) in [(1, 1), (2, 3), (16, 7), (256, 2), (3, 64), (2, 65), (2, 131)] {
            generated::<B, E>(arch, keys, length);
        }
        for size in [1, 10, 1000] {
            for (first, length) in [(0, 2), (6, 64), (1 << 40, 130), (2, 7)] {
                encodings::<B, E>(arch, size, first, length);
            }
        }
    }
}

fn sums<B: Field, E: MacField<B>>(arch: Arch, length: usize) {
    let (chi, a, b) = (elements::<E>(1, length), elements::<E>(2, length), elements::<E>(3, length));
    assert_eq!(E::dot(arch, &a, &b), a.iter().zip(&b).map(|(&a, &b)| a * b).sum());

    let rows = tagged::<B, E>(4, length);
    let macs = chi.iter().zip(&rows).map(|(&chi, row)| chi * row.mac()).sum();
    let values = chi.iter().zip(&rows).map(|(&chi, row)| chi * E::from(row.value())).sum();
    assert_eq!(E::weigh(arch, &chi, &rows), (macs, values));

    let others = tagged::<B, E>(9, length);
    let pairs = || rows.iter().zip(&others);
    let macs = pairs().map(|(a, b)| a.mac() * b.mac()).sum();
    let cross = pairs().map(|(a, b)| E::from(a.value()) * b.mac() + E::from(b.value()) * a.mac()).sum();
    let values = pairs().map(|(a, b)| a.value() * b.value()).sum();
    assert_eq!(E::inner_product(arch, &rows, &others), (macs, cross, values));

    let factors = parts::<B, E>(&others).0;
    let (two, keys) = (B::ONE + B::ONE, parts::<B, E>(&rows).1);
    let small = [B::ONE, -B::ONE, two, -two, B::ZERO, two + B::ONE];
    // None that is small, every other one, and no other ones.
    for with in 0..3 {
        let factor = |i: usize| if i % 2 < with { small[i * 5 % small.len()] } else { factors[i] };
        let factors: Vec<B> = (0..length).map(factor).collect();
        for length in [1.min(length), length] {
            let (factors, rows) = (&factors[..length], &rows[..length]);
            let expected = factors
                .iter()
                .zip(rows)
                .fold(E::Tag::default(), |sum, (&factor, row)| sum + row.scale(factor));
            let sum = E::linear(arch, factors, rows);
            assert_eq!((sum.value(), sum.mac()), (expected.value(), expected.mac()));
            assert_eq!(E::combine(arch, factors, &keys[..length]), expected.mac());
            assert_eq!(E::linear_keys(arch, factors, &keys[..length]), expected.mac());
        }
    }
    let (mut products, mut scaled) = (chi.clone(), chi.clone());
    E::add_products(arch, &a, &b, &mut products);
    E::add_scaled(arch, &a, &factors, &mut scaled);
    for i in 0..length {
        assert_eq!(products[i], chi[i] + a[i] * b[i]);
        assert_eq!(scaled[i], chi[i] + a[i] * E::from(factors[i]));
    }
    // As many as are reduced together, and more.
    for count in [0, 1, 5, 130, 1030].into_iter().filter(|count| *count < 1000 || length < 20) {
        let (mut sums, mut values) = (chi.clone(), factors.clone());
        let threes = [B::ONE + B::ONE + B::ONE];
        let scaled = [(&a[..], &factors[..]), (&b[..], &threes[..])];
        let pairs = vec![(&a[..], &b[..]); count];
        E::add_sums(arch, &pairs, &scaled, &mut sums);
        let mut set = b.clone();
        E::set_sums(arch, &pairs, &scaled, &mut set);
        assert!(set.iter().zip(&sums).zip(&chi).all(|((set, sum), chi)| *set + *chi == *sum));
        E::set_sums(arch, &[], &vec![(&a[..], &factors[..]); count], &mut set);
        let (times, times_base) = (times::<E>(count), times::<B>(count));
        let of_scaled = |i: usize| times * (a[i] * E::from(factors[i]));
        assert!((0..length).all(|i| set[i] == of_scaled(i)));
        E::set_sums(arch, &pairs, &[], &mut set);
        let of_pairs = |i: usize| times * (a[i] * b[i]);
        assert!((0..length).all(|i| set[i] == of_pairs(i)));
        let mut products = vec![(&factors[..], &factors[..]); count];
        products.push((&factors, &threes));
        E::add_values(arch, &products, &mut values);
        for i in 0..length {
            let products = times * (a[i] * b[i]);
            assert_eq!(sums[i], chi[i] + products + a[i] * E::from(factors[i]) + b[i] * E::from(threes[0]));
            let products = times_base * (factors[i] * factors[i]);
            assert_eq!(values[i], factors[i] + products + factors[i] * threes[0]);
        }
    }

    // One factor for all lanes.
    for factor in [B::ZERO, B::ONE, -B::ONE].into_iter().chain(factors.iter().copied().take(3)) {
        let (mut sums, mut weighed) = (chi.clone(), chi.clone());
        E::add_sums(arch, &[], &[(&a, &[factor]), (&b, &[-factor])], &mut sums);
        E::add_weighed(arch, &[(&a, E::from(factor)), (&b, E::ONE)], &mut weighed);
        for i in 0..length {
            assert_eq!(sums[i], chi[i] + (a[i] - b[i]) * E::from(factor));
            assert_eq!(weighed[i], chi[i] + a[i] * E::from(factor) + b[i]);
        }
    }

    let gates = tagged::<B, E>(5, 3 * length).as_chunks().0.to_vec();
    let (mut constant, mut linear) = (a.clone(), b.clone());
    E::products(arch, &gates, &mut constant, &mut linear);
    let columns = [0, 1, 2].map(|column| gates.iter().map(|gate| gate[column]).collect::<Vec<_>>());
    let columns = columns.each_ref().map(|column| &column[..]);
    let (mut constants, mut linears) = (a.clone(), b.clone());
    E::column_products(arch, columns, (&mut constants, &mut linears), &mut Vec::new());
    assert_eq!((&constants, &linears), (&constant, &linear));
    for places in [[0, 1, 2], [0, 0, 1], [1, 0, 1], [2, 2, 2]] {
        let places = places.map(|place| place * length);
        let before = columns.concat();
        let (mut tags, mut keys) = (before.clone(), parts::<B, E>(&before).1);
        E::add_tags(arch, &mut tags, places, length);
        E::add_keys(arch, &mut keys, places, length);
        for (at, (tag, key)) in tags.into_iter().zip(keys).enumerate() {
            let i = at.wrapping_sub(places[0]);
            let sum = if i < length { before[places[1] + i] + before[places[2] + i] } else { before[at] };
            assert_eq!((tag.value(), tag.mac(), key), (sum.value(), sum.mac(), sum.mac()));
        }
    }
    for (i, [a, b, c]) in gates.into_iter().enumerate() {
        assert_eq!(constant[i], a.mac() * b.mac());
        assert_eq!(linear[i], b.mac() * E::from(a.value()) + a.mac() * E::from(b.value()) - c.mac());
    }

    let gates = elements::<E>(6, 3 * length).as_chunks().0.to_vec();
    let products = chi.iter().zip(&gates).map(|(&chi, &[a, b, _])| chi * (a * b)).sum();
    let results = chi.iter().zip(&gates).map(|(&chi, &[_, _, c])| chi * c).sum();
    assert_eq!(E::verifier_sums(arch, &chi, &gates), (products, results));
    let columns = [0, 1, 2].map(|column| gates.iter().map(|gate: &[E; 3]| gate[column]).collect::<Vec<_>>());
    let columns = columns.each_ref().map(|column| &column[..]);
    assert_eq!(E::verifier_column_sums(arch, &chi, columns, &mut Vec::new()), (products, results));

    let (corrections, delta) = (elements::<B>(7, length), elements::<E>(8, 12));
    for delta in delta {
        let mut keys = a.clone();
        E::correct(arch, &mut keys, &corrections, delta);
        for (i, key) in keys.into_iter().enumerate() {
            assert_eq!(key, a[i] + delta * E::from(corrections[i]));
        }
    }
}

/// Blocks of which some halves are all ones or nearly so.
fn blocks(length: usize) -> Vec<F128> {
    let mut blocks = vec![F128::ZERO; length];
    Prg::new(Arch::PORTABLE, F128(9)).fill(&mut blocks);
    let edges = [u128::MAX, u128::from(u64::MAX), u128::MAX - 7, (F61::MODULUS as u128) << 64];
    blocks.iter_mut().step_by(3).zip(edges.into_iter().cycle()).for_each(|(block, edge)| *block = F128(edge));
    blocks
}

fn samples<B: Field, E: MacField<B>>(arch: Arch, length: usize) {
    let blocks = blocks((length * E::SAMPLE).div_ceil(2));
    let words: Vec<u64> = blocks.iter().flat_map(|x| [x.0 as u64, (x.0 >> 64) as u64]).collect();
    let mut out = elements(1, length);
    E::sample_all(arch, &blocks, &mut out);
    let expected = words.chunks_exact(E::SAMPLE).map(E::sample);
    assert_eq!(out, expected.take(length).collect::<Vec<_>>());

    let keys: Vec<_> = (1..=E::SAMPLE as u128).map(|key| Circular::new(arch, F128(key))).collect();
    let mut leaves = elements(2, 2 * length);
    let parents = &blocks[..length.min(blocks.len())];
    let leaves = &mut leaves[..2 * parents.len()];
    E::grow_leaves(&keys, &mut parents.to_vec(), leaves);
    for (y, &parent) in parents.iter().enumerate() {
        let words = keys.iter().flat_map(|key| {
            let mut block = [parent];
            key.apply(&mut block);
            [block[0].0 as u64, (block[0].0 >> 64) as u64]
        });
        let words: Vec<u64> = words.collect();
        let (left, right) = words.split_at(E::SAMPLE);
        let [left, right] = [left, right].map(|words| E::Tag::bare(E::sample(words)));
        assert_eq!((leaves[y], leaves[parents.len() + y]), (left, right));
    }
}

fn generated<B: Field, E: MacField<B>>(arch: Arch, keys: usize, length: usize) {
    let keys = blocks(keys);
    for skip in [0, 3, 160] {
        let (mut sums, mut weighed) = (elements::<B>(1, length), elements::<B>(2, length));
        E::sum_generated(arch, &keys, skip, &mut sums, &mut weighed);
        let [mut expected, mut expected_weighed] = [0, 1].map(|_| vec![B::ZERO; length]);
        for (y, key) in keys.iter().enumerate() {
            let mut blocks = vec![F128::ZERO; skip as usize + (B::SAMPLE * length).div_ceil(2)];
            Prg::new(arch, *key).fill(&mut blocks);
            let words: Vec<u64> =
                blocks[skip as usize..].iter().flat_map(|x| [x.0 as u64, (x.0 >> 64) as u64]).collect();
            for (i, words) in words.chunks_exact(B::SAMPLE).take(length).enumerate() {
                expected[i] += B::sample(words);
                (0..y).for_each(|_| expected_weighed[i] += B::sample(words));
            }
        }
        assert_eq!((sums, weighed), (expected, expected_weighed));
    }
}

fn trees_and_rows<B: Field, E: MacField<B>>(arch: Arch, trees: usize, half: usize) {
    let leaves: Vec<E> = elements(1, 2 * half * trees).into_iter().map(E::Tag::bare).collect();
    let mut sums = elements(2, trees);
    E::sum_rows(arch, &leaves, &mut sums);
    for (g, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum, leaves[g..].iter().step_by(trees).copied().sum());
    }

    let row: Vec<u64> = (0..trees).map(|g| (g * g + 3) as u64 % half as u64).collect();
    let (left, right) = (tagged::<B, E>(3, trees), tagged::<B, E>(4, trees));
    let mut rows = tagged::<B, E>(5, leaves.len());
    E::puncture(arch, &leaves, Holes { row: &row, left: &left, right: &right }, &mut rows);
    for (at, punctured) in rows.iter().enumerate() {
        let (y, g) = (at / trees, at % trees);
        let hole = if y < half { left[g] } else { right[g] };
        let leaf = E::Tag::new(B::ZERO, leaves[at]);
        let expected = if row[g] == (y % half) as u64 { leaf + hole } else { leaf };
        assert_eq!((punctured.value(), punctured.mac()), (expected.value(), expected.mac()));
    }
}

fn encodings<B: Field, E: MacField<B>>(arch: Arch, size: usize, first: u64, length: usize) {
    let matrix = Aes128::new(arch, F128(3));
    let (table, before) = (tagged::<B, E>(1, size), tagged::<B, E>(2, length));
    let mut rows = before.clone();
    E::encode_tagged(&matrix, first, &table, &mut rows);
    let mut keys = parts::<B, E>(&before).1;
    E::encode_keys(&matrix, first, &parts::<B, E>(&table).1, &mut keys);
    assert_eq!(parts::<B, E>(&rows).1, keys);
    for (j, (row, before)) in rows.iter().zip(before).enumerate() {
        let mut sum = before;
        for i in (first + j as u64) * WEIGHT as u64..(first + j as u64 + 1) * WEIGHT as u64 {
            let mut block = [F128::ZERO];
            matrix.counter(u128::from(i / 4), &mut block);
            let word = (block[0].0 >> (32 * (i % 4))) as u32;
            sum = sum + table[((u64::from(word) * size as u64) >> 32) as usize];
        }
        assert_eq!((row.value(), row.mac()), (sum.value(), sum.mac()));
    }
}

#[test]
fn f61() {
    field::<F61, F61>();
    field::<F61, F61x2>();
}

#[test]
fn goldilocks() {
    field::<Goldilocks, Goldilocks>();
    field::<Goldilocks, Goldilocksx2>();
}

#[test]
fn bn254() {
    field::<Bn254, Bn254>();
}

#[test]
fn bls12_381() {
    field::<Bls12381, Bls12381>();
}

#[test]
fn f65537() {
    field::<F65537, F65537x4>();
}

#[test]
fn q32() {
    field::<Q32, Q32x2>();
}

#[test]
fn f256() {
    field::<F256, F128>();
}

#[test]
fn f64() {
    field::<F2, F64>();
}

/// Sums of so many of the largest products that they are reduced on the way.
#[test]
fn long_sums() {
    fn field<E: MacField<F61>>() {
        let length = 2 * 8192 + 3;
        // All coordinates are p - 1 or p - 2.
        let places = || (0..E::BITS / 61).map(|i| E::place(61 * i));
        let (one, two) = (-places().sum::<E>(), -places().map(|x| x + x).sum::<E>());
        let (chi, rows) = (vec![one; length], vec![E::Tag::new(-F61::ONE, two); length]);
        let gates = vec![[two, one, one]; length];
        let count = E::from(F61::new(length as u64));
        for arch in Arch::available() {
            assert_eq!(E::dot(arch, &chi, &chi), count * one * one);
            assert_eq!(E::weigh(arch, &chi, &rows), (count * one * two, -count * one));
            assert_eq!(E::verifier_sums(arch, &chi, &gates), (count * one * two * one, count * one * one));
            let (products, values) = (count * two * two, F61::new(length as u64));
            assert_eq!(E::inner_product(arch, &rows, &rows), (products, -(count * (two + two)), values));
            let factors = vec![-F61::ONE; length];
            let sum = E::linear(arch, &factors, &rows);
            assert_eq!((sum.value(), sum.mac()), (values, -(count * two)));
            assert_eq!(E::combine(arch, &factors, &chi), -(count * one));
        }
    }
    field::<F61>();
    field::<F61x2>();
}

/// Sums of many products whose coordinates are p - 1 or 0, and change from each element to the next.
#[test]
fn long_sums_that_alternate() {
    fn field<B: Field, E: MacField<B>>() {
        let length = 2 * 8192 + 3;
        let edge = |set: u32| -> E {
            (0..E::degree()).filter(|i| set >> i & 1 == 1).map(|i| -E::place(B::BITS * i)).sum()
        };
        let all = (1 << E::degree()) - 1;
        let sets = [0, all, 1, all - 1, all & 0b0101, all & 0b1010];
        for (even, odd) in sets.iter().flat_map(|&even| sets.map(|odd| (edge(even), edge(odd)))) {
            let alternate = |sets: [E; 2]| (0..length).map(move |i| sets[i % 2]);
            let chi: Vec<E> = alternate([even, odd]).collect();
            let macs: Vec<E> = alternate([odd, even]).collect();
            let values = |i: usize| if i.is_multiple_of(2) { -B::ONE } else { B::ZERO };
            let rows: Vec<_> = macs.iter().enumerate().map(|(i, &mac)| E::Tag::new(values(i), mac)).collect();
            let gates: Vec<_> = chi.iter().zip(&macs).map(|(&a, &b)| [a, b, b]).collect();
            let [evens, odds] = [length.div_ceil(2), length / 2].map(times::<E>);
            let (mixed, squares) = ((evens + odds) * even * odd, evens * even * even + odds * odd * odd);
            let cubes = evens * even * even * odd + odds * odd * odd * even;
            for arch in Arch::available() {
                assert_eq!(E::dot(arch, &chi, &macs), mixed);
                assert_eq!(E::dot(arch, &chi, &chi), squares);
                assert_eq!(E::weigh(arch, &chi, &rows), (mixed, -evens * even));
                assert_eq!(E::verifier_sums(arch, &chi, &gates), (cubes, mixed));
                let others: Vec<_> = gates.iter().map(|gate| E::Tag::new(-B::ONE, gate[0])).collect();
                let (cross, values) =
                    (-(evens * even) - evens * odd - odds * even, times::<B>(length.div_ceil(2)));
                assert_eq!(E::inner_product(arch, &rows, &others), (mixed, cross, values));
                let (factors, macs) = parts(&others);
                let sum = E::linear(arch, &factors, &rows);
                assert_eq!((sum.value(), sum.mac()), (values, -(evens * odd) - odds * even));
                assert_eq!(E::combine(arch, &factors, &macs), -(evens * even) - odds * odd);
            }
        }
    }
    field::<F61, F61>();
    field::<F61, F61x2>();
    field::<Goldilocks, Goldilocks>();
    field::<Goldilocks, Goldilocksx2>();
    field::<F65537, F65537x4>();
    field::<Q32, Q32x2>();
}

/// `1 + … + 1`.
fn times<F: Field>(count: usize) -> F {
    core::iter::repeat_n(F::ONE, count).sum()
}
