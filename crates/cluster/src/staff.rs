//! The workers of a coordinator, each on a thread of its own.

use super::coordinator::{Heard, News};
use super::order::{Order, Status};
use super::plan::Plan;
use super::state::{Event, Id};
use super::wire::{self, malformed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use volery::channel::{Link, Listener, Party, TlsConfig};
use volery::error::{Error, Result};

/// The number of those that are no workers that are told of.
const TOLD: u32 = 100;
/// How long an answer to a worker that waits is held back, for the case that there is one.
const HOLD: Duration = Duration::from_millis(500);

/// The facts by which workers are told apart, and the work they are for.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) party: Party,
    pub(super) plan: Arc<Plan>,
    pub(super) listens: bool,
    pub(super) timeout: Duration,
}

/// The door at which workers join.
pub(super) struct Staff {
    closed: Arc<AtomicBool>,
    door: Option<JoinHandle<()>>,
}

impl Staff {
    /// Waits for workers at `listener`, and hears each.
    pub(super) fn at(listener: Listener, tls: TlsConfig, post: Post, queue: Sender<Heard>) -> Self {
        let closed = Arc::new(AtomicBool::new(false));
        let listener = listener.until(closed.clone());
        let door = std::thread::spawn(move || {
            let (mut next, mut others) = (0, 0);
            let turned_away = |from, why| {
                others += 1;
                if others <= TOLD {
                    let why = format!("{from}: {why}");
                    let _ = queue.send(Heard::News(News::TurnedAway { why }));
                }
            };
            listener.accept_all_tls(&tls, post.timeout, turned_away, |link| {
                let (post, queue, id) = (post.clone(), queue.clone(), next);
                next += 1;
                std::thread::spawn(move || post.attend(id, Box::new(link), &queue));
            });
        });
        Self { closed, door: Some(door) }
    }

    /// Waits for no more.
    pub(super) fn dismiss(mut self) {
        self.closed.store(true, Relaxed);
        let _ = self.door.take().map(JoinHandle::join);
    }
}

impl Post {
    /// Hears the worker `id` at the end of `link`, until one of them has no more to say.
    pub(super) fn attend(&self, id: Id, mut link: Box<dyn Link>, queue: &Sender<Heard>) {
        let joined = self.join(&mut link);
        let shard = match joined {
            Ok(shard) => shard,
            Err(why) => {
                let _ = queue.send(Heard::News(News::TurnedAway { why: format!("a worker: {why}") }));
                return;
            }
        };
        let (orders, told) = channel();
        let _ = queue.send(Heard::Joined { id, shard, orders });
        // Whatever it is that ends the talk, the worker is gone.
        let _ = self.talk(id, shard, &mut link, &told, queue);
        let _ = link.close();
        let _ = queue.send(Heard::Event(Event::Gone { id }));
    }

    /// Hears who it is; the shard that it is for.
    fn join(&self, link: &mut Box<dyn Link>) -> Result<usize> {
        let join = Status::decode_join(&wire::receive(link, Status::longest_join())?)?;
        if let Some(why) = join.refused(self.party, &self.plan) {
            wire::send(link, &Order::Refused(why.into()).encode())?;
            return Err(Error::invalid(why));
        }
        wire::send(link, &Order::Welcome { listens: self.listens }.encode())?;
        Ok(join.shard as usize)
    }

    fn talk(
        &self,
        id: Id,
        shard: usize,
        link: &mut Box<dyn Link>,
        orders: &Receiver<Order>,
        queue: &Sender<Heard>,
    ) -> Result<()> {
        let part = &self.plan.parts[shard];
        let hold = HOLD.min(self.timeout / 4);
        let tell = |event| {
            let _ = queue.send(Heard::Event(event));
        };
        let mut announced = false;
        loop {
            let status = wire::receive(link, Status::longest(part))?;
            let (waits, returns) = match Status::decode(&status, shard, part)? {
                Status::Join(_) => return Err(malformed()),
                Status::Waiting { address } => {
                    if address.is_empty() == self.listens {
                        return Err(malformed());
                    }
                    // Once: what is said again, since nothing was to do, may be overtaken by what is.
                    if !std::mem::replace(&mut announced, true) {
                        tell(Event::Waiting { id, address });
                    }
                    (hold, false)
                }
                Status::Working { gates, .. } => {
                    let _ = queue.send(Heard::News(News::Working { shard, gates }));
                    (Duration::ZERO, false)
                }
                Status::Done { attempt, done } => {
                    tell(Event::Done { id, attempt, done: *done });
                    (Duration::ZERO, true)
                }
                Status::Failed { attempt, abort } => {
                    tell(Event::Failed { id, attempt, abort });
                    (Duration::ZERO, true)
                }
                Status::Resting => (hold, false),
            };
            let order = match orders.recv_timeout(waits) {
                Ok(order) => order,
                Err(RecvTimeoutError::Timeout) => Order::Wait,
                Err(RecvTimeoutError::Disconnected) => Order::End(Err("the run has ended".into())),
            };
            announced &= !returns && !matches!(order, Order::Begin(_));
            wire::send(link, &order.encode())?;
            if let Order::End(_) = order {
                return Ok(());
            }
        }
    }
}
