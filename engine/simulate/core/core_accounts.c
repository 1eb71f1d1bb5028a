/*
 * Each cycle is given away whole: what retires in it takes its share of `dispatch` (where more
 * retires, the rest is a credit for the cycles behind), the remainder goes to what keeps the oldest
 * operation from retiring, or the next one from entering an empty window.
 */
#include <math.h>

#include "engine/simulate/core/core_state.h"

static bool waits_for_more_than_itself(const struct ft_op *op)
{
    return op->start != op->dispatched + 1 || op->source > 0;
}

/* Why an operation of the window has not retired yet. */
static unsigned reason_of(const struct ft_core_simulation *simulation, const struct ft_op *op)
{
    if (op->start == FT_NEVER)
        return op->supply && simulation->cycle <= op->dispatched + 1 ? op->supply
                                                                     : FT_REASON_EXECUTION;
    const bool is_load = op->code->part == FT_PART_LOAD;
    if (is_load && simulation->cycle < op->tlb_cycle)
        return FT_REASON_TLB;
    if (op->supply && !waits_for_more_than_itself(op))
        return op->supply;
    if (!is_load || op->done == FT_NEVER || op->source == FT_FROM_STORE)
        return FT_REASON_EXECUTION;
    return FT_REASON_SOURCES + op->source;
}

/* Why nothing has been fetched. */
static unsigned reason_of_empty(const struct ft_core_simulation *simulation)
{
    return simulation->waits_for_branch || simulation->is_behind_branch ? FT_REASON_BRANCH
                                                                        : FT_REASON_FRONT_END;
}

/* The account that waits, and why; false: there is none whose cycles count. */
static bool find_waiting(const struct ft_core_simulation *simulation, uint32_t *ret_account,
                         unsigned *ret_reason)
{
    if (simulation->retired < simulation->fetched) {
        const struct ft_op *op = &simulation->ops[simulation->retired & (simulation->ring - 1)];
        *ret_account = op->account;
        *ret_reason = simulation->retired < simulation->dispatched ? reason_of(simulation, op)
                      : simulation->is_store_bound                 ? FT_REASON_STORES
                                                                   : op->supply;
        return op->measured;
    }
    if (simulation->input_first == simulation->input_end)
        return false;
    const struct ft_executed *next = ft_core_input_at(simulation, simulation->input_first);
    *ret_account = next->account;
    *ret_reason = reason_of_empty(simulation);
    return next->measured;
}

void ft_core_account_retired(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    if (op->measured)
        simulation->accounts[op->account * (size_t)FT_CORE_REASONS + FT_REASON_BASE] +=
            op->code->slots * simulation->slot_cycles;
}

void ft_core_account(struct ft_core_simulation *simulation, int64_t cycles, uint32_t slots)
{
    uint32_t account;
    unsigned reason;
    const double all = (double)cycles;
    const double base = slots * simulation->slot_cycles;
    const double rest = all - base - simulation->credit;
    simulation->credit = fmax(-rest, 0);
    if (rest > 0 && find_waiting(simulation, &account, &reason))
        simulation->accounts[account * (size_t)FT_CORE_REASONS + reason] += rest;
}
