//! The vectors of circomlib, and hints that are false.

use super::*;
use volery_circuit::stream::Streamed;
use volery_circuit::testing::Faulty;
use volery_circuit::{Circuit, Clear, Elements, PortValue as _, Shape};
use volery_primitives::F256;

/// The computation on the points, or on the point and the bits, in the witness.
#[derive(Clone, Copy)]
enum Task {
    OnCurve,
    Add,
    Multiply(usize),
    MultiplyBase(usize),
}

struct Computes(Task, [Bn254; 2]);

impl<B: Backend<F = Bn254>> Circuit<B> for Computes {
    fn run(&self, b: &mut B) -> Result<()> {
        let curve = Edwards::baby_jubjub();
        let point = |b: &mut B| Ok(EdwardsPoint { x: Element::witness(b)?, y: Element::witness(b)? });
        let bits = |b: &mut B, count| {
            let bits = (0..count).map(|_| Element::witness(b)).collect::<Result<Vec<_>>>()?;
            bits.iter().try_for_each(|bit| bit.assert_bit(b, "a bit"))?;
            Ok(bits)
        };
        let found = match self.0 {
            Task::OnCurve => {
                let point = point(b)?;
                return curve.assert_on_curve(b, point, "on the curve");
            }
            Task::Add => {
                let (p, q) = (point(b)?, point(b)?);
                curve.add(b, p, q)?
            }
            Task::Multiply(count) => {
                let (point, bits) = (point(b)?, bits(b, count)?);
                curve.multiply(b, &bits, point)?
            }
            Task::MultiplyBase(count) => {
                let bits = bits(b, count)?;
                curve.multiply(b, &bits, Edwards::base())?
            }
        };
        found.assert_equal(b, EdwardsPoint::public(self.1[0], self.1[1]), "result")
    }
}

fn check(task: Task, witness: &[Bn254], expected: [Bn254; 2]) -> Result<()> {
    let mut clear = Clear::new(witness.to_vec());
    Streamed(&Computes(task, expected)).run(&mut clear)?;
    clear.finish()
}

fn element(text: &str) -> Bn254 {
    Elements::from_text(text.as_bytes()).unwrap().iter().next().unwrap()
}

fn fails(result: Result<()>, part: &str) {
    assert!(matches!(&result, Err(Error::Unsatisfied(name)) if name.contains(part)), "{part}: {result:?}");
}

const P: [&str; 2] = [
    "17777552123799933955779906779655732241715742912184938656739573121738514868268",
    "2626589144620713026669568689430873010625803728049924121243784502389097019475",
];
const Q: [&str; 2] = [
    "16540640123574156134436876038791482806971768689494387082833631921987005038935",
    "20819045374670962167435360035096875258406992893633759881276124905556507972311",
];
const TWICE: [&str; 2] = [
    "6890855772600357754907169075114257697580319025794532037257385534741338397365",
    "4338620300185947561074059802482547481416142213883829469920100239455078257889",
];
const SUM: [&str; 2] = [
    "7916061937171219682591368294088513039687205273691143098332585753343424131937",
    "14035240266687799601661095864649209771790948434046947201833777492504781204499",
];
const THRICE: [&str; 2] = [
    "19372461775513343691590086534037741906533799473648040012278229434133483800898",
    "9458658722007214007257525444427903161243386465067105737478306991484593958249",
];
const MULTIPLE: [&str; 2] = [
    "17070357974431721403481313912716834497662307308519659060910483826664480189605",
    "4014745322800118607127020275658861516666525056516280575712425373174125159339",
];

#[test]
fn points_are_on_the_curve_or_not() {
    let none = [Bn254::ZERO; 2];
    for point in [P, Q, TWICE, SUM, THRICE, MULTIPLE, ["0", "1"]].map(|point| point.map(element)) {
        check(Task::OnCurve, &point, none).unwrap();
        fails(check(Task::OnCurve, &[point[0] + Bn254::ONE, point[1]], none), "on the curve");
    }
    fails(check(Task::OnCurve, &["1", "0"].map(element), none), "on the curve");
}

