/*
 * The runs, references and execution counts of a small trace, worked out by hand, and its accesses
 * and fetches against the reference, ft_unit_step(). Then counting alone: split loops, partial
 * records, many edges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/expand/expand.h"
#include "formats/trace/execution_counts.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/access_list.h"
#include "tests/support/random.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"

#define PATH "test_runs.h5"
#define RSP  UINT64_C(0x7fffffffe000)

/* ---- The trace ---- */

static void flatten(const struct ft_run_source *source, const struct ft_run_batch *batch,
                    struct access_list *accesses)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t e = run->first; e < run->first + run->reference_count; e++) {
                const struct ft_reference *reference = &source->references[batch->references[e]];
                uint64_t moved = i ? i * (uint64_t)batch->strides[e] : 0;
                access_list_add(accesses,
                                (struct access){reference->pc, batch->addresses[e] + moved,
                                                reference->size_bytes, reference->kind});
            }
    }
}

struct stepped_accesses {
    unsigned content;
    struct ft_instruction_walk walk;
    struct access_list accesses;
};

static void fetch(struct stepped_accesses *stepped, const struct ft_instruction *instruction)
{
    if (stepped->content & FT_RUN_FETCHES)
        access_list_add(&stepped->accesses, (struct access){instruction->pc, instruction->pc,
                                                            instruction->length, FT_FETCH});
}

static int visit(void *context, const struct ft_expanded_access *access)
{
    struct stepped_accesses *stepped = context;
    const struct ft_instruction *instruction;
    while ((instruction =
                ft_instruction_walk_up_to(&stepped->walk, access->iteration, access->instruction)))
        fetch(stepped, instruction);
    if (access->kind != FT_PREFETCH && (stepped->content & FT_RUN_ACCESSES))
        access_list_add(&stepped->accesses, (struct access){access->pc, access->address,
                                                            access->size_bytes, access->kind});
    return 0;
}

static int step_record(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct stepped_accesses *stepped = context;
    struct ft_log_state state = *walked->before;
    const struct ft_instruction *instruction;
    if (!walked->unit)
        return FT_OK;
    stepped->walk = ft_instruction_walk_of(walked);
    int status = ft_unit_step(walked->unit, walked->record, &state, visit, stepped, diag);
    while (!status && (instruction = ft_instruction_walk_on(&stepped->walk, walked->record)))
        fetch(stepped, instruction);
    return status;
}

static int step_trace(struct ft_trace *trace, struct stepped_accesses *stepped,
                      struct ft_diag *diag)
{
    struct ft_record_walk *walk;
    int status = ft_record_walk_create(trace, &walk, diag);
    if (status)
        return status;
    for (size_t chunk = 0; !status && chunk < ft_trace_log_count(trace, 0); chunk++)
        status = ft_record_walk_chunk(walk, 0, chunk, step_record, stepped, diag);
    ft_record_walk_destroy(walk);
    return status;
}

static void check_references(const struct ft_run_source *source)
{
    static const struct ft_reference expected[] = {
        {SMALL_PC, 0x1000, 0, 8, 0, FT_LOAD},        {SMALL_PC + 3, 0x1003, 0, 8, 0, FT_STORE},
        {SMALL_PC + 7, 0x1007, 0, 8, 0, FT_STORE},   {SMALL_PC + 0x10, 0x1010, 0, 8, 0, FT_LOAD},
        {SMALL_PC + 0x20, 0x1020, 0, 8, 0, FT_LOAD}, {SMALL_PC + 0x33, 0x1033, 0, 8, 0, FT_LOAD},
        {SMALL_PC + 0x34, 0x1034, 0, 8, 0, FT_LOAD}};
    tap_ok(source->reference_count == 7, "7 references, the prefetch not among them");
    tap_ok(source->access_count == SMALL_ACCESSES, "the accesses are known beforehand");
    for (unsigned i = 0; i < 7 && i < source->reference_count; i++) {
        const struct ft_reference *got = &source->references[i], *want = &expected[i];
        tap_ok(got->pc == want->pc && got->offset == want->offset && got->module == want->module &&
                   got->size_bytes == want->size_bytes && got->kind == want->kind &&
                   got->access_index == want->access_index,
               "reference %u", i);
    }
}

