/* Getting and setting walk the model alike, so the order is written down once. */
#include "formats/model/model_functions.h"

#include <stdlib.h>

/* A place in the table. */
struct walk {
    ft_model_function_fn *change; /* NULL: none */
    void *context;
    struct ft_function *functions; /* NULL: only count */
    bool store;                    /* into the table, else from it */
    size_t at;
    bool failed; /* memory ran out */
};

static void visit(struct walk *walk, struct ft_function *function)
{
    if (walk->change)
        walk->change(walk->context, function);
    if (walk->functions && walk->store)
        walk->functions[walk->at] = *function;
    else if (walk->functions)
        *function = walk->functions[walk->at];
    walk->at++;
}

static void visit_bin(struct walk *walk, bool over_data, struct ft_model_bin *bin)
{
    visit(walk, &bin->tail);
    if (!over_data || !walk->change)
        visit(walk, &bin->distance_blocks);
}

/* Bins are repacked where functions change. */
static void visit_member(struct walk *walk, struct ft_model_member *member)
{
    const size_t count = ft_member_bins_count(member->bins);
    const bool changes = walk->change || (walk->functions && !walk->store);
    struct ft_model_bin *bins = changes ? malloc((count + 1) * sizeof *bins) : NULL;
    walk->failed = walk->failed || (changes && !bins);
    for (size_t i = 0; i < count && !walk->failed; i++) {
        struct ft_model_bin bin = ft_member_bin(member->bins, i);
        visit_bin(walk, member->over_data, &bin);
        if (changes)
            bins[i] = bin;
    }
    if (changes && !walk->failed) {
        struct ft_member_bins *packed = ft_member_bins_of(bins, count);
        walk->failed = !packed;
        if (packed) {
            free(member->bins);
            member->bins = packed;
        }
    }
    free(bins);
}

static void visit_histogram(struct walk *walk, struct ft_model_histogram *histogram)
{
    visit(walk, &histogram->touches);
    visit(walk, &histogram->cold);
    for (size_t i = 0; i < histogram->member_count; i++)
        visit_member(walk, &histogram->members[i]);
}

static void visit_counts(struct walk *walk, bool has_remapped_pages,
                         struct ft_model_scope_counts *counts)
{
    visit(walk, &counts->instructions);
    for (int class = 0; class < FT_MIX_COUNT; class ++)
        visit(walk, &counts->mix[class]);
    visit(walk, &counts->flops);
    visit(walk, &counts->entries);
    visit(walk, &counts->iterations);
    if (has_remapped_pages)
        visit(walk, &counts->remapped_pages);
}

/* In tables of their own. */
static void visit_threads(struct walk *walk, struct ft_model_threads *threads)
{
    visit(walk, &threads->count);
    for (size_t i = 0; i < threads->share_count; i++) {
        visit(walk, &threads->shares[i].accesses);
        visit(walk, &threads->shares[i].first);
        visit(walk, &threads->shares[i].busiest);
    }
}

static struct walk visit_all(struct walk walk, struct ft_model *model)
{
    for (size_t i = 0; i < model->size_count; i++)
        visit(&walk, &model->distinct_blocks[i]);
    for (size_t i = 0; i < model->group_count; i++) {
        visit(&walk, &model->groups[i].accesses);
        if (model->counted.count > 0)
            visit(&walk, &model->groups[i].traced);
        for (size_t j = 0; j < model->size_count; j++)
            visit_histogram(&walk, &model->groups[i].histograms[j]);
    }
    for (size_t i = 0; i < model->counts_count; i++)
        visit_counts(&walk, model->scopes.remapped_pages, &model->counts[i]);
    for (size_t i = 0; i < model->executions.count; i++)
        visit(&walk, &model->executions.functions[i]);
    if (walk.change)
        visit_threads(&walk, &model->threads);
    return walk;
}

static int report(const struct walk *walk, struct ft_diag *diag)
{
    return walk->failed ? ft_fail_memory(diag, "a model") : FT_OK;
}

int ft_model_change_functions(struct ft_model *model, ft_model_function_fn *change, void *context,
                              struct ft_diag *diag)
{
    const struct walk walk = visit_all((struct walk){.change = change, .context = context}, model);
    return report(&walk, diag);
}

size_t ft_model_count_functions(const struct ft_model *model)
{
    struct ft_model walked = *model; /* what is only counted or got does not change */
    return visit_all((struct walk){0}, &walked).at;
}

void ft_model_get_functions(const struct ft_model *model, struct ft_function *ret_functions)
{
    struct ft_model walked = *model;
    visit_all((struct walk){.functions = ret_functions, .store = true}, &walked);
}

int ft_model_set_functions(struct ft_model *model, const struct ft_function *functions,
                           struct ft_diag *diag)
{
    struct ft_function *from = (struct ft_function *)functions; /* only read */
    const struct walk walk = visit_all((struct walk){.functions = from}, model);
    return report(&walk, diag);
}
