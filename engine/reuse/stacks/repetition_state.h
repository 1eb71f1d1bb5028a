/*
 * The state of repetition detection in a replay (repetition.h, repeated_counts.h).
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPETITION_STATE_H
#define FT_ENGINE_REUSE_STACKS_REPETITION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/program/scope_walk.h"
#include "formats/base/block_sizes.h"

/* A snapshot of counters, later what was added to them. */
struct ft_counted {
    uint64_t *items;
    size_t count;
};

#define FT_COUNTED_ARRAYS (4 + FT_BLOCK_SIZES_MAX)

/* All zero before the first use; may be used again and again. */
struct ft_repeated_counts {
    struct ft_counted arrays[FT_COUNTED_ARRAYS]; /* those of the replay, in a fixed order */
    struct ft_counted references;                /* of each in turn: accesses, repeats */
};

/* One entry of a run's body. Single iterations are items of their own: rest 0, stride 0. */
struct ft_repetition_item {
    uint64_t address;
    int64_t stride;
    uint64_t iterations;
    uint32_t reference;
    uint32_t rest; /* entries after it in its body */
};

enum ft_repetition_state {
    FT_REPETITION_PICKING,   /* waiting for the item that becomes the anchor */
    FT_REPETITION_SEARCHING, /* until the anchor recurs twice at the same interval, the period */
    FT_REPETITION_RECORDING, /* recording the items of a period */
    FT_REPETITION_COMPARING, /* comparing what follows with the record */
    FT_REPETITION_MEASURING, /* measuring what a period adds to the counts, while comparing */
    FT_REPETITION_SKIPPING,  /* skipping periods that compare equal */
};

struct ft_repetition {
    enum ft_repetition_state state;
    struct ft_repetition_item anchor; /* an access */
    uint64_t pick_within;             /* items, of which one becomes the anchor */
    uint64_t wait;                    /* items until the anchor is picked */
    uint64_t since;                   /* items since the anchor */
    uint64_t interval;                /* of its last two; 0: seen once */
    uint64_t passed_accesses;         /* since the anchor, or since waiting for it */
    uint64_t search_accesses;         /* within which the anchor has to recur */
    uint64_t seed;
    struct ft_repetition_item *record;
    size_t record_capacity;
    size_t period, at; /* items; the next one */
    uint64_t period_accesses, matched_accesses;
    uint64_t worth_accesses;          /* that must match before a period is measured */
    uint64_t counters_an_access;      /* that may be copied per matched access */
    uint64_t hasty_accesses;          /* of intervals that are recorded after one recurrence */
    uint64_t skipped;                 /* whole periods */
    uint64_t skips;                   /* how often skipping began */
    struct ft_repeated_counts counts; /* of a period */
    struct ft_scope_snapshot start;   /* of the period, where scopes are followed */
    bool is_hasty;  /* long intervals are recorded after one recurrence of the anchor */
    bool is_steady; /* the last whole period ended in the activations that it started in */
};

/* Of a pass through logs that come again (repeated_pass.h). All zero before the first use. */
struct ft_repeated_pass {
    struct ft_repeated_counts counts;
    uint64_t copied; /* counters, by all snapshots so far */
    uint64_t skips;  /* of the repetition, at the snapshot */
    bool is_noted;
};

/* Memory in use. */
static inline uint64_t ft_repeated_counts_bytes(const struct ft_repeated_counts *counts)
{
    uint64_t items = counts->references.count;
    for (size_t i = 0; i < FT_COUNTED_ARRAYS; i++)
        items += counts->arrays[i].count;
    return items * sizeof(uint64_t);
}

static inline uint64_t ft_repetition_bytes(const struct ft_repetition *repetition)
{
    return repetition->record_capacity * sizeof *repetition->record +
           ft_repeated_counts_bytes(&repetition->counts);
}

#endif
