//! The rows of an honest run: found by trying, and found again by the choices that were kept.

use super::choices::Reader;
use super::image::{Cell, Image};
use super::rom::{Advice, Alternative, HALT, Place, Rom};
use super::row::{Column, Finds, Row};
use zeroize::Zeroizing;

/// A bound on the rows of an instruction, after which they are handed out. The vector has room for them from
/// the beginning, since growing would leave secrets in its old memory.
const AT_ONCE: usize = 64;

/// A run, row by row, of which nothing is known beforehand.
#[derive(Clone)]
pub(super) struct Trace<'p> {
    rom: &'p Rom,
    state: State<'p>,
    place: Place,
    /// Rows that are done, each with the number of its alternative, the next to be given last.
    ready: Zeroizing<Vec<(u8, Row)>>,
}

/// A run, row by row, whose choices are known: each row is filled once, and nothing is tried.
#[derive(Clone)]
pub(super) struct Replay<'p> {
    rom: &'p Rom,
    state: State<'p>,
    place: Place,
    choices: Reader<'p>,
}

#[derive(Clone)]
struct State<'p> {
    image: &'p Image,
    registers: Zeroizing<Vec<u32>>,
    memory: Zeroizing<Vec<u32>>,
    streams: Vec<u32>,
    private: &'p [u8],
    taken: usize,
}

impl Finds for State<'_> {
    #[inline]
    fn word(&self, address: u64) -> Option<u32> {
        Some(match self.image.cell(address)? {
            Cell::Register(number) => *self.registers.get(number)?,
            Cell::Memory(word) => self.memory[word],
            Cell::Stream(word) => self.streams[word],
        })
    }

    #[inline]
    fn is_read_only(&self, address: u64) -> bool {
        self.image.is_read_only(address)
    }
}

impl State<'_> {
    fn put(&mut self, address: u64, word: u32) {
        match self.image.cell(address).expect("a cell that was found") {
            Cell::Register(number) => self.registers[number] = word,
            Cell::Memory(place) => self.memory[place] = word,
            Cell::Stream(place) => self.streams[place] = word,
        }
    }

    fn advice(&mut self, advice: Advice) -> u32 {
        let left = self.private.len() - self.taken;
        match advice {
            Advice::None => 0,
            Advice::Quotient(a, b) => {
                let [a, b] = [a, b].map(|register| self.registers[register as usize]);
                a.checked_div(b).unwrap_or(0)
            }
            Advice::Length(most) => {
                let most = self.registers[most as usize].min(0x7fff_f000);
                u32::try_from(left).unwrap_or(u32::MAX).min(most)
            }
            Advice::Bytes(count) => {
                let count = left.min(count as usize);
                let mut word = [0; 4];
                word[..count].copy_from_slice(&self.private[self.taken..self.taken + count]);
                self.taken += count;
                u32::from_le_bytes(word)
            }
        }
    }

    /// Does what `alternative` does at `place`, if it holds there.
    fn take(&mut self, place: Place, alternative: &Alternative) -> Option<Row> {
        let taken = self.taken;
        let advice = match alternative.advice {
            Advice::None => 0,
            advice => self.advice(advice),
        };
        let Some(row) = Row::fill(place, alternative, self, || advice) else {
            self.taken = taken;
            return None;
        };
        self.put(row.column(Column::Third), row.written());
        Some(row)
    }

    /// Adds rows from `place` on up to where nobody goes back, if there are such.
    fn explore(&mut self, rom: &Rom, place: Place, rows: &mut Vec<(u8, Row)>) -> bool {
        for (number, alternative) in (0..=u8::MAX).zip(rom.at(place)) {
            let taken = self.taken;
            let Some(row) = self.take(place, alternative) else { continue };
            debug_assert!(rows.len() < AT_ONCE, "more rows than there is room for");
            rows.push((number, row));
            let next = row.column(Column::Next);
            let leads =
                if rom.is_decided(next) { !rom.at(next).is_empty() } else { self.explore(rom, next, rows) };
            if leads {
                return true;
            }
            rows.pop();
            self.put(row.column(Column::Third), row.found[2]);
            self.taken = taken;
        }
        false
    }

    /// The state before the first row, with memory as `image` has it.
    fn new<'p>(rom: &Rom, image: &'p Image, private: &'p [u8]) -> State<'p> {
        let (memory, streams) = image.content();
        State {
            image,
            registers: Zeroizing::new(image.registers(rom)),
            memory: Zeroizing::new(memory.to_vec()),
            streams: streams.to_vec(),
            private,
            taken: 0,
        }
    }
}

