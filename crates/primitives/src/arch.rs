//! Instruction sets, and the kernels that exist once for each.
//!
//! A kernel works on a batch of hundreds to thousands of elements, so that choosing its instruction set costs
//! nothing; only `gates` has some that work on one gate. Callers hold an [`Arch`], which can only be made for
//! instructions that this machine has; that is what makes the calls below safe.

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod aarch64;
#[allow(unsafe_code)]
pub(crate) mod binary;
pub(crate) mod f256;
pub(crate) mod f61;
pub(crate) mod f61x2;
pub(crate) mod f64;
pub(crate) mod gates;
pub mod matrix;
#[allow(unsafe_code)]
#[doc(hidden)]
pub mod memcheck;
#[allow(unsafe_code)]
mod opaque;
#[allow(unsafe_code)]
mod pages;
mod portable;
#[allow(unsafe_code)]
pub(crate) mod prime;
pub(crate) mod q32;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[allow(unsafe_code)]
mod simd;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64;
#[allow(unsafe_code)]
mod xor;

pub(crate) use opaque::opaque;
pub use pages::advise_huge_pages;
pub(crate) use xor::xor;

use crate::aes::Aes128;
use crate::field::{F2, F128};
use crate::lanes::Pair;
use core::fmt;
use std::sync::OnceLock;

/// An instruction set that this machine has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arch(Level);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Aesni,
    #[cfg(target_arch = "x86_64")]
    Vaes256,
    #[cfg(target_arch = "x86_64")]
    Vaes512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Whether this machine has all instructions of the assembly that links by TLS are made with (graviola):
/// nearly all do that were made since 2015.
pub fn has_tls_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = x86_64::has_tls_instructions();
    #[cfg(target_arch = "aarch64")]
    let has = aarch64::has_tls_instructions();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let has = false;
    has
}

/// The environment variable that forces an instruction set by its name.
pub const ARCH_VARIABLE: &str = "VOLERY_ARCH";

impl Arch {
    /// Plain Rust; runs everywhere.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// All that this machine has, the slowest first.
    pub fn available() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let native = x86_64::levels();
        #[cfg(target_arch = "aarch64")]
        let native = aarch64::levels();
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let native = Vec::new();
        core::iter::once(Level::Portable).chain(native).map(Self).collect()
    }

    /// The fastest that this machine has, or the one that [`ARCH_VARIABLE`] names; an empty name is none.
    ///
    /// # Panics
    /// Where the variable names none that this machine has; see [`Arch::from_name`] to ask first.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Arch> = OnceLock::new();
        *DETECTED.get_or_init(|| match std::env::var(ARCH_VARIABLE) {
            Ok(name) if !name.is_empty() => {
                Self::from_name(&name).unwrap_or_else(|why| panic!("{ARCH_VARIABLE}: {why}"))
            }
            _ => *Self::available().last().expect("portable is always there"),
        })
    }

    /// The instruction set called `name`.
    ///
    /// # Errors
    /// A sentence that lists what this machine has.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let all = Self::available();
        all.iter().copied().find(|arch| arch.name() == name).ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|arch| arch.name()).collect();
            format!("this machine has no `{name}`; it has {}", names.join(", "))
        })
    }

    /// The name used by [`ARCH_VARIABLE`] and in reports.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Aesni => "aesni",
            #[cfg(target_arch = "x86_64")]
            Level::Vaes256 => "vaes256",
            #[cfg(target_arch = "x86_64")]
            Level::Vaes512 => "vaes512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "neon",
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Calls one kernel of the instruction set `$arch`.
macro_rules! dispatch {
    ($arch:expr, $($kernel:ident)::+($($argument:expr),*)) => {
        match $arch.0 {
            Level::Portable => portable::$($kernel)::+($($argument),*),
            // SAFETY: an `Arch` of this level exists only where `levels` found its instructions.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Aesni => unsafe { crate::arch::x86_64::aesni::$($kernel)::+($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Vaes256 => unsafe { crate::arch::x86_64::vaes256::$($kernel)::+($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Level::Vaes512 => unsafe { crate::arch::x86_64::vaes512::$($kernel)::+($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            #[allow(unsafe_code)]
            Level::Neon => unsafe { crate::arch::aarch64::neon::$($kernel)::+($($argument),*) },
        }
    };
}
use dispatch;

