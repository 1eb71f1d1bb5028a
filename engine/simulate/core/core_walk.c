/*
 * In runs each instruction is a fetch with its accesses behind it. An instruction is complete when
 * the next one is fetched, which also tells where a branch led; one that fuses with the branch
 * behind it waits for that one's outcome, too.
 *
 * Outside of windows whole iterations go to the hierarchy, which skips what can't change it, and
 * the branches of an iteration to the predictor until an iteration changes nothing there.
 */
#include "engine/simulate/core/core_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define NO_ACCOUNT UINT32_MAX

/* ---- set-up ---- */

int ft_core_walk_start(struct ft_core_walk *walk, struct ft_diag *diag)
{
    const struct ft_machine *machine = walk->machine;
    const uint64_t fetched = machine->instruction_cache_count > 0
                                 ? machine->instruction_levels[0].block_bytes
                                 : machine->levels[0].block_bytes;
    walk->line_shift = (uint32_t)__builtin_ctzll(machine->levels[0].block_bytes);
    walk->fetch_shift = (uint32_t)__builtin_ctzll(fetched);
    walk->last = NO_ACCOUNT;
    walk->fetch_line = UINT64_MAX;
    walk->predictor = ft_branch_predictor_create();
    return walk->predictor ? FT_OK : ft_fail_memory(diag, "a branch predictor");
}

void ft_core_walk_fini(struct ft_core_walk *walk)
{
    free(walk->predictor);
    free(walk->references);
    free(walk->addresses);
    free(walk->strides);
}

void ft_core_walk_batch(struct ft_core_walk *walk, const struct ft_run_batch *batch)
{
    walk->batch = *batch;
    walk->run = 0;
    walk->iteration = 0;
    walk->entry = 0;
}

static bool is_fetch(const struct ft_core_walk *walk, uint32_t reference)
{
    return reference >= walk->code->first_reference;
}

static void next_run(struct ft_core_walk *walk)
{
    walk->run++;
    walk->iteration = 0;
    walk->entry = 0;
}

/* ---- branches ---- */

/* Where the instruction walked last led: false where it was mispredicted. */
static bool predict(struct ft_core_walk *walk, uint32_t account, uint64_t target)
{
    const struct ft_core_code_entry *entry = &walk->code->entries[account];
    const struct ft_executed_branch branch = {entry->pc, entry->next, target, entry->flow};
    return entry->flow == FT_FLOW_NEXT || ft_branch_predict(walk->predictor, &branch);
}

/* ---- outside of windows ---- */

/* The next iterations of the run at hand, or entries of one, as a batch of their own. */
static int feed_part(struct ft_core_walk *walk, uint32_t from, uint32_t count, uint64_t iterations,
                     struct ft_diag *diag)
{
    const struct ft_run *run = &walk->batch.runs[walk->run];
    if (count == 0)
        return FT_OK;
    if (!FT_RESERVE(walk->references, walk->reference_capacity, count) ||
        !FT_RESERVE(walk->addresses, walk->address_capacity, count) ||
        !FT_RESERVE(walk->strides, walk->stride_capacity, count))
        return ft_fail_memory(diag, "a simulation");
    const size_t first = run->first + from;
    for (uint32_t i = 0; i < count; i++) {
        walk->references[i] = walk->batch.references[first + i];
        walk->strides[i] = walk->batch.strides[first + i];
        walk->addresses[i] = walk->batch.addresses[first + i];
        if (walk->iteration > 0) /* strides of runs of one iteration mean nothing */
            walk->addresses[i] += walk->iteration * (uint64_t)walk->strides[i];
    }
    const struct ft_run all = {.reference_count = count, .iteration_count = iterations};
    const struct ft_run_batch part = {.runs = &all,
                                      .run_count = 1,
                                      .references = walk->references,
                                      .addresses = walk->addresses,
                                      .strides = walk->strides,
                                      .entry_count = count};
    return ft_hierarchy_feed(walk->hierarchy, 0, walk->source, &part, diag);
}

/* Fetches among entries of the run at hand, up to a limit; *ret_count: entries up to there. */
static uint64_t count_fetches(const struct ft_core_walk *walk, uint32_t from, uint64_t limit,
                              uint32_t *ret_count)
{
    const struct ft_run *run = &walk->batch.runs[walk->run];
    const uint32_t *references = walk->batch.references + run->first;
    uint64_t fetches = 0;
    uint32_t i = from;
    for (; i < run->reference_count; i++) {
        if (!is_fetch(walk, references[i]))
            continue;
        if (fetches == limit)
            break;
        fetches++;
    }
    *ret_count = i - from;
    return fetches;
}

