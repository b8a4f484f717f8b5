//! A walk through operations: each is executed as it comes, but those of a function on lanes, which are kept until
//! it ends, and executed then: once where it is recorded, and lane by lane where a name is searched for.

use super::trace::Trace;
use super::{Ground, Values};
use crate::tape::{Mapped, Op};
use volery::Result;
use volery::circuit::stream::{Handle, Recorder};
use volery::circuit::{Backend, Returned, Wires};

/// A walk, and the values that live.
pub(super) struct Walk<F: Ground> {
    pub(super) values: Values<F>,
    /// The function on lanes that is open.
    open: Option<Mapping>,
}

/// A function on lanes as far as it is known.
struct Mapping {
    lanes: usize,
    arguments: Box<[Mapped]>,
    steps: Vec<Op>,
    /// The functions that are open within it.
    within: usize,
}

impl<F: Ground> Walk<F> {
    pub(super) fn new(values: Values<F>) -> Self {
        Self { values, open: None }
    }

    /// Executes `op`, or keeps it for the end of the function that is open.
    ///
    /// # Errors
    /// Those of the recorder; `Invalid` where the field has no such operation.
    pub(super) fn take(&mut self, b: &mut Recorder<'_, F>, op: Op) -> Result<()> {
        let Some(open) = &mut self.open else {
            return match op {
                Op::OpenMap { lanes, arguments } => {
                    let lanes = lanes as usize;
                    self.open = Some(Mapping { lanes, arguments, steps: Vec::new(), within: 0 });
                    Ok(())
                }
                op => {
                    self.values.number(&op);
                    F::execute(&mut self.values, b, op)
                }
            };
        };
        match &op {
            Op::OpenMap { .. } => open.within += 1,
            Op::CloseMap { .. } | Op::DropMap if open.within > 0 => open.within -= 1,
            Op::CloseMap { results } => {
                let results = results.clone();
                let mapping = self.open.take().expect("open above");
                return self.map(b, &mapping, &results);
            }
            Op::DropMap => {
                self.open = None;
                return Ok(());
            }
            _ => {}
        }
        open.steps.push(op);
        Ok(())
    }

    /// Calls a function on each of its lanes.
    fn map(&mut self, b: &mut Recorder<'_, F>, mapping: &Mapping, results: &[Mapped]) -> Result<()> {
        let Mapping { lanes, arguments, steps, .. } = mapping;
        b.open_scope();
        let (columns, public) = columns(&self.values, b, *lanes, arguments);
        let kinds = encoded(&public);
        let key = Trace::of_function(self.values.numbers(), arguments, steps, results, &kinds);
        let key = [b"python map ".as_slice(), &key].concat();
        let mut inside = Walk::new(self.values.open_lanes());
        let mapped = b.map(&key, *lanes, &columns, |b, lane, wires| {
            inside.values.begin_lane(lane);
            let mut atoms = merged::<F>(&public, wires);
            for argument in arguments {
                inside.values.put(argument.one, atoms.by_ref().take(argument.size as usize).collect());
            }
            steps.iter().try_for_each(|op| inside.take(b, op.clone()))?;
            let values = &inside.values;
            let atoms: Vec<F::Atom> =
                results.iter().flat_map(|result| values.of(result.one)).copied().collect();
            let public: Vec<_> = atoms.iter().map(|atom| F::public(*atom)).collect();
            Ok(Returned { wires: atoms.wires(), public: encoded(&public) })
        });
        self.values.close_lanes(inside.values);
        let Returned { wires, public } = mapped?;
        b.close_scope(&wires);
        let mut columns = wires.chunks(*lanes);
        let mut atoms = decoded::<F>(&public).into_iter().map(|value| match value {
            Some(value) => Err(F::known(value)),
            None => Ok(columns.next().expect("a column for each that is not public")),
        });
        for result in results {
            let one: Vec<_> = atoms.by_ref().take(result.size as usize).collect();
            let of_lane = |lane: usize| {
                one.iter().map(move |atom| atom.map_or_else(|known| known, |column| F::on(column[lane])))
            };
            self.values.put(result.all, (0..*lanes).flat_map(of_lane).collect());
        }
        Ok(())
    }
}

/// The arguments column by column: on wires, but for those that are the same public element in all lanes.
fn columns<F: Ground>(
    values: &Values<F>,
    b: &mut Recorder<'_, F>,
    lanes: usize,
    arguments: &[Mapped],
) -> (Vec<Handle>, Vec<Option<F>>) {
    let (mut columns, mut public) = (Vec::new(), Vec::new());
    // Most public elements are one of two.
    let mut constants: Vec<(F, Handle)> = Vec::new();
    for argument in arguments {
        let (all, size) = (values.of(argument.all), argument.size as usize);
        for place in 0..size {
            let column = (0..lanes).map(|lane| all[lane * size + place]);
            let first = F::public(all[place]);
            let same = first.filter(|_| column.clone().all(|atom| F::public(atom) == first));
            public.push(same);
            if same.is_some() {
                continue;
            }
            columns.extend(column.map(|atom| {
                let Some(value) = F::public(atom) else { return F::wire(atom, b) };
                if let Some((_, wire)) = constants.iter().find(|(known, _)| *known == value) {
                    return *wire;
                }
                let wire = F::wire(atom, b);
                if constants.len() < 2 {
                    constants.push((value, wire));
                }
                wire
            }));
        }
    }
    (columns, public)
}

/// Elements of which some are public, and the others on these wires.
fn merged<F: Ground>(public: &[Option<F>], wires: &[Handle]) -> impl Iterator<Item = F::Atom> {
    let mut wires = wires.iter();
    public.iter().map(move |value| match value {
        Some(value) => F::known(*value),
        None => F::on(*wires.next().expect("a wire for each that is not public")),
    })
}

/// A byte for each element, and behind it the element where it is public.
fn encoded<F: Ground>(public: &[Option<F>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(public.len());
    for value in public {
        bytes.push(value.is_some().into());
        if let Some(value) = value {
            let begin = bytes.len();
            bytes.resize(begin + F::BYTES, 0);
            value.encode(&mut bytes[begin..]);
        }
    }
    bytes
}

fn decoded<F: Ground>(mut bytes: &[u8]) -> Vec<Option<F>> {
    let mut public = Vec::new();
    while let Some((is_public, rest)) = bytes.split_first() {
        bytes = rest;
        public.push((*is_public == 1).then(|| {
            let (value, rest) = bytes.split_at(F::BYTES);
            bytes = rest;
            F::decode(value).expect("an element as it was encoded")
        }));
    }
    public
}
