/*
 * Long repetitions: programs that walk the same addresses again and again, as the time steps of a
 * solver do. Once a stretch of accesses has been seen to come again, its next repetition is
 * measured, and each further one is only compared and counted (docs/method.md, "Repetition").
 *
 * Looks at the runs before they are taken and says for each part of them whether it is to be taken
 * or skipped. The result is the same with and without.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPETITION_H
#define FT_ENGINE_REUSE_STACKS_REPETITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/program/scope_walk.h"
#include "engine/reuse/stacks/repeated_counts.h"
#include "formats/expand/runs.h"

/* One entry of a run's body. Single iterations are items of their own: rest 0, stride 0. */
struct ft_repetition_item {
    uint64_t address;
    int64_t stride;
    uint64_t iterations;
    uint32_t reference;
    uint32_t rest; /* entries after it in its body */
};

enum ft_repetition_state {
    FT_REPETITION_PICKING,   /* waits for the item that becomes the anchor */
    FT_REPETITION_SEARCHING, /* until the anchor comes twice at the same interval, the period */
    FT_REPETITION_RECORDING, /* the items of a period */
    FT_REPETITION_COMPARING, /* what follows with the record */
    FT_REPETITION_MEASURING, /* what a period adds to the counts, still comparing */
    FT_REPETITION_SKIPPING,  /* periods that compare equal */
};

struct ft_repetition {
    enum ft_repetition_state state;
    struct ft_repetition_item anchor; /* an access */
    uint64_t pick_within;             /* items, of which one becomes the anchor */
    uint64_t wait;                    /* items until the anchor is picked */
    uint64_t since;                   /* items since the anchor */
    uint64_t interval;                /* of its last two; 0: seen once */
    uint64_t passed_accesses;         /* since the anchor, or since it is waited for */
    uint64_t search_accesses;         /* within which the anchor has to come again */
    uint64_t seed;
    struct ft_repetition_item *record;
    size_t record_capacity;
    size_t period, at; /* items; the next one */
    uint64_t period_accesses, matched_accesses;
    uint64_t worth_accesses;          /* that have to match before a period is measured */
    uint64_t counters_an_access;      /* that may be copied for each access that matched */
    uint64_t hasty_accesses;          /* of intervals that are recorded at once */
    uint64_t skipped;                 /* whole periods */
    struct ft_repeated_counts counts; /* of a period */
    struct ft_scope_snapshot start;   /* of the period, where scopes are followed */
    bool is_hasty;  /* long intervals are recorded when the anchor comes back once */
    bool is_steady; /* the last whole period ended in the activations that it began in */
};

struct ft_repetition_step {
    size_t retake;    /* items of the record to be taken first: skipped, but then it went on
                         otherwise */
    uint32_t entries; /* of the run, from the one asked about; all of a body that iterates */
    bool skip;
};

void ft_repetition_init(struct ft_repetition *repetition);
void ft_repetition_fini(struct ft_repetition *repetition);
/* Memory in use. */
uint64_t ft_repetition_bytes(const struct ft_repetition *repetition);
/* What to do with the entries of a run from `from` on. */
int ft_repetition_next(struct ft_replay *replay, const struct ft_run_batch *batch,
                       const struct ft_run *run, uint32_t from, struct ft_repetition_step *ret_step,
                       struct ft_diag *diag);
/* Whether a period is being recorded or more: then all that comes must be told. */
static inline bool ft_repetition_is_seen(const struct ft_repetition *repetition)
{
    return repetition->state >= FT_REPETITION_RECORDING;
}
/* Where none is: items that were taken otherwise, of so many accesses. */
void ft_repetition_pass(struct ft_repetition *repetition, uint64_t items, uint64_t accesses);
/* The end of the source: gives the items of the record to be taken. */
int ft_repetition_end(struct ft_replay *replay, size_t *ret_retake, struct ft_diag *diag);

#endif
