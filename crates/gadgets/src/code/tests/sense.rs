//! Programs that make no sense, and pointers to nothing.

use super::*;

#[test]
fn programs_without_sense_are_refused() {
    let refused = |program: for<'c> fn(&'c Code<&mut Evaluation>)| {
        Code::run(&mut evaluation(), program).err().expect("a refusal").to_string()
    };
    assert!(refused(|code| code.break_()).contains("break_ outside of a loop"));
    assert!(refused(|code| code.when(code.bool(true), || code.continue_())).contains("continue_ outside"));
    let called = refused(|code| code.for_(0..2, |_| _ = code.function(code.int(0), |_| code.break_())));
    assert!(called.contains("break_ outside of a loop"), "{called}");
    let returned = refused(|code| {
        _ = code.function(code.int(0), |outer| {
            _ = code.function(code.int(0), |_| outer.return_(code.int(1)));
        });
    });
    assert!(returned.contains("return_ from a call within which another is open"), "{returned}");
    let fits = |number: i128| {
        let unsigned = Code::run(&mut evaluation(), |code| _ = code.word::<8, false>(secret(1)).lt(number));
        let signed = Code::run(&mut evaluation(), |code| _ = code.word::<8, true>(secret(1)).lt(number));
        (unsigned.is_ok(), signed.is_ok())
    };
    assert_eq!([-129, 256, i128::MIN, i128::MAX].map(fits), [(false, false); 4]);
    assert_eq!([-128, 127, 128, 255].map(fits), [(false, true), (true, true), (true, false), (true, false)]);
    assert!(
        refused(|code| _ = code.char('a').eq('€')).contains("8364 stands beside unsigned integers of 8 bits")
    );
    let arrays = refused(|code| {
        let pointer = code.var(code.zeros::<8>("x", 1));
        code.when(code.word::<1, false>(secret(1)).not_zero(), || pointer.set(code.zeros("y", 1)));
    });
    assert!(arrays.contains("one array all its life"), "{arrays}");
}

#[test]
fn null_is_freed_and_arrays_are_not() {
    let freed = "m: freed once, by what malloc gave";
    for x in [0, 1, 2] {
        // Null, what malloc gave, or behind it.
        assert_eq!(
            broken_by(freed, &[x], |code, s| {
                let m = code.malloc::<8>("m", 4, code.size(4));
                let p = code.var(&m + (s.at(0) - 1));
                code.when(s.at(0).is_zero(), || p.set(m.null()));
                p.get().free();
                let again = s.at(0).is_zero();
                code.when(again, || m.free());
            }),
            x == 2
        );
    }
    assert!(broken_by("s: freed once, by what malloc gave", b"x", |_, s| s.free()));
    let ((), failed, _) = run(b"x", |code, s| {
        let m = code.malloc::<8>("m", 4, code.size(4));
        code.assert(m.null().eq(&s.null()) & !m.eq(&s) & !m.eq(&s.null()), "null is null");
    });
    assert!(!failed);
}
