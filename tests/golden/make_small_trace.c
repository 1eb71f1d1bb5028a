/*
 * usage: make_small_trace FILE
 *
 * Writes the small trace of tests/support/small_trace.h. It made version-1.trace; run it again only
 * when the format's version changes, and keep the old files: readers go on reading them.
 * version-2.trace, with units without code, was made by `foretrace import -f lackey -D N=3
 * small.lackey`, and small.lackey by Valgrind of tests/oracle/lackey_sample.c, shortened.
 * version-3-paths.trace, with paths, is the capture of tests/oracle/path_sample.c.
 * version-4.trace, with loop paths, is the capture of tests/oracle/loop_path_sample.c, and
 * version-5.trace, with spans, that of tests/oracle/span_sample.c. version-5-variables.trace, with
 * the variables of modules, is a later capture of loop_path_sample.c. version-6.trace, with counts
 * in the place of addresses, is that of tests/oracle/loop_sample.c with --counts. version-7.trace,
 * with string instructions by granules, is that of tests/oracle/string_sample.c. version-8.trace,
 * with lines behind the modules, is that of tests/end-to-end/inlined_sample.c with arguments 2 3.
 * version-9.trace, with details of calls, is that of mpi_calls.c, with --mpi-calls, and
 * version-9-groups.trace, with those of grids, groups and files, that of mpi_groups.c.
 * version-10.trace, with source files, is that of transposed.c with arguments 8 1, --source and
 * --private. version-11.trace, with log chunks that come again, is that of transposed.c with
 * arguments 64 8000 and --private. version-3.trace, with system calls and a description of its
 * host, is the capture of a program without libraries that writes ten bytes, and three and five by
 * writev, and then makes a read that fails and asks for its break. version-5.histograms, with how
 * groups move, is `replay -b 64 --pairs` of version-4.trace.
 */
#include <stdio.h>

#include "tests/support/small_trace.h"

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
