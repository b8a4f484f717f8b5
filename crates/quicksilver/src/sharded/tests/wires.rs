//! Wires that come in are wires as any.

use super::*;
use volery_circuit::{
    Cells, Circuit, Crossings, Entries, Machine, Matrix, Put, Returned, Rows, address_width,
};
use volery_primitives::F2;
use volery_proof::options::Options;
use volery_proof::system::System;

/// x, y and x·y cross, and all that a backend can do is done with them.
struct Everything;

impl Sharding for Everything {
    fn count(&self) -> usize {
        2
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        // In another order, and one of them twice.
        if shard == 0 { vec![] } else { vec![Need { from: 0, wires: 1..3 }, Need { from: 0, wires: 0..2 }] }
    }
    fn outgoing(&self, shard: usize) -> usize {
        if shard == 0 { 3 } else { 0 }
    }
}

impl<B: Machine> Sharded<B> for Everything {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        if shard == 0 {
            let (x, y) = (b.witness()?, b.witness()?);
            let product = b.mul(x, y)?;
            return Ok(vec![x, y, product]);
        }
        let [y, product, x, again] = *incoming else { unreachable!("four wires") };
        let minus = -B::F::ONE;
        let difference = b.linear(&[B::F::ONE, minus], &[y, again]);
        b.assert_zero(difference, "one wire twice")?;
        // Polynomials.
        let (one, other, negated) = (b.vector(&[x, y]), b.vector(&[y, x]), b.scale(product, minus));
        let products = b.product(&one, &other)?;
        let committed = b.commit(&products)?;
        let expected = b.vector(&[negated, negated]);
        let zeroes = b.sum(&products, &expected);
        b.assert_zeroes(zeroes, "products")?;
        let difference = b.add(committed[0], negated);
        b.assert_zero(difference, "what is committed to")?;
        let inner = b.inner_product(&[x], &[y])?;
        let expected = b.vector(&[negated]);
        let zero = b.sum(&inner, &expected);
        b.assert_zeroes(zero, "inner product")?;
        b.assert_matrix_product(
            Matrix::new(&[x], 1),
            Matrix::new(&[y], 1),
            Entries::Wires(&[product]),
            "matrices",
        )?;
        // A memory whose cells came in.
        let mut memory = b.memory(Cells::Wires(&[x, y, product, x]), 1)?;
        let address = |b: &mut B, place: u32| -> Vec<B::Wire> {
            let wires = address_width::<B::F>(4);
            let word = |wire: usize| if wires == 1 { place } else { place >> wire & 1 };
            let element = |wire| B::F::from_word(word(wire).into()).expect("a small number");
            (0..wires).map(|wire| b.constant(element(wire))).collect()
        };
        let at = address(b, 2);
        let found = b.access(&mut memory, &at, Put::Word(&[y]), &"address")?;
        let difference = b.add(found[0], negated);
        b.assert_zero(difference, "the third cell")?;
        let found = b.access(&mut memory, &at, Put::Same, &"address")?;
        let minus_y = b.scale(y, minus);
        let difference = b.add(found[0], minus_y);
        b.assert_zero(difference, "what was put there")?;
        b.close(memory)?;
        let entries = [B::F::ZERO, B::F::ONE];
        let mut table = b.table(Rows { key: 1, value: 0, entries: &entries })?;
        b.look_up(&mut table, &[x], &"a bit")?;
        b.assert_permutation(&[x, y, product], &[product, x, y], 1, &"in another order")?;
        // A function, and a hint.
        let square = b.call(b"square", &[x], |b, of| {
            Ok(Returned { wires: vec![b.mul(of[0], of[0])?], public: vec![] })
        })?;
        let hint = b.hint(&[x], |of| of[0] * of[0])?;
        let hint = b.scale(hint, minus);
        let difference = b.add(square.wires[0], hint);
        b.assert_zero(difference, "square")?;
        Ok(vec![])
    }
}

