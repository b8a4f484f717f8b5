//! Any bytes as a file of a program: read, or refused. What one that was read says of places is asked, too;
//! `programs` is what runs them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery_processor::{Program, section};

fuzz_target!(|bytes: &[u8]| {
    let _ = section(bytes, ".debug_line");
    let Ok(program) = Program::read(bytes) else { return };
    let entry = program.entry();
    assert!(entry.is_multiple_of(4));
    let _ = program.instruction(entry);
    for address in [entry, !entry, u32::MAX] {
        let _ = program.symbols().place(address);
    }
});
