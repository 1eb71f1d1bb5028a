/*
 * Source lines of routines, loops and references, as seen by the reader of the source: inlined code
 * is attributed to the line of the call, and a loop inside an inlined routine to the lines of that
 * routine. Pure functions over a module's tables.
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_SOURCE_H
#define FT_ENGINE_PROGRAM_GRAPH_SOURCE_H

#include <stdbool.h>

#include "formats/trace/modules.h"

#define FT_INLINE_DEPTH_MAX 32

/* The inlined calls around a piece of code, outermost first. */
struct ft_source_context {
    struct ft_inline calls[FT_INLINE_DEPTH_MAX];
    uint32_t depth;
    bool known; /* false: no instruction with a line was seen */
};

struct ft_source_range {
    uint32_t file; /* a string of the module; 0 unknown */
    uint32_t first_line, last_line;
};

/* The line of an instruction seen from a context: its own, or that of the inlined call that leads
 * to it. {0} if unknown. */
struct ft_source_range ft_source_line(const struct ft_module *module, uint64_t offset,
                                      uint32_t context_depth);

/* Narrows a context (initially {0}) to the calls that also contain this instruction. */
void ft_source_narrow(const struct ft_module *module, uint64_t offset,
                      struct ft_source_context *context);
/* How many calls of a context contain this instruction; -1 if it has no line. */
int ft_source_shared_depth(const struct ft_module *module, uint64_t offset,
                           const struct ft_source_context *context);
/* Orders calls by file, line and routine, ignoring their address ranges. 0: the same call. */
int ft_source_compare_calls(const struct ft_inline *a, const struct ft_inline *b);

/* Tallies the lines of a set of instructions by file. */
struct ft_source_tally {
    struct {
        struct ft_source_range range;
        uint64_t count;
    } files[8];
    size_t file_count;
};
void ft_source_count(struct ft_source_tally *tally, struct ft_source_range line);
struct ft_source_range ft_source_main_range(const struct ft_source_tally *tally);

/* The lines of the routine in [start, end), starting at its definition if that is known. */
struct ft_source_range ft_source_of_routine(const struct ft_module *module, uint64_t start,
                                            uint64_t end);

#endif
