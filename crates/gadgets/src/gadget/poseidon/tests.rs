//! The vectors of circomlib.

use super::*;
use volery_circuit::stream::Streamed;
use volery_circuit::{Circuit, Clear, Elements, PortValue as _, Shape};
use volery_primitives::{Bls12381, Bn254, F61, F256};

struct Hashes {
    inputs: usize,
    digest: Bn254,
}

impl<B: Backend<F = Bn254>> Circuit<B> for Hashes {
    fn run(&self, b: &mut B) -> Result<()> {
        let message = (0..self.inputs).map(|_| Element::witness(b)).collect::<Result<Vec<_>>>()?;
        let digest = Poseidon::circom(self.inputs)?.hash(b, &message)?;
        digest.assert_equal(b, Element::Public(self.digest), "digest")
    }
}

fn element(text: &str) -> Bn254 {
    Elements::from_text(text.as_bytes()).unwrap().iter().next().unwrap()
}

fn elements(numbers: impl IntoIterator<Item = u128>) -> Vec<Bn254> {
    numbers.into_iter().map(|number| Bn254::from_word(number).unwrap()).collect()
}

#[test]
fn published_vectors() {
    for (message, digest) in [
        (elements([1]), "18586133768512220936620570745912940619677854269274689475585506675881198879027"),
        (elements([1, 2]), "0x115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a"),
        (elements(1..=4), "0x299c867db6c1fdd79dcefa40e4510b9837e60ebb1ce0663dbaa525df65250465"),
        (
            elements([1, 2, 0, 0, 0]),
            "1018317224307729531995786483840663576608797660851238720571059489595066344487",
        ),
        (
            elements([1, 2, 0, 0, 0, 0]),
            "15336558801450556532856248569924170992202208561737609669134139141992924267169",
        ),
        (elements(1..=16), "9989051620750914585850546081941653841776809718687451684622678807385399211877"),
    ] {
        let statement = Hashes { inputs: message.len(), digest: element(digest) };
        let check = |message: Vec<Bn254>| {
            let mut clear = Clear::new(message);
            Streamed(&statement).run(&mut clear)?;
            clear.finish()
        };
        check(message.clone()).unwrap();
        let mut other = message;
        other[0] += Bn254::ONE;
        assert!(matches!(check(other), Err(Error::Unsatisfied(name)) if name == "digest"));
    }
}

/// The first element is public until the first linear layer.
#[test]
fn multiplications_are_three_for_each_power() {
    let digest = Bn254::ZERO;
    for (inputs, powers) in [(1, 2 * 8 + 56 - 1), (2, 3 * 8 + 57 - 1), (16, 17 * 8 + 68 - 1)] {
        let shape = Shape::of(&Hashes { inputs, digest }).unwrap();
        assert_eq!((shape.mul, shape.inputs), (3 * powers, inputs as u64), "{inputs}");
    }
}

#[test]
fn parameters_are_of_the_field_and_of_the_rounds() {
    let of = |width, full, partial| Poseidon::<Bls12381>::new(width, full, partial).unwrap();
    assert_ne!(of(3, 8, 57).constants[..9], of(3, 8, 56).constants[..9]);
    assert_eq!(of(3, 8, 57), Poseidon::circom(2).unwrap());
    let refused = |made: Result<Poseidon<Bn254>>, part: &str| {
        assert!(matches!(made, Err(Error::Invalid(why)) if why.contains(part)), "{part}");
    };
    refused(Poseidon::circom(0), "from 1 to 16");
    refused(Poseidon::circom(17), "from 1 to 16");
    refused(Poseidon::new(1, 8, 57), "from 2 to 33");
    refused(Poseidon::new(3, 7, 57), "an even number");
    refused(Poseidon::new(3, 8, 1024), "no more");
    assert!(Poseidon::<F256>::new(3, 8, 57).is_err());
    // p − 1 is a multiple of 5.
    assert!(Poseidon::<F61>::new(3, 8, 57).is_err());
    let poseidon = Poseidon::<Bn254>::circom(2).unwrap();
    assert!(poseidon.hash(&mut Clear::new([]), &[Element::ZERO]).is_err());
}
