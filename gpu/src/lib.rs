//! Shares of bits, and functions on many lanes, on a graphics processor. No promises: use `volery`.
//!
//! A [`Card`] expands tiles of the extension over F_2 ([`Expander`](volery_vole::vole::device::Expander)) and walks over
//! maps ([`Device`](volery_proof::device::Device)) in its own memory, by kernels that each equal one of the processor.
//! Whoever speaks to the peer hands it tiles, corrections and challenges, and gets corrections, asserted wires and sums.
//!
//! Kernels are written once, in WGSL, and compiled by the driver of the card through `wgpu`; that and the loader of Vulkan
//! are looked for when a card is opened. No address, and no branch, depends on a secret: trees are grown by a cipher that is
//! bit-sliced, and blocks by tables are those of public numbers under public keys. What is secret is overwritten in the card's
//! memory when it is dropped, and on its way there.
#![forbid(unsafe_code)]

mod card;
mod elements;
mod expand;
mod forest;
mod kernel;
mod memory;
mod speeds;
mod tables;
#[cfg(test)]
mod testing;
mod walk;

pub use card::{Card, Found, cards};
