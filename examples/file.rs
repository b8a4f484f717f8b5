//! "I know a colouring of this graph": a proof that is a file, for whoever reads it, at any time.
//!
//! `cargo run --release -p example file`

use volery::circuit::{Backend, Circuit};
use volery::{Error, F2, Options, Result, System, prove_to, read_label, verify_from};

/// A graph of ten vertices, each to have one of three colours, and neighbours different ones.
struct Colouring {
    edges: Vec<(usize, usize)>,
}

impl<B: Backend<F = F2>> Circuit<B> for Colouring {
    fn run(&self, b: &mut B) -> Result<()> {
        let mut colours = Vec::new();
        for vertex in 0..10 {
            let [high, low] = [b.witness()?, b.witness()?];
            let both = b.mul(high, low)?;
            b.assert_zero(both, format_args!("vertex {vertex} has a colour below three"))?;
            colours.push([high, low]);
        }
        let one = b.constant(true.into());
        for &(from, to) in &self.edges {
            let [high, low] = [0, 1].map(|bit| {
                let difference = b.add(colours[from][bit], colours[to][bit]);
                b.add(difference, one)
            });
            let equal = b.mul(high, low)?;
            b.assert_zero(equal, format_args!("{from} and {to} have different colours"))?;
        }
        Ok(())
    }
}

/// The graph of Petersen: a ring, a star inside it, and a spoke from each point to the ring.
fn petersen() -> Colouring {
    let edges = (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]);
    Colouring { edges: edges.collect() }
}

/// The bits of colours, two for each vertex.
fn bits(colours: [u8; 10]) -> Vec<F2> {
    colours.iter().flat_map(|colour| [colour >> 1, colour & 1]).map(|bit| F2::from(bit == 1)).collect()
}

/// Writes a proof, verifies it, and shows what is no proof.
pub fn main() -> Result<()> {
    let options = Options::by(System::LIMBO);

    // The prover, who then goes home. What the file says of itself in words is bound to the proof.
    let mut file = Vec::new();
    let label = "a colouring of the Petersen graph".to_owned();
    let labelled = Options { label, ..Options::by(System::LIMBO) };
    let colouring = bits([0, 1, 0, 1, 2, 1, 2, 2, 0, 0]);
    prove_to(&petersen(), colouring, &mut file, &labelled)?;

    // A verifier, who knows the graph.
    println!("it says that it is {}", read_label(&mut &file[..])?);
    let (_accepted, report) = verify_from(&petersen(), &mut &file[..], &options)?;
    println!("accepted: {} bytes, {} bits of security", file.len(), report.security.statistical);

    // A byte of another value is no proof, nor is the file one of another graph.
    let mut changed = file.clone();
    changed[500] ^= 1;
    assert!(matches!(verify_from(&petersen(), &mut &changed[..], &options), Err(Error::Rejected(_))));
    let mut other = petersen();
    other.edges.push((0, 2));
    assert!(matches!(verify_from(&other, &mut &file[..], &options), Err(Error::Disagreed(_))));

    // Whoever has no colouring is told before anything is written.
    let wrong = prove_to(&petersen(), bits([0; 10]), &mut Vec::new(), &options);
    assert!(matches!(wrong, Err(Error::Unsatisfied(_))));
    Ok(())
}
