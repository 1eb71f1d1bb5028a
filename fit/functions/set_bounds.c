/*
 * The sets stand in a tree: a node is its parent's terms and one more. Where a node has children,
 * its column is taken out of the values and of the columns further down (modified Gram-Schmidt,
 * which needs no lengths here); of a leaf only two products are needed:
 *
 *   squares' = squares - (column . values)^2 / (column . column)
 *
 * What rounding does to that is small beside the squares of the parent; it is left off. The
 * row that is left out is a column too, which is 1 there: its part that no term explains is what
 * Sherman & Morrison's formula has as 1 - h (plain_fit.c).
 */
#include "fit/functions/set_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPENDENT 1e-20 /* squares of a column that was of length 1: too few for a bound */
#define SPARE_MIN 1e-5  /* 1 - h */
#define CANCELLED 1e-12 /* of the parent's squares */
#define LEFT_OUT  1e-9  /* the same for those without a row */
#define LOST      1e-13 /* of the values' squares: columns that depend on each other nearly */

#define NONE UINT32_MAX

struct node {
    uint8_t term;
    uint32_t set;         /* NONE: only a part of sets */
    uint32_t below;       /* terms of the nodes below, as a mask */
    uint32_t child, next; /* NONE: no further one */
};

/* What the terms of a node leave of all others and of the values. */
struct level {
    const double (*columns)[FT_TRAINING_MAX];
    const double *values;
    double square_sum, spare; /* of the values; 1 - h of the last row */
};
struct level_space {
    double columns[FT_BASIS_MAX][FT_TRAINING_MAX];
    double values[FT_TRAINING_MAX];
};

struct ft_set_tree {
    struct node *nodes; /* the first is the empty set */
    size_t count;
    struct level_space *spaces; /* by terms taken out, from one on */
};

/* The child of a node with a term, made if it is not there. */
static uint32_t find_child(struct ft_set_tree *tree, uint32_t parent, uint8_t term)
{
    uint32_t *link = &tree->nodes[parent].child;
    while (*link != NONE && tree->nodes[*link].term != term)
        link = &tree->nodes[*link].next;
    if (*link == NONE) {
        uint32_t child = *link = (uint32_t)tree->count++;
        tree->nodes[child] = (struct node){.term = term, .set = NONE, .child = NONE, .next = NONE};
    }
    return *link;
}

/* Terms with alignments come last: few sets have them. */
static void add_set(struct ft_set_tree *tree, const struct ft_axis *axis, uint32_t index)
{
    const struct ft_term_set *set = &axis->sets[index];
    uint32_t left = set->mask, node = 0;
    while (left != 0) {
        uint32_t plain = left & ~axis->aligned;
        uint8_t term = (uint8_t)__builtin_ctz(plain ? plain : left);
        left &= ~(1U << term);
        tree->nodes[node].below |= left | 1U << term;
        node = find_child(tree, node, term);
    }
    tree->nodes[node].set = index;
}

int ft_set_tree_create(const struct ft_axis *axis, struct ft_set_tree **ret_tree,
                       struct ft_diag *diag)
{
    size_t nodes = 1, term_max = 1;
    for (size_t s = 0; s < axis->set_count; s++) {
        nodes += axis->sets[s].count;
        term_max = axis->sets[s].count > term_max ? axis->sets[s].count : term_max;
    }
    struct ft_set_tree *tree = calloc(1, sizeof *tree);
    if (tree) {
        tree->nodes = malloc(nodes * sizeof *tree->nodes);
        tree->spaces = calloc(term_max, sizeof *tree->spaces);
    }
    if (!tree || !tree->nodes || !tree->spaces) {
        ft_set_tree_destroy(tree);
        return ft_fail_memory(diag, "the sets of terms");
    }
    tree->nodes[tree->count++] = (struct node){.set = NONE, .child = NONE, .next = NONE};
    for (uint32_t s = 0; s < axis->set_count; s++)
        add_set(tree, axis, s);
    *ret_tree = tree;
    return FT_OK;
}

void ft_set_tree_destroy(struct ft_set_tree *tree)
{
    if (!tree)
        return;
    free(tree->nodes);
    free(tree->spaces);
    free(tree);
}

