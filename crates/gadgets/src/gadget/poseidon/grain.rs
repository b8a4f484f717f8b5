//! The generator of constants: Grain in self-shrinking mode. Poseidon's paper, appendix E.

use volery_primitives::{Field, U256};

/// The widest permutation whose parameters this generator names: circom's widest, and room to twice that.
pub(super) const WIDEST: usize = 33;
/// The most rounds of a kind: there are ten bits for their number.
pub(super) const MOST_ROUNDS: usize = 1023;

/// The register, the oldest bit lowest.
struct Grain(u128);

impl Grain {
    /// The register for a prime field of `bits`, and a power x^α.
    fn new(bits: u32, width: usize, full: usize, partial: usize) -> Self {
        let mut register = (0, 0);
        let mut push = |value: usize, length: u32| {
            for place in (0..length).rev() {
                register.0 |= (value as u128 >> place & 1) << register.1;
                register.1 += 1;
            }
        };
        // A prime field; a power of a positive exponent.
        push(1, 2);
        push(0, 4);
        push(bits as usize, 12);
        push(width, 12);
        push(full, 10);
        push(partial, 10);
        push((1 << 30) - 1, 30);
        let mut grain = Self(register.0);
        for _ in 0..160 {
            grain.step();
        }
        grain
    }

    fn step(&mut self) -> bool {
        let bit = [62, 51, 38, 23, 13, 0].iter().fold(0, |sum, place| sum ^ self.0 >> place & 1);
        self.0 = self.0 >> 1 | bit << 79;
        bit == 1
    }

    /// The second bit of the next pair whose first is one.
    fn bit(&mut self) -> bool {
        while !self.step() {
            self.step();
        }
        self.step()
    }

    /// The next integer of `bits` bits, the highest first.
    fn integer(&mut self, bits: u32) -> U256 {
        (0..bits).fold(U256::ZERO, |integer, _| integer << 1 | U256::from(u64::from(self.bit())))
    }

    /// The next integer below the modulus.
    fn element<F: Field>(&mut self) -> F {
        loop {
            if let Some(element) = F::from_integer(self.integer(F::bits())) {
                return element;
            }
        }
    }

    /// The next integer modulo p, which is less than twice p.
    fn reduced<F: Field>(&mut self) -> F {
        let integer = self.integer(F::bits());
        let modulus = (-F::ONE).to_integer().overflowing_add(U256::from(1_u64)).0;
        F::from_integer(integer)
            .or_else(|| F::from_integer(integer.overflowing_sub(modulus).0))
            .expect("an integer of as many bits as p")
    }
}

/// The constants of all rounds, and the matrix of the linear layer: one in x_i + y_j for distinct x and y.
pub(super) fn parameters<F: Field>(width: usize, full: usize, partial: usize) -> (Vec<F>, Vec<F>) {
    let mut grain = Grain::new(F::bits(), width, full, partial);
    let constants = (0..(full + partial) * width).map(|_| grain.element()).collect();
    loop {
        let points: Vec<F> = (0..2 * width).map(|_| grain.reduced()).collect();
        let distinct = points.iter().enumerate().all(|(i, x)| !points[..i].contains(x));
        let (xs, ys) = points.split_at(width);
        let sums: Vec<F> = xs.iter().flat_map(|x| ys.iter().map(move |y| *x + *y)).collect();
        if distinct && !sums.contains(&F::ZERO) {
            return (constants, sums.into_iter().map(F::invert).collect());
        }
    }
}
