/*
 * The nests as JSON: an object for each element, with all its numbers.
 */
#include <inttypes.h>
#include <stdio.h>

#include "engine/commands/structure/skeleton_report.h"
#include "engine/skeleton/nest_numbers.h"
#include "formats/cli/json.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

struct packing {
    const struct ft_skeleton *skeleton;
    const struct ft_thread_skeleton *thread;
};

/* ---- numbers ---- */

static json_t *counters_json(uint32_t counters)
{
    json_t *list = json_array();
    for (unsigned depth = 0; counters >> depth; depth++)
        if (counters >> depth & 1)
            ft_json_append(&list, json_integer(depth));
    return list;
}

/* {"counters": [0], "step": 8}; of what is summed up also "summed_by": 1, "exponent": -1 */
static json_t *term_json(const struct ft_nest_term *term, size_t number)
{
    json_t *json = json_pack("{s:o, s:I}", "counters", counters_json(term->counters), "step",
                             (json_int_t)term->at[number]);
    if (term->exponents)
        json =
            ft_json_merge(json, json_pack("{s:i, s:I}", "summed_by", (int)term->summed_by,
                                          "exponent", (json_int_t)ft_nest_exponent(term, number)));
    return json;
}

/* One of the next numbers: {"start": 64, "steps": [{"counters": [0], "step": 8}]} */
static json_t *number_json(const struct ft_nest_numbers *numbers, size_t number)
{
    json_t *steps = json_array();
    for (size_t t = 1; t < numbers->count; t++)
        if (numbers->terms[t].at[number])
            ft_json_append(&steps, term_json(&numbers->terms[t], number));
    return json_pack("{s:I, s:o}", "start", (json_int_t)numbers->terms[0].at[number], "steps",
                     steps);
}

static json_t *irregular_number_json(const struct ft_irregular_number *number)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "min", (json_int_t)number->min, "max",
                     (json_int_t)number->max, "last_step", (json_int_t)number->step, "breaks",
                     (json_int_t)number->breaks);
}

/* ---- nests ---- */

static json_t *scope_json(const struct packing *packing, uint32_t token)
{
    return json_integer(ft_skeleton_token_scope(packing->skeleton, token));
}

static json_t *span_json(const struct packing *packing, const uint32_t *tokens, size_t token_count,
                         struct ft_nest_numbers *numbers);

static json_t *repeat_json(const struct packing *packing, const struct ft_nest_element *element,
                           const uint32_t *body, struct ft_nest_numbers *numbers)
{
    json_t *iterations = number_json(numbers, 0), *left_out = NULL;
    if (element->kind == FT_NEST_CYCLE)
        left_out = number_json(numbers, 1);
    struct ft_nest_numbers inner;
    json_t *inside = json_array();
    if (ft_nest_numbers_may_enter(numbers, element)) {
        json_decref(inside);
        inside = NULL;
        if (ft_nest_numbers_enter(numbers, element, &inner)) {
            inside = span_json(packing, body, element->length, &inner);
            ft_nest_numbers_fini(&inner);
        }
    }
    ft_nest_numbers_skip(numbers, ft_nest_repeat_numbers(element));
    return element->kind != FT_NEST_CYCLE
               ? json_pack("{s:o, s:o}", "iterations", iterations, "body", inside)
               : json_pack("{s:o, s:o, s:b, s:o}", "iterations", iterations, "left_out", left_out,
                           "backwards", element->id == FT_NEST_FROM_LAST, "body", inside);
}

static json_t *access_json(uint32_t reference, struct ft_nest_numbers *numbers)
{
    json_t *address = number_json(numbers, 0);
    ft_nest_numbers_skip(numbers, 1);
    return json_pack("{s:I, s:o}", "reference", (json_int_t)reference, "address", address);
}

static json_t *element_json(const struct packing *packing, const uint32_t *tokens,
                            struct ft_nest_numbers *numbers)
{
    struct ft_nest_element element = ft_nest_element(tokens);
    const uint32_t *body = tokens + element.head;
    switch (element.kind) {
    case FT_NEST_ACCESS:
        return access_json(element.id, numbers);
    case FT_NEST_IRREGULAR:
        return json_pack("{s:I}", "irregular", (json_int_t)element.id);
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        return repeat_json(packing, &element, body, numbers);
    case FT_NEST_ONCE:
        return json_pack("{s:o}", "body", span_json(packing, body, element.length, numbers));
    default:
        return json_pack("{s:o, s:o}", element.kind == FT_NEST_LOOP ? "loop" : "routine",
                         scope_json(packing, tokens[0]), "body",
                         span_json(packing, body, element.length, numbers));
    }
}