impl<'p> Replay<'p> {
    /// The run of the program of `rom` from `entry` on a private input, by these choices.
    pub(super) fn new(
        rom: &'p Rom,
        image: &'p Image,
        entry: u32,
        private: &'p [u8],
        choices: Reader<'p>,
    ) -> Self {
        Self { rom, state: State::new(rom, image, private), place: entry.into(), choices }
    }

    /// The next row; none where the choices are not those of this run.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Row> {
        let choice = self.choices.next()?;
        let row = self.state.take(self.place, self.rom.at(self.place).get(usize::from(choice))?)?;
        self.place = row.column(Column::Next);
        Some(row)
    }
}

impl<'p> Trace<'p> {
    /// The run of the program of `rom` from `entry`, with memory as `image` has it, on a private input.
    pub(super) fn new(rom: &'p Rom, image: &'p Image, entry: u32, private: &'p [u8]) -> Self {
        Self { rom, state: State::new(rom, image, private), place: entry.into(), ready: Zeroizing::default() }
    }

    /// The place of the next row.
    pub(super) fn place(&self) -> Place {
        self.ready.last().map_or(self.place, |(_, row)| row.place)
    }

    /// The word in a register.
    #[cfg(test)]
    pub(super) fn register(&self, number: u32) -> u32 {
        self.state.registers[number as usize]
    }

    /// The next row.
    #[cfg(test)]
    pub(super) fn next(&mut self) -> Option<Row> {
        self.choose().map(|(_, row)| row)
    }

    /// The next row, and the number of its alternative; none where the program has no way to go on that leads to
    /// its goal.
    pub(super) fn choose(&mut self) -> Option<(u8, Row)> {
        let Self { rom, state, place, ready } = self;
        if ready.is_empty() {
            if ready.capacity() < AT_ONCE {
                *ready = Zeroizing::new(Vec::with_capacity(AT_ONCE));
            }
            if !state.explore(rom, *place, ready) {
                return None;
            }
            *place = ready.last().expect("at least one").1.column(Column::Next);
            ready.reverse();
        }
        ready.pop()
    }

    /// Goes on as if a register were zero, with another private input: what a dishonest prover would do.
    #[cfg(test)]
    pub(super) fn forget(&mut self, number: u32, private: &'p [u8]) {
        self.state.registers[number as usize] = 0;
        (self.state.private, self.state.taken) = (private, 0);
    }

    /// Goes on from `place`, as the program would not.
    #[cfg(test)]
    pub(super) fn jump(&mut self, place: Place) {
        self.place = place;
        self.ready.clear();
    }

    /// Goes on as if a register held `word`, which it does not.
    #[cfg(test)]
    pub(super) fn set(&mut self, number: u32, word: u32) {
        self.state.registers[number as usize] = word;
    }

    /// Whether a prover comes from `place` to the end in `most` rows, who writes any of `words` where the
    /// program leaves it open.
    #[cfg(test)]
    pub(super) fn ends_by(&mut self, place: Place, words: &[u32], most: usize) -> bool {
        let rom = self.rom;
        for alternative in rom.at(place) {
            for word in if alternative.advice == Advice::None { &[0] } else { words } {
                let Some(row) = Row::fill(place, alternative, &self.state, || *word) else { continue };
                let (third, next) = (row.column(Column::Third), row.column(Column::Next));
                self.state.put(third, row.written());
                let ends = next == HALT || most > 0 && self.ends_by(next, words, most - 1);
                self.state.put(third, row.found[2]);
                if ends {
                    return true;
                }
            }
        }
        false
    }

    /// Whether it stands at an instruction, or where nobody goes back.
    #[cfg(test)]
    pub(super) fn is_between(&self) -> bool {
        self.ready.is_empty()
    }

    /// The number of ways in which it could go on from `place` to where nobody goes back, of which `most` are
    /// looked for.
    #[cfg(test)]
    pub(super) fn ways(&self, place: Place, most: usize) -> usize {
        let mut ways = 0;
        for alternative in self.rom.at(place) {
            let mut other = self.clone();
            let advice = other.state.advice(alternative.advice);
            let Some(row) = Row::fill(place, alternative, &other.state, || advice) else { continue };
            other.state.put(row.column(Column::Third), row.written());
            let next = row.column(Column::Next);
            ways += match self.rom.is_decided(next) {
                true => usize::from(!self.rom.at(next).is_empty()),
                false if most > 0 => other.ways(next, most - 1),
                false => 0,
            };
        }
        ways
    }

    /// Whether the run has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ready.is_empty() && self.place == HALT
    }
}

#[cfg(test)]
pub(super) mod tests;
