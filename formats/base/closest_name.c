/* Dynamic programming over prefixes, of which the last three rows are kept. */
#include "formats/base/closest_name.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 63

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = min(above[j] + 1, row[j - 1] + 1);
            row[j] = min(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* Its last words, as zen4 of amd-zen4. */
static bool ends_in(const char *name, size_t length, const char *wanted, size_t wanted_length)
{
    return wanted_length > 0 && length > wanted_length && name[length - wanted_length - 1] == '-' &&
           memcmp(name + length - wanted_length, wanted, wanted_length) == 0;
}

void ft_closest_name_try(struct ft_closest_name *closest, const char *name)
{
    const size_t length = strlen(name), wanted_length = strlen(closest->wanted);
    if (length > LENGTH_MAX || wanted_length > LENGTH_MAX)
        return;
    const size_t distance = ends_in(name, length, closest->wanted, wanted_length)
                                ? 1
                                : distance_between(closest->wanted, wanted_length, name, length);
    if (3 * distance > length || (closest->name && distance >= closest->distance))
        return;
    closest->name = name;
    closest->distance = distance;
}
