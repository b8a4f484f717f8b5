//! `volery bench web`: what the records of a session of TLS 1.3 say. The session is made up, and has no handshake,
//! which both parties check in the clear in some milliseconds.

use crate::args::size;
use crate::bench::Run;
use crate::plan::Plan;
use volery::circuit::stream::Source;
use volery::random::Random;
use volery::{Binary, F2, Named as _};
use volery_cli::failure::{Failure, Result, one_of};
use volery_web::sample;
use volery_web::statement::{Form, Statement};
use volery_web::tls::{Secret, Suite};

/// Bytes of the request, and of the response where nothing else is asked for.
const REQUEST: usize = 1024;
const RESPONSE: u64 = 2048;

/// The most bytes of a response: a plan counts records by two bytes, and a proof holds what is public.
const MOST: u64 = 1 << 24;

/// Proves a statement in which both are shown whole.
pub(crate) fn web(run: &Run) -> Result<()> {
    let plan = Plan::new(run)?;
    let kind = run.typed.kind.as_deref().unwrap_or("gates");
    let forms = [("gates", Form::Gates), ("mixed", Form::Mixed), ("holes", Form::Holes)];
    one_of("--kind", kind, &forms.map(|(name, _)| name))?;
    let (_, form) = forms.into_iter().find(|(name, _)| *name == kind).expect("one of them");
    let name = run.typed.suite.as_deref().unwrap_or(Suite::default().name());
    one_of("--suite", name, &Suite::ALL.map(Suite::name))?;
    let suite = name.parse().expect("one of them");
    let length = size("--length", run.typed.length.as_deref(), RESPONSE)?;
    if !(1..=MOST).contains(&length) {
        return Err(Failure::usage(format_args!("--length: {length}: choose from 1 to {MOST}")));
    }
    let secret = Secret::new(Random::from_system()?.bytes());
    let statement = sample::statement(&secret, suite, REQUEST, length as usize, form);
    let circuit: &dyn Source<F2> = &statement;
    let shape = Binary::compiled().count(circuit)?;
    let options = plan.settings.options(statement.digest(), Some(shape.size()))?;
    let witness = Statement::witness(&secret);
    plan.print(&plan.prove::<Binary, _>(("length", length), circuit, witness, shape.mul, &options)?)
}
