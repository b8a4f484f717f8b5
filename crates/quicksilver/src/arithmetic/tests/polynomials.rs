//! Polynomials and products of matrices: what masks them, and when their coefficients come.

use super::*;
use crate::memory::Party as Remembering;
use core::iter::repeat;
use volery_channel::channel::Recording;
use volery_circuit::{Entries, Matrix, Polynomials};
use volery_vole::vole::{BoxedVole, vope};

/// Polynomials over a witness that is zero but for its last element.
#[derive(Clone, Copy, PartialEq)]
enum Claim {
    /// An element is zero, by its MAC.
    Assertion,
    /// An element is zero, as a polynomial.
    Polynomial,
    /// A product of two matrices.
    Product,
    /// A polynomial of this degree without any coefficient, so that what is opened is the mask alone; first a
    /// product that ends a batch early, and is as empty, or not.
    Nothing(usize, bool),
}

impl<B: Polynomials> Circuit<B> for Claim {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = (0..5).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let zero = [b.constant(B::F::ZERO)];
        let column = |entries| Matrix::new(entries, 1);
        match *self {
            Self::Assertion => b.assert_zero(x[0], "x"),
            Self::Polynomial => {
                let vector = b.vector(&x[..2]);
                b.assert_zeroes(vector, "x")
            }
            Self::Product => {
                b.assert_matrix_product(column(&x[..1]), column(&x[1..2]), Entries::Wires(&x[2..3]), "x")
            }
            Self::Nothing(degree, early) => {
                if early {
                    b.assert_matrix_product(column(&zero), column(&zero), Entries::Wires(&zero), "0")?;
                }
                let x = b.vector(&x);
                let mut power = x.clone();
                for _ in 1..degree {
                    power = b.product(&power, &x)?;
                }
                let nothing = b.gather(&power, &[None]);
                b.assert_zeroes(nothing, "0")
            }
        }
    }
}

/// A proof over the dealer by a witness that ends in `last`: the verdict, and the elements that are opened.
fn opened<B: Field, E: MacField<B>>(claim: Claim, last: B) -> (Result<Gates>, Vec<E>) {
    let (here, there) = pipe(Duration::from_secs(20));
    let (here, sent) = Tape::new(here, None);
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let prover = move || {
        let vole = Box::new(ideal::Prover::<B, E>::new(3, BLOCK));
        let witness = [[B::ZERO; 4].as_slice(), &[last]].concat();
        let mut prover = Prover::new(&mut proving, vole, Arch::detect(), witness);
        claim.run(&mut prover).and_then(|()| prover.finish().map(drop)).unwrap();
        proving.flush().unwrap();
    };
    let verifier = move || {
        let random = &mut Random::from_seed(&[5; 32]);
        let delta = Delta::<B, E>::random(random);
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, random);
        claim.run(&mut verifier)?;
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    (side_by_side(prover, verifier).1, elements(&sent))
}

/// The elements of the last message but one.
fn elements<E: Field>(sent: &Recording) -> Vec<E> {
    let messages = sent.messages();
    let element = |bytes: &[u8]| E::decode(bytes).unwrap();
    messages[messages.len() - 2].chunks_exact(E::BYTES).map(element).collect()
}

/// Each is used once, and never one that was committed by.
#[test]
fn what_is_opened_is_masked_by_shares_of_its_own() {
    fn test<B: Field, E: MacField<B>>() {
        for degree in [2, 3, 7, 40] {
            for early in [false, true] {
                let (verdict, opened) = opened::<B, E>(Claim::Nothing(degree, early), B::ONE);
                verdict.unwrap();
                let mut dealer = ideal::Prover::<B, E>::new(3, BLOCK);
                let mut channel = Channel::new(Party::Prover, pipe(Duration::ZERO).0);
                let mut block = Shares::default();
                let mut deal = |block: &mut Shares<_>| dealer.block(&mut channel, block).unwrap();
                deal(&mut block);
                // The witness takes five; after the product a further block, as large as a
                // section, has no commitment.
                let mut used = 5;
                if early {
                    deal(&mut block);
                    used = 0;
                }
                let lines: Vec<(E, E)> = (0..vope::lines(degree - 1))
                    .map(|_| {
                        if used + E::degree() as usize > BLOCK {
                            deal(&mut block);
                            used = 0;
                        }
                        let shares = &block.rows(used)[..E::degree() as usize];
                        used += shares.len();
                        (macs(shares), values(shares))
                    })
                    .collect();
                assert_eq!(opened, *vope::polynomial(degree - 1, &lines), "degree {degree}");
            }
        }
    }
    over_every_kind!(test);
}

/// A verifier that chose Δ and all its keys to be zero, so that every MAC is: it sees no
/// coefficient but the lowest.
struct Zeroes<B, E>(ideal::Prover<B, E>);

impl<B: Field, E: MacField<B>> Vole for Zeroes<B, E> {
    type Share = Mac<B, E>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac<B, E>>) -> Result<()> {
        self.0.block(channel, block)?;
        block.rows_mut().iter_mut().for_each(|share| *share = E::Tag::new(share.value(), E::ZERO));
        Ok(())
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Mac<B, E>>> {
        Ok(self)
    }
}

