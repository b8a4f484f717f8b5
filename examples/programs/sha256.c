/* SHA-256 of the private input, of any length: "I know what this is the hash of". No branch and no address
   depends on a byte of it. */
#include "volery.h"

static const u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))

static void block(u32 *h, const u8 *p)
{
    u32 w[64];
    for (int i = 0; i < 16; i++, p += 4) w[i] = p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        u32 a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (ROTATE(a, 7) ^ ROTATE(a, 18) ^ a >> 3) + w[i - 7] +
               (ROTATE(b, 17) ^ ROTATE(b, 19) ^ b >> 10);
    }
    u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
    for (int i = 0; i < 64; i++) {
        u32 t = k + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + (g ^ (e & (f ^ g))) + K[i] + w[i];
        u32 s = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (c & (a ^ b)));
        k = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + s;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += k;
}

static u8 buffer[128];

int main(void)
{
    u32 h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u64 length = 0;
    u32 rest;
    while ((rest = read_private(buffer, 64)) == 64) {
        block(h, buffer);
        length += 64;
    }
    length = 8 * (length + rest);
    u32 end = rest < 56 ? 64 : 128;
    buffer[rest++] = 0x80;
    while (rest < end - 8) buffer[rest++] = 0;
    for (int i = 1; i <= 8; i++, length >>= 8) buffer[end - i] = length;
    for (u32 i = 0; i < end; i += 64) block(h, buffer + i);
    u8 digest[32];
    for (int i = 0; i < 32; i++) digest[i] = h[i / 4] >> (24 - 8 * (i % 4));
    write_output(digest, 32);
    return 0;
}