static json_t *span_json(const struct packing *packing, const uint32_t *tokens, size_t token_count,
                         struct ft_nest_numbers *numbers)
{
    json_t *list = json_array();
    for (size_t at = 0; at < token_count;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        ft_json_append(&list, element_json(packing, tokens + at, numbers));
        at += element.head + element.length;
    }
    return list;
}

/* ---- irregular loops ---- */

/* The shape of a path as its nest, whose numbers are by position those of "numbers". */
static json_t *path_json(const struct ft_irregular_path *path)
{
    json_t *references = json_array(), *numbers = json_array();
    for (size_t at = 0; at < path->token_count;) {
        struct ft_nest_element element = ft_nest_element(path->tokens + at);
        if (element.kind == FT_NEST_ACCESS)
            ft_json_append(&references, json_integer(element.id));
        at += element.head;
    }
    for (size_t k = 0; k < path->number_count; k++)
        ft_json_append(&numbers, irregular_number_json(&path->numbers[k]));
    return json_pack("{s:I, s:o, s:o}", "executions", (json_int_t)path->count, "references",
                     references, "numbers", numbers);
}

static json_t *irregular_json(const struct packing *packing, const struct ft_irregular *irregular)
{
    json_t *paths = json_array(), *others = json_array();
    for (size_t i = 0; i < irregular->path_count; i++)
        ft_json_append(&paths, path_json(&irregular->paths[i]));
    for (size_t i = 0; i < irregular->reference_count; i++)
        ft_json_append(&others,
                       json_pack("{s:I, s:I, s:o}", "reference",
                                 (json_int_t)irregular->references[i].reference, "accesses",
                                 (json_int_t)irregular->references[i].count, "address",
                                 irregular_number_json(&irregular->references[i].address)));
    return json_pack(
        "{s:o, s:I, s:I, s:I, s:o, s:o}", "scope", scope_json(packing, irregular->token), "entries",
        (json_int_t)irregular->entries, "iterations", (json_int_t)irregular->iterations, "accesses",
        (json_int_t)irregular->accesses, "paths", paths, "others", others);
}

/* ---- the whole ---- */

static json_t *thread_json(const struct ft_skeleton *skeleton, uint32_t thread)
{
    struct packing packing = {skeleton, &skeleton->threads[thread]};
    json_t *irregular = json_array(), *nest = NULL;
    for (size_t i = 0; i < packing.thread->irregular_count; i++)
        ft_json_append(&irregular, irregular_json(&packing, &packing.thread->irregulars[i]));
    struct ft_nest_numbers numbers;
    if (ft_nest_numbers_init(&numbers, &packing.thread->nest)) {
        nest = span_json(&packing, packing.thread->nest.tokens, packing.thread->nest.token_count,
                         &numbers);
        ft_nest_numbers_fini(&numbers);
    }
    return json_pack("{s:o, s:o}", "nest", nest, "irregular", irregular);
}

static json_t *shares_json(const double *row)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "accesses", (json_int_t)row[FT_SKELETON_ACCESSES],
                     "in_loops", (json_int_t)row[FT_SKELETON_IN_LOOPS], "one_by_one",
                     (json_int_t)row[FT_SKELETON_ONE_BY_ONE], "irregular",
                     (json_int_t)row[FT_SKELETON_IRREGULAR]);
}

static json_t *references_json(const struct ft_scopes *scopes)
{
    json_t *list = json_array();
    for (size_t r = 0; r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        ft_json_append(
            &list, json_pack("{s:I, s:s, s:I, s:I, s:I}", "scope", (json_int_t)reference->scope,
                             "kind", ft_access_kind_names[reference->kind], "bytes",
                             (json_int_t)reference->size_bytes, "line", (json_int_t)reference->line,
                             "offset", (json_int_t)reference->offset));
    }
    return list;
}

int ft_skeleton_json(const struct ft_skeleton_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_skeleton *skeleton = &report->skeleton;
    json_t *scopes = json_array(), *threads = json_array();
    for (uint32_t s = 0; s < skeleton->scopes.scope_count; s++)
        ft_json_append(&scopes, ft_json_merge(ft_scope_json(&skeleton->scopes, s),
                                              shares_json(ft_skeleton_shares(report, s))));
    for (uint32_t t = 0; t < skeleton->thread_count; t++)
        ft_json_append(&threads, thread_json(skeleton, t));
    return ft_json_write(
        json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "program",
                  ft_json_text(report->metadata->program), "parameters",
                  ft_parameters_json(report->metadata), "trace", report->trace_hash, "total",
                  shares_json(ft_skeleton_shares(report, 0)), "scopes", scopes, "references",
                  references_json(&skeleton->scopes), "threads", threads),
        stream, diag);
}
