/*
 * Two sides of a program by hand: changes and their intervals, limits, rows of scopes that match,
 * that are inlined, and that one side lacks; what is shown first; what is another program; misses
 * of histograms against counts by the definition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/diff/diff.h"
#include "predict/metrics/miss_probability.h"
#include "tests/support/tap.h"

static bool close_to(double value, double expected)
{
    return fabs(value - expected) <= 1e-12 * fmax(fabs(expected), 1);
}

/* ---- changes ---- */

static void check_changes(void)
{
    const struct ft_compared_value exact[2] = {{200, 200, 200}, {250, 250, 250}};
    struct ft_change change = ft_change_of(exact, false);
    tap_ok(change.absolute.value == 50 && change.absolute.low == 50 && change.absolute.high == 50 &&
               close_to(change.relative.value, 0.25) && change.relative.low == change.relative.high,
           "exact values change exactly");
    const struct ft_compared_value made[2] = {{100, 96, 103}, {200, 197, 204}};
    change = ft_change_of(made, false);
    /* hypot(3, 3) down, hypot(4, 4) up */
    tap_ok(close_to(change.absolute.low, 100 - 3 * sqrt(2)) &&
               close_to(change.absolute.high, 100 + 4 * sqrt(2)),
           "errors of two models add up as independent ones");
    change = ft_change_of(made, true);
    tap_ok(change.absolute.low == 100 && change.absolute.high == 101 &&
               close_to(change.relative.low, 204.0 / 103 - 1) &&
               close_to(change.relative.high, 197.0 / 96 - 1),
           "those of one model are alike: both low, or both high");
    const struct ft_compared_value same[2] = {{100, 50, 200}, {100, 50, 200}};
    change = ft_change_of(same, true);
    tap_ok(change.relative.low == 0 && change.relative.high == 0, "the same forecast twice");
    const struct ft_compared_value none[2] = {{0, 0, 0}, {5, 5, 5}};
    const struct ft_compared_value nothing[2] = {{0, 0, 0}, {0, 0, 0}};
    tap_ok(isinf(ft_change_of(none, false).relative.value) &&
               ft_change_of(nothing, false).relative.value == 0,
           "from none to some, and from none to none");
    const struct ft_compared_value unknown[2] = {{NAN, 1, 2}, {5, 5, 5}};
    tap_ok(isnan(ft_change_of(unknown, false).absolute.value), "from the unknown");
    const struct ft_compared_value rounded[2] = {{1e6, NAN, NAN}, {1e6 + 1e-6, NAN, NAN}};
    tap_ok(ft_change_of(rounded, false).absolute.value == 0, "rounding is no change");
}

/* ---- limits ---- */

static struct ft_shown_metric shown[] = {{FT_SHOW_TIME, NULL},
                                         {FT_SHOW_ACCESSES, NULL},
                                         {FT_SHOW_INSTRUCTIONS, NULL},
                                         {FT_SHOW_MISSES, "L2 DTLB"},
                                         {FT_SHOW_FULL_MISSES, "L2 DTLB"}};
static const struct ft_diff_metrics metrics = {shown, 5};

/* Whether a limit is read as this, and holds or not for 100 and then 110. */
static bool reads(const char *text, size_t metric, enum ft_limited limited, double value,
                  bool holds)
{
    const struct ft_compared_value values[2] = {{100, 100, 100}, {110, 110, 110}};
    struct ft_diff_limit limit;
    if (ft_diff_limit_read(text, &metrics, &limit, NULL) != FT_OK)
        return false;
    const struct ft_verdict verdict = ft_diff_limit_judge(&limit, values, false);
    return limit.metric == metric && limit.limited == limited && close_to(limit.value, value) &&
           verdict.is_known && verdict.is_sure && verdict.holds == holds;
}

