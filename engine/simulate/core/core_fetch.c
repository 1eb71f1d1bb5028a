/*
 * Instructions are fetched into a queue, from where they are dispatched: up to taken branches, or
 * what an op cache brings of the runs ahead (engine/schedule/fetch_cycles.h).
 */
#include "engine/simulate/core/core_state.h"

/* Appends the operations of the next instruction to the queue; their slots. */
static uint32_t fetch_instruction(struct ft_core_simulation *simulation,
                                  const struct ft_executed *executed)
{
    const struct ft_core_instruction *code = executed->code;
    const uint64_t first = simulation->fetched;
    uint32_t slots = 0;
    for (unsigned i = 0; i < code->operation_count; i++) {
        *ft_op_at(simulation, simulation->fetched++) = (struct ft_op){
            .code = &code->operations[i],
            .fetched = simulation->cycle,
            .dispatched = FT_NEVER,
            .start = FT_NEVER,
            .done = FT_NEVER,
            .first_access = (uint32_t)(executed->accesses - simulation->accesses),
            .access_count = executed->access_count,
            .dependents = FT_NO_LINK,
            .account = executed->account,
            .supply = simulation->is_behind_branch ? FT_REASON_BRANCH : FT_REASON_FRONT_END,
            .measured = executed->measured,
            .mispredicted = executed->mispredicted && i == code->result,
        };
        slots += code->operations[i].slots;
    }
    ft_core_rename(simulation, first, code);
    simulation->slots_in_queue += slots;
    return slots;
}

/* The next instruction, if it can be fetched in this cycle; ret_slots: its slots. */
static const struct ft_executed *fetch_next(struct ft_core_simulation *simulation,
                                            uint32_t *ret_slots)
{
    if (simulation->slots_in_queue >= FT_CORE_QUEUE_SLOTS ||
        simulation->input_first == simulation->input_end)
        return NULL;
    const struct ft_executed *executed = ft_core_input_at(simulation, simulation->input_first);
    simulation->is_busy = true;
    if (executed->fetch_cycles > 0 && !simulation->has_waited) {
        simulation->fetch_cycle = simulation->cycle + executed->fetch_cycles;
        simulation->has_waited = true;
        return NULL;
    }
    simulation->has_waited = false;
    *ret_slots = fetch_instruction(simulation, executed);
    simulation->input_first++;
    simulation->waits_for_branch = executed->mispredicted;
    return executed;
}

/* ---- without an op cache ---- */

/* One fetch, up to a taken branch; false: the cycle brings no more. */
static bool fetch(struct ft_core_simulation *simulation)
{
    uint32_t slots = 0, more;
    while (slots < simulation->model->fetch) {
        const struct ft_executed *executed = fetch_next(simulation, &more);
        if (!executed || executed->mispredicted)
            return false;
        slots += more;
        if (executed->taken)
            return true;
    }
    return true;
}

static void fetch_up_to_branches(struct ft_core_simulation *simulation)
{
    for (uint32_t i = 0; i < simulation->model->taken_branches; i++)
        if (!fetch(simulation))
            break;
}

/* ---- from an op cache ---- */

/* The window of what is at a place. */
static uint64_t window_at(const struct ft_core_simulation *simulation, struct ft_fetch_place place)
{
    const struct ft_executed *executed = ft_core_input_at(simulation, place.number);
    return (place.is_at_end ? executed->last_byte : executed->first_byte) /
           simulation->model->op_cache.window_bytes;
}

/* Behind what is at a place. */
static struct ft_fetch_place behind(const struct ft_core_simulation *simulation,
                                    struct ft_fetch_place place)
{
    const struct ft_fetch_place end = {.number = place.number, .is_at_end = true};
    if (!place.is_at_end && window_at(simulation, end) != window_at(simulation, place))
        return end;
    return (struct ft_fetch_place){.number = place.number + 1};
}

/* The run from the end of the one before on; none: 0 instructions. */
static struct ft_fetch_run find_run(struct ft_core_simulation *simulation)
{
    struct ft_fetch_run run = {.is_target = !simulation->falls_through};
    struct ft_fetch_place place = simulation->run_end;
    const uint64_t window = place.number < simulation->input_end ? window_at(simulation, place) : 0;
    while (place.number < simulation->input_end) {
        const struct ft_executed *executed = ft_core_input_at(simulation, place.number);
        if (window_at(simulation, place) != window) {
            run.falls_through = true;
            break;
        }
        const struct ft_fetch_place next = behind(simulation, place);
        run.instruction_count++;
        const bool ends = next.number > place.number && (executed->taken || executed->mispredicted);
        place = next;
        if (ends)
            break;
    }
    simulation->run_end = place;
    simulation->falls_through = run.falls_through;
    return run;
}

static void find_runs(struct ft_core_simulation *simulation)
{
    for (uint32_t r = simulation->run_count; r < FT_FETCH_RUNS; r++)
        simulation->runs[r] = find_run(simulation);
    simulation->run_count = FT_FETCH_RUNS;
}

/* False: the cycle brings no more. */
static bool fetch_at_place(struct ft_core_simulation *simulation, uint32_t *slots)
{
    const struct ft_fetch_place next = behind(simulation, simulation->fetch_place);
    uint32_t more;
    if (next.number > simulation->fetch_place.number) {
        const struct ft_executed *executed = fetch_next(simulation, &more);
        if (!executed)
            return false;
        *slots += more;
    }
    simulation->fetch_place = next;
    simulation->is_busy = true;
    simulation->brought++;
    return !simulation->waits_for_branch;
}

static void fetch_from_op_cache(struct ft_core_simulation *simulation)
{
    uint32_t slots = 0;
    find_runs(simulation);
    if (simulation->runs[0].instruction_count == 0)
        return;
    uint32_t left =
        ft_fetch_cycle(&simulation->model->op_cache, simulation->runs, simulation->brought);
    while (left > 0 && slots < simulation->model->fetch && fetch_at_place(simulation, &slots))
        left--;
    while (simulation->run_count > 0 &&
           simulation->brought >= simulation->runs[0].instruction_count) {
        simulation->brought -= simulation->runs[0].instruction_count;
        simulation->runs[0] = simulation->runs[1];
        simulation->run_count--;
    }
}

/* ---- a cycle ---- */

void ft_core_fetch(struct ft_core_simulation *simulation)
{
    if (simulation->waits_for_branch || simulation->cycle < simulation->fetch_cycle)
        return;
    const uint64_t before = simulation->fetched;
    if (simulation->model->op_cache.window_bytes > 0)
        fetch_from_op_cache(simulation);
    else
        fetch_up_to_branches(simulation);
    if (simulation->fetched > before)
        simulation->is_behind_branch = false;
}
