/*
 * Long repetitions: programs that walk the same addresses again and again, as the time steps of a
 * solver do. Once a segment of accesses has been seen to come again, its next repetition is
 * measured, and each further one is only compared and counted (docs/replay.md, "Repetition").
 *
 * Looks at the runs before they are taken and says for each part of them whether it is to be taken
 * or skipped. The result is the same with and without.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPETITION_H
#define FT_ENGINE_REUSE_STACKS_REPETITION_H

#include "engine/reuse/stacks/repetition_state.h"
#include "formats/expand/runs.h"

struct ft_replay;
struct ft_repetition_step {
    size_t retake;    /* items of the record to be taken first: skipped, but then it went on
                         otherwise */
    uint32_t entries; /* of the run, from the one asked about; all of a body that iterates */
    bool skip;
};

void ft_repetition_init(struct ft_repetition *repetition);
void ft_repetition_fini(struct ft_repetition *repetition);
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
