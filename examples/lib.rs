//! The programs that `docs/` speaks of, each a module whose `main` is the whole program.

pub mod age;
pub mod bug;
pub mod either;
pub mod file;
pub mod ledger;
pub mod link;
pub mod listed;
pub mod median;
pub mod membership;
pub mod preimage;
pub mod readings;

use std::error::Error;

/// An example.
pub type Main = fn() -> Result<(), Box<dyn Error>>;

/// All examples by name.
pub const ALL: [(&str, Main); 11] = [
    ("age", age::main),
    ("bug", bug::main),
    ("either", || Ok(either::main()?)),
    ("file", || Ok(file::main()?)),
    ("ledger", ledger::main),
    ("link", || Ok(link::main()?)),
    ("listed", listed::main),
    ("median", median::main),
    ("membership", membership::main),
    ("preimage", preimage::main),
    ("readings", readings::main),
];
