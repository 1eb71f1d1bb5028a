/* Drawn loops through a file: every member of what comes back is what went in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/skeleton/drawn_tables.h"
#include "tests/support/tap.h"

#define LOOPS 2 /* the first of which is not drawn */

static uint32_t tokens[] = {0}; /* an access of reference 0 */

static struct ft_drawn_number number = {.kind = FT_DRAWN_START,
                                        .grain = 8,
                                        .slope_per = 3,
                                        .parts = {1, 2, 3, 4, 5},
                                        .changes = {{1, 2, 3, 4}, {5}, {6}, {7}, {8, 9}}};
static struct ft_drawn_path path = {.tokens = tokens,
                                    .token_count = 1,
                                    .share = 0.25,
                                    .has_law = true,
                                    .law = {{1, 2, 3, 4}, {5, 6, 7, 8}},
                                    .numbers = &number,
                                    .number_count = 1};
static const struct ft_drawn_loop loops[LOOPS] = {{0},
                                                  {.paths = &path,
                                                   .path_count = 1,
                                                   .is_exact = true,
                                                   .iterations = {9, 10, 11, 12},
                                                   .scale = 13,
                                                   .exponent = 14,
                                                   .iterations_min = 15,
                                                   .varies = true}};
static const struct ft_nest_ids ids = {.references = 1, .irregulars = LOOPS};

static hid_t open_file(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, 0);
    hid_t file = H5Fcreate("drawn.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static bool is_same(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static bool is_same_number(const struct ft_drawn_number *a, const struct ft_drawn_number *b)
{
    return a->kind == b->kind && a->leader == b->leader && a->grain == b->grain &&
           a->slope_per == b->slope_per && memcmp(a->parts, b->parts, sizeof a->parts) == 0 &&
           is_same(*a->changes, *b->changes, sizeof a->changes / sizeof(double));
}

static bool is_same_path(const struct ft_drawn_path *a, const struct ft_drawn_path *b)
{
    return a->token_count == b->token_count && a->tokens[0] == b->tokens[0] &&
           a->share == b->share && a->has_law == b->has_law &&
           is_same(*a->law, *b->law, sizeof a->law / sizeof(double)) &&
           a->number_count == b->number_count && is_same_number(&a->numbers[0], &b->numbers[0]);
}

static bool is_same_loop(const struct ft_drawn_loop *a, const struct ft_drawn_loop *b)
{
    return a->path_count == b->path_count && a->is_exact == b->is_exact && a->varies == b->varies &&
           is_same(a->iterations, b->iterations, sizeof a->iterations / sizeof(double)) &&
           a->scale == b->scale && a->exponent == b->exponent &&
           a->iterations_min == b->iterations_min &&
           (a->path_count == 0 || is_same_path(&a->paths[0], &b->paths[0]));
}

/* Writes the loops, with what is wrong in them; reads them back. */
static int pass(struct ft_drawn_loop **ret_loops, size_t *ret_count, struct ft_diag *diag)
{
    hid_t file = open_file();
    int status = ft_drawn_tables_write(file, loops, LOOPS, diag);
    if (!status)
        status = ft_drawn_tables_read(file, &ids, ret_loops, ret_count, diag);
    H5Fclose(file);
    return status;
}

static void check_same(void)
{
    struct ft_drawn_loop *read = NULL;
    struct ft_diag diag = {0};
    size_t count = 0;
    tap_ok(pass(&read, &count, &diag) == FT_OK && count == LOOPS &&
               is_same_loop(&read[0], &loops[0]) && is_same_loop(&read[1], &loops[1]),
           "what was written %s", diag.message);
    ft_drawn_loops_free(read, count);
}

static void check_refused(const char *what)
{
    struct ft_drawn_loop *read = NULL;
    struct ft_diag diag = {0};
    size_t count = 0;
    tap_ok(pass(&read, &count, &diag) == FT_ERROR_DATA, "%s: %s", what, diag.message);
    ft_drawn_loops_free(read, count);
}

int main(void)
{
    check_same();
    path.law[1][3] = NAN;
    check_refused("a law that is no number");
    path.law[1][3] = 8;
    path.share = 1.5;
    check_refused("a share above all");
    path.share = 0.25;
    number.leader = 1;
    check_refused("a number that follows a later one");
    number.leader = 0;
    tokens[0] = 1;
    check_refused("a reference to no path");
    return tap_plan_done();
}
