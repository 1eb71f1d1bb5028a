/*
 * The trees are matched from the root: parents come before children, so when a scope of the trace
 * is looked up, its parent has been found already, and only that parent's children are asked.
 */
#include "predict/check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/simulate/simulate_trace.h"
#include "formats/scope_report.h"
#include "formats/trace_operand.h"

#define NO_SCOPE UINT32_MAX

int ft_check_parameter(const char *path, const char *name, double *ret_value, struct ft_diag *diag)
{
    struct ft_trace *trace;
    int status = ft_trace_open_named(path, false, &trace, diag);
    if (status != FT_OK)
        return status;
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    status = FT_ERROR_USAGE;
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0) {
            *ret_value = metadata->parameters[i].value;
            status = FT_OK;
        }
    ft_trace_close(trace);
    if (status != FT_OK)
        return ft_fail(diag, status, "%s: the trace does not say its %s (capture -D %s=...)", path,
                       name, name);
    return FT_OK;
}

static const struct ft_scope_module *module_of(const struct ft_scopes *scopes,
                                               const struct ft_scope *scope)
{
    return scope->module < scopes->module_count ? &scopes->modules[scope->module] : NULL;
}

static bool is_same_build(const struct ft_scope_module *a, const struct ft_scope_module *b)
{
    return a && b && a->build_id[0] && strcmp(a->build_id, b->build_id) == 0;
}

static bool is_same(const struct ft_scopes *left, const struct ft_scope *a,
                    const struct ft_scopes *right, const struct ft_scope *b)
{
    const struct ft_scope_module *module = module_of(left, a), *other = module_of(right, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case FT_SCOPE_MODULE:
        return is_same_build(module, other) || strcmp(a->name, b->name) == 0;
    case FT_SCOPE_ROUTINE:
        return is_same_build(module, other) ? a->start_offset == b->start_offset
                                            : strcmp(a->name, b->name) == 0;
    default:
        return a->first_line && b->first_line
                   ? a->first_line == b->first_line && strcmp(a->file, b->file) == 0
                   : a->start_offset == b->start_offset;
    }
}

/* found[scope of `from`]: the scope of `in` that is the same, or NO_SCOPE. */
static void match_scopes(const struct ft_scopes *from, const struct ft_scopes *in, uint32_t *found)
{
    found[0] = 0;
    for (uint32_t i = 1; i < from->scope_count; i++) {
        uint32_t parent = found[from->scopes[i].parent];
        found[i] = NO_SCOPE;
        for (uint32_t j = 1; parent != NO_SCOPE && j < in->scope_count; j++)
            if (in->scopes[j].parent == parent &&
                is_same(from, &from->scopes[i], in, &in->scopes[j])) {
                found[i] = j;
                break;
            }
    }
}

/* Moves the trace's rows into those of the model's scopes; gives the share that matched. */
static double move_rows(const struct ft_simulated_trace *simulated, uint32_t *found,
                        struct ft_check *check)
{
    double matched = 0, total = 0;
    for (uint32_t i = 0; i < simulated->scopes.scope_count; i++) {
        const double *from = simulated->own + i * simulated->width;
        total += from[0];
        if (found[i] == NO_SCOPE)
            found[i] = found[simulated->scopes.scopes[i].parent];
        else
            matched += from[0];
        double *to = check->nested + found[i] * check->width;
        for (size_t j = 0; j < check->width; j++)
            to[j] += from[j];
    }
    return total > 0 ? matched / total : 1;
}

int ft_check_trace(const char *path, const struct ft_prediction *prediction,
                   struct ft_check *ret_check, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct ft_simulated_trace simulated;
    struct ft_trace *trace;
    int status = ft_trace_open_named(path, false, &trace, diag);
    if (status != FT_OK)
        return status;
    status = ft_simulate_trace(trace, prediction->machine, &simulated, diag);
    ft_trace_close(trace);
    if (status != FT_OK)
        return status;
    struct ft_check check = {
        .trace_hash = strdup(simulated.content_hash),
        .width = simulated.width,
        .nested = calloc(scopes->scope_count * simulated.width, sizeof *check.nested),
    };
    uint32_t *found = calloc(simulated.scopes.scope_count, sizeof *found);
    if (check.trace_hash && check.nested && found) {
        match_scopes(&simulated.scopes, scopes, found);
        check.matched_share = move_rows(&simulated, found, &check);
        ft_scopes_add_nested(scopes, check.nested, check.width);
        *ret_check = check;
    } else {
        status = ft_fail_memory(diag, "a check");
        ft_check_fini(&check);
    }
    free(found);
    ft_simulated_trace_fini(&simulated);
    return status;
}

void ft_check_fini(struct ft_check *check)
{
    free(check->trace_hash);
    free(check->nested);
    *check = (struct ft_check){0};
}
