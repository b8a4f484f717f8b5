//! The threads of a party, and the tasks that they run beside it.
//!
//! A statement is walked by one thread, which alone speaks to the peer. Beside it run **tasks**: closures that
//! own all they work on, so that nothing is shared, no gate takes a lock, and what a task computes depends on
//! its input alone, never on the number of threads. A thread that asks for the result of a task runs the task
//! itself, if nobody has begun it, and runs others while it waits and no thread is idle: so a party without
//! further threads does all by itself, in the order in which it asks, and one with some waits only where nothing
//! is left to do.
//!
//! A task's input and result are moved through memory that is not wiped: so secrets in them lie behind a
//! pointer, in a type that wipes them.
//!
//! A task neither sends nor receives, so it ends by itself whatever the peer does. A task that is dropped
//! before it is begun never runs, and its input is dropped with it.
//!
//! Queues and threads know no type of result: results go through them in boxes, which `Task<T>` alone opens
//! again. So all that is compiled for each type is a few instructions.

use crate::error::{Error, Result};
use core::any::Any;
use core::marker::PhantomData;
use core::num::NonZeroUsize;
use core::{fmt, iter, mem};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(loom)]
use loom::{
    sync::{Condvar, Mutex, MutexGuard},
    thread::{self, JoinHandle},
};
#[cfg(not(loom))]
use std::{
    sync::{Condvar, Mutex, MutexGuard},
    thread::{self, JoinHandle},
};

/// Tasks under way ahead of the one whose result is needed next, for each further thread: enough that a
/// thread which is late now and then delays nobody.
const AHEAD: usize = 4;

/// The most tasks under way: the first thread cannot use more, and each holds memory.
const MOST_AHEAD: usize = 32;

/// How often a thread that has nothing to do looks for a task before it sleeps, and lets others run between two
/// looks. To wake it up takes its waker as long as a short task, and it some time to come.
const LOOKS: usize = if cfg!(loom) { 0 } else { 50 };

/// Threads that run tasks; all clones are one pool. Its threads end when the last of them is dropped.
#[derive(Clone, Default)]
pub struct Pool(Option<Arc<Threads>>);

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.0.as_ref().map_or(0, |threads| threads.handles.len());
        f.debug_struct("Pool").field("threads", &(1 + others)).finish()
    }
}

impl Pool {
    /// A pool without further threads, as [`Pool::default`].
    #[doc(hidden)]
    pub const ALONE: Self = Self(None);

    /// A pool of this many threads, the one that hands out tasks included.
    ///
    /// # Errors
    /// `Io` where the system has no more threads.
    pub fn new(threads: NonZeroUsize) -> Result<Self> {
        if threads.get() == 1 {
            return Ok(Self(None));
        }
        // If a thread cannot be started, dropping this ends the others.
        let mut pool = Threads { queue: Arc::default(), handles: Vec::new() };
        for _ in 1..threads.get() {
            let queue = pool.queue.clone();
            let thread = thread::Builder::new().name("volery".into()).spawn(move || queue.run());
            pool.handles.push(thread.map_err(Error::io("starting a thread"))?);
        }
        Ok(Self(Some(Arc::new(pool))))
    }

    /// A pool of this many threads, for tests.
    #[doc(hidden)]
    pub fn of(threads: usize) -> Self {
        Self::new(NonZeroUsize::new(threads).expect("one thread at least")).expect("threads")
    }

    /// The number of tasks to hand out ahead of the one whose result is needed next: zero where there is no
    /// other thread.
    pub fn ahead(&self) -> usize {
        self.0.as_ref().map_or(0, |threads| (AHEAD * threads.handles.len()).min(MOST_AHEAD))
    }

