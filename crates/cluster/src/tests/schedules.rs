//! Two coordinators' states, and workers that are models, in random orders of all that can happen.

use super::shards::{WIRE, tree};
use crate::abort::{Abort, Fault};
use crate::order::{Begin, Order};
use crate::plan::{Crossing, Done, Figures};
use crate::state::{Action, Event, Id, State, Terms};
use crate::word::Word;
use std::collections::{BTreeMap, VecDeque};
use volery::channel::{Identity, Party, SecretKey};
use volery::random::Random;

const PARTIES: [Party; 2] = [Party::Prover, Party::Verifier];

/// A worker as its coordinator sees it.
struct Model {
    shard: usize,
    /// Events on their way to its coordinator, and orders from it.
    events: VecDeque<Event>,
    orders: VecDeque<Order>,
    doing: Doing,
}

enum Doing {
    Waiting,
    Working(Box<Begin>),
    Resting,
    Ended,
}

/// One party.
struct Side {
    state: State,
    workers: BTreeMap<Id, Model>,
    next: Id,
    words: VecDeque<Word>,
    ended: Option<Result<(), Abort>>,
    launched: u32,
    recorded: u32,
}

struct World {
    sides: [Side; 2],
    random: Random,
    kills: u32,
    accepted: BTreeMap<usize, [u32; 2]>,
}

impl World {
    fn new(seed: u32, kills: u32, restarts: u32, launches: bool, identity: Identity) -> Self {
        let mut random = Random::from_seed(&std::array::from_fn(|i| seed.to_le_bytes()[i % 4]));
        let at_once = 1 + u32::from_le_bytes(random.bytes()) as usize % 4;
        let side = |party| Side {
            state: State::new(Terms {
                party,
                plan: tree(),
                run: [5; 32],
                peer: identity,
                secret: Crossing::default(),
                at_once,
                restarts,
                launches,
                listens: party == Party::Prover,
            }),
            workers: BTreeMap::new(),
            next: 0,
            words: VecDeque::new(),
            ended: None,
            launched: 0,
            recorded: 0,
        };
        let mut world = Self { sides: PARTIES.map(side), random, kills, accepted: BTreeMap::new() };
        for side in 0..2 {
            let actions = world.sides[side].state.start();
            world.act(side, actions);
            if !launches {
                (0..4).for_each(|shard| world.join(side, shard));
            }
        }
        world
    }

    fn pick(&mut self, below: usize) -> usize {
        u32::from_le_bytes(self.random.bytes()) as usize % below
    }

    fn join(&mut self, side: usize, shard: usize) {
        let of = &mut self.sides[side];
        let id = of.next;
        of.next += 1;
        let events = VecDeque::from([Event::Joined { id, shard }, waiting(side, id)]);
        of.workers.insert(id, Model { shard, events, orders: VecDeque::new(), doing: Doing::Waiting });
    }

    fn on(&mut self, side: usize, event: Event) {
        let actions = self.sides[side].state.on(event);
        self.act(side, actions);
    }

