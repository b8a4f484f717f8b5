use super::*;
use volery_channel::error::Result;
use volery_circuit::stream::{Source, Streamed};
use volery_circuit::{Circuit, Clear, Matrix, Shape};
use volery_primitives::{F2, F61, F256, F65537, Field, Goldilocks};

const SEED: [u8; 32] = [7; 32];

fn check<F: Field>(circuit: &dyn Source<F>, witness: &[F]) -> Result<()> {
    let mut clear = Clear::new(witness.to_vec());
    Streamed(circuit).run(&mut clear)?;
    clear.finish()
}

/// Demands that the assertion `name` fails.
#[track_caller]
fn fails_at<F: Field>(circuit: &dyn Source<F>, witness: &[F], name: &str) {
    let why = check(circuit, witness).unwrap_err().to_string();
    assert!(why.contains(&format!(": {name} does not hold")), "{name:?} is missing in {why:?}");
}

/// Inner products around the seams of chunks, with each wrong element, or with those beside the seams and some
/// others.
fn inner_products<F: Field>(each: bool) {
    for length in [1, 2, 511, 512, 513, 1024, 1300] {
        let z = InnerProduct::<F>::product_of(length, SEED);
        let statement = InnerProduct::new(length, z).unwrap();
        let mut witness: Vec<F> = statement.witness(SEED).collect();
        assert_eq!(witness.len(), 2 * length as usize);
        check(&statement, &witness).unwrap();
        fails_at(&InnerProduct::new(length, z + F::ONE).unwrap(), &witness, "z");
        // Chunks of both vectors, one after the other.
        let chunks: Vec<usize> = (0..length as usize).map(|i| i / 512 * 1024).collect();
        let sizes: Vec<usize> =
            (0..length as usize).map(|i| 512.min(length as usize - i / 512 * 512)).collect();
        let places = (0..length as usize).map(|i| (chunks[i] + i % 512, chunks[i] + sizes[i] + i % 512));
        let places: Vec<_> = places.collect();
        assert_eq!(places.iter().map(|&(x, y)| witness[x] * witness[y]).sum::<F>(), z);
        let last = places.len() - 1;
        let beside_seam = |i: usize| i % 512 < 2 || i % 512 > 509 || i + 1 >= last;
        let wrong = (0..=last).filter(|&i| each || beside_seam(i) || i % 61 == 0).map(|i| places[i]);
        for (x, y) in wrong.flat_map(|(x, y)| [(x, y), (y, x)]) {
            witness[x] += F::ONE;
            assert_eq!(check(&statement, &witness).is_ok(), witness[y] == F::ZERO, "{length}: {x}");
            witness[x] -= F::ONE;
        }
        assert!(check(&statement, &witness[1..]).is_err(), "one element is missing");
    }
}

#[test]
fn inner_products_hold_and_wrong_elements_are_found() {
    over_some_fields(false);
}

#[test]
#[ignore = "slow"]
fn each_wrong_element_of_an_inner_product_is_found() {
    over_some_fields(true);
}

fn over_some_fields(each: bool) {
    inner_products::<F2>(each);
    inner_products::<F256>(each);
    inner_products::<F61>(each);
    inner_products::<F65537>(each);
    inner_products::<Goldilocks>(each);
}

const REDUCTIONS: [Reduction; 2] = [Reduction::Random, Reduction::InnerProducts];

