//! Both parties in this process, on two threads, over loopback TCP: `demo` and `bench`.

use crate::failure::{Failure, Result};
use crate::link::{Meter, Metered, loopback};
use crate::progress::{Progress, Watched};
use crate::settings::Settings;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use volery::channel::{Channel, Party};
use volery::circuit::{Circuit, Clear, Count};
use volery::zk::quicksilver::{Prover, Verifier};
use volery::{F2, Options, Report};

/// What the two parties report.
pub(crate) struct Reports {
    pub(crate) prover: Report,
    pub(crate) verifier: Report,
}

/// Proves and verifies `circuit`. `options.progress` must be free.
pub(crate) fn run<C, W>(
    circuit: &C,
    witness: W,
    options: &Options,
    total: u64,
    settings: &Settings,
) -> Result<Reports>
where
    W: IntoIterator<Item = F2> + Clone + Send,
    C: Circuit<Clear<F2, W::IntoIter>> + Circuit<Count<F2>> + Sync,
    C: for<'a> Circuit<Prover<'a>> + for<'a> Circuit<Verifier<'a>>,
{
    let [(proving, _), (verifying, _)] = loopback(settings.timeout)?;
    let (gates, meter) = (Arc::<AtomicU64>::default(), Arc::<Meter>::default());
    let mut watched = options.clone();
    watched.progress = Some(gates.clone());
    let mut channel = Channel::new(Party::Prover, Metered { link: proving, meter: meter.clone() });
    let _progress = Progress::start(Watched { gates, meter, total: Some(total) }, settings.quiet);
    std::thread::scope(|scope| {
        let prover = scope.spawn(move || {
            let report = volery::prove(circuit, witness, &mut channel, &watched);
            // Closed here, so that a verifier that still waits learns of a failure.
            drop(channel);
            report
        });
        let mut channel = Channel::new(Party::Verifier, verifying);
        let verifier = volery::verify(circuit, &mut channel, options);
        drop(channel);
        let prover = prover.join().unwrap_or_else(|panic| resume_unwind(panic));
        match (prover, verifier) {
            (Ok(prover), Ok((_accepted, verifier))) => Ok(Reports { prover, verifier }),
            // The one that failed first says more than the one that lost its peer.
            (Err(volery::Error::Io { .. }), Err(why)) | (Ok(_), Err(why)) | (Err(why), _) => {
                Err(Failure::from(why))
            }
        }
    })
}
