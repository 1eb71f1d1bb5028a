#include "fit/skeletons/string_templates.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/x86/unit.h"

#define GRANULE FT_STRING_GRANULE_BYTES

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "calls of string routines");
}

void ft_string_templates_fini(struct ft_string_templates *templates)
{
    free(templates->templates);
    *templates = (struct ft_string_templates){0};
}

/* The other reference of a repeated string instruction's operand: to granules touched in part, or
 * to whole ones. */
static bool has_twin(const struct ft_skeleton *skeleton, uint32_t id)
{
    const struct ft_reference *own = &skeleton->references[id];
    for (uint32_t r = 0; r < skeleton->reference_count; r++) {
        const struct ft_reference *other = &skeleton->references[r];
        if (r != id && other->pc == own->pc && other->kind == own->kind &&
            other->access_index == own->access_index && other->size_bytes != own->size_bytes)
            return true;
    }
    return false;
}

bool ft_string_is_whole(const struct ft_skeleton *skeleton, uint32_t id)
{
    return skeleton->references[id].size_bytes == GRANULE && has_twin(skeleton, id);
}

bool ft_string_is_partial(const struct ft_skeleton *skeleton, uint32_t id)
{
    return skeleton->references[id].size_bytes < GRANULE && has_twin(skeleton, id);
}

/* A call of the largest size: where it begins to load and store. */
struct sample {
    const struct ft_skeleton *largest;
    uint64_t load, store;
    bool has_granules;
    size_t granules; /* which access of the call they are */
    struct ft_string_template call;
};

typedef void taker(struct sample *sample, uint32_t token, uint64_t place);

static void take_start(struct sample *sample, uint32_t token, uint64_t place)
{
    const bool is_load = sample->largest->references[ft_nest_id(token)].kind == FT_LOAD;
    uint64_t *start = is_load ? &sample->load : &sample->store;
    if (!ft_is_on_stack(place) && (!is_load || ft_is_in_block(place)) &&
        (!*start || (ft_string_is_near(place, *start) && place < *start)))
        *start = place;
}

static void take_access(struct sample *sample, uint32_t token, uint64_t place)
{
    const uint32_t id = ft_nest_id(token);
    const bool is_load = sample->largest->references[id].kind == FT_LOAD;
    const bool is_granule = ft_string_is_whole(sample->largest, id);
    struct ft_string_template *call = &sample->call;
    struct ft_string_access access = {.kind = is_granule ? FT_STRING_GRANULES : FT_STRING_VECTOR};
    if (ft_is_on_stack(place))
        access = (struct ft_string_access){.kind = FT_STRING_STACK};
    else if (is_load && !ft_is_in_block(place))
        access = (struct ft_string_access){.kind = FT_STRING_DATA, .at = place};
    else
        access.at = place - (is_load ? sample->load : sample->store);
    *(is_load ? &access.load : &access.store) = token;
    if (is_granule && sample->has_granules) { /* both operands, of which either is whole first */
        struct ft_string_access *granules = &call->accesses[sample->granules];
        granules->load = granules->load ? granules->load : access.load;
        granules->store = granules->store ? granules->store : access.store;
    } else if (!ft_string_is_partial(sample->largest, id) && call->count < FT_STRING_ACCESSES_MAX &&
               (access.kind == FT_STRING_DATA || access.at < FT_PLACE_STEP)) {
        if (is_granule)
            sample->granules = call->count;
        sample->has_granules = sample->has_granules || is_granule;
        call->accesses[call->count++] = access;
    }
}

/* What stands in a call. */
static void take_call(struct sample *sample, size_t at, size_t end, size_t number, taker *take)
{
    const struct ft_nest *nest = &sample->largest->threads[0].nest;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            take(sample, nest->tokens[at], nest->numbers[number]);
        else if (element.kind != FT_NEST_IRREGULAR)
            take_call(sample, at + element.head, at + element.head + element.length,
                      number + element.counts, take);
        number += ft_nest_element_numbers(&element, nest->tokens + at);
        at += element.head + element.length;
    }
}

/* ---- by string instructions ---- */

