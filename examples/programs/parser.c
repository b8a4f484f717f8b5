/* Reads a file of chunks, each a tag, a length of two bytes and so many bytes, and adds up what stands in
   chunks "D". It has a bug of a kind that such readers had often: a length is compared after it has been
   added to, in 16 bits. The exit code is 0 where the file is sound as it sees it, and 1 where not; and there
   are files by which it writes where it must not. Who knows one can prove that by --exit crash, without
   showing it. */
#include "volery.h"

static u8 file[1024];
static u32 size, sum;

static void chunk(const u8 *body, u16 length)
{
    u8 copy[64];
    u16 padded = length + 3; /* wraps from 65533 on */
    padded &= ~3;
    if (padded > sizeof copy) leave(1);
    for (u32 i = 0; i < length; i++) copy[i] = body[i];
    for (u32 i = 0; i < length && i < sizeof copy; i++) sum += copy[i];
}

int main(void)
{
    size = read_private(file, sizeof file);
    for (u32 at = 0; at + 3 <= size;) {
        u8 tag = file[at];
        u16 length = file[at + 1] | file[at + 2] << 8;
        at += 3;
        if (tag == 'D') chunk(file + at, length);
        else if (tag != 'C') leave(1);
        at += length;
    }
    write_output(&sum, 4);
    return 0;
}
