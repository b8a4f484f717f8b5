//! One shard's part of a witness as bytes, for a worker that has no more.

use crate::witness::{Reread, Stream};
use volery_channel::error::{Error, Result};
use volery_primitives::Field;
use volery_vole::macs::{load, store};
use zeroize::Zeroizing;

/// The part of a witness that a shard reads, without the rest. Wiped on drop.
pub struct Share<F: Field>(Zeroizing<Vec<F>>);

impl<F: Field> Reread<F> for Share<F> {
    fn read(&self) -> Stream<'_, F> {
        Box::new(self.0.iter().copied())
    }
}

/// `count` elements as bytes: eight bits to a byte, the first lowest, and others one after the other.
pub fn to_bytes<F: Field>(elements: Stream<'_, F>, count: usize) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(length::<F>(count)));
    for (i, element) in elements.enumerate() {
        match (F::BITS, i % 8) {
            (1, 0) => bytes.push(element.to_integer().low() as u8),
            (1, bit) => {
                *bytes.last_mut().expect("pushed with its first bit") |=
                    (element.to_integer().low() as u8) << bit
            }
            _ => store(element, &mut bytes),
        }
    }
    bytes
}

/// The share of `count` elements that `bytes` are.
///
/// # Errors
/// `Invalid` where they are none.
pub fn from_bytes<F: Field>(bytes: &[u8], count: usize) -> Result<Share<F>> {
    if bytes.len() != length::<F>(count) {
        return Err(Error::invalid(format!(
            "a share of a witness of {} bytes, and {} for it",
            length::<F>(count),
            bytes.len()
        )));
    }
    let mut elements = Zeroizing::new(Vec::with_capacity(count));
    if F::BITS == 1 {
        let bit = |i: usize| F::from_word((bytes[i / 8] >> (i % 8) & 1).into()).expect("a bit");
        elements.extend((0..count).map(bit));
    } else {
        for bytes in bytes.chunks_exact(F::BYTES) {
            elements
                .push(load(bytes).ok_or_else(|| Error::invalid("a share of a witness holds no elements"))?);
        }
    }
    Ok(Share(elements))
}

fn length<F: Field>(count: usize) -> usize {
    if F::BITS == 1 { count.div_ceil(8) } else { F::BYTES * count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use volery_primitives::{F2, F61, F256};

    #[test]
    fn shares_are_read_back() {
        fn over<F: Field>() {
            for count in [0, 1, 7, 8, 9, 100] {
                let element =
                    |i: usize| F::from_word(if F::BITS == 1 { i as u128 % 3 % 2 } else { i as u128 });
                let elements: Vec<F> = (0..count).map(|i| element(i).expect("small")).collect();
                let bytes = to_bytes::<F>(Box::new(elements.iter().copied()), count);
                assert_eq!(bytes.len(), length::<F>(count));
                assert_eq!(from_bytes::<F>(&bytes, count).unwrap().read().collect::<Vec<_>>(), elements);
                assert!(from_bytes::<F>(&[&bytes[..], &[0]].concat(), count).is_err());
            }
        }
        over::<F2>();
        over::<F61>();
        over::<F256>();
        assert!(from_bytes::<F61>(&[0xff; 8], 1).is_err());
    }
}
