//! Sizes of products of matrices, by the formula that all proofs are held against.

use super::*;
use crate::{Mode, Wishes};

/// The bytes of a conversation about the product of two matrices of 128 by 128 entries, three ways.
#[test]
fn inner_products_save_what_the_paper_says() {
    let sizes = dimensions(128, 128, 128);
    let product = vec![F61::ZERO; 128 * 128];
    let wishes = Wishes { parties: Some(16), ..Wishes::default() };
    let bytes = |demand: Demand| {
        let fields = Elements::<F61, F61x2>::check_fields();
        let parameters = Parameters::choose(&demand, Mode::Interactive, 40, &wishes, &fields).unwrap();
        parameters.proof_bytes(&demand)
    };
    let demand = |reduction| {
        let statement = MatrixProduct::new(sizes, Some(&product), reduction).unwrap();
        Elements::<F61, F61x2>::demand(&Shape::of(&statement).unwrap())
    };
    let by_inner_products = demand(Reduction::InnerProducts);
    let random = demand(Reduction::Random);
    let (inputs, entries) = (2 * 128 * 128, 128 * 128 * 128);
    assert_eq!((by_inner_products.products, by_inner_products.entries), (128 * 128, entries));
    assert_eq!(by_inner_products.claims, 128 * 128);
    assert_eq!((random.products, random.entries, random.claims), (0, 128, 255));
    let by_gates = bytes(Demand::gates(inputs, entries, 64));
    let [by_inner_products, random] = [by_inner_products, random].map(bytes);
    let ratios = [by_inner_products, random].map(|bytes| by_gates as f64 / bytes as f64);
    assert!(ratios[0] >= 38.0 && ratios[1] > 1.4 * ratios[0], "{by_gates}: {ratios:?}");
}
