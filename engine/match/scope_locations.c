/*
 * Shapes are hashes: of a loop over the lines of the loops in it, each relative to the loop's own
 * first line; of a routine over what its instructions do, by class, and what they access, in their
 * order, but not which registers and addresses they name, which other code around would change.
 */
#include "engine/match/scope_locations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/demangle.h"
#include "formats/base/file_name.h"
#include "formats/base/splitmix.h"

/* The name of a routine before a compiler cloned it: "f.constprop.0" and "f(int) [clone .isra.0]"
 * are f and f(int). What stands in parentheses may have dots. */
static char *plain_name(const char *name)
{
    const char *clone = strstr(name, " [clone ");
    size_t length = clone ? (size_t)(clone - name) : strlen(name);
    if (!clone && !strpbrk(name, "(<"))
        length = *name ? 1 + strcspn(name + 1, ".") : 0;
    char *cut = strndup(name, length);
    char *plain = cut ? ft_demangle(cut) : NULL;
    free(cut);
    return plain;
}

static uint64_t hash_of(uint64_t hash, uint64_t value)
{
    uint64_t state = hash ^ value;
    return ft_splitmix(&state);
}

/* ---- routines ---- */

static int compare_references(const void *left, const void *right, void *context)
{
    const struct ft_scoped_reference *references = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const struct ft_scoped_reference *a = &references[one], *b = &references[other];
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->access_index != b->access_index)
        return a->access_index < b->access_index ? -1 : 1;
    return (one > other) - (one < other);
}

uint32_t *ft_references_in_order(const struct ft_scopes *scopes, size_t *ret_count)
{
    uint32_t *order = malloc((scopes->reference_count + 1) * sizeof *order);
    *ret_count = 0;
    for (uint32_t i = 0; order && i < scopes->reference_count; i++)
        if (scopes->references[i].kind != FT_FETCH)
            order[(*ret_count)++] = i;
    if (order && *ret_count)
        qsort_r(order, *ret_count, sizeof *order, compare_references, scopes->references);
    return order;
}

/* Whichever way the blocks were cut in a run: sums over them. */
static bool find_routine_shapes(struct ft_scope_locations *locations)
{
    const struct ft_scopes *scopes = locations->scopes;
    struct ft_block *sums = calloc(scopes->scope_count + 1, sizeof *sums);
    uint32_t(*mix)[FT_MIX_COUNT] = calloc(scopes->scope_count + 1, sizeof *mix);
    size_t count = 0;
    uint32_t *order = ft_references_in_order(scopes, &count);
    bool complete = sums && mix && order;
    for (size_t i = 0; complete && i < scopes->block_count; i++) {
        const uint32_t routine = ft_scope_routine(scopes, scopes->blocks[i].scope);
        sums[routine].instruction_count += scopes->blocks[i].instruction_count;
        sums[routine].flops += scopes->blocks[i].flops;
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            mix[routine][class] += scopes->blocks[i].mix[class];
    }
    for (uint32_t i = 0; complete && i < scopes->scope_count; i++) {
        uint64_t hash = hash_of(sums[i].instruction_count, (uint64_t)sums[i].flops << 32);
        for (size_t class = 0; class < FT_MIX_COUNT; class ++)
            hash = hash_of(hash, mix[i][class]);
        if (scopes->scopes[i].kind == FT_SCOPE_ROUTINE)
            locations->items[i].shape = hash;
    }
    for (size_t i = 0; complete && i < count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[order[i]];
        uint64_t *shape = &locations->items[ft_scope_routine(scopes, reference->scope)].shape;
        *shape =
            hash_of(*shape, (uint64_t)reference->kind << 40 |
                                (uint64_t)reference->access_index << 32 | reference->size_bytes);
    }
    free(sums);
    free(mix);
    free(order);
    return complete;
}

static bool place_routine(struct ft_scope_locations *locations, uint32_t scope)
{
    const struct ft_scope *item = &locations->scopes->scopes[scope];
    char *name = ft_scope_is_nameless(item) ? strdup("") : plain_name(item->name);
    locations->items[scope] = (struct ft_scope_location){
        .routine = scope,
        .name = name,
        .home = name,
        .file = ft_file_name(item->file),
        .relative_line = item->first_line,
        .line_count = item->last_line - item->first_line,
    };
    return name != NULL;
}

