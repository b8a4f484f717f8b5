/* Sorts up to 1024 private numbers and gives out the median: branches depend on them. */
#include "volery.h"

static int numbers[1024];

static void sort(int *low, int *high)
{
    while (high - low > 8) {
        int pivot = low[(high - low) / 2], *i = low, *j = high - 1;
        for (;;) {
            while (*i < pivot) i++;
            while (pivot < *j) j--;
            if (i >= j) break;
            int kept = *i;
            *i++ = *j;
            *j-- = kept;
        }
        if (j + 1 - low < high - j - 1) {
            sort(low, j + 1);
            low = j + 1;
        } else {
            sort(j + 1, high);
            high = j + 1;
        }
    }
    for (int *i = low + 1; i < high; i++) {
        int kept = *i, *j = i;
        for (; j > low && j[-1] > kept; j--) *j = j[-1];
        *j = kept;
    }
}

int main(void)
{
    u32 count = read_private(numbers, sizeof numbers) / 4;
    if (!count) return 2;
    sort(numbers, numbers + count);
    for (u32 i = 1; i < count; i++) demand(numbers[i - 1] <= numbers[i]);
    write_output(&numbers[count / 2], 4);
    return 0;
}
