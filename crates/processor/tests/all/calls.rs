//! Calls of programs by `ecall`.

use crate::kit::{
    A0, A1, A2, A7, CALL, DATA, DATA_LENGTH, SP, addi, call, check, constant, gives, inputs, load, lui,
};
use crate::kit::{move_bytes, program, run, store, why};
use volery::F2;
use volery::circuit::stream::Source;
use volery_processor::{Claim, End, Fault, Inputs, Kind, Layout, Nobody, Place, Run, Told};

/// Ends with code 0.
fn leave() -> Vec<u32> {
    [&[addi(A0, 0, 0)][..], &call(93)].concat()
}

#[test]
fn inputs_are_read_to_their_end() {
    for length in [0, 1, 3, 4, 5, 11] {
        // Twice as much is asked for in two calls, and what they return is given out, too.
        let mut code = Vec::new();
        for (descriptor, at) in [(0, 1), (3, 101)] {
            for half in [0, 7] {
                code.extend(move_bytes(63, descriptor, at + half, 7));
                code.extend(constant(8, DATA));
                code.push(store(2, A0, 8, 200 + (at / 100 * 8 + half / 7 * 4) as i32));
            }
        }
        code.extend(move_bytes(64, 1, 1, 14));
        code.extend(move_bytes(64, 1, 101, 14));
        code.extend(move_bytes(64, 1, 200, 16));
        code.extend(leave());
        let program = program(&code);
        let private: Vec<u8> = (1..=length).collect();
        let public: Vec<u8> = private.iter().map(|byte| 100 + byte).collect();
        let padded = |bytes: &[u8]| [bytes, &vec![0; 14 - bytes.len()]].concat();
        let [first, second] = [length.min(7), length - length.min(7)].map(u32::from);
        let counts: Vec<u8> = [first, second, first, second].iter().flat_map(|n| n.to_le_bytes()).collect();
        let expected = [padded(&private), padded(&public), counts].concat();
        let ended = run(&program, &public, &private).expect("it ends");
        assert_eq!(ended.claim, gives(&private, &expected));
        check(&program, &public, &private, ended.claim).expect("it holds");
    }
}

/// Bytes that a program does not read are no part of the statement.
#[test]
fn an_input_may_be_longer_than_what_is_read() {
    let program = program(&[move_bytes(63, 0, 0, 4), move_bytes(64, 1, 0, 2), leave()].concat());
    let private = *b"0123456789";
    let claim = run(&program, &[], &private).expect("it ends").claim;
    assert_eq!(claim, gives(b"0123", b"01"));
    check(&program, &[], &private, claim.clone()).expect("it holds");
    // Nor can it be said to be: for a verifier it would be work.
    let told = why(check(&program, &[], &private, Claim { private: 5, ..claim }));
    assert!(told.contains("a private input of which 5 bytes are read"), "{told}");
}

#[test]
fn the_heap_grows_to_its_end_and_no_further() {
    let brk = |address: [u32; 2]| [&address[..], &call(214)].concat();
    let keep = |at| [&constant(8, DATA)[..], &[store(2, A0, 8, at)]].concat();
    let begin = 0x2_2000;
    let end = begin + (32 << 10);
    let code = [
        brk([addi(A0, 0, 0), addi(A0, A0, 0)]),
        keep(0),
        brk(constant(A0, end)),
        keep(4),
        brk(constant(A0, end + 1)),
        keep(8),
        brk(constant(A0, begin - 1)),
        keep(12),
        // What it gave is there.
        [&constant(9, end - 4)[..], &[store(2, A0, 9, 0), load(2, A1, 9, 0), store(2, A1, 8, 16)]].concat(),
        move_bytes(64, 1, 0, 20),
        leave(),
    ];
    let ended = run(&program(&code.concat()), &[], &[]).expect("it ends");
    let words: Vec<u8> = [begin, end, end, end, end].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(ended.claim.output, words);
    let [heap, stack] = ended.used;
    assert_eq!((heap.there, heap.touched, heap.asked), (32 << 10, 4096, (32 << 10) + 1));
    assert_eq!((stack.there, stack.touched), (64 << 10, 0));
}

#[test]
fn a_stack_lies_behind_the_heap_and_a_gap() {
    // A word below the top, and the last one of the stack.
    let code = [
        vec![store(2, 0, SP, -4), load(2, A1, SP, -4)],
        vec![lui(9, 64 << 10), crate::kit::register(0x20, 0, 9, SP, 9), store(2, 0, 9, 0)],
        vec![store(2, 0, 9, -4)],
        leave(),
    ];
    let ended = run(&program(&code.concat()), &[], &[]).expect("it ends");
    assert_eq!(ended.claim.end, Told::Fault(Kind::Store));
    assert_eq!(ended.cycles, 6);
}