/// The AES-128 round keys of `key`, where `arch` wants them expanded; `None` for the portable cipher.
pub(crate) fn expand_key(arch: Arch, key: F128) -> Option<[F128; 11]> {
    match arch.0 {
        Level::Portable => None,
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        // SAFETY: every level above portable has AES-NI.
        _ => Some(unsafe { x86_64::expand_key(key) }),
        #[cfg(target_arch = "aarch64")]
        #[allow(unsafe_code)]
        // SAFETY: every level above portable has NEON and AES.
        _ => Some(unsafe { aarch64::expand_key(key) }),
    }
}

/// Encrypts each block in place.
pub(crate) fn encrypt(key: &Aes128, blocks: &mut [F128]) {
    dispatch!(key.arch(), encrypt(key, blocks))
}

/// `out[i] = AES(start + i)`.
///
/// # Panics
/// Where the counter would leave the low 64 bits of `start`.
pub(crate) fn counter(key: &Aes128, start: u128, out: &mut [F128]) {
    check_counter(start, out.len());
    dispatch!(key.arch(), counter(key, start, out))
}

/// The planes of one small-field VOLE: `G(y, b) = AES(r_y ⊕ (start+b)) ⊕ r_y ⊕ (start+b)` for the `2^k`
/// leaves r, and `total[b] = ⊕_y G(y, b)`, `planes[m·B + b] = ⊕_{y: bit m of y is 1} G(y, b)` for `m < k`,
/// `b < B = total.len()`.
///
/// # Panics
/// Where `leaves.len()` is not 2^k with k from 3 to 8, `planes.len()` is not `k·B`, or the counter would
/// leave the low 64 bits of `start`.
pub fn fold_leaves(key: &Aes128, leaves: &[F128], start: u128, total: &mut [F128], planes: &mut [F128]) {
    let k = leaves.len().ilog2() as usize;
    assert!(leaves.len().is_power_of_two() && (3..=8).contains(&k), "{} leaves", leaves.len());
    assert_eq!(planes.len(), k * total.len());
    check_counter(start, total.len());
    dispatch!(key.arch(), fold_leaves(key, leaves, start, total, planes))
}

/// One level of half-trees: each node of the first half becomes its left child `H(x) = π(σ(x)) ⊕ σ(x)`, in
/// place, and its right child `x ⊕ H(x)` goes to the same place in the second half. H is
/// [`crate::hash::Circular`].
///
/// # Panics
/// Where the length is odd.
pub fn grow(key: &Aes128, nodes: &mut [F128]) {
    grow_with(key, nodes, F128(u128::MAX), None);
}

/// [`grow`], of each child the bits of `keep` alone, and then [`puncture`] where that is asked for: in one
/// pass, if there are few trees.
///
/// # Panics
/// Where the length is odd, or the trees to puncture do not fit it.
pub fn grow_with(key: &Aes128, nodes: &mut [F128], keep: F128, punctures: Option<Punctures>) {
    assert!(nodes.len().is_multiple_of(2), "{} nodes", nodes.len());
    let trees = punctures.as_ref().map_or(1, |punctures| check_punctures(nodes, punctures));
    let at_once = trees.is_power_of_two() && trees <= MOST_TREES;
    let meanwhile = punctures.filter(|_| at_once);
    dispatch!(key.arch(), grow_with(key, nodes, keep, meanwhile));
    if let Some(punctures) = punctures.filter(|_| !at_once) {
        puncture(key.arch(), nodes, punctures);
    }
}

/// The most trees that are punctured while they grow: of more of them, or another number than a power of two,
/// levels are swept once more.
const MOST_TREES: usize = 64;

