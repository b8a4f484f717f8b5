//! The security of the sets, recomputed.