/* The branches of entries, once. */
static void predict_entries(struct ft_core_walk *walk, uint32_t from, uint32_t count)
{
    const uint32_t *references = walk->batch.references + walk->batch.runs[walk->run].first + from;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_fetch(walk, references[i]))
            continue;
        const uint32_t account = references[i] - walk->code->first_reference;
        if (walk->last != NO_ACCOUNT)
            (void)predict(walk, walk->last, walk->code->entries[account].pc);
        walk->last = account;
    }
}

/* The branches of iterations, until nothing changes any more. */
static void predict_iterations(struct ft_core_walk *walk, uint64_t iterations)
{
    const uint32_t count = walk->batch.runs[walk->run].reference_count;
    predict_entries(walk, 0, count);
    for (uint64_t i = 1; i < iterations; i++) {
        const uint64_t before = ft_branch_predictor_state(walk->predictor);
        predict_entries(walk, 0, count);
        if (ft_branch_predictor_state(walk->predictor) == before)
            return;
    }
}

/* Whole iterations that fit into a count of instructions; 0: none does. */
static int warm_iterations(struct ft_core_walk *walk, uint64_t limit, uint64_t *ret_walked,
                           bool *ret_done, struct ft_diag *diag)
{
    const struct ft_run *run = &walk->batch.runs[walk->run];
    uint32_t all;
    const uint64_t each = count_fetches(walk, 0, UINT64_MAX, &all);
    const uint64_t left = run->iteration_count - walk->iteration;
    const uint64_t iterations = each == 0 || left <= limit / each ? left : limit / each;
    *ret_walked = iterations * each;
    *ret_done = iterations > 0;
    if (iterations == 0)
        return FT_OK;
    FT_TRY(feed_part(walk, 0, run->reference_count, iterations, diag));
    predict_iterations(walk, iterations);
    walk->iteration += iterations;
    if (walk->iteration == run->iteration_count)
        next_run(walk);
    return FT_OK;
}

static int warm_entries(struct ft_core_walk *walk, uint64_t limit, uint64_t *ret_walked,
                        struct ft_diag *diag)
{
    const struct ft_run *run = &walk->batch.runs[walk->run];
    uint32_t count;
    *ret_walked = count_fetches(walk, walk->entry, limit, &count);
    FT_TRY(feed_part(walk, walk->entry, count, 1, diag));
    predict_entries(walk, walk->entry, count);
    walk->entry += count;
    if (walk->entry == run->reference_count) {
        walk->entry = 0;
        if (++walk->iteration == run->iteration_count)
            next_run(walk);
    }
    return FT_OK;
}

int ft_core_walk_warm(struct ft_core_walk *walk, uint64_t count, uint64_t *ret_walked,
                      struct ft_diag *diag)
{
    *ret_walked = 0;
    walk->fetch_line = UINT64_MAX;
    while (walk->run < walk->batch.run_count && *ret_walked < count) {
        uint64_t walked = 0;
        bool done = false;
        if (walk->entry == 0)
            FT_TRY(warm_iterations(walk, count - *ret_walked, &walked, &done, diag));
        if (!done)
            FT_TRY(warm_entries(walk, count - *ret_walked, &walked, diag));
        *ret_walked += walked;
    }
    return FT_OK;
}

/* ---- in windows ---- */

/* last: it, or the branch that it is a pair with. */
static int feed(struct ft_core_walk *walk, const struct ft_walked_instruction *instruction,
                const struct ft_core_instruction *code, const struct ft_core_code_entry *last,
                const struct ft_executed *outcome, struct ft_diag *diag)
{
    const struct ft_executed executed = {
        .code = code,
        .first_byte = instruction->entry->pc,
        .last_byte = last->flow == FT_FLOW_NEXT ? instruction->entry->pc : last->next - 1,
        .accesses = instruction->accesses,
        .access_count = instruction->access_count,
        .account = instruction->account,
        .fetch_cycles = instruction->fetch_cycles,
        .measured = instruction->measured,
        .taken = outcome->taken,
        .mispredicted = outcome->mispredicted};
    return ft_core_simulation_feed(walk->core, &executed, diag);
}

static int give_held(struct ft_core_walk *walk, struct ft_diag *diag)
{
    const struct ft_executed goes_on = {0};
    if (!walk->held.entry)
        return FT_OK;
    const struct ft_core_instruction *code = &walk->held.entry->code;
    FT_TRY(feed(walk, &walk->held, code, walk->held.entry, &goes_on, diag));
    walk->held.entry = NULL;
    return FT_OK;
}