/// `out[i] = H(blocks[i])` for H of [`crate::hash::Circular`].
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn hash(key: &Aes128, blocks: &[F128], out: &mut [F128]) {
    assert_eq!(blocks.len(), out.len());
    dispatch!(key.arch(), hash(key, blocks, out))
}

/// Sums the nodes of each of `sums.len()` trees that stand side by side, node y of tree g at `y·trees + g`.
///
/// # Panics
/// Where the lengths do not divide.
pub fn sum_rows(arch: Arch, nodes: &[F128], sums: &mut [F128]) {
    assert!(!sums.is_empty() && nodes.len().is_multiple_of(sums.len()));
    dispatch!(arch, sum_rows(nodes, sums))
}

/// Corrections of one level of trees side by side: for each tree one parent, and summands for its two
/// children.
#[derive(Clone, Copy)]
pub struct Punctures<'a> {
    /// The place of the parent whose children change, in both 64-bit halves.
    pub row: &'a [F128],
    /// The summand of its left child.
    pub left: &'a [F128],
    /// The summand of its right child.
    pub right: &'a [F128],
}

/// Changes the children of one node in each of the trees that stand side by side. Time does
/// not depend on which.
///
/// # Panics
/// Where the lengths do not fit.
pub fn puncture(arch: Arch, nodes: &mut [F128], punctures: Punctures) {
    check_punctures(nodes, &punctures);
    dispatch!(arch, puncture(nodes, punctures))
}

/// The number of trees.
fn check_punctures(nodes: &[F128], punctures: &Punctures) -> usize {
    let trees = punctures.row.len();
    assert!(trees > 0 && nodes.len().is_multiple_of(2 * trees));
    assert_eq!((punctures.left.len(), punctures.right.len()), (trees, trees));
    trees
}

/// Entries of the table that each encoded row sums.
pub const WEIGHT: usize = 10;

/// Adds to `rows[j]` the entries of `table` at ten places: `(w·size) >> 32` for the 32-bit words number
/// `10·(first + j)` and on of `AES(0), AES(1), …`.
///
/// # Panics
/// Where `first` is odd, or the table is empty or longer than 2^27.
pub fn encode(key: &Aes128, first: u64, table: &[F128], rows: &mut [F128]) {
    assert!(first.is_multiple_of(2) && !table.is_empty() && table.len() <= 1 << 27);
    dispatch!(key.arch(), encode(key, first, table, rows))
}

/// `Σ χ·word` and `Σ χ·bit 0 of word`.
///
/// # Panics
/// Where the lengths differ.
pub fn weigh(arch: Arch, coefficients: &[F128], words: &[F128]) -> (F128, F128) {
    assert_eq!(coefficients.len(), words.len());
    dispatch!(arch, weigh(coefficients, words))
}

fn check_counter(start: u128, length: usize) {
    assert!((start as u64).checked_add(length as u64).is_some(), "a block counter may not wrap around");
}

/// `Σ a[i] · b[i]`.
///
/// # Panics
/// Where the lengths differ.
pub fn dot(arch: Arch, a: &[F128], b: &[F128]) -> F128 {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, dot(a, b))
}

/// `Σ a·b` and `Σ a₀·b + b₀·a`, where `a₀` is the lowest bit of `a`, the value that the MAC carries: the
/// prover's side of an inner product over F_2.
///
/// # Panics
/// Where the lengths differ.
pub fn inner_product(arch: Arch, a: &[F128], b: &[F128]) -> (F128, F128) {
    assert_eq!(a.len(), b.len());
    dispatch!(arch, inner_product(a, b))
}

/// `Σ factor · a`.
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn combine(arch: Arch, factors: &[F2], a: &[F128]) -> F128 {
    assert_eq!(factors.len(), a.len());
    dispatch!(arch, combine(factors, a))
}

