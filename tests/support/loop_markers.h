/*
 * The loops that a sample's source says it has, by the comments "loop: NAME" on their first lines,
 * and how a scope tree agrees with them. C (for, while) and Fortran (do).
 */
#ifndef FT_TESTS_SUPPORT_LOOP_MARKERS_H
#define FT_TESTS_SUPPORT_LOOP_MARKERS_H

#include <stdbool.h>

#include "formats/scopes/scopes.h"

#define LOOP_MARKERS_MAX 32

struct loop_marker {
    char name[64];
    uint32_t first_line;
    uint32_t last_start; /* where its last statement starts */
    uint32_t end_line;   /* its closing brace or end do, or the last line of its only statement */
    int parent;          /* the marker around it, or -1 */
};

/* The number of markers, in order of lines; 0 where the source cannot be read. */
size_t loop_markers_read(const char *source, struct loop_marker markers[LOOP_MARKERS_MAX]);

/* The only loop scope of that source file that starts at the marker's line; 0 where there is none
 * or more. */
uint32_t loop_markers_find(const struct ft_scopes *scopes, const char *source,
                           const struct loop_marker *marker);

/* Takes the outcome of one check, as tap_ok does. */
typedef bool loop_markers_report(bool passed, const char *format, ...);

/* Checks that each marked loop is one scope with its lines and inside the right scope, and that the
 * routines which hold them have no other loops. Where `names` is not NULL, exactly the loops that
 * its words name (up to a '=') ran. */
void loop_markers_check(const struct ft_scopes *scopes, const char *source, char *const *names,
                        size_t name_count, loop_markers_report *report);

#endif
