/*
 * References, loops and routines of both skeletons are listed by place, and looked up there.
 * Irregular loops are then found by their contexts, and last the tokens are renamed: those of the
 * nest and those of the paths.
 */
#include "fit/skeletons/same_code.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
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

/* ---- irregular loops, which are known by the routines and loops around them ---- */

struct contexts {
    const struct renaming *renaming;
    const struct ft_thread_skeleton *thread;
    uint64_t *items; /* [irregular loop]: with the other's ids; 0: not seen yet */
};

static void find_contexts(const struct contexts *contexts, const uint32_t *tokens, size_t count,
                          struct ft_nest_context around)
{
    for (size_t at = 0; at < count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        struct ft_nest_context inside = around;
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE)
            inside = ft_nest_context_inside(around, new_token(contexts->renaming, tokens[at]));
        find_contexts(contexts, tokens + at + element.head, element.length, inside);
        at += element.head + element.length;
        if (element.kind != FT_NEST_IRREGULAR || contexts->items[element.id])
            continue;
        const struct ft_irregular *loop = &contexts->thread->irregulars[element.id];
        const uint32_t token = new_token(contexts->renaming, loop->token);
        /* Routines that call themselves are known without what is around. */
        inside = ft_nest_context_inside(
            ft_nest_kind(token) == FT_NEST_ROUTINE ? (struct ft_nest_context){0} : around, token);
        contexts->items[element.id] = inside.hash;
        for (size_t p = 0; p < loop->path_count; p++)
            find_contexts(contexts, loop->paths[p].tokens, loop->paths[p].token_count,
                          ft_irregular_is_cut(loop, element.id) ? around : inside);
    }
}

static int match_irregulars(const struct renaming *renaming, uint32_t thread,
                            struct ft_renamed_thread *renamed, struct ft_diag *diag)
{
    const struct ft_thread_skeleton *own = &renaming->skeleton->threads[thread];
    const struct ft_thread_skeleton *other = &renaming->of->threads[thread];
    struct contexts contexts = {renaming, own,
                                calloc(own->irregular_count + 1, sizeof *contexts.items)};
    renamed->loops = calloc(own->irregular_count + 1, sizeof *renamed->loops);
    if (!contexts.items || !renamed->loops) {
        free(contexts.items);
        return ft_fail_memory(diag, "the code of a program");
    }
    renamed->loop_count = own->irregular_count;
    find_contexts(&contexts, own->nest.tokens, own->nest.token_count, (struct ft_nest_context){0});
    for (size_t i = 0; i < own->irregular_count; i++) {
        renamed->loops[i].id = FT_NEST_ID_MAX - (uint32_t)i;
        renamed->loops[i].context = contexts.items[i];
        for (size_t j = 0; contexts.items[i] && j < other->irregular_count; j++)
            if (other->irregulars[j].context == contexts.items[i])
                renamed->loops[i].id = (uint32_t)j;
    }
    free(contexts.items);
    return FT_OK;
}

/* ---- tokens ---- */

static int rename_tokens(const struct renaming *renaming, const struct ft_renamed_thread *renamed,
                         const uint32_t *own, size_t count, uint32_t **ret_tokens,
                         struct ft_diag *diag)
{
    uint32_t *tokens = malloc(count * sizeof *tokens + 1);
    if (!tokens)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t at = 0; at < count;) {
        struct ft_nest_element element = ft_nest_element(own + at);
        memcpy(tokens + at, own + at, element.head * sizeof *tokens);
        if (element.kind == FT_NEST_IRREGULAR)
            tokens[at] = ft_nest_token(FT_NEST_IRREGULAR, renamed->loops[element.id].id);
        else if (element.kind != FT_NEST_ONCE && !element.counts)
            tokens[at] = new_token(renaming, own[at]);
        at += element.head; /* into the brackets */
    }
    *ret_tokens = tokens;
    return FT_OK;
}

static int rename_paths(const struct renaming *renaming, const struct ft_irregular *loop,
                        const struct ft_renamed_thread *renamed, struct ft_renamed_loop *ret_loop,
                        struct ft_diag *diag)
{
    ret_loop->paths = calloc(loop->path_count + 1, sizeof *ret_loop->paths);
    if (!ret_loop->paths)
        return ft_fail_memory(diag, "the code of a program");
    for (size_t p = 0; p < loop->path_count; p++) {
        FT_TRY(rename_tokens(renaming, renamed, loop->paths[p].tokens, loop->paths[p].token_count,
                             &ret_loop->paths[p], diag));
        ret_loop->path_count++;
    }
    return FT_OK;
}

static int rename_thread(const struct renaming *renaming, uint32_t thread,
                         struct ft_renamed_thread *renamed, struct ft_diag *diag)
{
    const struct ft_thread_skeleton *own = &renaming->skeleton->threads[thread];
    FT_TRY(match_irregulars(renaming, thread, renamed, diag));
    for (size_t i = 0; i < own->irregular_count; i++)
        FT_TRY(rename_paths(renaming, &own->irregulars[i], renamed, &renamed->loops[i], diag));
    return rename_tokens(renaming, renamed, own->nest.tokens, own->nest.token_count,
                         &renamed->tokens, diag);
}

void ft_renamed_thread_fini(struct ft_renamed_thread *renamed)
{
    for (size_t i = 0; renamed->loops && i < renamed->loop_count; i++) {
        for (size_t p = 0; p < renamed->loops[i].path_count; p++)
            free(renamed->loops[i].paths[p]);
        free(renamed->loops[i].paths);
    }
    free(renamed->loops);
    free(renamed->tokens);
    *renamed = (struct ft_renamed_thread){0};
}

int ft_skeleton_rename(const struct ft_skeleton *skeleton, uint32_t thread,
                       const struct ft_skeleton *of, struct ft_renamed_thread *ret_renamed,
                       struct ft_diag *diag)
{
    struct renaming renaming = {.skeleton = skeleton, .of = of};
    struct ft_renamed_thread renamed = {0};
    int status = match_modules(&renaming, diag);
    if (!status)
        status = list_places(skeleton, &renaming.own, diag);
    if (!status)
        status = list_places(of, &renaming.others, diag);
    if (!status)
        status = match_places(&renaming, diag);
    if (!status)
        status = rename_thread(&renaming, thread, &renamed, diag);
    ft_hash_table_fini(&renaming.by_place);
    free(renaming.module_of);
    free(renaming.own.items);
    free(renaming.others.items);
    free(renaming.ids);
    if (status) {
        ft_renamed_thread_fini(&renamed);
        return status;
    }
    *ret_renamed = renamed;
    return FT_OK;
}
