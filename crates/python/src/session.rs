//! Two threads: one does the work, while the caller's thread runs the Python function when asked, handles
//! signals, and reports progress. Work that pauses waits for what the caller asks next.

use crate::built::AnyBuilt;
use crate::errors::{Result, Trouble, bug, is_stop};
use crate::tape::Tape;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use std::collections::VecDeque;
use std::fmt;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use volery_cli::link::{Meanwhile, Meter};

/// The time between two looks at signals, and two words of progress.
pub(crate) const POLL: Duration = Duration::from_millis(100);

/// How long a session that is to end is waited for.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// A message of the working thread.
pub(crate) enum Event {
    /// The function is to run, for a shard.
    Run(Arc<Tape>, usize),
    /// A peer is waited for at this address.
    Listening(SocketAddr),
    /// Python is to be called, unless the work is to end.
    Call(Call),
    /// The work goes on once it is asked for more.
    Pause,
    /// The work is done.
    Done,
}

/// A call into Python, with the interpreter's lock.
pub(crate) type Call = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// The state that the two threads share.
#[derive(Default)]
pub(crate) struct Shared {
    events: Mutex<VecDeque<Event>>,
    said: Condvar,
    /// Whether the work is to end.
    pub(crate) stop: Arc<AtomicBool>,
    sockets: Mutex<Vec<TcpStream>>,
    /// A further way to end the work.
    end: Mutex<Option<Box<dyn Fn() + Send>>>,
    /// Multiplications done.
    pub(crate) done: Arc<AtomicU64>,
    /// How many there will be, or 0.
    pub(crate) total: Arc<AtomicU64>,
    pub(crate) meter: Arc<Meter>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Makes `end` end the work, too.
    pub(crate) fn end_by(&self, end: impl Fn() + Send + 'static) {
        *locked(&self.end) = Some(Box::new(end));
    }

    /// Says something to the caller's thread.
    pub(crate) fn say(&self, event: Event) {
        locked(&self.events).push_back(event);
        self.said.notify_all();
    }

    fn hear(&self, patience: Duration) -> Option<Event> {
        let events = locked(&self.events);
        let waited = self.said.wait_timeout_while(events, patience, |events| events.is_empty());
        waited.unwrap_or_else(PoisonError::into_inner).0.pop_front()
    }

    /// Keeps a socket, to shut it down where the work is to end.
    pub(crate) fn keep(&self, socket: Option<TcpStream>) {
        locked(&self.sockets).extend(socket);
        if self.stop.load(Ordering::Relaxed) {
            self.shut();
        }
    }

    fn shut(&self) {
        for socket in locked(&self.sockets).drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
        if let Some(end) = &*locked(&self.end) {
            end();
        }
    }
}

/// Says where a peer is waited for to the caller's thread, and nothing to anybody else.
pub(crate) struct Quietly<'s>(pub(crate) &'s Shared);

impl Meanwhile for Quietly<'_> {
    fn listening(&mut self, at: SocketAddr) {
        self.0.say(Event::Listening(at));
    }
    fn say(&mut self, _: fmt::Arguments<'_>) {}
    fn stop(&self) -> Arc<AtomicBool> {
        self.0.stop.clone()
    }
}

/// Signals and progress, for the caller's thread.
pub(crate) struct Watch {
    shared: Arc<Shared>,
    progress: Option<Py<PyAny>>,
    last: Mutex<Instant>,
}

impl Watch {
    pub(crate) fn new(shared: Arc<Shared>, progress: Option<Py<PyAny>>) -> Self {
        Self { shared, progress, last: Mutex::new(Instant::now()) }
    }

    /// Handles signals and reports progress, if it is time.
    ///
    /// # Errors
    /// `KeyboardInterrupt`, and what the callback raises.
    pub(crate) fn look(&self, py: Python<'_>) -> PyResult<()> {
        let now = Instant::now();
        let mut last = locked(&self.last);
        if now.duration_since(*last) < POLL {
            return Ok(());
        }
        *last = now;
        drop(last);
        py.check_signals()?;
        self.tell(py)
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let done = self.shared.done.load(Ordering::Relaxed);
        let total = Some(self.shared.total.load(Ordering::Relaxed)).filter(|total| *total > 0);
        let [sent, received] =
            [&self.shared.meter.sent, &self.shared.meter.received].map(|bytes| bytes.load(Ordering::Relaxed));
        let state = state(py, (done, total, sent, received))?;
        progress.call1(py, PyTuple::new(py, [state])?).map(drop)
    }
}

/// The caller's functions that receive events.
pub(crate) struct Callbacks {
    pub(crate) progress: Option<Py<PyAny>>,
    pub(crate) listening: Option<Py<PyAny>>,
}