#[test]
fn all_that_a_backend_does_it_does_with_wires_that_came_in() {
    fn over<S: Supported>() {
        for [x, y] in [[0, 1], [1, 1]] {
            let values = [x, y].map(|bit| S::F::from_word(bit).unwrap());
            check(&Whole(&Everything), values).unwrap();
            let mut parties = Parties::<S>::new(&Everything, 0);
            for (shard, witness) in [&values[..], &[]].into_iter().enumerate() {
                let (proved, verified) = parties.shard(&Everything, Place::first(shard as u32), witness);
                proved.unwrap();
                let _ = verified.unwrap();
            }
        }
        // Not a bit, where others than bits are.
        if S::F::BITS > 1 {
            let values = [3, 1].map(|word| S::F::from_word(word).unwrap());
            assert!(matches!(check(&Whole(&Everything), values), Err(Error::Unsatisfied(_))));
            let mut parties = Parties::<S>::new(&Everything, 0);
            let (proved, verified) = parties.shard(&Everything, Place::first(0), &values);
            proved.and(verified.map(drop)).unwrap();
            // The prover's own check, in the clear, has the values that came in.
            let (proved, _) = parties.shard(&Everything, Place::first(1), &[]);
            assert!(matches!(proved, Err(Error::Unsatisfied(_))), "{proved:?}");
        }
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
    over::<Over<F65537, F65537x4>>();
    over::<Over<F256, F128>>();
}

/// A statement of which so many wires cross, and say nothing to the other party.
struct Wide(usize);

impl Sharding for Wide {
    fn count(&self) -> usize {
        2
    }
    fn needs(&self, shard: usize) -> Vec<Need> {
        if shard == 0 { vec![] } else { vec![Need { from: 0, wires: 0..self.0 }] }
    }
    fn outgoing(&self, shard: usize) -> usize {
        if shard == 0 { self.0 } else { 0 }
    }
}

impl<B: Backend> Sharded<B> for Wide {
    fn run(&self, shard: usize, b: &mut B, incoming: &[B::Wire]) -> Result<Vec<B::Wire>> {
        if shard == 0 {
            let mut wires = vec![b.witness()?];
            for i in 1..self.0 {
                wires.push(b.add(wires[i - 1], wires[0]));
            }
            return Ok(wires);
        }
        let zero = b.scale(incoming[0], B::F::ZERO);
        b.assert_zero(zero, "nothing").map(|()| vec![])
    }
}

#[test]
fn a_wire_that_crosses_takes_no_byte_between_the_parties() {
    fn over<S: Supported>() {
        let traffic = |wires: usize| {
            let wide = Wide(wires);
            let mut parties = Parties::<S>::new(&wide, 0);
            let witness = [S::F::ONE];
            [&witness[..], &[]].map(|witness| {
                let shard = u32::from(witness.is_empty());
                let (proved, verified) = parties.shard(&wide, Place::first(shard), witness);
                let _ = verified.unwrap();
                let carried = proved.unwrap().traffic;
                (carried.sent, carried.received)
            })
        };
        assert_eq!(traffic(1), traffic(1000));
    }
    over::<Binary>();
    over::<ShortBinary>();
    over::<Over<F61>>();
    for party in [Party::Prover, Party::Verifier] {
        let of = |wires| Crossing::length::<Binary>(party, wires);
        assert_eq!(of(1001) - of(1), 16_000);
        let of = |wires| Crossing::length::<Over<F256, F128>>(party, wires);
        assert!(of(1001) - of(1) <= 64_000);
    }
}

/// A statement that is no shard, and asks for wires, or gives some.
struct Asks(bool);

impl<B: Crossings> Circuit<B> for Asks {
    fn run(&self, b: &mut B) -> Result<()> {
        let wire = if self.0 { b.incoming(1)?[0] } else { b.constant(B::F::ZERO) };
        if !self.0 {
            b.outgoing(&[wire])?;
        }
        b.assert_zero(wire, "nothing")
    }
}

#[test]
fn where_nothing_crosses_wires_do_not() {
    for asks in [Asks(true), Asks(false)] {
        assert!(matches!(check::<F2, _, _>(&asks, []), Err(Error::Invalid(_))));
        let options = unchecked();
        let (here, there) = pipe(Duration::from_secs(10));
        thread::scope(|scope| {
            let (asks, options) = (&asks, &options);
            scope.spawn(move || {
                let mut channel = Channel::new(Party::Prover, here);
                let proved = over::<Binary>().prove(asks, &[], &mut channel, options);
                assert!(matches!(proved, Err(Error::Invalid(_))), "{proved:?}");
            });
            let mut channel = Channel::new(Party::Verifier, there);
            let verified = over::<Binary>().verify(asks, &mut channel, options);
            let error = verified.err();
            let ended = matches!(&error, Some(error) if error.is_of_link());
            assert!(ended || matches!(error, Some(Error::Invalid(_))), "{error:?}");
        });
    }
    // By no other system.
    let wide = Wide(1);
    let run = run_of::<F2>(&wide, 0);
    let at = (&run, Place::first(0));
    let options = Options::by(System::WOLVERINE);
    let (here, _there) = pipe(Duration::from_secs(10));
    let mut channel = Channel::new(Party::Prover, here);
    let proved = prove_shard::<Binary>(at, &wide, vec![], [F2::ONE], &mut channel, &options);
    assert!(matches!(proved, Err(Error::Invalid(why)) if why.contains("not by wolverine")));
}
