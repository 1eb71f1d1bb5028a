/*
 * Results of foretrace from C (docs/library.md):
 *
 *     results trace FILE                               bytes loaded and stored by routine
 *     results histograms FILE BLOCK_BYTES CACHE_BYTES  misses by scope, a trace after the other
 *     results model FILE MACHINE NAME=VALUE            forecast of misses and time by loop
 *
 *     cc results.c $(pkg-config --cflags --libs foretrace) -o results
 */
#include <inttypes.h>
#include <libforetrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct foretrace_error error;

static void check(int status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "results: %s\n", error.message);
    exit(1);
}

/* ---- a trace ---- */

struct routine {
    const char *name;
    uint64_t loaded_bytes, stored_bytes;
};

static int by_bytes(const void *a, const void *b)
{
    const struct routine *left = a, *right = b;
    const uint64_t x = left->loaded_bytes + left->stored_bytes;
    const uint64_t y = right->loaded_bytes + right->stored_bytes;
    return x != y ? (x < y) - (x > y) : strcmp(left->name, right->name);
}

static struct routine *find_routine(struct routine *routines, size_t *count, const char *name)
{
    size_t i = 0;
    while (i < *count && strcmp(routines[i].name, name) != 0)
        i++;
    if (i == *count)
        routines[(*count)++] = (struct routine){.name = name};
    return &routines[i];
}

static void add_thread(struct foretrace_runs *runs, struct routine *const *of_reference)
{
    struct foretrace_run run;
    int more;
    while ((more = foretrace_runs_next(runs, &run, &error)) > 0)
        for (size_t j = 0; j < run.reference_count; j++) {
            struct foretrace_reference reference =
                foretrace_runs_reference(runs, run.references[j]);
            struct routine *routine = of_reference[run.references[j]];
            uint64_t *bytes =
                reference.kind == FORETRACE_LOAD ? &routine->loaded_bytes : &routine->stored_bytes;
            *bytes += run.iteration_count * reference.size_bytes;
        }
    check(more);
}

static void show_trace(const char *path)
{
    struct foretrace_trace *trace;
    struct foretrace_runs *runs;
    check(foretrace_trace_open(path, 0, &trace, &error));
    check(foretrace_runs_open(trace, 0, &runs, &error));
    const size_t references = foretrace_runs_reference_count(runs);
    struct routine *routines = calloc(references + 1, sizeof *routines);
    struct routine **of_reference = calloc(references + 1, sizeof *of_reference);
    size_t count = 0;
    if (!routines || !of_reference)
        abort();
    for (uint32_t r = 0; r < references; r++)
        of_reference[r] = find_routine(routines, &count, foretrace_runs_reference(runs, r).routine);
    foretrace_runs_close(runs);
    for (uint32_t thread = 0; thread < foretrace_trace_threads(trace); thread++) {
        check(foretrace_runs_open(trace, thread, &runs, &error));
        add_thread(runs, of_reference);
        foretrace_runs_close(runs);
    }
    qsort(routines, count, sizeof *routines, by_bytes);
    printf("loaded_bytes,stored_bytes,routine\n");
    for (size_t i = 0; i < count; i++)
        printf("%" PRIu64 ",%" PRIu64 ",%s\n", routines[i].loaded_bytes, routines[i].stored_bytes,
               routines[i].name);
    free(routines);
    free(of_reference);
    foretrace_trace_close(trace);
}

/* ---- histograms ---- */

static void show_histograms(const char *path, uint64_t block_bytes, uint64_t cache_bytes)
{
    struct foretrace_histograms *histograms;
    struct foretrace_histogram histogram;
    check(foretrace_histograms_open(path, &histograms, &error));
    printf("entry,touches,misses,scope\n");
    for (size_t entry = 0; entry < foretrace_histograms_entry_count(histograms); entry++)
        for (size_t s = 0; s < foretrace_histograms_scope_count(histograms, entry); s++) {
            check(foretrace_histograms_read(histograms, entry, block_bytes, s, &histogram, &error));
            printf("%zu,%" PRIu64 ",%.0f,%s\n", entry, histogram.touches,
                   foretrace_histogram_misses(&histogram, cache_bytes / block_bytes),
                   foretrace_histograms_scope(histograms, entry, s).name);
        }
    foretrace_histograms_close(histograms);
}

/* ---- a model ---- */

static void print_value(struct foretrace_value value)
{
    printf(",%.17g,%.17g,%.17g", value.value, value.low, value.high);
}

static void show_model(const char *path, const char *machine_name, const char *at)
{
    struct foretrace_model *model;
    struct foretrace_machine *machine;
    struct foretrace_forecast *forecast;
    check(foretrace_model_open(path, NULL, &model, &error));
    check(foretrace_machine_open(machine_name, &machine, &error));
    check(foretrace_forecast_make(model, machine, at, &forecast, &error));
    const size_t levels = foretrace_machine_level_count(machine);
    printf("scope,accesses,low,high,seconds,low,high");
    for (size_t level = 0; level < levels; level++)
        printf(",%s,low,high", foretrace_machine_level(machine, level));
    putchar('\n');
    for (size_t s = 0; s < foretrace_forecast_scope_count(forecast); s++) {
        const struct foretrace_scope scope = foretrace_forecast_scope(forecast, s);
        if (scope.kind != FORETRACE_PROGRAM && scope.kind != FORETRACE_LOOP)
            continue;
        printf("%s", scope.name);
        print_value(foretrace_forecast_accesses(forecast, s));
        print_value(foretrace_forecast_seconds(forecast, s));
        for (size_t level = 0; level < levels; level++)
            print_value(foretrace_forecast_misses(forecast, s, level));
        putchar('\n');
    }
    foretrace_forecast_close(forecast);
    foretrace_machine_close(machine);
    foretrace_model_close(model);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "trace") == 0)
        show_trace(argv[2]);
    else if (argc == 5 && strcmp(argv[1], "histograms") == 0)
        show_histograms(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    else if (argc == 5 && strcmp(argv[1], "model") == 0)
        show_model(argv[2], argv[3], argv[4]);
    else {
        fputs("usage: results trace FILE | histograms FILE BLOCK_BYTES CACHE_BYTES |\n"
              "               model FILE MACHINE NAME=VALUE\n",
              stderr);
        return 2;
    }
    return 0;
}
