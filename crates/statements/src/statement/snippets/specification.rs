//! Programming against a specification: boxes of two kinds, each with its room.
//!
//! ```c
//! int specification(const char *input) {
//!     const char *small = "small_box";
//!     const char *large = "large_box";
//!     bool known = strncmp(input, small, sizeof(small)) == 0    /* strlen(small) was meant */
//!               || strncmp(input, large, strlen(large)) == 0;
//!     if (!known)
//!         return -1;
//!     size_t room = 0;
//!     if (strncmp(input, small, strlen(small)) == 0)
//!         room = 32;
//!     else if (strncmp(input, large, strlen(large)) == 0)
//!         room = 64;
//!     unsigned char *box = calloc(room, 1);
//!     size_t at = 0;
//!     for (int i = 0; i < 14; i++) {                            /* spread the label over the box */
//!         if (input[i] == 0)
//!             break;
//!         at = (at * 31 + (unsigned char) input[i]) & (room - 1);
//!         box[at] = box[at] + 1;
//!     }
//!     int seal = 0;
//!     while (at != 0) {                                         /* and read a trail of it */
//!         at--;
//!         seal = seal * 33 + box[at];
//!     }
//!     free(box);
//!     return seal;
//! }
//! ```
//! As a pointer has 8 bytes, `small_bo` and anything after it is known, and no room is made for it.

use volery_circuit::Backend;
use volery_gadgets::code::string::{Text, strlen, strncmp};
use volery_gadgets::code::{Code, sizeof};
use volery_primitives::F2;

/// Pushes the snippet.
pub fn run<'c, B: Backend<F = F2>>(code: &'c Code<B>, input: &Text<'c, B>) {
    let small = &code.string("small", "small_box");
    let large = &code.string("large", "large_box");
    code.function(code.int(0), |function| {
        let known = strncmp(input, small, sizeof(small)).is_zero();
        let known = known.or(|| strncmp(input, large, strlen(large)).is_zero());
        code.when(!known, || function.return_(code.int(-1)));
        let room = code.var(code.size(0));
        code.when_else(
            strncmp(input, small, strlen(small)).is_zero(),
            || room.set(code.size(32)),
            || {
                code.when(strncmp(input, large, strlen(large)).is_zero(), || room.set(code.size(64)));
            },
        );
        let room = room.get();
        let boxed = code.malloc::<8>("box", 64, room);
        let at = code.var(code.size(0));
        code.for_(0..14, |i| {
            let c = input.at(i);
            code.when(c.is_zero(), || code.break_());
            at.set((at.get() * 31 + c.size()) & (room - 1));
            boxed.set_at(at.get(), boxed.at(at.get()) + 1);
        });
        let seal = code.var(code.int(0));
        code.while_(
            63,
            || at.get().not_zero(),
            || {
                at.update(|at| at - 1);
                seal.set(seal.get() * 33 + boxed.at(at.get()).int());
            },
        );
        boxed.free();
        function.return_(seal.get());
    });
}