static void check_limits(void)
{
    tap_ok(reads("accesses > +5%", 1, FT_LIMIT_RELATIVE, 0.05, true), "a percentage");
    tap_ok(reads("accesses>10.5 %", 1, FT_LIMIT_RELATIVE, 0.105, false), "without sign and blanks");
    tap_ok(reads(" misses.L2 DTLB > +9", 3, FT_LIMIT_CHANGE, 9, true), "a change, of a level");
    tap_ok(reads("full.L2 DTLB < -1K ", 4, FT_LIMIT_CHANGE, -1000, false), "below, with a unit");
    tap_ok(reads("instructions < 111", 2, FT_LIMIT_VALUE, 111, true), "the second's own value");
    tap_ok(reads("time > +2ms", 0, FT_LIMIT_CHANGE, 2e-3, true), "a time");
    static const char *const wrong[] = {"",
                                        "accesses",
                                        "accesses 5%",
                                        "> 5%",
                                        "accesses >",
                                        "misses.L3 > 5",
                                        "accesses > 5ms",
                                        "time > 5K",
                                        "accesses > +-5",
                                        "accesses > 5%%",
                                        "accesses > 5 x",
                                        "accesses => 5",
                                        "accesses > nan",
                                        "Accesses > 5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ft_diff_limit limit;
        struct ft_diag diag = {0};
        int status = ft_diff_limit_read(wrong[i], &metrics, &limit, &diag);
        tap_ok(status == FT_ERROR_USAGE, "refused: %s", diag.message);
    }
    const struct ft_compared_value values[2] = {{100, 90, 110}, {107, 100, 115}};
    struct ft_diff_limit limit;
    ft_diff_limit_read("accesses > +5%", &metrics, &limit, NULL);
    struct ft_verdict verdict = ft_diff_limit_judge(&limit, values, false);
    tap_ok(verdict.holds && !verdict.is_sure, "the estimate decides, the interval doubts");
    const struct ft_compared_value unknown[2] = {{100, 90, 110}, {NAN, 1, 2}};
    verdict = ft_diff_limit_judge(&limit, unknown, false);
    tap_ok(!verdict.is_known && !verdict.holds, "of the unknown nothing holds");
}

/* ---- rows ---- */

enum { PROGRAM, MODULE, MAIN, LOOP, WORK, INNER, SCOPES };

static struct ft_scope scope_at(const char *name, const char *file, enum ft_scope_kind kind,
                                uint32_t parent, uint32_t line)
{
    return (struct ft_scope){.parent = parent,
                             .module = kind == FT_SCOPE_PROGRAM ? FT_NO_MODULE : 0,
                             .kind = (uint8_t)kind,
                             .loop_depth = kind == FT_SCOPE_LOOP,
                             .name = (char *)name,
                             .file = (char *)file,
                             .first_line = line,
                             .last_line = line + 2};
}

/* A program of main with a loop at line 20 and, from the fifth scope on, a routine with a loop. */
struct tree {
    struct ft_scope_module module;
    struct ft_scope items[SCOPES];
    struct ft_scopes scopes;
    double exclusive[SCOPES * 2];
    struct ft_compared_value inclusive[SCOPES * 2];
    struct ft_diff_side side;
};
static struct ft_shown_metric counts[] = {{FT_SHOW_ACCESSES, NULL}, {FT_SHOW_INSTRUCTIONS, NULL}};
static const struct ft_diff_metrics count_metrics = {counts, 2};

