//! Learning parity with noise: the parameter sets of the extension, and what they cost.
//!
//! An iteration turns M shares into n. The first k of them are the secret of a sparse linear code: row j of
//! the public matrix has [`WEIGHT`] random ones, and output j is the sum of those secrets and of the j-th
//! leaf of t trees, whose values are zero but at one random place in each. To the verifier, who knows which
//! sum went into a correction only if it knows the secret, the prover's bits look random: **the assumption
//! protects the witness, never soundness**, which rests on Δ alone. So a weak set is a privacy bug.
//!
//! The sets are stronger than those in use elsewhere (2026): besides the attacks on random codes (information
//! set decoding for regular noise, the algebraic and hybrid attacks of 2023 to 2025) they hold out against
//! restricting the sparse matrix to few columns, which no public estimator covers and which costs other sets
//! their last 40 to 50 bits. Over F_2:
//!
//! | set | n | k | t | table | traffic per share | consumed | memory of a party | security |
//! |---|---|---|---|---|---|---|---|---|
//! | tiny | 2^17 | 8,704 | 2048 | 136 KB | 14.3 bits | 16.1% | 0.9 MB | 130 |
//! | small | 2^19 | 18,816 | 4096 | 294 KB | 7.7 bits | 9.1% | 2.1 MB | 131 |
//! | l2 | 2^20 | 36,864 | 4096 | 576 KB | 4.3 bits | 6.7% | 2.9 MB | 130 |
//! | mid | 2^22 | 143,360 | 4096 | 2.2 MB | 1.3 bits | 4.4% | 6.7 MB | 130 |
//! | wan | 2^24 | 557,056 | 4096 | 8.5 MB | 0.4 bits | 3.6% | 20.3 MB | 131 |
//!
//! All have the same shape: t = 4096 (tiny: 2048), k ≈ 140·n/t; longer trees buy traffic with memory. The
//! security column is the least over all attacks, recomputed by the tests.
//!
//! Over other fields a leaf's value is uniform, zero included. Neither that value nor the parity of a tree is
//! known then; but the errors still come cheaply by collision, so that prime fields need about as long a
//! secret as F_2. With values and MACs over F_{2^61-1}:
//!
//! | set | n | k | t | table of prover, verifier | traffic per share | consumed | memory of the prover | security |
//! |---|---|---|---|---|---|---|---|---|
//! | seed | 2^14 | 1,984 | 1024 | 31, 16 KB | 48.7 bits | 18.4% | 0.2 MB | 133 |
//! | tiny | 2^17 | 8,320 | 2048 | 130, 65 KB | 15.7 bits | 7.9% | 0.8 MB | 131 |
//! | l2 | 2^20 | 34,816 | 4096 | 544, 272 KB | 4.9 bits | 3.7% | 2.4 MB | 131 |
//! | mid | 2^22 | 135,168 | 4096 | 2.1, 1.0 MB | 1.5 bits | 3.3% | 5.8 MB | 131 |
//! | wan | 2^24 | 524,288 | 4096 | 8.0, 4.0 MB | 0.5 bits | 3.1% | 18.5 MB | 132 |
//!
//! Traffic has in it the choices by which trees are walked, 15 bits each. MACs of 16 bytes make it 63.4,
//! 18.9, 5.7, 1.7 and 0.5 bits. Over F_65537 and F_{2^32-5} the same sets have 132, 130, 130, 130 and 130
//! bits of security, as more values fit a word.
//!
//! Over F_{2^8} with MACs of 16 bytes the trees are twice as many: the matrix is one of bits, so that each
//! bit of the values is an instance of its own, in which half of the errors are zero. These sets serve primes below
//! 65537, too, where an error is zero more often than over longer ones, but a third of the time at most. The values of
//! errors must stay unknown, as everywhere: whoever knew them would know the trees that have none.
//!
//! | set | n | k | t | table of prover, verifier | traffic per share | consumed | memory of the prover | security |
//! |---|---|---|---|---|---|---|---|---|
//! | seed | 2^14 | 2,112 | 2048 | 35, 33 KB | 115 bits | 25.5% | 0.4 MB | 132 |
//! | tiny | 2^17 | 9,088 | 4096 | 151, 142 KB | 33.8 bits | 10.1% | 1.2 MB | 131 |
//! | l2 | 2^20 | 37,888 | 8192 | 629, 592 KB | 10.3 bits | 4.4% | 3.5 MB | 130 |
//! | mid | 2^22 | 147,456 | 8192 | 2.4, 2.2 MB | 3.2 bits | 3.7% | 7.8 MB | 130 |
//! | wan | 2^24 | 573,440 | 8192 | 9.3, 8.8 MB | 1.0 bits | 3.5% | 22.8 MB | 130 |

