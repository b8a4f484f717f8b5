/* A machine with a stack, whose program is the private input and whose input is the public one: "I know a
   program that makes this of that". It gives out its first 8 variables. Exit code 0 at its end, 3 where it
   leaves its bounds, 4 where it divides by zero, 5 where there is no such operation. */
#include "volery.h"

enum { END, PUSH, ADD, SUB, MUL, LOAD, STORE, JUMP_IF, LESS, REM, INPUT };

/* So many values each takes from the stack. */
static const u8 takes[] = {0, 0, 2, 2, 2, 0, 1, 1, 2, 2, 0};

static u8 code[256];
static int stack[64], variable[16], input[64];

int main(void)
{
    u32 length = read_private(code, sizeof code - 1), inputs = read_public(input, sizeof input) / 4;
    u32 pc = 0, top = 0, taken = 0;
    for (;;) {
        if (pc >= length || top > 60) return 3;
        u8 operation = code[pc++], operand = code[pc];
        if (operation > INPUT) return 5;
        if (top < takes[operation]) return 3;
        top -= takes[operation];
        int a = stack[top], b = stack[top + 1];
        switch (operation) {
        case END: write_output(variable, 32); return 0;
        case PUSH: stack[top++] = (signed char)operand, pc++; break;
        case LOAD: stack[top++] = variable[operand & 15], pc++; break;
        case STORE: variable[operand & 15] = a, pc++; break;
        case JUMP_IF: pc += 1 + (a ? (signed char)operand : 0); break;
        case ADD: stack[top++] = a + b; break;
        case SUB: stack[top++] = a - b; break;
        case MUL: stack[top++] = a * b; break;
        case LESS: stack[top++] = a < b; break;
        case REM:
            if (!b) return 4;
            stack[top++] = a % b;
            break;
        case INPUT: stack[top++] = taken < inputs ? input[taken++] : 0; break;
        }
    }
}
