//! The Python module of volery: what `volery/__init__.py` takes from Rust.
//!
//! A statement that is a Python function is never held: the caller's thread runs the function, and writes
//! what it does on a [tape]; the thread that proves reads it, and executes it by the gadgets of Rust.
//! ```text
//! kinds tape                  what values are, and what is done with them
//! engine                      operations, executed in a recorder          engine/{bits/*,elements,walk}
//! errors keys                 exceptions by whose fault it is, who is who
//! parts                       how a function falls into shards
//! built                       the statement of a function, over a setting by its name
//! session                     two threads: one works, the other runs the function and hears signals
//! values                      numbers of Python as numbers of a kind
//! run                         what a function has in hand            run/{inputs,map,pass,shard,types,wire}, run/wire/*
//! gadgets memory              functions of values, memories and tables
//! options                     what is asked for
//! shards cluster              one party of a run in shards: its coordinator, its workers     cluster/*
//! web                         what a web server said
//! party                       checks, proves and verifies: of functions and of relations by name
//! queries                     sessions of many queries to a network       queries/network
//! ```
#![forbid(unsafe_code)]

mod built;
mod cluster;
mod engine;
mod errors;
mod gadgets;
mod keys;
mod kinds;
mod memory;
mod options;
mod parts;
mod party;
mod queries;
mod run;
mod session;
mod shards;
mod tape;
mod values;
mod web;

use pyo3::prelude::*;

/// See `volery/__init__.py`.
#[pymodule]
mod _volery {
    #[pymodule_export]
    use super::cluster::{Shards, run_worker, run_worker_of};
    #[pymodule_export]
    use super::gadgets::{
        aes128, array, assert_equal, assert_not_zero, assert_permutation, assert_range, assert_true, concat,
        hmac_sha256, keccak256, select, sha1, sha3_256, sha256, witness,
    };
    #[pymodule_export]
    use super::keys::Key;
    #[pymodule_export]
    use super::memory::{Memory, Table};
    #[pymodule_export]
    use super::party::{circuit_info, fields, run_function, run_relation};
    #[pymodule_export]
    use super::queries::{QuerySession, open_queries, split_network};
    #[pymodule_export]
    use super::run::map::map;
    #[pymodule_export]
    use super::run::types::{Type, kind_named};
    #[pymodule_export]
    use super::run::wire::Wire;
    #[pymodule_export]
    use super::web::run_web;

    use super::kinds::Kind;
    use super::run::types::Family;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("Bit", Type(Kind::Bit))?;
        module.add("Element", Type(Kind::Element))?;
        for name in ["Word", "Int", "Bytes", "Array"] {
            module.add(name, Family(name))?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