#[cfg(test)]
mod estimate;

use volery_primitives::Field;
pub use volery_primitives::arch::WEIGHT;

/// Rows that are expanded, encoded and handed out at a time: 64 KB, so that they stay in cache.
pub const TILE: usize = 4096;

/// The shares that mask one check.
pub const CHECK_MASKS: usize = 128;

/// One parameter set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Params {
    /// The name in options and on the wire.
    pub name: &'static str,
    /// k: the length of the secret, which is the length of the table that rows are summed from.
    pub secret: usize,
    /// t: the number of trees, each with one noisy leaf.
    pub trees: usize,
    /// h: the depth of a tree, log2 of its leaves n/t.
    pub depth: usize,
    /// The security against the best known attack, in bits.
    pub security: u32,
}

impl Params {
    /// The set for tests, and statements of some hundred thousand gates.
    pub const TINY: Self = Self { name: "tiny", secret: 8_704, trees: 2048, depth: 6, security: 130 };
    /// The set for statements of about a million gates.
    pub const SMALL: Self = Self { name: "small", secret: 18_816, trees: 4096, depth: 7, security: 131 };
    /// The set for fast links: the table fits the second-level cache.
    pub const L2: Self = Self { name: "l2", secret: 36_864, trees: 4096, depth: 8, security: 130 };
    /// The set for links of about 100 Mbit/s.
    pub const MID: Self = Self { name: "mid", secret: 143_360, trees: 4096, depth: 10, security: 130 };
    /// The set for slow links.
    pub const WAN: Self = Self { name: "wan", secret: 557_056, trees: 4096, depth: 12, security: 131 };

    /// All sets, by size.
    pub const ALL: [Self; 5] = [Self::TINY, Self::SMALL, Self::L2, Self::MID, Self::WAN];

    /// The sets of the iterations that a set-up over F_2 runs, this one last. An iteration of `wan` starts
    /// from shares that another set makes with less traffic than transfers would.
    pub fn chain(self) -> Vec<Self> {
        if self == Self::WAN { vec![Self::L2, self] } else { vec![self] }
    }

    /// n: the outputs of an iteration.
    pub const fn outputs(self) -> usize {
        self.trees << self.depth
    }

    /// M over F_2, the shares that an iteration starts from: its secret, one for each level of each tree, and
    /// the masks of the check.
    pub const fn consumed(self) -> usize {
        self.secret + self.trees * self.depth + CHECK_MASKS
    }

    /// M over the field `B`, where trees are walked by transfers: the secret, one share for the noise of each
    /// tree, which over F_2 is one, and as many masks of the check as MACs have dimensions over values.
    pub const fn consumed_over<B: Field>(self, degree: usize) -> usize {
        self.secret + noise::<B>() * self.trees + degree
    }

    /// The tiles of an iteration.
    pub const fn tiles(self) -> usize {
        self.outputs() / TILE
    }

    /// The trees of a tile, which stand side by side.
    pub const fn trees_per_tile(self) -> usize {
        TILE >> self.depth
    }

    /// The bits of work to find Δ from the trees: a trial tests all trees of a tile at one
    /// level, each a target.
    pub fn tree_bits(self) -> f64 {
        128.0 - (self.trees_per_tile() as f64).log2()
    }

    /// The tiles that the shares of the next iteration are taken from.
    pub const fn base_tiles(self) -> usize {
        self.consumed().div_ceil(TILE)
    }

    /// Bytes that each iteration sends from the verifier to the prover: the corrections of its trees.
    pub const fn corrections(self) -> u64 {
        16 * (self.trees * self.depth) as u64
    }

    /// Bytes that one party holds: the table in use and that of the next iteration, and the
    /// prover's path siblings.
    pub const fn memory(self) -> usize {
        let siblings = self.trees * (self.depth + 1);
        16 * (self.secret + self.consumed() + 2 * siblings)
    }
}