    /// Hands out a task.
    #[inline]
    pub fn run<T: Send + 'static>(&self, task: impl FnOnce() -> T + Send + 'static) -> Task<T> {
        Task { task: self.hand_out(Box::new(move || Box::new(task()) as Output)), result: PhantomData }
    }

    /// Hands out a task with a result of any type, in a box.
    fn hand_out(&self, work: Work) -> Owned {
        let task = Arc::new(Shared { state: Mutex::new(State::Ready(work)), done: Condvar::new() });
        let queue = self.0.as_ref().map(|threads| threads.queue.clone());
        if let Some(queue) = &queue {
            queue.push(task.clone());
        }
        Owned { task, queue }
    }

    /// The results of `tasks`, in order. A few tasks are handed out ahead of the one whose result is asked for.
    pub fn results<T, F, I>(&self, tasks: I) -> impl Iterator<Item = T> + use<T, F, I>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        I: IntoIterator<Item = F>,
    {
        let (pool, mut tasks, mut running) = (self.clone(), tasks.into_iter(), Tasks::default());
        iter::from_fn(move || {
            for task in tasks.by_ref().take(pool.ahead() + 1 - running.len()) {
                running.push(pool.run(task));
            }
            running.next()
        })
    }
}

/// The threads beside the first.
struct Threads {
    queue: Arc<Queue>,
    handles: Vec<JoinHandle<()>>,
}

impl Drop for Threads {
    fn drop(&mut self) {
        lock(&self.queue.waiting).ended = true;
        self.queue.woken.notify_all();
        for thread in self.handles.drain(..) {
            // A task's panic is its owner's, and no thread has another.
            let _ = thread.join();
        }
    }
}

/// Tasks in the order in which they were handed out.
///
/// Who hands out a task wakes nobody up where a thread is looking for one: that finds it, and wakes up another if
/// there are more.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    woken: Condvar,
    /// How many tasks wait, for a thread that looks without the lock: a hint, on which no order rests.
    length: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Arc<Shared>>,
    /// Threads that look for a task, or were told to wake up and do so.
    looking: usize,
    /// Threads that sleep, or are about to, and were not told to wake up.
    asleep: usize,
    /// Threads that were told to wake up, and have not.
    waking: usize,
    ended: bool,
}

impl Waiting {
    /// Whether a thread has to be woken up, which is then counted as awake.
    fn wakes(&mut self) -> bool {
        let wakes = self.looking == 0 && self.asleep > 0 && !self.tasks.is_empty();
        if wakes {
            self.asleep -= 1;
            self.waking += 1;
            self.looking += 1;
        }
        wakes
    }
}

impl Queue {
    fn push(&self, task: Arc<Shared>) {
        let mut waiting = lock(&self.waiting);
        waiting.tasks.push_back(task);
        self.length.store(waiting.tasks.len(), Ordering::Relaxed);
        let wakes = waiting.wakes();
        drop(waiting);
        if wakes {
            self.woken.notify_one();
        }
    }

    /// The first task, if there is any and no other thread is about to take it.
    fn pop_unless_others_do(&self) -> Option<Arc<Shared>> {
        let mut waiting = lock(&self.waiting);
        let all_are_busy = waiting.looking + waiting.asleep == 0;
        if all_are_busy { self.pop_from(&mut waiting) } else { None }
    }

    fn pop_from(&self, waiting: &mut Waiting) -> Option<Arc<Shared>> {
        let task = waiting.tasks.pop_front();
        self.length.store(waiting.tasks.len(), Ordering::Relaxed);
        task
    }

    /// Runs tasks until the pool ends.
    fn run(&self) {
        let mut waiting = lock(&self.waiting);
        waiting.looking += 1;
        while !waiting.ended {
            if let Some(task) = self.pop_from(&mut waiting) {
                waiting.looking -= 1;
                let wakes = waiting.wakes();
                drop(waiting);
                if wakes {
                    self.woken.notify_one();
                }
                task.run();
                waiting = lock(&self.waiting);
                waiting.looking += 1;
                continue;
            }
            drop(waiting);
            for _ in 0..LOOKS {
                if self.length.load(Ordering::Relaxed) > 0 {
                    break;
                }
                thread::yield_now();
            }
            waiting = lock(&self.waiting);
            if waiting.tasks.is_empty() {
                waiting.looking -= 1;
                waiting.asleep += 1;
                while waiting.waking == 0 && !waiting.ended {
                    waiting = self.woken.wait(waiting).expect(UNPOISONED);
                }
                waiting.waking = waiting.waking.saturating_sub(1);
            }
        }
    }
}

