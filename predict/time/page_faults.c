/*
 * Laws of counts do not tell when malloc begins to map blocks, or to give memory back: at the sizes
 * of training arrays are often too small for it. The model of the allocator (fit/skeletons/
 * allocator.h) does. Where what it says the heap takes is what was counted at the training sizes,
 * but for as many pages at each of them, the program has as many faults as it says, and what they
 * grow by is divided among scopes as the laws have it.
 */
#include "predict/time/page_faults.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"
#include "predict/time/first_touches.h"

#define SIZES_MIN 3U

/* Pages that are not the heap's may be more at one training size than at another by so many, and by
 * this share of what the program's grow by. */
#define OTHER_PAGES 3.0
#define OTHER_SHARE 0.03

struct finding {
    const struct ft_model *model;
    size_t size;   /* of pages, among the model's block sizes */
    double *least; /* [scope]: faults at the smallest training size, by laws */
};

static double sum_of(const double *counts, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static void add_remapped(const struct ft_model *model, const struct ft_point *at, double *faults)
{
    for (size_t i = 0; model->scopes.remapped_pages && i < model->counts_count; i++) {
        const struct ft_model_scope_counts *counts = &model->counts[i];
        faults[counts->scope] += ft_function_at(&counts->remapped_pages, at);
    }
}

static void find_by_laws(const struct finding *finding, const struct ft_point *at, double *faults)
{
    ft_first_touches_find(finding->model, finding->size, at, faults);
    add_remapped(finding->model, at, faults);
}

/* Of the program at a training size. */
static double counted_at(const struct finding *finding, size_t training)
{
    const struct ft_model *model = finding->model;
    const uint64_t remapped = model->training_remapped ? model->training_remapped[training] : 0;
    return (double)model->training_blocks[finding->size * model->training_count + training] +
           (double)remapped;
}

/* What the heap takes from the kernel at a size, by so many blocks. */
static int heap_pages(const struct ft_model *model, double size, double *ret_pages,
                      uint32_t *ret_count, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    struct ft_placed_block *blocks;
    FT_TRY(ft_block_laws_at(&sized->blocks, &sized->largest, size, &blocks, ret_count, diag));
    *ret_pages = 0;
    for (uint32_t i = 0; i < *ret_count; i++)
        *ret_pages += (double)blocks[i].fresh_pages;
    free(blocks);
    return FT_OK;
}

static bool has_heap_of_sizes(const struct ft_model *model, double size)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    if (!sized || !model->training_blocks || model->over_data_size || model->further[0] ||
        !ft_is_sized_size(size) || sized->size_count != model->training_count ||
        sized->size_count < SIZES_MIN ||
        (sized->blocks.event_count == 0 && sized->blocks.loops.nest.token_count == 0))
        return false;
    for (size_t s = 0; s < sized->size_count; s++)
        if (sized->sizes[s] != *ft_model_training(model, s))
            return false;
    return true;
}

/* Those that are not the heap's; *ret_are_alike: at all training sizes, and the heap has all blocks
 * of the largest, which may not follow laws. */
static int other_pages(const struct finding *finding, double *ret_pages, bool *ret_are_alike,
                       struct ft_diag *diag)
{
    const struct ft_model *model = finding->model;
    double least = INFINITY, most = 0, first = 0, last = 0;
    uint32_t count = 0;
    for (size_t s = 0; s < model->training_count; s++) {
        double heap;
        FT_TRY(heap_pages(model, *ft_model_training(model, s), &heap, &count, diag));
        last = counted_at(finding, s);
        first = s == 0 ? last : first;
        least = fmin(least, last - heap);
        most = fmax(most, last - heap);
    }
    *ret_pages = (least + most) / 2;
    *ret_are_alike = count >= model->skeleton->largest.blocks.block_count && least >= 0 &&
                     most - least <= OTHER_PAGES + OTHER_SHARE * fabs(last - first);
    return FT_OK;
}

/* Makes the sum of all `program`, what they have at the smallest training size apart. */
static void scale(const struct finding *finding, double program, double *faults)
{
    const size_t scopes = finding->model->scopes.scope_count;
    const double least = sum_of(finding->least, scopes), grown = sum_of(faults, scopes) - least;
    if (!(grown > 0) || program < least)
        return;
    for (size_t i = 0; i < scopes; i++)
        faults[i] = fmax(
            finding->least[i] + (faults[i] - finding->least[i]) * (program - least) / grown, 0);
}

static int find_by_heap(const struct finding *finding, const struct ft_point *at, double *faults,
                        struct ft_diag *diag)
{
    const struct ft_model *model = finding->model;
    const struct ft_point first = ft_point_at(&model->basis, ft_model_training(model, 0));
    double others = 0, heap = 0;
    bool are_alike = false;
    uint32_t count;
    FT_TRY(other_pages(finding, &others, &are_alike, diag));
    if (!are_alike)
        return FT_OK;
    const int status = heap_pages(model, at->parameters[0], &heap, &count, diag);
    if (status == FT_ERROR_USAGE || status == FT_ERROR_UNSUPPORTED) /* the blocks have no places */
        return FT_OK;
    FT_TRY(status);
    find_by_laws(finding, &first, finding->least);
    scale(finding, others + heap, faults);
    return FT_OK;
}

int ft_page_faults_find(const struct ft_model *model, const struct ft_point *at, double *ret_faults,
                        struct ft_diag *diag)
{
    struct finding finding = {.model = model, .size = ft_model_block_size(model, FT_FAULT_BYTES)};
    const size_t scopes = model->scopes.scope_count;
    for (size_t i = 0; i < scopes; i++)
        ret_faults[i] = 0;
    if (finding.size == model->size_count)
        return FT_OK;
    find_by_laws(&finding, at, ret_faults);
    if (!has_heap_of_sizes(model, at->parameters[0]))
        return FT_OK;
    finding.least = calloc(scopes + 1, sizeof *finding.least);
    int status = finding.least ? find_by_heap(&finding, at, ret_faults, diag)
                               : ft_fail_memory(diag, "the page faults of a program");
    free(finding.least);
    return status;
}