#[test]
fn a_verifier_without_keys_sees_masks() {
    fn test<B: Field, E: MacField<B>>() {
        let (here, _there) = pipe(Duration::from_secs(20));
        let (here, sent) = Tape::new(here, None);
        let mut proving = Channel::new(Party::Prover, here);
        let vole = Box::new(Zeroes(ideal::Prover::<B, E>::new(3, BLOCK)));
        let mut prover = Prover::new(&mut proving, vole, Arch::detect(), vec![B::ONE; 5]);
        Claim::Nothing(9, false).run(&mut prover).unwrap();
        prover.finish().unwrap();
        let opened: Vec<E> = elements(&sent);
        assert_eq!((opened.len(), opened[0]), (9, E::ZERO));
        assert!(opened[1..].iter().all(|coefficient| *coefficient != E::ZERO));
    }
    test::<F61, F61x2>();
    test::<F256, F128>();
}

/// Coefficients depend on every commitment where challenges are the transcript's. All MACs are the dealer's,
/// and the last element has a part in no claim: so it is by coefficients alone that it can change what is
/// opened.
#[test]
fn coefficients_depend_on_every_commitment() {
    fn test<B: Field, E: MacField<B>>() {
        for claim in [Claim::Assertion, Claim::Polynomial, Claim::Product] {
            let [(one, here), (other, there)] = [B::ZERO, B::ONE].map(|last| opened::<B, E>(claim, last));
            assert!(one.is_ok() && other.is_ok());
            assert_eq!(here == there, claim == Claim::Assertion);
        }
    }
    test::<F61, F61x2>();
    test::<F256, F128>();
}

/// Coins of the verifier for matrices' vectors are told after the commitments, and those of the batch first.
#[test]
fn vectors_for_matrices_are_told_after_the_commitments() {
    for committed in [false, true] {
        let (here, there) = pipe(Duration::from_millis(300));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        if committed {
            proving.send_elements(&[F61::ZERO; BLOCK]).unwrap();
            proving.flush().unwrap();
        }
        let random = &mut Random::from_seed(&[5; 32]);
        let delta = Delta::<F61, F61>::random(random);
        let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, random);
        let drawn = Claim::Product.run(&mut verifier).and_then(|()| verifier.forget_all());
        assert_eq!(drawn.is_ok(), committed);
        drop(verifier);
        assert_eq!(verifying.traffic().sent, if committed { 32 + 16 } else { 0 });
    }
}

/// Shares whose blocks are heard of late: a number of each.
struct Late {
    dealer: ideal::Prover<F61, F61>,
    drawn: usize,
    heard: usize,
}

impl Late {
    fn new() -> Self {
        Self { dealer: ideal::Prover::new(3, BLOCK), drawn: 0, heard: 0 }
    }
}

impl Vole for Late {
    type Share = Mac<F61, F61>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Mac<F61, F61>>) -> Result<()> {
        while self.heard + self.lag() <= self.drawn {
            self.receive(channel)?;
        }
        self.drawn += 1;
        self.dealer.block(channel, block)
    }
    fn lag(&self) -> usize {
        128
    }
    fn receive(&mut self, channel: &mut Channel) -> Result<()> {
        assert_eq!(channel.recv_array()?, self.heard.to_le_bytes(), "what is received is what was sent");
        self.heard += 1;
        Ok(())
    }
    fn check(mut self: Box<Self>, channel: &mut Channel) -> Result<BoxedVole<Mac<F61, F61>>> {
        while self.heard < self.drawn {
            self.receive(channel)?;
        }
        Ok(self)
    }
}

/// The verifier's end.
struct Told(ideal::Verifier<F61, F61>, usize);

impl Vole for Told {
    type Share = Key<F61>;

    fn block(&mut self, channel: &mut Channel, block: &mut Shares<Key<F61>>) -> Result<()> {
        channel.send(&self.1.to_le_bytes())?;
        self.1 += 1;
        self.0.block(channel, block)
    }
    fn check(self: Box<Self>, _: &mut Channel) -> Result<BoxedVole<Key<F61>>> {
        Ok(self)
    }
}

/// Up to `most` batches with so many polynomials each, which end `early` for their number, or by themselves
/// when the next one begins; how many the party comes through.
fn batches<P: Remembering<F = F61>>(
    party: &mut P,
    polynomials: usize,
    early: impl Fn(usize) -> bool,
    most: usize,
) -> usize {
    let zero = party.public(&[F61::ZERO]);
    let zeroes = party.gather(&zero, &vec![Some(0); polynomials]);
    let mut batch = |i: usize| {
        if early(i) {
            return party.assert_zeroes(zeroes.clone(), "0");
        }
        (0..BLOCKS * BLOCK).try_for_each(|_| party.witness().map(drop))?;
        party.vanish_lanes(zeroes.clone(), &"0")
    };
    (0..most).take_while(|i| batch(*i).is_ok()).count()
}

