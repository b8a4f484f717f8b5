//! The fields of `--field`, and what is done over each of them.

use crate::args::{Bench, Check, Info, Prove, Verify};
use crate::failure::{Failure, Result};
use crate::partial::Partial;
use crate::parties::Known;
use crate::settings::{most_bits, one_of};
use crate::values::Written;
use crate::{bench, parties, relations};
use std::io::Read;
use std::time::Instant;
use volery::channel::Channel;
use volery::circuit::{FieldRelation, Program, Relation, Shape, Size, Statement};
use volery::{
    Accepted, Binary, Correlations, Estimate, F2, F61, F61x2, F128, F256, F65537, F65537x4, Field as _,
    Goldilocks, Goldilocksx2, MacField, Options, Over, Q32, Q32x2, Registered, Report, Setting,
};

/// A setting for which relations can be given.
pub(crate) trait Stated: Setting {
    /// The relations.
    type Program: Program<F = Self::F, Value: Written>;

    /// Those that need no file: name with keys and defaults, and what is stated.
    fn builtins() -> &'static [(&'static str, &'static str)];

    /// What a statement of this size sends over these correlations.
    fn traffic(correlations: Correlations, size: Size) -> Estimate;

    /// The gates of each clause, where a relation claims that one of several things holds.
    fn clauses(relation: &Self::Program) -> volery::Result<Vec<Shape>>;

