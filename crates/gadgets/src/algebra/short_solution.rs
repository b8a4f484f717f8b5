//! Linear equations with a short solution: what makes lattices hard (SIS).

use core::fmt::Display;
use volery_channel::error::{Error, Result};
use volery_circuit::{Circuit, HIGHEST_DEGREE, Matrix, Polynomials, prime_field};
use volery_primitives::hash::elements::{absorb, expanded};
use volery_primitives::{Field, U256};

/// The integers that the entries of a short vector may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// 0 or 1.
    Binary,
    /// Integers from minus this number to this number.
    Within(usize),
}

/// "I know a short vector that this public matrix maps to that vector."
///
/// The witness is the short vector. That an entry s is within b is that `Π (s - j)` over all j from -b to b
/// is zero: a polynomial of degree 2b + 1.
///
/// ```
/// # use volery_gadgets::testing::volery;
/// use volery::circuit::{Bound, Clear, Matrix, ShortSolution};
/// use volery::{Circuit, F61};
///
/// let matrix = ShortSolution::<F61>::matrix_of(4, 16, [3; 32]);
/// let solution = ShortSolution::<F61>::solution_of(16, Bound::Within(2), [7; 32]);
/// let matrix = Matrix::new(&matrix, 16);
/// let image = ShortSolution::image_of(matrix, &solution);
/// let statement = ShortSolution::new(matrix, &image, Bound::Within(2))?;
/// let mut clear = Clear::new(solution);
/// statement.run(&mut clear)?;
/// clear.finish()?;
/// # Ok::<(), volery::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ShortSolution<'a, F> {
    matrix: Matrix<'a, F>,
    image: &'a [F],
    bound: Bound,
}

impl<'a, F: Field> ShortSolution<'a, F> {
    /// The statement that `matrix` maps a vector within `bound` to `image`.
    ///
    /// # Errors
    /// `Invalid` where `image` has not an element for each row; those of [`Bound::check`].
    pub fn new(matrix: Matrix<'a, F>, image: &'a [F], bound: Bound) -> Result<Self> {
        bound.check::<F>()?;
        let rows = matrix.rows().len();
        if image.len() != rows {
            return Err(Error::invalid(format!(
                "{rows} linear equations with {} right sides: give as many of both",
                image.len()
            )));
        }
        Ok(Self { matrix, image, bound })
    }

    /// A digest of the statement and its field.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery short solution v1");
        let bound = match self.bound {
            Bound::Binary => 0,
            Bound::Within(bound) => bound,
        };
        for size in [self.image.len(), self.matrix.columns(), bound] {
            hasher.update(&(size as u64).to_le_bytes());
        }
        absorb(&mut hasher, self.matrix.entries());
        absorb(&mut hasher, self.image);
        hasher.update(F::name().as_bytes());
        hasher.finalize().into()
    }

    /// The entries of a matrix that is expanded from `seed`, row by row.
    pub fn matrix_of(rows: usize, columns: usize, seed: [u8; 32]) -> Vec<F> {
        expanded(seed).take(rows * columns).collect()
    }

    /// A vector within `bound` that is expanded from `seed`.
    ///
    /// # Panics
    /// Where [`Bound::check`] refuses the bound.
    pub fn solution_of(length: usize, bound: Bound, seed: [u8; 32]) -> Vec<F> {
        let (least, values) = match bound {
            Bound::Binary => (F::ZERO, 2),
            Bound::Within(bound) => (-integer::<F>(bound), 2 * bound + 1),
        };
        let value = |x: F| least + integer(x.to_integer().div_rem(values as u64).1 as usize);
        expanded(seed).map(value).take(length).collect()
    }

    /// The image of `solution` under `matrix`.
    ///
    /// # Panics
    /// Where rows are not as long as `solution`.
    pub fn image_of(matrix: Matrix<F>, solution: &[F]) -> Vec<F> {
        assert_eq!(matrix.columns(), solution.len());
        matrix.rows().map(|row| row.iter().zip(solution).map(|(&a, &s)| a * s).sum()).collect()
    }
}

