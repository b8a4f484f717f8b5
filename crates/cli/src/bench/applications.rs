//! Values for statements about sessions by TLS, made up as a server and its client would make them.

pub(super) mod certificate;
pub(super) mod price;

use volery::circuit::{Value, Values};

/// The values of ports, each by the bytes that it prints as.
fn values<'a>(given: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> volery::Result<Values> {
    let mut values = Values::new();
    for (port, bytes) in given {
        values.insert(port, Value::from_bytes(bytes))?;
    }
    Ok(values)
}

/// The one bit that is one.
fn yes() -> Value {
    Value::from_bits_text("1").expect("a bit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery::circuit::{Relation, Statement};
    use volery::random::Random;

    fn check(relation: &str, (public, private): (Values, Values)) {
        let statement = Statement::new(Relation::open(relation, None).unwrap(), public).unwrap();
        let witness = statement.witness(private).unwrap();
        volery::check(&statement, witness.bits()).unwrap();
    }

    #[test]
    fn samples_are_what_is_stated() {
        let random = &mut Random::from_seed(&[5; 32]);
        let price = price::sample(random, price::LENGTH).unwrap();
        check(&format!("builtin:price-discrimination?length={}", price::LENGTH), price);
        let shape = certificate::Shape { credentials: 50, reply: 37, before: 20, after: 30 };
        let spec = "builtin:blind-certificate?credentials=50&reply=37&before=20&after=30";
        check(spec, certificate::sample(random, shape).unwrap());
    }
}
