#include "fit/skeletons/cut_columns.h"

#include <stdlib.h>
#include <string.h>

/* Of an iteration that is looked at. */
#define ELEMENTS_MAX 1024U

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the iterations of a loop");
}

void ft_cut_shapes_fini(struct ft_cut_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++)
        free(shapes->shapes[i].elements);
    ft_cut_elements_fini(&shapes->elements);
    *shapes = (struct ft_cut_shapes){0};
}

/* ---- shapes ---- */

static bool has_elements(const struct ft_cut_shape *shape, const struct ft_cut_elements *elements)
{
    if (shape->count != elements->count)
        return false;
    for (size_t i = 0; i < shape->count; i++)
        if (!ft_cut_is_same(&shape->elements[i], &elements->elements[i]))
            return false;
    return true;
}

static int find_shape(struct ft_cut_shapes *shapes, const struct ft_nest *iteration,
                      size_t *ret_shape, struct ft_diag *diag)
{
    const struct ft_cut_elements *elements = &shapes->elements;
    if (!ft_cut_elements_find(&shapes->elements, iteration))
        return no_memory(diag);
    size_t i = 0;
    while (i < shapes->count && !has_elements(&shapes->shapes[i], elements))
        i++;
    *ret_shape = i;
    if (i < shapes->count)
        return FT_OK;
    shapes->are_many = i == FT_CUT_SHAPES_MAX || elements->count > ELEMENTS_MAX;
    if (shapes->are_many)
        return FT_OK;
    struct ft_cut_shape *shape = &shapes->shapes[i];
    *shape =
        (struct ft_cut_shape){.elements = malloc((elements->count + 1) * sizeof *shape->elements),
                              .count = elements->count};
    if (!shape->elements)
        return no_memory(diag);
    memcpy(shape->elements, elements->elements, elements->count * sizeof *shape->elements);
    shapes->count++;
    return FT_OK;
}

int ft_cut_shapes_watch(void *context, const struct ft_nest *iteration, struct ft_diag *diag)
{
    struct ft_cut_shapes *shapes = context;
    if (shapes->are_many)
        return FT_OK;
    if (!iteration) {
        shapes->iteration = 0;
        return FT_OK;
    }
    size_t shape = 0;
    FT_TRY(find_shape(shapes, iteration, &shape, diag));
    if (shapes->are_many)
        return FT_OK;
    shapes->shapes[shape].iterations++;
    size_t *last = &shapes->last[shapes->iteration % FT_CUT_ENDS];
    if (shapes->iteration >= 2 * FT_CUT_ENDS) /* it is not of the last ones, either */
        shapes->shapes[*last].inner++;
    *last = shape;
    shapes->iteration++;
    return FT_OK;
}

/* ---- anchors ---- */

/* The longest sequence that two have in common becomes the first. */
static int keep_common(struct ft_cut_element *common, size_t *count,
                       const struct ft_cut_shape *shape, struct ft_diag *diag)
{
    const size_t rows = *count + 1, columns = shape->count + 1;
    uint32_t *lengths = calloc(rows * columns, sizeof *lengths); /* of what is behind */
    if (!lengths)
        return no_memory(diag);
    for (size_t i = *count; i-- > 0;)
        for (size_t j = shape->count; j-- > 0;) {
            const uint32_t without_a = lengths[(i + 1) * columns + j];
            const uint32_t without_b = lengths[i * columns + j + 1];
            lengths[i * columns + j] = ft_cut_is_same(&common[i], &shape->elements[j])
                                           ? lengths[(i + 1) * columns + j + 1] + 1
                                       : without_a > without_b ? without_a
                                                               : without_b;
        }
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < rows - 1 && j < shape->count;) {
        if (ft_cut_is_same(&common[i], &shape->elements[j])) {
            common[kept++] = common[i++];
            j++;
        } else if (lengths[(i + 1) * columns + j] >= lengths[i * columns + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    *count = kept;
    free(lengths);
    return FT_OK;
}

int ft_cut_shapes_anchors(struct ft_cut_shapes *shapes, struct ft_iteration_cut *ret_cut,
                          struct ft_diag *diag)
{
    struct ft_iteration_cut cut = {0};
    const struct ft_cut_shape *most = NULL;
    for (size_t i = 0; i < shapes->count; i++)
        if (shapes->shapes[i].inner && (!most || shapes->shapes[i].inner > most->inner))
            most = &shapes->shapes[i];
    const size_t longest = most ? most->count : 0;
    cut.anchors = calloc(longest + 1, sizeof *cut.anchors);
    cut.uses = calloc(2 * longest + 1, sizeof *cut.uses);
    int status = cut.anchors && cut.uses ? FT_OK : no_memory(diag);
    if (!status && most) {
        memcpy(cut.anchors, most->elements, longest * sizeof *cut.anchors);
        cut.anchor_count = longest;
    }
    for (size_t i = 0; !status && i < shapes->count; i++)
        if (shapes->shapes[i].inner && &shapes->shapes[i] != most)
            status = keep_common(cut.anchors, &cut.anchor_count, &shapes->shapes[i], diag);
    if (status) {
        ft_iteration_cut_fini(&cut);
        return status;
    }
    *ret_cut = cut;
    return FT_OK;
}

int ft_cut_shapes_columns(struct ft_cut_shapes *shapes, const struct ft_iteration_cut *cut,
                          struct ft_cut_column **ret_columns, struct ft_diag *diag)
{
    struct ft_cut_column *columns = calloc(ft_cut_columns(cut), sizeof *columns);
    if (!columns)
        return no_memory(diag);
    for (size_t i = 0; i < shapes->count; i++) {
        const struct ft_cut_shape *shape = &shapes->shapes[i];
        struct ft_cut_elements elements = {.elements = shape->elements, .count = shape->count};
        const bool done = ft_cut_elements_place(&elements, cut);
        for (size_t k = 0; done && k < shape->count; k++) {
            struct ft_cut_column *column = &columns[elements.columns[k]];
            column->is_there = true;
            column->has_loops =
                column->has_loops || ft_nest_kind(shape->elements[k].token) == FT_NEST_LOOP;
        }
        free(elements.columns);
        if (!done) {
            free(columns);
            return no_memory(diag);
        }
    }
    *ret_columns = columns;
    return FT_OK;
}
