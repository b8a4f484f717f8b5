//! Bilinear forms at two random vectors, once their challenge is drawn.

use core::mem;
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
    factors: [Zeroizing<Vec<W>>; 2],
    result: Outcome<F, W>,
}

/// A result that is asserted of a form.
enum Outcome<F, W: Zeroize> {
    Public(Vec<F>),
    Wires(Zeroizing<Vec<W>>),
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
        factors: [&[W]; 2],
        result: Entries<F, W>,
    ) -> bool {
        let factors = factors.map(|factor| Zeroizing::new(factor.to_vec()));
        let entries = factors.iter().map(|factor| factor.len()).sum::<usize>() + result.len();
        let result = match result {
            Entries::Public(values) => Outcome::Public(values.to_vec()),
            Entries::Wires(wires) => Outcome::Wires(Zeroizing::new(wires.to_vec())),
        };
        self.asserted.push(Asserted { form: form.clone(), before, factors, result });
        self.counted.add(entries as u64)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.asserted.is_empty()
    }

    /// Takes all, whose challenge was drawn: the vectors of each follow those of the one before from `fill`, first u
    /// and then v.
    fn drain<E: Field>(
        &mut self,
        mut fill: impl FnMut(&mut [E]),
    ) -> impl Iterator<Item = (Asserted<F, W>, [Vec<E>; 2])> {
        self.counted.end();
        mem::take(&mut self.asserted).into_iter().map(move |asserted| {
            let vectors = vectors(&asserted.form, &mut fill);
            (asserted, vectors)
        })
    }

    /// The sum of the polynomials `⟨x(u), y(v)⟩ − z(u, v)` of all forms, where x, y and z are the linear forms of both
    /// factors and of the result: its two lower coefficients, the lowest first. The highest, the value, is zero where a
    /// form holds: calls `fails` with the number of assertions before each that does not.
    pub(crate) fn polynomial<M: Macs<F = F, Tag = W>>(
        &mut self,
        arch: Arch,
        fill: impl FnMut(&mut [M::E]),
        mut fails: impl FnMut(u64),
    ) -> [M::E; 2]
    where
        M::E: Lanes<F>,
    {
        let (mut constant, mut linear) = (M::E::ZERO, M::E::ZERO);
        for (Asserted { form, before, factors: [first, second], result }, [u, v]) in self.drain(fill) {
            let combine = |chi: &[M::E], tags: &[W]| M::combine(arch, chi, tags);
            let (x_values, x_macs) = apart(form.of_first(&u, &first, &combine));
            let (y_values, y_macs) = apart(form.of_second(&v, &second, &combine));
            constant += M::E::dot(arch, &x_macs, &y_macs);
            linear += M::E::dot(arch, &x_values, &y_macs) + M::E::dot(arch, &x_macs, &y_values);
            let value = M::E::dot(arch, &x_values, &y_values);
            let expected = match result {
                Outcome::Public(values) => of_public(&form, [&u, &v], &values, arch),
                Outcome::Wires(result) => {
                    let (factors, forms) = form.of_result([&u, &v], &result, &combine);
                    let (values, macs) = apart(forms);
                    linear -= M::E::dot(arch, &factors, &macs);
                    M::E::dot(arch, &factors, &values)
                }
            };
            if !verdict(value == expected) {
                fails(before);
            }
        }
        [constant, linear]
    }

    /// The verifier's value of that sum at Δ, of degree two.
    pub(crate) fn at(&mut self, delta: W, arch: Arch, fill: impl FnMut(&mut [W])) -> W
    where
        W: Lanes<F>,
    {
        let mut sum = W::ZERO;
        for (Asserted { form, factors: [first, second], result, .. }, [u, v]) in self.drain(fill) {
            let dot = |chi: &[W], keys: &[W]| W::dot(arch, chi, keys);
            let x = Zeroizing::new(form.of_first(&u, &first, &dot));
            let y = Zeroizing::new(form.of_second(&v, &second, &dot));
            let of_result = match result {
                Outcome::Public(values) => of_public(&form, [&u, &v], &values, arch) * delta,
                Outcome::Wires(result) => {
                    let (factors, forms) = form.of_result([&u, &v], &result, &dot);
                    W::dot(arch, &factors, &Zeroizing::new(forms))
                }
            };
            sum += W::dot(arch, &x, &y) - of_result * delta;
        }
        sum
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

/// The weighed sum of a public result.
fn of_public<B: Field, E: Lanes<B>>(form: &Bilinear, vectors: [&[E]; 2], values: &[B], arch: Arch) -> E {
    let (factors, forms) = form.of_result(vectors, values, &|chi, values| E::combine(arch, values, chi));
    E::dot(arch, &factors, &forms)
}

/// Splits values from their MACs.
fn apart<E: Field>(tagged: Vec<Tagged<E, E>>) -> (Zeroizing<Vec<E>>, Zeroizing<Vec<E>>) {
    let (values, macs) = Zeroizing::new(tagged).iter().map(|tag| (tag.value, tag.mac)).unzip();
    (Zeroizing::new(values), Zeroizing::new(macs))
}
