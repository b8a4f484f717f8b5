//! The examples that `docs/` speaks of, each run to its end.

#[path = "../../../examples/age.rs"]
#[allow(unreachable_pub)]
mod age;
#[path = "../../../examples/preimage.rs"]
#[allow(unreachable_pub)]
mod preimage;

#[test]
fn age_runs() {
    age::main().unwrap();
}

#[test]
fn preimage_runs() {
    preimage::main().unwrap();
}
