//! Provers that cheat. Each proof is tried at every Δ: it must pass for those that its prover has chosen, and
//! for no other.

use super::*;
use crate::Finished;
use crate::voleith::head::testing::{self, Deceit};
use core::fmt::Debug;
use volery_channel::channel::Party;
use volery_primitives::prg::{Prg, Seed};

/// "I know two bits, the last of some, whose product is one", in any backend, by `mul` at the last gate.
fn last_product<B: Backend<F = F2>>(
    b: &mut B,
    before: usize,
    mul: impl Fn(&mut B, B::Wire, B::Wire) -> Result<B::Wire>,
) -> Result<()> {
    let (x, y) = (b.witness()?, b.witness()?);
    let mut other = x;
    for _ in 0..before {
        other = b.mul(other, y)?;
    }
    let product = mul(b, x, y)?;
    let one = b.constant(F2::ONE);
    let difference = b.add(product, one);
    b.assert_zero(difference, "the product is one")
}

/// Behind so many products.
#[derive(Clone, Copy)]
struct LastProduct(usize);

impl<B: Backend<F = F2>> Circuit<B> for LastProduct {
    fn run(&self, b: &mut B) -> Result<()> {
        last_product(b, self.0, |b, x, y| b.mul(x, y))
    }
}

/// A false product, by a prover that says that it is one.
struct WrongProduct(usize);

impl Circuit<Prover<'_>> for WrongProduct {
    fn run(&self, prover: &mut Prover<'_>) -> Result<()> {
        last_product(prover, self.0, |prover, x, y| prover.multiply(x, y, F2::ONE))
    }
}

/// "I know bits of which no `degree` are all one", in two lanes, behind so many products; what is asserted
/// comes behind the last commitment.
#[derive(Clone, Copy)]
struct NotAll {
    degree: usize,
    before: usize,
}

impl<B: Polynomials<F = F2>> Circuit<B> for NotAll {
    fn run(&self, b: &mut B) -> Result<()> {
        let wires = (0..=self.degree).map(|_| b.witness()).collect::<Result<Vec<_>>>()?;
        let mut other = wires[0];
        for _ in 0..self.before {
            other = b.mul(other, wires[1])?;
        }
        let mut power = b.vector(&wires[..2]);
        for i in 1..self.degree {
            let factor = b.vector(&wires[i..i + 2]);
            power = b.product(&power, &factor)?;
        }
        b.assert_zeroes(power, "not all")
    }
}

/// "I know a bit that is zero", which is not looked at any further.
struct ZeroBit;

impl<B: Backend<F = F2>> Circuit<B> for ZeroBit {
    fn run(&self, b: &mut B) -> Result<()> {
        let x = b.witness()?;
        b.assert_zero(x, "zero")
    }
}

/// "I know two matrices of one bit each whose product is one."
struct OneMatrix;

impl<B: Polynomials<F = F2>> Circuit<B> for OneMatrix {
    fn run(&self, b: &mut B) -> Result<()> {
        let (x, y) = ([b.witness()?], [b.witness()?]);
        let [left, right] = [&x, &y].map(|wires| Matrix::new(wires, 1));
        b.assert_matrix_product(left, right, Entries::Public(&[F2::ONE]), "one")
    }
}

/// Any statement, by a prover that goes on where an assertion fails.
struct Lying<'c, C>(&'c C);

impl<'a, C: Circuit<Prover<'a>>> Circuit<Prover<'a>> for Lying<'_, C> {
    fn run(&self, prover: &mut Prover<'a>) -> Result<()> {
        self.0.run(prover)?;
        // What waits is looked at, too.
        crate::memory::Party::forget_all(prover)?;
        prover.lie();
        Ok(())
    }
}

/// A proof up to the last challenge, for which its prover computes what a verifier would at the Δ that it
/// hopes for.
struct Forgery<'f, C> {
    terms: &'f Terms<'f>,
    statement: &'f C,
    begun: Begun,
    finished: Finished<Vec<F128>>,
}