/// `sums[i] += a[i] · b[i]`.
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn add_products(arch: Arch, a: &[F128], b: &[F128], sums: &mut [F128]) {
    assert_eq!((a.len(), b.len()), (sums.len(), sums.len()));
    dispatch!(arch, add_products(a, b, sums))
}

/// `sums[i] += Σ a[i]·b[i]` over all pairs of both lists, of which the second may have one factor for all lanes.
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn add_sums(
    arch: Arch,
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    sums: &mut [F128],
) {
    check_lanes(products, scaled, sums);
    dispatch!(arch, add_sums(products, scaled, sums))
}

/// `sums[i] = Σ a[i]·b[i]`, as [`add_sums`] adds it to what was there.
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn set_sums(
    arch: Arch,
    products: &[Pair<'_, F128, F128>],
    scaled: &[Pair<'_, F128, F2>],
    sums: &mut [F128],
) {
    check_lanes(products, scaled, sums);
    dispatch!(arch, set_sums(products, scaled, sums))
}

fn check_lanes(products: &[Pair<'_, F128, F128>], scaled: &[Pair<'_, F128, F2>], sums: &[F128]) {
    assert!(products.iter().all(|(a, b)| a.len() == sums.len() && b.len() == sums.len()));
    let fits = |length: usize| length == sums.len() || length == 1;
    assert!(scaled.iter().all(|(a, factors)| a.len() == sums.len() && fits(factors.len())));
}

/// `sums[i] += a[i] · factors[i]`.
///
/// # Panics
/// Where the lengths differ.
pub(crate) fn add_scaled(arch: Arch, a: &[F128], factors: &[F2], sums: &mut [F128]) {
    assert_eq!((a.len(), factors.len()), (sums.len(), sums.len()));
    dispatch!(arch, add_scaled(a, factors, sums))
}

/// `out[i] = a[i] · b[i]`.
///
/// # Panics
/// Where the lengths differ.
pub fn multiply(arch: Arch, a: &[F128], b: &[F128], out: &mut [F128]) {
    assert_eq!((a.len(), b.len()), (out.len(), out.len()));
    dispatch!(arch, multiply(a, b, out))
}

/// A multiplication: left operand, right operand, product, as one party's words for them.
pub type Triple = [F128; 3];

/// The prover's sums of the QuickSilver check over F_2: `Σ χ·(a·b)` and `Σ χ·(a₀·b + b₀·a + c)`, where `a₀`
/// is the lowest bit of `a`, the value that the MAC carries.
///
/// # Panics
/// Where the lengths differ.
pub fn prover_sums(arch: Arch, coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    assert_eq!(coefficients.len(), triples.len());
    dispatch!(arch, prover_sums(coefficients, triples))
}

/// The verifier's sums of the QuickSilver check: `Σ χ·(a·b)` and `Σ χ·c`.
///
/// # Panics
/// Where the lengths differ.
pub fn verifier_sums(arch: Arch, coefficients: &[F128], triples: &[Triple]) -> (F128, F128) {
    assert_eq!(coefficients.len(), triples.len());
    dispatch!(arch, verifier_sums(coefficients, triples))
}

/// The sums of [`prover_sums`] of triples that stand in columns.
///
/// # Panics
/// Where the lengths differ.
pub fn prover_column_sums(arch: Arch, coefficients: &[F128], [a, b, c]: [&[F128]; 3]) -> (F128, F128) {
    assert!([a, b, c].iter().all(|column| column.len() == coefficients.len()));
    dispatch!(arch, prover_column_sums(coefficients, a, b, c))
}

/// The sums of [`verifier_sums`] of triples that stand in columns.
///
/// # Panics
/// Where the lengths differ.
pub fn verifier_column_sums(arch: Arch, coefficients: &[F128], [a, b, c]: [&[F128]; 3]) -> (F128, F128) {
    assert!([a, b, c].iter().all(|column| column.len() == coefficients.len()));
    dispatch!(arch, verifier_column_sums(coefficients, a, b, c))
}

/// Puts the sums of the `count` words from `a` and from `b` on at `out`, which may be one of these two, and
/// overlaps with neither else.
///
/// # Panics
/// Where there are fewer words.
pub fn add_rows(arch: Arch, words: &mut [F128], [out, a, b]: [usize; 3], count: usize) {
    assert!([out, a, b].iter().all(|from| from.checked_add(count).is_some_and(|end| end <= words.len())));
    dispatch!(arch, add_rows(words, [out, a, b], count))
}

/// Adds `one` to `rows[i]` where bit i of `bits` is set; the first bit is the lowest of the first byte. Time
/// depends on the lengths alone.
///
/// # Panics
/// Where there are not `rows.len().div_ceil(8)` bytes.
pub fn add_where(arch: Arch, bits: &[u8], one: F128, rows: &mut [F128]) {
    assert_eq!(bits.len(), rows.len().div_ceil(8));
    dispatch!(arch, add_where(bits, one, rows))
}

/// `Σ χ·a`, `Σ χ·b` and `Σ χ·c` of the triples `[a, b, c]`.
///
/// # Panics
/// Where the lengths differ.
pub fn triple_sums(arch: Arch, coefficients: &[F128], triples: &[Triple]) -> [F128; 3] {
    assert_eq!(coefficients.len(), triples.len());
    dispatch!(arch, triple_sums(coefficients, triples))
}

/// `Σ χ·x`, `Σ χ·y` and `Σ χ·(z + r·x + l·y)` of the triples `[x, y, z]`, for the bits l of `left` and r of
/// `right`: `(x + l)·(y + r)` is `z + r·x + l·y + l·r` where z is x·y. Time depends on the lengths alone.
///
/// # Panics
/// Where the lengths differ.
pub fn opened_sums(
    arch: Arch,
    coefficients: &[F128],
    triples: &[Triple],
    left: &[F2],
    right: &[F2],
) -> [F128; 3] {
    assert_eq!(coefficients.len(), triples.len());
    assert_eq!((left.len(), right.len()), (triples.len(), triples.len()));
    dispatch!(arch, opened_sums(coefficients, triples, left, right))
}

/// Transposes 128 columns of `B = rows.len() / 128` blocks into rows: bit p of `rows[128·b + j]` is bit j of
/// `columns[p·B + b]`.
///
/// # Panics
/// Where the lengths differ or are no multiple of 128.
pub fn transpose(arch: Arch, columns: &[F128], rows: &mut [F128]) {
    assert_eq!(columns.len(), rows.len());
    assert!(rows.len().is_multiple_of(128), "{} rows", rows.len());
    dispatch!(arch, transpose(columns, rows))
}

/// Products of bit matrices, 128 partial sums of each entry side by side:
/// `out[c·R + r] += ⊕_b rows[r·B + b] & columns[c·B + b]` for the R rows and all columns of
/// `B = blocks` blocks each. The parity of the bits of an element of `out` is the inner product over
/// F_2 of the row and the column.
///
/// # Panics
/// Where the lengths do not fit.
pub fn bit_products(arch: Arch, rows: &[F128], columns: &[F128], blocks: usize, out: &mut [F128]) {
    assert!(blocks > 0 && rows.len().is_multiple_of(blocks) && columns.len().is_multiple_of(blocks));
    assert_eq!(out.len(), rows.len() / blocks * (columns.len() / blocks));
    dispatch!(arch, bit_products(rows, columns, blocks, out))
}

/// Counters that are hashed at a time.
pub const SEARCHED: usize = 8;

/// Computes word 4 of BLAKE3 under the key of these eight words, of the four bytes of each of [`SEARCHED`]
/// counters from `first` on, which wrap around. All words and bytes are little-endian.
pub fn search(arch: Arch, key: &[u32; 8], first: u32, words: &mut [u32; SEARCHED]) {
    dispatch!(arch, search(key, first, words))
}

#[cfg(test)]
mod tests;
