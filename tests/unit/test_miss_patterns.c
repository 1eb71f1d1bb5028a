/*
 * Which pattern misses are, and what is suggested against them, on explanations written by hand: a
 * matrix product whose b walks columns, conflicts, loops that follow each other, first touches,
 * chains and indirect addresses.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/scopes/load_class.h"
#include "predict/explain/miss_patterns.h"
#include "tests/support/tap.h"

/* The program, a module, a routine, in it loops inside each other, and one behind them. */
enum { PROGRAM, MODULE, ROUTINE, LOOP_I, LOOP_J, LOOP_K, NEXT_LOOP, SCOPES };

static struct ft_scope scopes[SCOPES] = {
    [PROGRAM] = {.kind = FT_SCOPE_PROGRAM, .parent = PROGRAM},
    [MODULE] = {.kind = FT_SCOPE_MODULE, .parent = PROGRAM},
    [ROUTINE] = {.kind = FT_SCOPE_ROUTINE, .parent = MODULE},
    [LOOP_I] = {.kind = FT_SCOPE_LOOP, .parent = ROUTINE},
    [LOOP_J] = {.kind = FT_SCOPE_LOOP, .parent = LOOP_I},
    [LOOP_K] = {.kind = FT_SCOPE_LOOP, .parent = LOOP_J},
    [NEXT_LOOP] = {.kind = FT_SCOPE_LOOP, .parent = ROUTINE},
};

static struct ft_machine machine;
static struct ft_model model = {.scopes = {.scopes = scopes, .scope_count = SCOPES}};
static struct ft_prediction prediction = {.model = &model, .machine = &machine};

/* One group in one level, whose strides in k, j and i these are. */
struct sample {
    struct ft_explained_group group;
    struct ft_explained_misses misses;
    struct ft_explanation explanation;
    double all;
};

static void start(struct sample *sample, double in_k, double in_j, double in_i)
{
    const double strides[] = {in_k, in_j, in_i};
    *sample = (struct sample){
        .group = {.scope = LOOP_K, .is_regular = true, .line_use = NAN, .loop_count = 3},
        .misses = {.misses = 1000, .capacity = 1000},
        .all = 1000};
    for (unsigned i = 0; i < 3; i++)
        sample->group.loops[i] = (struct ft_explained_loop){
            .scope = LOOP_K - i, .iterations = 100, .is_known = true, .stride_bytes = strides[i]};
    sample->group.levels = &sample->misses;
    sample->explanation = (struct ft_explanation){.prediction = &prediction,
                                                  .scope = ROUTINE,
                                                  .accesses = 10000,
                                                  .misses = &sample->all,
                                                  .groups = &sample->group,
                                                  .group_count = 1};
}

static void carry(struct sample *sample, uint32_t scope, bool across, uint32_t source)
{
    sample->misses.has_carrier = true;
    sample->misses.carrier = scope;
    sample->misses.across = across;
    sample->misses.source = source;
    sample->misses.carried_share = 1;
}

/* Finds pattern and changes; kinds: of these as letters. */
static void check(struct sample *sample, enum ft_miss_pattern pattern, const char *kinds,
                  const char *text)
{
    static const char letters[FT_CHANGE_KINDS] = "itpsflh";
    char found[16] = "";
    struct ft_diag diag = {0};
    ft_miss_patterns_find(&sample->explanation);
    const int status = ft_changes_suggest(&sample->explanation, &diag);
    for (size_t i = 0; i < sample->explanation.change_count && i < sizeof found - 1; i++)
        found[i] = letters[sample->explanation.changes[i].kind];
    tap_ok(status == FT_OK && sample->misses.pattern == pattern && strcmp(found, kinds) == 0,
           "%s: %s, changes \"%s\", expected \"%s\"", text,
           ft_miss_pattern_names[sample->misses.pattern], found, kinds);
}