impl<'f, C: for<'a> Circuit<Verifier<'a>>> Forgery<'f, C> {
    /// A forgery by a prover who runs another circuit than the `statement`.
    fn new<L>(terms: &'f Terms<'f>, statement: &'f C, (lie, witness): (&L, &[F2]), mut begun: Begun) -> Self
    where
        L: for<'a> Circuit<Prover<'a>>,
    {
        let finished = begun.run(terms, (lie, witness.iter().copied()), |_| Ok(())).unwrap();
        Self { terms, statement, begun, finished }
    }

    fn honest<L>(terms: &'f Terms<'f>, statement: &'f C, lie: (&L, &[F2]), seed: u8) -> Self
    where
        L: for<'a> Circuit<Prover<'a>>,
    {
        let begun = Begun::new(HEADER, terms, &mut Random::from_seed(&[seed; 32])).unwrap();
        Self::new(terms, statement, lie, begun)
    }

    /// The file as it is for this Δ, with this counter.
    fn file(&self, counter: u32, delta: F128) -> Vec<u8> {
        let mut file = self.begun.head(HEADER, (counter, delta));
        self.begun.bytes.with(|bytes| file.extend_from_slice(bytes));
        file
    }

    /// Chooses U_1, … so that what is opened is right for these Δ, and says it.
    fn hope_for(&mut self, deltas: &[F128]) {
        let mut sums = self.finished.sums.clone();
        if let Some(&delta) = deltas.first() {
            // What the sum has at X^d, from what a verifier would compute.
            let mut probe = self.file(0, delta);
            let (u, _) = self.begun.dealer.borrow_mut().hashes();
            probe.extend_from_slice(&u);
            sums[1..].iter().for_each(|element| probe.extend_from_slice(&element.to_bytes()));
            let heard = hear(&mut &probe[HEADER.len()..], HEADER, self.terms, self.statement).unwrap();
            let power = (0..sums.len()).fold(F128::ONE, |power, _| power * delta);
            let highest = (heard.constant - sums[0]) * power.invert();
            assert_ne!(highest, F128::ZERO, "nothing was wrong");
            let mut roots = vec![F128::ONE];
            for &delta in deltas {
                // Times X − Δ.
                roots.push(F128::ZERO);
                roots.rotate_right(1);
                for i in 0..roots.len() - 1 {
                    let next = roots[i + 1];
                    roots[i] += next * delta;
                }
            }
            // Fewer roots than the degree: any other factor, whose root is no Δ.
            while roots.len() <= sums.len() {
                let even = F128(0x8000 << 100);
                roots.push(F128::ZERO);
                roots.rotate_right(1);
                for i in 0..roots.len() - 1 {
                    let next = roots[i + 1];
                    roots[i] += next * even;
                }
            }
            sums.iter_mut().zip(&roots).for_each(|(sum, root)| *sum += highest * *root);
        }
        self.begun.say(&sums).unwrap();
    }

    /// The input of the last hash where Δ is this, for a verifier; `patch` makes the best of the file.
    fn base(&self, delta: F128, patch: impl Fn(&mut Vec<u8>)) -> [u8; 32] {
        let mut file = self.file(0, delta);
        patch(&mut file);
        hear(&mut &file[HEADER.len()..], HEADER, self.terms, self.statement).unwrap().last.base
    }

    /// All Δ at which the proof passes that was made for `hope`.
    fn passes_at(&self, hope: F128) -> Vec<F128> {
        let expected = self.base(hope, |_| ());
        all_deltas(self.terms).filter(|delta| self.base(*delta, |_| ()) == expected).collect()
    }

    /// The file that the prover writes in the end, and what a verifier says of it.
    fn verdict(&self, hope: F128) -> (F128, Result<Gates>) {
        let file = self.file(0, hope);
        let heard = hear(&mut &file[HEADER.len()..], HEADER, self.terms, self.statement).unwrap();
        let found = (0..u32::MAX).find_map(|ctr| heard.last.delta(ctr).map(|delta| (ctr, delta)));
        let (counter, delta) = found.unwrap();
        (delta, check(self.terms, self.statement, &self.file(counter, delta)))
    }
}

fn all_deltas(terms: &Terms) -> impl Iterator<Item = F128> + use<> {
    (0..1 << terms.parameters.bits).map(|bits| F128(1 | bits << 1))
}

fn sorted(mut deltas: Vec<F128>) -> Vec<u128> {
    deltas.sort_by_key(|delta| delta.0);
    deltas.into_iter().map(|delta| delta.0).collect()
}

/// Some Δ, all different.
fn deltas(terms: &Terms, seed: u8, count: usize) -> Vec<F128> {
    let mut random = Random::from_seed(&[seed; 32]);
    let mut left: Vec<F128> = all_deltas(terms).collect();
    (0..count).map(|_| left.swap_remove(random.word().0 as u32 as usize % left.len())).collect()
}

/// A prover of something false passes at the Δ that it has chosen, as many as its degree has, and at no
/// other.
fn roots_are_all<C, L>(statement: &C, lie: (&L, &[F2]), most: usize)
where
    C: for<'a> Circuit<Verifier<'a>> + for<'a> Circuit<volery_circuit::stream::Recorder<'a, F2>> + Sync,
    L: for<'a> Circuit<Prover<'a>>,
{
    let size = Shape::of(statement).unwrap().size();
    let terms = terms(&TOY, size);
    for count in [1, most] {
        let chosen = deltas(&terms, count as u8, count);
        let mut forgery = Forgery::honest(&terms, statement, lie, 5);
        forgery.hope_for(&chosen);
        assert_eq!(sorted(forgery.passes_at(chosen[0])), sorted(chosen));
    }
}

#[test]
fn a_wrong_product_passes_at_two_chosen_keys() {
    let edge = 8192 - 2;
    for before in [0, 60, edge - 2, edge - 1, edge, 9000] {
        roots_are_all(&LastProduct(before), (&WrongProduct(before), &[F2::ONE, F2::ZERO]), 2);
    }
}

#[test]
fn a_wrong_polynomial_passes_at_as_many_as_its_degree() {
    // Those behind the last commitment, which is the last of a batch, too.
    for (degree, before) in [(2, 0), (3, 0), (5, 8192 - 6), (9, 20), (32, 0)] {
        let statement = NotAll { degree, before };
        // Wrong in the second lane alone.
        let mut witness = vec![F2::ONE; degree + 1];
        witness[0] = F2::ZERO;
        roots_are_all(&statement, (&Lying(&statement), &witness), degree);
    }
}

#[test]
fn a_wrong_matrix_product_passes_at_two_chosen_keys() {
    roots_are_all(&OneMatrix, (&Lying(&OneMatrix), &[F2::ONE, F2::ZERO]), 2);
}

/// All products are right, and the wire that is asserted is not zero: one key.
#[test]
fn a_wrong_assertion_passes_at_one_key() {
    let terms = terms(&TOY, Shape::of(&ZeroBit).unwrap().size());
    let mut forgery = Forgery::honest(&terms, &ZeroBit, (&Lying(&ZeroBit), &[F2::ONE]), 5);
    forgery.hope_for(&[]);
    for hope in all_deltas(&terms) {
        assert_eq!(forgery.passes_at(hope), [hope]);
    }
}

/// End to end, with the hash that is there: as often as there are roots.
#[test]
fn cheaters_at_the_predicted_rate() {
    let parameters = Parameters { trees: 2, bits: 6, grinding: 6 };
    let statement = NotAll { degree: 8, before: 0 };
    let mut witness = vec![F2::ONE; 9];
    witness[0] = F2::ZERO;
    let terms = terms(&parameters, Shape::of(&statement).unwrap().size());
    let mut accepted = 0;
    for seed in 0..200 {
        let chosen = deltas(&terms, seed, 8);
        let mut forgery = Forgery::honest(&terms, &statement, (&Lying(&statement), &witness), seed);
        forgery.hope_for(&chosen);
        let (delta, verdict) = forgery.verdict(chosen[0]);
        assert_eq!(verdict.is_ok(), chosen.contains(&delta));
        accepted += usize::from(verdict.is_ok());
    }
    assert!((10..=45).contains(&accepted), "{accepted} of 200, 25 expected");
}

/// The beginning of a proof by a cheating dealer.
fn deceitful(terms: &Terms, deceit: Deceit) -> Begun {
    let salt = [9; 32];
    let depths = terms.parameters.depths();
    let mut random = Random::from_seed(&[5; 32]);
    let dealt = testing::deal(
        ((terms.arch, terms.pool), &depths),
        &salt,
        &mut random,
        terms.size.commitments,
        deceit,
    );
    Begun::over((HEADER, salt), terms, dealt).unwrap()
}

/// Corrections of one tree that are wrong, in the masks and in batches: a proof of something true passes
/// where the tree's part of Δ was guessed, and never otherwise. In the masks of products the same, which
/// would otherwise let a prover add what it likes to the polynomial that it opens.
#[test]
fn wrong_corrections_pass_where_a_part_of_delta_is_guessed() {
    let everything = Everything { products: 9000, degree: 3, polynomials: 2, ..Everything::default() };
    let terms = terms(&TOY, everything.size());
    // Masks of two lines, of the check; a batch of 64 blocks, one of seven.
    for (message, block) in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 40), (2, 0), (2, 6)] {
        for guess in [0, 5] {
            let deceit = Deceit::Correction { message, tree: 1, block, error: F128(1 << 5 | 1), guess };
            let lie = (&everything, &*everything.witness(1));
            let mut forgery = Forgery::new(&terms, &everything, lie, deceitful(&terms, deceit));
            forgery.hope_for(&[]);
            let hope = F128(1 | 0b010 << 1 | (guess as u128) << 4);
            let expected: Vec<F128> =
                all_deltas(&terms).filter(|delta| delta.0 >> 4 == hope.0 >> 4).collect();
            assert_eq!(forgery.passes_at(hope), expected, "message {message}, block {block}");
        }
    }
}

