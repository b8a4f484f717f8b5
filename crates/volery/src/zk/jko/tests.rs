use super::*;
use crate::channel::{Party, pipe};
use crate::circuit::{Clear, Count, Network};
use crate::random::Random;
use std::time::Duration;

#[test]
fn networks() {
    for gates in [1, 5, 1023, 1024, 1025, 5000] {
        let network = Network::new(gates).unwrap();
        let shape = Count::shape(&network).unwrap();
        let terms = Terms {
            arch: Arch::detect(),
            construction: Construction::MultiInstance,
            shape: &shape,
            progress: None,
        };
        let (here, there) = pipe(Duration::from_secs(10));
        let mut here = Channel::new(Party::Prover, here);
        let mut there = Channel::new(Party::Verifier, there);
        let values = Clear::inputs(&network, network.witness([1; 32])).unwrap();
        std::thread::scope(|scope| {
            let proving = scope.spawn(|| {
                let random = &mut Random::from_seed(&[1; 32]);
                let prover = Prover::new(&mut here, terms, values, random)?;
                prover.prove(&mut here, &network, random)?;
                here.flush()
            });
            let random = &mut Random::from_seed(&[2; 32]);
            let verifier = Verifier::new(&mut there, terms, random).unwrap();
            let _accepted = verifier.verify(&mut there, &network, random).unwrap();
            proving.join().unwrap().unwrap();
        });
        println!("{:?}", there.traffic());
    }
}
