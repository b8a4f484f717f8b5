/* Mate in one: the public input is a position, 64 bytes from a8 to h1 as in diagrams (KQRBNP white, kqrbnp
   black, . empty), and the private one a move of white as two squares, such as e2e4. Exit code 0 where the
   move is legal and mates, 1 where it does not, 2 where it is none. Without castling, en passant and
   promotion to other than a queen. */
#include "volery.h"

static char board[64];

static int side(char piece) { return piece == '.' ? 0 : piece >= 'a' ? -1 : 1; }

/* Whether a piece reaches `to` from `from` by its way of moving, whatever its own side has there. */
static int reaches(int from, int to)
{
    char piece = board[from];
    int white = side(piece) > 0, kind = piece | 32;
    int rows = to / 8 - from / 8, columns = to % 8 - from % 8;
    int tall = rows < 0 ? -rows : rows, wide = columns < 0 ? -columns : columns;
    if (!tall && !wide) return 0;
    switch (kind) {
    case 'n': return tall * wide == 2;
    case 'k': return tall <= 1 && wide <= 1;
    case 'p': {
        int ahead = white ? -rows : rows, taken = side(board[to]);
        if (wide == 1 && ahead == 1) return taken != 0;
        if (wide || taken) return 0;
        if (ahead == 1) return 1;
        return ahead == 2 && from / 8 == (white ? 6 : 1) && board[(from + to) / 2] == '.';
    }
    case 'r': if (tall && wide) return 0; break;
    case 'b': if (tall != wide) return 0; break;
    case 'q': if (tall && wide && tall != wide) return 0; break;
    default: return 0;
    }
    int step = (rows > 0 ? 8 : rows < 0 ? -8 : 0) + (columns > 0) - (columns < 0);
    for (int at = from + step; at != to; at += step)
        if (board[at] != '.') return 0;
    return 1;
}

/* Whether the king of `who` can be taken. */
static int in_check(int who)
{
    for (int king = 0; king < 64; king++) {
        if (board[king] != (who > 0 ? 'K' : 'k')) continue;
        for (int from = 0; from < 64; from++)
            if (side(board[from]) == -who && reaches(from, king)) return 1;
        return 0;
    }
    return 1;
}

/* Makes a move, if it is legal; what it took stays in `taken`. */
static int moves(int from, int to, char *taken)
{
    int who = side(board[from]);
    if (!who || side(board[to]) == who || !reaches(from, to)) return 0;
    char piece = board[from];
    *taken = board[to];
    board[to] = (piece == 'P' && to < 8) ? 'Q' : (piece == 'p' && to >= 56) ? 'q' : piece;
    board[from] = '.';
    if (!in_check(who)) return 1;
    board[from] = piece;
    board[to] = *taken;
    return 0;
}

static int square(const char *name)
{
    int column = name[0] - 'a', row = '8' - name[1];
    return column < 0 || column > 7 || row < 0 || row > 7 ? -1 : 8 * row + column;
}

int main(void)
{
    char move[4], taken;
    if (read_public(board, 64) != 64 || read_private(move, 4) != 4) return 2;
    int from = square(move), to = square(move + 2);
    if (from < 0 || to < 0 || side(board[from]) != 1 || !moves(from, to, &taken)) return 2;
    if (!in_check(-1)) return 1;
    for (from = 0; from < 64; from++)
        for (to = 0; to < 64; to++)
            if (side(board[from]) == -1) {
                char piece = board[from];
                if (!moves(from, to, &taken)) continue;
                board[from] = piece;
                board[to] = taken;
                return 1;
            }
    return 0;
}