static void plant(struct tree *tree, const char *file, const char *routine, size_t scope_count,
                  const double *accesses)
{
    static char name[] = "program", path[] = "/bin/program";
    *tree = (struct tree){.module = {.name = name, .path = path}};
    tree->items[PROGRAM] = scope_at(name, "", FT_SCOPE_PROGRAM, 0, 0);
    tree->items[MODULE] = scope_at(name, "", FT_SCOPE_MODULE, 0, 0);
    tree->items[MAIN] = scope_at("main", file, FT_SCOPE_ROUTINE, MODULE, 10);
    tree->items[LOOP] = scope_at("loop", file, FT_SCOPE_LOOP, MAIN, 20);
    tree->items[WORK] = scope_at(routine, file, FT_SCOPE_ROUTINE, MODULE, 40);
    tree->items[INNER] = scope_at("loop", file, FT_SCOPE_LOOP, WORK, 44);
    tree->scopes = (struct ft_scopes){.modules = &tree->module,
                                      .module_count = 1,
                                      .scopes = tree->items,
                                      .scope_count = scope_count};
    double rows[SCOPES * 2] = {0};
    for (size_t i = 0; i < scope_count; i++)
        rows[2 * i] = tree->exclusive[2 * i] = accesses[i];
    ft_scopes_add_nested(&tree->scopes, rows, 2);
    for (size_t i = 0; i < 2 * scope_count; i++)
        tree->inclusive[i] = (struct ft_compared_value){rows[i], rows[i], rows[i]};
    tree->side = (struct ft_diff_side){&tree->scopes, 2, tree->exclusive, tree->inclusive};
}

static int diff_of(const struct tree *first, const struct tree *second,
                   struct ft_diff_side sides[2], struct ft_diff *ret_diff)
{
    sides[0] = first->side;
    sides[1] = second->side;
    return ft_diff_make(sides, &count_metrics, false, ret_diff, NULL);
}

