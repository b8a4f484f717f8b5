use super::Vectorized;
use crate::stream::{Argues, Block, Execute, Functions, Handle, Op, Recorder};
use crate::{Backend, Polynomials, Returned};
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

type Body<'a> = &'a dyn Fn(&mut Recorder<'_, F61>, &[Handle]) -> Result<Vec<Handle>>;

/// The degrees of a function of two wires, if it is one of polynomials alone.
fn degrees(body: Body<'_>) -> Option<Vec<usize>> {
    let (mut mapped, functions) = (Mapped::default(), Functions::default());
    let mut recorder = Recorder::new(&mut mapped, &functions);
    let wires = (0..4).map(|_| recorder.witness().unwrap()).collect::<Vec<_>>();
    let recorded =
        recorder.map(b"f", 2, &wires, |b, _, of| Ok(Returned { wires: body(b, of)?, public: vec![] }));
    recorder.finish(recorded.map(drop)).unwrap();
    Vectorized::of(&mapped.0[0]).map(|function| function.degrees)
}

/// Demands that the product of `times` vectors of the second wire is zero.
fn power(b: &mut Recorder<'_, F61>, of: &[Handle], times: usize) -> Result<()> {
    let vector = b.vector(&of[1..]);
    let mut power = vector.clone();
    for _ in 1..times {
        power = b.product(&power, &vector)?;
    }
    b.assert_zeroes(power, "the power")
}

#[test]
fn polynomials_alone_are_vectorized() {
    let both = degrees(&|b, of| {
        power(b, of, 3)?;
        let (x, public) = (b.vector(&of[..1]), b.public(&[F61::ONE]));
        let scaled = b.product(&public, &x)?;
        let sum = b.sum(&scaled, &public);
        let combined = b.combination(&[(&sum, &x)], &[(F61::ONE, &public)], F61::ONE)?;
        b.assert_zeroes(combined.clone(), "a product")?;
        // What was asserted is read again.
        let again = b.product(&combined, &combined)?;
        b.assert_zeroes(again, "its square")?;
        Ok(vec![])
    });
    assert_eq!(both.unwrap(), [3, 2, 4]);
}

#[test]
fn whatever_else_is_called() {
    let others: [Body<'_>; 9] = [
        &|_, _| Ok(vec![]),
        &|b, of| power(b, of, 2).map(|()| vec![of[0]]),
        &|b, of| {
            let witness = b.witness()?;
            power(b, &[of[0], witness], 2).map(|()| vec![])
        },
        &|b, of| {
            let sum = b.add(of[0], of[1]);
            power(b, &[of[0], sum], 2).map(|()| vec![])
        },
        &|b, of| {
            b.assert_zero(of[0], "a wire")?;
            power(b, of, 2).map(|()| vec![])
        },
        // Vectors of two lanes, of constants alone, and of other lanes.
        &|b, of| {
            let vector = b.vector(of);
            b.assert_zeroes(vector, "two wires").map(|()| vec![])
        },
        &|b, of| {
            let public = b.public(&[F61::ZERO]);
            b.assert_zeroes(public, "a constant")?;
            power(b, of, 2).map(|()| vec![])
        },
        &|b, of| {
            let vector = b.vector(&of[..1]);
            let gathered = b.gather(&vector, &[Some(0), None]);
            b.assert_zeroes(gathered, "a lane").map(|()| vec![])
        },
        &|b, of| {
            b.call(b"power", of, |b, of| power(b, of, 2).map(|()| Returned::default()))?;
            Ok(vec![])
        },
    ];
    for (number, body) in others.into_iter().enumerate() {
        assert_eq!(degrees(body), None, "function {number}");
    }
}

#[test]
fn parts_are_bounded() {
    let parts = |degrees: &[usize], lanes| {
        let function = Arc::<Block<F61>>::default();
        Vectorized { function, degrees: degrees.to_vec() }.parts(lanes).collect::<Vec<_>>()
    };
    assert_eq!(parts(&[9, 9, 2], 600), [0..512, 512..600]);
    assert_eq!(parts(&[2], 1100), [0..512, 512..1024, 1024..1100]);
    assert_eq!(parts(&[128; 200], 2), [0..1, 1..2]);
    assert_eq!(parts(&[128; 300], 2), [0..1, 1..2]);
}
