//! The fields of `--field`, and the one step from their names to the types that proofs are over.
//!
//! What is to be done over a field whose name is typed is a [`Visitor`]: whoever has one gives it to
//! [`Field::visit`], and nothing here knows what it does.

use crate::failure::{Failure, Result, one_of};
use crate::values::Written;
use volery::circuit::{FieldRelation, Program, Relation, Shape, Size};
use volery::{
    Binary, Estimate, F2, F61, F61x2, F128, F256, F65537, F65537x4, Field as _, Goldilocks, Goldilocksx2,
    MacField, Over, Q32, Q32x2, Registered, Setting,
};

/// A setting for which relations can be given.
pub trait Stated: Setting {
    /// The relations.
    type Program: Program<F = Self::F, Value: Written>;

    /// Those that need no file: name with keys and defaults, and what is stated.
    fn builtins() -> &'static [(&'static str, &'static str)];

    /// What a statement of this size sends over these correlations.
    fn traffic(correlations: Self::Correlations, size: Size) -> Estimate;

    /// The gates of each clause, where a relation claims that one of several things holds.
    ///
    /// # Errors
    /// `Invalid` where the relation is malformed.
    fn clauses(relation: &Self::Program) -> volery::Result<Vec<Shape>>;
}

impl Stated for Binary {
    type Program = Relation;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        Relation::builtins()
    }

    fn traffic(correlations: Self::Correlations, size: Size) -> Estimate {
        Self::traffic(correlations, size)
    }

    fn clauses(relation: &Relation) -> volery::Result<Vec<Shape>> {
        relation.clauses()
    }
}

impl<B: volery::Field, E: MacField<B>> Stated for Over<B, E>
where
    Self: Registered,
{
    type Program = FieldRelation<B>;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        FieldRelation::<B>::builtins()
    }

    fn traffic(correlations: Self::Correlations, size: Size) -> Estimate {
        Self::traffic(correlations, size)
    }

    fn clauses(_: &FieldRelation<B>) -> volery::Result<Vec<Shape>> {
        Ok(Vec::new())
    }
}

/// What is done over a field that is known by name only.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it over `S`.
    fn visit<S: Stated>(self) -> Self::Output;
}

/// One of the fields that can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// F_2.
    F2,
    /// The integers modulo 2^61 - 1.
    F61,
    /// The same, with MACs in an extension of degree two.
    F61x2,
    /// The integers modulo 2^64 - 2^32 + 1.
    Goldilocks,
    /// The same, with MACs in an extension of degree two.
    Goldilocksx2,
    /// The integers modulo 2^32 - 5, with MACs in an extension of degree two.
    Q32,
    /// The integers modulo 65537, with MACs in an extension of degree four.
    F65537,
    /// The field of 2^8 elements, with MACs in that of 2^128.
    F256,
}

/// The names of the two that stand where none is given.
pub const BOOLEAN: &str = F2::NAME;
/// The one for benches of arithmetic.
pub const ARITHMETIC: &str = F61::NAME;

impl Field {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::F2,
        Self::F61,
        Self::F61x2,
        Self::Goldilocks,
        Self::Goldilocksx2,
        Self::Q32,
        Self::F65537,
        Self::F256,
    ];

    /// Does over this field what `visitor` does.
    pub fn visit<V: Visitor>(self, visitor: V) -> V::Output {
        match self {
            Self::F2 => visitor.visit::<Binary>(),
            Self::F61 => visitor.visit::<Over<F61>>(),
            Self::F61x2 => visitor.visit::<Over<F61, F61x2>>(),
            Self::Goldilocks => visitor.visit::<Over<Goldilocks, Goldilocks>>(),
            Self::Goldilocksx2 => visitor.visit::<Over<Goldilocks, Goldilocksx2>>(),
            Self::Q32 => visitor.visit::<Over<Q32, Q32x2>>(),
            Self::F65537 => visitor.visit::<Over<F65537, F65537x4>>(),
            Self::F256 => visitor.visit::<Over<F256, F128>>(),
        }
    }

    /// As `--field` writes it.
    pub fn name(self) -> String {
        struct Name;
        impl Visitor for Name {
            type Output = String;
            fn visit<S: Stated>(self) -> String {
                S::name()
            }
        }
        self.visit(Name)
    }

    /// The name of what wires carry, whatever the extension.
    pub fn wires(self) -> &'static str {
        struct Wires;
        impl Visitor for Wires {
            type Output = &'static str;
            fn visit<S: Stated>(self) -> &'static str {
                S::F::NAME
            }
        }
        self.visit(Wires)
    }

    /// The one that is asked for, or F_2.
    ///
    /// # Errors
    /// Where there is none of this name.
    pub fn asked(typed: Option<&str>) -> Result<Self> {
        Self::named(typed.unwrap_or(BOOLEAN))
    }

    /// The one called `name`.
    ///
    /// # Errors
    /// Where there is none of this name.
    pub fn named(name: &str) -> Result<Self> {
        let names = Self::ALL.map(Self::name);
        one_of("--field", name, &names.each_ref().map(String::as_str))?;
        let place = names.iter().position(|known| known == name).expect("one of them");
        Ok(Self::ALL[place])
    }

    /// The one of a run that has no choice.
    ///
    /// # Errors
    /// Where another than F_2 is asked for.
    pub fn boolean(of: &str, typed: Option<&str>) -> Result<Self> {
        let field = Self::asked(typed)?;
        if field != Self::F2 {
            return Err(Failure::usage(format_args!("--field: {of} is over {BOOLEAN}: leave it out")));
        }
        Ok(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_of_their_own() {
        for field in Field::ALL {
            assert_eq!(Field::named(&field.name()).expect("known"), field);
        }
        assert_eq!(Field::asked(None).expect("the usual one").name(), BOOLEAN);
        assert!(Field::boolean("demo", Some("f61")).is_err());
    }
}
