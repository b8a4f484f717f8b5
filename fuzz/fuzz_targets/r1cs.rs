//! Any bytes as a constraint system, with a witness and symbols behind it where there are any: read, or refused,
//! within memory that their length bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::{FieldRelation, Program, R1cs, public_json};
use volery_primitives::Goldilocks;

fuzz_target!(|files: (&[u8], &[u8], &[u8])| {
    let (file, witness, symbols) = files;
    let _ = public_json(symbols);
    let Ok(system) = R1cs::from_bytes("fuzz", file) else { return };
    let _ = system.witness_of("fuzz", witness);
    let Ok(system) = system.with_symbols_of("fuzz", symbols) else { return };
    let _ = system.witness_of("fuzz", witness);
    if system.check_field::<Goldilocks>().is_ok() {
        let _ = FieldRelation::<Goldilocks>::file(Box::new(system)).examine();
    }
});
