//! The examples that `docs/` speaks of, each run to its end.

#[path = "../../../examples/preimage.rs"]
#[allow(unreachable_pub)]
mod preimage;

#[test]
fn preimage_runs() {
    preimage::main().unwrap();
}
