//! Constraints of classes on a row, as polynomials: a lane of a map.
//!
//! With d_k for the k-th difference of what the members of a group say, d_0 for what the first does, the
//! polynomial in the digit j that is the k-th of them at each k is Newton's:
//! `d_0 + j/1·(d_1 + (j − 1)/2·(d_2 + (j − 2)/3·…))`. The same in the other digit makes one of all groups.

use super::block::number;
use super::class::{Class, GROUPS, MEMBERS, Size, base};
use super::form::{Algebra, Form, Linear, TERMS, Term};
use super::rom::BESIDE;
use super::row::{COLUMNS, Column};
use std::sync::LazyLock;
use volery::circuit::Polynomials;
use volery::{F61, Field, Result};

/// The constraints of each class, which each tile has.
static CLASSES: LazyLock<[Said; GROUPS * MEMBERS]> = LazyLock::new(|| Class::ALL.map(Said::new));

struct Said {
    equations: [Option<Form>; 2],
    /// The address that it accesses, on the scale of the column.
    accessed: Option<Linear>,
    /// The place that it jumps to, if that is no place of the program.
    jumped: Option<Linear>,
}

impl Said {
    fn new(class: Class) -> Self {
        let factor = if class.stores() { BESIDE as i64 } else { 1 };
        Self {
            equations: class.equations(Size::FULL),
            accessed: class.accessed(Size::FULL).map(|address| address * factor),
            jumped: (class == Class::Jalr).then(|| base(Size::FULL)),
        }
    }
}

/// Vectors of polynomials.
pub(super) struct Lanes<'b, B>(pub(super) &'b mut B);

impl<B: Polynomials<F = F61>> Algebra for Lanes<'_, B> {
    type Value = B::Vector;

    fn combine(
        &mut self,
        products: &[[B::Vector; 2]],
        terms: &[(i64, B::Vector)],
        constant: i64,
    ) -> Result<B::Vector> {
        let products: Vec<_> = products.iter().map(|[a, b]| (a, b)).collect();
        let terms: Vec<_> = terms.iter().map(|(factor, value)| (signed(*factor), value)).collect();
        self.0.combination(&products, &terms, signed(constant))
    }
}

fn signed(value: i64) -> F61 {
    let magnitude = number(value.unsigned_abs());
    if value < 0 { -magnitude } else { magnitude }
}

/// The factor of the i-th of values in their k-th difference, i being k at most: ±k over i.
fn difference(k: usize, i: usize) -> i64 {
    let choices = (0..i).fold(1, |choices, j| choices * (k - j) as i64 / (j as i64 + 1));
    if (k - i).is_multiple_of(2) { choices } else { -choices }
}

/// The values that rows of each class of a group are to have, if any.
type Of<V, const COUNT: usize> = [Option<V>; COUNT];

