/*
 * A small trace made without running a program: four units of real code, planned as capture would,
 * and a log whose values are made up. For tests of what reads traces. Its accesses can be counted
 * by hand: each round is 2 + 1 (copy), LENGTH (sweep), NODES (chase), 2 (leave), and a prefetch.
 */
#ifndef FT_TESTS_SUPPORT_SMALL_TRACE_H
#define FT_TESTS_SUPPORT_SMALL_TRACE_H

#include "formats/trace/trace_writer.h"

#define SMALL_CHUNKS 2
#define SMALL_ROUNDS 20 /* in each chunk */
#define SMALL_LENGTH 100
#define SMALL_NODES  7
#define SMALL_ACCESSES                                                                             \
    ((uint64_t)SMALL_CHUNKS * SMALL_ROUNDS * (3 + SMALL_LENGTH + SMALL_NODES + 2))

/* What is wrong with it, under checksums, an index and a content hash that are right. */
enum small_damage {
    SMALL_GOOD,
    SMALL_ACCESSES_NOTED,     /* a log's description says one access too many */
    SMALL_INSTRUCTIONS_NOTED, /* the same with instructions */
    SMALL_SUMMARY,            /* the summary says one access too many */
    SMALL_ITERATION,          /* a loop of the log runs once less than it was counted */
    SMALL_RECORD,             /* a record is missing */
    SMALL_STACK,   /* a log chunk starts with another RSP than the one before ended with */
    SMALL_STREAM,  /* a byte of a payload is not what the encoder wrote */
    SMALL_ENDLESS, /* a loop of the log runs 2^60 times */
    SMALL_DAMAGES
};

#define SMALL_PC 0x401000
enum small_unit { SMALL_COPY = 1, SMALL_SWEEP, SMALL_CHASE, SMALL_LEAVE, SMALL_UNITS };

/* Writes the trace; the symbol, the line and the parameter are made up as well. */
int small_trace(const char *path, enum small_damage damage, struct ft_diag *diag);

#endif
