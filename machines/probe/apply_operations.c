/*
 * Latencies of classes, and units from rates: each class has units that start as many a cycle as
 * were seen; two classes that reach less together than their own units allow share units, which
 * become an entry for both.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine.h"
#include "machines/probe/applying.h"

#define SHARES 0.93 /* of what two classes could reach: below it they share units */

/* ---- latencies ---- */

/* The entry of a class: that of the nearest machine, or a new one behind all others. */
static int find_operation(struct ft_yaml_machine *yaml, size_t class, unsigned *ret_index,
                          struct ft_diag *diag)
{
    *ret_index = 0;
    while (*ret_index < yaml->operations_count && yaml->operations[*ret_index].class != (int)class)
        ++*ret_index;
    if (*ret_index < yaml->operations_count)
        return FT_OK;
    struct ft_yaml_operation *grown =
        realloc(yaml->operations, (yaml->operations_count + 1) * sizeof *grown);
    if (!grown)
        return ft_fail_memory(diag, "operations");
    yaml->operations = grown;
    grown[*ret_index] = (struct ft_yaml_operation){.class = (int)class};
    return FT_OK;
}

static int set_operation(struct ft_applying *applying, size_t class, double cycles, double spread,
                         const char *how, struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml = applying->yaml;
    unsigned index;
    FT_TRY(find_operation(yaml, class, &index, diag));
    struct ft_yaml_operation *operation = &yaml->operations[index];
    applying->part = ft_mix_class_names[class];
    FT_TRY(ft_applying_set(applying, &operation->numbers, &operation->sources,
                           FT_NUMBER_latency_cycles, cycles, spread, how, diag));
    /* What is out of range was not set, and a new entry without it is none. */
    if (index == yaml->operations_count)
        yaml->operations_count += operation->numbers.texts[FT_NUMBER_latency_cycles] != NULL;
    return FT_OK;
}

static int apply_operation_latencies(struct ft_applying *applying, struct ft_diag *diag)
{
    for (size_t class = 0; class < FT_MIX_COUNT; class ++) {
        char curve[FT_CURVE_BYTES], control[FT_CURVE_BYTES], how[96];
        double spread, control_spread;
        snprintf(curve, sizeof curve, FT_CURVE_LATENCY_OF "%.24s", ft_mix_class_names[class]);
        snprintf(control, sizeof control, "%.31s control", curve);
        const double cycles = ft_applying_cycles(applying, curve, &spread);
        if (cycles == 0)
            continue;
        const double without = ft_applying_cycles(applying, control, &control_spread);
        snprintf(how, sizeof how, "a chain of dependent ones%s",
                 without > 0 ? ", less the instructions between them" : "");
        FT_TRY(set_operation(applying, class, cycles - without, fmax(spread, control_spread), how,
                             diag));
    }
    return FT_OK;
}

/* ---- units ---- */

static double rate_of(const struct ft_applying *applying, const char *classes, double *ret_spread)
{
    char curve[FT_CURVE_BYTES];
    snprintf(curve, sizeof curve, FT_CURVE_RATE_OF "%.28s", classes);
    const double cycles = ft_applying_cycles(applying, curve, ret_spread);
    return cycles > 0 ? 1 / cycles : 0;
}

static void free_units(struct ft_yaml_machine *yaml)
{
    for (unsigned i = 0; i < yaml->units_count; i++) {
        struct ft_yaml_units *units = &yaml->units[i];
        free(units->name);
        ft_yaml_numbers_fini(&units->numbers);
        ft_yaml_sources_fini(&units->sources);
        free(units->classes);
    }
    yaml->units_count = 0;
}

