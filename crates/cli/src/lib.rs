//! Common parts of the two programs of the command line: `volery`, and `volery-bench`.
//!
//! Data flows one way. Each module imports only those of the lines above its own, and nothing here knows a
//! verb or a bench, and no field but by its name: what depends on one is behind a `volery::AnySetting`.
//! `tests/cli/rooms.rs` reads the imports and fails on a wrong one.
//! ```text
//! failure                      how a run ends that does not end well
//! signals  waiting  child      what ends the process from outside, files and programs that are waited for
//! print  partial  values       standard streams, files that are there whole, values as they are typed
//! args  link  fields  keys     options of all proofs, the way to the peer, what proofs are over, who is who
//!  and service                 what is said to a service before a proof
//! devices                      graphics processors
//! progress  settings  replay   what is shown meanwhile, what options mean, what was sent once more
//! both  preimage               both parties in this process, and a statement for them
//! report  web                  what a proof is reported as, and one of the web
//! misuse                       a command line that is not understood
//! program                      from the command line to the exit code
//! ```
#![forbid(unsafe_code)]

pub mod args;
pub mod both;
pub mod child;
pub mod devices;
pub mod failure;
pub mod fields;
pub mod keys;
pub mod link;
mod misuse;
pub mod networks;
pub mod partial;
pub mod preimage;
pub mod print;
pub mod program;
pub mod progress;
mod replay;
pub mod report;
pub mod service;
pub mod settings;
mod signals;
pub mod values;
pub mod waiting;
pub mod web;
