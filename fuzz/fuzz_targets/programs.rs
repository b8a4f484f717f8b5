//! Any bytes as a program: read, or refused; and where it runs to an end within a few instructions, that is what
//! both parties of a proof find, too, unless it decides by what is secret.
#![no_main]

use libfuzzer_sys::fuzz_target;
use volery::circuit::stream::Source;
use volery::{Error, F2};
use volery_processor::{Inputs, Layout, Misaligned, Nobody, Program, Run, section};

fuzz_target!(|bytes: &[u8]| {
    let _ = section(bytes, ".debug_line");
    let Ok(program) = Program::read(bytes) else { return };
    let locate = |address| program.symbols().place(address);
    let misaligned = if bytes.len() % 2 == 0 { Misaligned::Fault } else { Misaligned::Emulate };
    let inputs = Inputs { public: b"public", layout: Layout::default(), misaligned, cycles: 2000, output: 4096 };
    let run = Run::new(&program, inputs, &locate);
    let private = [0x5a; 16];
    let Ok(ended) = run.in_the_clear(&private, &mut Nobody) else { return };
    let claimed = run.claimed(ended.claim);
    match volery::check(&claimed as &dyn Source<F2>, claimed.witness(&private)) {
        Ok(()) => {}
        Err(Error::Invalid(why)) if why.contains("depends on the private input") => {}
        Err(why) => panic!("{why}"),
    }
});