/// A commitment of which nobody knows a leaf passes where it is not opened.
#[test]
fn a_leaf_that_is_not_there_passes_where_it_is_hidden() {
    let everything = Everything { products: 20, ..Everything::default() };
    let terms = terms(&TOY, everything.size());
    let wrong = [0xaa; 32];
    let deceit = Deceit::Commitment { tree: 0, place: 6, instead: wrong };
    let lie = (&everything, &*everything.witness(1));
    let mut forgery = Forgery::new(&terms, &everything, lie, deceitful(&terms, deceit));
    forgery.hope_for(&[]);
    // The siblings and the commitment of tree 0 begin behind salt, Δ, and counter.
    let patch = |file: &mut Vec<u8>| {
        let at = HEADER.len() + 32 + 16 + 4 + 3 * 16;
        file[at..at + 32].copy_from_slice(&wrong);
    };
    let hidden = F128(1 | 6 << 1);
    let expected = forgery.base(hidden, patch);
    for delta in all_deltas(&terms) {
        assert_eq!(forgery.base(delta, patch) == expected, delta.0 >> 1 & 7 == 6);
        assert_ne!(forgery.base(delta, |_| ()), expected);
    }
}

/// Wrong products that cancel for four challenges which their prover knew beforehand: with the keys of these
/// and other nonces they do not.
#[test]
fn errors_that_are_made_for_keys_do_not_cancel_with_another_nonce() {
    const KEYS: [F128; 4] = [F128(1), F128(77), F128(1 << 90), F128(u128::MAX)];
    const PRODUCTS: usize = KEYS.len() * 128 + 1;
    let arch = Arch::detect();
    let coefficients = |key: F128, nonce: u64| {
        let mut challenge = [0; 32];
        challenge[..16].copy_from_slice(&key.to_bytes());
        challenge[16..24].copy_from_slice(&nonce.to_le_bytes());
        let mut chi = vec![F128::ZERO; PRODUCTS];
        Prg::new(arch, Seed::two_of_challenge(&challenge)[0]).fill(&mut chi);
        chi
    };
    let of_seeds = KEYS.map(|key| coefficients(key, 7));
    // Rows: the coefficients of one product for all seeds, and which products were added to it.
    let mut rows: Vec<([u128; 4], Vec<bool>)> = (0..PRODUCTS)
        .map(|i| {
            let mut which = vec![false; PRODUCTS];
            which[i] = true;
            (of_seeds.each_ref().map(|chi| chi[i].0), which)
        })
        .collect();
    let mut done = 0;
    for bit in 0..KEYS.len() * 128 {
        let has = |row: &([u128; 4], Vec<bool>)| row.0[bit / 128] >> (bit % 128) & 1 == 1;
        let Some(found) = (done..PRODUCTS).find(|i| has(&rows[*i])) else { continue };
        rows.swap(done, found);
        let pivot = rows[done].clone();
        for row in rows[done + 1..].iter_mut().filter(|row| has(row)) {
            row.0.iter_mut().zip(&pivot.0).for_each(|(word, other)| *word ^= other);
            row.1.iter_mut().zip(&pivot.1).for_each(|(which, other)| *which ^= other);
        }
        done += 1;
    }
    let wrong = &rows[PRODUCTS - 1].1;
    let sum =
        |chi: &[F128]| chi.iter().zip(wrong).filter(|(_, wrong)| **wrong).map(|(chi, _)| *chi).sum::<F128>();
    assert!(wrong.contains(&true) && of_seeds.iter().all(|chi| sum(chi) == F128::ZERO));
    for key in KEYS {
        for nonce in [0, 6, 8, 1 << 62] {
            assert_ne!(sum(&coefficients(key, nonce)), F128::ZERO);
        }
    }
}

