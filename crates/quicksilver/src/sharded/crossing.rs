//! Ends of wires, on their way from one worker of a party to another.

use super::{Here, Place, Run};
use crate::crossing::{Ends, LINES};
use crate::session::OverMacs;
use volery_channel::channel::Party;
use volery_channel::error::{Error, Result};
use volery_circuit::Announced;
use volery_primitives::{Field, Tagged};
use volery_proof::setting::Setting;
use volery_vole::macs::{Macs, Values, load, store};
use zeroize::{DefaultIsZeroes, Zeroizing};

/// One party's ends of the wires that go from one shard to another, bound to the party, the run, both shards,
/// the attempt that gave them, and their order. Secret, as the witness is: it has to be encrypted on its way,
/// and to arrive as it was sent. Wiped on drop.
pub struct Crossing {
    /// The digest of all that it is bound to: [`Crossing::HEADER`] bytes begin with it.
    binding: [u8; 32],
    from: u32,
    to: u32,
    attempt: u32,
    body: Zeroizing<Vec<u8>>,
}

impl Crossing {
    /// The bytes before the wires: 32 of what it is bound to, then `from`, `to` and `attempt`, 4 each.
    pub const HEADER: usize = 44;

    /// The shard that gave the wires.
    pub fn from(&self) -> u32 {
        self.from
    }

    /// The shard that takes them.
    pub fn to(&self) -> u32 {
        self.to
    }

    /// The attempt that gave them.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// How many bytes so many wires of `party` over `S` take, with what goes with them: 16 a wire over F_2, and
    /// up to 64 over any field; and some that do not depend on their number.
    pub fn length<S: OverMacs>(party: Party, wires: usize) -> usize {
        match party {
            Party::Prover => length::<S, OfProver>(wires),
            Party::Verifier => length::<S, OfVerifier>(wires),
        }
    }

    /// The bytes, as many as [`Crossing::length`] says.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(Self::HEADER + self.body.len()));
        bytes.extend_from_slice(&self.binding);
        [self.from, self.to, self.attempt].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// The crossing of such bytes, of any length: whoever receives them knows by [`Crossing::length`] how
    /// many there are, and whether they are what a shard takes shows when it is begun.
    ///
    /// # Errors
    /// `Invalid` where they are fewer than [`Crossing::HEADER`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Some((header, body)) = bytes.split_first_chunk::<{ Self::HEADER }>() else {
            return Err(Error::invalid(format!(
                "{} bytes are no wires that cross between shards",
                bytes.len()
            )));
        };
        let number = |at: usize| u32::from_le_bytes(*header[at..].first_chunk().expect("four bytes"));
        Ok(Self {
            binding: *header.first_chunk().expect("32 bytes"),
            from: number(32),
            to: number(36),
            attempt: number(40),
            body: Zeroizing::new(body.to_vec()),
        })
    }

    /// The digest that the ends of `party` over `S` are bound to.
    fn binding<S: OverMacs>(run: &Run, announced: &Announced, party: Party) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery shard v1, wires that cross");
        hasher.update(&run.digest()).update(&announced.digest());
        hasher.update(party.name().as_bytes()).update(b"\0").update(S::name().as_bytes());
        hasher.finalize().into()
    }
}

/// How the ends of one party are stored.
pub(super) trait Stored<S: OverMacs> {
    const PARTY: Party;
    /// The bytes of a wire, and of a line.
    const SIZES: [usize; 2];
    type Wire: DefaultIsZeroes;
    type Line: DefaultIsZeroes;

    fn store_wire(wire: Self::Wire, bytes: &mut Vec<u8>);
    fn load_wire(bytes: &[u8]) -> Option<Self::Wire>;
    fn store_line(line: Self::Line, bytes: &mut Vec<u8>);
    fn load_line(bytes: &[u8]) -> Option<Self::Line>;
}

type Tag<S> = <<S as Setting>::Macs as Values>::Tag;
type E<S> = <<S as Setting>::Macs as Values>::E;

/// Values with their MACs.
pub(super) enum OfProver {}

impl<S: OverMacs> Stored<S> for OfProver {
    const PARTY: Party = Party::Prover;
    const SIZES: [usize; 2] = [S::Macs::TAG, 2 * <E<S> as Field>::BYTES];
    type Wire = Tag<S>;
    type Line = Tagged<E<S>, E<S>>;

    fn store_wire(wire: Tag<S>, bytes: &mut Vec<u8>) {
        S::Macs::store(wire, bytes);
    }
    fn load_wire(bytes: &[u8]) -> Option<Tag<S>> {
        S::Macs::load(bytes)
    }
    fn store_line(line: Tagged<E<S>, E<S>>, bytes: &mut Vec<u8>) {
        store(line.value, bytes);
        store(line.mac, bytes);
    }
    fn load_line(bytes: &[u8]) -> Option<Tagged<E<S>, E<S>>> {
        let (value, mac) = bytes.split_at_checked(<E<S> as Field>::BYTES)?;
        Some(Tagged { value: load(value)?, mac: load(mac)? })
    }
}

