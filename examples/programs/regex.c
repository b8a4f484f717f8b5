/* Whether a public pattern matches all of a private text: "I know a text of this form". In a pattern c, . and
   [a-z] stand for a character, and behind it may stand * + or ?. Exit code 0 where it does, and else 1. */
#include "volery.h"

static char pattern[256], text[1024];

static int in_set(const char *set, char c)
{
    for (set++; *set && *set != ']'; set++) {
        if (set[1] == '-' && set[2] && set[2] != ']') {
            if (set[0] <= c && c <= set[2]) return 1;
            set += 2;
        } else if (*set == c) {
            return 1;
        }
    }
    return 0;
}

static int one(const char *p, char c) { return c && (*p == '.' || (*p == '[' ? in_set(p, c) : *p == c)); }

static const char *behind(const char *p)
{
    if (*p == '[')
        while (*p && *p != ']') p++;
    return *p ? p + 1 : p;
}

static int matches(const char *p, const char *t)
{
    if (!*p) return !*t;
    const char *next = behind(p);
    switch (*next) {
    case '?': return (one(p, *t) && matches(next + 1, t + 1)) || matches(next + 1, t);
    case '+':
        if (!one(p, *t)) return 0;
        t++; /* and then as many as there are, or fewer */
    case '*': {
        const char *end = t;
        while (one(p, *end)) end++;
        for (;; end--) {
            if (matches(next + 1, end)) return 1;
            if (end == t) return 0;
        }
    }
    default: return one(p, *t) && matches(next, t + 1);
    }
}

int main(void)
{
    read_public(pattern, sizeof pattern - 1);
    read_private(text, sizeof text - 1);
    return !matches(pattern, text);
}
