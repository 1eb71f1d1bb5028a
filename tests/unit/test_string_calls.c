/*
 * Rows of N doubles that memset clears by vectors of 32 bytes: N calls of 8 N bytes. Beyond 2 KiB
 * each 32 bytes may be an access, whatever the vectors are, and up to 8 vectors of a call none.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/x86/unit.h"
#include "predict/intervals/string_calls.h"
#include "tests/support/tap.h"

enum { PROGRAM, ROUTINE, LOOP, SCOPES };

struct clearing {
    double training[5];
    struct ft_scope scopes[SCOPES];
    struct ft_scoped_reference references[2];
    struct ft_model_group groups[3];
    struct ft_model_scope_counts counts;
    struct ft_model model;
};

/* Sizes up to the largest, and the routine's name. */
static void make(struct clearing *clearing, double largest, const char *name)
{
    *clearing = (struct clearing){
        .scopes = {[PROGRAM] = {.name = (char *)"program"},
                   [ROUTINE] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)name},
                   [LOOP] = {.kind = FT_SCOPE_LOOP, .parent = ROUTINE, .name = (char *)"loop"}},
        .references = {{.scope = LOOP, .line = 20, .size_bytes = 32, .kind = FT_STORE},
                       {.scope = ROUTINE, .line = 30, .size_bytes = 8, .kind = FT_LOAD}},
        .groups = {{.scope = LOOP, .line = 20}, {.scope = ROUTINE, .line = 30}, {.scope = PROGRAM}},
        .counts = {.scope = ROUTINE},
        .model = {.training = clearing->training,
                  .training_count = 5,
                  .groups = clearing->groups,
                  .group_count = 3,
                  .counts = &clearing->counts,
                  .counts_count = 1,
                  .scopes = {.scopes = clearing->scopes,
                             .scope_count = SCOPES,
                             .references = clearing->references,
                             .reference_count = 2}},
    };
    for (int i = 0; i < 5; i++)
        clearing->training[i] = largest * (i + 1) / 5;
    clearing->model.basis = ft_basis_default("N");
    const size_t linear = ft_basis_power(&clearing->model.basis, 1);
    const size_t square = ft_basis_power(&clearing->model.basis, 2);
    clearing->groups[0].accesses.coefficients[square] = 0.25;
    clearing->groups[1].accesses.coefficients[linear] = 1;
    clearing->groups[2].accesses.coefficients[square] = 10;
    clearing->counts.entries.coefficients[linear] = 1;
}

/* Accesses of a group at n, where long calls use string instructions; -1 where none do. */
static double accesses(const struct clearing *clearing, double n, size_t group)
{
    struct ft_perturbed_model altered;
    struct ft_diag diag;
    bool differs;
    const struct ft_point at = ft_point_at(&clearing->model.basis, &n);
    if (ft_string_calls(&clearing->model, &at, &altered, &differs, &diag) != FT_OK)
        abort();
    if (!differs)
        return -1;
    const double count = ft_function_at(&altered.model.groups[group].accesses, &at);
    ft_perturbed_fini(&altered);
    return count;
}

static void tap_is_near(double got, double expected, const char *what)
{
    tap_ok(fabs(got - expected) < 1e-9 * expected, "%s: %g", what, got);
}

static uint32_t long_routine(const struct clearing *clearing, double n)
{
    uint32_t routine;
    struct ft_diag diag;
    const struct ft_point at = ft_point_at(&clearing->model.basis, &n);
    if (ft_string_calls_long(&clearing->model, &at, &routine, &diag) != FT_OK)
        abort();
    return routine;
}

/* A loop that loads and stores vectors is one group, of which a load comes first. */
static void test_copies(void)
{
    static struct clearing copying;
    make(&copying, 100, "__memmove_avx512_unaligned_erms");
    copying.references[0] =
        (struct ft_scoped_reference){.scope = LOOP, .line = 20, .size_bytes = 64, .kind = FT_LOAD};
    copying.references[1] =
        (struct ft_scoped_reference){.scope = LOOP, .line = 24, .size_bytes = 64, .kind = FT_STORE};
    const double vectors = 300 * 300 / 4.0, overlapping = 8 * 300;
    tap_is_near(accesses(&copying, 300, 0), 2 * (vectors - overlapping), "copies have stores, too");
    tap_ok(accesses(&copying, 120, 0) < 0, "half of the vectors, 960 bytes at 120");
}

int main(void)
{
    static struct clearing clearing;
    make(&clearing, 100, "__memset_avx2_unaligned_erms");
    const double vectors = 300 * 300 / 4.0, overlapping = 8 * 300;
    tap_is_near(accesses(&clearing, 300, 0), vectors - overlapping,
                "as many as vectors of 32 bytes");
    clearing.references[0].size_bytes = 64;
    tap_is_near(accesses(&clearing, 300, 0), 2 * (vectors - overlapping), "two per 64 bytes");
    clearing.references[0].size_bytes = 32;
    tap_ok(accesses(&clearing, 300, 1) == 300, "but for the return address");
    tap_ok(accesses(&clearing, 300, 2) == 10.0 * 300 * 300, "nor in other routines");
    tap_ok(accesses(&clearing, 120, 0) < 0, "not in calls of 960 bytes");
    tap_ok(long_routine(&clearing, 300) == ROUTINE &&
               long_routine(&clearing, 120) == FT_NO_STRING_CALLS,
           "which routine it is");
    clearing.references[0].kind = FT_LOAD;
    tap_ok(accesses(&clearing, 300, 0) < 0, "lengths are what is stored");
    test_copies();
    make(&clearing, 300, "__memset_avx2_unaligned_erms");
    tap_ok(accesses(&clearing, 900, 0) < 0, "not where the training sizes show it");
    make(&clearing, 100, "__memset_avx2_unaligned");
    tap_ok(accesses(&clearing, 300, 0) < 0, "nor by vectors alone");
    return tap_plan_done();
}
