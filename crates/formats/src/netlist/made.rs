//! AIGs that tests make up, written in both encodings, and evaluated by nothing but the description of the
//! format.

/// An AIG. Literals are those of AIGER: inputs, latches and ANDs are numbered in this order, and so all
/// inputs and latches have to be there before the first AND.
#[derive(Clone, Debug, Default)]
pub struct Aig {
    /// The number of inputs.
    pub inputs: u32,
    /// Next state, and the literal of the first: 0, 1, or that of the latch.
    pub latches: Vec<(u32, u32)>,
    /// The operands of each AND.
    pub ands: Vec<(u32, u32)>,
    /// The literals of outputs.
    pub outputs: Vec<u32>,
    /// The literals of bad states.
    pub bad: Vec<u32>,
    /// The literals of constraints.
    pub constraints: Vec<u32>,
    /// Lines behind the ANDs.
    pub symbols: String,
}

impl Aig {
    /// An AIG of inputs alone.
    pub fn new(inputs: u32) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// The literal of `a ∧ b`, a gate.
    pub fn and(&mut self, a: u32, b: u32) -> u32 {
        self.ands.push((a.max(b), a.min(b)));
        2 * (self.inputs + self.latches.len() as u32 + self.ands.len() as u32)
    }

    /// The literal of `a ∨ b`, a gate.
    pub fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// The literal of `a ⊕ b`, in three gates.
    pub fn xor(&mut self, a: u32, b: u32) -> u32 {
        let (both, none) = (self.and(a, b), self.and(a ^ 1, b ^ 1));
        self.and(both ^ 1, none ^ 1)
    }

    /// The literal of `s ? yes : no`, in three gates.
    pub fn mux(&mut self, s: u32, yes: u32, no: u32) -> u32 {
        let (yes, no) = (self.and(s, yes), self.and(s ^ 1, no));
        self.or(yes, no)
    }

    fn head(&self, kind: &str) -> String {
        let (latches, ands) = (self.latches.len(), self.ands.len());
        let variables = self.inputs as usize + latches + ands;
        let mut head = format!("{kind} {variables} {} {latches} {} {ands}", self.inputs, self.outputs.len());
        if self.bad.len() + self.constraints.len() > 0 {
            head += &format!(" {} {}", self.bad.len(), self.constraints.len());
        }
        head + "\n"
    }

    fn lists(&self) -> String {
        let all = self.outputs.iter().chain(&self.bad).chain(&self.constraints);
        all.map(|literal| format!("{literal}\n")).collect()
    }

    /// The file in text.
    pub fn text(&self) -> Vec<u8> {
        let mut text = self.head("aag");
        (1..=self.inputs).for_each(|input| text += &format!("{}\n", 2 * input));
        for (own, (next, reset)) in (self.inputs + 1..).zip(&self.latches) {
            text += &format!("{} {next} {reset}\n", 2 * own);
        }
        text += &self.lists();
        for (own, (a, b)) in (self.inputs + self.latches.len() as u32 + 1..).zip(&self.ands) {
            text += &format!("{} {a} {b}\n", 2 * own);
        }
        (text + &self.symbols).into_bytes()
    }

    /// The file in bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut text = self.head("aig");
        self.latches.iter().for_each(|(next, reset)| text += &format!("{next} {reset}\n"));
        text += &self.lists();
        let mut bytes = text.into_bytes();
        for (own, (a, b)) in (self.inputs + self.latches.len() as u32 + 1..).zip(&self.ands) {
            for mut difference in [2 * own - a, a - b] {
                while difference >= 128 {
                    bytes.push(difference as u8 | 128);
                    difference >>= 7;
                }
                bytes.push(difference as u8);
            }
        }
        bytes.extend_from_slice(self.symbols.as_bytes());
        bytes
    }

    /// The values of outputs, of bad states and of constraints in each step, for inputs in each step and what
    /// free latches carry at first.
    pub fn run(&self, steps: &[Vec<bool>], free: &[bool]) -> Vec<[Vec<bool>; 3]> {
        let mut free = free.iter();
        let mut state: Vec<bool> = Vec::new();
        for (_, reset) in &self.latches {
            state.push(if *reset > 1 { *free.next().unwrap() } else { *reset == 1 });
        }
        let mut seen = Vec::new();
        for inputs in steps {
            let mut values = [&[false][..], inputs, &state].concat();
            let of = |values: &[bool], literal: u32| values[literal as usize / 2] ^ (literal % 2 == 1);
            for (a, b) in &self.ands {
                values.push(of(&values, *a) & of(&values, *b));
            }
            let all = |literals: &[u32]| literals.iter().map(|l| of(&values, *l)).collect::<Vec<_>>();
            seen.push([all(&self.outputs), all(&self.bad), all(&self.constraints)]);
            state = self.latches.iter().map(|(next, _)| of(&values, *next)).collect();
        }
        seen
    }
}
