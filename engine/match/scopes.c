/*
 * 1. Modules (modules.h).
 * 2. Scopes with the same code (scope_code.h), in modules of one build.
 * 3. Routines: one key after the other, from strict to lax (routine_passes); if a key is as
 *    frequent on both sides, its scopes are paired in order of address.
 * 4. Loops: under each pair of scopes, outer ones first, the remaining ones are aligned
 *    (loop_alignment.h).
 * 5. Loops whose surroundings changed (the routine was inlined, or a loop around them was split):
 *    by the routine that they were written in, file and line.
 */
#include "engine/match/scopes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/keys.h"
#include "engine/match/loop_alignment.h"
#include "engine/match/modules.h"
#include "engine/match/scope_code.h"

struct matcher {
    const struct ft_scope_locations *sides; /* [2] */
    struct ft_matching made;
    uint32_t *modules[2]; /* [module]: that of the other side, or FT_NO_MODULE */
};

static const struct ft_scopes *scopes_of(const struct matcher *matcher, unsigned side)
{
    return matcher->sides[side].scopes;
}

static bool is_matched(const struct matcher *matcher, unsigned side, uint32_t scope)
{
    return matcher->made.of[side][scope].kind != FT_MATCH_NONE;
}

static void match(struct matcher *matcher, uint32_t a, uint32_t b, enum ft_match_kind kind)
{
    matcher->made.of[0][a] = (struct ft_match){b, (uint8_t)kind};
    matcher->made.of[1][b] = (struct ft_match){a, (uint8_t)kind};
}

/* ---- modules ---- */

/* Module scopes follow their modules; the programs match. */
static void match_module_scopes(struct matcher *matcher)
{
    const struct ft_scopes *a = scopes_of(matcher, 0), *b = scopes_of(matcher, 1);
    match(matcher, 0, 0, FT_MATCH_NAME);
    for (uint32_t i = 1; i < a->scope_count; i++)
        for (uint32_t j = 1; a->scopes[i].kind == FT_SCOPE_MODULE && j < b->scope_count; j++)
            if (b->scopes[j].kind == FT_SCOPE_MODULE &&
                (a->scopes[i].module == FT_NO_MODULE
                     ? b->scopes[j].module == FT_NO_MODULE
                     : b->scopes[j].module == matcher->modules[0][a->scopes[i].module] &&
                           b->scopes[j].module != FT_NO_MODULE))
                match(matcher, i, j, FT_MATCH_NAME);
}

/* A number that is the same for matching modules; false where the other side has none. */
static bool common_module(const struct matcher *matcher, unsigned side, uint32_t scope,
                          uint32_t *ret_number)
{
    const uint32_t module = scopes_of(matcher, side)->scopes[scope].module;
    *ret_number = module == FT_NO_MODULE || side == 0 ? module : matcher->modules[1][module];
    return module == FT_NO_MODULE || matcher->modules[side][module] != FT_NO_MODULE;
}

/* ---- keys ---- */

/* Text of a scope's key, malloc'ed; *ret_text stays NULL where it has none. Negative: out of
 * memory. */
typedef int key_maker(const struct matcher *matcher, unsigned side, uint32_t scope, uint32_t module,
                      char **ret_text);
static const struct ft_scope_location *location_of(const struct matcher *matcher, unsigned side,
                                                   uint32_t scope)
{
    return &matcher->sides[side].items[scope];
}

static bool is_routine(const struct matcher *matcher, unsigned side, uint32_t scope)
{
    return scopes_of(matcher, side)->scopes[scope].kind == FT_SCOPE_ROUTINE;
}

static int whole_name_and_file(const struct matcher *matcher, unsigned side, uint32_t scope,
                               uint32_t module, char **ret_text)
{
    const struct ft_scope_location *location = location_of(matcher, side, scope);
    if (!is_routine(matcher, side, scope) || !*location->name)
        return 0;
    return asprintf(ret_text, "%" PRIu32 "\n%s\n%s", module,
                    scopes_of(matcher, side)->scopes[scope].name, location->file);
}

static int name_and_file(const struct matcher *matcher, unsigned side, uint32_t scope,
                         uint32_t module, char **ret_text)
{
    const struct ft_scope_location *location = location_of(matcher, side, scope);
    if (!is_routine(matcher, side, scope) || !*location->name)
        return 0;
    return asprintf(ret_text, "%" PRIu32 "\n%s\n%s", module, location->name, location->file);
}

