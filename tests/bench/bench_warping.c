/*
 * What warping gains: bench_warping MODEL SIZE [MACHINE [PLAIN-ACCESSES]]. Simulates a machine's
 * levels (amd-zen5) on the accesses that a model's skeleton makes at a size, by warping, and, where
 * there are no more than so many of them (3e9), also plainly; in one thread if OMP_NUM_THREADS=1.
 * Prints accesses, and CPU seconds of both. Fails where they do not give the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fit/skeletons/synthetic_misses.h"
#include "formats/model/model.h"

static void require(int status, const struct ft_diag *diag)
{
    if (status == FT_OK)
        return;
    fprintf(stderr, "bench_warping: %s\n", diag->message);
    exit(2);
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct opened {
    const struct ft_synthesis *synthesis;
    struct ft_run_source *source;
};

static int open_source(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct opened *opened = context;
    if (opened->source)
        opened->source->destroy(opened->source);
    opened->source = NULL;
    FT_TRY(ft_synthesis_source(opened->synthesis, &opened->source, diag));
    *ret_source = opened->source;
    return FT_OK;
}

static bool are_equal(const struct ft_simulation *a, const struct ft_simulation *b)
{
    const size_t references = a->reference_count * sizeof(uint64_t);
    return memcmp(a->accesses, b->accesses, references) == 0 &&
           memcmp(a->set_associative_misses, b->set_associative_misses,
                  a->level_count * references) == 0 &&
           memcmp(a->fully_associative_misses, b->fully_associative_misses,
                  a->level_count * references) == 0;
}

static double sum_accesses(const struct ft_simulation *simulation)
{
    double accesses = 0;
    for (uint32_t r = 0; r < simulation->reference_count; r++)
        accesses += (double)simulation->accesses[r];
    return accesses;
}

int main(int argc, char **argv)
{
    struct ft_model model;
    struct ft_machine machine;
    struct ft_synthesis synthesis;
    struct ft_simulation warped, plain;
    struct ft_diag diag = {0};
    if (argc < 3) {
        fprintf(stderr, "bench_warping MODEL SIZE [MACHINE [PLAIN-ACCESSES]]\n");
        return 2;
    }
    const double plain_accesses = argc > 4 ? strtod(argv[4], NULL) : 3e9;
    require(ft_model_read(argv[1], NULL, &model, &diag), &diag);
    require(ft_machine_load(argc > 3 ? argv[3] : "amd-zen5", &machine, &diag), &diag);
    require(ft_synthesis_init(model.skeleton, strtod(argv[2], NULL), &synthesis, &diag), &diag);
    double start = cpu_seconds();
    require(ft_synthesis_simulate(&synthesis, &machine, NULL, &warped, &diag), &diag);
    printf("%.0f accesses, %.2f s by warping", sum_accesses(&warped), cpu_seconds() - start);
    bool same = true;
    if (sum_accesses(&warped) <= plain_accesses) {
        struct opened opened = {.synthesis = &synthesis};
        start = cpu_seconds();
        require(ft_simulate(&machine, 1, open_source, &opened, NULL, &plain, &diag), &diag);
        printf(", %.2f s plainly", cpu_seconds() - start);
        same = are_equal(&warped, &plain);
        opened.source->destroy(opened.source);
        ft_simulation_fini(&plain);
    }
    printf("%s\n", same ? "" : ", which differ");
    ft_simulation_fini(&warped);
    ft_synthesis_fini(&synthesis);
    ft_machine_fini(&machine);
    ft_model_fini(&model);
    return same ? 0 : 1;
}
