use super::*;
use crate::Clear;
use volery_channel::error::Misbehaviour;
use volery_primitives::F61;

/// Two halves in the clear, of which one call fails: what comes behind it fails, too, for another reason, as with
/// parties that have met with an error.
struct Failing {
    both: (Clear<'static, F2>, Clear<'static, F61>),
    calls: usize,
    /// The number of the call that fails.
    at: usize,
}

impl Failing {
    fn new(at: usize) -> Self {
        Self { both: (Clear::new([F2::ONE; 40]), Clear::new([F61::ONE; 40])), calls: 0, at }
    }

    fn call(&mut self) -> Result<&mut (Clear<'static, F2>, Clear<'static, F61>)> {
        self.calls += 1;
        match self.calls - 1 {
            call if call < self.at => Ok(&mut self.both),
            call if call == self.at => Err(Error::Misbehaved(Misbehaviour::NotVolery)),
            _ => Err(Error::invalid("it has ended in an error before")),
        }
    }
}

impl Mixed for Failing {
    type Bits = Clear<'static, F2>;
    type Numbers = Clear<'static, F61>;

    fn bits(&mut self) -> Result<&mut Self::Bits> {
        self.call()?.bits()
    }
    fn numbers(&mut self) -> Result<&mut Self::Numbers> {
        self.call()?.numbers()
    }
    fn number(&mut self, bits: &[F2]) -> Result<F61> {
        self.call()?.number(bits)
    }
    fn bits_of(&mut self, numbers: &[F61], width: usize, name: &dyn Display) -> Result<Vec<F2>> {
        self.call()?.bits_of(numbers, width, name)
    }
}

/// Words that go to and fro, with gates of both halves between them or of one, or of none.
struct ToAndFro {
    /// Whether it goes on after errors.
    careless: bool,
}

impl MixedSource<F61> for ToAndFro {
    fn record_mixed(&self, both: &mut MixedRecorder<'_, '_, '_, F61>) -> Result<()> {
        let check = |done: Result<()>| if self.careless { Ok(()) } else { done };
        for (of_bits, of_numbers) in [(true, true), (false, true), (true, false), (false, false)] {
            let bit = both.bits().witness()?;
            let number = match both.number(&[bit; 3]) {
                Err(_) if self.careless => both.numbers().constant(F61::ONE),
                number => number?,
            };
            if of_bits {
                let difference = both.bits().add(bit, bit);
                check(both.bits().assert_zero(difference, "bits"))?;
            }
            if of_numbers {
                let minus = both.numbers().scale(number, -F61::ONE);
                let difference = both.numbers().add(number, minus);
                check(both.numbers().assert_zero(difference, "numbers"))?;
            }
            check(both.bits_of(&[number], 3, &"bits of a number").map(drop))?;
        }
        Ok(())
    }
}

/// The error is that of the first call that fails, and nothing is asked of either half behind it.
#[test]
fn the_first_error_is_the_last_call() {
    for careless in [false, true] {
        let source = ToAndFro { careless };
        let mut honest = Failing::new(usize::MAX);
        MixedStreamed(&source).run(&mut honest).unwrap();
        assert!(honest.calls > 12, "{}", honest.calls);
        for at in 0..honest.calls {
            let mut failing = Failing::new(at);
            let error = MixedStreamed(&source).run(&mut failing).unwrap_err();
            assert!(matches!(error, Error::Misbehaved(_)), "call {at} of {}: {error}", honest.calls);
            assert_eq!(failing.calls, at + 1, "of {}", honest.calls);
        }
    }
}
