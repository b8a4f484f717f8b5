//! Automata of regular expressions, over a value of JSON as it is written.
//!
//! **Language.** A value matches an expression where what stands between its quotes does, if it is a string, or all of
//! it, if it is a number or a literal. So the automaton of an expression R takes `"w"` for each w of R, and each w of R
//! that is a number or a literal. That the quotes are those of one string is what a value that is hidden whole shows by
//! its own walk. Objects and arrays match nothing.
//!
//! Expressions are those of the crate `regex-syntax`, over bytes: `.` is any byte but a line feed, and classes are of
//! ASCII, unless `(?u)` has them of characters in UTF-8. An expression matches as a whole or not at all, so that there
//! are no anchors, and no other match is possible.
//!
//! **Form.** It is minimal, and its states are numbered in the order in which bytes lead to them: so it follows from the
//! language, whatever library found it.
//!
//! **Bounds.** An expression is as short as a text of a claim, its automaton has at most [`MOST_STATES`] states and
//! [`MOST_EDGES`] edges, and what it takes to find it is bounded, too: files of policies come from others.

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use std::collections::HashMap;
use std::sync::LazyLock;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};

/// The most bytes of an expression.
const MOST_BYTES: usize = 1024;
/// The most states of an automaton.
const MOST_STATES: usize = 256;
/// The most edges of an automaton, each for bytes in a row that lead from one state to another.
const MOST_EDGES: usize = 4096;
/// The most states before it is minimal.
const MOST_FOUND: usize = 1024;
/// The most bytes of memory of what the library finds on the way.
const MOST_MEMORY: usize = 1 << 19;
/// The most groups within groups of an expression.
const MOST_NESTED: u32 = 50;

/// The bytes from which no value is reached any more lead to no state.
const NONE: u16 = u16::MAX;

/// The numbers and literals of JSON (RFC 8259 sections 3 and 6).
const BARE: &str = "-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?|true|false|null";

static BARE_DFA: LazyLock<Dfa> =
    LazyLock::new(|| dfa(&parsed(BARE).expect("an expression")).expect("a small automaton"));

type Dfa = dense::DFA<Vec<u32>>;

/// A deterministic automaton over bytes, minimal, from each of whose states a value's end is reached. It begins in its
/// first state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Automaton {
    pub(super) states: Vec<State>,
}

/// A state of an automaton.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Whether a value may end there.
    pub(super) accepts: bool,
    /// The edges to other states, in the order of their bytes. All other bytes lead nowhere.
    pub(super) edges: Vec<Edge>,
}

/// Bytes in a row that lead to one state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Edge {
    pub(super) low: u8,
    pub(super) high: u8,
    pub(super) to: u16,
}

/// Appends an edge to some of lower bytes, or to the last of them where it goes on.
pub(super) fn append(edges: &mut Vec<Edge>, edge: Edge) {
    match edges.last_mut() {
        Some(last) if last.to == edge.to && last.high.checked_add(1) == Some(edge.low) => {
            last.high = edge.high
        }
        _ => edges.push(edge),
    }
}

/// A state of what is found, before it is minimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Found {
    /// The value begins.
    Begin,
    /// A string, by the automaton of the expression between quotes.
    Quoted(StateID),
    /// A number or a literal, by the automata of the expression and of these.
    Bare([StateID; 2]),
}

/// The automata of an expression, and of it between quotes.
struct Automata {
    bare: Dfa,
    quoted: Dfa,
}

impl Automaton {
    /// The automaton of an expression.
    ///
    /// # Errors
    /// The reason for which there is none, and what to do.
    pub(super) fn of(expression: &str) -> Result<Self, String> {
        if expression.len() > MOST_BYTES {
            return Err(format!("it has more than {MOST_BYTES} bytes"));
        }
        let hir = parsed(expression)?;
        if !hir.properties().look_set().is_empty() {
            return Err("a value matches as a whole or not at all: leave ^, $ and \\b out".into());
        }
        let quote = || Hir::literal(*b"\"");
        let quoted = dfa(&Hir::concat(vec![quote(), hir.clone(), quote()]))?;
        let (next, accepts) = Automata { bare: dfa(&hir)?, quoted }.found()?;
        let automaton = minimal(&next, &accepts).ok_or_else(large)?;
        if automaton.edges().count() > MOST_EDGES {
            return Err(large());
        }
        Ok(automaton)
    }

    /// All edges, each with the state that it is from.
    pub(super) fn edges(&self) -> impl Iterator<Item = (u16, &Edge)> {
        (0..).zip(&self.states).flat_map(|(from, state)| state.edges.iter().map(move |edge| (from, edge)))
    }

    /// Whether it takes these bytes. Without a branch on any.
    pub(super) fn takes(&self, bytes: impl Iterator<Item = u8>) -> bool {
        let end = bytes.fold(0u16, |state, byte| {
            self.edges().fold(NONE, |next, (from, Edge { low, high, to })| {
                let is_taken = from.ct_eq(&state) & !low.ct_gt(&byte) & !byte.ct_gt(high);
                u16::conditional_select(&next, to, is_taken)
            })
        });
        let takes = (0u16..).zip(&self.states).fold(Choice::from(0), |takes, (number, state)| {
            takes | (number.ct_eq(&end) & Choice::from(u8::from(state.accepts)))
        });
        takes.into()
    }
}

/// The words for an automaton that is beyond bounds.
fn large() -> String {
    format!(
        "its automaton has more than {MOST_STATES} states or {MOST_EDGES} edges: take a simpler expression, with \
         smaller numbers of repetitions"
    )
}

