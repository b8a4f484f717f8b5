//! Proofs of what a web server said over TLS 1.3.
//!
//! The verifier forwards the prover's connection to the server, and records it. Then the prover opens what decides
//! nothing but the handshake, and proves in zero knowledge what the records behind it say: it shows parts of them, and
//! keeps the others. The server takes part as in any other connection, and notices nothing.
//!
//! ```text
//! Recording ─▶ tls: records, handshake, certificates ─▶ Session ─┐
//!                  prover: Opening (secrets, plan, shown bytes) ─┴▶ Statement ─▶ volery::prove, volery::verify
//! ```
#![forbid(unsafe_code)]

pub mod beside;
pub mod bundle;
pub mod claim;
pub mod client;
pub mod error;
pub mod file;
pub mod freshness;
pub mod http;
pub mod json;
pub mod opened;
pub mod opening;
pub mod policy;
pub mod program;
mod provider;
pub mod record;
pub mod recording;
pub mod roots;
#[doc(hidden)]
pub mod sample;
pub mod session;
pub mod skeleton;
pub mod statement;
mod target;
pub mod terms;
pub mod tls;
pub mod tunnel;

pub use error::{Error, Refusal, Result};
pub use opened::Opened;
pub use opening::Opening;
pub use record::SignedRecord;
pub use recording::{Recording, Side};
pub use statement::{Form, Statement};