static void check_loops(void)
{
    struct sample sample;
    start(&sample, 800, 8, 0);
    carry(&sample, LOOP_J, true, LOOP_K);
    check(&sample, FT_MISSES_COLUMN, "itt", "a column whose lines come back too late");
    const struct ft_change *changes = sample.explanation.changes;
    tap_ok(changes[0].loop == LOOP_J && changes[1].loop == LOOP_J && changes[1].tiled_count == 1 &&
               changes[1].tiled[0] == LOOP_K && changes[2].loop == LOOP_I &&
               changes[2].tiled_count == 2,
           "j is to be innermost, or k in tiles outside of j, or both outside of i");
    free(sample.explanation.changes);
    start(&sample, 8, 800, 0);
    carry(&sample, LOOP_I, true, LOOP_K);
    check(&sample, FT_MISSES_OUTER, "t", "data that come back in an outer loop");
    free(sample.explanation.changes);
    start(&sample, 8, 800, 0);
    carry(&sample, ROUTINE, false, NEXT_LOOP);
    check(&sample, FT_MISSES_BETWEEN, "f", "data of the loop before");
    tap_ok(sample.explanation.changes[0].loop == LOOP_I &&
               sample.explanation.changes[0].other == NEXT_LOOP,
           "the loops directly in the routine are to be fused");
    free(sample.explanation.changes);
    start(&sample, 800, 8, 0);
    check(&sample, FT_MISSES_COLUMN, "it", "a column, where nothing says what carries it");
    free(sample.explanation.changes);
}

static void check_causes(void)
{
    struct sample sample;
    start(&sample, 4096, 8, 0);
    sample.misses.capacity = 200;
    sample.misses.conflict = 800;
    carry(&sample, LOOP_J, true, LOOP_K);
    check(&sample, FT_MISSES_CONFLICT, "ittp", "conflicts of a column");
    tap_ok(sample.explanation.changes[3].row_bytes == 4096, "rows of 4096 bytes are to be padded");
    free(sample.explanation.changes);
    start(&sample, 8, 0, 0);
    sample.misses.capacity = 0;
    sample.misses.conflict = 1000;
    check(&sample, FT_MISSES_CONFLICT, "tts", "conflicts of arrays in step");
    free(sample.explanation.changes);
    start(&sample, 8, 800, 80000);
    sample.misses.capacity = 0;
    sample.misses.cold = 1000;
    check(&sample, FT_MISSES_COLD, "", "a stream of first touches");
    sample.group.line_use = 0.25;
    check(&sample, FT_MISSES_COLD, "l", "of which a quarter of each line is used");
    free(sample.explanation.changes);
    start(&sample, 8, 0, 0);
    sample.all = 100000;
    check(&sample, FT_MISSES_FEW, "", "one in a hundred of the level's");
    free(sample.explanation.changes);
}

static void check_loads(void)
{
    struct sample sample;
    start(&sample, 0, 0, 0);
    sample.group.load_class = FT_LOAD_CHASING;
    check(&sample, FT_MISSES_CHAIN, "", "a chain of loads");
    start(&sample, 0, 0, 0);
    sample.group.load_class = FT_LOAD_INDIRECT;
    check(&sample, FT_MISSES_IRREGULAR, "h", "addresses that are loaded");
    free(sample.explanation.changes);
}

static void check_limits(void)
{
    tap_ok(ft_explained_limit_of("recurrence through xmm1") == FT_LIMITED_BY_RECURRENCE &&
               ft_explained_limit_of("ports FP450 FP451") == FT_LIMITED_BY_CORE &&
               ft_explained_limit_of("mispredictions") == FT_LIMITED_BY_CORE &&
               ft_explained_limit_of("store streams from memory") == FT_LIMITED_BY_STREAMS &&
               ft_explained_limit_of("scattered loads from L2") == FT_LIMITED_BY_LATENCY &&
               ft_explained_limit_of("page faults") == FT_LIMITED_BY_PAGE_FAULTS &&
               ft_explained_limit_of("") == FT_LIMITED_UNKNOWN &&
               ft_explained_limit_of(NULL) == FT_LIMITED_UNKNOWN,
           "what limits a loop, by the text of its time");
}

int main(void)
{
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse("L1:32K:64:8@4,memory@200", &machine, &diag) == FT_OK,
                "a machine %s", diag.message))
        return tap_plan_done();
    check_loops();
    check_causes();
    check_loads();
    check_limits();
    ft_machine_fini(&machine);
    return tap_plan_done();
}