/// Keys.
pub(super) enum OfVerifier {}

impl<S: OverMacs> Stored<S> for OfVerifier {
    const PARTY: Party = Party::Verifier;
    const SIZES: [usize; 2] = [S::Macs::KEY, <E<S> as Field>::BYTES];
    type Wire = E<S>;
    type Line = E<S>;

    fn store_wire(wire: E<S>, bytes: &mut Vec<u8>) {
        S::Macs::store_key(wire, bytes);
    }
    fn load_wire(bytes: &[u8]) -> Option<E<S>> {
        S::Macs::load_key(bytes)
    }
    fn store_line(line: E<S>, bytes: &mut Vec<u8>) {
        store(line, bytes);
    }
    fn load_line(bytes: &[u8]) -> Option<E<S>> {
        load(bytes)
    }
}

/// The wires that come in, and for each shard that they come from the attempt.
type Taken<S, P> = (Ends<<P as Stored<S>>::Wire, <P as Stored<S>>::Line>, Vec<u32>);

/// Takes the wires that come in to the shard `here`, in its order, and for each shard that they come from the
/// attempt.
///
/// # Errors
/// `Invalid` where that is not what was announced.
pub(super) fn take<S: OverMacs, P: Stored<S>>(
    here: &Here<'_>,
    crossings: Vec<Crossing>,
) -> Result<Taken<S, P>> {
    let Here { run, place, announced } = here;
    let shard = place.number();
    let sources = announced.sources(shard);
    if crossings.len() != sources.len() {
        return Err(Error::invalid(format!(
            "wires of {} shards came in to shard {shard}, which takes wires of {}",
            crossings.len(),
            sources.len()
        )));
    }
    let binding = Crossing::binding::<S>(run, announced, P::PARTY);
    let (mut wires, mut attempts) = (Vec::new(), Vec::new());
    let mut lines = Zeroizing::new(Vec::with_capacity(LINES * sources.len()));
    for from in sources {
        let of_it = |crossing: &&Crossing| crossing.from as usize == *from;
        let crossing = crossings.iter().find(of_it).ok_or_else(|| {
            Error::invalid(format!("no wires of shard {from} came in to shard {shard}, which takes some"))
        })?;
        let refused =
            |why: &str| Error::invalid(format!("what came from shard {from} to shard {shard} {why}"));
        if crossing.binding != binding || crossing.to != place.shard || crossing.attempt > run.restarts {
            return Err(refused("is of another run, party, setting or shard"));
        }
        let count = announced.between(*from, shard);
        if crossing.body.len() + Crossing::HEADER != length::<S, P>(count) {
            return Err(refused("has another length than its wires take"));
        }
        let (of_wires, of_lines) = crossing.body.split_at(count * P::SIZES[0]);
        let mut loaded = Zeroizing::new(Vec::with_capacity(count));
        for bytes in of_wires.chunks_exact(P::SIZES[0]) {
            loaded.push(P::load_wire(bytes).ok_or_else(|| refused("holds no wires"))?);
        }
        for bytes in of_lines.chunks_exact(P::SIZES[1]) {
            lines.push(P::load_line(bytes).ok_or_else(|| refused("holds no lines"))?);
        }
        wires.push(loaded);
        attempts.push(crossing.attempt);
    }
    let mut taken = vec![0; sources.len()];
    let mut in_order = Zeroizing::new(Vec::with_capacity(announced.incoming(shard)));
    for need in announced.needs(shard) {
        let source = sources.binary_search(&need.from).expect("a shard that wires come from");
        let to = taken[source] + need.wires.len();
        in_order.extend_from_slice(&wires[source][taken[source]..to]);
        taken[source] = to;
    }
    Ok((Ends { wires: in_order.into(), lines }, attempts))
}

fn length<S: OverMacs, P: Stored<S>>(wires: usize) -> usize {
    Crossing::HEADER + P::SIZES[0] * wires + P::SIZES[1] * LINES
}

/// Gives the wires of the shard `here`, whose ends are `ends`, to each shard that takes some.
pub(super) fn give<S: OverMacs, P: Stored<S>>(
    here: &Here<'_>,
    ends: &Ends<P::Wire, P::Line>,
) -> Vec<Crossing> {
    let Here { run, place: Place { shard, attempt }, announced } = here;
    let binding = Crossing::binding::<S>(run, announced, P::PARTY);
    let consumers = announced.consumers(*shard as usize).iter();
    let given = consumers.zip(ends.lines.as_chunks::<LINES>().0).map(|(to, lines)| {
        let count = announced.between(*shard as usize, *to);
        let mut body = Zeroizing::new(Vec::with_capacity(length::<S, P>(count) - Crossing::HEADER));
        for need in announced.ranges(*shard as usize, *to) {
            ends.wires[need.wires.clone()].iter().for_each(|wire| P::store_wire(*wire, &mut body));
        }
        lines.iter().for_each(|line| P::store_line(*line, &mut body));
        Crossing { binding, from: *shard, to: *to as u32, attempt: *attempt, body }
    });
    given.collect()
}
