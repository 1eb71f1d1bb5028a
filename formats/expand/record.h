/*
 * A record of a thread's log as readers see it, with the thread's state and the totals of a chunk.
 * codec/ stores records, expand.h gives them their meaning.
 */
#ifndef FT_FORMATS_EXPAND_RECORD_H
#define FT_FORMATS_EXPAND_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/x86/unit.h"

/* Units by id; both sides need the units that a log names. */
struct ft_unit_table {
    const struct ft_unit *const *units; /* [id], [0] is NULL */
    size_t count;                       /* highest id + 1 */
};

/* A decoded record; the memory of values belongs to the decoder. */
struct ft_record {
    uint32_t unit;            /* 0: an escape */
    uint32_t escape;          /* enum ft_escape */
    uint64_t iteration_count; /* plain units 1 */
    const uint64_t *values; /* widened to u64: entry slots, then the other slots of each iteration;
                               a vector slot takes size_bytes/8 entries; an escape its payload's
                               fields, one each (PARTIAL: unit, instructions, slot values) */
    size_t value_count;
};

/* What a thread's state is at the start of a chunk. */
struct ft_log_state {
    uint64_t rsp;
    uint64_t fs_base;
    bool direction_down; /* DF: string instructions move towards lower addresses */
};

struct ft_log_totals {
    uint64_t records;
    uint64_t instructions;
    uint64_t accesses; /* loads and stores */
    uint64_t prefetches;
    uint64_t kernel_calls; /* escapes of system calls; these three are in no chunk's description */
    uint64_t kernel_reads_bytes, kernel_writes_bytes; /* of the program's memory, there */
    uint64_t library_calls;                           /* likewise */
    bool has_spans;   /* of a chunk: unknown to readers before format version 5 */
    bool has_details; /* of a chunk: before version 9 */
};

/* Adds up what is counted. */
void ft_log_totals_add(struct ft_log_totals *sum, const struct ft_log_totals *part);
/* The totals of so many times the same. */
struct ft_log_totals ft_log_totals_times(const struct ft_log_totals *once, uint64_t times);

/* Checks that a record has as many values as its unit (PARTIAL: the one it names) logs. */
int ft_record_check(const struct ft_unit *unit, const struct ft_record *record,
                    struct ft_diag *diag);
/* Moves the state past an escape that names no unit. */
void ft_log_state_escape(struct ft_log_state *state, const struct ft_record *record);

#endif