impl<B: Polynomials<F = F61>> Lanes<'_, B> {
    /// The quotients `(digit − k)/(k + 1)`, for each k below `count` less one.
    fn quotients(&mut self, digit: &B::Vector, count: usize) -> Result<Vec<B::Vector>> {
        let quotient = |k: i64| {
            let inverse = signed(k + 1).invert();
            self.0.combination(&[], &[(inverse, digit)], -signed(k) * inverse)
        };
        (0..count as i64 - 1).map(quotient).collect()
    }

    /// The polynomial in a digit that is the k-th of `values`, or zero where there is none, at k: `quotients`
    /// are the digit's.
    fn chosen<const COUNT: usize>(
        &mut self,
        quotients: &[B::Vector],
        values: &Of<B::Vector, COUNT>,
    ) -> Result<Option<B::Vector>> {
        let mut sum: Option<B::Vector> = None;
        for k in (0..COUNT).rev() {
            let up_to = values.iter().enumerate().take(k + 1);
            let difference = up_to.filter_map(|(i, value)| Some((difference(k, i), value.clone()?)));
            let difference: Vec<_> = difference.collect();
            let product = sum.map(|sum| [quotients[k].clone(), sum]);
            sum = match (product, &difference[..]) {
                (None, []) => None,
                (None, [(1, value)]) => Some(value.clone()),
                (product, _) => Some(self.combine(product.as_slice(), &difference, 0)?),
            };
        }
        Ok(sum)
    }

    /// Evaluates the constraints of each row's class on its columns: two values that are to be zero, the
    /// address that it accesses, and the place that it jumps to.
    fn classes(
        &mut self,
        terms: &[B::Vector; TERMS],
        groups: &[B::Vector],
        members: &[B::Vector],
    ) -> Result<[B::Vector; 4]> {
        let mut of_groups: [Of<B::Vector, GROUPS>; 4] = [const { [const { None }; GROUPS] }; 4];
        for (group, classes) in CLASSES.chunks_exact(MEMBERS).enumerate() {
            let mut of_members: [Of<B::Vector, MEMBERS>; 4] = [const { [const { None }; MEMBERS] }; 4];
            for (member, said) in classes.iter().enumerate() {
                for (k, form) in said.equations.iter().enumerate() {
                    of_members[k][member] = form.as_ref().map(|form| self.form(form, terms)).transpose()?;
                }
                for (k, linear) in [(2, &said.accessed), (3, &said.jumped)] {
                    of_members[k][member] =
                        linear.as_ref().map(|linear| self.linear(linear, terms)).transpose()?;
                }
            }
            for (of_groups, of_members) in of_groups.iter_mut().zip(of_members) {
                of_groups[group] = self.chosen(members, &of_members)?;
            }
        }
        let [first, second, accessed, jumped] = of_groups;
        let mut of = |groups_of: &Of<B::Vector, GROUPS>| -> Result<B::Vector> {
            Ok(self.chosen(groups, groups_of)?.expect("classes of all kinds"))
        };
        Ok([of(&first)?, of(&second)?, of(&accessed)?, of(&jumped)?])
    }

    /// Demands of the row in a lane what its class says; `found` are both limbs of what each access finds.
    pub(super) fn assert(
        &mut self,
        lane: usize,
        columns: &[B::Vector; COLUMNS],
        found: &[B::Vector],
    ) -> Result<()> {
        let column = |column: Column| &columns[column as usize];
        let terms = self.terms(columns, found)?;
        let groups = self.quotients(column(Column::Group), GROUPS)?;
        let members = self.quotients(column(Column::Member), MEMBERS)?;
        let [first, second, accessed, jumped] = self.classes(&terms, &groups, &members)?;
        self.0.assert_zeroes(first, format_args!("what a row's class says[{lane}]"))?;
        self.0.assert_zeroes(second, format_args!("what else a row's class says[{lane}]"))?;
        let own = [(accessed, Column::Accessed, "where a row accesses"), (jumped, Column::Jumped, "a jump")];
        for (value, of, name) in own {
            let difference = self.combine(&[], &[(1, value), (-1, column(of).clone())], 0)?;
            self.0.assert_zeroes(difference, format_args!("{name}[{lane}]"))?;
        }
        for bit in [Column::S7, Column::S8] {
            let bit = column(bit);
            let zero = self.combine(&[[bit.clone(), bit.clone()]], &[(-1, bit.clone())], 0)?;
            self.0.assert_zeroes(zero, format_args!("a bit of a row[{lane}]"))?;
        }
        Ok(())
    }

    /// The terms of equations.
    fn terms(&mut self, columns: &[B::Vector; COLUMNS], found: &[B::Vector]) -> Result<[B::Vector; TERMS]> {
        let mut terms: [Option<B::Vector>; TERMS] = [const { None }; TERMS];
        for column in Column::ALL {
            if let Some(term) = column.term() {
                terms[term as usize] = Some(columns[column as usize].clone());
            }
        }
        for (word, limbs) in [Term::A, Term::B, Term::O].into_iter().zip(found.chunks_exact(2)) {
            for (term, limb) in word.limbs().expect("a word").into_iter().zip(limbs) {
                terms[term as usize] = Some(limb.clone());
            }
        }
        for word in Term::ALL {
            if let Some(limbs) = word.limbs() {
                let [low, high] = limbs.map(|limb| terms[limb as usize].clone().expect("set above"));
                terms[word as usize] = Some(self.combine(&[], &[(1, low), (Size::FULL.limb(), high)], 0)?);
            }
        }
        Ok(terms.map(|term| term.expect("set above")))
    }
}
