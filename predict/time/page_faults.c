/*
 * Where the pages that the heap takes from the kernel, by the model of the allocator, are what was
 * counted at the training sizes, but for as many at each of them, the program has as many faults as
 * it says, and what they grow by is divided among scopes as the laws have it.
 */
#include "predict/time/page_faults.h"

#include <math.h>
#include <stdlib.h>

#include "predict/metrics/first_touches.h"

/* Pages that are not the heap's may be more at one training size than at another by so many, and by
 * this share of what the program's grow by. */
#define OTHER_PAGES 3.0
#define OTHER_SHARE 0.03

struct finding {
    const struct ft_model *model;
    size_t size;   /* of pages, among the model's block sizes */
    double *least; /* [scope]: faults at the smallest training size, by laws */
};

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

/* What the heap takes from the kernel. */
static double heap_pages(const struct ft_heap *heap)
{
    double pages = 0;
    for (uint32_t i = 0; i < heap->block_count; i++)
        pages += (double)heap->blocks[i].fresh_pages;
    return pages;
}

/* Those that are not the heap's. Whether they are alike at all training sizes. */
static bool find_others(const struct finding *finding, const struct ft_heap_sizes *sizes,
                        double *ret_pages)
{
    const size_t count = finding->model->training_count;
    const double grown = counted_at(finding, count - 1) - counted_at(finding, 0);
    double least = INFINITY, most = 0;
    for (size_t s = 0; s < count; s++) {
        const double others = counted_at(finding, s) - heap_pages(&sizes->heaps[s]);
        least = fmin(least, others);
        most = fmax(most, others);
    }
    *ret_pages = (least + most) / 2;
    return least >= 0 && most - least <= OTHER_PAGES + OTHER_SHARE * fabs(grown);
}

static int find_by_heap(struct finding *finding, const struct ft_heap_sizes *sizes, double *faults,
                        struct ft_diag *diag)
{
    const struct ft_model *model = finding->model;
    const struct ft_point first = ft_point_at(&model->basis, ft_model_training(model, 0));
    const size_t scopes = model->scopes.scope_count;
    double others;
    if (!sizes->heaps || !find_others(finding, sizes, &others))
        return FT_OK;
    finding->least = calloc(scopes + 1, sizeof *finding->least);
    if (!finding->least)
        return ft_fail_memory(diag, "the page faults of a program");
    find_by_laws(finding, &first, finding->least);
    ft_first_touches_scale(finding->least, scopes,
                           others + heap_pages(&sizes->heaps[model->training_count]), faults);
    free(finding->least);
    return FT_OK;
}

int ft_page_faults_find(const struct ft_heap_sizes *heap, const struct ft_point *at,
                        double *ret_faults, struct ft_diag *diag)
{
    const struct ft_model *model = heap->model;
    struct finding finding = {.model = model, .size = ft_model_block_size(model, FT_FAULT_BYTES)};
    for (size_t i = 0; i < model->scopes.scope_count; i++)
        ret_faults[i] = 0;
    if (finding.size == model->size_count)
        return FT_OK;
    find_by_laws(&finding, at, ret_faults);
    return find_by_heap(&finding, heap, ret_faults, diag);
}
