//! Work that a file makes its verifier do, counted by the leaves of its trees: each is hashed once, and expands
//! to a block for each 128 shares.

use super::*;
use crate::voleith::Preference::{Balanced, Size as Short, Speed};
use std::io;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use volery_channel::error::Rejection;
use volery_circuit::{Backend, Circuit, Shape};
use volery_proof::file::MOST_WORK;

/// "I know two bits", of which so many products are made.
struct Products(usize);

impl<B: Backend<F = F2>> Circuit<B> for Products {
    fn run(&self, b: &mut B) -> Result<()> {
        let (mut a, mut c) = (b.witness()?, b.witness()?);
        for _ in 0..self.0 {
            (a, c) = (c, b.mul(a, c)?);
        }
        Ok(())
    }
}

/// Zeros, of which it is counted how many are read.
struct Zeros<'a>(&'a AtomicUsize);

impl Read for Zeros<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        bytes.fill(0);
        self.0.fetch_add(bytes.len(), Relaxed);
        Ok(bytes.len())
    }
}

/// No header is read on that asks for much more than the work of four files by default, of however few products.
#[test]
fn files_cost_their_verifier_little_more_than_by_default() {
    files_cost_little_more(5);
}

#[test]
#[ignore = "slow"]
fn files_of_any_parameters_cost_their_verifier_little_more() {
    files_cost_little_more(1);
}

/// For every number of trees one in `step` of the numbers of bits, other ones for the next.
fn files_cost_little_more(step: u32) {
    let leaves = |it: &Parameters| it.depths().iter().map(|depth| 1u64 << depth).sum::<u64>();
    for products in [0, 100, 20_000] {
        let circuit = &Products(products);
        let (shape, statement) = Binary::clear().settle(&Stream::new(circuit), None).unwrap();
        let size = shape.size();
        assert_eq!(Shape::of(circuit).unwrap().size().commitments, 2 + products as u64);
        let verify = |parameters: &Parameters, security: u32, most_work: u32| {
            let header = Header::new(statement, parameters, size, "").encode().unwrap();
            let options = Options { security: Some(security), most_work, ..Options::by(System::VOLEITH) };
            let read = AtomicUsize::new(0);
            let mut file = header.chain(Zeros(&read));
            (Voleith.verify_from(circuit, &mut file, &options).map(drop), read.load(Relaxed))
        };
        let by =
            |preference| Parameters::choose(size, None, &Wishes { preference, ..Wishes::default() }).unwrap();
        let default = leaves(&by(Balanced)) as f64;
        for preference in [Speed, Balanced, Short] {
            let verified = verify(&by(preference), 100, MOST_WORK);
            assert!(
                matches!(verified, (Err(Error::Rejected(Rejection::LastChallenge)), 1..)),
                "{preference:?}"
            );
        }
        let (mut read, mut refused, mut worst) = (0, 0, 0.0_f64);
        for trees in 1..=40 {
            let bits = (80..=126).filter(|bits| (bits + trees) % step == 0);
            for (bits, grinding) in bits.flat_map(|bits| [0, 20].map(|grinding| (bits, grinding))) {
                let Ok(parameters) = Parameters::given(trees, bits, grinding) else { continue };
                match verify(&parameters, 100, MOST_WORK) {
                    (Err(Error::Rejected(Rejection::LastChallenge)), 1..) => {
                        read += 1;
                        worst = worst.max(leaves(&parameters) as f64 / default);
                    }
                    (Err(Error::Disagreed(Disagreement::FileWork { times, most })), 0) => {
                        refused += 1;
                        assert!(times > u64::from(most) && most == MOST_WORK, "{parameters:?}");
                    }
                    (Err(Error::Disagreed(Disagreement::FileParameters { .. })), 0) => {}
                    (verified, bytes) => panic!("{parameters:?}: {verified:?} after {bytes} bytes"),
                }
            }
        }
        assert!(read > 1000 / step && refused > 10 / step, "{read} are read, {refused} refused");
        // A fifth of the work on large statements, and less on smaller ones, is none of leaves.
        assert!(worst <= 5.0, "{products} products: {worst} times the leaves by default");
        // The shortest file that there is: eight trees of some 14 bits, where eleven have some 10.6.
        let eight = Parameters::choose(size, None, &Wishes { trees: Some(8), ..Wishes::default() }).unwrap();
        assert!(matches!(verify(&eight, 100, MOST_WORK), (Err(Error::Disagreed(_)), 0)));
        assert!(matches!(verify(&eight, 100, 8), (Err(Error::Rejected(_)), 1..)));
    }
}