/* The first round: copy, a sweep in one run, chase and leave with the next copy in one run. */
static void check_first_runs(const struct ft_run_batch *batch)
{
    const struct ft_run *runs = batch->runs;
    bool is_there = batch->run_count >= 3 && batch->entry_count >= 7;
    if (!tap_ok(is_there, "the first batch has the first round"))
        return;
    tap_ok(runs[0].reference_count == 3 && runs[0].iteration_count == 1, "copy: a run of one");
    tap_ok(batch->addresses[0] == 0x600000 && batch->addresses[1] == 0x601008 &&
               batch->addresses[2] == RSP - 8,
           "at its addresses, the stack pointer from the escape");
    tap_ok(runs[1].reference_count == 1 && runs[1].iteration_count == SMALL_LENGTH &&
               batch->references[3] == 3 && batch->addresses[3] == 0x600000 &&
               batch->strides[3] == 8,
           "sweep: one run with a stride of 8");
    tap_ok(runs[2].reference_count == SMALL_NODES + 2 + 3 && runs[2].iteration_count == 1,
           "chase, leave and the next copy share a run of one");
}

static uint64_t edge_count(const struct ft_execution_counts *counts, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < counts->edge_count; i++)
        if (counts->edges[i].from == from && counts->edges[i].to == to)
            return counts->edges[i].count;
    return 0;
}

static void check_counts(const struct ft_execution_counts *counts)
{
    const uint64_t rounds = SMALL_CHUNKS * SMALL_ROUNDS;
    tap_ok(counts->units[SMALL_COPY] == rounds &&
               counts->units[SMALL_SWEEP] == rounds * SMALL_LENGTH &&
               counts->units[SMALL_CHASE] == rounds * SMALL_NODES &&
               counts->units[SMALL_LEAVE] == rounds,
           "executions, iterations of loops each");
    tap_ok(counts->loop_entries[SMALL_COPY] == 0 && counts->loop_entries[SMALL_SWEEP] == rounds &&
               counts->loop_entries[SMALL_CHASE] == rounds,
           "entries of loops");
    tap_ok(counts->edge_count == 7 && edge_count(counts, 0, SMALL_COPY) == 1 &&
               edge_count(counts, SMALL_COPY, SMALL_SWEEP) == rounds &&
               edge_count(counts, SMALL_SWEEP, SMALL_SWEEP) == rounds * (SMALL_LENGTH - 1) &&
               edge_count(counts, SMALL_SWEEP, SMALL_CHASE) == rounds &&
               edge_count(counts, SMALL_CHASE, SMALL_CHASE) == rounds * (SMALL_NODES - 1) &&
               edge_count(counts, SMALL_CHASE, SMALL_LEAVE) == rounds &&
               edge_count(counts, SMALL_LEAVE, SMALL_COPY) == rounds - 1,
           "edges");
}

/* The runs of a source against the reference, ft_unit_step(); the source is destroyed. */
static void check_runs(struct ft_trace *trace, struct ft_run_source *source, unsigned content)
{
    struct ft_diag diag = {0};
    struct access_list expanded = {0};
    struct stepped_accesses stepped = {.content = content};
    struct ft_run_batch batch = {.run_count = 1};
    int status = FT_OK;
    for (bool is_first = true; !status && batch.run_count; is_first = false) {
        status = source->next(source, &batch, &diag);
        if (is_first && !status && content == FT_RUN_ACCESSES)
            check_first_runs(&batch);
        if (!status)
            flatten(source, &batch, &expanded);
    }
    tap_ok(!status && expanded.count == source->access_count, "%zu accesses and fetches",
           expanded.count);
    status = step_trace(trace, &stepped, &diag);
    tap_ok(!status && access_list_equals(&expanded, &stepped.accesses),
           "as ft_unit_step() gives them");
    source->destroy(source);
    access_list_fini(&expanded);
    access_list_fini(&stepped.accesses);
}

