use super::{Kind, StraightLine};
use crate::stream::block::{Block, Op};
use crate::stream::{Argues, Execute, Functions, Recorder};
use crate::{Backend, Clear, Polynomials, Returned};
use std::sync::Arc;
use volery_channel::error::Result;
use volery_primitives::{F61, Field};

/// An executor that keeps the functions that are mapped.
#[derive(Default)]
struct Mapped(Vec<Arc<Block<F61>>>);

impl Execute<F61> for Mapped {
    fn argues(&self) -> Argues {
        Argues::EVERYTHING
    }
    fn execute(&mut self, block: &Block<F61>, _: &[F61]) -> Result<()> {
        let maps = block.records.iter().filter(|record| record.op == Op::Map);
        self.0.extend(maps.map(|record| block.functions[record.out as usize].clone()));
        Ok(())
    }
}

/// A function of two wires without its calls, if it has such a form.
fn line(
    body: impl Fn(&mut Recorder<'_, F61>, &[crate::stream::Handle]) -> Result<()>,
) -> Option<StraightLine<F61>> {
    let (mut mapped, functions) = (Mapped::default(), Functions::default());
    let mut recorder = Recorder::new(&mut mapped, &functions);
    let wires = (0..4).map(|_| recorder.witness().unwrap()).collect::<Vec<_>>();
    let recorded = recorder.map(b"f", 2, &wires, |b, _, of| {
        body(b, of)?;
        Ok(Returned::default())
    });
    recorder.finish(recorded.map(drop)).unwrap();
    StraightLine::of(&mapped.0[0])
}

fn steps(line: &StraightLine<F61>, kind: Kind) -> usize {
    line.steps.iter().filter(|step| step.kind == kind).count()
}

/// Vectors that follow from each other are one step, and others another one; each behind all wires that it reads.
#[test]
fn polynomials_are_computed_once_none_is_read_any_more() {
    let line = line(|b, of| {
        let vector = b.vector(of);
        let square = b.product(&vector, &vector)?;
        let element = b.witness()?;
        let other = b.vector(&[element]);
        b.assert_zeroes(square, "the squares")?;
        b.assert_zero(element, "the element")?;
        b.assert_zeroes(other, "the other")?;
        drop(vector);
        let last = b.vector(&[of[1]]);
        b.assert_zeroes(last, "the last")?;
        b.assert_product(of[0], of[1], element, "the product")
    });
    let line = line.unwrap();
    assert_eq!((steps(&line, Kind::Polynomials), line.polynomials.len()), (2, 2));
    assert_eq!((line.assertions, line.asserted, line.commitments), (5, 6, 1));
    // Two squares, two values, and a product.
    let extent = line.extent;
    assert_eq!((extent.count, extent.coefficients, extent.degree), (5, 2 * 2 + 2 + 2, 2));
    assert_eq!(extent.largest, 4);
    // In each lane the assertions have the numbers of calls.
    let mut numbers = Vec::new();
    for polynomials in &line.polynomials {
        let wires = polynomials.of.iter().map(|slot| F61::new(u64::from(*slot) + 1));
        let (memory, mut lanes) = (&mut Default::default(), Vec::new());
        polynomials.compute(&mut Clear::new([]), memory, wires, |_, vector, number| {
            numbers.push(number);
            lanes.push(vector.len());
        });
        assert_eq!(lanes, polynomials.lanes);
    }
    assert_eq!(numbers, [Some(0), Some(2), Some(3)]);
    let asserted: Vec<_> = line.steps.iter().filter(|step| step.kind == Kind::Assert).collect();
    assert_eq!((asserted.len(), asserted[0].out), (1, 1));
}

/// A vector whose values are committed to is hinted, by the records that make it alone.
#[test]
fn commitments_to_vectors_are_hints() {
    let line = line(|b, of| {
        let vector = b.vector(of);
        let mut kept = Vec::new();
        for factor in 2..6 {
            let scaled = b.combination(&[], &[(F61::new(factor), &vector)], F61::ONE)?;
            let wires = b.commit(&scaled)?;
            kept.push(scaled);
            b.assert_zero(wires[0], "a wire")?;
        }
        Ok(())
    });
    let line = line.unwrap();
    assert_eq!((line.inputs, line.commitments, line.hints.len()), (8, 8, 4));
    assert_eq!((line.polynomials.len(), line.extent.count), (1, 8));
    for (hint, factor) in line.hints.iter().zip(2..) {
        // The wires that were committed to are read by the polynomials that compare.
        let mut values = vec![F61::ZERO; hint.of.len()];
        values[..2].copy_from_slice(&[F61::new(10), F61::new(20)]);
        let made = (hint.function)(&values);
        assert_eq!(made, [F61::new(10 * factor + 1), F61::new(20 * factor + 1)]);
    }
}

#[test]
fn vectors_without_lanes_are_no_matter() {
    let empty = line(|b, _| {
        let vector = b.vector(&[]);
        b.commit(&vector)?;
        b.assert_zeroes(vector, "nothing")
    });
    let empty = empty.unwrap();
    assert_eq!((empty.extent.count, empty.commitments, empty.asserted), (0, 0, 0));
    assert!(!crate::clear::lanes::fits(&empty));
}

/// Constants and lists of a function are copied where it is called, and bounded.
#[test]
fn copies_are_bounded() {
    let with = |lanes: usize| {
        line(move |b, of| {
            let factors = vec![F61::ONE; 1 << 10];
            let columns = vec![of[0]; lanes];
            b.map(b"inner", lanes, &columns, |b, _, of| {
                let (public, vector) = (b.public(&factors), b.vector(of));
                let product = b.product(&public, &vector)?;
                b.assert_zeroes(product, "zero")?;
                Ok(Returned::default())
            })?;
            Ok(())
        })
    };
    assert!(with(100).is_some() && with(1 << 12).is_none());
}

/// The most coefficients between two commitments, of polynomials and of products.
#[test]
fn coefficients_between_commitments_are_counted() {
    let line = line(|b, of| {
        for count in [3, 10, 5] {
            for _ in 0..count {
                b.assert_product(of[0], of[1], of[0], "a product")?;
            }
            let vector = b.vector(of);
            b.assert_zeroes(vector, "the wires")?;
            b.witness()?;
        }
        Ok(())
    });
    assert_eq!(line.unwrap().extent.most, 2 * 10 + 2);
}
