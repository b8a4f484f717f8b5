//! Values for one of several relations: `K.NAME=VALUE` is for the K-th, from 1.

use crate::verbs::args::{Private, Public};
use crate::verbs::given::relation;
use std::ffi::OsString;
use volery::circuit::{Relation, Statement, Values, Witness};
use volery_cli::failure::{Failure, Result};
use volery_cli::values::{PRIVATE, PUBLIC, Reader};

/// The relation of this number, from 0, as its user counts them.
pub(super) fn place(number: usize) -> String {
    format!("relation {}", number + 1)
}

/// The statement of the only relation, with all public values.
pub(super) fn statement(typed: &Public, reader: &mut Reader) -> Result<Statement> {
    let relation = relation(Relation::open, &typed.relation[0], typed.format.as_deref())?;
    limit(reader, &relation, None);
    let values = read(reader, PUBLIC, &typed.public)?;
    Statement::new(relation, values).map_err(|why| Failure::from(why).at(PUBLIC))
}

/// The witness that all private values make.
pub(super) fn witness(statement: &Statement, typed: &Private, reader: &mut Reader) -> Result<Witness> {
    let values = read(reader, PRIVATE, &typed.private)?;
    statement.witness(values).map_err(|why| Failure::from(why).at(PRIVATE))
}

/// The statements that relations make with their public values.
pub(super) fn statements(typed: &Public, reader: &mut Reader) -> Result<Vec<Statement>> {
    let relations = typed.relation.iter().enumerate().map(|(number, spec)| {
        relation(Relation::open, spec, typed.format.as_deref()).map_err(|why| why.at(place(number)))
    });
    let relations = relations.collect::<Result<Vec<_>>>()?;
    relations.iter().zip(1..).for_each(|(relation, number)| limit(reader, relation, Some(number)));
    let dealt = deal(read(reader, PUBLIC, &typed.public)?, &relations).map_err(|why| why.at(PUBLIC))?;
    let statements = relations.into_iter().zip(dealt).enumerate().map(|(number, (relation, values))| {
        let statement = Statement::new(relation, values);
        statement.map_err(|why| Failure::from(why).at(place(number)).at(PUBLIC))
    });
    statements.collect()
}

/// The number, from 0, of the relation that the private values belong to, and the witness that they make.
/// Without values it is a relation that takes none, if there is only one.
pub(super) fn witness_of_one(
    statements: &[Statement],
    typed: &Private,
    reader: &mut Reader,
) -> Result<(Option<usize>, Witness)> {
    let values = read(reader, PRIVATE, &typed.private)?;
    let takes_none = |number: &usize| statements[*number].private_ports().next().is_none();
    let take_none: Vec<usize> = (0..statements.len()).filter(takes_none).collect();
    let (number, values) = match take_none[..] {
        [one, ..] if values.is_empty() => (one, values),
        _ => of_one(values, statements.len()).map_err(|why| why.at(PRIVATE))?,
    };
    let told = !values.is_empty() || take_none.len() == 1;
    let witness = statements[number].witness(values);
    let witness = witness.map_err(|why| Failure::from(why).at(place(number)).at(PRIVATE))?;
    Ok((told.then_some(number), witness))
}

/// Reads no more of files than the values of `relation` can take, under their names and under those with its
/// `number`.
fn limit(reader: &mut Reader, relation: &Relation, number: Option<usize>) {
    for port in relation.inputs().iter().chain(relation.outputs()) {
        reader.limit(&port.name, port.width, "bit");
        if let Some(number) = number {
            reader.limit(&format!("{number}.{}", port.name), port.width, "bit");
        }
    }
}

/// The values that stand behind `option`.
fn read(reader: &mut Reader, option: &str, arguments: &[OsString]) -> Result<Values> {
    let mut values = Values::new();
    reader.read(option, arguments, &mut values)?;
    Ok(values)
}

/// Public values for each relation: those with its number, and those without one that it has a port for.
fn deal(values: Values, relations: &[Relation]) -> Result<Vec<Values>> {
    let mut dealt = vec![Values::new(); relations.len()];
    for (name, value) in values {
        if let (Some(number), port) = numbered(&name, relations.len())? {
            dealt[number].insert(port, value).map_err(|why| twice(why, number))?;
            continue;
        }
        let has_it = |relation: &Relation| {
            relation.inputs().iter().chain(relation.outputs()).any(|port| port.name == name)
        };
        let takers = (0..relations.len()).filter(|number| has_it(&relations[*number]));
        let mut taken = false;
        for number in takers {
            dealt[number].insert(&*name, value.clone()).map_err(|why| twice(why, number))?;
            taken = true;
        }
        if !taken {
            return Err(Failure::usage(format_args!("no relation has an input or output {name}")));
        }
    }
    Ok(dealt)
}

