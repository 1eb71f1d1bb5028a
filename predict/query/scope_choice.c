#include "predict/query/scope_choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"

#define NAMES_SHOWN 5U

static bool is_named(const struct ft_scope *scope, const char *text)
{
    char location[512];
    if (scope->kind == FT_SCOPE_ROUTINE)
        return strcmp(scope->name, text) == 0;
    snprintf(location, sizeof location, "%.400s:%u", ft_file_name(scope->file), scope->first_line);
    return scope->kind == FT_SCOPE_LOOP && strcmp(location, text) == 0;
}

/* Whether a scope or one around it is named so. */
static bool is_inside(const struct ft_scopes *scopes, uint32_t scope, const char *text)
{
    for (; scope > 0; scope = scopes->scopes[scope].parent)
        if (is_named(&scopes->scopes[scope], text))
            return true;
    return false;
}

static uint64_t accesses_in(const struct ft_model *model, uint32_t routine)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        uint32_t scope = model->groups[i].scope;
        while (scope > 0 && scope != routine)
            scope = model->scopes.scopes[scope].parent;
        accesses += scope == routine ? model->groups[i].accesses_at_largest : 0;
    }
    return accesses;
}

/* Of each scope of a model, inclusive; NULL: out of memory. The caller frees them. */
static double *accesses_of(const struct ft_model *model)
{
    double *accesses = calloc(model->scopes.scope_count + 1, sizeof *accesses);
    for (uint32_t i = 1; accesses && i < model->scopes.scope_count; i++)
        accesses[i] = (double)accesses_in(model, i);
    return accesses;
}

char *ft_busiest_routines_text(char text[FT_BUSIEST_ROUTINES_TEXT], const struct ft_scopes *scopes,
                               const double *accesses)
{
    double below = INFINITY;
    size_t length = 0;
    text[0] = 0;
    for (size_t shown = 0; shown < NAMES_SHOWN; shown++) {
        uint32_t routine = 0;
        for (uint32_t i = 1; i < scopes->scope_count; i++)
            if (scopes->scopes[i].kind == FT_SCOPE_ROUTINE && accesses[i] < below &&
                accesses[i] > (routine ? accesses[routine] : 0))
                routine = i;
        if (routine == 0)
            break;
        length += (size_t)snprintf(text + length, FT_BUSIEST_ROUTINES_TEXT - length, "%s%.80s",
                                   shown > 0 ? ", " : "", scopes->scopes[routine].name);
        below = accesses[routine];
    }
    return text;
}

static int refuse(const struct ft_model *model, const double *accesses, const char *text,
                  struct ft_diag *diag)
{
    char names[FT_BUSIEST_ROUTINES_TEXT];
    return ft_fail(
        diag, FT_ERROR_USAGE,
        "%s: %s has no such routine, and no loop there (FILE:LINE); most of its accesses "
        "are in %s",
        text, model->name, ft_busiest_routines_text(names, &model->scopes, accesses));
}

/* Whether a loop includes a line of a file: "FILE:LINE". */
static bool includes(const struct ft_scope *scope, const char *text)
{
    const char *file = ft_file_name(scope->file);
    const char *colon = strrchr(text, ':');
    if (!colon || scope->kind != FT_SCOPE_LOOP || strlen(file) != (size_t)(colon - text) ||
        strncmp(file, text, strlen(file)) != 0)
        return false;
    const unsigned long line = strtoul(colon + 1, NULL, 10);
    return line >= scope->first_line && line <= scope->last_line;
}

uint32_t ft_scopes_find(const struct ft_scopes *scopes, const double *accesses, const char *text)
{
    double accesses_max = 0;
    uint32_t found = 0, around = 0;
    for (uint32_t i = 1; i < scopes->scope_count; i++) {
        if (is_named(&scopes->scopes[i], text) && accesses[i] > accesses_max) {
            accesses_max = accesses[i];
            found = i;
        }
        if (accesses[i] > 0 && includes(&scopes->scopes[i], text))
            around = i; /* those inside come later */
    }
    return found ? found : around;
}

int ft_model_find_scope(const struct ft_model *model, const char *text, uint32_t *ret_scope,
                        struct ft_diag *diag)
{
    double *accesses = accesses_of(model);
    if (!accesses)
        return ft_fail_memory(diag, "a part of a model");
    const uint32_t found = ft_scopes_find(&model->scopes, accesses, text);
    int status = found ? FT_OK : refuse(model, accesses, text, diag);
    free(accesses);
    if (found)
        *ret_scope = found;
    return status;
}

static bool *find_kept(const struct ft_model *model, const char *text, bool *ret_any)
{
    bool *kept = calloc(model->group_count + 1, sizeof *kept);
    *ret_any = false;
    for (size_t i = 0; kept && i < model->group_count; i++) {
        kept[i] = is_inside(&model->scopes, model->groups[i].scope, text);
        *ret_any = *ret_any || kept[i];
    }
    return kept;
}

/* What a model and its replicas share. */
static void keep_shared(struct ft_model *model, const bool *kept)
{
    const size_t sizes = model->training_count;
    uint64_t *accesses = model->training_accesses;
    size_t count = 0;
    for (size_t i = 0; accesses && i < model->group_count; i++)
        if (kept[i])
            memmove(accesses + count++ * sizes, accesses + i * sizes, sizes * sizeof *accesses);
    ft_group_strides_keep(&model->strides, kept);
    ft_group_data_keep(&model->data, kept);
    for (size_t i = 0; i < model->replica_count; i++) {
        model->replicas[i].strides = model->strides;
        model->replicas[i].data = model->data;
    }
}

static void keep_groups(struct ft_model *model, const bool *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_model_group *group = &model->groups[i];
        if (kept[i]) {
            model->groups[count++] = *group;
            continue;
        }
        for (size_t size = 0; size < model->size_count; size++)
            ft_model_histogram_fini(&group->histograms[size]);
        free(group->histograms);
    }
    model->group_count = count;
}

int ft_model_choose_scope(struct ft_model *model, const char *text, struct ft_diag *diag)
{
    bool any;
    bool *kept = find_kept(model, text, &any);
    if (!kept)
        return ft_fail_memory(diag, "a part of a model");
    if (!any) {
        double *accesses = accesses_of(model);
        struct ft_diag inner = {0};
        const int status = accesses ? refuse(model, accesses, text, &inner)
                                    : ft_fail_memory(&inner, "a part of a model");
        free(accesses);
        free(kept);
        return ft_fail(diag, status, "--in %s", inner.message);
    }
    keep_shared(model, kept);
    for (size_t i = 0; i < model->replica_count; i++)
        keep_groups(&model->replicas[i], kept);
    keep_groups(model, kept);
    free(kept);
    return FT_OK;
}