static int add_units(struct ft_applying *applying, const char *name, const int *classes,
                     unsigned class_count, double rate, double spread, struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml = applying->yaml;
    struct ft_yaml_units *grown = realloc(yaml->units, (yaml->units_count + 1) * sizeof *grown);
    char how[96];
    if (!grown)
        return ft_fail_memory(diag, "units");
    yaml->units = grown;
    struct ft_yaml_units *units = &grown[yaml->units_count++];
    *units = (struct ft_yaml_units){.name = strdup(name),
                                    .classes = malloc(class_count * sizeof *units->classes)};
    if (!units->name || !units->classes)
        return ft_fail_memory(diag, "units");
    memcpy(units->classes, classes, class_count * sizeof *classes);
    units->classes_count = class_count;
    snprintf(how, sizeof how, "independent ones, %.3g a cycle", rate);
    applying->part = name;
    /* Units that take several cycles for an operation. */
    if (rate < 0.9)
        FT_TRY(ft_applying_set(applying, &units->numbers, &units->sources, FT_NUMBER_repeat_cycles,
                               1 / rate, spread, how, diag));
    return ft_applying_set(applying, &units->numbers, &units->sources, FT_NUMBER_count,
                           rate < 0.9 ? 1 : rate, spread, how, diag);
}

/* Blocks of several classes: the shares of each, and the curve. */
static const struct {
    const char *curve;
    int first, second;
    double first_share;
} mixes[] = {
    {"load + store", FT_MIX_LOAD, FT_MIX_STORE, 0.5},
    {"integer + branch", FT_MIX_INTEGER, FT_MIX_BRANCH, 0.75},
    {"integer + integer_multiply", FT_MIX_INTEGER, FT_MIX_INTEGER_MULTIPLY, 0.75},
    {"fp_add + fp_multiply", FT_MIX_FP_ADD, FT_MIX_FP_MULTIPLY, 0.5},
    {"fp_add + vector_integer", FT_MIX_FP_ADD, FT_MIX_VECTOR_INTEGER, 0.5},
    {"integer + fp_add", FT_MIX_INTEGER, FT_MIX_FP_ADD, 0.5},
};

static int apply_mixes(struct ft_applying *applying, const double rates[FT_MIX_COUNT], double width,
                       struct ft_diag *diag)
{
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        const int classes[2] = {mixes[i].first, mixes[i].second};
        double spread;
        const double rate = rate_of(applying, mixes[i].curve, &spread);
        const double alone = fmin(rates[classes[0]] / mixes[i].first_share,
                                  rates[classes[1]] / (1 - mixes[i].first_share));
        if (rate > 0 && rate < SHARES * fmin(alone, width))
            FT_TRY(add_units(applying, mixes[i].curve, classes, 2, rate, spread, diag));
    }
    return FT_OK;
}

/* As many instructions as were ever seen to start in a cycle. */
static int apply_width(struct ft_applying *applying, double *ret_width, struct ft_diag *diag)
{
    static const char *const curves[] = {"other", "move", "mix"};
    struct ft_yaml_core *core = &applying->yaml->core;
    double width = 0, width_spread = 0;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        double spread;
        const double rate = rate_of(applying, curves[i], &spread);
        if (rate > width) {
            width = rate;
            width_spread = spread;
        }
    }
    *ret_width = width;
    if (width == 0)
        return FT_OK;
    applying->part = "core";
    return ft_applying_set(applying, &core->numbers, &core->sources, FT_NUMBER_issue_width, width,
                           width_spread, "the most of nops, moves and a mix in a cycle", diag);
}

int ft_apply_operations(struct ft_applying *applying, struct ft_diag *diag)
{
    double rates[FT_MIX_COUNT] = {0}, spreads[FT_MIX_COUNT] = {0}, width;
    bool any = false;
    FT_TRY(apply_operation_latencies(applying, diag));
    FT_TRY(apply_width(applying, &width, diag));
    for (size_t class = 0; class < FT_MIX_COUNT; class ++) {
        rates[class] = rate_of(applying, ft_mix_class_names[class], &spreads[class]);
        any |= rates[class] > 0;
    }
    if (!any)
        return FT_OK;
    free_units(applying->yaml);
    for (int class = 0; class < FT_MIX_COUNT; class ++) {
        /* What runs on all ways that instructions start is limited by the issue width alone. */
        if (rates[class] > 0 && rates[class] < SHARES * width)
            FT_TRY(add_units(applying, ft_mix_class_names[class], &class, 1, rates[class],
                             spreads[class], diag));
    }
    return apply_mixes(applying, rates, width, diag);
}
