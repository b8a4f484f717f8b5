//! Bilinear forms.

use super::*;
use volery::circuit::{Bilinear, Convolution, ConvolvedAxis, Matrices};

/// "I know the entries of both factors of each form", or of the first where the second is public.
#[derive(Clone)]
pub(crate) struct Forms<F> {
    pub forms: Vec<Stated<F>>,
}

/// A form, its second factor where that is public, and its result.
pub(crate) type Stated<F> = (Bilinear, Option<Vec<F>>, Vec<F>);

impl<B: Polynomials> Circuit<B> for Forms<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        for (number, (form, public, result)) in self.forms.iter().enumerate() {
            let [first, second, _] = form.lengths();
            let mut read = |entries| (0..entries).map(|_| b.witness()).collect::<Result<Vec<_>>>();
            let (first, wires) = (read(first)?, read(if public.is_some() { 0 } else { second })?);
            let second = public.as_deref().map_or(Entries::Wires(&wires), Entries::Public);
            let result: Vec<_> = result.iter().map(|&entry| b.constant(entry)).collect();
            b.assert_bilinear(form, (&first, second, &result), format_args!("form {number}"))?;
        }
        Ok(())
    }
}

/// Forms with all that they have, and factors that are random: of each two, one whose second factor is public.
pub(crate) fn forms<F: Field>(seed: u8) -> (Forms<F>, Vec<F>) {
    let axis = |input, output, taps, step, dilation, before| ConvolvedAxis {
        input,
        output,
        taps,
        step,
        dilation,
        before,
    };
    let convolution = |[images, groups, channels, outputs]: [usize; 4], axes: &[_], transposed| {
        let axes = axes.to_vec();
        Bilinear::Convolution(Convolution { images, groups, channels, outputs, axes, transposed })
    };
    let matrices = |groups, by_columns| {
        Bilinear::Matrices(Matrices { groups, rows: 3, inner: 4, columns: 35, by_columns })
    };
    let all = [
        matrices(1, false),
        matrices(2, true),
        convolution([1, 1, 2, 3], &[axis(5, 5, 3, 1, 1, 1), axis(4, 2, 2, 2, 1, 0)], false),
        convolution([2, 3, 1, 2], &[axis(7, 4, 2, 2, 3, 2)], false),
        convolution([2, 2, 2, 1], &[axis(3, 7, 3, 2, 1, 0), axis(2, 3, 2, 1, 2, 0)], true),
    ];
    let (mut of, mut witness) = (Vec::new(), Vec::new());
    let each = all.into_iter().flat_map(|form| [(form.clone(), false), (form, true)]);
    for (number, (form, is_public)) in (0..).zip(each) {
        let [first, second, result] = form.lengths();
        let mut entries: Vec<F> = elements(&mut Random::from_seed(&[seed + number; 32]), first + second);
        let mut sums = vec![F::ZERO; result];
        let mut each = |entry: usize, products: &[(usize, usize)]| {
            let products = products.iter().map(|(x, y)| entries[*x] * entries[first + *y]);
            sums[entry] = products.sum();
            Ok(())
        };
        form.entries(&mut each).unwrap();
        let public = is_public.then(|| entries.split_off(first));
        witness.extend(entries);
        of.push((form, public, sums));
    }
    (Forms { forms: of }, witness)
}

#[test]
fn bilinear_forms_hold() {
    fn test<S: Dealt>() {
        let (statement, witness) = forms::<S::F>(1);
        let mut clear = Clear::new(witness.clone());
        statement.run(&mut clear).and_then(|()| clear.finish()).unwrap();
        let gates = run::<S>(&statement, &statement, &witness, None).0.unwrap();
        assert_eq!((gates.matrices, gates.challenged, gates.degree, gates.mul), (10, 1, 2, 0));
    }
    over_every_field!(test);
}

#[test]
fn a_form_wrong_in_one_entry_is_rejected() {
    fn test<S: Dealt>() {
        let (proved, witness) = forms::<S::F>(2);
        for number in 0..proved.forms.len() {
            let entries = proved.forms[number].2.len();
            for entry in [0, entries / 2, entries - 1] {
                let mut verified = proved.clone();
                verified.forms[number].2[entry] += S::F::ONE;
                let mut clear = Clear::new(witness.clone());
                let refused = verified.run(&mut clear).unwrap_err();
                assert!(
                    matches!(refused, Error::Unsatisfied(name) if name == format!("form {number}[{entry}]"))
                );
                let caught = is_caught(&run::<S>(&proved, &verified, &witness, None).0);
                assert!(caught, "entry {entry} of form {number} over {}", S::name());
            }
        }
    }
    over_every_field!(test);
}

/// "I know a number, and the products of a matrix that has it everywhere are sums of its squares": forms of a few
/// wires, each many times, of which a challenge is due behind the second one.
struct Many<F>([F; 3]);

const SIDE: usize = 1 << 10;

impl<B: Polynomials> Circuit<B> for Many<B::F> {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        for (number, sum) in self.0.iter().enumerate() {
            let sum = [b.constant(*sum); SIDE];
            let (matrix, column) = (vec![x; SIDE * SIDE], vec![x; SIDE]);
            let form = Matrices { groups: 1, rows: SIDE, inner: SIDE, columns: 1, by_columns: false };
            let lists = (&matrix[..], Entries::Wires(&column), &sum[..]);
            b.assert_bilinear(&Bilinear::Matrices(form), lists, format_args!("sum {number}"))?;
        }
        Ok(())
    }
}

#[test]
fn forms_wait_for_few_challenges() {
    type S = Over<F61>;
    let sum = F61::new(9 * SIDE as u64);
    let (statement, witness) = (Many([sum; 3]), [F61::new(3)]);
    let gates = run::<S>(&statement, &statement, &witness, None).0.unwrap();
    assert_eq!((gates.matrices, gates.challenged), (3, 2));
    for wrong in 0..3 {
        let mut sums = [sum; 3];
        sums[wrong] += F61::ONE;
        assert!(is_caught(&run::<S>(&statement, &Many(sums), &witness, None).0));
    }
}

/// A prover whose form does not hold ends without a proof, for whatever vectors it looks fine to.
#[test]
fn no_prover_goes_on_with_a_form_that_does_not_hold() {
    fn test<S: Dealt>() {
        let (mut statement, witness) = forms::<S::F>(4);
        statement.forms[2].2[0] += S::F::ONE;
        let ended = run::<S>(&statement, &statement, &witness, None).0.unwrap_err();
        assert!(ended.is_of_link(), "{ended} over {}", S::name());
    }
    over_every_field!(test);
}