/* The instruction at hand waits for the branch behind it. */
static void hold(struct ft_core_walk *walk)
{
    const struct ft_walked_instruction *at = &walk->at;
    struct ft_walked_instruction *held = &walk->held;
    held->entry = at->entry;
    held->account = at->account;
    held->fetch_cycles = at->fetch_cycles;
    held->measured = at->measured;
    held->access_count = at->access_count;
    memcpy(held->accesses, at->accesses, at->access_count * sizeof *at->accesses);
}

/* The instruction at hand is complete. */
static int give(struct ft_core_walk *walk, const struct ft_executed *outcome, struct ft_diag *diag)
{
    struct ft_walked_instruction *at = &walk->at, *held = &walk->held;
    const struct ft_core_code_entry *entry = at->entry;
    if (!entry || at->is_given)
        return FT_OK;
    at->is_given = true;
    if (held->entry && held->entry->next == entry->pc && entry->flow == FT_FLOW_BRANCH) {
        held->fetch_cycles += at->fetch_cycles;
        FT_TRY(feed(walk, held, held->entry->fused, entry, outcome, diag));
        held->entry = NULL;
        return FT_OK;
    }
    FT_TRY(give_held(walk, diag));
    if (entry->fused) {
        hold(walk);
        return FT_OK;
    }
    return feed(walk, at, &entry->code, entry, outcome, diag);
}

int ft_core_walk_flush(struct ft_core_walk *walk, struct ft_diag *diag)
{
    const struct ft_executed goes_on = {0};
    FT_TRY(give(walk, &goes_on, diag));
    FT_TRY(give_held(walk, diag));
    walk->at.entry = NULL;
    return FT_OK;
}

static uint32_t tlb_cycles(const struct ft_core_walk *walk, uint64_t misses, bool *ret_walks)
{
    const struct ft_machine *machine = walk->machine;
    const size_t tlbs = machine->level_count - machine->cache_count;
    double cycles = 0;
    for (size_t t = 0; t < tlbs; t++)
        if (misses >> t & 1)
            cycles += ft_machine_miss_cycles(machine, machine->cache_count + t, false);
    *ret_walks = tlbs > 0 && misses >> (tlbs - 1) & 1;
    return (uint32_t)fmin(lround(cycles), UINT16_MAX);
}

/* Cycles that the front end waits for an instruction's line. */
static uint32_t fetch_line(struct ft_core_walk *walk, uint32_t reference, uint64_t pc)
{
    struct ft_hierarchy_answer answer;
    const uint64_t line = pc >> walk->fetch_shift;
    if (line == walk->fetch_line || walk->machine->instruction_cache_count == 0)
        return 0;
    walk->fetch_line = line;
    const struct ft_hierarchy_demand demand = {
        .address = pc, .size_bytes = 1, .reference = reference, .fetches = true};
    ft_hierarchy_touch(walk->hierarchy, 0, &demand, &answer);
    if (answer.source == 0)
        return 0;
    const double latency = answer.source < walk->machine->cache_count
                               ? walk->machine->levels[answer.source].latency_cycles
                               : walk->machine->memory_latency_cycles;
    return (uint32_t)lround(latency);
}

static int begin(struct ft_core_walk *walk, uint32_t reference, bool measured, struct ft_diag *diag)
{
    const uint32_t account = reference - walk->code->first_reference;
    const struct ft_core_code_entry *entry = &walk->code->entries[account];
    if (walk->last != NO_ACCOUNT) {
        const bool right = predict(walk, walk->last, entry->pc);
        const struct ft_core_code_entry *last = &walk->code->entries[walk->last];
        const struct ft_executed outcome = {.taken = last->next != entry->pc,
                                            .mispredicted = !right};
        if (walk->at.entry && walk->at.measured) {
            walk->counts.branches += last->flow != FT_FLOW_NEXT && last->flow != FT_FLOW_JUMP;
            walk->counts.mispredicted += !right;
        }
        FT_TRY(give(walk, &outcome, diag));
    }
    walk->last = account;
    walk->at.entry = entry;
    walk->at.account = account;
    walk->at.fetch_cycles = fetch_line(walk, reference, entry->pc);
    walk->at.measured = measured;
    walk->at.is_given = false;
    walk->at.access_count = 0;
    if (measured) {
        walk->executed[account]++;
        walk->counts.unknown += entry->is_unknown;
    }
    return FT_OK;
}

