/* Reads a private JSON document and gives out the number that stands at "amount" in its outermost object: "my
   document says so". Exit code 1 where it is no JSON, 3 where the number is missing. */
#include "volery.h"

static char text[4096];
static u32 length, at;
static int depth, found;
static int amount;

static void no(void) { leave(1); }

static int peek(void) { return at < length ? text[at] : 0; }

static void space(void)
{
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') at++;
}

static void take(char c)
{
    space();
    if (peek() != c) no();
    at++;
}

/* A string, and whether it is `other`. */
static int string(const char *other)
{
    int same = 1;
    take('"');
    while (peek() != '"') {
        if (!peek() || (u8)peek() < ' ') no();
        if (peek() == '\\') {
            at++;
            same = 0;
            if (peek() == 'u') {
                for (int i = 0; i < 4; i++) {
                    char c = text[++at] | 32;
                    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) no();
                }
            } else if (!peek()) {
                no();
            }
        } else if (same && *other != peek()) {
            same = 0;
        } else if (same) {
            other++;
        }
        at++;
    }
    at++;
    return same && !*other;
}

static int digit(void) { return peek() >= '0' && peek() <= '9'; }

static int number(void)
{
    int negative = peek() == '-';
    at += negative;
    if (!digit()) no();
    u32 value = 0;
    while (digit()) value = 10 * value + text[at++] - '0';
    if (peek() == '.') {
        at++;
        if (!digit()) no();
        while (digit()) at++;
    }
    if ((peek() | 32) == 'e') {
        at++;
        if (peek() == '+' || peek() == '-') at++;
        if (!digit()) no();
        while (digit()) at++;
    }
    return negative ? -value : value;
}

static void word(const char *w)
{
    while (*w)
        if (peek() == *w) at++, w++;
        else no();
}

static void value(int wanted)
{
    if (++depth > 64) no();
    space();
    switch (peek()) {
    case '{':
        at++;
        space();
        if (peek() == '}') {
            at++;
            break;
        }
        for (;;) {
            space();
            int named = string("amount");
            take(':');
            value(named && depth == 1);
            space();
            if (peek() != ',') break;
            at++;
        }
        take('}');
        break;
    case '[':
        at++;
        space();
        if (peek() == ']') {
            at++;
            break;
        }
        for (;;) {
            value(0);
            space();
            if (peek() != ',') break;
            at++;
        }
        take(']');
        break;
    case '"': string(""); break;
    case 't': word("true"); break;
    case 'f': word("false"); break;
    case 'n': word("null"); break;
    default: {
        int n = number();
        if (wanted) amount = n, found = 1;
    }
    }
    depth--;
}

int main(void)
{
    length = read_private(text, sizeof text - 4);
    value(0);
    space();
    if (at != length) no();
    if (!found) return 3;
    write_output(&amount, 4);
    return 0;
}
