/* A statement of account, one entry to a line, whose amount is the number at its end, behind a line with the currency:
   gives that out, and the exit code is 0 where the amounts come to 10000 and more. No branch and no address depends on a
   byte of it, so that it takes public control. */
#include "volery.h"

/* 1 where a byte is `other`, and else 0. */
static u32 is(u32 byte, u32 other) { return ((byte ^ other) - 1) >> 31; }

int main(void)
{
    static u8 text[1 << 16];
    u32 length = read_private(text, sizeof text);
    u32 total = 0, amount = 0, wrong = length < 4 || length == sizeof text;
    for (u32 i = 0; i < length; i++) {
        u32 digit = text[i] - '0', is_digit = digit < 10, ends = is(text[i], '\n');
        /* What is too large to be added up is no amount. */
        wrong |= amount >> 24 | total >> 31;
        total += amount & -ends;
        amount = (10 * amount + digit) & -is_digit;
    }
    write_output(text, length < 3 ? length : 3);
    return (wrong != 0) | (total < 10000);
}
