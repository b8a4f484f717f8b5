//! Any bytes as a BLIF file, for two steps where it has latches: read, or refused, within memory that their
//! length bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{Netlist, NetlistOptions, Relation};

fuzz_target!(|bytes: &[u8]| {
    for options in [NetlistOptions::default(), NetlistOptions { steps: Some(2), ..NetlistOptions::default() }] {
        if let Ok(netlist) = Netlist::blif("fuzz", bytes, options) {
            let _ = Relation::netlist(netlist).examine();
        }
    }
});