/// Challenges of a batch come after its corrections, both kinds, and the last one after all that is said:
/// from the bytes, in the order in which a prover says them.
#[test]
fn every_byte_that_is_said_changes_the_last_challenge() {
    let everything = Everything { products: 100, degree: 3, polynomials: 2, ..Everything::default() };
    let terms = terms(&TOY, everything.size());
    let (file, _) = prove(&terms, &everything, &everything.witness(1), 1).unwrap();
    let base = |file: &[u8]| {
        let heard = hear(&mut &file[HEADER.len()..], HEADER, &terms, &everything);
        heard.map(|heard| heard.last.base)
    };
    let honest = base(&file).unwrap();
    // All but Δ and the counter, which answer it.
    let fixed = HEADER.len() + 32..HEADER.len() + 52;
    for at in (HEADER.len()..file.len()).filter(|at| !fixed.contains(at)) {
        let mut changed = file.clone();
        changed[at] ^= 4;
        assert!(
            base(&changed).is_err_and(rejected) || base(&changed).is_ok_and(|base| base != honest),
            "{at}"
        );
    }
}

fn rejected(error: impl Debug + Into<Error>) -> bool {
    matches!(error.into(), Error::Misbehaved(_) | Error::Rejected(_))
}

/// The transcript binds the party that speaks, and labels tell its challenges apart.
#[test]
fn challenges_have_labels_of_their_own() {
    let start = |seed: u8| {
        let link = parts::OfFile { start: [seed; 32], bytes: parts::Bytes::default() };
        volery_channel::channel::Channel::new(Party::Prover, link)
    };
    let labels = [parts::LAST, "voleith columns", "quicksilver batch", crate::FORMS];
    let seen: Vec<_> = labels.iter().map(|label| start(1).challenge(Party::Prover, label)).collect();
    for (i, one) in seen.iter().enumerate() {
        assert!(seen[..i].iter().all(|other| other != one));
        assert_ne!(start(2).challenge(Party::Prover, labels[i]), *one);
    }
}
