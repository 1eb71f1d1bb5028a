/*
 * check_skeleton TRACE [PERCENT]: the skeleton of a trace gives back its accesses, each reference
 * and address in order, apart from those of irregular loops; and has at least PERCENT of them.
 *
 * The trace is followed a second time. Where the skeleton says that an irregular loop runs, the
 * accesses until that entry of the loop is left are skipped, which are as many as it counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/graph/trace_executions.h"
#include "engine/program/scope_walk.h"
#include "engine/program/structure.h"
#include "engine/skeleton/nest_source.h"
#include "engine/skeleton/trace_skeleton.h"
#include "formats/base/array.h"
#include "tests/support/tap.h"

struct check_level {
    uint32_t token;
    uint64_t serial; /* of its entry */
};

/* One thread, as recorded and as its skeleton gives it. */
struct check {
    const struct ft_skeleton *skeleton;
    const struct ft_thread_skeleton *thread;
    struct ft_scope_walk walk;
    struct check_level *levels;
    size_t level_count, level_capacity;
    uint64_t serial, serial_before; /* entries so far; when the access before was made */
    size_t skipped_level;           /* 0: none */
    uint64_t skipped_serial;
    struct ft_run_source *made; /* by the skeleton */
    struct ft_run_batch batch;
    size_t run, entry;
    uint64_t iteration;
    uint64_t compared, skipped;
    char wrong[200]; /* the first difference; "": none */
};

static void require(int status, const struct ft_diag *diag)
{
    if (!status)
        return;
    fprintf(stderr, "%s\n", diag->message);
    exit(1);
}

/* ---- what the skeleton makes ---- */

/* Moves on to a run that has something left; false at the end. */
static bool has_made(struct check *check, struct ft_diag *diag)
{
    if (check->run < check->batch.run_count)
        return true;
    check->run = check->entry = 0;
    check->iteration = 0;
    require(check->made->next(check->made, &check->batch, diag), diag);
    return check->batch.run_count > 0;
}

static void move_on(struct check *check)
{
    const struct ft_run *run = &check->batch.runs[check->run];
    if (++check->entry < run->reference_count)
        return;
    check->entry = 0;
    if (++check->iteration < run->iteration_count)
        return;
    check->iteration = 0;
    check->run++;
}

/* ---- the trace beside it ---- */

/* The outermost level entered since the access before that has the token. */
static size_t entered_level(const struct check *check, uint32_t token)
{
    for (size_t i = 0; i < check->level_count; i++)
        if (check->levels[i].token == token && check->levels[i].serial > check->serial_before)
            return i + 1;
    return 0;
}

static bool is_skipped(struct check *check)
{
    return check->skipped_level && check->level_count >= check->skipped_level &&
           check->levels[check->skipped_level - 1].serial == check->skipped_serial;
}

static void compare_access(struct check *check, uint32_t reference, uint64_t address,
                           struct ft_diag *diag)
{
    if (!has_made(check, diag)) {
        snprintf(check->wrong, sizeof check->wrong, "the skeleton ends early");
        return;
    }
    size_t at = check->batch.runs[check->run].first + check->entry;
    uint32_t made = check->batch.references[at];
    if (made >= check->skeleton->reference_count) {
        uint32_t id = made - check->skeleton->reference_count;
        check->skipped_level = entered_level(check, check->thread->irregulars[id].token);
        if (check->skipped_level == 0)
            snprintf(check->wrong, sizeof check->wrong, "irregular loop %u does not run", id);
        else
            check->skipped_serial = check->levels[check->skipped_level - 1].serial;
        check->skipped++;
        move_on(check);
        return;
    }
    uint64_t expected =
        check->batch.addresses[at] + check->iteration * (uint64_t)check->batch.strides[at];
    if (made != reference || expected != address)
        snprintf(check->wrong, sizeof check->wrong, "%u at %#jx, not %u at %#jx", made,
                 (uintmax_t)expected, reference, (uintmax_t)address);
    check->compared++;
    move_on(check);
}

static void take_access(struct check *check, uint32_t reference, uint64_t address,
                        struct ft_diag *diag)
{
    if (check->wrong[0])
        return;
    if (is_skipped(check))
        check->skipped++;
    else
        compare_access(check, reference, address, diag);
    check->serial_before = check->serial;
}

static void follow_operations(struct check *check)
{
    struct ft_scope_walk *walk = &check->walk;
    for (size_t i = 0; i < walk->operation_count; i++) {
        const struct ft_scope_operation *operation = &walk->operations[i];
        if (operation->scope == FT_SCOPE_LEFT)
            check->level_count = operation->depth;
        if (operation->scope == FT_SCOPE_LEFT || operation->scope == FT_SCOPE_ITERATES)
            continue;
        const struct ft_scope_level *level = &walk->levels[operation->depth - 1];
        if (!FT_RESERVE(check->levels, check->level_capacity, check->level_count + 1))
            abort();
        check->levels[check->level_count++] = (struct check_level){
            level->loop != FT_NO_LOOP ? ft_nest_token(FT_NEST_LOOP, level->loop)
                                      : ft_nest_token(FT_NEST_ROUTINE, level->routine),
            ++check->serial};
    }
    walk->operation_count = 0;
}

