/* What a program asks of volery, where it has no library: see docs/programs.md. */
#ifndef VOLERY_H
#define VOLERY_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

static inline u32 volery_call(u32 number, u32 a, u32 b, u32 c)
{
    register u32 a0 __asm__("a0") = a;
    register u32 a1 __asm__("a1") = b;
    register u32 a2 __asm__("a2") = c;
    register u32 a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

/* Bytes of the private input, which the prover alone knows: how many were there, at most `length`. */
static inline u32 read_private(void *to, u32 length) { return volery_call(63, 0, (u32)to, length); }

/* Bytes of the public input. */
static inline u32 read_public(void *to, u32 length) { return volery_call(63, 3, (u32)to, length); }

/* Gives out bytes, which both parties come to know. */
static inline void write_output(const void *from, u32 length) { volery_call(64, 1, (u32)from, length); }

/* Ends the run, as does to return from main. */
static inline __attribute__((noreturn)) void leave(u32 code)
{
    volery_call(93, code, 0, 0);
    __builtin_unreachable();
}

/* Ends the run in the fault `ebreak` where `holds` is zero. */
static inline void demand(int holds)
{
    if (!holds) __asm__ volatile("ebreak");
}

#endif
