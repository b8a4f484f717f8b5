//! One proof by many machines: a coordinator and workers for each party.
//!
//! A statement is made of **shards**, each a session of its own between a worker of the prover and one of the
//! verifier. What crosses from one shard to others does so within a party: the bytes of authenticated wires,
//! which a worker hands to its **coordinator**, and the coordinator to the workers that need them. The two
//! coordinators share one link, over which they say which shards to begin, and what became of them. Whatever
//! places and restarts workers (a machine's processes, Ray, Kubernetes, Slurm) is a [`Launcher`], or nobody's
//! business here; what a shard proves is behind [`Shards`], which [`Work`] is for statements by name or in Rust.
//!
//! ## Keys
//! Coordinators know each other as parties always do, by the keys of the two. Each coordinator has a **run key**
//! besides, drawn for the run, which its workers are given. A worker and its coordinator both show that key, and
//! pin it; the coordinators tell each other their run keys' identities, which two workers of a pair then show
//! and pin. So who has a party's run key is one of its workers: it can learn what crosses, at the verifier Δ,
//! and give false verdicts to its own coordinator. The other party's keys give nothing of that.
//!
//! ## Between the coordinators
//! | from | message | bytes |
//! |---|---|---|
//! | both | the hello of every session; its system ends in `, in N shards`, its parameters are the number of restarts, its statement is the digest of all shards | 188 |
//! | both | the identity of the run key; how many workers there are at once (u32) | 69 |
//! | connecting | words, at least every 20 ms: how long they are (u32), then each as below | 4 and more |
//! | listening | its words, in answer | 4 and more |
//!
//! | word | from | means | bytes |
//! |---|---|---|---|
//! | open | verifier | attempt a of shard i may begin | 9 |
//! | ready | both | a worker waits for it; on the side that listens, its address | 10 and the address |
//! | done | both | it ended well here | 9 |
//! | lost | prover | a worker or its link was lost before that | 9 |
//! | accepted | verifier | every shard is | 1 |
//! | heard | prover | the verdict arrived | 1 |
//! | abort | both | nothing goes on; whether a check failed | 2 |
//!
//! The **run** is named by 32 bytes that depend on both hellos, which hold fresh nonces, on the binding of the
//! link, and on both run keys. Each shard's session is bound to the run, the shard and the attempt by whoever
//! implements [`Shards`].
//!
//! ## Between a coordinator and its worker
//! The worker speaks, and the coordinator answers each message with one; a length (u32) goes before each.
//!
//! | from | message | bytes |
//! |---|---|---|
//! | worker | join: version, role, shard, shards (u32 each), digest of the statement | 46 |
//! | worker | waiting: the address at which it listens for the other party's, where it does | 2 to 257 |
//! | worker | working: attempt (u32), multiplications done (u64); every 100 ms | 13 |
//! | worker | done: attempt, figures, what is told of the verdict, what leaves the shard | 109 and those |
//! | worker | failed: attempt, whose fault, in words | 7 to 519 |
//! | worker | resting, after done | 1 |
//! | coordinator | welcome, to join: whether workers of this party listen | 2 |
//! | coordinator | wait, or go on | 1 |
//! | coordinator | begin: run, restarts, attempt, the other run key's identity and worker's address, the verifier's secret, what enters the shard | 107 and those |
//! | coordinator | stop: this attempt is over | 1 |
//! | coordinator | end: the shard is accepted, or why the run has ended; refused: why | 1 to 513 |
//!
//! What enters and leaves a shard has a length that both know from the statement.
//!
//! ## Attempts
//! A shard is **accepted** once both coordinators have said that it is done. Whatever happens to a worker
//! before that (its process is killed, a link ends) costs this attempt alone: the verifier opens another, with
//! a set-up of its own, and what the last one made is wiped on both sides. So nothing is said twice under one
//! mask; that a verifier tests under one Δ more often than there are shards is bounded by the restarts that
//! both have agreed on ([`volery::sharded`] has the bound). What is accepted stays so: nobody begins it again, and
//! all that takes wires of it takes them of one attempt.
//!
//! Everything else that ends a session ends the run: a failed check, a broken format, two sides that disagree.
//! A link that ends when the peer could foresee the verdict costs an attempt like others, of those that are
//! counted; but where the run ends before that shard is accepted, the peer is taken to have failed. A verifier
//! that hears that the prover gives up, or loses it, stops its workers and hears how each session ended before
//! it says what the run came to: so whoever leaves after a coin in some shard is counted as in a session of its
//! own.
//!
//! ## What an abort leaks
//! What one failed check leaks, of the shard and the attempt that it ended: the run's secret is wiped then. A
//! worker that rejects says so to its coordinator first, and keeps the link to the other party's open, or waits
//! with its verdict, until that is heard; where the coordinator cannot be reached it cuts that link. So no
//! attempt begins behind a check that failed, unless the verifier loses that worker, or its link to it, between
//! the two. Whoever can bring that about when it wants to, inside the verifier's own network, learns by each
//! attempt lost so whether a guess of bits of Δ was right, and goes on: a bit for certain, or as many as
//! log2(1 + the checks of an attempt). No bound on what parties say to each other covers that. Where whoever
//! proves may have such power, `restarts` is 0: then a lost worker ends the run.
//!
//! ## What coordinators know
//! A verifier's coordinator has Δ and the keys of all wires that cross; a prover's has their values and MACs.
//! So it runs where the party's secrets may be. Neither knows anything else of a witness.

#![forbid(unsafe_code)]

mod abort;
mod coordinator;
mod order;
mod plan;
mod staff;
mod state;
#[cfg(test)]
mod tests;
mod wire;
mod word;
mod work;
mod worker;

pub use abort::{Abort, Fault};
pub use coordinator::{Coordinator, Draw, Handle, Launch, Launcher, News, Outcome, Record};
pub use plan::{Crossing, Done, Feed, Figures, MOST_SHARDS, Part, Plan, ShardOutcome, Shards, Turn};
pub use work::{Work, Worth};
pub use worker::{Worker, run_worker};
