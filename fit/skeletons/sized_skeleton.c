/*
 * The skeletons of smaller sizes get the ids of the largest one and are aligned with it. A leaf
 * that all have is sized if each of its numbers, as the difference from the largest size's, lies on
 * a polynomial; most are equal at all sizes. Loops that are irregular at one of the sizes, or do
 * not fold, become so at all of them, and all is done again, a few times if need be.
 */
#include "fit/skeletons/sized_skeleton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/refolding.h"
#include "fit/skeletons/alignment.h"
#include "fit/skeletons/block_laws.h"
#include "fit/skeletons/common_irregulars.h"
#include "fit/skeletons/drawn_laws.h"
#include "fit/skeletons/same_code.h"
#include "fit/skeletons/size_law.h"
#include "formats/base/array.h"
#include "formats/base/common_divisor.h"

/* Each may uncover an irregular loop around those of the one before. */
#define REFOLDINGS_MAX 8U

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a skeleton over sizes");
}

struct learning {
    struct ft_sized_skeleton *sized;
    const struct ft_skeleton *skeletons[FT_SIZED_SIZES_MAX]; /* by size: the caller's, or... */
    struct ft_skeleton *refolded; /* [size]: ...with more irregular loops, in a thread of its own */
    size_t *matches;              /* (alignment.h), size by size; tokens of the largest */
    size_t token_count;           /* of that */
    struct ft_renamed_thread renamed[FT_SIZED_SIZES_MAX];
    size_t number_capacity;
};

static const struct ft_nest *nest_of(const struct learning *learning, size_t size)
{
    return &learning->skeletons[size]->threads[0].nest;
}

/* The first number, at a size, of the leaf at a token of the largest. */
static size_t match_of(const struct learning *learning, size_t size, size_t token)
{
    return learning->matches[size * learning->token_count + token];
}

/* ---- laws of leaves ---- */

static bool changes(const double coefficients[FT_SIZED_COEFFICIENTS])
{
    for (size_t k = 0; k < FT_SIZED_COEFFICIENTS; k++)
        if (coefficients[k] != 0)
            return true;
    return false;
}

/* Whether a number has a law; adds it where it isn't constant. */
static int learn_number(struct learning *learning, size_t token, size_t first, size_t k,
                        bool *ret_has_law, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const size_t last = sized->size_count - 1;
    struct ft_sized_number law = {.number = first + k};
    uint64_t values[FT_SIZED_SIZES_MAX];
    for (size_t s = 0; s <= last; s++) {
        size_t number = s == last ? first : match_of(learning, s, token);
        values[s] = nest_of(learning, s)->numbers[number + k];
    }
    *ret_has_law =
        ft_size_law_find_change(sized->sizes, values, sized->size_count, law.coefficients);
    if (!*ret_has_law || !changes(law.coefficients))
        return FT_OK;
    if (!FT_RESERVE(sized->numbers, learning->number_capacity, sized->number_count + 1))
        return no_memory(diag);
    sized->numbers[sized->number_count++] = law;
    return FT_OK;
}

static int learn_leaf(struct learning *learning, size_t token, size_t first, size_t numbers,
                      struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const size_t known = sized->number_count;
    for (size_t s = 0; s + 1 < sized->size_count; s++)
        if (match_of(learning, s, token) == FT_UNMATCHED)
            return FT_OK;
    for (size_t k = 0; k < numbers; k++) {
        bool has_law;
        FT_TRY(learn_number(learning, token, first, k, &has_law, diag));
        if (!has_law) {
            sized->number_count = known; /* all of the leaf stays as it was */
            return FT_OK;
        }
    }
    sized->is_sized[token] = true;
    return FT_OK;
}

static int learn_leaves(struct learning *learning, struct ft_diag *diag)
{
    const struct ft_nest *nest = nest_of(learning, learning->sized->size_count - 1);
    size_t number = 0;
    for (size_t at = 0; at < nest->token_count;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        bool is_leaf = element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_REPEAT;
        if (is_leaf) {
            size_t numbers = ft_nest_element_numbers(&element, nest->tokens + at);
            FT_TRY(learn_leaf(learning, at, number, numbers, diag));
            number += numbers;
        }
        at += element.head + (is_leaf ? element.length : 0); /* else into the brackets */
    }
    return FT_OK;
}

/* ---- loops that are irregular ---- */

