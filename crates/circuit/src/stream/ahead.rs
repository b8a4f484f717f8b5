//! Recording ahead: one thread records a statement, and the one that called executes it.
//!
//! What is recorded depends on no value, so that nothing has to come back but that there was an error. Blocks go in their
//! order through a queue that holds few; whoever waits longer for the other sets the pace.

use super::{Argues, Block, Execute, Functions, Recorder, Source};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, scope};
use volery_channel::error::{Error, Result};
use volery_primitives::Field;

/// Blocks that wait to be executed.
const WAITING: usize = 4;

/// A block, and the factors that are lent with it.
type Sent<F> = (Block<F>, Vec<F>);

/// Records `source` on a thread of its own, and executes it here.
///
/// # Errors
/// Those of the execution, or else of the statement; `Io` where there are no more threads.
pub(super) fn execute<F: Field>(
    source: &dyn Source<F>,
    functions: &Functions<F>,
    executor: &mut dyn Execute<F>,
) -> Result<()> {
    let argues = executor.argues();
    scope(|scope| {
        let (blocks, sent) = sync_channel(WAITING);
        let (give_back, spare) = channel();
        let record = move || {
            let mut ahead = Ahead { argues, blocks, spare };
            let mut recorder = Recorder::new(&mut ahead, functions);
            let recorded = source.record(&mut recorder);
            recorder.finish(recorded)
        };
        let thread = Builder::new().name("volery".into()).spawn_scoped(scope, record);
        let thread = thread.map_err(Error::io("starting a thread"))?;
        let executed = execute_all(executor, sent, &give_back);
        let recorded = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        executed.and(recorded)
    })
}

/// Executes all blocks up to the first error.
fn execute_all<F: Field>(
    executor: &mut dyn Execute<F>,
    sent: Receiver<Sent<F>>,
    give_back: &Sender<Block<F>>,
) -> Result<()> {
    for (mut block, lent) in sent {
        executor.execute(&block, &lent)?;
        block.clear();
        // Nobody needs it once all is recorded.
        let _ = give_back.send(block);
    }
    Ok(())
}

/// The end of the queue at which blocks go in.
struct Ahead<F> {
    argues: Argues,
    blocks: SyncSender<Sent<F>>,
    spare: Receiver<Block<F>>,
}

impl<F: Field> Ahead<F> {
    fn send(&self, block: Block<F>, lent: &[F]) -> Result<()> {
        // That there is nobody to take it is an error, which the other thread has.
        self.blocks
            .send((block, lent.to_vec()))
            .map_err(|_| Error::invalid("the statement has ended in an error"))
    }
}

impl<F: Field> Execute<F> for Ahead<F> {
    fn argues(&self) -> Argues {
        self.argues
    }

    fn execute(&mut self, block: &Block<F>, lent: &[F]) -> Result<()> {
        self.send(block.clone(), lent)
    }

    fn take(&mut self, block: &mut Block<F>, lent: &[F]) -> Result<()> {
        // Vectors live on from block to block.
        let spare = Block { vectors: block.vectors, ..self.spare.try_recv().unwrap_or_default() };
        self.send(std::mem::replace(block, spare), lent)
    }
}
