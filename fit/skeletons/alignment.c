/*
 * The elements of two bodies are compared by what they are: an access by its reference, a routine
 * or loop by which, a repetition by its body; then the pairs of a longest common subsequence are
 * entered. What is common at both ends, which is nearly all, is paired first.
 */
#include "fit/skeletons/alignment.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"

/* Of a table of two bodies' remainders; larger ones are not matched. */
#define CELLS_MAX (UINT64_C(1) << 24)

struct part {
    uint64_t key;
    size_t token, number; /* where it is in its nest */
};

struct parts {
    struct part *items;
    size_t count, capacity;
};

struct aligning {
    const struct ft_nest *nest, *other;
    size_t *numbers;
    struct ft_diag *diag;
};

static uint64_t key_of(const uint32_t *tokens, const struct ft_nest_element *element)
{
    uint64_t key = ft_hash_mix(tokens[0] + UINT64_C(1));
    if (element->kind == FT_NEST_REPEAT)
        for (size_t i = 0; i < element->head + element->length; i++)
            key = ft_hash_add(key, tokens[i]);
    return key;
}

static int list_parts(const struct ft_nest *nest, size_t token, size_t length, size_t number,
                      struct parts *parts, struct ft_diag *diag)
{
    for (size_t end = token + length; token < end;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + token);
        if (!FT_RESERVE(parts->items, parts->capacity, parts->count + 1))
            return ft_fail_memory(diag, "the parts of a loop nest");
        parts->items[parts->count++] =
            (struct part){key_of(nest->tokens + token, &element), token, number};
        number += ft_nest_element_numbers(&element, nest->tokens + token);
        token += element.head + element.length;
    }
    return FT_OK;
}

static int align_bodies(struct aligning *aligning, const struct part *part,
                        const struct part *other);

static int pair(struct aligning *aligning, const struct part *part, const struct part *other)
{
    enum ft_nest_kind kind = ft_nest_kind(aligning->nest->tokens[part->token]);
    if (kind == FT_NEST_ACCESS || kind == FT_NEST_REPEAT) {
        aligning->numbers[part->token] = other->number;
        return FT_OK;
    }
    return kind == FT_NEST_IRREGULAR ? FT_OK : align_bodies(aligning, part, other);
}

/* Lengths of longest common subsequences of all ends, [a * (b_count + 1) + b]. */
static uint32_t *common_lengths(const struct part *a, size_t a_count, const struct part *b,
                                size_t b_count)
{
    uint32_t *lengths = calloc((a_count + 1) * (b_count + 1), sizeof *lengths);
    const size_t row = b_count + 1;
    for (size_t i = a_count; lengths && i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            uint32_t skip_a = lengths[(i + 1) * row + j], skip_b = lengths[i * row + j + 1];
            lengths[i * row + j] = a[i].key == b[j].key ? lengths[(i + 1) * row + j + 1] + 1
                                   : skip_a > skip_b    ? skip_a
                                                        : skip_b;
        }
    return lengths;
}

static int pair_common(struct aligning *aligning, const struct part *a, size_t a_count,
                       const struct part *b, size_t b_count)
{
    if (a_count == 0 || b_count == 0 || a_count * b_count > CELLS_MAX)
        return FT_OK;
    uint32_t *lengths = common_lengths(a, a_count, b, b_count);
    int status = lengths ? FT_OK : ft_fail_memory(aligning->diag, "the parts of a loop nest");
    for (size_t i = 0, j = 0; !status && i < a_count && j < b_count;) {
        if (a[i].key == b[j].key)
            status = pair(aligning, &a[i++], &b[j++]);
        else if (lengths[(i + 1) * (b_count + 1) + j] >= lengths[i * (b_count + 1) + j + 1])
            i++;
        else
            j++;
    }
    free(lengths);
    return status;
}

static int align_parts(struct aligning *aligning, const struct parts *a, const struct parts *b)
{
    size_t first = 0, last = 0;
    const size_t shorter = a->count < b->count ? a->count : b->count;
    while (first < shorter && a->items[first].key == b->items[first].key) {
        FT_TRY(pair(aligning, &a->items[first], &b->items[first]));
        first++;
    }
    while (first + last < shorter &&
           a->items[a->count - 1 - last].key == b->items[b->count - 1 - last].key) {
        last++;
        FT_TRY(pair(aligning, &a->items[a->count - last], &b->items[b->count - last]));
    }
    return pair_common(aligning, a->items + first, a->count - first - last, b->items + first,
                       b->count - first - last);
}

static int align_spans(struct aligning *aligning, size_t token, size_t length, size_t number,
                       size_t other_token, size_t other_length, size_t other_number)
{
    struct parts a = {0}, b = {0};
    int status = list_parts(aligning->nest, token, length, number, &a, aligning->diag);
    if (!status)
        status = list_parts(aligning->other, other_token, other_length, other_number, &b,
                            aligning->diag);
    if (!status && a.count && b.count)
        status = align_parts(aligning, &a, &b);
    free(a.items);
    free(b.items);
    return status;
}

static int align_bodies(struct aligning *aligning, const struct part *part,
                        const struct part *other)
{
    struct ft_nest_element a = ft_nest_element(aligning->nest->tokens + part->token);
    struct ft_nest_element b = ft_nest_element(aligning->other->tokens + other->token);
    return align_spans(aligning, part->token + a.head, a.length, part->number,
                       other->token + b.head, b.length, other->number);
}

int ft_nest_align(const struct ft_nest *nest, const struct ft_nest *other, size_t *ret_numbers,
                  struct ft_diag *diag)
{
    struct aligning aligning = {nest, other, ret_numbers, diag};
    for (size_t i = 0; i < nest->token_count; i++)
        ret_numbers[i] = FT_UNMATCHED;
    return align_spans(&aligning, 0, nest->token_count, 0, 0, other->token_count, 0);
}
