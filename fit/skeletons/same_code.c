#include "fit/skeletons/same_code.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/hash_table.h"
#include "formats/x86/unit.h"

/* Where something is: its scope's module, and what stands there. */
struct place {
    uint32_t module;
    enum ft_nest_kind kind;
    uint64_t offset;
    uint32_t index; /* of the access, and its bytes: string instructions have several */
};

struct places {
    struct place *items; /* references, then loops, then routines */
    size_t count;
};

struct renaming {
    const struct ft_skeleton *skeleton;
    const struct ft_skeleton *of;
    uint32_t *module_of; /* [module of the skeleton]: that of the other, or FT_NO_MODULE */
    struct places own, others;
    struct ft_hash_table by_place; /* of the others */
    uint32_t *ids;                 /* [own place]: its id in the other */
};

static uint64_t hash_place(const struct place *place)
{
    return ft_hash_add(ft_hash_add(place->offset, place->module),
                       (uint64_t)place->kind << 32 | place->index);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->module == b->module && a->kind == b->kind && a->offset == b->offset &&
           a->index == b->index;
}

static struct place scope_place(const struct ft_skeleton *skeleton, enum ft_nest_kind kind,
                                uint32_t scope, uint64_t offset)
{
    return (struct place){skeleton->scopes.scopes[scope].module, kind, offset, 0};
}

static int list_places(const struct ft_skeleton *skeleton, struct places *ret_places,
                       struct ft_diag *diag)
{
    struct places places = {0};
    size_t count = skeleton->reference_count + skeleton->loop_count + skeleton->routine_count;
    places.items = malloc((count + 1) * sizeof *places.items);
    if (!places.items)
        return ft_fail_memory(diag, "the code of a program");
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        places.items[places.count++] = (struct place){
            skeleton->references[r].module, FT_NEST_ACCESS, skeleton->references[r].offset,
            skeleton->references[r].size_bytes << 8 | skeleton->references[r].access_index};
    for (size_t i = 0; i < skeleton->loop_count; i++)
        places.items[places.count++] = scope_place(skeleton, FT_NEST_LOOP, skeleton->loop_scopes[i],
                                                   skeleton->loop_headers[i]);
    for (size_t i = 0; i < skeleton->routine_count; i++) {
        uint32_t scope = skeleton->routine_scopes[i];
        places.items[places.count++] = scope_place(skeleton, FT_NEST_ROUTINE, scope,
                                                   skeleton->scopes.scopes[scope].start_offset);
    }
    *ret_places = places;
    return FT_OK;
}

/* The first id of a kind among places. */
static size_t first_place(const struct ft_skeleton *skeleton, enum ft_nest_kind kind)
{
    return kind == FT_NEST_ACCESS ? 0
           : kind == FT_NEST_LOOP ? skeleton->reference_count
                                  : skeleton->reference_count + skeleton->loop_count;
}

static int match_modules(struct renaming *renaming, struct ft_diag *diag)
{
    const struct ft_scopes *own = &renaming->skeleton->scopes, *others = &renaming->of->scopes;
    renaming->module_of = malloc((own->module_count + 1) * sizeof *renaming->module_of);
    if (!renaming->module_of)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < own->module_count; i++) {
        renaming->module_of[i] = FT_NO_MODULE;
        for (size_t j = 0; j < others->module_count; j++) {
            if (strcmp(own->modules[i].path, others->modules[j].path) != 0)
                continue;
            if (strcmp(own->modules[i].build_id, others->modules[j].build_id) != 0)
                return ft_fail(diag, FT_ERROR_DATA,
                               "the traces have two builds of %s: a skeleton is of one",
                               own->modules[i].path);
            renaming->module_of[i] = (uint32_t)j;
        }
    }
    return FT_OK;
}

static int match_places(struct renaming *renaming, struct ft_diag *diag)
{
    const struct places *own = &renaming->own, *others = &renaming->others;
    renaming->ids = malloc((own->count + 1) * sizeof *renaming->ids);
    if (!renaming->ids)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t j = 0; j < others->count; j++)
        if (!ft_hash_table_add(&renaming->by_place, hash_place(&others->items[j]), (uint32_t)j))
            return ft_fail_memory(diag, "the code of a program");
    for (size_t i = 0; i < own->count; i++) {
        struct place place = own->items[i];
        if (place.module != FT_NO_MODULE)
            place.module = renaming->module_of[place.module];
        const uint64_t hash = hash_place(&place);
        uint32_t j;
        renaming->ids[i] = FT_NEST_ID_MAX - (uint32_t)i;
        for (size_t probe = hash; ft_hash_next(&renaming->by_place, hash, &probe, &j);)
            if (same_place(&others->items[j], &place)) {
                renaming->ids[i] = j - (uint32_t)first_place(renaming->of, place.kind);
                break;
            }
    }
    return FT_OK;
}

static uint32_t new_token(const struct renaming *renaming, uint32_t token)
{
    enum ft_nest_kind kind = ft_nest_kind(token);
    return ft_nest_token(kind,
                         renaming->ids[first_place(renaming->skeleton, kind) + ft_nest_id(token)]);
}

/* An irregular loop is known by its first one in the other skeleton's thread. */
static uint32_t new_irregular(const struct renaming *renaming, uint32_t thread, uint32_t id)
{
    uint32_t token = new_token(renaming, renaming->skeleton->threads[thread].irregulars[id].token);
    const struct ft_thread_skeleton *other = &renaming->of->threads[thread];
    for (uint32_t i = 0; i < other->irregular_count; i++)
        if (other->irregulars[i].token == token)
            return ft_nest_token(FT_NEST_IRREGULAR, i);
    return ft_nest_token(FT_NEST_IRREGULAR, FT_NEST_ID_MAX - id);
}

static int rename_tokens(const struct renaming *renaming, uint32_t thread, uint32_t **ret_tokens,
                         struct ft_diag *diag)
{
    const struct ft_nest *nest = &renaming->skeleton->threads[thread].nest;
    uint32_t *tokens = malloc(nest->token_count * sizeof *tokens + 1);
    if (!tokens)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t at = 0; at < nest->token_count;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        memcpy(tokens + at, nest->tokens + at, element.head * sizeof *tokens);
        if (element.kind == FT_NEST_IRREGULAR)
            tokens[at] = new_irregular(renaming, thread, element.id);
        else if (element.kind != FT_NEST_ONCE && element.kind != FT_NEST_REPEAT)
            tokens[at] = new_token(renaming, nest->tokens[at]);
        at += element.head; /* into the brackets */
    }
    *ret_tokens = tokens;
    return FT_OK;
}

int ft_skeleton_tokens(const struct ft_skeleton *skeleton, uint32_t thread,
                       const struct ft_skeleton *of, uint32_t **ret_tokens, struct ft_diag *diag)
{
    struct renaming renaming = {.skeleton = skeleton, .of = of};
    int status = match_modules(&renaming, diag);
    if (!status)
        status = list_places(skeleton, &renaming.own, diag);
    if (!status)
        status = list_places(of, &renaming.others, diag);
    if (!status)
        status = match_places(&renaming, diag);
    if (!status)
        status = rename_tokens(&renaming, thread, ret_tokens, diag);
    ft_hash_table_fini(&renaming.by_place);
    free(renaming.module_of);
    free(renaming.own.items);
    free(renaming.others.items);
    free(renaming.ids);
    return status;
}
