//! Allocation of memory: a matrix of a size that the user chooses.
//!
//! ```c
//! int allocation(const char *input) {
//!     int rows = atoi(input);
//!     const char *x = strchr(input, 'x');
//!     if (x == NULL)
//!         return -1;
//!     int columns = atoi(x + 1);
//!     if (rows < 1 || rows > 16 || columns < 1 || columns > 16)
//!         return -1;
//!     unsigned char size = rows * columns;                      /* 256 does not fit */
//!     unsigned char *matrix = calloc(size, 1);
//!     for (int i = 0; i < 16; i++) {                            /* only its diagonal    */
//!         if (i == rows || i == columns)
//!             break;
//!         matrix[i * columns + i] = 10 * rows + i;
//!     }
//!     int trace = 0;
//!     for (int i = 0; i < 16; i++) {
//!         if (i == rows || i == columns)
//!             break;
//!         trace += matrix[i * columns + i];
//!     }
//!     for (int i = 0; i < 16; i += 2) {                         /* and the end of every other row */
//!         if (i >= rows)
//!             break;
//!         trace += matrix[i * columns + columns - 1];
//!     }
//!     free(matrix);
//!     return trace;
//! }
//! ```

use volery_circuit::Backend;
use volery_gadgets::code::Code;
use volery_gadgets::code::string::{Text, atoi, strchr};
use volery_primitives::F2;

/// Pushes the snippet.
pub fn run<'c, B: Backend<F = F2>>(code: &'c Code<B>, input: &Text<'c, B>) {
    code.function(code.int(0), |function| {
        let rows = atoi(input);
        let x = strchr(input, code.char('x'));
        code.when(x.is_null(), || function.return_(code.int(-1)));
        let columns = atoi(&(&x + 1));
        let wrong = rows.lt(1) | rows.gt(16) | columns.lt(1) | columns.gt(16);
        code.when(wrong, || function.return_(code.int(-1)));
        let size = (rows * columns).char();
        let matrix = code.malloc::<8>("matrix", 256, size.size());
        code.for_(0..16, |i| {
            code.when(rows.eq(i) | columns.eq(i), || code.break_());
            matrix.set_at(columns * i + i, (rows * 10 + i).char());
        });
        let trace = code.var(code.int(0));
        code.for_(0..16, |i| {
            code.when(rows.eq(i) | columns.eq(i), || code.break_());
            trace.update(|trace| trace + matrix.at(columns * i + i).int());
        });
        code.for_(0..8, |half| {
            let i = 2 * half;
            code.when(rows.le(i), || code.break_());
            trace.update(|trace| trace + matrix.at(columns * i + columns - 1).int());
        });
        matrix.free();
        function.return_(trace.get());
    });
}
