//! Bilinear forms at two random vectors, once their challenge is drawn.

use core::mem;
use volery_channel::pool::Pool;
use volery_circuit::accounting::Products;
use volery_circuit::{Bilinear, Entries};
use volery_primitives::arch::Arch;
use volery_primitives::secret::verdict;
use volery_primitives::{Field, Lanes, Tagged};
use volery_vole::macs::Macs;
use zeroize::{DefaultIsZeroes, Zeroize, Zeroizing};

/// The forms that are asserted, and wait for their challenge, with copies of their wires.
pub(crate) struct Forms<F, W: Zeroize> {
    asserted: Vec<Asserted<F, W>>,
    counted: Products,
}

struct Asserted<F, W: Zeroize> {
    form: Bilinear,
    /// The assertions before it.
    before: u64,
    first: Zeroizing<Vec<W>>,
    second: Copied<F, W>,
    result: Copied<F, W>,
}

/// Copies of entries.
enum Copied<F, W: Zeroize> {
    Public(Vec<F>),
    Wires(Zeroizing<Vec<W>>),
}

impl<F: Field, W: DefaultIsZeroes> Copied<F, W> {
    fn new(entries: Entries<F, W>) -> Self {
        match entries {
            Entries::Public(values) => Self::Public(values.to_vec()),
            Entries::Wires(wires) => Self::Wires(Zeroizing::new(wires.to_vec())),
        }
    }
}

impl<F, W: Zeroize> Default for Forms<F, W> {
    fn default() -> Self {
        Self { asserted: Vec::new(), counted: Products::default() }
    }
}

impl<F: Field, W: DefaultIsZeroes> Forms<F, W> {
    /// Adds one, and gives whether a challenge is due.
    pub(crate) fn push(
        &mut self,
        (form, before): (&Bilinear, u64),
        (first, second): (&[W], Entries<F, W>),
        result: Entries<F, W>,
    ) -> bool {
        let entries = first.len() + second.len() + result.len();
        let (form, first) = (form.clone(), Zeroizing::new(first.to_vec()));
        let [second, result] = [second, result].map(Copied::new);
        self.asserted.push(Asserted { form, before, first, second, result });
        self.counted.add(entries as u64)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.asserted.is_empty()
    }

    /// Takes all, whose challenge was drawn: adds what a task makes of each, and of its vectors, which follow those of the
    /// one before from `fill`, first u and then v. Calls `fails` as [`Forms::polynomial`] does.
    fn added<E: Field>(
        &mut self,
        pool: &Pool,
        mut fill: impl FnMut(&mut [E]),
        compute: Compute<F, W, E>,
        arch: Arch,
        fails: &mut dyn FnMut(u64),
    ) -> Zeroizing<[E; 3]>
    where
        W: Send + 'static,
    {
        self.counted.end();
        let mut tasks = Vec::with_capacity(self.asserted.len());
        for asserted in mem::take(&mut self.asserted) {
            let vectors = vectors(&asserted.form, &mut fill);
            tasks.push((asserted.before, pool.run(move || compute(asserted, arch, vectors))));
        }
        let mut sum = Zeroizing::new([E::ZERO; 3]);
        for (before, task) in tasks {
            let (coefficients, holds) = task.wait();
            sum.iter_mut().zip(&*coefficients).for_each(|(sum, coefficient)| *sum += *coefficient);
            if !holds {
                fails(before);
            }
        }
        sum
    }

    /// The sum of the polynomials `⟨x(u), y(v)⟩ − z(u, v)` of all forms, where x, y and z are the linear forms of both
    /// factors and of the result: its two lower coefficients, the lowest first. The highest, the value, is zero where a
    /// form holds: calls `fails` with the number of assertions before each that does not.
    pub(crate) fn polynomial<M: Macs<F = F, Tag = W>>(
        &mut self,
        (pool, arch): (&Pool, Arch),
        fill: impl FnMut(&mut [M::E]),
        mut fails: impl FnMut(u64),
    ) -> Zeroizing<[M::E; 2]>
    where
        M::E: Lanes<F>,
        W: Send + 'static,
    {
        let sum = self.added(pool, fill, Asserted::polynomial::<M>, arch, &mut fails);
        Zeroizing::new([sum[0], sum[1]])
    }

    /// The verifier's value of that sum at Δ, of degree two.
    pub(crate) fn at(&mut self, delta: W, (pool, arch): (&Pool, Arch), fill: impl FnMut(&mut [W])) -> W
    where
        W: Lanes<F> + Send + 'static,
    {
        let sum = self.added(pool, fill, Asserted::at, arch, &mut |_| {});
        sum[0] + (sum[1] + sum[2] * delta) * delta
    }
}

