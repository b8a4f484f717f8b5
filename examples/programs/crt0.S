# Before main: the stack is set up by whoever loads the program, and all other registers are zero.
    .section .text.init
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la tp, __thread_pointer$
    call main
    li a7, 93
    ecall
    .size _start, . - _start
