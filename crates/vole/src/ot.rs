//! Oblivious transfer: where two parties' first correlated secrets come from.
//!
//! [`base`] gives 128 transfers by public-key operations, [`pprf`] turns them into trees of which one party
//! knows all leaves and the other all but one each, and [`softspoken`] streams correlated transfers from the
//! leaves. Over these [`committing`] carries messages, both of which their sender can be made to open.
//!
//! This room says `Sender` and `Receiver`, as its literature does. The **receiver** of the correlated
//! transfers chooses bits and will be the prover; their **sender** holds Δ and will be the verifier. In the
//! base transfers the roles are swapped: who will hold Δ receives there, by the bits of Δ.

pub mod base;
pub mod committing;
pub mod pprf;
pub mod softspoken;
