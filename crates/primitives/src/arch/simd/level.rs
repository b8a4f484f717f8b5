//! The kernels of an instruction set: the texts over its vector, with its instructions named.

/// Names the instructions of each kernel, and inlines its generic body.
macro_rules! forward {
    ($features:literal: $(
        fn $kernel:ident $([$($generic:tt)*])? ($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:path;
    )*) => {
        $(
            #[target_feature(enable = $features)]
            pub(in crate::arch) unsafe fn $kernel$(<$($generic)*>)?($($argument: $type),*) $(-> $result)? {
                // SAFETY: this function names the instructions of the body. Some bodies are plain Rust.
                #[allow(unused_unsafe)]
                unsafe { $body($($argument),*) }
            }
        )*
    };
}

/// Defines the kernels over a prime field and its extension for one instruction set, by the template.
macro_rules! forward_prime {
    ($vector:ty, $features:literal: $(
        fn $kernel:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;
    )*) => {
        forward! { $features: $(
            fn $kernel[B: Halves, E: Coordinates<B, N>, const N: usize]($($argument: $type),*) $(-> $result)? =
                simd::prime::$kernel::<$vector, B, E, N>;
        )* }
    };
}

/// The kernels of one level, those on products over F_{2^61-1} by the module `$products`. It and the vector are
/// named as where the macro is called.
macro_rules! kernels {
    ($(#[$doc:meta])* $level:ident, $vector:ty, $products:ident, $features:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The CPU must have the instructions of the level.
        pub(super) mod $level {
            use super::*;
            use crate::aes::Aes128;
            use crate::arch::matrix::{COLUMNS, ROWS, Tile};
            use crate::arch::simd::level::{forward, forward_prime};
            use crate::arch::{Punctures, SEARCHED, Triple, simd};
            use crate::field::{F2, F128};
            use crate::lanes::Pair;

            forward! { $features:
                fn encrypt(key: &Aes128, blocks: &mut [F128]) = simd::encrypt::<$vector>;
                fn counter(key: &Aes128, start: u128, out: &mut [F128]) = simd::counter::<$vector>;
                fn fold_leaves(
                    key: &Aes128,
                    leaves: &[F128],
                    start: u128,
                    total: &mut [F128],
                    planes: &mut [F128]
                ) = simd::fold_leaves::<$vector>;
                fn grow_with(key: &Aes128, nodes: &mut [F128], keep: F128, punctures: Option<Punctures>) =
                    simd::grow_with::<$vector>;
                fn hash(key: &Aes128, blocks: &[F128], out: &mut [F128]) = simd::hash::<$vector>;
                fn sum_rows(nodes: &[F128], sums: &mut [F128]) = simd::sum_rows::<$vector>;
                fn puncture(nodes: &mut [F128], punctures: Punctures) = simd::puncture::<$vector>;
                fn encode(key: &Aes128, first: u64, table: &[F128], rows: &mut [F128]) =
                    simd::encode::<$vector, F128>;
                fn weigh(chi: &[F128], words: &[F128]) -> (F128, F128) = simd::weigh::<$vector>;
                fn dot(a: &[F128], b: &[F128]) -> F128 = simd::dot::<$vector>;
                fn inner_product(a: &[F128], b: &[F128]) -> (F128, F128) = simd::inner_product::<$vector>;
                fn combine(factors: &[F2], a: &[F128]) -> F128 = simd::combine::<$vector>;
                fn add_products(a: &[F128], b: &[F128], sums: &mut [F128]) = simd::add_products::<$vector>;
                fn add_scaled(a: &[F128], factors: &[F2], sums: &mut [F128]) = simd::add_scaled::<$vector>;
                fn add_sums(
                    products: &[Pair<'_, F128, F128>],
                    scaled: &[Pair<'_, F128, F2>],
                    sums: &mut [F128]
                ) = simd::add_sums::<$vector>;
                fn set_sums(
                    products: &[Pair<'_, F128, F128>],
                    scaled: &[Pair<'_, F128, F2>],
                    sums: &mut [F128]
                ) = simd::set_sums::<$vector>;
                fn multiply(a: &[F128], b: &[F128], out: &mut [F128]) = simd::multiply::<$vector>;
                fn prover_sums(chi: &[F128], triples: &[Triple]) -> (F128, F128) =
                    simd::prover_sums::<$vector>;
                fn verifier_sums(chi: &[F128], triples: &[Triple]) -> (F128, F128) =
                    simd::verifier_sums::<$vector>;
                fn prover_column_sums(chi: &[F128], a: &[F128], b: &[F128], c: &[F128]) -> (F128, F128) =
                    simd::prover_column_sums::<$vector>;
                fn verifier_column_sums(chi: &[F128], a: &[F128], b: &[F128], c: &[F128]) -> (F128, F128) =
                    simd::verifier_column_sums::<$vector>;
                fn add_rows(words: &mut [F128], at: [usize; 3], count: usize) = simd::add_rows::<$vector>;
                fn add_where(bits: &[u8], one: F128, rows: &mut [F128]) = simd::add_where::<$vector>;
                fn triple_sums(chi: &[F128], triples: &[Triple]) -> [F128; 3] = simd::triple_sums::<$vector>;
                fn opened_sums(chi: &[F128], triples: &[Triple], left: &[F2], right: &[F2]) -> [F128; 3] =
                    simd::opened_sums::<$vector>;
                fn transpose(columns: &[F128], rows: &mut [F128]) = simd::transpose::<$vector>;
                fn bit_products(rows: &[F128], columns: &[F128], blocks: usize, out: &mut [F128]) =
                    simd::bit_products::<$vector>;
                fn add_row(factor: i64, row: &[i64], sums: &mut [i64]) = crate::arch::portable::add_row;
                fn add_masked_row(factor: i64, row: &[i64], mask: &[i64], sums: &mut [i64]) =
                    crate::arch::portable::add_masked_row;
                fn add_tile(a: &[[f64; ROWS]], b: &[[f64; COLUMNS]], sums: &mut Tile) =
                    simd::add_tile::<$vector>;
                fn search(key: &[u32; 8], first: u32, words: &mut [u32; SEARCHED]) =
                    crate::arch::portable::search;
            }

            pub(in super::super) mod gates {
                use super::*;
                use crate::arch::gates::{Rounds, Schedules, Tweaked};

                forward! { $features:
                    fn expand(salt: F128, tweak: u128, rounds: &mut Rounds) =
                        simd::gates::expand::<$vector>;
                    fn multi_instance_pair(schedules: &mut Schedules, a: F128, delta: F128) -> [F128; 2] =
                        simd::gates::multi_instance_pair::<$vector>;
                    fn multi_instance_one(schedules: &mut Schedules, a: F128) -> F128 =
                        simd::gates::multi_instance_one::<$vector>;
                    fn tweakable_pair(tweaked: &mut Tweaked, a: F128, delta: F128) -> [F128; 2] =
                        simd::gates::tweakable_pair::<$vector>;
                    fn tweakable_one(tweaked: &mut Tweaked, a: F128) -> F128 =
                        simd::gates::tweakable_one::<$vector>;
                }
            }

            pub(in super::super) mod binary {
                use super::*;
                use crate::arch::binary::Binary;

                forward! { $features:
                    fn multiply[F: Binary](a: &[F], b: &[F], out: &mut [F]) =
                        simd::binary::multiply::<$vector, F>;
                    fn scale_all[F: Binary](a: &[F], factor: F, out: &mut [F]) =
                        simd::binary::scale_all::<$vector, F>;
                    fn dot_product[F: Binary](a: &[F], b: &[F]) -> F =
                        simd::binary::dot_product::<$vector, F>;
                    fn fold[F: Binary](a: &[F], factors: &[F], out: &mut [F]) =
                        simd::binary::fold::<$vector, F>;
                }
            }

            pub(in super::super) mod f61 {
                use super::*;
                use crate::arch::f61::{Factors, Gate, Row};
                use crate::field::F61;
                use crate::mac::Holes;

                forward! { $features:
                    fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F61]) =
                        simd::leaves::grow_leaves::<$vector, F61>;
                    fn sum_rows(nodes: &[F61], sums: &mut [F61]) = simd::f61::sum_rows::<$vector>;
                    fn puncture(leaves: &[F61], holes: Holes<Row>, rows: &mut [Row]) =
                        simd::f61::puncture::<$vector>;
                    fn encode_keys(matrix: &Aes128, first: u64, table: &[F61], rows: &mut [F61]) =
                        simd::f61::encode_keys::<$vector>;
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) =
                        simd::f61::encode_tagged::<$vector>;
                    fn sample_all(blocks: &[F128], out: &mut [F61]) = simd::f61::sample_all::<$vector>;
                    fn weigh(chi: &[F61], rows: &[Row]) -> (F61, F61) = $products::f61::weigh;
                    fn dot(a: &[F61], b: &[F61]) -> F61 = $products::f61::dot;
                    fn inner_product(a: &[Row], b: &[Row]) -> (F61, F61, F61) =
                        $products::f61::inner_product;
                    fn linear(factors: &[F61], rows: &[Row]) -> Row = $products::f61::linear;
                    fn add_products(a: &[F61], b: &[F61], sums: &mut [F61]) =
                        $products::f61::add_products;
                    fn add_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) =
                        $products::f61::add_sums;
                    fn set_sums(products: &[Factors<'_>], others: &[Factors<'_>], sums: &mut [F61]) =
                        $products::f61::set_sums;
                    fn products(gates: &[Gate<Row>], constant: &mut [F61], linear: &mut [F61]) =
                        $products::f61::products;
                    fn verifier_sums(chi: &[F61], gates: &[Gate<F61>]) -> (F61, F61) =
                        $products::f61::verifier_sums;
                    fn correct(keys: &mut [F61], corrections: &[F61], delta: F61) = $products::f61::correct;
                }
            }

            pub(in super::super) mod f64 {
                use super::*;
                use crate::arch::f64::Triple;
                use crate::field::F64;

                forward! { $features:
                    fn grow_leaves(key: &Aes128, parents: &mut [F128], leaves: &mut [F64]) =
                        simd::leaves::grow_leaves::<$vector, F64>;
                    fn sum_rows(nodes: &[F64], sums: &mut [F64]) = simd::f64::sum_rows::<$vector>;
                    fn puncture(leaves: &[F64], row: &[u64], left: &[F64], right: &[F64], rows: &mut [F64]) =
                        simd::f64::puncture::<$vector>;
                    fn encode(matrix: &Aes128, first: u64, table: &[F64], rows: &mut [F64]) =
                        simd::encode::<$vector, F64>;
                    fn weigh(chi: &[F64], tags: &[F64]) -> (F64, F64) = simd::f64::weigh::<$vector>;
                    fn inner_product(a: &[F64], b: &[F64]) -> (F64, F64) =
                        simd::f64::inner_product::<$vector>;
                    fn combine(factors: &[F2], a: &[F64]) -> F64 = simd::f64::combine::<$vector>;
                    fn add_products(a: &[F64], b: &[F64], sums: &mut [F64]) =
                        simd::f64::add_products::<$vector>;
                    fn add_scaled(a: &[F64], factors: &[F2], sums: &mut [F64]) =
                        simd::f64::add_scaled::<$vector>;
                    fn products(triples: &[Triple], constant: &mut [F64], linear: &mut [F64]) =
                        simd::f64::products::<$vector>;
                    fn column_products(
                        a: &[F64],
                        b: &[F64],
                        c: &[F64],
                        constant: &mut [F64],
                        linear: &mut [F64]
                    ) = simd::f64::column_products::<$vector>;
                    fn verifier_sums(chi: &[F64], triples: &[Triple]) -> (F64, F64) =
                        simd::f64::verifier_sums::<$vector>;
                    fn verifier_column_sums(chi: &[F64], a: &[F64], b: &[F64], c: &[F64]) -> (F64, F64) =
                        simd::f64::verifier_column_sums::<$vector>;
                    fn correct(keys: &mut [F64], corrections: &[F2], delta: F64) =
                        simd::f64::correct::<$vector>;
                    fn add_where(bits: &[u8], delta: F64, rows: &mut [F64]) =
                        simd::f64::add_where::<$vector>;
                    fn add_rows(words: &mut [F64], at: [usize; 3], count: usize) =
                        simd::f64::add_rows::<$vector>;
                    fn transpose(columns: &[F128], rows: &mut [F64]) = simd::f64::transpose::<$vector>;
                }
            }

            pub(in super::super) mod f256 {
                use super::*;
                use crate::arch::f256::{Map, Row};
                use crate::arch::prime::Gate;
                use crate::field::F256;

                forward! { $features:
                    fn add_images(map: &Map, elements: &[F256], out: &mut [F128]) =
                        simd::f256::add_images::<$vector>;
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) =
                        simd::f256::encode_tagged::<$vector>;
                    fn weigh(chi: &[F128], rows: &[Row]) -> (F128, F128) = simd::f256::weigh::<$vector>;
                    fn products(gates: &[Gate<Row>], constant: &mut [F128], linear: &mut [F128]) =
                        simd::f256::products::<$vector>;
                }
            }

            pub(in super::super) mod prime {
                use super::*;
                use crate::arch::prime::{Coordinates, Gate, Halves};
                use crate::mac::{Holes, Tagged as Row};

                forward_prime! { $vector, $features:
                    fn sum_rows(nodes: &[E], sums: &mut [E]);
                    fn puncture(leaves: &[E], holes: Holes<Row<B, E>>, rows: &mut [Row<B, E>]);
                    fn encode_keys(matrix: &Aes128, first: u64, table: &[E], rows: &mut [E]);
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row<B, E>], rows: &mut [Row<B, E>]);
                    fn sample_all(blocks: &[F128], out: &mut [E]);
                    fn weigh(chi: &[E], rows: &[Row<B, E>]) -> (E, E);
                    fn dot(a: &[E], b: &[E]) -> E;
                    fn combine(factors: &[B], a: &[E]) -> E;
                    fn inner_product(a: &[Row<B, E>], b: &[Row<B, E>]) -> (E, E, B);
                    fn linear(factors: &[B], rows: &[Row<B, E>]) -> Row<B, E>;
                    fn add_products(a: &[E], b: &[E], sums: &mut [E]);
                    fn add_scaled(a: &[E], factors: &[B], sums: &mut [E]);
                    fn products(gates: &[Gate<Row<B, E>>], constant: &mut [E], linear: &mut [E]);
                    fn verifier_sums(chi: &[E], gates: &[Gate<E>]) -> (E, E);
                    fn correct(keys: &mut [E], corrections: &[B], delta: E);
                }
            }

            pub(in super::super) mod q32 {
                use super::*;
                use crate::arch::q32::Row;
                use crate::field::{Q32, Q32x2};

                forward! { $features:
                    fn weigh(chi: &[Q32x2], rows: &[Row]) -> (Q32x2, Q32x2) =
                        simd::prime::weigh::<$vector, Q32, Q32x2, 2>;
                    fn dot(a: &[Q32x2], b: &[Q32x2]) -> Q32x2 = simd::prime::dot::<$vector, Q32, Q32x2, 2>;
                    fn inner_product(a: &[Row], b: &[Row]) -> (Q32x2, Q32x2, Q32) =
                        simd::prime::inner_product::<$vector, Q32, Q32x2, 2>;
                    fn linear(factors: &[Q32], rows: &[Row]) -> Row = simd::q32::linear::<$vector>;
                    fn combine(factors: &[Q32], a: &[Q32x2]) -> Q32x2 = simd::q32::combine::<$vector>;
                }
            }

            pub(in super::super) mod f61x2 {
                use super::*;
                use crate::arch::f61::Gate;
                use crate::arch::f61x2::Row;
                use crate::field::{F61, F61x2};

                forward! { $features:
                    fn encode_tagged(matrix: &Aes128, first: u64, table: &[Row], rows: &mut [Row]) =
                        simd::f61x2::encode_tagged::<$vector>;
                    fn weigh(chi: &[F61x2], rows: &[Row]) -> (F61x2, F61x2) = $products::f61x2::weigh;
                    fn dot(a: &[F61x2], b: &[F61x2]) -> F61x2 = $products::f61x2::dot;
                    fn inner_product(a: &[Row], b: &[Row]) -> (F61x2, F61x2, F61) =
                        $products::f61x2::inner_product;
                    fn linear(factors: &[F61], rows: &[Row]) -> Row = $products::f61x2::linear;
                    fn add_products(a: &[F61x2], b: &[F61x2], sums: &mut [F61x2]) =
                        $products::f61x2::add_products;
                    fn add_scaled(a: &[F61x2], factors: &[F61], sums: &mut [F61x2]) =
                        $products::f61x2::add_scaled;
                    fn products(gates: &[Gate<Row>], constant: &mut [F61x2], linear: &mut [F61x2]) =
                        $products::f61x2::products;
                    fn verifier_sums(chi: &[F61x2], gates: &[Gate<F61x2>]) -> (F61x2, F61x2) =
                        $products::f61x2::verifier_sums;
                    fn correct(keys: &mut [F61x2], corrections: &[F61], delta: F61x2) =
                        $products::f61x2::correct;
                }
            }
        }
    };
}

pub(in crate::arch) use {forward, forward_prime, kernels};
