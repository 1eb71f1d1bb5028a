/* Getting and setting walk the model alike, so the order is written down once. */
#include "formats/model/model_functions.h"

/* A place in the table. */
struct walk {
    ft_model_function_fn *change; /* NULL: none */
    void *context;
    struct ft_function *functions; /* NULL: only count */
    bool store;                    /* into the table, else from it */
    size_t at;
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

static void visit_histogram(struct walk *walk, struct ft_model_histogram *histogram)
{
    visit(walk, &histogram->touches);
    visit(walk, &histogram->cold);
    for (size_t i = 0; i < histogram->member_count; i++) {
        struct ft_model_member *member = &histogram->members[i];
        for (size_t k = 0; k < member->bin_count; k++) {
            visit(walk, &member->bins[k].tail);
            if (!member->over_data || !walk->change)
                visit(walk, &member->bins[k].distance_blocks);
        }
    }
}

static void visit_counts(struct walk *walk, struct ft_model_scope_counts *counts)
{
    visit(walk, &counts->instructions);
    for (int class = 0; class < FT_MIX_COUNT; class ++)
        visit(walk, &counts->mix[class]);
    visit(walk, &counts->flops);
    visit(walk, &counts->entries);
    visit(walk, &counts->iterations);
}

static size_t visit_all(struct walk walk, struct ft_model *model)
{
    for (size_t i = 0; i < model->size_count; i++)
        visit(&walk, &model->distinct_blocks[i]);
    for (size_t i = 0; i < model->group_count; i++) {
        visit(&walk, &model->groups[i].accesses);
        for (size_t j = 0; j < model->size_count; j++)
            visit_histogram(&walk, &model->groups[i].histograms[j]);
    }
    for (size_t i = 0; i < model->counts_count; i++)
        visit_counts(&walk, &model->counts[i]);
    return walk.at;
}

void ft_model_change_functions(struct ft_model *model, ft_model_function_fn *change, void *context)
{
    visit_all((struct walk){.change = change, .context = context}, model);
}

size_t ft_model_count_functions(const struct ft_model *model)
{
    struct ft_model walked = *model; /* what is only counted or got does not change */
    return visit_all((struct walk){0}, &walked);
}

void ft_model_get_functions(const struct ft_model *model, struct ft_function *ret_functions)
{
    struct ft_model walked = *model;
    visit_all((struct walk){.functions = ret_functions, .store = true}, &walked);
}

void ft_model_set_functions(struct ft_model *model, const struct ft_function *functions)
{
    struct ft_function *from = (struct ft_function *)functions; /* only read */
    visit_all((struct walk){.functions = from}, model);
}