/* References of accesses keep their numbers, fetches come behind them. */
static void check_fetches(struct ft_trace *trace, unsigned content)
{
    struct ft_run_source *source, *plain;
    struct ft_diag diag = {0};
    int status = ft_trace_runs(trace, 0, NULL, &plain, &diag);
    if (!status)
        status = ft_trace_runs_of(trace, 0, content, NULL, &source, &diag);
    if (!tap_ok(!status, "runs with fetches: %s", status ? diag.message : "fine"))
        return;
    bool same = source->reference_count == plain->reference_count + 14;
    for (uint32_t r = 0; same && r < plain->reference_count; r++)
        same = source->references[r].pc == plain->references[r].pc &&
               source->references[r].access_index == plain->references[r].access_index &&
               source->references[r].kind == plain->references[r].kind;
    tap_ok(same && plain->reference_count == 7, "the references without fetches, and 14 more");
    const struct ft_reference *second = &source->references[8];
    tap_ok(second->pc == SMALL_PC + 3 && second->offset == 0x1003 && second->size_bytes == 4 &&
               second->kind == FT_FETCH && second->access_index == FT_FETCH_INDEX,
           "fetches in order of instruction, with its length");
    uint64_t accesses = content & FT_RUN_ACCESSES ? SMALL_ACCESSES : 0;
    tap_ok(source->access_count == accesses + ft_trace_metadata(trace)->instructions,
           "as many fetches as instructions");
    plain->destroy(plain);
    check_runs(trace, source, content);
}

static void check_trace(void)
{
    struct ft_diag diag = {0};
    struct ft_trace_options options = {0};
    struct ft_trace *trace = NULL;
    struct ft_run_source *source = NULL;
    struct ft_execution_counts counts = {0};
    int status = small_trace(PATH, SMALL_GOOD, &diag);
    if (!status)
        status = ft_trace_open(PATH, &options, &trace, &diag);
    if (!status)
        status = ft_trace_runs(trace, 0, &counts, &source, &diag);
    if (!tap_ok(!status, "runs of a trace: %s", status ? diag.message : "fine"))
        return;
    check_references(source);
    check_runs(trace, source, FT_RUN_ACCESSES);
    check_counts(&counts);
    check_fetches(trace, FT_RUN_FETCHES);
    check_fetches(trace, FT_RUN_ACCESSES | FT_RUN_FETCHES);
    ft_execution_counts_fini(&counts);
    ft_trace_close(trace);
    remove(PATH);
}

/* ---- Counting alone ---- */

static const struct ft_unit plain_unit = {.kind = FT_UNIT_PLAIN};
static const struct ft_unit loop_unit = {.kind = FT_UNIT_LOOP};
static const struct ft_unit loop_path = {.kind = FT_UNIT_LOOP_PATH};
static const struct ft_unit left_early = {
    .kind = FT_UNIT_LOOP_PATH, .beginning_of = 4, .last_iteration_instructions = 3};

static void count(struct ft_execution_counter *counter, const struct ft_unit *unit, uint32_t id,
                  uint64_t iterations)
{
    struct ft_record record = {.unit = id, .iteration_count = iterations};
    if (ft_execution_counter_add(counter, unit, &record, NULL))
        abort();
}

static void count_escape(struct ft_execution_counter *counter, uint32_t escape)
{
    struct ft_record record = {.escape = escape, .iteration_count = 1};
    if (ft_execution_counter_add(counter, NULL, &record, NULL))
        abort();
}

