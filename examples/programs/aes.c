/* AES-128 of the public input, a block of 16 bytes, under a private key of 16 bytes: "I know the key by which
   this block becomes that one". The S-box is computed, since a table would be looked up at secret addresses.
   */
#include "volery.h"

static u8 doubled(u8 x) { return x << 1 ^ (0x1b & -(x >> 7)); }

static u8 product(u8 x, u8 y)
{
    u8 sum = 0;
    for (int i = 0; i < 8; i++) {
        sum ^= x & -(y >> i & 1);
        x = doubled(x);
    }
    return sum;
}

/* x^254 is the inverse, and zero for zero. */
static u8 substitute(u8 x)
{
    u8 x2 = product(x, x), x3 = product(x2, x), x6 = product(x3, x3), x12 = product(x6, x6);
    u8 x15 = product(x12, x3), x30 = product(x15, x15), x60 = product(x30, x30), x120 = product(x60, x60);
    u8 x126 = product(x120, x6), x127 = product(x126, x), y = product(x127, x127);
    return y ^ (y << 1 | y >> 7) ^ (y << 2 | y >> 6) ^ (y << 3 | y >> 5) ^ (y << 4 | y >> 4) ^ 0x63;
}

static u8 key[16], state[16], next[16];

static void add_key(void)
{
    for (int i = 0; i < 16; i++) state[i] ^= key[i];
}

static void next_key(u8 constant)
{
    for (int i = 0; i < 4; i++) key[i] ^= substitute(key[12 + (i + 1) % 4]);
    key[0] ^= constant;
    for (int i = 4; i < 16; i++) key[i] ^= key[i - 4];
}

int main(void)
{
    if (read_private(key, 16) != 16 || read_public(state, 16) != 16) return 2;
    u8 constant = 1;
    add_key();
    for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 16; i++) next[i] = substitute(state[(5 * i) % 16]);
        for (int i = 0; i < 16; i++) {
            const u8 *c = next + i / 4 * 4;
            u8 a = c[i % 4], b = c[(i + 1) % 4], d = c[(i + 2) % 4], e = c[(i + 3) % 4];
            state[i] = round == 10 ? a : doubled(a) ^ doubled(b) ^ b ^ d ^ e;
        }
        next_key(constant);
        constant = doubled(constant);
        add_key();
    }
    write_output(state, 16);
    return 0;
}