/* ---- loops ---- */

/* The names of the routines inlined around a loop; ret_home: the innermost, NULL without any. */
static char *inlined_names(const struct ft_scope_locations *locations, uint32_t scope,
                           const char **ret_home)
{
    const struct ft_inlined_call *calls;
    const size_t count = ft_scope_inlined(locations->scopes, scope, &calls);
    char *names = NULL;
    size_t bytes, last = 0;
    FILE *stream = open_memstream(&names, &bytes);
    bool complete = stream != NULL;
    for (size_t i = 0; complete && i < count; i++) {
        char *name = plain_name(calls[i].name);
        complete = name && fprintf(stream, i ? "\n%s" : "%s", name) >= 0 && fflush(stream) == 0;
        last = complete ? bytes - strlen(name) : 0;
        free(name);
    }
    if (stream && (fclose(stream) != 0 || !complete)) {
        free(names);
        names = NULL;
    }
    *ret_home = names && count ? names + last : NULL;
    return names;
}

static bool place_loop(struct ft_scope_locations *locations, uint32_t scope)
{
    const struct ft_scopes *scopes = locations->scopes;
    const struct ft_scope *item = &scopes->scopes[scope];
    struct ft_scope_location *location = &locations->items[scope];
    const struct ft_inlined_call *calls;
    const uint32_t routine = ft_scope_routine(scopes, scope);
    const uint32_t start = scopes->scopes[routine].first_line;
    *location = (struct ft_scope_location){
        .routine = routine,
        .file = ft_file_name(item->file),
        .line_count = item->last_line - item->first_line,
    };
    location->name = inlined_names(locations, scope, &location->home);
    if (!location->home)
        location->home = locations->items[routine].name ? locations->items[routine].name : "";
    const bool counts_from_start =
        ft_scope_inlined(scopes, scope, &calls) == 0 && item->first_line >= start;
    location->relative_line = counts_from_start ? item->first_line - start : item->first_line;
    return location->name != NULL;
}

/* From the last scope to the first: what is nested comes behind. */
static void find_loop_shapes(struct ft_scope_locations *locations)
{
    const struct ft_scopes *scopes = locations->scopes;
    for (uint32_t i = (uint32_t)scopes->scope_count; i-- > 1;) {
        const struct ft_scope *loop = &scopes->scopes[i], *outer = &scopes->scopes[loop->parent];
        if (loop->kind != FT_SCOPE_LOOP || outer->kind != FT_SCOPE_LOOP)
            continue;
        const struct ft_scope_location *location = &locations->items[i];
        uint64_t inner =
            hash_of(location->shape,
                    (uint64_t)(loop->first_line - outer->first_line) << 32 | location->line_count);
        locations->items[loop->parent].shape += inner; /* in whatever order they stand */
    }
}

int ft_scope_locations_make(const struct ft_scopes *scopes,
                            struct ft_scope_locations *ret_locations, struct ft_diag *diag)
{
    struct ft_scope_locations locations = {.scopes = scopes};
    locations.items = calloc(scopes->scope_count + 1, sizeof *locations.items);
    bool complete = locations.items != NULL;
    for (uint32_t i = 0; complete && i < scopes->scope_count; i++)
        if (scopes->scopes[i].kind == FT_SCOPE_ROUTINE)
            complete = place_routine(&locations, i);
        else if (scopes->scopes[i].kind == FT_SCOPE_LOOP)
            complete = place_loop(&locations, i);
    if (complete)
        complete = find_routine_shapes(&locations);
    if (!complete) {
        ft_scope_locations_fini(&locations);
        return ft_fail_memory(diag, "the locations of routines and loops");
    }
    find_loop_shapes(&locations);
    *ret_locations = locations;
    return FT_OK;
}

void ft_scope_locations_fini(struct ft_scope_locations *locations)
{
    for (size_t i = 0; locations->items && i < locations->scopes->scope_count; i++)
        free(locations->items[i].name);
    free(locations->items);
    *locations = (struct ft_scope_locations){0};
}