/* One walk. */
struct walk {
    struct ft_set_tree *tree;
    uint32_t allowed, known;
    size_t rows, padded, term_max;
    double lost;
    struct ft_set_bound *bounds;
};

static inline double not_negative(double value)
{
    return value > 0 ? value : 0;
}

static void bound_set(const struct walk *walk, const struct level *level, const double *column,
                      double squares, double part, struct ft_set_bound *bound)
{
    const size_t last = walk->rows - 1;
    const double share = column[last] / squares;
    double sum = level->square_sum - part * part / squares;
    double spare = level->spare - column[last] * share;
    double residual = level->values[last] - part * share;
    bound->square_sum = not_negative(sum - CANCELLED * level->square_sum - walk->lost);
    bound->held_out = 0;
    if (spare > SPARE_MIN)
        bound->held_out = not_negative(sum - residual * residual / spare -
                                       LEFT_OUT * level->square_sum - walk->lost);
}

static void subtract_multiple(double *restrict to, const double *restrict from, double factor,
                              const double *restrict what, size_t padded)
{
    for (size_t i = 0; i < padded; i++)
        to[i] = from[i] - factor * what[i];
}

/* Takes a column out of the values, and of the columns of the nodes below. */
static struct level take_out(const struct walk *walk, const struct level *level,
                             const double *column, double squares, double part, uint32_t below,
                             struct level_space *space)
{
    const double scale = 1 / squares, end = column[walk->rows - 1];
    subtract_multiple(space->values, level->values, part * scale, column, walk->padded);
    for (uint32_t left = below; left != 0; left &= left - 1) {
        size_t term = (size_t)__builtin_ctz(left);
        double shared = ft_row_product(column, level->columns[term], walk->padded);
        subtract_multiple(space->columns[term], level->columns[term], shared * scale, column,
                          walk->padded);
    }
    return (struct level){.columns = (const double(*)[FT_TRAINING_MAX])space->columns,
                          .values = space->values,
                          .square_sum = ft_row_product(space->values, space->values, walk->padded),
                          .spare = level->spare - end * end * scale};
}

/* depth: terms above. */
static void walk_children(const struct walk *walk, const struct node *parent, uint32_t above,
                          const struct level *level, size_t depth)
{
    for (uint32_t place = parent->child; place != NONE; place = walk->tree->nodes[place].next) {
        const struct node *node = &walk->tree->nodes[place];
        const uint32_t mask = above | 1U << node->term;
        const uint32_t below = depth + 1 < walk->term_max ? node->below & walk->allowed : 0;
        const double *column = level->columns[node->term];
        if ((mask & ~walk->allowed) != 0 || ((mask | below) & ~walk->known) == 0)
            continue;
        double squares = ft_row_product(column, column, walk->padded);
        if (!(squares > DEPENDENT) || !isfinite(squares))
            continue;
        double part = ft_row_product(column, level->values, walk->padded);
        if (node->set != NONE && (mask & ~walk->known) != 0)
            bound_set(walk, level, column, squares, part, &walk->bounds[node->set]);
        if (below != 0) {
            struct level next =
                take_out(walk, level, column, squares, part, below, &walk->tree->spaces[depth]);
            walk_children(walk, node, mask, &next, depth + 1);
        }
    }
}

void ft_set_tree_bound(struct ft_set_tree *tree, const struct ft_weighted_values *weighted,
                       uint32_t allowed, uint32_t known, size_t term_max,
                       struct ft_set_bound *bounds)
{
    const size_t padded = ft_padded_rows(weighted->rows);
    const struct level level = {.columns = weighted->columns,
                                .values = weighted->values,
                                .square_sum =
                                    ft_row_product(weighted->values, weighted->values, padded),
                                .spare = 1};
    const struct walk walk = {.tree = tree,
                              .allowed = allowed,
                              .known = known,
                              .rows = weighted->rows,
                              .padded = padded,
                              .term_max = term_max,
                              .lost = LOST * level.square_sum,
                              .bounds = bounds};
    if (term_max > 0)
        walk_children(&walk, &tree->nodes[0], 0, &level, 0);
}
