/*
 * First each loop and routine is counted, by calling context: how many iterations an entry has, or
 * how deep it calls itself. Where that grows by as much with each doubling of the size, the nests
 * are written again, with these iterations one by one, or these activations one behind the other.
 *
 * Inside of repetitions numbers have several rows: their values in the first iteration, and by how
 * much they change. What is done to a row is linear, so it is done to each alike.
 */
#include "fit/skeletons/level_lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
#include "fit/functions/doubling.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/sized_skeleton.h"

#define SIZES_MIN   4U
#define LEVELS_MIN  2U /* at the smallest size */
#define LEVELS_MAX  64U
#define BY_DOUBLING 2U  /* at most so many levels more with each */
#define ROWS_MAX    64U /* of six repetitions inside each other */
#define NO_LEVELS   UINT64_MAX

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "lists of levels");
}

/* Rows of the numbers of tokens, the values first. */
struct rows {
    const uint64_t *at[ROWS_MAX];
    size_t count;
};

static struct rows behind(const struct rows *rows, size_t numbers)
{
    struct rows moved = *rows;
    for (size_t r = 0; r < rows->count; r++)
        moved.at[r] += numbers;
    return moved;
}

/* Those of what is in a repetition. */
static struct rows inside_of(const struct rows *around, const struct ft_nest_element *element)
{
    struct rows rows = {.count = 2 * around->count};
    for (size_t r = 0; r < around->count; r++) {
        rows.at[2 * r] = around->at[r] + element->counts;
        rows.at[2 * r + 1] = around->at[r] + element->counts + element->body;
    }
    return rows;
}

static bool may_enter(const struct rows *around, const struct ft_nest_element *element)
{
    return element->kind == FT_NEST_REPEAT && 2 * around->count <= ROWS_MAX;
}

/* ---- counting ---- */

/* A loop or routine in its context, at a size. */
struct counted {
    uint64_t context;
    uint64_t levels; /* NO_LEVELS: not always as many, or they cannot be written one by one */
    uint64_t kinds; /* hash of the parts: those that are alike at all sizes have laws as they are */
};

struct counting {
    struct counted *counted;
    size_t count, capacity;
    struct ft_hash_table by_context;
};

static struct counted *find_counted(const struct counting *counting, uint64_t context)
{
    uint32_t i;
    for (size_t probe = context; ft_hash_next(&counting->by_context, context, &probe, &i);)
        if (counting->counted[i].context == context)
            return &counting->counted[i];
    return NULL;
}

static int add_counted(struct counting *counting, const struct counted *one, struct ft_diag *diag)
{
    struct counted *former = find_counted(counting, one->context);
    if (former) {
        former->levels = former->levels == one->levels ? one->levels : NO_LEVELS;
        return FT_OK;
    }
    if (!FT_RESERVE(counting->counted, counting->capacity, counting->count + 1) ||
        !ft_hash_table_add(&counting->by_context, one->context, (uint32_t)counting->count))
        return no_memory(diag);
    counting->counted[counting->count++] = *one;
    return FT_OK;
}

/* Whether a repetition's count, and how its numbers double, are the same in all iterations around
 * it. */
static bool is_steady(const struct ft_nest_element *element, const struct rows *rows)
{
    for (size_t r = 1; r < rows->count; r++) {
        const uint64_t *exponents = rows->at[r] + 1 + FT_NEST_EXPONENTS * element->body;
        if (rows->at[r][0] != 0)
            return false;
        for (size_t k = 0; element->kind == FT_NEST_GEOMETRIC && k < element->body; k++)
            if (exponents[k] != 0)
                return false;
    }
    return true;
}

/* The iterations of a loop whose parts these are. */
static struct counted count_loop(uint64_t context, const uint32_t *tokens, size_t length,
                                 const struct rows *rows)
{
    struct counted loop = {.context = context};
    for (size_t at = 0, number = 0; at < length;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const struct rows here = behind(rows, number);
        const uint64_t count = element.counts ? here.at[0][0] : 1;
        const bool is_good = ft_nest_is_part(element.kind) && element.kind != FT_NEST_CYCLE &&
                             count <= LEVELS_MAX && loop.levels != NO_LEVELS &&
                             (!element.counts || is_steady(&element, &here));
        loop.levels = is_good ? loop.levels + count : NO_LEVELS;
        loop.kinds = ft_hash_add(loop.kinds, (uint64_t)element.kind + 1);
        number += ft_nest_element_numbers(&element, tokens + at);
        at += element.head + element.length;
    }
    return loop;
}

/* Where in an activation's body it calls itself, or its length; the numbers before. */
static size_t find_call(const uint32_t *tokens, size_t length, uint32_t routine,
                        size_t *ret_numbers)
{
    size_t at = 0;
    *ret_numbers = 0;
    while (at < length && tokens[at] != routine) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        *ret_numbers += ft_nest_element_numbers(&element, tokens + at);
        at += element.head + element.length;
    }
    return at;
}