/* An access of the instruction at hand; those of lanes that continue each other are one. */
static void add_access(struct ft_core_walk *walk, const struct ft_executed_access *access)
{
    struct ft_walked_instruction *at = &walk->at;
    if (at->access_count > 0) {
        struct ft_executed_access *before = &at->accesses[at->access_count - 1];
        const bool goes_on = before->stores == access->stores && !before->prefetches &&
                             before->address + before->size_bytes == access->address &&
                             before->line == access->line;
        if (goes_on && access->source <= before->source && access->tlb_cycles == 0) {
            before->size_bytes += access->size_bytes;
            return;
        }
    }
    if (at->access_count == FT_EXECUTED_ACCESSES_MAX)
        walk->counts.dropped += at->measured;
    else
        at->accesses[at->access_count++] = *access;
}

/* Further accesses of a string instruction are operations of their own. */
static int add_granule(struct ft_core_walk *walk, const struct ft_executed_access *access,
                       struct ft_diag *diag)
{
    struct ft_walked_instruction *at = &walk->at;
    const struct ft_executed goes_on = {0};
    bool is_first = !at->is_given;
    for (uint32_t a = 0; a < at->access_count && is_first; a++)
        is_first = at->accesses[a].stores != access->stores;
    if (is_first) {
        add_access(walk, access);
        return FT_OK;
    }
    FT_TRY(give(walk, &goes_on, diag));
    const struct ft_executed executed = {.code = access->stores ? &walk->code->granule_store
                                                                : &walk->code->granule_load,
                                         .first_byte = at->entry ? at->entry->pc : 0,
                                         .last_byte = at->entry ? at->entry->pc : 0,
                                         .accesses = access,
                                         .access_count = 1,
                                         .account = at->account,
                                         .measured = at->measured};
    return ft_core_simulation_feed(walk->core, &executed, diag);
}

/* What prefetchers fetch because of the access that came last. */
static void add_prefetches(struct ft_core_walk *walk, const struct ft_hierarchy_answer *answer,
                           bool stores)
{
    struct ft_walked_instruction *at = &walk->at;
    for (size_t p = 0; p < answer->prefetch_count && !at->is_given; p++) {
        const struct ft_hierarchy_prefetch *prefetch = &answer->prefetches[p];
        if (at->access_count == FT_EXECUTED_ACCESSES_MAX) {
            walk->counts.dropped += at->measured;
            continue;
        }
        at->accesses[at->access_count++] = (struct ft_executed_access){
            .address = prefetch->address,
            .line = prefetch->address >> walk->line_shift,
            .source = (uint8_t)(prefetch->source < walk->machine->cache_count
                                    ? prefetch->source
                                    : walk->machine->cache_count),
            .stores = stores,
            .prefetches = true};
    }
}

static int touch(struct ft_core_walk *walk, uint32_t reference, uint64_t address,
                 struct ft_diag *diag)
{
    const struct ft_reference *of = &walk->source->references[reference];
    const bool stores = of->kind == FT_STORE || of->kind == FT_STORE_NONTEMPORAL;
    const struct ft_hierarchy_demand demand = {
        .address = address, .size_bytes = of->size_bytes, .reference = reference, .stores = stores};
    struct ft_hierarchy_answer answer;
    struct ft_executed_access access = {
        .address = address, .size_bytes = of->size_bytes, .stores = stores};
    ft_hierarchy_touch(walk->hierarchy, 0, &demand, &answer);
    if (!walk->at.entry)
        return FT_OK;
    access.source = (uint8_t)answer.source;
    access.line = answer.address >> walk->line_shift;
    access.tlb_cycles = (uint16_t)tlb_cycles(walk, answer.tlb_misses, &access.walks);
    if (walk->at.entry->is_repeated)
        FT_TRY(add_granule(walk, &access, diag));
    else
        add_access(walk, &access);
    add_prefetches(walk, &answer, stores);
    return FT_OK;
}

int ft_core_walk_detailed(struct ft_core_walk *walk, uint64_t count, bool measured,
                          uint64_t *ret_walked, struct ft_diag *diag)
{
    *ret_walked = 0;
    for (; walk->run < walk->batch.run_count; next_run(walk)) {
        const struct ft_run *run = &walk->batch.runs[walk->run];
        for (; walk->iteration < run->iteration_count; walk->iteration++, walk->entry = 0)
            for (; walk->entry < run->reference_count; walk->entry++) {
                const size_t index = run->first + walk->entry;
                const uint32_t reference = walk->batch.references[index];
                if (is_fetch(walk, reference)) {
                    if (*ret_walked == count)
                        return FT_OK;
                    ++*ret_walked;
                    FT_TRY(begin(walk, reference, measured, diag));
                    continue;
                }
                uint64_t address = walk->batch.addresses[index];
                if (walk->iteration > 0)
                    address += walk->iteration * (uint64_t)walk->batch.strides[index];
                FT_TRY(touch(walk, reference, address, diag));
            }
    }
    return FT_OK;
}