static int name_alone(const struct matcher *matcher, unsigned side, uint32_t scope, uint32_t module,
                      char **ret_text)
{
    const struct ft_scope_location *location = location_of(matcher, side, scope);
    if (!is_routine(matcher, side, scope) || !*location->name)
        return 0;
    return asprintf(ret_text, "%" PRIu32 "\n%s", module, location->name);
}

static int shape_of_code(const struct matcher *matcher, unsigned side, uint32_t scope,
                         uint32_t module, char **ret_text)
{
    if (!is_routine(matcher, side, scope))
        return 0;
    return asprintf(ret_text, "%" PRIu32 "\n%" PRIx64, module,
                    location_of(matcher, side, scope)->shape);
}

static int line_of_loop(const struct matcher *matcher, unsigned side, uint32_t scope,
                        uint32_t module, char **ret_text)
{
    const struct ft_scope_location *location = location_of(matcher, side, scope);
    const struct ft_scope *loop = &scopes_of(matcher, side)->scopes[scope];
    if (loop->kind != FT_SCOPE_LOOP || !loop->first_line || !*location->home)
        return 0;
    return asprintf(ret_text, "%" PRIu32 "\n%s\n%s:%" PRIu32, module, location->home,
                    location->file, loop->first_line);
}

static void pair_in_order(void *context, const struct ft_match_key *const runs[2],
                          const size_t counts[2])
{
    struct matcher *matcher = context;
    for (size_t i = 0; counts[0] == counts[1] && i < counts[0]; i++)
        match(matcher, runs[0][i].item, runs[1][i].item, FT_MATCH_NAME);
}

/* Two routines that both have names would have matched by name. */
static void pair_single(void *context, const struct ft_match_key *const runs[2],
                        const size_t counts[2])
{
    struct matcher *matcher = context;
    if (counts[0] != 1 || counts[1] != 1 ||
        (*location_of(matcher, 0, runs[0]->item)->name &&
         *location_of(matcher, 1, runs[1]->item)->name))
        return;
    match(matcher, runs[0]->item, runs[1]->item, FT_MATCH_SHAPE);
}

static uint32_t longest_running(const struct matcher *matcher, unsigned side,
                                const struct ft_match_key *run, size_t count)
{
    const struct ft_scope *scopes = scopes_of(matcher, side)->scopes;
    uint32_t longest = run->item;
    for (size_t i = 1; i < count; i++)
        if (scopes[run[i].item].iteration_count > scopes[longest].iteration_count)
            longest = run[i].item;
    return longest;
}

/* A routine that was inlined in several places has its loop in each: all match that one. The runs
 * include those already matched. */
static void pair_with_heaviest(void *context, const struct ft_match_key *const runs[2],
                               const size_t counts[2])
{
    struct matcher *matcher = context;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t longest = longest_running(matcher, !side, runs[!side], counts[!side]);
        for (size_t i = 0; i < counts[side]; i++)
            if (!is_matched(matcher, side, runs[side][i].item))
                matcher->made.of[side][runs[side][i].item] =
                    (struct ft_match){longest, FT_MATCH_MOVED};
    }
}

struct key_pass {
    key_maker *make;
    ft_key_pairer *pair;
    bool takes_all; /* not only what is not matched yet */
};

static bool make_keys(const struct matcher *matcher, unsigned side, const struct key_pass *pass,
                      struct ft_match_keys *keys)
{
    const struct ft_scopes *scopes = scopes_of(matcher, side);
    keys->items = calloc(scopes->scope_count + 1, sizeof *keys->items);
    for (uint32_t i = 1; keys->items && i < scopes->scope_count; i++) {
        uint32_t module;
        char *text = NULL;
        if (scopes->scopes[i].kind < FT_SCOPE_ROUTINE ||
            (is_matched(matcher, side, i) && !pass->takes_all) ||
            !common_module(matcher, side, i, &module))
            continue;
        if (pass->make(matcher, side, i, module, &text) < 0)
            return false;
        if (text)
            keys->items[keys->count++] = (struct ft_match_key){text, i};
    }
    return keys->items != NULL;
}

static bool match_by_key(struct matcher *matcher, const struct key_pass *pass)
{
    struct ft_match_keys keys[2] = {0};
    bool complete = true;
    for (unsigned side = 0; side < 2; side++)
        complete = complete && make_keys(matcher, side, pass, &keys[side]);
    if (complete)
        ft_keys_match(keys, pass->pair, matcher);
    ft_match_keys_fini(&keys[0]);
    ft_match_keys_fini(&keys[1]);
    return complete;
}

/* ---- loops ---- */