/// The shares over the field `B` that are the noise of a tree.
pub(super) const fn noise<B: Field>() -> usize {
    if B::BITS == 1 { 0 } else { 1 }
}

/// The sets of a field, each large enough to start the one after it; `mid` and `wan` both start from `l2`. Those of
/// F_2 with MACs of 128 bits are [`Params::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sets {
    /// The set that the base protocol starts, and that only starts `tiny`.
    pub seed: Params,
    /// The set for small statements.
    pub tiny: Params,
    /// The set for fast links: the table fits the second-level cache.
    pub l2: Params,
    /// The set for slower links.
    pub mid: Params,
    /// The set for slow links.
    pub wan: Params,
}

impl Sets {
    /// Prime fields of 2^61 − 1 elements and more.
    pub const LARGE: Self = Self {
        seed: Params { name: "seed", secret: 1_984, trees: 1024, depth: 4, security: 133 },
        tiny: Params { name: "tiny", secret: 8_320, trees: 2048, depth: 6, security: 131 },
        l2: Params { name: "l2", secret: 34_816, trees: 4096, depth: 8, security: 131 },
        mid: Params { name: "mid", secret: 135_168, trees: 4096, depth: 10, security: 131 },
        wan: Params { name: "wan", secret: 524_288, trees: 4096, depth: 12, security: 132 },
    };

    /// Prime fields of 65537 elements and more, with the shapes of [`Self::LARGE`].
    pub const F65537: Self = Self {
        seed: Params { security: 132, ..Self::LARGE.seed },
        tiny: Params { security: 130, ..Self::LARGE.tiny },
        l2: Params { security: 130, ..Self::LARGE.l2 },
        mid: Params { security: 130, ..Self::LARGE.mid },
        wan: Params { security: 130, ..Self::LARGE.wan },
    };

    /// The field of 2^8, and prime fields of less than 65537 elements. Twice the trees, of one level less: to an attack
    /// that looks at one bit of the values half of them are zero.
    pub const F256: Self = Self {
        seed: Params { name: "seed", secret: 2_112, trees: 2048, depth: 3, security: 132 },
        tiny: Params { name: "tiny", secret: 9_088, trees: 4096, depth: 5, security: 131 },
        l2: Params { name: "l2", secret: 37_888, trees: 8192, depth: 7, security: 130 },
        mid: Params { name: "mid", secret: 147_456, trees: 8192, depth: 9, security: 130 },
        wan: Params { name: "wan", secret: 573_440, trees: 8192, depth: 11, security: 130 },
    };

    /// F_2 with MACs of 64 bits: those of [`Params::ALL`] but one. Each starts from shares of transfers.
    pub const F2: Self =
        Self { seed: Params::TINY, tiny: Params::TINY, l2: Params::L2, mid: Params::MID, wan: Params::WAN };

    /// The sets of the field `B`: for a prime field those of the largest prime field that is no larger.
    ///
    /// # Panics
    /// Where there are none.
    pub fn of<B: Field>() -> Self {
        /// The value of −1 in the smallest field of each.
        const SMALL: u64 = 65_536;
        const LARGE: u64 = (1 << 61) - 2;
        match (-B::ONE).to_integer().saturated() {
            1 if B::BITS == 1 => Self::F2,
            1 if B::BITS == 8 => Self::F256,
            2..SMALL => Self::F256,
            SMALL..LARGE => Self::F65537,
            LARGE.. => Self::LARGE,
            _ => panic!("{} has no sets: estimate some", B::name()),
        }
    }

    /// All sets, by size.
    pub const fn all(&self) -> [Params; 5] {
        [self.seed, self.tiny, self.l2, self.mid, self.wan]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F2, F61, F256, F65537};

