//! Witness elements of which only some are multiplied: where none is, no product of theirs is weighed.

use super::*;

/// "I know elements, so many in each run, of which the last two are multiplied behind each run; these
/// products, and all elements, sum to `sum`."
struct Runs<F> {
    lengths: Vec<u64>,
    sum: F,
}

impl<B: Backend> Circuit<B> for Runs<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut sum = b.constant(-self.sum);
        let mut last = [b.constant(B::F::ONE); 2];
        for length in &self.lengths {
            for _ in 0..*length {
                last = [last[1], b.witness()?];
                sum = b.add(sum, last[1]);
            }
            let product = b.mul(last[0], last[1])?;
            sum = b.add(sum, product);
        }
        b.assert_zero(sum, "the sum")
    }
}

impl<F: Field> Runs<F> {
    /// A true statement, with its witness.
    fn instance(lengths: &[u64]) -> (Self, Vec<F>) {
        let witness: Vec<F> = Products::instance(lengths.iter().sum::<u64>().div_ceil(2), 9).1;
        let (mut sum, mut last, mut elements) = (F::ZERO, [F::ONE; 2], witness.iter());
        for length in lengths {
            for element in elements.by_ref().take(*length as usize) {
                last = [last[1], *element];
                sum += *element;
            }
            sum += last[0] * last[1];
        }
        let used = witness.len() - elements.len();
        (Self { lengths: lengths.to_vec(), sum }, witness[..used].to_vec())
    }
}

/// Runs that end within a block, with it and behind it, or fill a whole batch; and products that follow each
/// other.
#[test]
fn a_lie_between_witness_elements_is_rejected() {
    fn test<B: Field, E: MacField<B>>(block: usize, threads: usize) {
        let of_block = block as u64;
        let lengths = [1, 2, 3, of_block - 9, of_block, of_block + 1, 0, 0, 7, 9 * of_block + 5, 600];
        let (mut circuit, witness) = Runs::<B>::instance(&lengths);
        let run = |circuit: &Runs<B>, lies: &[Lie<B>]| {
            let prover_end = |_: &mut Channel| ideal::Prover::<B, E>::new(3, block);
            let verifier_end = |_: &mut Channel, delta: &Delta<B, E>| ideal::Verifier::new(3, block, delta);
            run_over(circuit, &witness, lies, (None, threads), prover_end, verifier_end).0
        };
        let gates = run(&circuit, &[]).unwrap();
        assert_eq!((gates.mul, gates.inputs), (lengths.len() as u64, witness.len() as u64));
        circuit.sum += B::ONE;
        for at in 0..lengths.len() as u64 {
            assert!(
                is_caught(&run(&circuit, &[Lie::Product(at, B::ONE)])),
                "product {at}, {threads} threads"
            );
        }
        // Of an element that is not multiplied the assertion speaks.
        let verdict = run(&circuit, &[Lie::Input(20, B::ONE)]);
        assert!(matches!(verdict, Err(Error::Rejected(Rejection::Assertions))), "{verdict:?}");
    }
    for threads in [1, 3] {
        test::<F61, F61>(BLOCK, threads);
        test::<F61, F61>(2000, threads);
        test::<F61, F61x2>(BLOCK, threads);
        test::<F65537, F65537x4>(BLOCK, threads);
        test::<F256, F128>(BLOCK, threads);
    }
}