/// A frame that has no room on the stack is no write into the heap, up to what Linux keeps free below a stack.
#[test]
fn a_frame_that_does_not_fit_is_a_fault() {
    let locate = |address| Place { address, function: None, line: None };
    for (frame, stack, fits) in [
        (65_536, 64 << 10, true),
        (65_540, 64 << 10, false),
        (200_000, 64 << 10, false),
        (200_000, 1 << 20, true),
        ((64 << 10) + (1 << 20), 64 << 10, false),
    ] {
        let [high, low] = constant(9, frame);
        let code = [
            vec![high, low, crate::kit::register(0x20, 0, SP, SP, 9), store(2, 0, SP, 0), addi(A0, 0, 0)],
            call(93).to_vec(),
        ];
        let program = program(&code.concat());
        let inputs = inputs(&[]);
        let inputs = Inputs { layout: Layout { stack, ..inputs.layout }, ..inputs };
        let run = Run::new(&program, inputs, &locate);
        let ended = run.in_the_clear(&[], &mut Nobody).expect("it ends");
        match ended.end {
            End::Exit(code) => assert!(fits && code == 0, "{frame} in {stack}"),
            End::Fault(fault) => {
                let told = run.told(fault);
                assert!(!fits && fault.kind == Kind::Store && told.contains("--stack"), "{frame}: {told}");
            }
        }
    }
}

#[test]
fn calls_that_fail_say_so_as_on_linux() {
    let results = [
        (move_bytes(63, 1, 0, 4), -9i32),
        (move_bytes(64, 0, 0, 4), -9),
        (move_bytes(64, 7, 0, 4), -9),
        (call(57).to_vec(), 0),
        (call(62).to_vec(), -29),
        (call(29).to_vec(), -25),
        (call(1000).to_vec(), -38),
        (call(222).to_vec(), -38),
    ];
    for (code, expected) in results {
        let code = [code, call(93).to_vec()].concat();
        let ended = run(&program(&code), &[], b"1234").expect("it ends");
        assert_eq!(ended.claim.end, Told::Exit(expected as u32));
    }
}

#[test]
fn several_buffers_are_written_at_once() {
    let vector = |at: i32, base: u32, length: i32| {
        let base = constant(9, base);
        [&base[..], &[store(2, 9, 8, at), addi(9, 0, length), store(2, 9, 8, at + 4)]].concat()
    };
    let code = [
        move_bytes(63, 0, 64, 8),
        constant(8, DATA).to_vec(),
        vector(0, DATA + 68, 3),
        vector(8, DATA + 64, 2),
        vec![addi(A0, 0, 1), addi(A1, 8, 0), addi(A2, 0, 2)],
        call(66).to_vec(),
        call(93).to_vec(),
    ];
    let program = program(&code.concat());
    let ended = run(&program, &[], b"abcdefgh").expect("it ends");
    assert_eq!((&ended.claim.output[..], ended.claim.end), (&b"efgab"[..], Told::Exit(5)));
    check(&program, &[], b"abcdefgh", ended.claim).expect("it holds");
}

#[test]
fn messages_are_for_who_runs_the_program() {
    let program = program(&[move_bytes(63, 0, 0, 5), move_bytes(64, 2, 0, 5), leave()].concat());
    let ended = run(&program, &[], b"hello").expect("it ends");
    assert_eq!((&ended.messages[..], &ended.claim.output[..]), (&b"hello"[..], &b""[..]));
    check(&program, &[], b"hello", ended.claim).expect("it holds");
}

#[test]
fn output_and_cycles_have_bounds() {
    let locate = |address| volery_processor::Place { address, function: None, line: None };
    let endless = program(&[crate::kit::jal(0, 0)]);
    let told = why(Run::new(&endless, inputs(&[]), &locate).in_the_clear(&[], &mut Nobody));
    assert!(
        told.contains("not ended after 1000000 instructions, at 0x10000: allow more by --max-cycles"),
        "{told}"
    );
    let much = program(
        &[constant(A2, 4097).to_vec(), [addi(A0, 0, 1), lui(A1, DATA)].to_vec(), call(64).to_vec()].concat(),
    );
    let told = why(Run::new(&much, inputs(&[]), &locate).in_the_clear(&[], &mut Nobody));
    assert!(told.contains("at 0x10014 the program gives out more than 4096 bytes"), "{told}");
    let four = program(
        &[constant(A2, 4096).to_vec(), [addi(A0, 0, 1), lui(A1, DATA)].to_vec(), call(64).to_vec(), leave()]
            .concat(),
    );
    assert_eq!(run(&four, &[], &[]).expect("it ends").claim.output, [0; 4096]);
    // As many cycles as it takes are enough.
    let program = program(&leave());
    for (cycles, ends) in [(2, false), (3, true)] {
        let inputs = volery_processor::Inputs { cycles, ..inputs(&[]) };
        assert_eq!(Run::new(&program, inputs, &locate).in_the_clear(&[], &mut Nobody).is_ok(), ends);
    }
}

