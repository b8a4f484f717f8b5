//! BLAKE3 under a key, of counters side by side. In plain Rust, over arrays that a compiler puts into vectors:
//! instruction sets differ in what they allow it to take.

use crate::arch::SEARCHED;

type Lanes = [u32; SEARCHED];

/// The first words of the initial value, which is that of SHA-256.
const INITIAL: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];
/// A chunk that begins and ends, and is the root, under a key.
const FLAGS: u32 = 1 | 2 | 8 | 16;
/// The bytes of a counter.
const LENGTH: u32 = 4;
/// The order in which each round takes the words of the message.
const SCHEDULE: [[usize; 16]; 7] = {
    const NEXT: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut i = 0;
    while i < 16 {
        schedule[0][i] = i;
        i += 1;
    }
    let mut round = 1;
    while round < 7 {
        let mut i = 0;
        while i < 16 {
            schedule[round][i] = schedule[round - 1][NEXT[i]];
            i += 1;
        }
        round += 1;
    }
    schedule
};

#[inline(always)]
pub(in crate::arch) fn search(key: &[u32; 8], first: u32, words: &mut [u32; SEARCHED]) {
    let mut counters = [0; SEARCHED];
    for (counter, i) in counters.iter_mut().zip(0..) {
        *counter = first.wrapping_add(i);
    }
    let mut state = [[0; SEARCHED]; 16];
    for (state, word) in state.iter_mut().zip(key.iter().chain(&INITIAL).chain(&[0, 0, LENGTH, FLAGS])) {
        *state = [*word; SEARCHED];
    }
    let zero = [0; SEARCHED];
    for order in &SCHEDULE {
        let word = |place: usize| if order[place] == 0 { &counters } else { &zero };
        mix(&mut state, [0, 4, 8, 12], word(0), word(1));
        mix(&mut state, [1, 5, 9, 13], word(2), word(3));
        mix(&mut state, [2, 6, 10, 14], word(4), word(5));
        mix(&mut state, [3, 7, 11, 15], word(6), word(7));
        mix(&mut state, [0, 5, 10, 15], word(8), word(9));
        mix(&mut state, [1, 6, 11, 12], word(10), word(11));
        mix(&mut state, [2, 7, 8, 13], word(12), word(13));
        mix(&mut state, [3, 4, 9, 14], word(14), word(15));
    }
    for lane in 0..SEARCHED {
        words[lane] = state[4][lane] ^ state[12][lane];
    }
}

/// The quarter of a round, BLAKE3 section 2.2.
#[inline(always)]
fn mix(state: &mut [Lanes; 16], [a, b, c, d]: [usize; 4], x: &Lanes, y: &Lanes) {
    for lane in 0..SEARCHED {
        let [mut p, mut q, mut r, mut s] = [a, b, c, d].map(|word| state[word][lane]);
        p = p.wrapping_add(q).wrapping_add(x[lane]);
        s = (s ^ p).rotate_right(16);
        r = r.wrapping_add(s);
        q = (q ^ r).rotate_right(12);
        p = p.wrapping_add(q).wrapping_add(y[lane]);
        s = (s ^ p).rotate_right(8);
        r = r.wrapping_add(s);
        q = (q ^ r).rotate_right(7);
        for (word, value) in [(a, p), (b, q), (c, r), (d, s)] {
            state[word][lane] = value;
        }
    }
}