/// Private values, which are all for the relation of this number of so `many`.
fn of_one(values: Values, many: usize) -> Result<(usize, Values)> {
    let mut one = None;
    let mut of_it = Values::new();
    for (name, value) in values {
        let (Some(number), port) = numbered(&name, many)? else {
            return Err(Failure::usage(format_args!(
                "{name}: of several relations, write which of them the value is for, as in 1.{name}"
            )));
        };
        if let Some(one) = one.filter(|one| *one != number) {
            return Err(Failure::usage(format_args!(
                "there are values for {} and for {}: give those of the one that you know to hold",
                place(one),
                place(number)
            )));
        }
        one = Some(number);
        of_it.insert(port, value)?;
    }
    let one = one.ok_or_else(|| {
        Failure::usage("no values: give those of the relation that you know to hold, as in 1.NAME=VALUE")
    })?;
    Ok((one, of_it))
}

/// The number in front of a name, counted from 0, if there is one, and the rest.
fn numbered(name: &str, many: usize) -> Result<(Option<usize>, &str)> {
    let Some((number, port)) = name.split_once('.') else { return Ok((None, name)) };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok((None, name));
    }
    match number.parse().ok().filter(|number| (1..=many).contains(number)) {
        Some(number) => Ok((Some(number - 1), port)),
        None => Err(Failure::usage(format_args!("{name}: there are relations 1 to {many}"))),
    }
}

/// The error of a value that is given with a number and without.
fn twice(why: volery::Error, number: usize) -> Failure {
    Failure::from(why).at(place(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::circuit::Value;

    fn values(names: &[&str]) -> Values {
        let mut values = Values::new();
        for name in names {
            values.insert(*name, Value::from_bits_text("1").expect("a bit")).expect("once");
        }
        values
    }

    /// Messages of two lengths, and the leaves of a tree.
    fn relations() -> Vec<Relation> {
        ["sha256-preimage?length=3", "sha256-preimage?length=4", "merkle-root?depth=1"]
            .map(|name| Relation::open(&format!("builtin:{name}"), None).expect("built in"))
            .into()
    }

    #[test]
    fn values_go_to_their_relations() {
        let dealt = |names: &[&str]| -> Vec<String> {
            let dealt = deal(values(names), &relations()).expect("dealt");
            dealt.iter().map(|values| values.names().collect::<Vec<_>>().join(" ")).collect()
        };
        assert_eq!(dealt(&["digest", "root"]), ["digest", "digest", "root"]);
        assert_eq!(dealt(&["1.digest", "2.digest", "02.message"]), ["digest", "digest message", ""]);
        // Whether relation 3 has it is for relation 3 to say.
        assert_eq!(dealt(&["3.in.valid"]), ["", "", "in.valid"]);
    }

    #[test]
    fn public_values_without_a_place_are_refused() {
        for (names, why) in [
            (&["nothing"][..], "no relation has an input or output nothing"),
            (&["x.digest"], "no relation has an input or output x.digest"),
            (&["0.digest"], "0.digest: there are relations 1 to 3"),
            (&["4.digest"], "4.digest: there are relations 1 to 3"),
            (&["99999999999999999999999.digest"], "there are relations 1 to 3"),
            (&["digest", "2.digest"], "relation 2: digest is given twice"),
        ] {
            let line = deal(values(names), &relations()).map(|_| ()).expect_err("refused").line;
            assert!(line.contains(why), "{line}");
        }
    }

    #[test]
    fn private_values_are_of_one_relation() {
        let (number, of_it) = of_one(values(&["2.a", "2.b"]), 3).expect("of one");
        assert_eq!((number, of_it.names().collect::<Vec<_>>()), (1, vec!["a", "b"]));
        for (names, why) in [
            (&[][..], "no values: give those"),
            (&["a"], "a: of several relations, write which of them the value is for, as in 1.a"),
            (&["1.a", "3.b"], "there are values for relation 1 and for relation 3"),
            (&["4.a"], "4.a: there are relations 1 to 3"),
        ] {
            let line = of_one(values(names), 3).map(|_| ()).expect_err("refused").line;
            assert!(line.contains(why), "{line}");
        }
    }
}
