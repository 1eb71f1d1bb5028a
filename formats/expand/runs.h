/*
 * Runs: what flows from a trace to the engine. A run is a body of references executed
 * iteration_count times: in iteration i, for each reference j of the body in order, one access at
 * addresses[first + j] + i * strides[first + j]. Consecutive irregular accesses share a run of one
 * iteration, with a body as long as there are accesses.
 *
 * In sources that are asked for them, instruction fetches are references too: one fetch of the
 * instruction's bytes per execution (a string instruction is fetched once, however often it
 * repeats), before its accesses.
 *
 * A source is a struct of functions, so that traces, importers and tests feed the engine alike.
 * Batches come in program order, belong to the source and live until the next call.
 */
#ifndef FT_FORMATS_EXPAND_RUNS_H
#define FT_FORMATS_EXPAND_RUNS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* What a source's runs are made of; a sum of these. */
enum ft_run_content { FT_RUN_ACCESSES = 1, FT_RUN_FETCHES = 2 };

/* One static reference of a program: the access_index-th access of the instruction at pc, or its
 * fetch. */
struct ft_reference {
    uint64_t pc;
    uint64_t offset;      /* address in the module's file (ELF virtual address); pc without one */
    uint32_t module;      /* index into the trace's modules, or FT_NO_MODULE */
    uint32_t size_bytes;  /* of each access; fetches: of the instruction, 1 where it is unknown */
    uint8_t access_index; /* fetches: FT_FETCH_INDEX */
    uint8_t kind;         /* enum ft_access_kind */
};

#define FT_FETCH_INDEX UINT8_MAX

struct ft_run {
    size_t first;             /* index of the body's first entry in the batch's arrays */
    uint32_t reference_count; /* entries of the body */
    uint64_t iteration_count;
};

struct ft_run_batch {
    const struct ft_run *runs;
    size_t run_count;           /* 0: the end of the source */
    const uint32_t *references; /* per entry: index into the source's references */
    const uint64_t *addresses;  /* per entry: address in iteration 0 */
    const int64_t *strides;     /* per entry: bytes per iteration; meaningless in runs of one */
    size_t entry_count;
    uint32_t thread; /* whose runs these are, in sources of several threads (one a batch); else 0 */
};

struct ft_run_source {
    const struct ft_reference *references;
    uint32_t reference_count;
    uint64_t access_count; /* of the whole source, fetches included, if known beforehand (for
                              progress), or 0 */
    int (*next)(struct ft_run_source *source, struct ft_run_batch *ret_batch, struct ft_diag *diag);
    void (*destroy)(struct ft_run_source *source);
};

#endif
