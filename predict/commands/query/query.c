/*
 * Reading of --cache and --machine into one machine; which question the given options ask
 * (find_question); the sizes that it runs over.
 */
#include "predict/commands/query/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "formats/model/model_values.h"
#include "predict/machine_blocks.h"

#define LINE_BYTES 64U /* of a cache that is given without, where a model has it */

/* "0.95" or "95%", in [0, 1]. */
static int read_share(const char *option, const char *text, double *ret_share, struct ft_diag *diag)
{
    const char *end = text;
    double share;
    const bool is_number = ft_read_double(&end, &share);
    if (is_number && strcmp(end, "%") == 0) {
        share /= 100;
        end++;
    }
    if (!is_number || *end || share < 0 || share > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--%s %s: must be a share from 0 to 1, such as 0.95 or 95%%", option, text);
    *ret_share = share;
    return FT_OK;
}

/* ---- caches ---- */

size_t ft_query_block(const struct ft_query *query, const struct ft_model *model)
{
    const size_t size =
        ft_model_block_size(model, query->line_bytes ? query->line_bytes : LINE_BYTES);
    return size < model->size_count ? size : 0;
}

/* Cuts "48K:64:12" at its colons; gives how many parts there are, 0 where they are too many, or
 * one is empty or too long. */
static size_t cut_cache(const char *text, char parts[3][32])
{
    size_t count = 0;
    for (const char *part = text; count < 3; count++) {
        size_t length = strcspn(part, ":");
        if (length == 0 || length >= sizeof parts[count])
            return 0;
        snprintf(parts[count], sizeof parts[count], "%.*s", (int)length, part);
        if (!part[length])
            return count + 1;
        part += length + 1;
    }
    return 0;
}

/* A cache alone, as a machine in one line (machine.h): its latency plays no part. */
static int read_cache(const char *text, uint64_t line, struct ft_machine *ret_cache,
                      struct ft_diag *diag)
{
    char parts[3][32] = {"", "", "full"}, machine[160];
    const char prefix[] = "machine: cache.", *what;
    struct ft_diag inner = {0};
    const size_t count = cut_cache(text, parts);
    if (count == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--cache %s: must be BYTES[:LINE[:WAYS]], such as 32K, 1M:64 or "
                       "48K:64:12",
                       text);
    if (count == 1)
        snprintf(parts[1], sizeof parts[1], "%llu", (unsigned long long)line);
    snprintf(machine, sizeof machine, "caches=cache:%s:%s:%s@1,memory@2", parts[0], parts[1],
             parts[2]);
    int status = ft_machine_load(machine, ret_cache, &inner);
    if (status == FT_OK)
        return FT_OK;
    /* "machine: cache.ways (cache): what is wrong": of the cache that the user knows. */
    if (strncmp(inner.message, prefix, sizeof prefix - 1) != 0 ||
        !(what = strstr(inner.message, " (cache): ")))
        return ft_fail(diag, status, "--cache %s: %s", text, inner.message);
    const char *key = inner.message + sizeof prefix - 1;
    return ft_fail(diag, status, "--cache %s: %.*s: %s (lines are of %s bytes%s)", text,
                   (int)(what - key), key, what + strlen(" (cache): "), parts[1],
                   count == 1 ? " where none is given" : "");
}

/* Names by capacity, or as they were given where two have the same. */
static int name_caches(const struct ft_arguments *arguments, struct ft_machine *caches,
                       struct ft_diag *diag)
{
    for (size_t i = 0; i < caches->level_count; i++) {
        const char *text = ft_option_at(arguments, "cache", i);
        size_t length = strcspn(text, ":");
        for (size_t k = 0; k < caches->level_count; k++) {
            const char *other = ft_option_at(arguments, "cache", k);
            if (k < i && strcmp(text, other) == 0)
                return ft_fail(diag, FT_ERROR_USAGE, "--cache %s is given twice", text);
            if (k != i && strcspn(other, ":") == strcspn(text, ":") &&
                strncmp(text, other, strcspn(text, ":")) == 0)
                length = strlen(text);
        }
        free(caches->levels[i].name);
        caches->levels[i].name = strndup(text, length);
        if (!caches->levels[i].name)
            return ft_fail_memory(diag, "caches");
    }
    return FT_OK;
}

static int read_caches(const struct ft_arguments *arguments, uint64_t line,
                       struct ft_machine *ret_caches, struct ft_diag *diag)
{
    const size_t count = ft_option_count(arguments, "cache");
    struct ft_machine caches = {.name = strdup("--cache"),
                                .description = strdup(""),
                                .levels = calloc(count + 1, sizeof *caches.levels)};
    int status =
        caches.name && caches.description && caches.levels ? FT_OK : ft_fail_memory(diag, "caches");
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        struct ft_machine one;
        status = read_cache(ft_option_at(arguments, "cache", i), line, &one, diag);
        if (status != FT_OK)
            break;
        caches.levels[caches.level_count++] = one.levels[0];
        one.level_count = one.cache_count = 0;
        ft_machine_fini(&one);
    }
    caches.cache_count = caches.level_count;
    if (status == FT_OK)
        status = name_caches(arguments, &caches, diag);
    if (status == FT_OK)
        *ret_caches = caches;
    else
        ft_machine_fini(&caches);
    return status;
}