/* How deep a routine calls itself, whose body this is. */
static uint64_t recursion_depth(const uint32_t *body, size_t length, uint32_t routine)
{
    uint64_t depth = 0;
    for (;; depth++) {
        size_t numbers;
        const size_t call = find_call(body, length, routine, &numbers);
        if (call == length)
            return depth;
        length = ft_nest_element(body + call).length;
        body += call + 2;
    }
}

static int count_levels(struct counting *counting, const uint32_t *tokens, size_t length,
                        const struct rows *rows, struct ft_nest_context around,
                        struct ft_diag *diag)
{
    for (size_t at = 0, number = 0; at < length;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const uint32_t *body = tokens + at + element.head;
        const struct rows here = behind(rows, number);
        struct counted counted = {0};
        struct ft_nest_context inside = around;
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE)
            inside = ft_nest_context_inside(around, tokens[at]);
        if (element.kind == FT_NEST_LOOP)
            counted = count_loop(inside.hash, body, element.length, &here);
        if (element.kind == FT_NEST_ROUTINE) {
            const uint64_t depth = recursion_depth(body, element.length, tokens[at]);
            counted = (struct counted){inside.hash, depth, 0};
        }
        if (counted.levels)
            FT_TRY(add_counted(counting, &counted, diag));
        const struct rows within = may_enter(&here, &element) ? inside_of(&here, &element) : here;
        if (may_enter(&here, &element) || (element.length && !element.counts))
            FT_TRY(count_levels(counting, body, element.length, &within, inside, diag));
        number += ft_nest_element_numbers(&element, tokens + at);
        at += element.head + element.length;
    }
    return FT_OK;
}

/* ---- which are lists of levels ---- */

struct marking {
    const double *sizes;
    size_t size_count;
    struct counting countings[FT_SIZED_SIZES_MAX]; /* [size] */
    bool found;
    struct ft_diag *diag;
};

/* Whether there are more levels with each doubling, always as many more. */
static bool are_levels(const struct marking *marking, uint32_t token, uint64_t context)
{
    const struct counted *counted[FT_SIZED_SIZES_MAX] = {0};
    bool differ = ft_nest_kind(token) == FT_NEST_ROUTINE, grow = true;
    for (size_t s = 0; s < marking->size_count; s++) {
        counted[s] = find_counted(&marking->countings[s], context);
        if (!counted[s] || counted[s]->levels < LEVELS_MIN || counted[s]->levels > LEVELS_MAX)
            return false; /* NO_LEVELS are more */
        differ = differ || counted[s]->kinds != counted[0]->kinds;
    }
    const double first = (double)counted[0]->levels;
    const double rate =
        ((double)counted[1]->levels - first) / log2(marking->sizes[1] / marking->sizes[0]);
    for (size_t s = 1; s < marking->size_count; s++)
        grow = grow && (double)counted[s]->levels ==
                           first + rate * log2(marking->sizes[s] / marking->sizes[0]);
    return differ && grow && rate >= 1 && rate <= BY_DOUBLING && rate == floor(rate);
}

/* ---- writing ---- */

struct numbers {
    uint64_t *at;
    size_t count, capacity;
};
/* Tokens, and rows of their numbers. */
struct output {
    struct ft_nest *tokens;
    struct numbers rows[ROWS_MAX];
    size_t row_count;
};

static bool add_numbers(struct output *output, const struct rows *rows, size_t count)
{
    for (size_t r = 0; r < output->row_count; r++) {
        struct numbers *row = &output->rows[r];
        if (!FT_RESERVE(row->at, row->capacity, row->count + count + 1))
            return false;
        memcpy(row->at + row->count, rows->at[r], count * sizeof *row->at);
        row->count += count;
    }
    return true;
}

static bool add_tokens(struct output *output, const uint32_t *tokens, size_t count)
{
    const struct ft_nest_span span = {tokens, count, NULL, 0};
    return ft_nest_add(output->tokens, &span);
}

/* A bracket's head, whose length is set behind its body; it may be empty. */
static bool open_bracket(struct output *output, uint32_t token, size_t *ret_place)
{
    *ret_place = output->tokens->token_count;
    return add_tokens(output, (const uint32_t[]){token, 0}, 2);
}

static void close_bracket(struct output *output, size_t place)
{
    output->tokens->tokens[place + 1] = (uint32_t)(output->tokens->token_count - place - 2);
}

static bool add_once(struct output *output, const uint32_t *tokens, size_t length,
                     const struct rows *rows, size_t numbers)
{
    size_t place;
    if (!open_bracket(output, ft_nest_token(FT_NEST_ONCE, 0), &place) ||
        !add_tokens(output, tokens, length) || !add_numbers(output, rows, numbers))
        return false;
    close_bracket(output, place);
    return true;
}

