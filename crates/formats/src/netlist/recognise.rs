//! How each gate is computed with few ANDs.
//!
//! AIGs have nothing but ANDs: an XOR takes three of them, a MUX three, and a full adder seven or more.
//! A gate is looked at as a function of up to three nodes beneath it ([`Cut`]): where its polynomial over F_2
//! has degree one it is a sum, and free; where it has degree two, as a MUX and a majority have, it is
//! one AND whatever stands between. So what stands between costs nothing, unless something else needs it.

use super::cut::Cut;
use super::logic::{Gate, Literal, Logic};

/// How a gate is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// The gate as it stands.
    Gate,
    /// The function of its cut.
    Cut,
    /// The sum of its operands, of which one is always one where it is an AND, and one more.
    Sum,
}

/// A choice of cuts: which nodes are computed, and how.
pub(super) struct Cover {
    ways: Vec<Way>,
    cuts: Vec<Cut>,
    needed: Vec<bool>,
    first: u32,
}

impl Cover {
    /// All gates that are needed, as they stand.
    pub(super) fn plain(logic: &Logic) -> Self {
        let ways = vec![Way::Gate; logic.gates.len()];
        let mut cover = Self { ways, cuts: Vec::new(), needed: Vec::new(), first: logic.first_gate() };
        cover.find_needed(logic);
        cover
    }

    /// The cover with XOR, MUX and their kind.
    pub(super) fn recognised(logic: &Logic) -> Self {
        let uses = uses(logic);
        let (ways, cuts, sums) = Search::new(logic, &uses).run();
        let mut cover = Self { ways, cuts, needed: Vec::new(), first: logic.first_gate() };
        cover.find_needed(logic);
        // What both operands are needed for in any case is their sum for free.
        let needed = |node: u32| node < cover.first || cover.needed[(node - cover.first) as usize];
        for (k, gate) in logic.gates.iter().enumerate() {
            if sums[k] && cover.ways[k] == Way::Cut && cover.cuts[k].degree() == 2 {
                let [a, b] = gate.operands();
                if needed(a.node()) && needed(b.node()) {
                    cover.ways[k] = Way::Sum;
                }
            }
        }
        cover.find_needed(logic);
        cover
    }

    /// How gate number `gate` is computed, if it is.
    #[inline(always)]
    pub(super) fn way(&self, gate: usize) -> Option<Way> {
        self.needed[gate].then_some(self.ways[gate])
    }

    /// The cut of gate number `gate`, where it is computed by that.
    #[inline(always)]
    pub(super) fn cut(&self, gate: usize) -> &Cut {
        &self.cuts[gate]
    }

    fn find_needed(&mut self, logic: &Logic) {
        let first = self.first;
        let mut needed = vec![false; logic.gates.len()];
        let need = |needed: &mut Vec<bool>, node: u32| {
            if node >= first {
                needed[(node - first) as usize] = true;
            }
        };
        logic.sinks().for_each(|sink| need(&mut needed, sink.node()));
        for (k, gate) in logic.gates.iter().enumerate().rev() {
            if !needed[k] {
                continue;
            }
            if self.ways[k] == Way::Cut {
                self.cuts[k].nodes().iter().for_each(|&leaf| need(&mut needed, leaf));
            } else {
                gate.operands().into_iter().for_each(|operand| need(&mut needed, operand.node()));
            }
        }
        self.needed = needed;
    }
}

/// How often each node is read, three times or more being one.
fn uses(logic: &Logic) -> Vec<u8> {
    let mut uses = vec![0u8; logic.first_gate() as usize + logic.gates.len()];
    let operands = logic.gates.iter().flat_map(|gate| gate.operands());
    for literal in operands.chain(logic.sinks()) {
        let uses = &mut uses[literal.node() as usize];
        *uses = (*uses + 1).min(3);
    }
    uses
}