#[test]
fn sums_are_those_of_circomlib() {
    for (p, q, sum) in [(P, P, TWICE), (P, Q, SUM), (TWICE, P, THRICE), (["0", "1"], P, P)] {
        let [p, q, sum] = [p, q, sum].map(|point| point.map(element));
        check(Task::Add, &[p, q].concat(), sum).unwrap();
        check(Task::Add, &[q, p].concat(), sum).unwrap();
        fails(check(Task::Add, &[p, q].concat(), [sum[0], -sum[1]]), "result (y)");
        fails(check(Task::Add, &[p, q].concat(), [-sum[0] - Bn254::ONE, sum[1]]), "result (x)");
        // What a prover says of the quotients is checked: four products, two hints, and their products.
        for until in 0..8 {
            let cheats = Streamed(&Computes(Task::Add, sum));
            assert!(cheats.run(&mut Faulty::new([p, q].concat(), until)).is_err(), "{until}");
        }
    }
    let [x, y] = P.map(element);
    check(Task::Add, &[x, y, -x, y], ["0", "1"].map(element)).unwrap();
}

fn bits(number: U256, count: usize) -> Vec<Bn254> {
    (0..count as u32).map(|i| Bn254::from_word(number.bit(i).into()).unwrap()).collect()
}

#[test]
fn multiples_are_those_of_circomlib() {
    let p = P.map(element);
    let with = |number: U256, count| [p.to_vec(), bits(number, count)].concat();
    let three = U256::from(3_u64);
    check(Task::Multiply(2), &with(three, 2), THRICE.map(element)).unwrap();
    check(Task::Multiply(5), &with(three, 5), THRICE.map(element)).unwrap();
    check(Task::Multiply(4), &with(U256::ZERO, 4), ["0", "1"].map(element)).unwrap();
    let number = element(SUM[1]).to_integer();
    check(Task::Multiply(254), &with(number, 254), MULTIPLE.map(element)).unwrap();
    fails(check(Task::Multiply(252), &with(number, 252), MULTIPLE.map(element)), "result");
    let mut not_bits = with(three, 2);
    not_bits[2] += Bn254::ONE;
    fails(check(Task::Multiply(2), &not_bits, THRICE.map(element)), "a bit");
}

/// The base point has the order that EIP-2494 gives it.
#[test]
fn the_base_has_its_order() {
    let order =
        element("2736030358979909402780800718157159386076813972158567259200215660948447373041").to_integer();
    let neutral = ["0", "1"].map(element);
    check(Task::MultiplyBase(251), &bits(order, 251), neutral).unwrap();
    fails(check(Task::MultiplyBase(251), &bits(order >> 1, 251), neutral), "result");
}

#[test]
fn multiplications_are_counted() {
    let of = |task| Shape::without_depth(&Computes(task, [Bn254::ZERO; 2])).unwrap().mul;
    assert_eq!(of(Task::OnCurve), 3);
    assert_eq!(of(Task::Add), 6);
    // Bits, selections, sums and doublings.
    assert_eq!(of(Task::Multiply(10)), 10 + 20 + 9 * 6 + 9 * 6);
    assert_eq!(of(Task::MultiplyBase(10)), 10 + 9 * 6);
}

#[test]
fn curves_with_exceptions_are_refused() {
    let element = |word| Bn254::from_word(word).unwrap();
    for (a, d) in [(168_700, 168_700), (168_696, 168_696), (0, 168_696), (168_700, 0)] {
        assert!(matches!(Edwards::new(element(a), element(d)), Err(Error::Invalid(_))), "{a}, {d}");
    }
    assert!(Edwards::new(F256::ONE, F256::ONE).is_err());
    // Public points that are not on the curve may have no sum.
    let curve = Edwards::baby_jubjub();
    let (x, y) = (Bn254::ONE, (-curve.d).invert());
    let [p, q] = [EdwardsPoint::public(x, y), EdwardsPoint::public(Bn254::ONE, Bn254::ONE)];
    assert!(
        matches!(curve.add(&mut Clear::new([]), p, q), Err(Error::Invalid(why)) if why.contains("not on"))
    );
}