/* False: it uses no string instruction. */
static bool take_template(const struct ft_skeleton *largest, uint32_t routine, size_t body,
                          size_t end, size_t number, struct ft_string_template *ret_template)
{
    struct sample sample = {.largest = largest, .call = {.routine = routine}};
    take_call(&sample, body, end, number, take_start);
    take_call(&sample, body, end, number, take_access);
    bool has_stack = false;
    for (size_t i = 0; i < sample.call.count; i++) {
        has_stack = has_stack || sample.call.accesses[i].kind == FT_STRING_STACK;
        sample.call.is_copy =
            sample.call.is_copy ||
            (sample.call.accesses[i].kind == FT_STRING_GRANULES && sample.call.accesses[i].load);
    }
    *ret_template = sample.call;
    return sample.has_granules && has_stack;
}

/* ---- by vectors ---- */

/* Those of a call that are not on the stack: the widest, of them the first. */
static void take_vector(struct sample *sample, uint32_t token, uint64_t place)
{
    const struct ft_reference *reference = &sample->largest->references[ft_nest_id(token)];
    const bool is_load = reference->kind == FT_LOAD;
    struct ft_string_access *vectors = &sample->call.accesses[0];
    uint32_t *taken = is_load ? &vectors->load : &vectors->store;
    if (ft_is_on_stack(place)) {
        sample->call.accesses[2].load = is_load ? token : sample->call.accesses[2].load;
    } else if (reference->size_bytes >= FT_STRING_VECTOR_BYTES &&
               (!is_load || ft_is_in_block(place)) &&
               (!*taken ||
                sample->largest->references[ft_nest_id(*taken)].size_bytes < reference->size_bytes))
        *taken = token;
}

/* False: it uses no vectors, or does not load what it stores by as wide ones. */
static bool take_vectors(const struct ft_skeleton *largest, uint32_t routine, size_t body,
                         size_t end, size_t number, struct ft_string_template *ret_template)
{
    struct sample sample = {.largest = largest,
                            .call = {.routine = routine,
                                     .accesses = {{.kind = FT_STRING_VECTORS},
                                                  {.kind = FT_STRING_END},
                                                  {.kind = FT_STRING_STACK}},
                                     .count = 3}};
    struct ft_string_access *accesses = sample.call.accesses;
    take_call(&sample, body, end, number, take_vector);
    if (!accesses[0].store || !accesses[2].load)
        return false;
    const uint32_t bytes = largest->references[ft_nest_id(accesses[0].store)].size_bytes;
    sample.call.is_copy = accesses[0].load != 0;
    accesses[1].load = accesses[0].load;
    accesses[1].store = accesses[0].store;
    accesses[0].bytes = accesses[1].bytes = bytes;
    *ret_template = sample.call;
    return !accesses[0].load ||
           largest->references[ft_nest_id(accesses[0].load)].size_bytes == bytes;
}

/* ---- templates ---- */

const struct ft_string_template *ft_string_template_of(const struct ft_string_templates *templates,
                                                       uint32_t routine)
{
    for (size_t i = 0; i < templates->count; i++)
        if (templates->templates[i].routine == routine)
            return &templates->templates[i];
    return NULL;
}

typedef bool template_taker(const struct ft_skeleton *largest, uint32_t routine, size_t body,
                            size_t end, size_t number, struct ft_string_template *ret_template);

/* Of routines that have none yet. */
static int find_templates(const struct ft_skeleton *largest, size_t at, size_t end, size_t number,
                          template_taker *take, struct ft_string_templates *templates,
                          struct ft_diag *diag)
{
    const struct ft_nest *nest = &largest->threads[0].nest;
    while (at < end) {
        const uint32_t *tokens = nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        if (element.kind == FT_NEST_ROUTINE && !ft_string_template_of(templates, *tokens) &&
            ft_scope_is_string_routine(&largest->scopes, largest->routine_scopes[element.id])) {
            struct ft_string_template call;
            if (take(largest, *tokens, body, next, number, &call)) {
                if (!FT_RESERVE(templates->templates, templates->capacity, templates->count + 1))
                    return no_memory(diag);
                templates->templates[templates->count++] = call;
            }
        }
        if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            FT_TRY(find_templates(largest, body, next, number + element.counts, take, templates,
                                  diag));
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
    return FT_OK;
}

int ft_string_templates_find(const struct ft_skeleton *largest,
                             struct ft_string_templates *ret_templates, struct ft_diag *diag)
{
    struct ft_string_templates templates = {0};
    const size_t end = largest->threads[0].nest.token_count;
    int status = find_templates(largest, 0, end, 0, take_template, &templates, diag);
    if (!status)
        status = find_templates(largest, 0, end, 0, take_vectors, &templates, diag);
    if (status) {
        ft_string_templates_fini(&templates);
        return status;
    }
    *ret_templates = templates;
    return FT_OK;
}
