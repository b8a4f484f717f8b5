//! Loads and stores of every width, in the clear and on wires.

use crate::kit::{
    A0, A1, DATA, addi, bytes, call, check, constant, file, gives, load, move_bytes, program, run,
};
use crate::kit::{TEXT, store};
use volery::F2;
use volery::circuit::stream::Source;
use volery_processor::{End, Fault, Inputs, Kind, Misaligned, Nobody, Program, Run, Told};

const BASE: u32 = 8;
const R: u32 = 9;

#[test]
fn parts_of_words_are_loaded_and_stored() {
    let private = *b"\x81\x02\xf3\x74\x15\xe6\x77\x98";
    for (width, funct3, unsigned) in [(1, 0, 4), (2, 1, 5), (4, 2, 2)] {
        for from in (0..8).step_by(width) {
            for to in (0..8).step_by(width) {
                let mut code = move_bytes(63, 0, 0, 8);
                code.extend(constant(BASE, DATA));
                code.extend([load(funct3, R, BASE, from as i32), store(2, R, BASE, 8)]);
                code.extend([load(unsigned, R, BASE, from as i32), store(2, R, BASE, 12)]);
                code.extend([store(funct3, R, BASE, 16 + to as i32)]);
                code.extend(move_bytes(64, 1, 8, 16));
                code.push(addi(A0, 0, 0));
                code.extend(call(93));
                let part = &private[from..from + width];
                let zeros = [part, &vec![0; 4 - width]].concat();
                let sign = if part[width - 1] >> 7 == 1 { 0xff } else { 0 };
                let signs = [part, &vec![sign; 4 - width]].concat();
                let mut stored = [0; 8];
                stored[to..to + width].copy_from_slice(part);
                let expected = [&signs[..], &zeros, &stored].concat();
                let program = program(&code);
                let ended = run(&program, &[], &private).expect("it ends");
                assert_eq!(ended.claim, gives(&private, &expected), "{width} {from} {to}");
                check(&program, &[], &private, ended.claim).expect("it holds");
            }
        }
    }
}

/// Byte by byte an access may be anywhere, and a store that ends where nothing is leaves all as it was.
#[test]
fn accesses_are_emulated_where_that_is_asked_for() {
    let private = *b"\x81\x02\xf3\x74\x15\xe6\x77\x98";
    let mut code = move_bytes(63, 0, 0, 8);
    code.extend(constant(BASE, DATA));
    code.extend([load(2, R, BASE, 3), store(2, R, BASE, 17), load(1, R, BASE, 1), store(2, R, BASE, 24)]);
    code.extend([load(5, R, BASE, 5), store(1, R, BASE, 31)]);
    code.extend(move_bytes(64, 1, 16, 20));
    code.push(addi(A0, 0, 0));
    code.extend(call(93));
    let program = program(&code);
    let expected =
        [&[0, 0x74, 0x15, 0xe6, 0x77, 0, 0, 0, 2, 0xf3, 0xff, 0xff, 0, 0, 0][..], &[0xe6, 0x77, 0, 0, 0]];
    let locate = |address| program.symbols().place(address);
    let inputs = Inputs { misaligned: Misaligned::Emulate, ..crate::kit::inputs(&[]) };
    let run = Run::new(&program, inputs, &locate);
    let claim = run.in_the_clear(&private, &mut Nobody).expect("it ends").claim;
    assert_eq!(claim, gives(&private, &expected.concat()));
    let claimed = run.claimed(claim);
    volery::check(&claimed as &dyn Source<F2>, claimed.witness(&private)).expect("it holds");
    let fault = crate::kit::run(&program, &[], &private).expect("it ends").claim;
    assert_eq!(fault.end, Told::Fault(Kind::Misaligned));

    let end = DATA + 0x2000 + (32 << 10);
    let code = [&constant(BASE, end - 2)[..], &[addi(R, 0, -1), store(2, R, BASE, 0)]].concat();
    let program = crate::kit::program(&code);
    let run = Run::new(&program, inputs, &locate);
    let ended = run.in_the_clear(&[], &mut Nobody).expect("it ends");
    assert_eq!(ended.end, End::Fault(Fault { kind: Kind::Store, pc: TEXT + 12, about: end }));
}

/// Memory begins as the file says, across pages and where segments share one.
#[test]
fn memory_begins_as_the_file_says() {
    let mut code = Vec::new();
    for address in [0x2_0ffe, 0x2_1001, 0x2_1ff0, 0x2_3000] {
        code.extend([addi(A0, 0, 1)]);
        code.extend(constant(A1, address));
        code.extend([addi(12, 0, 4)]);
        code.extend(call(64));
    }
    code.push(addi(A0, 0, 0));
    code.extend(call(93));
    let text = bytes(&code);
    let long: Vec<u8> = (0..0x1003u32).map(|i| (i % 251) as u8).collect();
    let parts = [
        (TEXT, &text[..], text.len() as u32, 5),
        (0x2_0ffc, &long[..], 0x1004, 4),
        (0x2_2ffd, &[9, 8, 7, 6, 5][..], 9, 6),
    ];
    let program = Program::read(&file(TEXT, &parts)).expect("a program");
    let ended = run(&program, &[], &[]).expect("it ends");
    let at = |address: usize| &long[address - 0x2_0ffc..][..4];
    let expected = [at(0x2_0ffe), at(0x2_1001), at(0x2_1ff0), &[6, 5, 0, 0]].concat();
    assert_eq!(ended.claim.output, expected);
    check(&program, &[], &[], ended.claim).expect("it holds");
}