    /// Proves a statement as a whole, by a system of this field.
    fn prove(
        statement: &Statement<Self::Program>,
        known: Known<Self::Program>,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<Report>;

    /// Verifies it.
    fn verify(
        statement: &Statement<Self::Program>,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<(Accepted, Report)>;

    /// Writes a proof file of it.
    fn prove_to(
        statement: &Statement<Self::Program>,
        known: Known<Self::Program>,
        file: &mut Partial,
        options: &Options,
    ) -> volery::Result<Report>;

    /// Verifies a proof file of it.
    fn verify_from(
        statement: &Statement<Self::Program>,
        file: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)>;
}

impl Stated for Binary {
    type Program = Relation;

    fn builtins() -> &'static [(&'static str, &'static str)] {
        Relation::builtins()
    }

    fn traffic(correlations: Correlations, size: Size) -> Estimate {
        Self::traffic(correlations, size)
    }

    fn clauses(relation: &Relation) -> volery::Result<Vec<Shape>> {
        relation.clauses()
    }

    fn prove(
        statement: &Statement,
        known: Known<Relation>,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<Report> {
        volery::prove(statement.source(), known, channel, options)
    }

    fn verify(
        statement: &Statement,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        volery::verify(statement.source(), channel, options)
    }

    fn prove_to(
        statement: &Statement,
        known: Known<Relation>,
        file: &mut Partial,
        options: &Options,
    ) -> volery::Result<Report> {
        volery::prove_to(statement.source(), known, file, options)
    }

    fn verify_from(
        statement: &Statement,
        mut file: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        volery::verify_from(statement.source(), &mut file, options)
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

    fn traffic(correlations: Correlations, size: Size) -> Estimate {
        Self::traffic(correlations, size)
    }

    fn clauses(_: &FieldRelation<B>) -> volery::Result<Vec<Shape>> {
        Ok(Vec::new())
    }

    fn prove(
        statement: &Statement<FieldRelation<B>>,
        known: Known<FieldRelation<B>>,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<Report> {
        volery::prove_over::<Self, _, _>(statement.source(), known, channel, options)
    }

    fn verify(
        statement: &Statement<FieldRelation<B>>,
        channel: &mut Channel,
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        volery::verify_over::<Self, _>(statement.source(), channel, options)
    }

    fn prove_to(
        statement: &Statement<FieldRelation<B>>,
        known: Known<FieldRelation<B>>,
        file: &mut Partial,
        options: &Options,
    ) -> volery::Result<Report> {
        volery::prove_to_over::<Self, _, _>(statement.source(), known, file, options)
    }

    fn verify_from(
        statement: &Statement<FieldRelation<B>>,
        mut file: &mut (dyn Read + Send),
        options: &Options,
    ) -> volery::Result<(Accepted, Report)> {
        volery::verify_from_over::<Self, _>(statement.source(), &mut file, options)
    }
}

/// One of them.
pub(crate) struct Field {
    pub(crate) name: fn() -> String,
    /// What wires carry, whatever the extension.
    pub(crate) wires: &'static str,
    pub(crate) non_interactive: bool,
    /// The most bits of statistical security of a proof as in these options, but over any correlations; 0 where there is
    /// none.
    pub(crate) statistical_bits: fn(&Options) -> u32,
    pub(crate) prove: fn(&Prove, Instant) -> Result<()>,
    pub(crate) verify: fn(&Verify, Instant) -> Result<()>,
    pub(crate) check: fn(&Check) -> Result<()>,
    pub(crate) info: fn(&Info) -> Result<()>,
    pub(crate) builtins: fn() -> &'static [(&'static str, &'static str)],
    pub(crate) arithmetic: fn(&Bench, Instant) -> Result<()>,
    pub(crate) wolverine: fn(&Bench, Instant) -> Result<()>,
    pub(crate) inner_product: fn(&Bench, Instant) -> Result<()>,
    pub(crate) matmul: fn(&Bench, Instant) -> Result<()>,
    pub(crate) sis: fn(&Bench, Instant) -> Result<()>,
    pub(crate) vole: fn(&Bench, Instant) -> Result<()>,
}

/// All there are.
pub(crate) static FIELDS: [Field; 8] = [
    Field::of::<Binary>(),
    Field::of::<Over<F61, F61>>(),
    Field::of::<Over<F61, F61x2>>(),
    Field::of::<Over<Goldilocks, Goldilocks>>(),
    Field::of::<Over<Goldilocks, Goldilocksx2>>(),
    Field::of::<Over<Q32, Q32x2>>(),
    Field::of::<Over<F65537, F65537x4>>(),
    Field::of::<Over<F256, F128>>(),
];

/// The names of the two that stand where none is given.
pub(crate) const BOOLEAN: &str = F2::NAME;
pub(crate) const ARITHMETIC: &str = F61::NAME;

impl Field {
    const fn of<S: Stated>() -> Self {
        Self {
            name: S::name,
            wires: S::F::NAME,
            non_interactive: S::NON_INTERACTIVE,
            statistical_bits: |options| {
                most_bits::<S>(&Options { correlations: None, ..options.clone() }).unwrap_or(0)
            },
            prove: parties::prove::<S>,
            verify: parties::verify::<S>,
            check: relations::check::<S>,
            info: relations::info::<S>,
            builtins: S::builtins,
            arithmetic: bench::arithmetic::<S>,
            wolverine: bench::wolverine::<S>,
            inner_product: bench::inner_product::<S>,
            matmul: bench::matmul::<S>,
            sis: bench::sis::<S>,
            vole: bench::vole::<S>,
        }
    }

    /// The one that is asked for, or F_2.
    pub(crate) fn asked(typed: Option<&str>) -> Result<&'static Self> {
        Self::named(typed.unwrap_or(BOOLEAN))
    }

    /// The one called `name`.
    pub(crate) fn named(name: &str) -> Result<&'static Self> {
        let names = FIELDS.each_ref().map(|field| (field.name)());
        one_of("--field", name, &names.each_ref().map(String::as_str))?;
        let place = names.iter().position(|known| known == name).expect("one of them");
        Ok(&FIELDS[place])
    }

    /// The one of a run that has no choice.
    pub(crate) fn boolean(of: &str, typed: Option<&str>) -> Result<&'static Self> {
        let field = Self::asked(typed)?;
        if field.wires != BOOLEAN {
            return Err(Failure::usage(format_args!("--field: {of} is over {BOOLEAN}: leave it out")));
        }
        Ok(field)
    }
}