/// Finds the best cut of each gate, from the inputs on.
struct Search<'a> {
    logic: &'a Logic,
    uses: &'a [u8],
    first: u32,
    cuts: Vec<Cut>,
    ways: Vec<Way>,
    /// Whether the gate is the sum of its operands and one more, in the end.
    sums: Vec<bool>,
    /// Whether the gate takes no AND.
    free: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(logic: &'a Logic, uses: &'a [u8]) -> Self {
        let count = logic.gates.len();
        Self {
            logic,
            uses,
            first: logic.first_gate(),
            cuts: Vec::with_capacity(count),
            ways: Vec::with_capacity(count),
            sums: Vec::with_capacity(count),
            free: Vec::with_capacity(count),
        }
    }

    fn run(mut self) -> (Vec<Way>, Vec<Cut>, Vec<bool>) {
        for &gate in &self.logic.gates {
            let (cut, sum) = self.best(gate);
            let way = self.way(gate, &cut);
            let free = match way {
                Way::Cut => cut.degree() < 2,
                _ => gate.is_xor(),
            };
            self.cuts.push(cut);
            self.sums.push(sum);
            self.ways.push(way);
            self.free.push(free);
        }
        (self.ways, self.cuts, self.sums)
    }

    /// The best cut that looks beneath an operand, if there is any; and whether the gate is a sum.
    #[inline(always)]
    fn best(&self, gate: Gate) -> (Cut, bool) {
        let [x, y] = gate.operands().map(Literal::node);
        let (mut best, mut rank, mut sum) = (Cut::ABSENT, u8::MAX, gate.is_xor());
        if x < self.first && y < self.first {
            return (best, sum);
        }
        let (a, b) = (self.beneath(x), self.beneath(y));
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                if (i, j) == (0, 0) || x.is_absent() || y.is_absent() {
                    continue;
                }
                let Some((cut, covers)) = Cut::join(gate, x, y) else { continue };
                sum |= covers;
                let cut = cut.reduced();
                let of_cut = self.rank(&cut);
                if of_cut < rank {
                    (best, rank) = (cut, of_cut);
                    if cut.len() < 3 && cut.degree() < 2 {
                        return (best, sum);
                    }
                }
            }
        }
        (best, sum)
    }

    /// A node as a leaf, as its gate, and as its own best cut.
    #[inline(always)]
    fn beneath(&self, node: u32) -> [Cut; 3] {
        match node.checked_sub(self.first) {
            Some(k) => {
                let k = k as usize;
                [Cut::node(node), Cut::gate(self.logic.gates[k]), self.cuts[k]]
            }
            None => [Cut::node(node), Cut::ABSENT, Cut::ABSENT],
        }
    }

    /// The lower the better: few ANDs, few leaves, and leaves that others read, too, since there
    /// paths join again.
    #[inline(always)]
    fn rank(&self, cut: &Cut) -> u8 {
        let alone = cut.nodes().iter().filter(|leaf| self.uses[**leaf as usize] < 2).count();
        cut.degree().max(1) * 16 + cut.len() as u8 * 4 + alone as u8
    }

    #[inline(always)]
    fn way(&self, gate: Gate, cut: &Cut) -> Way {
        if cut.is_absent() {
            return Way::Gate;
        }
        // What is left out of the operands where the cut is taken, and takes an AND.
        let spared = |node: u32| {
            let made = node.checked_sub(self.first).filter(|k| !self.free[*k as usize]);
            made.is_some() && !cut.nodes().contains(&node)
        };
        let [a, b] = gate.operands().map(|operand| operand.node());
        let alone = |node: u32| self.uses[node as usize] < 2;
        let worth = match cut.degree() {
            0 | 1 => !gate.is_xor() || cut.len() < 2 || spared(a) || spared(b),
            2 if gate.is_xor() => spared(a) && spared(b) && alone(a) && alone(b),
            2 => spared(a) || spared(b),
            _ => false,
        };
        if worth { Way::Cut } else { Way::Gate }
    }
}
