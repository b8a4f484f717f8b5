//! `volery bench inner-product`, `matmul` and `sis`: statements that are proved as polynomials.

use crate::args::{Typed, size};
use crate::bench::Run;
use crate::plan::Plan;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Duration;
use volery::circuit::{
    Backend, Bound, Dimensions, InnerProduct, Matrix, MatrixProduct, Polynomials, Reduction, Shape,
    ShortSolution, Size,
};
use volery::random::Random;
use volery::{Circuit, F61, Field as _, Named, Q32};
use volery_cli::failure::{Failure, Result, one_of};
use volery_cli::print::seconds;
use volery_cli::report::Outcome;

/// Elements of each vector of `inner-product`, and rows and columns of the matrices of `matmul`, where none
/// are given.
const LENGTH: u64 = 1_000_000;
const SIDE: u64 = 1024;
/// Sides with about as many multiplications where each entry takes as many of them as an inner product.
const SIDE_BY_GATES: u64 = 128;

/// The ways of `matmul`, by --kind.
const RANDOM: &str = "random";
const INNER_PRODUCT: &str = "inner-product";
const GATES: &str = "gates";

/// The time that each party spends on an inner product beyond committing to its vectors.
struct Timed<F> {
    statement: InnerProduct<F>,
    beyond: Mutex<HashMap<ThreadId, Duration>>,
}

impl<B: Polynomials> Circuit<B> for Timed<B::F> {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let mut beyond = Duration::ZERO;
        self.statement.run_observed(b, |elapsed| beyond += elapsed)?;
        let mut times = self.beyond.lock().expect("no party panics with the lock held");
        *times.entry(thread::current().id()).or_default() += beyond;
        Ok(())
    }
}

/// Proves the inner product of two vectors over `S`.
pub(crate) fn inner_product<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let length = size("--length", run.typed.length.as_deref(), LENGTH)?;
    // Any witness will do, so that it is no secret.
    let seed = Random::from_system()?.bytes();
    let product = InnerProduct::<S::F>::product_of(length, seed);
    let statement = InnerProduct::new(length, product).map_err(|why| Failure::from(why).at("--length"))?;
    let shape =
        Shape { inputs: 2 * length, polynomials: 1, degree: 2, polynomial_mul: length, ..Shape::default() };
    let options = plan.settings.options(statement.digest(), Some(plan.settings.size(&shape)))?;
    let timed = Timed { statement, beyond: Mutex::default() };
    let (size, mul) = (("length", length), plan.settings.mul(&shape));
    let mut outcome = plan.prove::<S, _>(size, &timed, statement.witness(seed), mul, &options)?;
    let slowest = timed.beyond.into_inner().expect("as above").into_values().max().unwrap_or_default();
    let slowest = slowest.as_secs_f64();
    outcome.more("beyond_committing", json!(slowest), seconds(slowest));
    plan.print(&outcome)
}

/// The product of two matrices, with a multiplication gate for each product of two entries.
struct ByGates<'a, F> {
    side: usize,
    product: &'a [F],
}

impl<B: Backend> Circuit<B> for ByGates<'_, B::F> {
    fn run(&self, b: &mut B) -> volery::Result<()> {
        let mut matrix =
            || (0..self.side * self.side).map(|_| b.witness()).collect::<volery::Result<Vec<_>>>();
        let (left, right) = (matrix()?, matrix()?);
        for (at, &entry) in self.product.iter().enumerate() {
            let mut difference = b.constant(-entry);
            for i in 0..self.side {
                let place = [at / self.side * self.side + i, i * self.side + at % self.side];
                let product = b.mul(left[place[0]], right[place[1]])?;
                difference = b.add(difference, product);
            }
            b.assert_zero(difference, "an entry of the product")?;
        }
        Ok(())
    }
}

