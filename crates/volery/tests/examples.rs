//! The examples that `docs/` speaks of, each run to its end.

#[path = "../../../examples/age.rs"]
#[allow(unreachable_pub)]
mod age;
#[path = "../../../examples/bug.rs"]
#[allow(unreachable_pub)]
mod bug;
#[path = "../../../examples/membership.rs"]
#[allow(unreachable_pub)]
mod membership;
#[path = "../../../examples/preimage.rs"]
#[allow(unreachable_pub)]
mod preimage;

#[test]
fn age_runs() {
    age::main().unwrap();
}

#[test]
fn bug_runs() {
    bug::main().unwrap();
}

#[test]
fn membership_runs() {
    membership::main().unwrap();
}

#[test]
fn preimage_runs() {
    preimage::main().unwrap();
}
