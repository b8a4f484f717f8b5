use super::*;
use crate::field::F160;

#[test]
fn words_are_coefficients() {
    assert_eq!(F48::new(u64::MAX).get(), (1 << 48) - 1);
    assert_eq!(F96::new(u128::MAX).get(), (1 << 96) - 1);
    assert_eq!(F160::new(7, 9).get(), (7, 9));
    assert_eq!(F48::point(48).get(), F48::TAIL);
    assert_eq!(F64::point(64).get(), F64::TAIL);
    assert_eq!(F96::point(96).get(), F96::TAIL.into());
    assert_eq!(F160::point(160).get(), (F160::TAIL.into(), 0));
    assert_eq!(F160::point(159).get(), (0, 1 << 31));
}