/// Proves the product of two matrices over `S`.
pub(crate) fn matmul<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let by_gates = plan.settings.system().facts().triples;
    let kind = run.typed.kind.as_deref().unwrap_or(if by_gates { GATES } else { RANDOM });
    one_of("--kind", kind, &[RANDOM, INNER_PRODUCT, GATES])?;
    if by_gates && kind != GATES {
        return Err(Failure::usage(format_args!(
            "--kind: {} multiplies gate by gate: leave it out, or take {GATES}",
            plan.settings.system()
        )));
    }
    let reduction = if kind == INNER_PRODUCT { Reduction::InnerProducts } else { Reduction::Random };
    let usual = if kind == GATES { SIDE_BY_GATES } else { SIDE };
    let side = size("--size", run.typed.size.as_deref(), usual)?;
    let dimensions = Dimensions { rows: side as usize, inner: side as usize, columns: side as usize };
    let refused = |why| Failure::from(why).at("--size");
    MatrixProduct::<S::F>::new(dimensions, None, Reduction::Random).map_err(refused)?;
    let seed = Random::from_system()?.bytes();
    let product = MatrixProduct::product_of(dimensions, seed);
    let statement = MatrixProduct::new(dimensions, Some(&product), reduction).map_err(refused)?;
    if kind == GATES {
        let gates = ByGates { side: side as usize, product: &product };
        let (shape, digest) = S::compiled().fingerprint(&gates)?;
        let options = plan.settings.options(digest, Some(plan.settings.size(&shape)))?;
        let witness = statement.witness(seed);
        return print(&plan, kind, plan.prove::<S, _>(("size", side), &gates, witness, shape.mul, &options)?);
    }
    let size = match reduction {
        Reduction::Random => Size { degree: 2, matrices: 1, ..inputs(2 * side * side) },
        Reduction::InnerProducts => S::compiled().count(&statement)?.size(),
    };
    let options = plan.settings.options(statement.digest(), Some(size))?;
    let witness = statement.witness(seed);
    print(&plan, kind, plan.prove::<S, _>(("size", side), &statement, witness, 0, &options)?)
}

/// The size of a statement without multiplications.
fn inputs(inputs: u64) -> Size {
    Size { commitments: inputs, inputs, ..Size::default() }
}

/// Prints an outcome of this --kind.
fn print(plan: &Plan, kind: &str, mut outcome: Outcome) -> Result<()> {
    outcome.more("kind", json!(kind), kind.into());
    plan.print(&outcome)
}

/// The kind of short solutions that `sis` is about.
#[derive(Clone, Copy)]
enum Kind {
    Ternary,
    Binary,
}

impl Kind {
    fn of(typed: &Typed) -> Result<Self> {
        let name = typed.kind.as_deref().unwrap_or("ternary");
        one_of("--kind", name, &["ternary", "binary"])?;
        Ok(if name == "binary" { Self::Binary } else { Self::Ternary })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ternary => "ternary",
            Self::Binary => "binary",
        }
    }

    /// The field of the papers' instance.
    fn field(self) -> &'static str {
        match self {
            Self::Ternary => Q32::NAME,
            Self::Binary => F61::NAME,
        }
    }
}

/// The field over which `sis` runs where none is asked for.
pub(crate) fn field_of_short_solutions(typed: &Typed) -> Result<&'static str> {
    Ok(Kind::of(typed)?.field())
}

/// Proves knowledge of a short solution over `S`.
pub(crate) fn sis<S: Named>(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let kind = Kind::of(run.typed)?;
    let (rows, columns, bound) = match kind {
        Kind::Ternary => (2048, 1024, Bound::Within(1)),
        Kind::Binary => (1024, 4096, Bound::Binary),
    };
    bound.check::<S::F>().map_err(|why| Failure::from(why).at("--field"))?;
    let mut random = Random::from_system()?;
    let entries = ShortSolution::<S::F>::matrix_of(rows, columns, random.bytes());
    let matrix = Matrix::new(&entries, columns);
    let solution = ShortSolution::<S::F>::solution_of(columns, bound, random.bytes());
    let image = ShortSolution::image_of(matrix, &solution);
    let statement = ShortSolution::new(matrix, &image, bound)?;
    let shape = S::compiled().count(&statement)?;
    let options = plan.settings.options(statement.digest(), Some(plan.settings.size(&shape)))?;
    let (size, mul) = (("columns", columns as u64), plan.settings.mul(&shape));
    let witness = solution.iter().copied();
    print(&plan, kind.name(), plan.prove::<S, _>(size, &statement, witness, mul, &options)?)
}
