/*
 * Code that training sizes run now and then: by how much accesses of its scopes may differ.
 */
#include <math.h>
#include <string.h>

#include "predict/intervals/sporadic_code.h"
#include "tests/support/tap.h"

enum { PROGRAM, ROUTINE, OTHER, SCOPES };
enum { REGULAR, LEFT_OVER, GROUPS };
enum { SIZES = 5 };

struct program {
    double training[SIZES];
    uint64_t accesses[GROUPS][SIZES];
    struct ft_scope scopes[SCOPES];
    struct ft_model_group groups[GROUPS];
    struct ft_model model;
};

static struct ft_sporadic_shares shares[SCOPES];

static void find(struct program *program, const uint64_t left_over[SIZES])
{
    *program = (struct program){
        .training = {16, 32, 64, 128, 256},
        .accesses = {{1000, 1000, 1000, 1000, 1000}},
        .scopes = {[PROGRAM] = {.name = (char *)"program"},
                   [ROUTINE] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"routine"},
                   [OTHER] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"other"}},
        .groups = {[REGULAR] = {.scope = OTHER}, [LEFT_OVER] = {.scope = ROUTINE}},
        .model = {.training = program->training,
                  .training_count = SIZES,
                  .training_accesses = program->accesses[0],
                  .groups = program->groups,
                  .group_count = GROUPS,
                  .scopes = {.scopes = program->scopes, .scope_count = SCOPES}},
    };
    memcpy(program->accesses[LEFT_OVER], left_over, sizeof program->accesses[LEFT_OVER]);
    program->model.basis = ft_basis_default("N");
    if (ft_sporadic_shares_find(&program->model, shares, NULL) != FT_OK)
        tap_ok(false, "shares are found");
}

int main(void)
{
    struct program program;
    find(&program, (uint64_t[]){0, 50, 0, 100, 0});
    tap_ok(shares[PROGRAM].missing == 0.1 && shares[PROGRAM].present == 0,
           "what the largest size does not run may come again");
    tap_ok(shares[OTHER].missing == 0 && shares[OTHER].present == 0, "elsewhere nothing does");
    find(&program, (uint64_t[]){250, 0, 1000, 0, 250});
    tap_ok(shares[PROGRAM].present == 0.5 && shares[PROGRAM].missing == 0,
           "what it does run may be absent");
    find(&program, (uint64_t[]){50, 50, 50, 0, 0});
    tap_ok(shares[PROGRAM].missing == 0, "what small sizes alone run is gone");
    find(&program, (uint64_t[]){0, 0, 50, 50, 50});
    tap_ok(shares[PROGRAM].present == 0, "what large sizes run stays");
    program.groups[LEFT_OVER].accesses.exact = true;
    memcpy(program.accesses[LEFT_OVER], (uint64_t[]){8, 0, 8, 0, 8}, sizeof(uint64_t[SIZES]));
    ft_sporadic_shares_find(&program.model, shares, NULL);
    tap_ok(shares[PROGRAM].present == 0, "an exact function knows when");
    return tap_plan_done();
}
