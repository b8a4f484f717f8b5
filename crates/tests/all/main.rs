//! Sessions of both parties, and what they send: one program, since each statement is compiled for every
//! backend.

mod agree;
mod builtins;
mod choices;
mod circuits;
mod claims;
mod compiled;
mod fields;
mod files;
mod formats;
mod in_shards;
mod kit;
mod lowered;
mod memory;
mod mixed;
mod polynomials;
mod records;
mod reject;
mod rooms;
mod rows;
mod sessions;
mod sharded;
mod tapes;
mod toy;
mod voleith;
mod words;
