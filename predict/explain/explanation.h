/*
 * Why a routine or loop misses and takes its time at a size on a machine, as data: groups of
 * references with what they miss and what carries the reuse that misses, the patterns that these
 * are, and the changes of the code that would remove misses, with their forecasts. Misses and times
 * are real numbers: they are forecasts. Plain data, owned.
 */
#ifndef FT_PREDICT_EXPLAIN_EXPLANATION_H
#define FT_PREDICT_EXPLAIN_EXPLANATION_H

#include "predict/prediction.h"

#define FT_EXPLAINED_LOOPS_MAX 8U

/* A loop around a group, and how the group moves in it. */
struct ft_explained_loop {
    uint32_t scope;
    double iterations; /* per entry; NAN: unknown */
    bool is_known;     /* the stride is */
    double stride_bytes;
    unsigned power; /* the stride is a multiple of this power of the size; 0: a constant */
    bool follows;   /* that is so */
};

/* Why a group misses in a level. */
enum ft_miss_pattern {
    FT_MISSES_FEW,      /* less than a twentieth of what the scope misses there */
    FT_MISSES_COLD,     /* most are first touches */
    FT_MISSES_CONFLICT, /* most are of sets: a fully associative cache has them not */
    FT_MISSES_COLUMN, /* walks across lines, which are used up in a loop outside that comes back too
                         late */
    FT_MISSES_OUTER,  /* data come back in a later iteration of a loop around, too late */
    FT_MISSES_BETWEEN,   /* data were used by another loop before */
    FT_MISSES_CHAIN,     /* each load gives the address of the next */
    FT_MISSES_IRREGULAR, /* addresses depend on data */
    FT_MISSES_CAPACITY,  /* what carries the reuse is unknown */
    FT_MISS_PATTERNS
};
extern const char *const ft_miss_pattern_names[FT_MISS_PATTERNS];

/* What a group misses in a level, set-associative. */
struct ft_explained_misses {
    double misses, cold, capacity, conflict; /* the latter three add up to the first */
    double since; /* the size at which a fully associative cache has half the misses per access
                     beyond first touches; NAN: unknown, or there are none */
    bool has_carrier;
    uint32_t carrier;     /* the scope that carries most of what is not cold... */
    bool across;          /* ...from one iteration to another; else inside one */
    uint32_t source;      /* the scope in which the data were touched before */
    double carried_share; /* of what is not cold */
    enum ft_miss_pattern pattern;
};

/* References at one line of a scope that move alike. */
struct ft_explained_group {
    uint32_t scope, line; /* line 0: unknown */
    uint32_t reference;   /* one of them, of the skeleton */
    uint32_t reference_count;
    uint32_t size_bytes; /* of an access */
    bool loads, stores;
    uint8_t load_class; /* enum ft_load_class */
    double accesses;
    bool is_regular; /* strides are those of the skeleton */
    bool has_place;
    uint64_t place;     /* where it begins (formats/skeleton/places.h) */
    double block_bytes; /* of the heap block that it is in; 0: in none */
    double line_use;    /* share of the bytes of a line that the loops use; NAN: unknown */
    unsigned loop_count;
    struct ft_explained_loop loops[FT_EXPLAINED_LOOPS_MAX]; /* the innermost first */
    struct ft_explained_misses *levels;                     /* [level] */
};

/* What limits a scope. */
enum ft_explained_limit {
    FT_LIMITED_UNKNOWN,
    FT_LIMITED_BY_RECURRENCE,
    FT_LIMITED_BY_CORE,    /* its ports or front end, or mispredictions */
    FT_LIMITED_BY_STREAMS, /* what a level or memory delivers */
    FT_LIMITED_BY_LATENCY, /* of scattered lines, chains or page walks */
    FT_LIMITED_BY_PAGE_FAULTS
};

enum ft_change_kind {
    FT_CHANGE_INTERCHANGE, /* the loop becomes the innermost one */
    FT_CHANGE_TILE,        /* loops inside of it run in tiles */
    FT_CHANGE_PAD,         /* rows of heap blocks get longer */
    FT_CHANGE_SHIFT,       /* heap blocks start in other sets */
    FT_CHANGE_FUSE,        /* with the loop that used the data before */
    FT_CHANGE_LAYOUT,      /* what is used stands together */
    FT_CHANGE_PREFETCH,    /* by software: indirect addresses, known ahead */
    FT_CHANGE_KINDS
};
extern const char *const ft_change_kind_names[FT_CHANGE_KINDS];

#define FT_CHANGE_LOOPS_MAX 6U

struct ft_change {
    enum ft_change_kind kind;
    size_t group, level; /* what suggests it */
    uint32_t loop;       /* to become innermost; around the tiles; to be fused; else unused */
    uint32_t other;      /* the loop to be fused with */
    uint32_t tiled[FT_CHANGE_LOOPS_MAX];
    unsigned tiled_count;
    uint64_t tile;                 /* iterations */
    uint64_t row_bytes, pad_bytes; /* of padding; of shifts the second alone */
    const char *left_out; /* why it was not simulated, where not for its loops or arrays; or NULL */
    bool is_forecast;     /* the changed program was simulated... */
    bool gains;           /* ...and it was worth it */
    double *before, *after; /* [level]: misses of the changed scope, set-associative */
    double seconds_before, seconds_after; /* of the changed scope; NAN: unknown. After: at most, as
                                             misses wait as they did before */
};

struct ft_explanation {
    const struct ft_prediction *prediction; /* the caller's */
    uint32_t scope;
    const char *not_synthetic; /* why misses are of histograms, without what carries them; NULL:
                                  they are of the skeleton */
    bool carriers_complete;    /* all accesses were followed; else shares are of the first ones */
    double accesses;           /* of the scope */
    double *misses;            /* [level]: of the scope, set-associative */
    struct ft_explained_group *groups; /* by what their misses cost, most first */
    size_t group_count, group_capacity;
    uint32_t changed_scope;    /* the outermost loop around the scope, or the scope itself */
    struct ft_change *changes; /* by what they gain: those that do, those without a forecast, those
                                  that gain little or nothing */
    size_t change_count, change_capacity;
    bool has_time;
    double seconds;                /* of the scope */
    double core_seconds;           /* of these, what the core takes without waiting */
    double page_fault_seconds;     /* and the system, for first touches of pages */
    uint32_t slowest;              /* the scope in it that takes most time itself */
    enum ft_explained_limit limit; /* of that */
    const char *limited_by;        /* the same as text, of the prediction */
};

/* By what a prediction says limits a scope. */
enum ft_explained_limit ft_explained_limit_of(const char *limited_by);

void ft_explanation_fini(struct ft_explanation *explanation);

/* Adds misses of a cache without end, a fully associative one and one of sets, by their causes. */
void ft_explained_misses_add(struct ft_explained_misses *misses, double cold, double full,
                             double in_sets);

/* Cycles that the misses of a group in a level take, if none overlap. */
double ft_explained_cost(const struct ft_explanation *explanation,
                         const struct ft_explained_misses *misses, size_t level);
/* What changes of a scope's loops may change as well: the outermost loop around it. */
uint32_t ft_changed_scope_of(const struct ft_scopes *scopes, uint32_t scope);
/* The loop of that scope around a group; NULL: there is none. */
const struct ft_explained_loop *ft_explained_loop_of(const struct ft_explained_group *group,
                                                     uint32_t scope);
/* The innermost loop in which a group is known to move; NULL: in none. */
const struct ft_explained_loop *ft_explained_moving_loop(const struct ft_explained_group *group);

#endif