static void follow_batch(struct check *check, const struct ft_run_batch *batch,
                         struct ft_diag *diag)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t e = run->first; e < run->first + run->reference_count; e++) {
                uint32_t reference = batch->references[e];
                if (reference < check->walk.steps->first) {
                    uint64_t moved = i ? i * (uint64_t)batch->strides[e] : 0;
                    take_access(check, reference, batch->addresses[e] + moved, diag);
                    continue;
                }
                require(ft_scope_walk_step(&check->walk, reference, 0, diag), diag);
                follow_operations(check);
            }
    }
}

static void follow_thread(struct ft_trace *trace, uint32_t thread, struct check *check,
                          struct ft_diag *diag)
{
    struct ft_run_source *source;
    require(ft_trace_runs_of(trace, thread, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag),
            diag);
    for (;;) {
        struct ft_run_batch batch;
        require(source->next(source, &batch, diag), diag);
        if (batch.run_count == 0)
            break;
        follow_batch(check, &batch, diag);
    }
    if (!check->wrong[0] && has_made(check, diag))
        snprintf(check->wrong, sizeof check->wrong, "the skeleton makes more accesses");
    source->destroy(source);
}

/* ---- the whole trace ---- */

static void check_thread(struct ft_trace *trace, const struct ft_skeleton *skeleton,
                         const struct ft_scope_steps *steps, uint32_t thread, struct ft_diag *diag)
{
    const struct ft_thread_skeleton *own = &skeleton->threads[thread];
    struct check check = {.skeleton = skeleton, .thread = own, .walk = {.steps = steps}};
    struct ft_nest_source_options options = {.references = skeleton->references,
                                             .reference_count = skeleton->reference_count,
                                             .irregular_count = (uint32_t)own->irregular_count};
    require(ft_nest_source_create(&own->nest, &options, &check.made, diag), diag);
    follow_thread(trace, thread, &check, diag);
    uint64_t irregular = 0;
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        irregular += own->irregular_accesses[r];
    tap_ok(!check.wrong[0], "thread %u: %" PRIu64 " accesses in their order: %s", thread,
           check.compared, check.wrong[0] ? check.wrong : "all");
    tap_ok(irregular == check.skipped,
           "thread %u: %" PRIu64 " irregular accesses, counted %" PRIu64, thread, check.skipped,
           irregular);
    check.made->destroy(check.made);
    ft_scope_walk_fini(&check.walk);
    free(check.levels);
}

static void make_steps(struct ft_trace *trace, struct ft_scope_steps *ret_steps,
                       struct ft_diag *diag)
{
    struct ft_execution_counts counts = {0};
    struct ft_run_source *source;
    require(ft_trace_executions(trace, NULL, &counts, diag), diag);
    require(ft_trace_runs_of(trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag),
            diag);
    require(ft_scope_steps_of_trace(trace, &counts, source->references, source->reference_count,
                                    ret_steps, diag),
            diag);
    source->destroy(source);
    ft_execution_counts_fini(&counts);
}

static void check_share(const struct ft_skeleton *skeleton, double percent)
{
    uint64_t accesses = 0, irregular = 0;
    for (uint32_t r = 0; r < skeleton->reference_count; r++) {
        accesses += skeleton->accesses[r];
        for (uint32_t t = 0; t < skeleton->thread_count; t++)
            irregular += skeleton->threads[t].irregular_accesses[r];
    }
    double share = 100 - 100 * (double)irregular / (double)accesses;
    tap_ok(share >= percent, "%.2f %% of %" PRIu64 " accesses are regular, at least %g", share,
           accesses, percent);
}

static void check_stop(struct ft_trace *trace)
{
    const atomic_bool stop = true;
    const struct ft_skeleton_options options = {.stop = &stop};
    struct ft_skeleton skeleton;
    struct ft_diag diag = {0};
    const int status = ft_trace_skeleton(trace, &options, NULL, &skeleton, &diag);
    tap_ok(status == FT_ERROR_FAILURE, "a stop ends it: %s", diag.message);
}

int main(int argc, char **argv)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace;
    struct ft_skeleton skeleton;
    struct ft_scope_steps steps;
    if (argc < 2)
        return 2;
    require(ft_trace_open(argv[1], NULL, &trace, &diag), &diag);
    check_stop(trace);
    struct ft_skeleton_options options = {.loop_words = argc > 3 ? strtoull(argv[3], NULL, 10) : 0};
    require(ft_trace_skeleton(trace, &options, NULL, &skeleton, &diag), &diag);
    make_steps(trace, &steps, &diag);
    for (uint32_t t = 0; t < skeleton.thread_count; t++) {
        check_thread(trace, &skeleton, &steps, t, &diag);
        printf("# %zu tokens, %zu numbers, %zu irregular loops\n",
               skeleton.threads[t].nest.token_count, skeleton.threads[t].nest.number_count,
               skeleton.threads[t].irregular_count);
    }
    check_share(&skeleton, argc > 2 ? strtod(argv[2], NULL) : 0);
    ft_scope_steps_fini(&steps);
    ft_skeleton_fini(&skeleton);
    ft_trace_close(trace);
    return tap_plan_done();
}