/// How many a prover comes through that hears nothing.
fn batches_unheard(polynomials: usize, early: bool) -> usize {
    let (here, _there) = pipe(Duration::from_millis(300));
    let mut proving = Channel::new(Party::Prover, here);
    let mut prover = Prover::new(&mut proving, Box::new(Late::new()), Arch::detect(), repeat(F61::ZERO));
    batches(&mut prover, polynomials, |_| early, 100)
}

/// However late a VOLE may be heard, a prover does not hold the polynomials of all batches until then.
#[test]
fn many_polynomials_wait_for_coins() {
    assert_eq!(batches_unheard(MOST, true), 16);
}

#[test]
fn fewer_batches_wait_where_they_are_longer() {
    assert_eq!(batches_unheard(1 << 19, true), 4);
    // The last one is still open.
    assert_eq!(batches_unheard(1 << 19, false), 4 + 1);
}

/// Messages of the VOLE stand between the coins, and are received earlier, too.
#[test]
fn coins_of_long_batches_are_received_in_their_order() {
    let (here, there) = pipe(Duration::from_secs(20));
    let mut proving = Channel::new(Party::Prover, here);
    let mut verifying = Channel::new(Party::Verifier, there);
    let early = |i| i % 3 != 0;
    let prover = move || {
        let witness = vec![F61::ONE; 4 * BLOCKS * BLOCK];
        let mut prover = Prover::new(&mut proving, Box::new(Late::new()), Arch::detect(), witness);
        assert_eq!(batches(&mut prover, 1 << 19, early, 10), 10);
        prover.finish().map(drop).unwrap();
        proving.flush().unwrap();
    };
    let verifier = move || {
        let random = &mut Random::from_seed(&[5; 32]);
        let delta = Delta::<F61, F61>::random(random);
        let vole = Box::new(Told(ideal::Verifier::new(3, BLOCK, &delta), 0));
        let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, random);
        assert_eq!(batches(&mut verifier, 1 << 19, early, 10), 10);
        verifier.finish().map(|(Accepted { .. }, gates, _)| gates)
    };
    let gates = side_by_side(prover, verifier).1.unwrap();
    assert_eq!(gates.inputs as usize, 4 * BLOCKS * BLOCK);
}

/// Elements of a block that are zero by one polynomial, after which the prover goes on only once the verifier has
/// come as far.
struct Long {
    elements: usize,
    passed: (std::sync::mpsc::SyncSender<()>, std::sync::Mutex<std::sync::mpsc::Receiver<()>>),
}

impl Long {
    fn begin<B: Polynomials>(&self, b: &mut B) -> Result<()> {
        let x = (0..self.elements).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let x = b.vector(&x);
        let square = b.product(&x, &x)?;
        b.assert_zeroes(square, "x")
    }
}

impl<E: MacField<F61>> Circuit<Prover<'_, F61, E>> for Long {
    fn run(&self, b: &mut Prover<'_, F61, E>) -> Result<()> {
        self.begin(b)?;
        let passed = self.passed.1.lock().unwrap();
        passed.recv_timeout(Duration::from_secs(10)).expect("a verifier that has all corrections");
        self.begin(b)
    }
}

impl<E: MacField<F61>> Circuit<Verifier<'_, F61, E>> for Long {
    fn run(&self, b: &mut Verifier<'_, F61, E>) -> Result<()> {
        self.begin(b)?;
        self.passed.0.send(()).unwrap();
        self.begin(b)
    }
}

/// A section that is used up is sent before polynomials that follow.
#[test]
fn a_verifier_does_not_wait_for_what_a_prover_computes() {
    fn test<E: MacField<F61>>(elements: usize) {
        let (tell, passed) = std::sync::mpsc::sync_channel(1);
        let circuit = Long { elements, passed: (tell, passed.into()) };
        let (here, there) = pipe(Duration::from_secs(20));
        let mut proving = Channel::new(Party::Prover, here);
        let mut verifying = Channel::new(Party::Verifier, there);
        let prover = || {
            let vole = Box::new(ideal::Prover::<F61, E>::new(3, BLOCK));
            let mut prover = Prover::new(&mut proving, vole, Arch::detect(), vec![F61::ZERO; 2 * elements]);
            circuit.run(&mut prover).and_then(|()| prover.finish().map(drop)).unwrap();
            proving.flush().unwrap();
        };
        let verifier = || {
            let random = &mut Random::from_seed(&[5; 32]);
            let delta = Delta::<F61, E>::random(random);
            let vole = Box::new(ideal::Verifier::new(3, BLOCK, &delta));
            let mut verifier = Verifier::new(&mut verifying, vole, Arch::detect(), &delta, random);
            let Accepted { .. } = circuit.run(&mut verifier).and_then(|()| verifier.finish()).unwrap().0;
        };
        side_by_side(prover, verifier);
    }
    for elements in [BLOCK, 2 * BLOCK, 8 * BLOCK] {
        test::<F61>(elements);
        test::<F61x2>(elements);
    }
}