static void check_rows(void)
{
    struct tree first, second;
    struct ft_diff_side sides[2];
    struct ft_diff diff;
    struct ft_compared_value values[2];
    uint32_t row, *rows = NULL;
    size_t count;
    plant(&first, "a.c", "work", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    plant(&second, "a.c", "work", WORK, (double[]){1, 0, 10, 130});
    int status = diff_of(&first, &second, sides, &diff);
    tap_ok(status == FT_OK && diff.row_count == 4, "%u rows of both and of one", diff.row_count);
    row = diff.row_of[0][LOOP];
    tap_ok(row == diff.row_of[1][LOOP] && diff.rows[row].kind == FT_MATCH_LINE &&
               ft_diff_exclusive_change(&diff, row, 0) == 30,
           "the loop is found by its line");
    ft_diff_inclusive(&diff, diff.row_of[0][WORK], 0, values);
    tap_ok(diff.rows[diff.row_of[0][INNER]].counts[1] == 0 && values[0].value == 520 &&
               values[1].value == 0,
           "the routine that the second lacks is there with its loop");
    tap_ok(ft_diff_place(&diff, diff.row_of[0][INNER]) == diff.row_of[0][WORK] &&
               ft_diff_place(&diff, row) == row,
           "its loop counts where it does");
    ft_diff_inclusive(&diff, FT_NO_ROW, 0, values);
    tap_ok(values[0].value == 631 && values[1].value == 141, "the program");
    tap_ok(ft_diff_main_metric(&diff, FT_NO_ROW, NULL) == 0 &&
               ft_diff_sort(&diff, FT_NO_ROW, 0, &rows, &count, NULL) == FT_OK && count == 3 &&
               rows[0] == diff.row_of[0][INNER] && rows[1] == row,
           "what changes most comes first, what does not change not at all");
    free(rows);
    rows = NULL;
    tap_ok(ft_diff_find(&diff, "work", &row, NULL) == FT_OK && row == diff.row_of[0][WORK] &&
               ft_diff_sort(&diff, row, 0, &rows, &count, NULL) == FT_OK && count == 2,
           "by name, with what is in it");
    free(rows);
    tap_ok(ft_diff_find(&diff, "a.c:21", &row, NULL) == FT_OK && row == diff.row_of[1][LOOP] &&
               ft_diff_find(&diff, "a.c:99", &row, NULL) == FT_ERROR_USAGE,
           "by line");
    tap_ok(ft_diff_is_related(&diff) && diff.related[0] == 1 && diff.related[1] == 1,
           "both are of one program");
    ft_diff_fini(&diff);
}

/* The second's loop became two, one in the other, on the line of the first's. */
static void check_nested(void)
{
    struct tree first, second;
    struct ft_diff_side sides[2];
    struct ft_diff diff;
    struct ft_compared_value values[2];
    plant(&first, "a.c", "work", WORK, (double[]){1, 0, 10, 100});
    plant(&second, "a.c", "work", WORK, (double[]){1, 0, 10, 30});
    second.items[WORK] = scope_at("loop", "a.c", FT_SCOPE_LOOP, LOOP, 20);
    second.items[WORK].loop_depth = 2;
    second.scopes.scope_count = WORK + 1;
    second.exclusive[2 * WORK] = 80;
    second.inclusive[2 * WORK] = (struct ft_compared_value){80, 80, 80};
    second.inclusive[2 * LOOP] = (struct ft_compared_value){110, 110, 110};
    int status = diff_of(&first, &second, sides, &diff);
    const uint32_t row = diff.row_of[0][LOOP];
    ft_diff_inclusive(&diff, row, 0, values);
    tap_ok(status == FT_OK && diff.rows[row].counts[1] == 2 && diff.row_of[1][WORK] == row &&
               diff.rows[row].scopes[1] == WORK && values[1].value == 110 &&
               ft_diff_exclusive_change(&diff, row, 0) == 10,
           "two loops for one: what is in both counts once, %g", values[1].value);
    ft_diff_fini(&diff);
}

/* The second's routine has another name, on the same line. */
static void check_renamed(void)
{
    struct tree first, second;
    struct ft_diff_side sides[2];
    struct ft_diff diff;
    plant(&first, "a.c", "work", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    plant(&second, "a.c", "play", SCOPES, (double[]){1, 0, 10, 100, 20, 700});
    int status = diff_of(&first, &second, sides, &diff);
    tap_ok(status == FT_OK && diff.row_count == 4 && diff.row_of[0][WORK] == diff.row_of[1][WORK] &&
               diff.row_of[0][INNER] == diff.row_of[1][INNER],
           "a renamed routine and its loop are found by their lines");
    ft_diff_fini(&diff);
    plant(&second, "b.c", "play", SCOPES, (double[]){1, 0, 10, 100, 20, 700});
    status = diff_of(&first, &second, sides, &diff);
    tap_ok(status == FT_OK && diff.rows[diff.row_of[1][WORK]].counts[0] == 0,
           "not in another file");
    ft_diff_fini(&diff);
}

static void check_same_tree(void)
{
    struct tree first, second;
    struct ft_diff diff;
    plant(&first, "a.c", "work", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    plant(&second, "a.c", "work", SCOPES, (double[]){2, 0, 20, 200, 40, 1000});
    second.items[INNER].first_line = second.items[LOOP].first_line = 0;
    const struct ft_diff_side sides[2] = {
        first.side, {first.side.scopes, 2, second.exclusive, second.inclusive}};
    tap_ok(ft_diff_make(sides, &count_metrics, true, &diff, NULL) == FT_OK && diff.row_count == 4 &&
               diff.row_of[0][INNER] == diff.row_of[1][INNER] &&
               ft_diff_exclusive_change(&diff, diff.row_of[0][INNER], 0) == 500,
           "one tree twice: each scope is itself");
    ft_diff_fini(&diff);
}

static void check_related(void)
{
    struct tree first, second;
    struct ft_diff_side sides[2];
    struct ft_diff diff;
    static char other[] = "other";
    plant(&first, "a.c", "work", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    plant(&second, "b.c", "play", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    second.module.name = second.items[PROGRAM].name = other;
    int status = diff_of(&first, &second, sides, &diff);
    tap_ok(status == FT_OK && !ft_diff_is_related(&diff), "main in another file: %.2f and %.2f",
           diff.related[0], diff.related[1]);
    ft_diff_fini(&diff);
    plant(&second, "b.c", "work", SCOPES, (double[]){1, 0, 10, 100, 20, 500});
    second.module.name = second.items[PROGRAM].name = other;
    status = diff_of(&first, &second, sides, &diff);
    tap_ok(status == FT_OK && ft_diff_is_related(&diff),
           "a renamed file and program: %.2f and %.2f", diff.related[0], diff.related[1]);
    ft_diff_fini(&diff);
}

/* ---- histograms ---- */

static void check_histograms(void)
{
    struct ft_machine machine;
    struct ft_diff_metrics levels;
    struct ft_histograms entry = {0};
    struct ft_diff_side side;
    struct ft_diag diag = {0};
    struct tree tree;
    const uint64_t sizes[] = {64};
    int status = ft_machine_parse("L1:4K:64:4@4,memory@100", &machine, &diag);
    const struct ft_machine *const machines[2] = {&machine, NULL};
    status = status ? status : ft_diff_metrics_make(machines, false, &levels, &diag);
    status = status ? status : ft_histograms_init(&entry, sizes, 1, 2, &diag);
    tap_ok(status == FT_OK && levels.count == 4, "a machine of one level: %s", diag.message);
    /* Distances 10 and 80 in the loop of main, and 80 in another: 64 blocks in 16 sets. */
    struct ft_bin *bins = calloc(3, sizeof *bins), *more = calloc(1, sizeof *more);
    bins[0] = (struct ft_bin){ft_bin_of(10), 6, 60};
    bins[1] = (struct ft_bin){ft_bin_of(80), 4, 320};
    more[0] = (struct ft_bin){ft_bin_of(80), 3, 240};
    entry.histograms[0] = (struct ft_histogram){12, 2, bins, 2};
    entry.histograms[1] = (struct ft_histogram){4, 1, more, 1};
    entry.reference_accesses[0] = 12;
    entry.reference_accesses[1] = 4;
    plant(&tree, "a.c", "work", SCOPES, (double[SCOPES]){0});
    struct ft_scoped_reference references[] = {{.scope = LOOP, .kind = FT_LOAD},
                                               {.scope = INNER, .kind = FT_STORE}};
    struct ft_block block = {.scope = LOOP, .instruction_count = 5, .execution_count = 7};
    entry.scopes = tree.scopes;
    entry.scopes.references = references;
    entry.scopes.reference_count = 2;
    entry.scopes.blocks = &block;
    entry.scopes.block_count = 1;
    status = ft_diff_side_of_histograms(&entry, &machine, &levels, &side, &diag);
    const double p10 = ft_miss_probability(16, 4, 10), p80 = ft_miss_probability(16, 4, 80);
    const struct ft_compared_value *all = side.inclusive, *main = side.inclusive + MAIN * 4;
    tap_ok(status == FT_OK && all[0].value == 16 && all[0].low == 16 && all[1].value == 35 &&
               main[0].value == 12,
           "accesses and instructions, exact");
    tap_ok(close_to(all[2].value, 3 + 6 * p10 + 7 * p80) && isnan(all[2].low) &&
               close_to(main[2].value, 2 + 6 * p10 + 4 * p80) && all[3].value == 10 &&
               main[3].value == 6,
           "misses: binomial, and fully associative");
    ft_diff_side_fini(&side);
    machine.levels[0].block_bytes = 128;
    status = ft_diff_side_of_histograms(&entry, &machine, &levels, &side, &diag);
    tap_ok(status == FT_ERROR_USAGE && strstr(diag.message, "replay -b 64,128"), "%s",
           diag.message);
    machine.levels[0].block_bytes = 64;
    entry.scopes = (struct ft_scopes){0};
    ft_histograms_fini(&entry);
    ft_diff_metrics_fini(&levels);
    ft_machine_fini(&machine);
}

int main(void)
{
    check_changes();
    check_limits();
    check_rows();
    check_nested();
    check_renamed();
    check_same_tree();
    check_related();
    check_histograms();
    return tap_plan_done();
}
