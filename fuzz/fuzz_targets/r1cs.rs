//! Any bytes as a constraint system; from `wtns` on they are a witness, and from `#sym` on symbols, and a
//! list of public values: read, or refused, within memory that their length bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::Goldilocks;
use volery::circuit::{FieldRelation, Program, R1cs, public_json};

/// The bytes before `mark`, and those behind it with or without the mark.
fn split<'a>(bytes: &'a [u8], mark: &[u8], kept: bool) -> (&'a [u8], &'a [u8]) {
    let at = bytes.windows(mark.len()).position(|window| window == mark);
    let (before, behind) = bytes.split_at(at.unwrap_or(bytes.len()));
    (before, if kept || behind.is_empty() { behind } else { &behind[mark.len()..] })
}

fuzz_target!(|bytes: &[u8]| {
    let (files, symbols) = split(bytes, b"#sym", false);
    let (file, witness) = split(files, b"wtns", true);
    let _ = public_json(symbols, 1 << 10);
    let Ok(system) = R1cs::from_bytes("fuzz", file) else { return };
    let _ = system.witness_of("fuzz", witness);
    let _ = system.write_sieve(&mut std::io::sink());
    if system.check_field::<Goldilocks>().is_ok() {
        let Ok(system) = R1cs::from_bytes("fuzz", file) else { return };
        let _ = FieldRelation::<Goldilocks>::file(Box::new(system)).examine();
    }
    if let Ok(system) = system.with_symbols_of("fuzz", symbols) {
        let _ = system.witness_of("fuzz", witness);
    }
});
