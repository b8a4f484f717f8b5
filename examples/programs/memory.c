/* What compilers call where they copy. */
#include "volery.h"

void *memcpy(void *to, const void *from, u32 length)
{
    u8 *t = to;
    const u8 *f = from;
    if (!(((u32)t | (u32)f) & 3))
        for (; length >= 4; length -= 4, t += 4, f += 4) *(u32 *)t = *(const u32 *)f;
    while (length--) *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, u32 length)
{
    u8 *t = to;
    while (length--) *t++ = byte;
    return to;
}

int memcmp(const void *one, const void *other, u32 length)
{
    const u8 *a = one, *b = other;
    for (; length--; a++, b++)
        if (*a != *b) return *a < *b ? -1 : 1;
    return 0;
}
