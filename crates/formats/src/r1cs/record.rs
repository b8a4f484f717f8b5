//! A constraint system as gates.

use super::R1cs;
use super::constraint::Term;
use super::factors::Factors;
use super::prime::{Limbs, ONE, Prime, element};
use super::walk::Steps;
use core::fmt::{self, Display};
use volery_channel::error::{Error, Result};
use volery_circuit::stream::{Handle, Recorder};
use volery_circuit::{Backend as _, Polynomials as _};
use volery_primitives::Field;

impl R1cs {
    /// Demands that the constraints are over the field `F`.
    ///
    /// # Errors
    /// `Invalid` where it is over another.
    pub fn check_field<F: Field>(&self) -> Result<()> {
        if Prime::of::<F>().limbs == self.header.prime.limbs {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{}: the constraints are modulo the prime {}, and not over {}: choose the field of that prime",
            self.name,
            self.header.prime,
            F::name()
        )))
    }

    /// Records the constraints of one instance as gates. `public` has the values of public outputs and inputs, from wire 1 on;
    /// the witness has the values of the wires of [`R1cs::committed`], in that order.
    ///
    /// # Errors
    /// `Invalid` where it is over another field, or the file is not the one that was opened; those of whoever
    /// executes the gates.
    ///
    /// # Panics
    /// Where there are not as many public values.
    pub fn push<F: Field>(&self, b: &mut Recorder<'_, F>, public: impl Iterator<Item = F>) -> Result<()> {
        self.check_field::<F>()?;
        let public: Vec<_> = public.map(|value| b.constant(value)).collect();
        self.push_on(b, &public, None)
    }

    /// Records the constraints as gates, as an instance of this number if there are several. `public` are the public
    /// outputs and inputs.
    pub(super) fn push_on<F: Field>(
        &self,
        b: &mut Recorder<'_, F>,
        public: &[Handle],
        instance: Option<u64>,
    ) -> Result<()> {
        assert_eq!(public.len(), self.header.public() as usize, "a wire for each public signal");
        let mut wires = vec![Handle::default(); self.header.wires as usize];
        wires[0] = b.constant(F::ONE);
        wires[1..=public.len()].copy_from_slice(public);
        let mut gates = Gates {
            system: self,
            instance,
            b,
            wires,
            zero: None,
            factors: Factors::new(&self.header.prime, [F::ONE, -F::ONE]),
            inverses: Factors::new(&self.header.prime, [F::ONE, -F::ONE]),
            by: Vec::new(),
            of: Vec::new(),
        };
        self.walk(&mut gates)
    }
}

/// A visitor that pushes each step as gates.
struct Gates<'s, 'b, 'r, F: Field> {
    system: &'s R1cs,
    instance: Option<u64>,
    b: &'b mut Recorder<'r, F>,
    /// The value of each wire, once it is made.
    wires: Vec<Handle>,
    zero: Option<Handle>,
    factors: Factors<F>,
    inverses: Factors<F>,
    /// Factors and wires of a form.
    by: Vec<F>,
    of: Vec<Handle>,
}

impl<'s, F: Field> Gates<'s, '_, '_, F> {
    fn name(&self, number: u32) -> Name<'s> {
        Name { system: self.system, number, instance: self.instance }
    }

    /// The wire of a form, and whether it was made for this form alone, so that it can be forgotten.
    fn form(&mut self, terms: &[Term]) -> (Handle, bool) {
        match terms {
            [] => (*self.zero.get_or_insert_with(|| self.b.constant(F::ZERO)), false),
            [Term { factor, wire }] if *factor == ONE => (self.wires[*wire as usize], false),
            _ => {
                self.begin(terms, F::ONE);
                (self.sum(), true)
            }
        }
    }

    /// Begins a sum with `terms`, all of them times `sign`, which is one or minus one.
    fn begin(&mut self, terms: &[Term], sign: F) {
        self.by.clear();
        self.of.clear();
        for term in terms {
            let factor = self.factors.get(&term.factor, element);
            self.by.push(if sign == F::ONE { factor } else { -factor });
            self.of.push(self.wires[term.wire as usize]);
        }
    }

    fn sum(&mut self) -> Handle {
        self.b.linear(&self.by, &self.of)
    }

    fn forms<const N: usize>(&mut self, forms: [&[Term]; N]) -> [(Handle, bool); N] {
        forms.map(|terms| self.form(terms))
    }

    fn drop_own<const N: usize>(&mut self, wires: [(Handle, bool); N]) {
        for (wire, own) in wires {
            if own {
                self.b.forget(&[wire]);
            }
        }
    }
}

impl<F: Field> Steps for Gates<'_, '_, '_, F> {
    fn commit(&mut self, wire: u32) -> Result<()> {
        self.wires[wire as usize] = self.b.witness()?;
        Ok(())
    }

    fn define(&mut self, wire: u32, factor: &Limbs, others: &[Term]) -> Result<()> {
        let inverse = self.inverses.get(factor, |factor| element::<F>(factor).invert());
        if inverse == -F::ONE {
            self.begin(others, F::ONE);
        } else {
            self.begin(others, -F::ONE);
            if inverse != F::ONE {
                self.by.iter_mut().for_each(|by| *by *= inverse);
            }
        }
        self.wires[wire as usize] = self.sum();
        Ok(())
    }

    fn multiply(&mut self, wire: u32, negative: bool, [a, b, others]: [&[Term]; 3]) -> Result<()> {
        let factors = self.forms([a, b]);
        let product = self.b.mul(factors[0].0, factors[1].0)?;
        self.drop_own(factors);
        self.wires[wire as usize] = if others.is_empty() && !negative {
            product
        } else {
            let sign = if negative { -F::ONE } else { F::ONE };
            self.begin(others, -sign);
            self.by.push(sign);
            self.of.push(product);
            let value = self.sum();
            self.b.forget(&[product]);
            value
        };
        Ok(())
    }

    fn assert_product(&mut self, number: u32, forms: [&[Term]; 3]) -> Result<()> {
        let forms = self.forms(forms);
        let [a, b, c] = forms.map(|(form, _)| form);
        let name = self.name(number);
        self.b.assert_product(a, b, c, name)?;
        self.drop_own(forms);
        Ok(())
    }

    fn assert_zero(&mut self, number: u32, terms: &[Term]) -> Result<()> {
        let forms = self.forms([terms]);
        let name = self.name(number);
        self.b.assert_zero(forms[0].0, name)?;
        self.drop_own(forms);
        Ok(())
    }

    fn forget(&mut self, wire: u32) {
        self.b.forget(&[self.wires[wire as usize]]);
    }
}

/// The name of a constraint, in an instance if there are several.
struct Name<'s> {
    system: &'s R1cs,
    number: u32,
    instance: Option<u64>,
}

impl Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.system.describe(self.number))?;
        self.instance.map_or(Ok(()), |instance| write!(f, " of instance {instance}"))
    }
}