fn parsed(expression: &str) -> Result<Hir, String> {
    let mut parser = ParserBuilder::new();
    let parser = parser.unicode(false).utf8(false).nest_limit(MOST_NESTED);
    parser.build().parse(expression).map_err(|why| match &why {
        regex_syntax::Error::Parse(why) => why.kind().to_string(),
        regex_syntax::Error::Translate(why) => why.kind().to_string(),
        why => why.to_string(),
    })
}

/// The automaton of an expression that matches as a whole.
fn dfa(hir: &Hir) -> Result<Dfa, String> {
    let config = thompson::Config::new().utf8(false).which_captures(WhichCaptures::None);
    let config = config.nfa_size_limit(Some(MOST_MEMORY));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir).map_err(|_| large())?;
    let config = dense::Config::new().match_kind(MatchKind::All).start_kind(StartKind::Anchored);
    let config = config.dfa_size_limit(Some(MOST_MEMORY)).determinize_size_limit(Some(MOST_MEMORY));
    dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|_| large())
}

fn start(dfa: &Dfa) -> StateID {
    let input = Input::new("").anchored(Anchored::Yes);
    dfa.start_state_forward(&input).expect("it starts anchored")
}

fn accepts(dfa: &Dfa, state: StateID) -> bool {
    dfa.is_match_state(dfa.next_eoi_state(state))
}

/// The state to which a byte leads, if any.
fn step(dfa: &Dfa, state: StateID, byte: u8) -> Option<StateID> {
    let next = dfa.next_state(state, byte);
    (!dfa.is_dead_state(next)).then_some(next)
}

impl Automata {
    fn step(&self, state: Found, byte: u8) -> Option<Found> {
        let bare = |[one, other]: [StateID; 2]| {
            Some(Found::Bare([step(&self.bare, one, byte)?, step(&BARE_DFA, other, byte)?]))
        };
        match state {
            Found::Begin if byte == b'"' => step(&self.quoted, start(&self.quoted), byte).map(Found::Quoted),
            Found::Begin => bare([start(&self.bare), start(&BARE_DFA)]),
            Found::Quoted(state) => step(&self.quoted, state, byte).map(Found::Quoted),
            Found::Bare(states) => bare(states),
        }
    }

    fn accepts(&self, state: Found) -> bool {
        match state {
            Found::Begin => false,
            Found::Quoted(state) => accepts(&self.quoted, state),
            Found::Bare([one, other]) => accepts(&self.bare, one) && accepts(&BARE_DFA, other),
        }
    }

    /// All states in the order in which bytes lead to them: where each byte leads from each, and which accept.
    fn found(&self) -> Result<(Vec<[u16; 256]>, Vec<bool>), String> {
        let (mut found, mut numbers) = (vec![Found::Begin], HashMap::from([(Found::Begin, 0)]));
        let mut next = Vec::new();
        while let Some(state) = found.get(next.len()).copied() {
            let mut of_state = [NONE; 256];
            for byte in 0..=255 {
                let Some(to) = self.step(state, byte) else { continue };
                of_state[usize::from(byte)] = *numbers.entry(to).or_insert_with(|| {
                    found.push(to);
                    found.len() as u16 - 1
                });
            }
            next.push(of_state);
            if found.len() > MOST_FOUND {
                return Err(large());
            }
        }
        let accepts = found.iter().map(|state| self.accepts(*state)).collect();
        Ok((next, accepts))
    }
}

/// The minimal automaton, by refinement of its states (Moore): `None` where it has more than [`MOST_STATES`].
fn minimal(next: &[[u16; 256]], accepts: &[bool]) -> Option<Automaton> {
    let mut lives = accepts.to_vec();
    loop {
        let leads = |state: &[u16; 256]| state.iter().any(|to| *to != NONE && lives[usize::from(*to)]);
        let more: Vec<_> = next.iter().zip(&lives).map(|(state, lives)| *lives || leads(state)).collect();
        if more == lives {
            break;
        }
        lives = more;
    }
    // Bytes that lead to the same states everywhere are alike.
    let mut columns = HashMap::new();
    let of_byte = |byte: usize| next.iter().map(|state| state[byte]).collect::<Vec<_>>();
    let alike = (0..256).filter(|byte| columns.insert(of_byte(*byte), ()).is_none()).collect::<Vec<_>>();
    // All that do not live are one class, into which no edge leads.
    let class = |classes: &[u16], to: u16| if to == NONE { NONE } else { classes[usize::from(to)] };
    let mut classes: Vec<_> = accepts
        .iter()
        .zip(&lives)
        .map(|(accepts, lives)| if *lives { (*accepts).into() } else { NONE })
        .collect();
    let mut count = 0;
    loop {
        let mut numbers = HashMap::new();
        let refined = next.iter().zip(&classes).map(|(state, own)| {
            let to = alike.iter().map(|byte| class(&classes, state[*byte]));
            let signature = core::iter::once(*own).chain(to).collect::<Vec<_>>();
            let number = numbers.len() as u16;
            if *own == NONE { NONE } else { *numbers.entry(signature).or_insert(number) }
        });
        classes = refined.collect();
        if numbers.len() > MOST_STATES {
            return None;
        }
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    // Numbers are in the order of the first state of each class.
    let mut states = vec![State::default(); count.max(1)];
    for ((state, accepts), number) in next.iter().zip(accepts).zip(&classes).rev() {
        let Some(of_class) = states.get_mut(usize::from(*number)) else { continue };
        *of_class = State { accepts: *accepts, edges: Vec::new() };
        for (byte, to) in (0..=255).zip(state) {
            let to = class(&classes, *to);
            if to != NONE {
                append(&mut of_class.edges, Edge { low: byte, high: byte, to });
            }
        }
    }
    Some(Automaton { states })
}