fn matrix_products<F: Field>() {
    for (rows, inner, columns) in [(1, 1, 1), (3, 5, 4), (4, 1, 2), (1, 9, 1), (6, 2, 3)] {
        let dimensions = Dimensions { rows, inner, columns };
        let product = MatrixProduct::<F>::product_of(dimensions, SEED);
        for reduction in REDUCTIONS {
            let public = MatrixProduct::new(dimensions, Some(&product), reduction).unwrap();
            let mut witness: Vec<F> = public.witness(SEED).collect();
            let (a, b) = witness.split_at(rows * inner);
            let entry =
                |i: usize, j: usize| (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum::<F>();
            for (place, &computed) in product.iter().enumerate() {
                assert_eq!(computed, entry(place / columns, place % columns));
            }
            check(&public, &witness).unwrap();
            let secret = MatrixProduct::new(dimensions, None, reduction).unwrap();
            let all: Vec<F> = secret.witness(SEED).collect();
            assert_eq!(all, [&witness[..], &product].concat());
            check(&secret, &all).unwrap();
            for place in 0..product.len() {
                let name = format!("c[{}][{}]", place / columns, place % columns);
                let mut wrong = product.clone();
                wrong[place] += F::ONE;
                fails_at(&MatrixProduct::new(dimensions, Some(&wrong), reduction).unwrap(), &witness, &name);
                fails_at(&secret, &[&witness[..], &wrong].concat(), &name);
            }
            for place in 0..witness.len() {
                // The entries that this one is multiplied by.
                let harmless = if place < rows * inner {
                    let row = &witness[rows * inner..][place % inner * columns..][..columns];
                    row.iter().all(|entry| *entry == F::ZERO)
                } else {
                    let k = (place - rows * inner) / columns;
                    (0..rows).all(|i| witness[i * inner + k] == F::ZERO)
                };
                witness[place] += F::ONE;
                assert_eq!(check(&public, &witness).is_ok(), harmless, "{dimensions:?}: {place}");
                witness[place] -= F::ONE;
            }
        }
    }
}

#[test]
fn matrix_products_hold_and_each_wrong_entry_is_named() {
    matrix_products::<F2>();
    matrix_products::<F256>();
    matrix_products::<F61>();
    matrix_products::<F65537>();
    matrix_products::<Goldilocks>();
}

fn integer<F: Field>(j: i64) -> F {
    let element = F::from_word(j.unsigned_abs().into()).unwrap();
    if j < 0 { -element } else { element }
}

fn short_solutions<F: Field>() {
    let (rows, columns) = (3, 9);
    let entries = ShortSolution::<F>::matrix_of(rows, columns, [1; 32]);
    let matrix = Matrix::new(&entries, columns);
    for (bound, range) in [
        (Bound::Binary, 0..=1),
        (Bound::Within(1), -1..=1),
        (Bound::Within(2), -2..=2),
        (Bound::Within(5), -5..=5),
        (Bound::Within(63), -63..=63),
    ] {
        let mut s = ShortSolution::<F>::solution_of(columns, bound, SEED);
        assert!(s.iter().all(|s| range.clone().any(|j| *s == integer(j))));
        let image = ShortSolution::image_of(matrix, &s);
        let statement = ShortSolution::new(matrix, &image, bound).unwrap();
        check(&statement, &s).unwrap();
        for place in 0..columns {
            let right = s[place];
            for outside in [range.start() - 1, range.end() + 1, 1000, -1000, range.start() - 2] {
                s[place] = integer(outside);
                fails_at(&statement, &s, &format!("the range of s[{place}]"));
            }
            // The image is that of none of the others that are allowed.
            for inside in range.clone().map(integer::<F>).filter(|inside| *inside != right) {
                s[place] = inside;
                fails_at(&statement, &s, "t[0]");
            }
            s[place] = right;
        }
        for row in 0..rows {
            let mut wrong = image.clone();
            wrong[row] += F::ONE;
            fails_at(&ShortSolution::new(matrix, &wrong, bound).unwrap(), &s, &format!("t[{row}]"));
        }
    }
}

#[test]
fn short_solutions_hold_and_others_are_named() {
    short_solutions::<F61>();
    short_solutions::<F65537>();
    short_solutions::<Goldilocks>();
}

#[test]
fn long_solutions_are_read_in_pieces() {
    let columns = 5000;
    let entries = ShortSolution::<F61>::matrix_of(1, columns, [1; 32]);
    let matrix = Matrix::new(&entries, columns);
    let mut s = ShortSolution::<F61>::solution_of(columns, Bound::Within(1), SEED);
    let image = ShortSolution::image_of(matrix, &s);
    let statement = ShortSolution::new(matrix, &image, Bound::Within(1)).unwrap();
    check(&statement, &s).unwrap();
    let right = core::mem::replace(&mut s[4999], F61::new(2));
    fails_at(&statement, &s, "the range of s[4096..5000][903]");
    s[4999] = right;
    s[17] = F61::new(2);
    fails_at(&statement, &s, "the range of s[0..4096][17]");
}

fn sizes(circuit: &impl Source<F61>) -> [u64; 6] {
    let shape = Shape::of(circuit).unwrap();
    [shape.inputs, shape.mul, shape.assert, shape.polynomials, shape.degree, shape.matrices]
}

#[test]
fn counts_are_exact() {
    for length in [1, 512, 100_000] {
        let statement = InnerProduct::new(length, F61::ONE).unwrap();
        assert_eq!(sizes(&statement), [2 * length, 0, 1, 1, 2, 0]);
    }
    let dimensions = Dimensions { rows: 5, inner: 7, columns: 3 };
    let product = [F61::ZERO; 15];
    for (product, more) in [(Some(&product[..]), 0), (None, 15)] {
        let [random, each] = REDUCTIONS.map(|reduction| {
            let statement = MatrixProduct::new(dimensions, product, reduction).unwrap();
            sizes(&statement)
        });
        assert_eq!(random, [35 + 21 + more, 0, 1, 0, 2, 1]);
        assert_eq!(each, [35 + 21 + more, 0, 15, 15, 2, 0]);
    }
    let entries = ShortSolution::<F61>::matrix_of(4, 10, SEED);
    for (bound, degree) in [(Bound::Binary, 2), (Bound::Within(1), 3), (Bound::Within(63), 127)] {
        let statement = ShortSolution::new(Matrix::new(&entries, 10), &entries[..4], bound).unwrap();
        assert_eq!(sizes(&statement), [10, 0, 10 + 4, 10, degree, 0]);
        let counted = Shape::of(&statement).unwrap();
        assert_eq!((counted.scale, counted.add, counted.constant), (40, 40, 4));
    }
}

#[test]
fn digests_tell_statements_apart() {
    let (one, two) = (F61::ONE, F61::new(2));
    let dimensions = |rows, inner, columns| Dimensions { rows, inner, columns };
    let product = |dimensions, product: Option<&[F61]>, reduction| {
        MatrixProduct::new(dimensions, product, reduction).unwrap().digest()
    };
    let short = |entries: &[F61], columns, image: &[F61], bound| {
        ShortSolution::new(Matrix::new(entries, columns), image, bound).unwrap().digest()
    };
    let all = [
        InnerProduct::new(5, one).unwrap().digest(),
        InnerProduct::new(6, one).unwrap().digest(),
        InnerProduct::new(5, two).unwrap().digest(),
        InnerProduct::new(5, Goldilocks::ONE).unwrap().digest(),
        product(dimensions(1, 2, 1), Some(&[one]), Reduction::Random),
        product(dimensions(1, 2, 1), Some(&[two]), Reduction::Random),
        product(dimensions(1, 2, 1), None, Reduction::Random),
        product(dimensions(1, 2, 1), Some(&[one]), Reduction::InnerProducts),
        product(dimensions(1, 3, 1), Some(&[one]), Reduction::Random),
        product(dimensions(1, 2, 2), Some(&[one, one]), Reduction::Random),
        product(dimensions(2, 2, 1), Some(&[one, one]), Reduction::Random),
        MatrixProduct::new(dimensions(1, 2, 1), Some(&[F65537::ONE]), Reduction::Random).unwrap().digest(),
        short(&[one, two], 2, &[one], Bound::Binary),
        short(&[one, two], 2, &[one], Bound::Within(1)),
        short(&[one, two], 2, &[one], Bound::Within(2)),
        short(&[one, two], 2, &[two], Bound::Binary),
        short(&[two, one], 2, &[one], Bound::Binary),
        short(&[one, two], 1, &[one, one], Bound::Binary),
        ShortSolution::new(Matrix::new(&[F65537::ONE], 1), &[F65537::ONE], Bound::Binary).unwrap().digest(),
        short(&[one], 1, &[one], Bound::Binary),
    ];
    for (i, digest) in all.iter().enumerate() {
        assert!(!all[..i].contains(digest), "{i}");
    }
}

#[test]
fn sizes_and_bounds_are_checked() {
    fn refused<T>(made: Result<T>, words: &str) {
        let why = made.err().expect("refused").to_string();
        assert!(why.contains(words), "{words:?} is missing in {why:?}");
    }
    for length in [0, u64::MAX] {
        refused(InnerProduct::new(length, F61::ONE), "choose from 1 to 2^60");
    }
    for (rows, inner, columns) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1 << 20, 1, 1 << 20), (usize::MAX, 2, 1)]
    {
        let dimensions = Dimensions { rows, inner, columns };
        refused(
            MatrixProduct::<F61>::new(dimensions, None, Reduction::Random),
            "choose from 1 to 2^32 entries",
        );
    }
    let dimensions = Dimensions { rows: 2, inner: 1, columns: 2 };
    let made = MatrixProduct::new(dimensions, Some(&[F61::ONE; 3]), Reduction::Random);
    refused(made, "a product of 2×2 entries, and 3 for it");
    let one = [F61::ONE];
    let short = |image, bound| ShortSolution::new(Matrix::new(&one, 1), image, bound);
    refused(short(&[], Bound::Binary), "1 linear equations with 0 right sides");
    for bound in [0, 64, usize::MAX] {
        let words = "choose a bound from 1 to 63, for polynomials of degree 128 at most";
        refused(short(&one, Bound::Within(bound)), words);
    }
    refused(Bound::Binary.check::<F256>(), "elements of f256 are not integers");
    refused(Bound::Within(1).check::<F2>(), "elements of f2 are not integers");
}

/// The witness is drawn anew, and never held.
#[test]
fn witnesses_stream() {
    let length = 1_000_000;
    let statement = InnerProduct::new(length, InnerProduct::<F61>::product_of(length, SEED)).unwrap();
    let mut clear = Clear::new(statement.witness(SEED));
    Streamed(&statement).run(&mut clear).unwrap();
    clear.finish().unwrap();
}
