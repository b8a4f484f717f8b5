//! The fields of `--field`, by their names.

use crate::failure::{Failure, Result, one_named};
use volery::circuit::field_of;
use volery::{AnySetting, F2, F61, Field as _, settings};

/// A field that can be named, with the extension of its MACs.
pub type Field = &'static dyn AnySetting;

/// The names of the two that stand where none is given.
pub const BOOLEAN: &str = F2::NAME;
/// The one for benches of arithmetic.
pub const ARITHMETIC: &str = F61::NAME;

/// Whether it is F_2 with its usual MACs, over which all systems are.
pub fn is_boolean(field: Field) -> bool {
    field.name() == BOOLEAN
}

/// Whether its wires carry bits, whatever their MACs.
pub fn has_bits(field: Field) -> bool {
    field.wires() == BOOLEAN
}

/// The one that is asked for, or F_2.
///
/// # Errors
/// Where there is none of this name.
pub fn asked(typed: Option<&str>) -> Result<Field> {
    named(typed.unwrap_or(BOOLEAN))
}

/// The one that is asked for, or that of the relation, where it is a file, in this format or in that of its name; or F_2.
///
/// # Errors
/// Where there is no field or format of this name, or nothing is proved over the file's.
pub fn of_relation<T: AsRef<str>>(
    typed: Option<&str>,
    relation: Option<T>,
    format: Option<&str>,
) -> Result<Field> {
    let (None, Some(spec)) = (typed, relation) else { return asked(typed) };
    let format = format.map(str::parse).transpose()?;
    // What is wrong with a file is said by whoever opens it, with advice.
    match field_of(spec.as_ref(), format) {
        Ok(Some(wires)) => of_wires(&wires),
        Ok(None) | Err(_) => asked(None),
    }
}

/// The one called `name`, or of this prime.
///
/// # Errors
/// Where there is none of this name.
pub fn named(name: &str) -> Result<Field> {
    if is_number(name) {
        return volery::setting(name).map_err(|why| Failure::usage(why).of("field"));
    }
    let mut names: Vec<_> = settings().iter().map(|field| field.name()).collect();
    names.push("a prime below 2^256 in decimal digits".into());
    one_named("field", name, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(volery::setting(name)?)
}

/// The one of `wires`, the field of a file, by its name or its prime; without a name the usual extension of
/// its MACs.
///
/// # Errors
/// Where nothing is proved over it.
pub fn of_wires(wires: &str) -> Result<Field> {
    if let Some(found) = settings().iter().find(|field| field.wires() == wires) {
        return Ok(*found);
    }
    let why = if is_number(wires) {
        match volery::setting(wires) {
            Ok(field) => return Ok(field),
            Err(why) => format!(": {why}"),
        }
    } else {
        let mut names: Vec<_> = settings().iter().map(|field| field.wires()).collect();
        names.dedup();
        format!(", and proofs are over {}", names.join(", "))
    };
    Err(Failure::usage(format_args!("the relation is over {wires}{why}")))
}

/// Whether a field is named by its prime.
fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// F_2, for a run that has no choice.
///
/// # Errors
/// Where another is asked for.
pub fn boolean(of: &str, typed: Option<&str>) -> Result<Field> {
    let field = asked(typed)?;
    if !is_boolean(field) {
        return Err(Failure::usage(format_args!("--field: {of} is over {BOOLEAN}: leave it out")));
    }
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_of_their_own() {
        for field in settings() {
            assert_eq!(named(&field.name()).expect("known").name(), field.name());
            assert_eq!(of_wires(field.wires()).expect("known").wires(), field.wires());
        }
        assert_eq!(asked(None).expect("the usual one").name(), BOOLEAN);
        for other in ["f61", "f2x64"] {
            assert!(boolean("demo", Some(other)).is_err());
        }
        assert!(has_bits(named("f2x64").expect("known")) && !has_bits(named("f61").expect("known")));
        assert_eq!(of_wires("f61").expect("known").name(), "f61");
        let refused = |why: Failure| why.line;
        let composite = of_wires("91").map(|_| ()).map_err(refused);
        assert!(
            composite.is_err_and(
                |why| why.contains("is over 91: there is no setting modulo 91: it is not a prime")
            )
        );
        let other = of_wires("the prime 0x5").map(|_| ()).map_err(refused);
        assert!(other.is_err_and(|why| why.contains("is over the prime 0x5, and proofs are over f2, f61, ")));
        for (prime, name) in
            [("2", "f2"), ("2305843009213693951", "f61"), ("18446744069414584321", "goldilocks")]
        {
            assert_eq!(named(prime).expect("known").name(), name);
        }
    }
}
