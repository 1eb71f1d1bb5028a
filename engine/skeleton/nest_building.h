/*
 * Builds the loop nest of one thread from what it does: routines and loops entered, iterated and
 * left, and accesses. Loops are folded when they are left (folding.h).
 *
 * A loop that grows beyond a limit without folding is not kept. What is irregular in it is found
 * (irregular_search.h), and the thread must be taken again from its start, as often as that
 * happens: what is known to be irregular is then summed up (irregular.h), so that what is around
 * it folds. Memory is bounded by the limit times the depth of loops, and the size of the code. One
 * thread at a time.
 */
#ifndef FT_ENGINE_SKELETON_NEST_BUILDING_H
#define FT_ENGINE_SKELETON_NEST_BUILDING_H

#include "engine/skeleton/folding.h"
#include "engine/skeleton/irregular.h"
#include "formats/skeleton/skeleton.h"

struct ft_nest_builder;
int ft_nest_builder_create(uint32_t reference_count, size_t routine_count,
                           struct ft_nest_builder **ret_builder, struct ft_diag *diag);
void ft_nest_builder_destroy(struct ft_nest_builder *builder);

/* Words (tokens and numbers) that a loop may hold while it is folded. */
#define FT_NEST_LOOP_WORDS (1U << 17)
void ft_nest_builder_limit(struct ft_nest_builder *builder, size_t loop_words);

/* Levels are routines and loops, numbered from 1, outermost first. */
int ft_nest_builder_enter(struct ft_nest_builder *builder, enum ft_nest_kind kind, uint32_t id,
                          struct ft_diag *diag);
/* The innermost level, a loop, begins its next iteration. */
int ft_nest_builder_iterate(struct ft_nest_builder *builder, struct ft_diag *diag);
/* Levels deeper than depth are left. */
int ft_nest_builder_leave(struct ft_nest_builder *builder, size_t depth, struct ft_diag *diag);
int ft_nest_builder_access(struct ft_nest_builder *builder, uint32_t reference, uint64_t address,
                           struct ft_diag *diag);

/* A string instruction's: `iterations` times an access of each reference. False in *ret_taken, and
 * nothing done, where they must be taken one by one. */
int ft_nest_builder_string(struct ft_nest_builder *builder, const struct ft_nest_span *body,
                           const uint64_t *strides, uint64_t iterations, bool *ret_taken,
                           struct ft_diag *diag);

/* Elements of a nest that was built before, which are kept as they are. */
int ft_nest_builder_add(struct ft_nest_builder *builder, const struct ft_nest_span *span,
                        struct ft_diag *diag);
/* At the start: the irregular loops of a thread that was built before; and a loop that is. */
int ft_nest_builder_begin_with(struct ft_nest_builder *builder,
                               const struct ft_thread_skeleton *thread, struct ft_diag *diag);
struct ft_nest_context;
int ft_nest_builder_is_irregular(struct ft_nest_builder *builder, struct ft_nest_context loop,
                                 struct ft_diag *diag);
/* Likewise: a loop whose runs are kept (cycles.h). */
int ft_nest_builder_keeps_runs(struct ft_nest_builder *builder, struct ft_nest_context loop,
                               struct ft_diag *diag);
/* Likewise: a loop whose iterations are cut (loop_cuts.h); cut must outlive the builder. */
struct ft_loop_cut;
int ft_nest_builder_cuts(struct ft_nest_builder *builder, struct ft_nest_context loop,
                         struct ft_loop_cut *cut, struct ft_diag *diag);

/* Equal pieces of work, such as the iterations of a run, of which the innermost loop's iterations
 * go on as the last ones did, without looking at each. Take a mark after each piece; {0} is one. */
struct ft_nest_mark {
    uint64_t entry; /* of the innermost loop */
    size_t level_count, term_count;
    uint64_t iterations;       /* of the loop's last term */
    uint64_t progress;         /* iterations since the mark before */
    bool is_steady;            /* as many as between the two marks before */
    bool is_idle;              /* nothing is kept of this loop */
    struct ft_nest unfinished; /* the iteration at hand; its numbers now and... */
    struct ft_nest steps;      /* ...by how much they changed */
};
void ft_nest_mark_fini(struct ft_nest_mark *mark);
int ft_nest_builder_mark(const struct ft_nest_builder *builder, struct ft_nest_mark *mark,
                         struct ft_diag *diag);
/* Right after a mark: takes so many more pieces, each of which executes the same instructions as
 * the last one, with addresses that progress. False, and nothing done, where they must be taken one
 * by one. */
bool ft_nest_builder_repeat(struct ft_nest_builder *builder, const struct ft_nest_mark *mark,
                            uint64_t pieces);

/* Whether something was found irregular, so that the thread must be taken again. */
bool ft_nest_builder_must_restart(const struct ft_nest_builder *builder);
void ft_nest_builder_restart(struct ft_nest_builder *builder);

/* The end of the thread: moves out what was built. Irregular loops that never ran again have no
 * entries. */
int ft_nest_builder_end(struct ft_nest_builder *builder, struct ft_thread_skeleton *ret_thread,
                        struct ft_diag *diag);

#endif