/* The first instructions of a unit. */
static void count_part(struct ft_execution_counter *counter, uint64_t id, uint64_t instructions)
{
    const uint64_t values[] = {id, instructions};
    struct ft_record record = {
        .escape = FT_ESCAPE_PARTIAL, .iteration_count = 1, .values = values, .value_count = 2};
    if (ft_execution_counter_add(counter, NULL, &record, NULL))
        abort();
}

static uint64_t part_count(const struct ft_execution_counts *counts, uint32_t unit,
                           uint32_t instructions)
{
    uint64_t count = 0;
    for (size_t i = 0; i < counts->part_count; i++)
        if (counts->parts[i].unit == unit && counts->parts[i].instructions == instructions)
            count += counts->parts[i].count;
    return count;
}

static void check_splits(void)
{
    struct ft_execution_counter *counter;
    struct ft_execution_counts counts;
    if (ft_execution_counter_create(9, true, &counter, NULL))
        abort();
    count(counter, &plain_unit, 1, 1);
    count(counter, &loop_unit, 2, 5);
    count_escape(counter, FT_ESCAPE_EVENT);
    count(counter, &loop_unit, 2, 7); /* goes on: no signal between */
    count(counter, &loop_unit, 2, 0);
    count(counter, &plain_unit, 3, 1);
    count(counter, &loop_unit, 2, 4);
    count(counter, &loop_path, 4, 3);
    count(counter, &left_early, 5, 6); /* goes on */
    count(counter, &left_early, 5, 0);
    count(counter, &plain_unit, 3, 1);
    count_part(counter, 8, 2);
    count_escape(counter, FT_ESCAPE_STACK);
    count(counter, &plain_unit, 9, 1);
    count_part(counter, 8, 0);
    count(counter, &plain_unit, 3, 1);
    count_part(counter, 8, 2);
    ft_execution_counter_finish(counter, &counts);
    tap_ok(counts.units[2] == 16 && counts.loop_entries[2] == 2, "a split loop is entered once");
    tap_ok(edge_count(&counts, 2, 2) == 4 + 7 + 3, "and goes around in between");
    tap_ok(edge_count(&counts, 1, 2) == 1 && edge_count(&counts, 2, 3) == 1 &&
               edge_count(&counts, 3, 2) == 1,
           "its other edges are there");
    tap_ok(counts.units[4] == 3 + 6 && counts.loop_entries[4] == 1 && counts.units[5] == 2 &&
               edge_count(&counts, 2, 4) == 1 && edge_count(&counts, 4, 4) == 8 &&
               edge_count(&counts, 4, 5) == 1 && edge_count(&counts, 5, 5) == 1 &&
               edge_count(&counts, 5, 3) == 1,
           "whole iterations are the loop's, the one that leaves it is a unit of its own");
    tap_ok(edge_count(&counts, 2, 9) == 0 && edge_count(&counts, 0, 9) == 1,
           "what follows a signal follows no unit");
    tap_ok(
        counts.units[8] == 0 && counts.part_count == 1 && part_count(&counts, 8, 2) == 2 &&
            edge_count(&counts, 3, 8) == 2 && edge_count(&counts, 9, 8) == 0 &&
            edge_count(&counts, 0, 3) == 1,
        "a unit that ran in part is counted so, with the way to it; one that did not run is not");
    ft_execution_counts_fini(&counts);
    ft_execution_counter_destroy(counter);
}