impl<B: Polynomials> Circuit<B> for ShortSolution<'_, B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let equations = self.matrix.rows().zip(self.image.iter().copied());
        push(b, self.matrix.columns(), equations, self.bound, |b, _| b.witness())
    }
}

/// Pushes the statement about a vector of `length` whose entries `wire` gives by their places, and about
/// `equations`, each a row of the matrix with the right side.
pub fn push<'a, B: Polynomials>(
    b: &mut B,
    length: usize,
    equations: impl Iterator<Item = (&'a [B::F], B::F)>,
    bound: Bound,
    mut wire: impl FnMut(&mut B, usize) -> Result<B::Wire>,
) -> Result<()> {
    let mut solution = Vec::with_capacity(length);
    for start in (0..length).step_by(LANES) {
        let end = length.min(start + LANES);
        for i in start..end {
            solution.push(wire(b, i)?);
        }
        let piece = &solution[start..end];
        if piece.len() == length {
            bound.assert(b, piece, "the range of s")?;
        } else {
            bound.assert(b, piece, format_args!("the range of s[{start}..{end}]"))?;
        }
    }
    let (rows, right): (Vec<_>, Vec<_>) = equations.unzip();
    b.linear_map(rows.into_iter(), &solution, |b, i, image| {
        let expected = b.constant(-right[i]);
        let difference = b.add(image, expected);
        b.assert_zero(difference, format_args!("t[{i}]"))
    })
}

/// Entries whose polynomials are held at once.
const LANES: usize = 1 << 12;

impl Bound {
    /// The degree of the polynomial whose zeros are the integers that are allowed.
    pub fn degree(self) -> usize {
        match self {
            Self::Binary => 2,
            Self::Within(bound) => bound.saturating_mul(2).saturating_add(1),
        }
    }

    /// Checks that vectors over `F` may be bounded so.
    ///
    /// # Errors
    /// `Invalid` where elements are no integers, as in characteristic two, where the modulus is smaller
    /// than the number of integers that are allowed, for a bound of 0, and for one that needs a degree
    /// above [`HIGHEST_DEGREE`].
    pub fn check<F: Field>(self) -> Result<()> {
        let modulus = prime_field::<F>()?;
        let Self::Within(bound) = self else { return Ok(()) };
        let most = (HIGHEST_DEGREE - 1) / 2;
        if bound == 0 || bound > most {
            return Err(Error::invalid(format!(
                "entries from -{bound} to {bound}: choose a bound from 1 to {most}, for polynomials of degree \
                 {HIGHEST_DEGREE} at most"
            )));
        }
        if modulus < U256::from(self.degree() as u64) {
            return Err(Error::invalid(format!(
                "entries from -{bound} to {bound}: {} has only {modulus} elements",
                F::name()
            )));
        }
        Ok(())
    }

    /// Demands that `wires` carry integers that are allowed.
    fn assert<B: Polynomials>(self, b: &mut B, wires: &[B::Wire], name: impl Display) -> Result<()> {
        let s = b.vector(wires);
        let product = match self {
            Self::Binary => {
                let minus_one = b.public(&[-B::F::ONE]);
                let less = b.sum(&s, &minus_one);
                b.product(&s, &less)?
            }
            // (s - j)·(s + j) = s² - j².
            Self::Within(bound) => {
                let square = b.product(&s, &s)?;
                (1..=bound).try_fold(s, |product, j| {
                    let j = integer::<B::F>(j);
                    let negated = b.public(&[-(j * j)]);
                    let pair = b.sum(&square, &negated);
                    b.product(&product, &pair)
                })?
            }
        };
        b.assert_zeroes(product, name)
    }
}

/// The element that is the integer `j`, which is below the modulus.
fn integer<F: Field>(j: usize) -> F {
    F::from_word(j as u128).expect("below the modulus")
}
