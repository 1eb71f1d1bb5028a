/*
 * Blocks for bench_schedule: the paths of loops in traces, made into loops of their own that can be
 * measured with all data in the first cache.
 *
 * Of a path stays every instruction but its branches: a jump, and the branch back, are left out; a
 * branch on the way is turned so that it isn't taken, or left out as well where it is. A counter
 * closes the loop, which begins where the path does, modulo 64 bytes. Pointers lead to pages of
 * small buffers, mapped where an access faults; RIP addresses go to a buffer beside the code.
 * Memory holds small numbers that differ, or pointers where these fault; a register that is no
 * address holds 40, so that strides keep iterations apart. Other instructions keep their form, so
 * prediction and llvm-mca are given what runs.
 */
#ifndef FT_TESTS_BENCH_SCHEDULE_BENCH_BLOCKS_H
#define FT_TESTS_BENCH_SCHEDULE_BENCH_BLOCKS_H

#include "engine/schedule/loop_schedule.h"
#include "formats/trace/trace.h"

#define BLOCK_INSTRUCTIONS_MAX 300

#define ROUNDS   12
#define VARIANTS 8 /* contents of memory, and alignments of pointers */

struct block {
    char name[160];                                   /* program:routine:address */
    struct ft_body_code code[BLOCK_INSTRUCTIONS_MAX]; /* of the path; bytes below */
    uint8_t bytes[BLOCK_INSTRUCTIONS_MAX][16];
    bool dropped[BLOCK_INSTRUCTIONS_MAX]; /* branches that are left out */
    uint32_t count;
    double share;          /* of the program's instructions */
    unsigned variant;      /* of registers and content, the first that works */
    double cycles[ROUNDS]; /* of an iteration, as measured in each round */
};

struct blocks {
    struct block **items;
    size_t count, capacity;
};

/* Adds the paths of all loops of a trace that have at least a share of all instructions. */
int blocks_of_trace(const char *path, double min_share, struct blocks *blocks,
                    struct ft_diag *diag);

struct generated {
    const uint8_t *loop; /* first instruction of the loop, in memory that runs */
    size_t loop_bytes;
    struct ft_body_code code[BLOCK_INSTRUCTIONS_MAX + 2];
    uint32_t count;
};

/* Cycles of an iteration, by the clock that a
 * chain of adds gives; false: the block can't be measured (it faults, has no free register, or
 * system calls). */
bool measure_block(struct block *block, struct generated *ret_generated, double *ret_cycles);

#endif
