//! Values of the prover under MACs whose key the verifier has: what every proof system over correlations draws
//! from. No promises: use `volery`.
//!
//! [`ot`] transfers one of two seeds, or all but one of many; [`mod@vole`] makes of them random shares over any
//! field, by learning parity with noise or without, and for proofs that are files deals them in the prover's
//! head, over the trees of [`commit`]; [`macs`] says how a system holds a share. Both parties are here. Nothing
//! knows a circuit, a gate or a statement: who draws says how many, and no more.
//!
//! ```text
//!   ot (base, pprf, softspoken) ──▶ vole (extend, subfield, direct) ──▶ Shares ──▶ Values, Macs ──▶ a system
//! ```
#![forbid(unsafe_code)]

pub mod commit;
pub mod macs;
pub mod ot;
pub mod vole;