/* Records of every kind at random, counted from `begin` up to `end`. */
static void count_between(unsigned begin, unsigned end, struct ft_execution_counts *ret_counts)
{
    static const struct ft_unit *const units[] = {NULL,        &plain_unit, &loop_unit,
                                                  &plain_unit, &loop_path,  &left_early};
    struct ft_execution_counter *counter;
    uint64_t seed = 9;
    if (ft_execution_counter_create(9, begin == 0, &counter, NULL))
        abort();
    for (unsigned i = 0; i < end; i++) {
        uint32_t id = (uint32_t)random_below(&seed, 6);
        uint64_t iterations = random_below(&seed, 4);
        uint64_t what = random_below(&seed, 4);
        if (i < begin)
            continue;
        if (id == 0 && what < 2)
            count_part(counter, 1 + iterations, 1 + what);
        else if (id == 0)
            count_escape(counter, what == 2 ? FT_ESCAPE_EVENT : FT_ESCAPE_STACK);
        else
            count(counter, units[id], id, id == 1 || id == 3 ? 1 : iterations);
    }
    ft_execution_counter_finish(counter, ret_counts);
    ft_execution_counter_destroy(counter);
}

#define PARTS_RECORDS 60U

/* Counts of three parts of a log, joined in both orders, are those of the whole. */
static void check_parts(void)
{
    struct ft_execution_counts whole;
    unsigned wrong = 0;
    count_between(0, PARTS_RECORDS, &whole);
    for (unsigned i = 0; i <= PARTS_RECORDS; i++)
        for (unsigned j = i; j <= PARTS_RECORDS; j++) {
            struct ft_execution_counts a, b, c;
            count_between(0, i, &a);
            count_between(i, j, &b);
            count_between(j, PARTS_RECORDS, &c);
            bool last_first = (i + j) % 2;
            if (ft_execution_counts_append(last_first ? &b : &a, last_first ? &c : &b, 9, NULL) ||
                ft_execution_counts_append(&a, last_first ? &b : &c, 9, NULL))
                abort();
            wrong += a.edge_count != whole.edge_count || a.last != whole.last ||
                     a.part_count != whole.part_count ||
                     memcmp(a.units, whole.units, 10 * sizeof *a.units) != 0 ||
                     memcmp(a.loop_entries, whole.loop_entries, 10 * sizeof *a.units) != 0;
            for (size_t e = 0; e < a.edge_count && e < whole.edge_count; e++)
                wrong += a.edges[e].from != whole.edges[e].from ||
                         a.edges[e].to != whole.edges[e].to ||
                         a.edges[e].count != whole.edges[e].count;
            for (size_t p = 0; p < a.part_count; p++)
                wrong += a.parts[p].count !=
                         part_count(&whole, a.parts[p].unit, a.parts[p].instructions);
            ft_execution_counts_fini(&a);
        }
    tap_ok(wrong == 0 && whole.edge_count > 10 && whole.part_count > 1,
           "logs in three parts: %u wrong", wrong);
    ft_execution_counts_fini(&whole);
}

#define NODES 100

static void check_many_edges(void)
{
    static uint64_t expected[NODES + 1][NODES + 1];
    struct ft_execution_counter *counter;
    struct ft_execution_counts counts;
    uint32_t previous = 0, state = 12345;
    if (ft_execution_counter_create(NODES, true, &counter, NULL))
        abort();
    for (unsigned i = 0; i < 50000; i++) {
        state = state * 1664525 + 1013904223;
        uint32_t id = 1 + (state >> 16) % NODES;
        count(counter, &plain_unit, id, 1);
        expected[previous][id]++;
        previous = id;
    }
    ft_execution_counter_finish(counter, &counts);
    size_t at = 0, wrong = 0;
    for (uint32_t from = 0; from <= NODES; from++)
        for (uint32_t to = 0; to <= NODES; to++) {
            if (expected[from][to] == 0)
                continue;
            wrong += at >= counts.edge_count || counts.edges[at].from != from ||
                     counts.edges[at].to != to || counts.edges[at].count != expected[from][to];
            at++;
        }
    tap_ok(at > 2000 && at == counts.edge_count && wrong == 0, "%zu edges, counted and sorted", at);
    ft_execution_counts_fini(&counts);
    ft_execution_counter_destroy(counter);
}

int main(void)
{
    check_trace();
    check_splits();
    check_parts();
    check_many_edges();
    return tap_plan_done();
}
