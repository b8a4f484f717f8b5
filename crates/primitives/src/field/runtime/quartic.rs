//! The extension of degree four over a prime field that is known at run time alone.
//!
//! It is a tower: F_p[X]/(X^2 − a) for a that is no square in F_p, and over that Y^2 = c + X. An element
//! c + X is no square in the first where its norm c^2 − a is none in F_p, and such c are every other one. Y
//! alone generates the whole: (Y^2 − c)^2 = a, so that **Y^4 = u·Y^2 + v with u = 2c and v = a − c^2**, and
//! an element is its coefficients of 1, Y, Y^2 and Y^3. Both parties find the same, as a is the least integer
//! from 2 on and c the least from 0 on that will do.

use super::barrett::{Barrett, wide};

/// F_p, u and v.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Quartic {
    base: Barrett,
    u: u64,
    v: u64,
}

impl Quartic {
    /// The extension of the field of an odd prime.
    pub(super) fn new(base: Barrett) -> Self {
        let is_other = |x: u64| x != 0 && !base.is_square(x);
        let p = base.modulus();
        // Half of the elements are no squares, and of c^2 − a, too.
        let a = (2..p).find(|a| is_other(*a)).expect("there are as many squares as others");
        let value = |c: u64| base.difference(base.product(c, c), a);
        let c = (0..p).find(|c| is_other(value(*c))).expect("half of them are no squares");
        Self { base, u: base.sum(c, c), v: base.difference(0, value(c)) }
    }

    /// The extension with coefficients u and v that [`Quartic::new`] found.
    #[inline(always)]
    pub(super) const fn of_parts(base: Barrett, u: u64, v: u64) -> Self {
        Self { base, u, v }
    }

    /// u and v.
    pub(super) const fn parts(self) -> (u64, u64) {
        (self.u, self.v)
    }

    #[cfg(test)]
    pub(super) const fn base(self) -> Barrett {
        self.base
    }

    /// `a·b`.
    #[inline(always)]
    pub(super) const fn product(self, a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        let Self { base, u, v } = self;
        // Y^6 = u·Y^4 + v·Y^2. No sum is longer than six products: `reduce` takes eight.
        let y6 = base.reduce(wide(a[3], b[3]));
        let y5 = base.reduce(wide(a[2], b[3]) + wide(a[3], b[2]));
        let y4 = base.reduce(wide(a[1], b[3]) + wide(a[2], b[2]) + wide(a[3], b[1]) + wide(u, y6));
        let one = wide(a[0], b[0]) + wide(v, y4);
        let y = wide(a[0], b[1]) + wide(a[1], b[0]) + wide(v, y5);
        let y2 = wide(a[0], b[2]) + wide(a[1], b[1]) + wide(a[2], b[0]) + wide(u, y4) + wide(v, y6);
        let y3 = wide(a[0], b[3]) + wide(a[1], b[2]) + wide(a[2], b[1]) + wide(a[3], b[0]) + wide(u, y5);
        [base.reduce(one), base.reduce(y), base.reduce(y2), base.reduce(y3)]
    }

    /// `x·Y`.
    pub(super) const fn shifted(self, x: [u64; 4]) -> [u64; 4] {
        let Self { base, u, v } = self;
        [base.product(x[3], v), x[0], base.reduce(wide(x[1], 1) + wide(x[3], u)), x[2]]
    }

    /// `1/x`, and zero for zero.
    pub(super) fn inverse(self, x: [u64; 4]) -> [u64; 4] {
        let Self { base, u, .. } = self;
        // Of x = A + B·Y with A and B in the field of 1 and W = Y^2, times the other A − B·Y, which is in
        // that field; and that times its own conjugate, where W becomes u − W: in F_p.
        let other = [x[0], base.difference(0, x[1]), x[2], base.difference(0, x[3])];
        let norm = self.product(x, other);
        let conjugate = [base.reduce(wide(norm[0], 1) + wide(norm[2], u)), 0, base.difference(0, norm[2]), 0];
        let [last, ..] = self.product(norm, conjugate);
        let inverse = base.inverse(last);
        self.product(other, conjugate).map(|coordinate| base.product(coordinate, inverse))
    }
}