/// Work that was handed out, and its result once there is one.
#[must_use = "a task that is dropped may not run"]
pub struct Task<T> {
    task: Owned,
    result: PhantomData<T>,
}

impl<T: 'static> Task<T> {
    /// Waits for the result. Where nobody has begun the task, this thread runs it; otherwise it runs others
    /// meanwhile, unless another thread is idle.
    ///
    /// # Panics
    /// As the task does.
    #[inline]
    pub fn wait(self) -> T {
        *self.task.wait().downcast().expect("what the task has boxed")
    }
}

/// A task as its owner has it, who will ask for the result.
struct Owned {
    task: Arc<Shared>,
    queue: Option<Arc<Queue>>,
}

impl Owned {
    /// Waits for the result: see [`Task::wait`].
    fn wait(self) -> Output {
        let mut looks = 0..LOOKS;
        let done = loop {
            let state = mem::replace(&mut *lock(&self.task.state), State::Begun);
            match state {
                State::Ready(work) => return work(),
                State::Done(done) => break done,
                // Sleeping and waking up takes as long as a short task: so other tasks come first. But who hands
                // out tasks is not to be kept by one while other threads have nothing to do.
                State::Begun | State::Awaited => {
                    match self.queue.as_ref().and_then(|queue| queue.pop_unless_others_do()) {
                        Some(other) => other.run(),
                        None if looks.next().is_some() => thread::yield_now(),
                        None => break self.task.sleep(),
                    }
                }
            }
        };
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let mut state = lock(&self.task.state);
        if let State::Ready(_) = *state {
            let work = mem::replace(&mut *state, State::Begun);
            drop(state);
            drop(work);
        }
    }
}

/// Tasks whose results are taken in the order in which the tasks were handed out.
pub struct Tasks<T>(VecDeque<Task<T>>);

impl<T> Default for Tasks<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: 'static> Tasks<T> {
    /// Appends a task.
    pub fn push(&mut self, task: Task<T>) {
        self.0.push_back(task);
    }

    /// The first task.
    pub fn pop(&mut self) -> Option<Task<T>> {
        self.0.pop_front()
    }

    /// The result of the first task, where there are more than `ahead`.
    pub fn next_beyond(&mut self, ahead: usize) -> Option<T> {
        if self.len() > ahead { self.next() } else { None }
    }
}

/// The results that were not taken yet.
impl<T: 'static> Iterator for Tasks<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop_front().map(Task::wait)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.iter().size_hint()
    }
}

impl<T: 'static> ExactSizeIterator for Tasks<T> {}

/// Memory of finished tasks, for new ones. It may hold secrets, in a type that wipes them.
pub struct Spare<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Spare<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Spare<T> {
    /// Takes memory, if there is any.
    pub fn take(&self) -> Option<T> {
        lock(&self.0).pop()
    }

    /// Gives memory back.
    pub fn give(&self, memory: T) {
        lock(&self.0).push(memory);
    }
}

/// The work of a task, and its result.
type Work = Box<dyn FnOnce() -> Output + Send>;
type Output = Box<dyn Any + Send>;

/// A task, as its owner and the queue share it.
struct Shared {
    state: Mutex<State>,
    done: Condvar,
}

enum State {
    Ready(Work),
    /// The task runs on a thread, or its owner has taken it.
    Begun,
    /// The task has begun on a thread, and its owner sleeps until it is done.
    Awaited,
    Done(std::thread::Result<Output>),
}

impl Shared {
    /// Runs the task, unless somebody has begun it.
    fn run(&self) {
        let State::Ready(work) = mem::replace(&mut *lock(&self.state), State::Begun) else { return };
        let done = catch_unwind(AssertUnwindSafe(work));
        // As above, most are done before anybody waits.
        let before = mem::replace(&mut *lock(&self.state), State::Done(done));
        if matches!(before, State::Awaited) {
            self.done.notify_one();
        }
    }

