/* What picolibc asks of whoever runs it: link this beside a program that prints, allocates or asserts. Standard
   input is the private input, and standard output the output; standard error is what the prover alone sees. */
#include "volery.h"
#include <stddef.h>
#include <stdio.h>

static int put(char c, FILE *file)
{
    (void)file;
    write_output(&c, 1);
    return (u8)c;
}

static int put_message(char c, FILE *file)
{
    (void)file;
    volery_call(64, 2, (u32)&c, 1);
    return (u8)c;
}

static int get(FILE *file)
{
    u8 c;
    (void)file;
    return read_private(&c, 1) == 1 ? c : EOF;
}

static FILE input = FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ);
static FILE output = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
static FILE messages = FDEV_SETUP_STREAM(put_message, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &messages;

void *sbrk(ptrdiff_t more)
{
    u32 now = volery_call(214, 0, 0, 0);
    return volery_call(214, now + more, 0, 0) == now + more ? (void *)now : (void *)-1;
}

void _exit(int code) { leave(code); }

int getpid(void) { return 1; }

/* By abort, which a failed assert calls. */
int kill(int process, int signal)
{
    (void)process;
    leave(128 + signal);
}
