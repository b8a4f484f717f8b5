"""The work to break the linear commitment, and how well it hides: see linear-commitment.md for what is counted.

    python3 docs/security/linear_commitment.py
"""

from math import ceil, e, erf, log2, pi, sqrt

LOG_P = 61
DEGREE = 512
FACTORS = 256

# Parameters of the commitment: rows of polynomials; polynomials of the salt, and bits of its entries.
RANK = 3
SALT = 18
SALT_BITS = 16

# log2 of the work of a sieve in one dimension more, without memory, gates or calls; and of the short vectors it leaves.
CLASSICAL, QUANTUM, LEFT = 0.292, 0.265, 0.2075

# log2 of the weights of a model, at most.
WEIGHTS = 32


def log_delta(block):
    """log2 of the root Hermite factor that BKZ has with such blocks (Chen 2013)."""
    return log2(block / (2 * pi * e) * (pi * block) ** (1 / block)) / (2 * (block - 1))


def length(rows, block, columns):
    """log2 of the length of the vector that BKZ finds in the lattice of so many columns."""
    return columns * log_delta(block) + rows * LOG_P / columns


def euclidean(rows, bits):
    """The least block that finds a vector no longer than one with all entries below 2^bits, for the best number of
    columns; and this number."""
    for block in range(60, 10000):
        best = int(sqrt(rows * LOG_P / log_delta(block)))
        step = max(1, best // 100)
        columns = min(
            (columns for columns in range(rows + 1, 2 * best, step)),
            key=lambda columns: length(rows, block, columns) - log2(columns) / 2,
        )
        if length(rows, block, columns) - log2(columns) / 2 <= bits:
            return block, columns
    raise ValueError("no block is large enough")


def within(ratio):
    """log2 of the chance that a normal deviate is within so many standard deviations."""
    return log2(erf(ratio / sqrt(2)))


def infinity(rows, bits, rate, least):
    """log2 of the work for a vector with every entry below 2^bits, where the entries that BKZ finds are normal and all
    short vectors of a sieve are tried."""
    best = float("inf")
    for block in range(least, 3 * least, 4):
        if rate * block > best:
            break
        for columns in range(rows + 1, 8 * rows, max(1, rows // 50)):
            deviation = length(rows, block, columns) - log2(columns) / 2
            if bits - deviation > -3:
                misses = -columns * within(2 ** (bits - deviation)) - LEFT * block
                best = min(best, rate * block + max(0, misses))
    return best


def birthday(rows, columns, work):
    """The rows that are left where lists of 2^work sums of monomials times disjoint columns are merged first, so that as
    many polynomials remain as the lattice needs. Their entries stay -1, 0 and 1."""
    polynomials = 2**WEIGHTS / DEGREE
    in_list = ceil(work / log2(2 * DEGREE + 1))
    lists = polynomials / in_list / ceil(columns / DEGREE)
    levels = max(0, int(log2(lists)))
    return rows - int((levels + 1) * work / LOG_P)


def distance(rank, polynomials, bits):
    """log2 of the distance of a commitment from a uniform one, by the leftover hash lemma; see the page."""
    return (log2(FACTORS) + 2 * rank * LOG_P - 2 * bits * polynomials) / 2 - 1


def main():
    print("rank bits   delta   block columns   classical quantum   infinity   behind a birthday search")
    for rank in (1, 2, 3):
        for bits in (16, 20, 24, 32):
            rows = rank * DEGREE
            block, columns = euclidean(rows, bits)
            classical, quantum = CLASSICAL * block, QUANTUM * block
            left = birthday(rows, columns, classical)
            print(
                f"{rank:4} {bits:4} {2 ** log_delta(block):8.5f} {block:6} {columns:7} {classical:10.0f} {quantum:8.0f} "
                f"{infinity(rows, bits, CLASSICAL, block):10.0f} "
                f"{CLASSICAL * euclidean(left, bits)[0]:8.0f} ({rows - left} rows fewer)"
            )
    print(f"a commitment is within 2^{distance(RANK, SALT, SALT_BITS):.0f} of uniform")


if __name__ == "__main__":
    main()