    fn act(&mut self, side: usize, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Launch { shard, .. } => {
                    self.sides[side].launched += 1;
                    self.join(side, shard);
                }
                Action::Tell(id, order) => {
                    if let Some(worker) = self.sides[side].workers.get_mut(&id) {
                        worker.orders.push_back(order);
                    }
                }
                Action::Say(word) => self.sides[1 - side].words.push_back(word),
                Action::Record => {
                    assert_eq!(side, 1, "the prover has no verdict");
                    self.sides[side].recorded += 1;
                    self.on(side, Event::Recorded);
                }
                Action::News(_) => {}
            }
        }
        if self.sides[side].ended.is_none() {
            self.sides[side].ended = self.sides[side].state.ended();
        }
    }

    /// Does one thing of those that can happen; whether there was any.
    fn step(&mut self) -> bool {
        let mut choices: Vec<(usize, Option<Id>, u8)> = vec![];
        for (side, of) in self.sides.iter().enumerate() {
            if !of.words.is_empty() {
                choices.push((side, None, 0));
            }
            for (id, worker) in &of.workers {
                let possible = [
                    !worker.events.is_empty(),
                    !worker.orders.is_empty(),
                    matches!(worker.doing, Doing::Working(_)),
                ];
                let kinds = (1..).zip(possible).filter(|(_, possible)| *possible);
                choices.extend(kinds.map(|(kind, _)| (side, Some(*id), kind)));
            }
        }
        if choices.is_empty() {
            return false;
        }
        if self.kills > 0 && self.pick(8) == 0 {
            let (side, alive) =
                (self.pick(2), |side: &Side| side.workers.keys().copied().collect::<Vec<_>>());
            let alive = alive(&self.sides[side]);
            if !alive.is_empty() {
                let id = alive[self.pick(alive.len())];
                self.kill(side, id);
                return true;
            }
        }
        let at = self.pick(choices.len());
        match choices[at] {
            (side, None, _) => {
                let word = self.sides[side].words.pop_front().unwrap();
                self.on(side, Event::Said(word));
            }
            (side, Some(id), 1) => {
                let event = self.sides[side].workers.get_mut(&id).unwrap().events.pop_front().unwrap();
                let gone = matches!(event, Event::Gone { .. });
                let shard = self.sides[side].workers[&id].shard;
                self.on(side, event);
                if gone {
                    self.sides[side].workers.remove(&id);
                    self.on(side, Event::Exited { shard, why: "killed".into() });
                }
            }
            (side, Some(id), 2) => self.order(side, id),
            (side, Some(id), _) => self.session(side, id),
        }
        true
    }

    fn kill(&mut self, side: usize, id: Id) {
        let worker = self.sides[side].workers.get_mut(&id).unwrap();
        if matches!(worker.doing, Doing::Ended) {
            return;
        }
        self.kills -= 1;
        worker.doing = Doing::Ended;
        worker.orders.clear();
        worker.events.push_back(Event::Gone { id });
    }

    fn order(&mut self, side: usize, id: Id) {
        let worker = self.sides[side].workers.get_mut(&id).unwrap();
        let order = worker.orders.pop_front().unwrap();
        match (order, &worker.doing) {
            (Order::Begin(begin), Doing::Waiting) => worker.doing = Doing::Working(begin),
            // Who was killed hears nothing.
            (Order::Begin(_), Doing::Ended) => {}
            (Order::Begin(_), Doing::Working(_)) => panic!("a worker that works is to begin"),
            (Order::Begin(_), Doing::Resting) => panic!("a worker that rests is to begin"),
            (Order::Stop, Doing::Working(begin)) => {
                let attempt = begin.attempt;
                worker.doing = Doing::Waiting;
                worker.events.push_back(Event::Failed { id, attempt, abort: lost() });
                worker.events.push_back(waiting(side, id));
            }
            (Order::Stop, Doing::Resting) => {
                worker.doing = Doing::Waiting;
                worker.events.push_back(waiting(side, id));
            }
            (Order::End(_), doing) if !matches!(doing, Doing::Ended | Doing::Working(_)) => {
                worker.doing = Doing::Ended;
                worker.events.push_back(Event::Gone { id });
            }
            _ => {}
        }
    }

    /// The session of a worker ends: well, where the other side has one for the same, and else lost.
    fn session(&mut self, side: usize, id: Id) {
        let Doing::Working(begin) = &self.sides[side].workers[&id].doing else { unreachable!() };
        let shard = self.sides[side].workers[&id].shard;
        let (attempt, entered) = (begin.attempt, entered(begin));
        let same = |(other, worker): (&Id, &Model)| match &worker.doing {
            Doing::Working(begin) if worker.shard == shard && begin.attempt == attempt => {
                Some((*other, self::entered(begin)))
            }
            _ => None,
        };
        let Some((other, theirs)) = self.sides[1 - side].workers.iter().find_map(same) else {
            // Nobody is there: it waits for its timeout, or is told to stop.
            if self.pick(4) == 0 {
                self.end_session(side, id, attempt, shard, false);
            }
            return;
        };
        assert_eq!(entered, theirs, "what enters is of one attempt on both sides");
        // One side may lose the other's last word.
        let both = self.pick(5) > 0;
        self.end_session(side, id, attempt, shard, true);
        self.end_session(1 - side, other, attempt, shard, both);
    }

    fn end_session(&mut self, side: usize, id: Id, attempt: u32, shard: usize, well: bool) {
        let worker = self.sides[side].workers.get_mut(&id).unwrap();
        if well {
            let mut outgoing = vec![attempt as u8; WIRE];
            outgoing[0] = shard as u8;
            let outgoing = Crossing::new(outgoing.into());
            let done = Done { figures: Figures::default(), outgoing, verdict: vec![] };
            worker.doing = Doing::Resting;
            worker.events.push_back(Event::Done { id, attempt, done });
            self.accepted.entry(shard).or_default()[side] = attempt;
        } else {
            worker.doing = Doing::Waiting;
            worker.events.push_back(Event::Failed { id, attempt, abort: lost() });
            worker.events.push_back(waiting(side, id));
        }
    }
}

fn entered(begin: &Begin) -> Vec<Vec<u8>> {
    begin.incoming.iter().map(|crossing| crossing.bytes().to_vec()).collect()
}

fn waiting(side: usize, id: Id) -> Event {
    let address = if side == 0 { "127.0.0.1:1".into() } else { String::new() };
    Event::Waiting { id, address }
}

fn lost() -> Abort {
    Abort::new(Fault::Lost, "the link ended")
}

