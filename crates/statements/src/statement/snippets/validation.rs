//! Validation of what a user types: a name and an age.
//!
//! ```c
//! int validation(const char *input) {
//!     unsigned char name[16] = {0};
//!     unsigned short visitors[100] = {0};
//!     size_t n = 0;
//!     while (input[n] != ':') {
//!         unsigned char c = input[n];
//!         if (!isalnum(c) || n == 10)
//!             return -1;
//!         name[n] = tolower(c);
//!         n++;
//!     }
//!     if (n == 0)
//!         return -1;
//!     int age = atoi(input + n + 1);
//!     if (age > 99)                                             /* nor may it be negative */
//!         return -1;
//!     visitors[age] = visitors[age] + 1;
//!     unsigned code = 0;
//!     for (size_t i = 0; i < n; i++) {                          /* and those who share a name */
//!         code = code * 37 + name[i];
//!         visitors[code % 100] = visitors[code % 100] + age;
//!     }
//!     for (int d = -4; d <= 4; d++)                             /* whoever is about as old */
//!         if (age + d >= 0 && age + d < 100)
//!             visitors[age + d] = visitors[age + d] + (5 - abs(d));
//!     int most = 0;
//!     for (int i = 0; i < 100; i++)
//!         if (visitors[i] > visitors[most])
//!             most = i;
//!     return most;
//! }
//! ```

use volery_circuit::Backend;
use volery_gadgets::code::Code;
use volery_gadgets::code::string::{Text, atoi, isalnum, tolower};
use volery_primitives::F2;

/// Pushes the snippet.
pub fn run<'c, B: Backend<F = F2>>(code: &'c Code<B>, input: &Text<'c, B>) {
    let name = code.zeros::<8>("name", 16);
    let visitors = code.zeros::<16>("visitors", 100);
    code.function(code.int(0), |function| {
        let n = code.var(code.size(0));
        code.while_(
            11,
            || input.at(n.get()).ne(':'),
            || {
                let c = input.at(n.get());
                code.when(!isalnum(c) | n.get().eq(10), || function.return_(code.int(-1)));
                name.set_at(n.get(), tolower(c));
                n.update(|n| n + 1);
            },
        );
        code.when(n.get().is_zero(), || function.return_(code.int(-1)));
        let age = atoi(&(input + (n.get() + 1)));
        code.when(age.gt(99), || function.return_(code.int(-1)));
        visitors.set_at(age, visitors.at(age) + 1);
        let sum = code.var(code.number::<32, false>(0));
        let i = code.var(code.size(0));
        code.while_(
            10,
            || i.get().lt(n.get()),
            || {
                sum.set(sum.get() * 37 + name.at(i.get()).cast());
                let place = sum.get() % 100;
                visitors.set_at(place, visitors.at(place) + age.cast());
                i.update(|i| i + 1);
            },
        );
        code.for_(-4..5, |d| {
            let near = age + d;
            code.when(near.ge(0) & near.lt(100), || {
                visitors.set_at(near, visitors.at(near) + (5 - d.abs()));
            });
        });
        let (most, best) = (code.var(code.int(0)), code.var(visitors.at(0)));
        code.for_(0..100, |i| {
            code.when(visitors.at(i).gt(best.get()), || {
                most.set(code.int(i));
                best.set(visitors.at(i));
            });
        });
        function.return_(most.get());
    });
}
