/* The CRC-32 of the private input, of 4096 bytes at most, by bits and without a branch on them. */
#include "volery.h"

static u8 message[4096];

int main(void)
{
    u32 length = read_private(message, sizeof message), crc = ~0u;
    for (u32 i = 0; i < length; i++) {
        crc ^= message[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    crc = ~crc;
    write_output(&crc, 4);
    return 0;
}