/// However workers and links are lost, and in whatever order that is heard, both sides come to the verdict, what
/// enters a shard is of the same attempt on both, and no shard is done more often than was lost.
#[test]
fn every_order_ends_in_the_verdict() {
    let identity = SecretKey::generate().unwrap().identity();
    for seed in 0..3000 {
        let launches = seed % 3 > 0;
        // Where nobody starts others, a killed worker is missing for good.
        let kills = if launches { seed % 7 } else { 0 };
        let mut world = World::new(seed, kills, 1000, launches, identity);
        let mut steps = 0;
        while world.step() {
            steps += 1;
            assert!(steps < 100_000, "seed {seed}: it goes on for ever");
        }
        for side in &world.sides {
            assert_eq!(side.ended, Some(Ok(())), "seed {seed}");
            assert!(side.workers.is_empty(), "seed {seed}: a worker was forgotten");
        }
        assert_eq!(world.sides[1].recorded, 1);
        for (shard, [prover, verifier]) in &world.accepted {
            assert_eq!(prover, verifier, "seed {seed}: shard {shard}");
        }
        let [prover, verifier] = &world.sides;
        assert_eq!(prover.state.told(), verifier.state.told());
        assert_eq!(prover.state.restarts(), verifier.state.restarts());
    }
}

/// Lost too often, the run ends on both sides.
#[test]
fn restarts_are_bounded() {
    let identity = SecretKey::generate().unwrap().identity();
    let mut ended = 0;
    for seed in 0..300 {
        let mut world = World::new(seed, 40, 3, true, identity);
        while world.step() {}
        let [prover, verifier] = &world.sides;
        assert_eq!(prover.ended.as_ref().unwrap().is_ok(), verifier.ended.as_ref().unwrap().is_ok());
        assert!(verifier.state.restarts() <= 4);
        ended += u32::from(verifier.ended.as_ref().unwrap().is_err());
    }
    assert!(ended > 200, "{ended}");
}

/// A state after some words, and what it says to `word`.
fn said(party: Party, before: &[Word], word: Word) -> Option<Abort> {
    let identity = SecretKey::generate().unwrap().identity();
    let mut world = World::new(1, 0, 9, true, identity);
    let side = PARTIES.iter().position(|one| *one == party).unwrap();
    before.iter().for_each(|word| world.on(side, Event::Said(word.clone())));
    world.on(side, Event::Said(word));
    world.sides[side].ended.clone()?.err()
}

#[test]
fn words_out_of_turn_end_the_run() {
    let open = |shard, attempt| Word::Open { shard, attempt };
    let (done, lost) = (Word::Done { shard: 0, attempt: 0 }, Word::Lost { shard: 0, attempt: 0 });
    let ready = |attempt, address: &str| Word::Ready { shard: 0, attempt, address: address.into() };
    let prover: [(&[Word], Word); 10] = [
        (&[], open(4, 0)),
        (&[], open(0, 1)),
        (&[], open(2, 0)),
        (&[open(0, 0)], open(0, 0)),
        (&[open(0, 0)], open(0, 2)),
        (&[], done.clone()),
        (&[open(0, 0)], done.clone()),
        (&[open(0, 0)], Word::Accepted),
        (&[], lost),
        (&[open(0, 0), ready(0, "")], ready(0, "")),
    ];
    for (before, word) in prover {
        let abort = said(Party::Prover, before, word.clone());
        assert!(abort.is_some_and(|abort| abort.counts_against_peer), "{before:?} {word:?}");
    }
    let verifier: [(&[Word], Word); 7] = [
        (&[], open(0, 0)),
        (&[], done),
        (&[], Word::Heard),
        (&[], Word::Accepted),
        (&[], ready(1, "127.0.0.1:1")),
        (&[], ready(0, "")),
        (&[], Word::Lost { shard: 9, attempt: 0 }),
    ];
    for (before, word) in verifier {
        let abort = said(Party::Verifier, before, word.clone());
        assert!(abort.is_some_and(|abort| abort.counts_against_peer), "{before:?} {word:?}");
    }
    assert_eq!(said(Party::Prover, &[open(0, 0)], open(0, 1)), None);
    assert_eq!(said(Party::Prover, &[open(0, 0), open(0, 1)], ready(0, "")), None);
}

/// Once the verdict is kept, it is the verdict, whatever the prover does behind it.
#[test]
fn nothing_undoes_a_verdict_that_is_kept() {
    let identity = SecretKey::generate().unwrap().identity();
    let last = [
        || Event::Said(Word::Abort { rejected: false }),
        || Event::Said(Word::Open { shard: 0, attempt: 7 }),
        || Event::End(Abort::new(Fault::Interrupted, "interrupted")),
        || Event::Left(lost()),
    ];
    for last in last {
        let mut world = World::new(1, 0, 8, true, identity);
        while world.sides[1].recorded == 0 {
            assert!(world.step());
        }
        world.on(1, last());
        assert!(world.sides[1].state.ended().is_some_and(|ended| ended.is_ok()));
    }
}