static int refold(struct learning *learning, size_t size, const uint32_t *names,
                  const struct ft_common_irregulars *common, bool *ret_changed,
                  struct ft_diag *diag)
{
    const struct ft_skeleton *skeleton = learning->skeletons[size];
    const struct ft_refolding refolding = {.thread = &skeleton->threads[0],
                                           .reference_count = skeleton->reference_count,
                                           .routine_count = skeleton->routine_count,
                                           .names = names,
                                           .contexts = common->contexts,
                                           .context_count = common->count};
    if (!ft_nest_must_refold(&refolding))
        return FT_OK;
    struct ft_skeleton *refolded = &learning->refolded[size];
    struct ft_thread_skeleton *thread = calloc(1, sizeof *thread);
    int status = thread ? ft_nest_refold(&refolding, thread, diag) : no_memory(diag);
    if (status) {
        free(thread);
        return status;
    }
    struct ft_thread_skeleton *former = refolded->threads;
    *refolded = *skeleton;
    refolded->threads = thread;
    learning->skeletons[size] = refolded;
    if (former)
        ft_thread_skeleton_fini(former);
    free(former);
    *ret_changed = true;
    return FT_OK;
}

/* Makes all that is irregular somewhere irregular everywhere. */
static int refold_all(struct learning *learning, bool *ret_changed, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    const struct ft_thread_skeleton *largest = &learning->skeletons[last]->threads[0];
    struct ft_common_irregulars common = {0};
    int status = ft_common_irregulars_search(&common, largest, learning->sized->is_sized, diag);
    for (size_t s = 0; !status && s <= last; s++)
        status = ft_common_irregulars_add(&common, &learning->skeletons[s]->threads[0],
                                          &learning->renamed[s], diag);
    for (size_t s = 0; !status && s <= last; s++)
        status = refold(learning, s, learning->renamed[s].tokens, &common, ret_changed, diag);
    ft_common_irregulars_fini(&common);
    return status;
}

static void free_refolded(struct learning *learning)
{
    for (size_t s = 0; learning->refolded && s < learning->sized->size_count; s++) {
        if (learning->refolded[s].threads)
            ft_thread_skeleton_fini(learning->refolded[s].threads);
        free(learning->refolded[s].threads);
    }
    free(learning->refolded);
}

/* ---- learning ---- */

static int align_size(struct learning *learning, size_t size, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    struct ft_renamed_thread *renamed = &learning->renamed[size];
    struct ft_nest nest = *nest_of(learning, size); /* its numbers */
    ft_renamed_thread_fini(renamed);
    FT_TRY(
        ft_skeleton_rename(learning->skeletons[size], 0, learning->skeletons[last], renamed, diag));
    nest.tokens = renamed->tokens;
    return size == last ? FT_OK
                        : ft_nest_align(nest_of(learning, last), &nest,
                                        learning->matches + size * learning->token_count, diag);
}

/* The nests as they are now. */
static int learn_nests(struct learning *learning, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const struct ft_nest *nest = nest_of(learning, sized->size_count - 1);
    free(sized->is_sized);
    free(learning->matches);
    sized->is_sized = calloc(nest->token_count + 1, sizeof *sized->is_sized);
    learning->token_count = nest->token_count;
    learning->matches =
        calloc(sized->size_count * nest->token_count + 1, sizeof *learning->matches);
    if (!sized->is_sized || !learning->matches)
        return no_memory(diag);
    for (size_t s = 0; s < sized->size_count; s++)
        FT_TRY(align_size(learning, s, diag));
    sized->number_count = 0;
    return learn_leaves(learning, diag);
}

static int learn_drawn(struct learning *learning, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const struct ft_drawn_training training = {learning->skeletons, learning->renamed, sized->sizes,
                                               sized->size_count};
    FT_TRY(ft_drawn_loops_learn(&training, &sized->drawn, diag));
    sized->drawn_count = learning->skeletons[sized->size_count - 1]->threads[0].irregular_count;
    return FT_OK;
}