static int read_all_caches(const struct ft_arguments *arguments, const struct ft_model *models,
                           size_t model_count, struct ft_machine *ret_caches, struct ft_diag *diag)
{
    static const struct ft_query plain; /* without --line, which is of the surface */
    const char *machine = ft_option_last(arguments, "machine");
    int status =
        machine ? ft_machine_load(machine, ret_caches, diag)
                : read_caches(arguments, models[0].block_bytes[ft_query_block(&plain, &models[0])],
                              ret_caches, diag);
    for (size_t i = 0; i < model_count && status == FT_OK; i++)
        status = ft_predict_check_sizes(&models[i], ret_caches, diag);
    return status;
}

/* ---- the question ---- */

static int find_question(const struct ft_arguments *arguments, enum ft_question *ret_question,
                         struct ft_diag *diag)
{
    static const enum ft_question questions[2][2][2] = {
        /* at, caches, hit ratio */
        {{FT_ASK_SURFACE, FT_ASK_MIN_CACHES}, {FT_ASK_CRITICAL, FT_ASK_SIZES}},
        {{FT_ASK_CAPACITIES, FT_ASK_MIN_CACHE}, {FT_ASK_RATIO, FT_ASK_RATIO}}};
    bool at = ft_option_count(arguments, "at") > 0;
    bool hit_ratio = ft_option_count(arguments, "hit-ratio") > 0;
    bool cache = ft_option_count(arguments, "cache") || ft_option_count(arguments, "machine");
    *ret_question = questions[at][cache][hit_ratio];
    bool mini_ref = ft_option_count(arguments, "mini-ref") > 0;
    bool mini_set = ft_option_count(arguments, "mini-set") > 0;
    if (mini_ref && (!at || !cache || hit_ratio || mini_set))
        return ft_fail(
            diag, FT_ERROR_USAGE,
            "--mini-ref needs --at and --cache or --machine, and excludes --hit-ratio and "
            "--mini-set");
    if (mini_set && (at || !cache || hit_ratio))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--mini-set needs --cache or --machine, and excludes --at and "
                       "--hit-ratio");
    if (at && cache && hit_ratio)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at, --cache (or --machine) and --hit-ratio: two of them determine "
                       "the third, leave one out");
    if (mini_ref || mini_set)
        *ret_question = mini_ref ? FT_ASK_MINI_REF : FT_ASK_MINI_SET;
    return FT_OK;
}

