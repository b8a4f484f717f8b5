//! The pool of `crates/channel/src/pool.rs`, by itself: under every order in which its threads can run by
//! `loom/run`, and with its own tests under a race detector by `loom/races`.
#![allow(dead_code)]

mod error {
    #[derive(Debug)]
    pub struct Error;
    pub type Result<T> = std::result::Result<T, Error>;
    impl Error {
        pub(crate) fn io(_: &'static str) -> impl Fn(std::io::Error) -> Self {
            |_| Self
        }
    }
}

#[path = "../../crates/channel/src/pool.rs"]
mod pool;

#[cfg(all(test, loom))]
mod tests {
    use super::pool::{Pool, Task, Tasks};
    use loom::sync::mpsc::channel;
    use std::num::NonZeroUsize;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn pool(threads: usize) -> Pool {
        Pool::new(NonZeroUsize::new(threads).unwrap()).unwrap()
    }

    /// Each task is run once, whoever runs it, and its owner has its result.
    #[test]
    fn each_task_is_run_once() {
        loom::model(|| {
            let pool = pool(2);
            let mut tasks = Tasks::default();
            (0..2).for_each(|i| tasks.push(pool.run(move || 10 + i)));
            assert_eq!((tasks.next(), tasks.next(), tasks.next()), (Some(10), Some(11), None));
        });
    }

    /// The thread runs what nobody asks for, whether it was asleep or about to be.
    #[test]
    fn no_task_is_overslept() {
        loom::model(|| {
            let (pool, (told, hears)) = (pool(2), channel());
            let run = |i| {
                let told = told.clone();
                pool.run(move || told.send(i).unwrap())
            };
            let tasks = [0, 1].map(run);
            assert_eq!([0, 1].map(|_| hears.recv().unwrap()), [0, 1]);
            drop(tasks);
        });
    }

    #[test]
    fn two_threads_beside_the_first_end() {
        loom::model(|| {
            let pool = pool(3);
            let task = pool.run(|| 7);
            assert_eq!(task.wait(), 7);
        });
    }

    /// One that nobody waits for, and one that is waited for when the pool is gone.
    #[test]
    fn tasks_may_be_dropped_and_outlive_the_pool() {
        loom::model(|| {
            let pool = pool(2);
            drop(pool.run(|| 1));
            let task: Task<i32> = pool.run(|| 2);
            drop(pool);
            assert_eq!(task.wait(), 2);
        });
    }

    #[test]
    fn a_panic_reaches_its_owner() {
        loom::model(|| {
            let pool = pool(2);
            let task: Task<i32> = pool.run(|| std::panic::panic_any(3));
            assert!(catch_unwind(AssertUnwindSafe(|| task.wait())).is_err());
        });
    }
}
