/*
 * usage: make_small_trace FILE
 *
 * Writes the small trace of tests/small_trace.h. It made version-1.trace; run it again only when
 * the format's version changes, and keep the old files: readers go on reading them.
 */
#include <stdio.h>

#include "tests/small_trace.h"

int main(int argc, char **argv)
{
    struct ft_diag diag;
    if (argc != 2)
        return 2;
    if (small_trace(argv[1], SMALL_GOOD, &diag) == FT_OK)
        return 0;
    fprintf(stderr, "%s\n", diag.message);
    return 1;
}