/* The numbers of an iteration, a row of them; exponents are those of the values. */
static void iterate(const struct ft_nest_element *element, const struct rows *rows, size_t row,
                    uint64_t i, uint64_t *ret_numbers)
{
    const uint64_t *numbers = rows->at[row] + element->counts;
    const uint64_t *exponents = rows->at[0] + element->counts + FT_NEST_EXPONENTS * element->body;
    for (size_t k = 0; k < element->body; k++) {
        ret_numbers[k] = numbers[k] + i * numbers[FT_NEST_STEPS * element->body + k];
        if (element->kind != FT_NEST_GEOMETRIC)
            continue;
        ret_numbers[k] +=
            ft_nest_growth(numbers[FT_NEST_POWERS * element->body + k], exponents[k], i) +
            ft_nest_growth(numbers[FT_NEST_SQUARES * element->body + k], 2 * exponents[k], i);
    }
}

/* The iterations of a part, one by one. */
static bool add_iterations(struct output *output, const struct ft_nest_element *element,
                           const uint32_t *body, const struct rows *rows)
{
    struct rows now = {.count = rows->count};
    uint64_t *numbers = malloc((rows->count * element->body + 1) * sizeof *numbers);
    bool done = numbers;
    for (uint64_t i = 0; done && i < rows->at[0][0]; i++) {
        for (size_t r = 0; r < rows->count; r++) {
            iterate(element, rows, r, i, numbers + r * element->body);
            now.at[r] = numbers + r * element->body;
        }
        done = add_once(output, body, element->length, &now, element->body);
    }
    free(numbers);
    return done;
}

/* The parts of a loop as a list of levels. */
static bool add_loop(struct output *output, const uint32_t *tokens, size_t length,
                     const struct rows *rows)
{
    size_t place;
    bool done = open_bracket(output, ft_nest_token(FT_LEVELS, FT_LEVELS_FROM_FIRST), &place);
    for (size_t at = 0, number = 0; done && at < length;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const struct rows here = behind(rows, number);
        const size_t numbers = ft_nest_element_numbers(&element, tokens + at);
        done = element.counts ? add_iterations(output, &element, tokens + at + element.head, &here)
                              : add_once(output, tokens + at + 2, element.length, &here, numbers);
        number += numbers;
        at += element.head + element.length;
    }
    close_bracket(output, place);
    return done;
}

/* What activations do before their call and behind it, as two lists with the innermost one between
 * them. */
static bool add_activations(struct output *output, const uint32_t *body, size_t length,
                            uint32_t routine, const struct rows *rows)
{
    const uint32_t *tails[LEVELS_MAX]; /* what is behind the calls... */
    size_t tail_lengths[LEVELS_MAX], tail_numbers[LEVELS_MAX], depth = 0, place, before;
    struct rows here = *rows;
    bool done = open_bracket(output, ft_nest_token(FT_LEVELS, FT_LEVELS_FROM_FIRST), &place);
    size_t call = find_call(body, length, routine, &before);
    for (; done && call < length; call = find_call(body, length, routine, &before)) {
        const struct ft_nest_element called = ft_nest_element(body + call);
        const size_t end = call + called.head + called.length;
        size_t behind_call;
        done = add_once(output, body, call, &here, before);
        here = behind(&here, before);
        find_call(body + end, length - end, UINT32_MAX, &behind_call);
        tails[depth] = body + end;
        tail_lengths[depth] = length - end;
        tail_numbers[depth++] = behind_call;
        body += call + called.head;
        length = called.length;
    }
    close_bracket(output, place);
    done = done && add_tokens(output, body, length) && add_numbers(output, &here, before) &&
           open_bracket(output, ft_nest_token(FT_LEVELS, FT_LEVELS_FROM_LAST), &place);
    here = behind(&here, before);
    while (done && depth-- > 0) {
        done = add_once(output, tails[depth], tail_lengths[depth], &here, tail_numbers[depth]);
        here = behind(&here, tail_numbers[depth]);
    }
    close_bracket(output, place);
    return done;
}

static bool rewrite(const struct marking *marking, struct output *output, const uint32_t *tokens,
                    size_t length, const struct rows *rows, struct ft_nest_context around);