static int learn(struct learning *learning, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    learning->refolded = calloc(sized->size_count, sizeof *learning->refolded);
    if (!learning->refolded)
        return no_memory(diag);
    FT_TRY(learn_nests(learning, diag));
    bool changed = true;
    for (unsigned round = 0; changed && round < REFOLDINGS_MAX; round++) {
        changed = false;
        FT_TRY(refold_all(learning, &changed, diag));
        if (changed)
            FT_TRY(learn_nests(learning, diag));
    }
    FT_TRY(ft_block_laws_learn(learning->skeletons, sized->sizes, sized->size_count, &sized->blocks,
                               diag));
    FT_TRY(learn_drawn(learning, diag));
    return ft_skeleton_copy(learning->skeletons[sized->size_count - 1], &sized->largest, diag);
}

/* By size; false where two are equal. */
static bool sort_sizes(const struct ft_skeleton **skeletons, double *sizes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && sizes[j] <= sizes[j - 1]; j--) {
            if (sizes[j] == sizes[j - 1])
                return false;
            double size = sizes[j];
            sizes[j] = sizes[j - 1];
            sizes[j - 1] = size;
            const struct ft_skeleton *skeleton = skeletons[j];
            skeletons[j] = skeletons[j - 1];
            skeletons[j - 1] = skeleton;
        }
    return true;
}

static int check_sizes(const double *sizes, size_t count, struct ft_diag *diag)
{
    if (count < FT_SIZED_SIZES_MIN || count > FT_SIZED_SIZES_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "give traces of %u to %u sizes", FT_SIZED_SIZES_MIN,
                       FT_SIZED_SIZES_MAX);
    for (size_t s = 0; s < count; s++)
        if (!ft_is_sized_size(sizes[s]))
            return ft_fail(diag, FT_ERROR_USAGE, "the size %g is no integer", sizes[s]);
    return FT_OK;
}

int ft_sized_skeleton_learn(const struct ft_skeleton *const *skeletons, const double *sizes,
                            size_t size_count, struct ft_sized_skeleton *ret_sized,
                            struct ft_diag *diag)
{
    struct ft_sized_skeleton sized = {.size_count = size_count};
    struct learning learning = {.sized = &sized};
    FT_TRY(check_sizes(sizes, size_count, diag));
    sized.sizes = malloc(size_count * sizeof *sized.sizes);
    if (!sized.sizes)
        return no_memory(diag);
    memcpy(sized.sizes, sizes, size_count * sizeof *sizes);
    memcpy(learning.skeletons, skeletons, size_count * sizeof *skeletons);
    int status = sort_sizes(learning.skeletons, sized.sizes, size_count)
                     ? learn(&learning, diag)
                     : ft_fail(diag, FT_ERROR_USAGE, "two traces are of one size");
    free(learning.matches);
    for (size_t s = 0; s < size_count; s++)
        ft_renamed_thread_fini(&learning.renamed[s]);
    free_refolded(&learning);
    if (status) {
        ft_sized_skeleton_fini(&sized);
        return status;
    }
    *ret_sized = sized;
    return FT_OK;
}

/* ---- at a size ---- */

bool ft_sized_skeleton_reaches(const struct ft_sized_skeleton *sized, double size, double *ret_near)
{
    uint64_t common = 0;
    for (size_t s = 1; s < sized->size_count; s++)
        common = (uint64_t)ft_common_divisor(common, (uint64_t)(sized->sizes[s] - sized->sizes[0]));
    const double step = (double)common;
    double beyond = fmod(size - sized->sizes[0], step);
    if (beyond < 0)
        beyond += step;
    *ret_near = size - beyond;
    return beyond == 0;
}

int ft_sized_skeleton_at(const struct ft_sized_skeleton *sized, double size,
                         struct ft_nest *ret_nest, struct ft_placed_block **ret_blocks,
                         struct ft_diag *diag)
{
    struct ft_nest nest = {0};
    struct ft_nest_span largest = ft_nest_span(&sized->largest.threads[0].nest);
    struct ft_placed_block *blocks =
        calloc(sized->largest.blocks.block_count + (size_t)1, sizeof *blocks);
    int status = blocks && ft_nest_add(&nest, &largest) ? FT_OK : no_memory(diag);
    for (size_t i = 0; !status && i < sized->number_count; i++)
        nest.numbers[sized->numbers[i].number] +=
            (uint64_t)ft_size_law_at(sized->numbers[i].coefficients, size);
    if (!status)
        status = ft_block_laws_at(&sized->blocks, &sized->largest, size, blocks, diag);
    if (status) {
        ft_nest_fini(&nest);
        free(blocks);
        return status;
    }
    *ret_nest = nest;
    *ret_blocks = blocks;
    return FT_OK;
}