/// Runs a function on a tape, for a shard.
pub(crate) type Run<'r> = &'r mut dyn FnMut(Python<'_>, Arc<Tape>, usize, Arc<Watch>) -> PyResult<()>;

/// The run where there is no function.
pub(crate) fn never(_: Python<'_>, _: Arc<Tape>, _: usize, _: Arc<Watch>) -> PyResult<()> {
    Ok(())
}

/// Work on a thread of its own. Whoever drops it before its end closes its links.
pub(crate) struct Working<T> {
    shared: Arc<Shared>,
    watch: Arc<Watch>,
    listening: Option<Py<PyAny>>,
    /// Until it has ended.
    thread: Option<JoinHandle<Result<T>>>,
}

impl<T> Drop for Working<T> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.stop();
        }
    }
}

impl<T> Working<T> {
    /// Has the work end.
    fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.shut();
    }
}

impl<T: Send + 'static> Working<T> {
    /// Begins `work`.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub(crate) fn start(
        (shared, callbacks): (Arc<Shared>, Callbacks),
        work: impl FnOnce(&Shared) -> Result<T> + Send + 'static,
    ) -> PyResult<Self> {
        let watch = Arc::new(Watch::new(shared.clone(), callbacks.progress));
        let here = shared.clone();
        let thread = thread::Builder::new().name("volery".into()).spawn(move || {
            // Even where it panics.
            struct Last<'s>(&'s Shared);
            impl Drop for Last<'_> {
                fn drop(&mut self) {
                    self.0.say(Event::Done);
                }
            }
            let last = Last(&here);
            let made = work(&here);
            drop(last);
            made
        })?;
        Ok(Self { shared, watch, listening: callbacks.listening, thread: Some(thread) })
    }

    /// Has the work end, and waits for that; nobody keeps it waiting any more.
    pub(crate) fn abandon(mut self, py: Python<'_>) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // It ends with an error, of which the caller knows.
            let _ = py.detach(|| thread.join());
        }
    }

    /// Attends to the work until it pauses, which gives nothing, or ends; `run` runs the function, if there is one,
    /// of `built`.
    ///
    /// # Errors
    /// What the function raises, and `KeyboardInterrupt`, which end the work; or else what it ends with.
    pub(crate) fn attend(
        &mut self,
        py: Python<'_>,
        built: Option<&dyn AnyBuilt>,
        run: Run<'_>,
    ) -> PyResult<Option<T>> {
        let mut raised: Option<PyErr> = None;
        let mut deadline = None;
        loop {
            let event = py.detach(|| self.shared.hear(POLL));
            let heard = match event {
                Some(Event::Done) => break,
                Some(Event::Pause) => match raised {
                    Some(why) => return Err(why),
                    None => return Ok(None),
                },
                Some(Event::Run(tape, _)) if raised.is_some() => {
                    tape.end(Err(()));
                    Ok(())
                }
                Some(Event::Call(_)) if raised.is_some() => Ok(()),
                Some(Event::Call(call)) => call(py),
                Some(Event::Run(tape, shard)) => run(py, tape, shard, self.watch.clone()),
                Some(Event::Listening(at)) => match &self.listening {
                    Some(listening) => listening.call1(py, (at.to_string(),)).map(drop),
                    None => Ok(()),
                },
                None => Ok(()),
            };
            let heard = match heard {
                Err(why) if is_stop(py, &why) => Ok(()),
                heard => heard.and_then(|()| self.watch.look(py)),
            };
            if let Err(why) = heard
                && raised.is_none()
            {
                raised = Some(why);
                deadline = Some(Instant::now() + LAST_WAIT);
                self.stop();
                if let Some(built) = built {
                    built.stop();
                }
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                // What it computes is of no use any more, and it ends by itself.
                return Err(raised.expect("set with the deadline"));
            }
        }
        let thread = self.thread.take().expect("it ends once");
        let made = py.detach(|| thread.join());
        if let Some(why) = raised {
            return Err(why);
        }
        match made {
            Ok(Ok(made)) => {
                self.watch.tell(py)?;
                Ok(Some(made))
            }
            Ok(Err(why)) => Err(raise(py, why, built)),
            Err(panic) => {
                let what = panic.downcast_ref::<String>().map(String::as_str);
                Err(bug(what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a thread ended")))
            }
        }
    }
}

/// Has `work`, which does not pause, done on a thread of its own; `run` runs the function, if there is one, of `built`.
///
/// # Errors
/// What the function raises, and `KeyboardInterrupt`; or else what `work` ends with.
pub(crate) fn drive<T: Send + 'static>(
    py: Python<'_>,
    asked: (Arc<Shared>, Callbacks),
    built: Option<Arc<dyn AnyBuilt>>,
    run: Run<'_>,
    work: impl FnOnce(&Shared) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let made = Working::start(asked, work)?.attend(py, built.as_deref(), run)?;
    Ok(made.expect("nothing is asked of it"))
}

fn raise(py: Python<'_>, why: Trouble, built: Option<&dyn AnyBuilt>) -> PyErr {
    why.raised(py, built.and_then(AnyBuilt::told))
}

/// The argument of a callback of progress: multiplications done, how many there will be, bytes sent,
/// received.
fn state(py: Python<'_>, state: (u64, Option<u64>, u64, u64)) -> PyResult<Py<PyAny>> {
    static PROGRESS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    Ok(PROGRESS.import(py, "volery._report", "Progress")?.call1(state)?.unbind())
}