    #[test]
    fn the_table_is_what_the_sets_say() {
        let row = |p: Params| (p.outputs(), p.consumed(), p.base_tiles(), p.trees_per_tile());
        assert_eq!(row(Params::TINY), (1 << 17, 21_120, 6, 64));
        assert_eq!(row(Params::SMALL), (1 << 19, 47_616, 12, 32));
        assert_eq!(row(Params::L2), (1 << 20, 69_760, 18, 16));
        assert_eq!(row(Params::MID), (1 << 22, 184_448, 46, 4));
        assert_eq!(row(Params::WAN), (1 << 24, 606_336, 149, 1));
        let megabytes = Params::ALL.map(|set| (set.memory() as f64 / 1e5).round() / 10.0);
        assert_eq!(megabytes, [0.9, 2.1, 2.9, 6.7, 20.3]);
        let bits = |set: Params| 8.0 * set.corrections() as f64 / (set.outputs() - set.consumed()) as f64;
        let traffic = Params::ALL.map(|set| (bits(set) * 10.0).round() / 10.0);
        assert_eq!(traffic, [14.3, 7.7, 4.3, 1.3, 0.4]);
    }

    #[test]
    fn each_set_starts_the_next() {
        for chain in Params::ALL.map(Params::chain) {
            assert!(chain.windows(2).all(|pair| pair[0].outputs() >= pair[1].consumed()), "{chain:?}");
        }
        assert_eq!(Params::WAN.chain().len(), 2);
        for (sets, degree) in
            [(Sets::LARGE, 2), (Sets::F65537, 4), (Sets::F65537, 11), (Sets::F256, 16), (Sets::F256, 84)]
        {
            let takes = |set: Params| set.consumed_over::<F61>(degree);
            let gives = |set: Params| set.outputs() - takes(set);
            let Sets { seed, tiny, l2, mid, wan } = sets;
            assert!(seed.outputs() >= takes(tiny));
            assert!(gives(tiny) >= takes(l2));
            assert!(gives(l2) >= takes(mid).max(takes(wan)));
        }
    }

    /// The traffic per share in bits, the share of the outputs that is consumed, and the memory of the
    /// prover, as the tables round them, for MACs of so many dimensions over values, with the bytes of
    /// a value and of a MAC.
    fn columns<B: Field>(sets: Sets, degree: usize, value: usize, mac: usize) -> [[f64; 3]; 5] {
        let round = |x: f64| (x * 10.0).round() / 10.0;
        sets.all().map(|set| {
            let (n, k, t, h) = (set.outputs(), set.secret, set.trees, set.depth);
            let consumed = set.consumed_over::<B>(degree);
            // Corrections, of which the last level takes two and the sum of the leaves one more; the choices
            // of SoftSpoken; and the coins of the trees' check.
            let bits = 8 * t * (16 * (h - 1) + 3 * mac) + 15 * t * h + 128 * set.tiles();
            let traffic = bits as f64 / (n - consumed) as f64;
            let memory = (value + mac) * (k + consumed) + 32 * t * (h + 1);
            println!(
                "{:4} 2^{} {k:6} {t} {:5}/{:4} KB {traffic:5.1} bits {:4.1}% {:4.1} MB {}",
                set.name,
                n.ilog2(),
                (k * (value + mac)) >> 10,
                (k * mac) >> 10,
                100.0 * consumed as f64 / n as f64,
                memory as f64 / 1e6,
                set.security
            );
            [round(traffic), round(100.0 * consumed as f64 / n as f64), round(memory as f64 / 1e6)]
        })
    }

    #[test]
    fn the_tables_of_other_fields_are_what_the_sets_say() {
        let large = [[48.7, 18.4, 0.2], [15.7, 7.9, 0.8], [4.9, 3.7, 2.4], [1.5, 3.3, 5.8], [0.5, 3.1, 18.5]];
        assert_eq!(columns::<F61>(Sets::LARGE, 1, 8, 8), large);
        let bytes =
            [[115.0, 25.5, 0.4], [33.8, 10.1, 1.2], [10.3, 4.4, 3.5], [3.2, 3.7, 7.8], [1.0, 3.5, 22.8]];
        assert_eq!(columns::<F256>(Sets::F256, 16, 1, 16), bytes);
        let bits = [[15.5, 6.7, 0.6], [4.9, 3.5, 1.8], [1.5, 3.4, 3.7], [0.5, 3.3, 10.6]];
        assert_eq!(columns::<F2>(Sets::F2, 64, 0, 8)[1..], bits);
        let wide = [63.4, 18.9, 5.7, 1.7, 0.5];
        assert_eq!(columns::<F61>(Sets::LARGE, 2, 8, 16).map(|row| row[0]), wide);
        assert_eq!(columns::<F65537>(Sets::F65537, 4, 4, 16).map(|row| row[0]), wide);
    }
}