/// The coefficients that a task has computed, and whether the form holds, as far as that is known.
type Computed<E> = (Zeroizing<Vec<E>>, bool);

/// A function of a form and its vectors.
type Compute<F, W, E> = fn(Asserted<F, W>, Arch, [Vec<E>; 2]) -> Computed<E>;

impl<F: Field, W: DefaultIsZeroes> Asserted<F, W> {
    /// The lower coefficients of this form's polynomial, and whether its value is zero.
    fn polynomial<M: Macs<F = F, Tag = W>>(self, arch: Arch, [u, v]: [Vec<M::E>; 2]) -> Computed<M::E>
    where
        M::E: Lanes<F>,
    {
        let Self { form, first, second, result, .. } = self;
        let combine = |chi: &[M::E], tags: &[W]| M::combine(arch, chi, tags);
        let (x_values, x_macs) = apart(form.of_first(&u, &first, &combine));
        let mut polynomial = Zeroizing::new(vec![M::E::ZERO; 2]);
        let y_values = match second {
            Copied::Public(second) => Zeroizing::new(second_of_public(&form, &v, &second, arch)),
            Copied::Wires(second) => {
                let (y_values, y_macs) = apart(form.of_second(&v, &second, &combine));
                polynomial[0] += M::E::dot(arch, &x_macs, &y_macs);
                polynomial[1] += M::E::dot(arch, &x_values, &y_macs);
                y_values
            }
        };
        polynomial[1] += M::E::dot(arch, &x_macs, &y_values);
        let value = M::E::dot(arch, &x_values, &y_values);
        let expected = match result {
            Copied::Public(values) => result_of_public(&form, [&u, &v], &values, arch),
            Copied::Wires(result) => {
                let (factors, forms) = form.of_result([&u, &v], &result, &combine);
                let (values, macs) = apart(forms);
                polynomial[1] -= M::E::dot(arch, &factors, &macs);
                M::E::dot(arch, &factors, &values)
            }
        };
        (polynomial, verdict(value == expected))
    }

    /// The value of this form's polynomial at Δ: what it has by itself, by Δ, and by Δ².
    fn at(self, arch: Arch, [u, v]: [Vec<W>; 2]) -> Computed<W>
    where
        W: Lanes<F>,
    {
        let Self { form, first, second, result, .. } = self;
        let dot = |chi: &[W], keys: &[W]| W::dot(arch, chi, keys);
        let x = Zeroizing::new(form.of_first(&u, &first, &dot));
        let mut keys = Zeroizing::new(vec![W::ZERO; 3]);
        match second {
            Copied::Public(second) => {
                keys[1] += W::dot(arch, &x, &second_of_public(&form, &v, &second, arch));
            }
            Copied::Wires(second) => {
                keys[0] += W::dot(arch, &x, &Zeroizing::new(form.of_second(&v, &second, &dot)));
            }
        }
        match result {
            Copied::Public(values) => keys[2] -= result_of_public(&form, [&u, &v], &values, arch),
            Copied::Wires(result) => {
                let (factors, forms) = form.of_result([&u, &v], &result, &dot);
                keys[1] -= W::dot(arch, &factors, &Zeroizing::new(forms));
            }
        }
        (keys, true)
    }
}

/// The vectors u and v of a form.
fn vectors<E: Field>(form: &Bilinear, fill: &mut impl FnMut(&mut [E])) -> [Vec<E>; 2] {
    form.vectors().map(|length| {
        let mut vector = vec![E::ZERO; length];
        fill(&mut vector);
        vector
    })
}

/// The linear forms of a second list that is public.
fn second_of_public<B: Field, E: Lanes<B>>(form: &Bilinear, v: &[E], values: &[B], arch: Arch) -> Vec<E> {
    form.of_second(v, values, &|chi, values| E::combine(arch, values, chi))
}

/// The weighed sum of a public result.
fn result_of_public<B: Field, E: Lanes<B>>(
    form: &Bilinear,
    vectors: [&[E]; 2],
    values: &[B],
    arch: Arch,
) -> E {
    let (factors, forms) = form.of_result(vectors, values, &|chi, values| E::combine(arch, values, chi));
    E::dot(arch, &factors, &forms)
}

/// Splits values from their MACs.
fn apart<E: Field>(tagged: Vec<Tagged<E, E>>) -> (Zeroizing<Vec<E>>, Zeroizing<Vec<E>>) {
    let (values, macs) = Zeroizing::new(tagged).iter().map(|tag| (tag.value, tag.mac)).unzip();
    (Zeroizing::new(values), Zeroizing::new(macs))
}