/* The loops directly inside a scope that are not matched yet. */
static bool list_loops(const struct matcher *matcher, unsigned side, uint32_t outer,
                       struct ft_loop_list *list)
{
    const struct ft_scopes *scopes = scopes_of(matcher, side);
    uint32_t end = outer + 1;
    while (end < scopes->scope_count && scopes->scopes[end].kind == FT_SCOPE_LOOP)
        end++;
    *list = (struct ft_loop_list){.locations = &matcher->sides[side],
                                  .scopes = calloc(end - outer, sizeof *list->scopes)};
    for (uint32_t i = outer + 1; list->scopes && i < end; i++)
        if (scopes->scopes[i].parent == outer && !is_matched(matcher, side, i))
            list->scopes[list->count++] = i;
    return list->scopes != NULL;
}

static int match_loops_in(struct matcher *matcher, uint32_t a, uint32_t b, struct ft_diag *diag)
{
    struct ft_loop_list lists[2] = {0};
    struct ft_aligned_loops *pairs = NULL;
    size_t count = 0;
    int status = list_loops(matcher, 0, a, &lists[0]) && list_loops(matcher, 1, b, &lists[1])
                     ? FT_OK
                     : ft_fail_memory(diag, "the loops of two builds");
    if (!status && lists[0].count && lists[1].count)
        status = ft_loops_align(lists, &pairs, &count, diag);
    for (size_t i = 0; i < count; i++)
        match(matcher, pairs[i].scopes[0], pairs[i].scopes[1],
              pairs[i].same_line ? FT_MATCH_LINE : FT_MATCH_SHIFTED);
    free(pairs);
    free(lists[0].scopes);
    free(lists[1].scopes);
    return status;
}

/* Outer ones come first, so what is paired here is gone through too. */
static int match_loops(struct matcher *matcher, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = scopes_of(matcher, 0);
    int status = FT_OK;
    for (uint32_t i = 1; !status && i < scopes->scope_count; i++) {
        const struct ft_match *there = &matcher->made.of[0][i];
        if (scopes->scopes[i].kind >= FT_SCOPE_ROUTINE && there->kind != FT_MATCH_NONE &&
            matcher->made.of[1][there->item].item == i)
            status = match_loops_in(matcher, i, there->item, diag);
    }
    return status;
}

/* ---- all of it ---- */

static const struct key_pass routine_passes[] = {
    {whole_name_and_file, pair_in_order, false},
    {name_and_file, pair_in_order, false},
    {name_alone, pair_in_order, false},
    {shape_of_code, pair_single, false},
};
static const struct key_pass loop_pass = {line_of_loop, pair_with_heaviest, true};

static int match_all(struct matcher *matcher, struct ft_diag *diag)
{
    ft_modules_match(scopes_of(matcher, 0), scopes_of(matcher, 1), matcher->modules);
    match_module_scopes(matcher);
    for (unsigned side = 0; side < 2; side++)
        ft_match_same_build(matcher->sides, matcher->modules, &matcher->made, side);
    for (size_t i = 0; i < sizeof routine_passes / sizeof *routine_passes; i++)
        if (!match_by_key(matcher, &routine_passes[i]))
            return ft_fail_memory(diag, "the routines of two builds");
    for (unsigned side = 0; side < 2; side++)
        if (!ft_match_same_shape(matcher->sides, &matcher->made, side))
            return ft_fail_memory(diag, "the loops of two builds");
    FT_TRY(match_loops(matcher, diag));
    if (!match_by_key(matcher, &loop_pass))
        return ft_fail_memory(diag, "the loops of two builds");
    return FT_OK;
}

int ft_scopes_match(const struct ft_scope_locations sides[2], struct ft_matching *ret_matching,
                    struct ft_diag *diag)
{
    struct matcher matcher = {.sides = sides};
    bool complete = true;
    for (unsigned side = 0; side < 2; side++) {
        const struct ft_scopes *scopes = scopes_of(&matcher, side);
        matcher.made.of[side] = calloc(scopes->scope_count + 1, sizeof *matcher.made.of[side]);
        matcher.modules[side] = calloc(scopes->module_count + 1, sizeof *matcher.modules[side]);
        complete &= matcher.made.of[side] && matcher.modules[side];
        for (size_t i = 0; complete && i < scopes->scope_count; i++)
            matcher.made.of[side][i].item = FT_NO_MATCH;
    }
    int status = complete ? match_all(&matcher, diag) : ft_fail_memory(diag, "two builds");
    free(matcher.modules[0]);
    free(matcher.modules[1]);
    if (status)
        ft_matching_fini(&matcher.made);
    else
        *ret_matching = matcher.made;
    return status;
}
