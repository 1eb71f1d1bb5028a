/*
 * Long repetitions: programs that walk the same addresses over and over, as the time steps of a
 * solver do. Once a sequence of accesses has recurred, its next repetition is measured, and further
 * ones are only compared and counted (docs/replay.md, "Repetition").
 *
 * Inspects runs before they are taken and decides for each part whether to take or skip it. The
 * result is the same as without it.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPETITION_H
#define FT_ENGINE_REUSE_STACKS_REPETITION_H

#include "engine/reuse/stacks/repetition_state.h"
#include "formats/expand/runs.h"

struct ft_replay;
struct ft_repetition_step {
    size_t retake;    /* items of the record to take first: they were skipped before the repetition
                         broke off */
    uint32_t entries; /* of the run, starting at `from`; the whole body if it iterates */
    bool skip;
};

void ft_repetition_init(struct ft_repetition *repetition);
void ft_repetition_fini(struct ft_repetition *repetition);
/* Decides what to do with the entries of a run from `from` on. */
int ft_repetition_next(struct ft_replay *replay, const struct ft_run_batch *batch,
                       const struct ft_run *run, uint32_t from, struct ft_repetition_step *ret_step,
                       struct ft_diag *diag);
/* Whether a period is being recorded, compared or skipped: then it must see all items. */
static inline bool ft_repetition_is_seen(const struct ft_repetition *repetition)
{
    return repetition->state >= FT_REPETITION_RECORDING;
}
/* While none is: reports items that were taken without asking, of so many accesses. */
void ft_repetition_pass(struct ft_repetition *repetition, uint64_t items, uint64_t accesses);
/* Looks for another anchor: what follows is not behind what was taken last. Not while periods are
 * skipped. */
void ft_repetition_restart(struct ft_repetition *repetition);
/* At the end of the source: the items of the record that are still to be taken. */
int ft_repetition_end(struct ft_replay *replay, size_t *ret_retake, struct ft_diag *diag);

#endif