#[test]
fn buffers_where_nothing_is_end_the_run() {
    for (number, kind) in [(63, Kind::Store), (64, Kind::Load)] {
        let descriptor = number - 63;
        let code =
            [&[addi(A0, 0, descriptor)][..], &constant(A1, DATA + 0x1ffe), &[addi(A2, 0, 1)], &call(number)]
                .concat();
        assert_eq!(run(&program(&code), &[], b"abcd").expect("it ends").claim.end, Told::Fault(Kind::Fetch));
        let code = [&[addi(A0, 0, descriptor)][..], &constant(A1, 0x1000), &[addi(A2, 0, 4)], &call(number)]
            .concat();
        assert_eq!(run(&program(&code), &[], b"abcd").expect("it ends").claim.end, Told::Fault(kind));
    }
    // Text can be given out, and not be read to.
    let into_text = [&[addi(A0, 0, 0), lui(A1, 0x10000), addi(A2, 0, 4)][..], &call(63)].concat();
    let into_text = program(&into_text);
    let claim = run(&into_text, &[], b"abcd").expect("it ends").claim;
    assert_eq!(claim, Claim { private: 1, output: Vec::new(), end: Told::Fault(Kind::Store) });
    check(&into_text, &[], b"abcd", claim).expect("it holds");
    let _ = (A7, CALL);
}

/// A read runs over the end of memory where the input is long enough, and else returns.
#[test]
fn reads_that_overflow_are_proved() {
    let end = DATA + DATA_LENGTH + (32 << 10);
    for (before, descriptor) in [6, 8, 11].into_iter().flat_map(|before| [(before, 0), (before, 3)]) {
        let code = [
            &[addi(A0, 0, descriptor)][..],
            &constant(A1, end - before),
            &[addi(A2, 0, 100)],
            &call(63),
            &leave(),
        ];
        let program = program(&code.concat());
        for length in [0, before, before + 1, before + 9, 200] {
            let input: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
            let (public, private) =
                if descriptor == 0 { (&[][..], &input[..]) } else { (&input[..], &[][..]) };
            let claim = run(&program, public, private).expect("it ends").claim;
            let (end, taken) = match length > before {
                true => (Told::Fault(Kind::Store), before + 1),
                false => (Told::Exit(0), length),
            };
            let taken = if descriptor == 0 { taken as usize } else { 0 };
            assert_eq!(claim, Claim { private: taken, output: Vec::new(), end });
            check(&program, public, private, claim.clone()).expect("it holds");
            if taken + 1 < private.len() {
                let more = Claim { private: taken + 1, ..claim };
                let told = why(check(&program, public, private, more));
                assert!(told.contains("a private input of which"), "{told}");
            }
        }
    }
}

/// Words that a call moves count as cycles do, though they are none, and to both parties in the same way.
#[test]
fn what_calls_move_is_bounded() {
    let locate = |address| volery_processor::Place { address, function: None, line: None };
    let heap = DATA + DATA_LENGTH;
    // At 1 to 3 behind a multiple of four: bytes, words, bytes. Pages are passed, and for 2 nobody hears.
    let moved = [(0, 4000, 1000), (1, 4000, 3 + 999 + 1), (2, 9000, 2 + 2249 + 2), (3, 2, 2)];
    for (at, length, words) in moved {
        for (number, descriptor) in [(64, 1), (64, 2), (63, 3), (63, 0)] {
            if descriptor == 1 && length > 4096 {
                continue;
            }
            let code = [&constant(A1, heap + at)[..], &constant(A2, length), &[addi(A0, 0, descriptor)]];
            let program = program(&[&code.concat()[..], &call(number), &leave()].concat());
            let input = vec![5; length as usize];
            let (private, public) = match descriptor {
                0 => (&input[..], &[][..]),
                3 => (&[][..], &input[..]),
                _ => (&[][..], &[][..]),
            };
            let claim = run(&program, public, private).expect("it ends").claim;
            for cycles in [words - 1, words.max(20), words.max(20) + 1] {
                let inputs = volery_processor::Inputs { cycles, ..inputs(public) };
                let run = Run::new(&program, inputs, &locate);
                let clear = run.in_the_clear(private, &mut Nobody).map(|_| ());
                let claimed = run.claimed(claim.clone());
                let proved = volery::check(&claimed as &dyn Source<F2>, claimed.witness(private));
                if words > 20 && cycles < words {
                    for result in [clear, proved] {
                        let told = why(result);
                        assert!(told.contains(&format!("moved more than {cycles} words by calls")), "{told}");
                    }
                } else if cycles >= 20 {
                    clear.expect("it ends");
                    proved.expect("it holds");
                }
            }
        }
    }
}

/// A megabyte of messages is kept, and what follows has to be there, too.
#[test]
fn messages_that_nobody_hears_are_looked_over() {
    let memory = (32 << 10) + DATA_LENGTH;
    let whole = [&[addi(A0, 0, 2)][..], &constant(A1, DATA), &constant(A2, memory), &call(64)].concat();
    let over = [&[addi(A0, 0, 2)][..], &constant(A1, DATA), &constant(A2, 1 << 30), &call(64)].concat();
    let program = program(&[whole.repeat(40), over].concat());
    let ended = run(&program, &[], &[]).expect("it ends");
    let fault = Fault { kind: Kind::Load, pc: ended.pc, about: DATA + memory };
    assert_eq!(ended.end, volery_processor::End::Fault(fault));
    assert!((1 << 20..(1 << 20) + 4).contains(&ended.messages.len()));
    check(&program, &[], &[], ended.claim).expect("it holds");
}
