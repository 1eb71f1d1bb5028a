/*
 * Shapes are hashes: of a loop over the lines of the loops in it, each relative to the loop's own
 * first line; of a routine over its instructions, what kind each is of and what it accesses, but
 * not which registers and addresses it names, which other code around it would change.
 */
#include "engine/structure/matching/scope_places.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/demangle.h"
#include "formats/base/splitmix.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name of a routine before a compiler cloned it. */
static char *plain_name(const char *symbol)
{
    char *cut = strndup(symbol, *symbol ? 1 + strcspn(symbol + 1, ".") : 0);
    char *name = cut ? ft_demangle(cut) : NULL;
    free(cut);
    return name;
}

static uint64_t hash_of(uint64_t hash, uint64_t value)
{
    uint64_t state = hash ^ value;
    return ft_splitmix(&state);
}

static uint64_t routine_shape(const struct ft_structure *structure, uint32_t routine)
{
    const struct ft_flow_graph *graph = &structure->graph;
    const struct ft_routine *item = &structure->routines.items[routine];
    uint64_t hash = 0;
    for (uint32_t b = 0; b < item->block_count; b++) {
        const struct ft_flow_block *block =
            &graph->blocks[structure->routines.blocks[item->first_block + b]];
        for (uint32_t i = 0; i < block->instruction_count; i++) {
            const struct ft_instruction *instruction =
                graph->instructions[block->first_instruction + i];
            hash = hash_of(hash, (uint64_t)instruction->flow << 8 | instruction->mix_class);
            for (unsigned a = 0; a < instruction->access_count; a++)
                hash = hash_of(hash, (uint64_t)instruction->accesses[a].kind << 32 |
                                         instruction->accesses[a].size_bytes);
        }
    }
    return hash;
}

static bool place_routines(struct ft_scope_places *places)
{
    const struct ft_structure *structure = places->structure;
    for (uint32_t r = 0; r < structure->routines.count; r++) {
        const uint32_t scope = structure->scope_of_routine[r];
        const struct ft_scope *item = &structure->scopes.scopes[scope];
        char *name = plain_name(structure->routines.items[r].symbol);
        places->items[scope] = (struct ft_scope_place){
            .routine = scope,
            .index = r,
            .name = name,
            .home = name,
            .file = file_name(item->file),
            .relative_line = item->first_line,
            .line_count = item->last_line - item->first_line,
            .shape = routine_shape(structure, r),
        };
        if (!name)
            return false;
    }
    return true;
}

/* The names of the routines inlined around a loop; ret_home: the innermost, NULL without any. */
static char *inlined_names(const struct ft_scope_places *places, uint32_t loop,
                           const char **ret_home)
{
    const struct ft_program_loops *loops = &places->structure->loops;
    const struct ft_program_loop *item = &loops->items[loop];
    const uint32_t module = places->structure->graph.blocks[item->header].module;
    char *names = NULL;
    size_t bytes, last = 0;
    FILE *stream = open_memstream(&names, &bytes);
    bool complete = stream != NULL;
    for (uint32_t i = 0; complete && i < item->context_depth; i++) {
        char *name =
            plain_name(places->modules[module]->strings + loops->calls[item->first_call + i].name);
        complete = name && fprintf(stream, i ? "\n%s" : "%s", name) >= 0 && fflush(stream) == 0;
        last = complete ? bytes - strlen(name) : 0;
        free(name);
    }
    if (stream && (fclose(stream) != 0 || !complete)) {
        free(names);
        names = NULL;
    }
    *ret_home = names && item->context_depth ? names + last : NULL;
    return names;
}

static bool place_loop(struct ft_scope_places *places, uint32_t loop)
{
    const struct ft_structure *structure = places->structure;
    const uint32_t scope = structure->scope_of_loop[loop];
    const struct ft_scope *item = &structure->scopes.scopes[scope];
    struct ft_scope_place *place = &places->items[scope];
    const uint32_t routine = structure->scope_of_routine[structure->loops.items[loop].routine];
    const uint32_t start = structure->scopes.scopes[routine].first_line;
    *place = (struct ft_scope_place){
        .routine = routine,
        .index = loop,
        .file = file_name(item->file),
        .line_count = item->last_line - item->first_line,
    };
    place->name = inlined_names(places, loop, &place->home);
    if (!place->home)
        place->home = places->items[routine].name;
    const bool counts_from_start =
        structure->loops.items[loop].context_depth == 0 && item->first_line >= start;
    place->relative_line = counts_from_start ? item->first_line - start : item->first_line;
    return place->name != NULL;
}

/* From the last scope to the first: what is nested comes behind. */
static void find_shapes(struct ft_scope_places *places)
{
    const struct ft_scopes *scopes = &places->structure->scopes;
    for (uint32_t i = (uint32_t)scopes->scope_count; i-- > 1;) {
        const struct ft_scope *loop = &scopes->scopes[i], *outer = &scopes->scopes[loop->parent];
        if (loop->kind != FT_SCOPE_LOOP || outer->kind != FT_SCOPE_LOOP)
            continue;
        const struct ft_scope_place *place = &places->items[i];
        uint64_t inner =
            hash_of(place->shape,
                    (uint64_t)(loop->first_line - outer->first_line) << 32 | place->line_count);
        places->items[loop->parent].shape += inner; /* in whatever order they stand */
    }
}

int ft_scope_places_make(const struct ft_structure *structure,
                         const struct ft_module *const *modules, struct ft_scope_places *ret_places,
                         struct ft_diag *diag)
{
    struct ft_scope_places places = {.structure = structure, .modules = modules};
    places.items = calloc(structure->scopes.scope_count + 1, sizeof *places.items);
    bool complete = places.items && place_routines(&places);
    for (uint32_t l = 0; complete && l < structure->loops.count; l++)
        if (structure->loops.items[l].same_as == l)
            complete = place_loop(&places, l);
    if (!complete) {
        ft_scope_places_fini(&places);
        return ft_fail_memory(diag, "the places of routines and loops");
    }
    find_shapes(&places);
    *ret_places = places;
    return FT_OK;
}

void ft_scope_places_fini(struct ft_scope_places *places)
{
    for (size_t i = 0; places->items && i < places->structure->scopes.scope_count; i++)
        free(places->items[i].name);
    free(places->items);
    *places = (struct ft_scope_places){0};
}
