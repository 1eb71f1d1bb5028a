/*
 * Start-up and exit code is recognised by name: all of the dynamic loader's module, and routines
 * that only the C runtime calls. A routine that a program may call itself is not among them.
 */
#include "formats/commands/startup_fold.h"

#include <stdlib.h>
#include <string.h>

#include "formats/commands/scope_report.h"

#define SHARE_MAX 1e-3

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_loader(const char *module)
{
    return begins_with(module, "ld-") || begins_with(module, "ld.so") ||
           begins_with(module, "ld64.so");
}

static bool is_of_runtime(const char *routine)
{
    static const char *const names[] = {
        "_start",
        "_init",
        "_fini",
        "call_init",
        "init_cacheinfo",
        "frame_dummy",
        "register_tm_clones",
        "deregister_tm_clones",
        "exit",
        "_exit",
        "_Exit",
    };
    static const char *const prefixes[] = {
        "_dl_",          "__libc_start_",     "__libc_csu_",  "__libc_init_", "__libc_early_init",
        "__libc_setup_", "__init_",           "__do_global_", "__run_exit_",  "__call_tls_dtors",
        "__cxa_atexit",  "__cxa_finalize",    "_IO_cleanup",  "_IO_unbuffer", "__libc_freeres",
        "__new_exitfn",  "__internal_atexit", "__ctype_init", "__tunable",    "intel_check_word",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(routine, names[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins_with(routine, prefixes[i]))
            return true;
    return false;
}

static bool is_startup(const struct ft_scopes *scopes, const struct ft_scope *scope)
{
    return scope->kind == FT_SCOPE_ROUTINE && ((scope->module < scopes->module_count &&
                                                is_loader(scopes->modules[scope->module].name)) ||
                                               is_of_runtime(scope->name));
}

bool ft_startup_is_folded(const struct ft_arguments *arguments)
{
    return !ft_option_count(arguments, "all") && !ft_option_count(arguments, "json") &&
           !ft_option_count(arguments, "csv");
}

int ft_startup_fold_init(struct ft_startup_fold *fold, const struct ft_scopes *scopes,
                         double *weights, struct ft_diag *diag)
{
    *fold = (struct ft_startup_fold){.routines =
                                         calloc(scopes->scope_count + 1, sizeof *fold->routines)};
    bool *folded = calloc(scopes->scope_count + 1, sizeof *folded);
    if (!fold->routines || !folded) {
        free(folded);
        ft_startup_fold_fini(fold);
        return ft_fail_memory(diag, "a list of scopes");
    }
    double all = 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        all += scopes->scopes[i].kind == FT_SCOPE_ROUTINE ? weights[i] : 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (weights[i] > 0 && weights[i] < SHARE_MAX * all &&
            is_startup(scopes, &scopes->scopes[i]))
            fold->routines[fold->count++] = i;
    if (fold->count == 1)
        fold->count = 0;
    for (size_t i = 0; i < fold->count; i++)
        folded[fold->routines[i]] = true;
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        folded[i] |= scope->kind == FT_SCOPE_LOOP && folded[scope->parent];
        if (folded[i])
            weights[i] = 0;
    }
    free(folded);
    return FT_OK;
}

void ft_startup_fold_fini(struct ft_startup_fold *fold)
{
    free(fold->routines);
    *fold = (struct ft_startup_fold){0};
}

int ft_startup_fold_select(struct ft_startup_fold *fold, bool folds, const struct ft_scopes *scopes,
                           double *weights, size_t limit, uint32_t **ret_list, size_t *ret_count,
                           struct ft_diag *diag)
{
    *fold = (struct ft_startup_fold){.count = 0};
    if (folds)
        FT_TRY(ft_startup_fold_init(fold, scopes, weights, diag));
    return ft_scopes_select(scopes, weights, limit, ret_list, ret_count, diag);
}

void ft_startup_fold_cells(struct ft_table *table, const struct ft_startup_fold *fold)
{
    ft_table_format(table, "start-up and exit (%zu routines)", fold->count);
    ft_table_empty(table);
}

double ft_startup_fold_sum(const struct ft_startup_fold *fold, const double *values, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < fold->count; i++)
        sum += values[fold->routines[i] * width];
    return sum;
}

double *ft_startup_fold_row(const struct ft_startup_fold *fold, const double *values, size_t width)
{
    double *row = calloc(width + 1, sizeof *row);
    for (size_t i = 0; row && i < width; i++)
        row[i] = ft_startup_fold_sum(fold, values + i, width);
    return row;
}
