//! Parsing of a text: percent signs, each with two digits of a character's number, as in addresses.
//!
//! ```c
//! int hexadecimal(unsigned char c) {
//!     return isdigit(c) ? c - '0' : (c & 15) + 9;
//! }
//!
//! int parsing(const char *input) {
//!     unsigned char text[16] = {0};
//!     unsigned char counts[256] = {0};
//!     size_t i = 0, n = 0;
//!     while (input[i] != 0) {
//!         unsigned char c = input[i];
//!         if (c == '%') {
//!             c = 16 * hexadecimal(input[i + 1]) + hexadecimal(input[i + 2]);
//!             i += 3;                                           /* the text may end before */
//!         } else {
//!             i++;
//!         }
//!         text[n] = c;
//!         n++;
//!     }
//!     for (size_t j = 0; j < n; j++)
//!         counts[text[j]]++;
//!     for (size_t j = 0; j < n; j++)                            /* each character becomes its number */
//!         text[j] = counts[text[j]];
//!     int best = 0;
//!     for (int c = 0; c < 256; c++)
//!         if (counts[c] > counts[best])
//!             best = c;
//!     return best;
//! }
//! ```

use volery_circuit::Backend;
use volery_gadgets::code::string::{Text, isdigit};
use volery_gadgets::code::{Char, Code};
use volery_primitives::F2;

/// Pushes the snippet.
pub fn run<'c, B: Backend<F = F2>>(code: &'c Code<B>, input: &Text<'c, B>) {
    let text = code.zeros::<8>("text", 16);
    let counts = code.zeros::<8>("counts", 256);
    let (i, n) = (code.var(code.size(0)), code.var(code.size(0)));
    code.while_(
        14,
        || input.at(i.get()).not_zero(),
        || {
            let c = code.var(input.at(i.get()));
            code.when_else(
                c.get().eq('%'),
                || {
                    let (high, low) = (input.at(i.get() + 1), input.at(i.get() + 2));
                    c.set((hexadecimal(high) << 4) + hexadecimal(low));
                    i.update(|i| i + 3);
                },
                || i.update(|i| i + 1),
            );
            text.set_at(n.get(), c.get());
            n.update(|n| n + 1);
        },
    );
    code.for_(0..14, |j| {
        code.when(n.get().le(j), || code.break_());
        let c = text.at(j);
        counts.set_at(c, counts.at(c) + 1);
    });
    code.for_(0..14, |j| {
        code.when(n.get().le(j), || code.break_());
        text.set_at(j, counts.at(text.at(j)));
    });
    let best = code.var(code.int(0));
    let most = code.var(counts.at(0));
    code.for_(0..256, |c| {
        code.when(counts.at(c).gt(most.get()), || {
            best.set(code.int(c));
            most.set(counts.at(c));
        });
    });
}

fn hexadecimal<'c, B: Backend<F = F2>>(c: Char<'c, B>) -> Char<'c, B> {
    isdigit(c).select(c - '0', (c & 15) + 9)
}