    /// Sleeps until the thread that has begun the task is done, and gives its result.
    fn sleep(&self) -> std::thread::Result<Output> {
        let mut state = lock(&self.state);
        loop {
            match mem::replace(&mut *state, State::Awaited) {
                State::Done(done) => return done,
                _ => state = self.done.wait(state).expect(UNPOISONED),
            }
        }
    }
}

/// The message of a poisoned lock, which cannot happen: no task runs while a lock is held.
const UNPOISONED: &str = "nothing panics with the lock held";

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect(UNPOISONED)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    /// Keeps the one further thread of `pool` busy until something is said.
    fn occupy(pool: &Pool) -> (Task<()>, Sender<()>) {
        let ((begun, has_begun), (end, ends)) = (channel(), channel());
        let task = pool.run(move || {
            begun.send(()).unwrap();
            ends.recv().unwrap();
        });
        has_begun.recv().unwrap();
        (task, end)
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        for threads in 1..=8 {
            let pool = Pool::of(threads);
            let tasks: Vec<_> = (0..1000u64).map(|i| pool.run(move || i * i)).collect();
            let results: Vec<_> = tasks.into_iter().map(Task::wait).collect();
            assert!(results.into_iter().eq((0..1000).map(|i| i * i)), "{threads} threads");
        }
    }

    #[test]
    fn results_come_in_the_order_of_their_tasks() {
        for threads in [1, 2, 3, 8] {
            let pool = Pool::of(threads);
            let owned = Arc::new(());
            let tasks = (0..1000u64).map(|i| {
                let owned = owned.clone();
                move || {
                    drop(owned);
                    i * i
                }
            });
            let mut results = pool.results(tasks);
            assert!(results.by_ref().take(500).eq((0..500).map(|i| i * i)), "{threads} threads");
            // What nobody asks for goes with the pool, whether it has run or not.
            drop((results, pool));
            assert_eq!(Arc::strong_count(&owned), 1);
            let pool = Pool::of(threads);
            let panic = |i: u64| move || if i == 3 { panic!("a fault of ours") } else { i };
            let mut results = pool.results((0..6).map(panic));
            assert!(results.by_ref().take(3).eq(0..3));
            assert!(catch_unwind(AssertUnwindSafe(|| results.next())).is_err());
            assert!(results.eq(4..6));
        }
    }

    #[test]
    fn whoever_asks_first_runs_it() {
        let alone = Pool::of(1);
        assert_eq!(alone.ahead(), 0);
        let here = thread::current().id();
        assert_eq!(alone.run(|| thread::current().id()).wait(), here);

        let two = Pool::of(2);
        let (busy, end) = occupy(&two);
        // No thread has begun it, and none can.
        assert_eq!(two.run(|| thread::current().id()).wait(), here);
        end.send(()).unwrap();
        busy.wait();
        let (told, hears) = channel();
        let task = two.run(move || told.send(thread::current().id()).unwrap());
        // Not asked for, it is run all the same.
        assert_ne!(hears.recv().unwrap(), here);
        task.wait();
    }

    #[test]
    fn a_panic_is_its_owners_and_the_pool_goes_on() {
        for threads in [1, 2] {
            let pool = Pool::of(threads);
            let task = pool.run(|| -> u32 { panic!("a fault of ours") });
            let panic = catch_unwind(AssertUnwindSafe(|| task.wait())).unwrap_err();
            assert_eq!(*panic.downcast::<&str>().unwrap(), "a fault of ours");
            assert_eq!(pool.run(|| 7).wait(), 7);
        }
    }

    #[test]
    fn what_nobody_waits_for_is_dropped() {
        let two = Pool::of(2);
        let (busy, end) = occupy(&two);
        let owned = Arc::new(());
        let theirs = owned.clone();
        drop(two.run(move || drop(theirs)));
        assert_eq!(Arc::strong_count(&owned), 1, "what it owns goes with it");

        // And so where the pool ends first, with its threads.
        let theirs = owned.clone();
        let waiting = two.run(move || drop(theirs));
        end.send(()).unwrap();
        busy.wait();
        drop(two);
        waiting.wait();
        assert_eq!(Arc::strong_count(&owned), 1);
    }
}
