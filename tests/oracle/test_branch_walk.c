/*
 * Branches of a trace's records, of which iterations are skipped, against all its instructions one
 * by one, each branch predicted where the next instruction begins.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/simulate/core/branch_predictor.h"
#include "engine/simulate/core/branch_walk.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/tap.h"

struct counted {
    uint64_t executions, mispredictions;
};

struct reference {
    struct ft_branch_predictor *predictor;
    struct ft_branch_walk *walk;
    const struct ft_instruction *last; /* executed */
    struct counted *counts;            /* [unit * FT_PATH_INSTRUCTIONS_MAX + instruction] */
    size_t last_index;
};

static void arrive(struct reference *reference, uint64_t pc)
{
    const struct ft_instruction *last = reference->last;
    if (!last || (last->flow != FT_FLOW_BRANCH && last->flow != FT_FLOW_JUMP_INDIRECT &&
                  last->flow != FT_FLOW_CALL && last->flow != FT_FLOW_CALL_INDIRECT &&
                  last->flow != FT_FLOW_RETURN))
        return;
    const struct ft_executed_branch executed = {last->pc, last->pc + last->length, pc, last->flow};
    const bool right = ft_branch_predict(reference->predictor, &executed);
    reference->counts[reference->last_index].executions++;
    reference->counts[reference->last_index].mispredictions += !right;
}

static int visit(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    struct reference *reference = context;
    const struct ft_record *record = walked->record;
    if (record->unit == 0 && record->escape == FT_ESCAPE_STACK)
        reference->last = NULL;
    if (walked->unit) {
        struct ft_instruction_walk walk = ft_instruction_walk_of(walked);
        const struct ft_instruction *instruction;
        while ((instruction = ft_instruction_walk_on(&walk, record))) {
            arrive(reference, instruction->pc);
            reference->last = instruction;
            reference->last_index = walked->unit->id * (size_t)FT_PATH_INSTRUCTIONS_MAX +
                                    (size_t)(instruction - walked->unit->instructions);
        }
    }
    return ft_branch_walk_record(reference->walk, record, true, diag);
}

static void check_counts(const struct reference *reference, const char *path)
{
    const struct ft_walked_branch *branches;
    const size_t count = ft_branch_walk_branches(reference->walk, &branches);
    uint64_t executions = 0, mispredictions = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const struct counted *of =
            &reference->counts[branches[i].unit->id * (size_t)FT_PATH_INSTRUCTIONS_MAX +
                               branches[i].instruction];
        wrong += branches[i].executions != of->executions ||
                 branches[i].mispredictions != of->mispredictions;
        executions += of->executions;
        mispredictions += of->mispredictions;
    }
    tap_ok(wrong == 0, "%s: each of %zu branches as instruction by instruction", path, count);
    tap_ok(mispredictions > 0 && mispredictions < executions,
           "%" PRIu64 " of %" PRIu64 " are mispredicted", mispredictions, executions);
}

static void check_trace(const char *path)
{
    const struct ft_trace_options options = {0};
    struct ft_diag diag = {0};
    struct ft_trace *trace = NULL;
    struct ft_record_walk *records = NULL;
    struct reference reference = {.predictor = ft_branch_predictor_create()};
    int status = ft_trace_open(path, &options, &trace, &diag);
    if (!status)
        status = ft_branch_walk_create(ft_trace_units(trace), &reference.walk, &diag);
    if (!status)
        status = ft_record_walk_create(trace, &records, &diag);
    if (!status)
        reference.counts =
            calloc(ft_trace_units(trace)->count * FT_PATH_INSTRUCTIONS_MAX, sizeof(struct counted));
    for (size_t i = 0; !status && reference.counts && i < ft_trace_log_count(trace, 0); i++)
        status = ft_record_walk_chunk(records, 0, i, visit, &reference, &diag);
    tap_ok(!status && reference.counts && reference.predictor, "%s is read %s", path, diag.message);
    if (!status)
        check_counts(&reference, path);
    ft_record_walk_destroy(records);
    ft_branch_walk_destroy(reference.walk);
    free(reference.predictor);
    free(reference.counts);
    ft_trace_close(trace);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_trace(argv[i]);
    return tap_plan_done();
}