/* A repetition whose body is written again. */
static bool rewrite_repeat(const struct marking *marking, struct output *output,
                           const uint32_t *tokens, const struct rows *rows,
                           struct ft_nest_context around)
{
    const struct ft_nest_element element = ft_nest_element(tokens);
    const struct rows within = inside_of(rows, &element);
    struct output inner = {.tokens = output->tokens, .row_count = within.count};
    const size_t place = output->tokens->token_count;
    bool done = add_tokens(output, tokens, element.head) &&
                rewrite(marking, &inner, tokens + element.head, element.length, &within, around);
    if (done) {
        uint32_t *head = output->tokens->tokens + place;
        head[1] = (uint32_t)(output->tokens->token_count - place - element.head);
        head[2] = (uint32_t)inner.rows[0].count;
    }
    done = done && add_numbers(output, rows, 1);
    for (unsigned row = 0; done && row < 2; row++) {
        struct rows body = {.count = rows->count};
        for (size_t r = 0; r < rows->count; r++)
            body.at[r] = inner.rows[2 * r + row].at;
        done = add_numbers(output, &body, inner.rows[0].count);
    }
    for (size_t r = 0; r < inner.row_count; r++)
        free(inner.rows[r].at);
    return done;
}

/* An element as it is, or with lists of levels. */
static bool rewrite_element(const struct marking *marking, struct output *output,
                            const uint32_t *tokens, const struct rows *rows,
                            struct ft_nest_context around)
{
    const struct ft_nest_element element = ft_nest_element(tokens);
    const uint32_t *body = tokens + element.head;
    size_t place;
    if (may_enter(rows, &element))
        return rewrite_repeat(marking, output, tokens, rows, around);
    if (element.counts || element.length == 0)
        return add_tokens(output, tokens, element.head + element.length) &&
               add_numbers(output, rows, ft_nest_element_numbers(&element, tokens));
    if (element.kind != FT_NEST_ONCE)
        around = ft_nest_context_inside(around, tokens[0]);
    if (!open_bracket(output, tokens[0], &place))
        return false;
    bool done;
    if (element.kind == FT_NEST_ONCE || !are_levels(marking, tokens[0], around.hash))
        done = rewrite(marking, output, body, element.length, rows, around);
    else if (element.kind == FT_NEST_LOOP)
        done = add_loop(output, body, element.length, rows);
    else
        done = add_activations(output, body, element.length, tokens[0], rows);
    close_bracket(output, place);
    return done;
}

static bool rewrite(const struct marking *marking, struct output *output, const uint32_t *tokens,
                    size_t length, const struct rows *rows, struct ft_nest_context around)
{
    bool done = add_numbers(output, rows, 0); /* so that no row is NULL */
    for (size_t at = 0, number = 0; done && at < length;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const struct rows here = behind(rows, number);
        done = rewrite_element(marking, output, tokens + at, &here, around);
        number += ft_nest_element_numbers(&element, tokens + at);
        at += element.head + element.length;
    }
    return done;
}

static int mark_size(const struct marking *marking, const struct ft_nest *nest,
                     struct ft_nest *ret_nest)
{
    const struct rows rows = {{nest->numbers}, 1};
    struct output output = {.tokens = ret_nest, .row_count = 1};
    if (!rewrite(marking, &output, nest->tokens, nest->token_count, &rows,
                 (struct ft_nest_context){0})) {
        free(output.rows[0].at);
        return no_memory(marking->diag);
    }
    ret_nest->numbers = output.rows[0].at;
    ret_nest->number_count = output.rows[0].count;
    ret_nest->number_capacity = output.rows[0].capacity;
    return FT_OK;
}

/* Whether any context of the largest size has levels. */
static bool has_levels(const struct marking *marking)
{
    const struct counting *largest = &marking->countings[marking->size_count - 1];
    bool found = false;
    for (size_t i = 0; i < largest->count; i++) {
        const uint32_t token =
            ft_nest_token(largest->counted[i].kinds ? FT_NEST_LOOP : FT_NEST_ROUTINE, 0);
        found = found || are_levels(marking, token, largest->counted[i].context);
    }
    return found;
}

int ft_level_lists_mark(const struct ft_nest *nests, const double *sizes, size_t size_count,
                        struct ft_nest *ret_nests, bool *ret_found, struct ft_diag *diag)
{
    struct marking marking = {.sizes = sizes, .size_count = size_count, .diag = diag};
    int status = FT_OK;
    *ret_found = false;
    if (size_count < SIZES_MIN || !ft_sizes_double(sizes, size_count))
        return FT_OK;
    memset(ret_nests, 0, size_count * sizeof *ret_nests);
    for (size_t s = 0; !status && s < size_count; s++) {
        const struct rows rows = {{nests[s].numbers}, 1};
        status = count_levels(&marking.countings[s], nests[s].tokens, nests[s].token_count, &rows,
                              (struct ft_nest_context){0}, diag);
    }
    *ret_found = !status && has_levels(&marking);
    for (size_t s = 0; !status && *ret_found && s < size_count; s++)
        status = mark_size(&marking, &nests[s], &ret_nests[s]);
    for (size_t s = 0; s < size_count; s++) {
        free(marking.countings[s].counted);
        ft_hash_table_fini(&marking.countings[s].by_context);
        if (status)
            ft_nest_fini(&ret_nests[s]);
    }
    return status;
}
