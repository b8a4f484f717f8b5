//! Recording ahead: one thread records a statement, and the one that called executes it.
//!
//! What is recorded depends on no value, so that nothing has to come back but that there was an error. Blocks go in their
//! order through a queue that holds few; whoever waits longer for the other sets the pace. Queue and thread know no
//! field, and are compiled once.

use super::{Argues, Block, Execute, Functions, Recorder, Source};
use core::any::Any;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, scope};
use volery_channel::error::{Error, Result};
use volery_channel::pool::Pool;
use volery_primitives::Field;

/// Blocks that wait to be executed.
const WAITING: usize = 4;

/// Anything that is sent: a [`Sent`].
type Boxed = Box<dyn Any + Send>;

/// A block, and the factors that are lent with it.
type Sent<F> = (Block<F>, Vec<F>);

/// The execution of what is sent.
type Executes<'e> = dyn FnMut(&mut Boxed) -> Result<()> + 'e;

/// Records `source` on a thread of its own, and executes it here.
///
/// # Errors
/// Those of the execution, or else of the statement; `Io` where there are no more threads.
pub(super) fn execute<F: Field>(
    source: &dyn Source<F>,
    functions: &Functions<F>,
    executor: &mut dyn Execute<F>,
) -> Result<()> {
    let (argues, pool) = (executor.argues(), executor.pool());
    let record = move |queue: Queue| {
        let mut ahead = Ahead { argues, pool, queue };
        let mut recorder = Recorder::new(&mut ahead, functions);
        let recorded = source.record(&mut recorder);
        recorder.finish(recorded)
    };
    let execute = |sent: &mut Boxed| {
        let (block, lent) = sent.downcast_mut::<Sent<F>>().expect("of this statement");
        executor.execute(block, lent)?;
        block.clear();
        Ok(())
    };
    side_by_side(Box::new(record), Box::new(execute))
}

/// Hands all that `record` sends to `execute`, up to the first error.
fn side_by_side<'s>(
    record: Box<dyn FnOnce(Queue) -> Result<()> + Send + 's>,
    mut execute: Box<Executes<'s>>,
) -> Result<()> {
    scope(|scope| {
        let (blocks, sent) = sync_channel(WAITING);
        let (give_back, spare) = channel();
        let recording = move || record(Queue { blocks, spare });
        let thread = Builder::new().name("volery".into()).spawn_scoped(scope, recording);
        let thread = thread.map_err(Error::io("starting a thread"))?;
        let executed = execute_all(sent, &give_back, &mut *execute);
        let recorded = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        executed.and(recorded)
    })
}

fn execute_all(sent: Receiver<Boxed>, give_back: &Sender<Boxed>, execute: &mut Executes<'_>) -> Result<()> {
    for mut sent in sent {
        execute(&mut sent)?;
        // Nobody needs it once all is recorded.
        let _ = give_back.send(sent);
    }
    Ok(())
}

/// The end at which blocks go in, and come back empty.
struct Queue {
    blocks: SyncSender<Boxed>,
    spare: Receiver<Boxed>,
}

impl Queue {
    /// Sends it, where there is somebody to take it: who has not has met an error.
    fn send(&self, sent: Boxed) -> Result<()> {
        self.blocks.send(sent).map_err(|_| Error::invalid("the statement has ended in an error"))
    }

    /// One that has come back.
    fn spare(&self) -> Option<Boxed> {
        self.spare.try_recv().ok()
    }
}

/// The executor that a statement is recorded for.
struct Ahead {
    argues: Argues,
    pool: Pool,
    queue: Queue,
}

impl<F: Field> Execute<F> for Ahead {
    fn argues(&self) -> Argues {
        self.argues
    }

    fn pool(&self) -> Pool {
        self.pool.clone()
    }

    fn execute(&mut self, block: &Block<F>, lent: &[F]) -> Result<()> {
        self.queue.send(Box::new((block.clone(), lent.to_vec())))
    }

    fn take(&mut self, block: &mut Block<F>, lent: &[F]) -> Result<()> {
        let mut sent = self.queue.spare().unwrap_or_else(|| Box::new(Sent::<F>::default()));
        let (spare, factors) = sent.downcast_mut::<Sent<F>>().expect("of this statement");
        factors.clear();
        factors.extend_from_slice(lent);
        // Vectors live on from block to block.
        spare.vectors = block.vectors;
        core::mem::swap(block, spare);
        self.queue.send(sent)
    }
}
