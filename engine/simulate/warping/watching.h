/*
 * What follows a walk by warping: its state, and when which loops and runs are looked at. Of
 * warping.c and what it is made of.
 */
#ifndef FT_ENGINE_SIMULATE_WARPING_WATCHING_H
#define FT_ENGINE_SIMULATE_WARPING_WATCHING_H

#include "engine/simulate/warping/loop_moves.h"
#include "engine/simulate/warping/recurrence.h"
#include "engine/simulate/warping/untouched_sets.h"
#include "engine/simulate/warping/warped_program.h"
#include "engine/skeleton/nest_walk.h"

#define FT_WATCH_LOOKS 3.0  /* that a loop or run must be worth */
#define FT_LOOP_SHARE  0.25 /* of the accesses: many of them */

struct ft_watch_site {
    uint8_t failures; /* in a row */
    uint32_t rest;    /* entries for which it is left alone */
};

enum ft_watch { FT_NOT_WATCHED, FT_WATCHED, FT_LEFT_ALONE };

struct ft_warped_loop {
    enum ft_watch watch;
    uint64_t iteration;
    uint64_t touches; /* of the cache when it was entered */
    struct ft_watch_site *site;
    double accesses; /* of the program that its body makes */
    struct ft_recurrence recurrence;
    bool may_be_untouched;              /* of some sets: iterations may touch none of them... */
    struct ft_untouched_sets untouched; /* ...which this tells */
};

struct ft_warping {
    const struct ft_warped_program *program;
    const struct ft_warp_task *task;
    struct ft_single_cache *cache;
    struct ft_nest_walk *walk;
    struct ft_watch_site *sites;  /* [token] */
    struct ft_warped_loop *loops; /* [depth]; those beyond the walk's depth keep their memory */
    size_t loop_count, loop_capacity;
    struct ft_recurrence run; /* of the run at hand */
    struct ft_nest_hulls hulls;
    uint32_t *seen; /* [reference]: the last collection that it is in */
    uint32_t collections;
    struct ft_run_entry *entries;
    size_t entry_count, entry_capacity;
    double accesses, skipped; /* the former with the latter */
    double all_accesses;      /* of the program, without those that are drawn */
    double check_at;          /* simulated accesses */
};

static inline int ft_warping_no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a simulation");
}

/* Of an access of the nest. */
bool ft_watch_is_left_out(const struct ft_warping *warping, const uint32_t *token);

/* Where a body is in the nest; NULL: of a loop that is drawn. */
struct ft_watch_site *ft_watch_site(const struct ft_warping *warping, const uint32_t *body);
/* Whether it is left alone this time. */
bool ft_watch_rests(struct ft_watch_site *site);
/* Nothing recurred: it is left alone for longer. */
void ft_watch_fail(struct ft_watch_site *site);

/* The hulls of a loop, in an iteration; *ret_found: it has moves. */
int ft_watch_find_hulls(struct ft_warping *warping, const struct ft_nest_span *body,
                        const uint64_t *steps, bool is_back, bool *ret_found, struct ft_diag *diag);
/* Those of the hulls at hand. */
struct ft_loop_accesses ft_watch_accesses(const struct ft_warping *warping, uint64_t done,
                                          uint64_t left);
/* The moves of the hulls at hand, and their references. *ret_found: there is anything to look for.
 */
int ft_watch_find_moves(struct ft_warping *warping, uint64_t done, uint64_t left,
                        struct ft_recurrence *recurrence, bool *ret_found, struct ft_diag *diag);
/* A look (recurrence.h), with what it tells of the site. */
int ft_watch_look(struct ft_warping *warping, struct ft_recurrence *recurrence,
                  struct ft_watch_site *site, uint64_t iteration, uint64_t left,
                  uint64_t *ret_skipped, struct ft_diag *diag);

/* warped_loops.c: at events of the walk. */
int ft_warped_loop_enter(struct ft_warping *warping, struct ft_diag *diag);
int ft_warped_loop_iterate(struct ft_warping *warping, struct ft_diag *diag);
/* Whether a loop that makes many of the accesses may soon be skipped, as its state may recur. */
int ft_warped_loop_is_promising(struct ft_warping *warping, size_t depth, bool *ret_is,
                                struct ft_diag *diag);

/* warped_runs.c: likewise. */
int ft_warped_run(struct ft_warping *warping, const struct ft_walk_step *step,
                  struct ft_diag *diag);
int ft_warped_access(struct ft_warping *warping, const struct ft_walk_step *step,
                     struct ft_diag *diag);

#endif