static int read_line(const struct ft_arguments *arguments, const struct ft_model *models,
                     size_t model_count, struct ft_query *query, struct ft_diag *diag)
{
    const char *line = ft_option_last(arguments, "line");
    struct ft_diag inner = {0};
    int status = FT_OK;
    if (line && ft_parse_bytes(line, &query->line_bytes, &inner) < 0)
        status = ft_fail(diag, FT_ERROR_USAGE, "--line %s", inner.message);
    for (size_t i = 0; i < model_count && line && status == FT_OK; i++)
        if (ft_model_block_size(&models[i], query->line_bytes) == models[i].size_count)
            status = ft_fail(diag, FT_ERROR_USAGE,
                             "--line %s: %s was not replayed with blocks of that size ('foretrace "
                             "model show' lists its block sizes)",
                             line, models[i].name);
    return status;
}

int ft_query_read(const struct ft_arguments *arguments, const struct ft_model *models,
                  size_t model_count, struct ft_query *ret_query, struct ft_diag *diag)
{
    struct ft_query query = {
        .at = ft_option_last(arguments, "at"),
        .in = ft_option_last(arguments, "in"),
        .from = ft_option_last(arguments, "from"),
        .to = ft_option_last(arguments, "to"),
        .within = 0.1,
        .form = ft_report_form_read(arguments),
        .reuse = ft_option_count(arguments, "reuse") > 0,
        .in_sets = ft_option_count(arguments, "sets") > 0,
    };
    const char *hit_ratio = ft_option_last(arguments, "hit-ratio");
    const char *within = ft_option_last(arguments, "within");
    double share = 0;
    int status;
    FT_TRY_TO(failed, status, find_question(arguments, &query.question, diag));
    if (hit_ratio)
        FT_TRY_TO(failed, status, read_share("hit-ratio", hit_ratio, &share, diag));
    query.miss_ratio = 1 - share;
    if (within)
        FT_TRY_TO(failed, status, read_share("within", within, &query.within, diag));
    FT_TRY_TO(failed, status, read_line(arguments, models, model_count, &query, diag));
    if (ft_option_count(arguments, "cache") || ft_option_count(arguments, "machine"))
        FT_TRY_TO(failed, status,
                  read_all_caches(arguments, models, model_count, &query.caches, diag));
    else if (query.in_sets)
        FT_TRY_TO(failed, status,
                  ft_fail(diag, FT_ERROR_USAGE,
                          "--sets needs --cache or --machine, which give the number of sets"));
    *ret_query = query;
    return FT_OK;
failed:
    ft_query_fini(&query);
    return status;
}

void ft_query_fini(struct ft_query *query)
{
    ft_machine_fini(&query->caches);
}

/* ---- sizes ---- */

int ft_query_size(const struct ft_model *model, const char *option, const char *text,
                  struct ft_query_point *ret_size, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    struct ft_query_values asked = {0};
    struct ft_query_point size;
    int status = strchr(text, '=') ? ft_query_point_read(model, text, &asked, &inner)
                                   : ft_model_read_number(model, text, asked.values, &inner);
    if (status == FT_OK)
        status = ft_query_point_resolve(model, &asked, &size, &inner);
    if (status < 0)
        return ft_fail(diag, status, "--%s %s", option, inner.message);
    *ret_size = size;
    return FT_OK;
}

int ft_query_value(const struct ft_model *model, const char *option, const char *text,
                   double *ret_value, struct ft_diag *diag)
{
    struct ft_query_point size;
    FT_TRY(ft_query_size(model, option, text, &size, diag));
    *ret_value = size.value;
    return FT_OK;
}

int ft_query_line(const struct ft_query *query, const struct ft_model *model,
                  struct ft_size_line *ret_line, struct ft_diag *diag)
{
    struct ft_size_line line = ft_size_line_of(model, FT_QUERY_REACH);
    if (query->from)
        FT_TRY(ft_query_value(model, "from", query->from, &line.from, diag));
    if (query->to)
        FT_TRY(ft_query_value(model, "to", query->to, &line.to, diag));
    if (line.whole) {
        line.from = ceil(line.from);
        line.to = floor(line.to);
    }
    if (line.from > line.to)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: no size between %s = %.15g and %.15g",
                       model->name, model->parameter, line.from, line.to);
    *ret_line = line;
    return FT_OK;
}
