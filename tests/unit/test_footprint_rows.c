/*
 * A program whose heap is not known and whose laws contradict each other: a loop misses more lines
 * than the program has room for in the pages that it touches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/footprint_rows.h"
#include "tests/support/bare_model.h"
#include "tests/support/tap.h"

enum { PROGRAM, MODULE, KNOWN, OTHER, SCOPES, LEVELS = 2, SMALL = 0, LARGE = 1 };
/* Lines and pages by their laws at the size: 200 pages have room for 12,800 lines. */
enum { LINES = 200000, PAGES = 200, KNOWN_LINES = 2800 };

struct forecast {
    struct ft_metrics metrics;
    double exclusive[SCOPES * 32], inclusive[SCOPES * 32];
    struct ft_interval intervals[SCOPES * 32];
    enum ft_misses_by misses_by[32];
};

/* Misses of both loops in all columns of levels; the first is known, the other is not. */
static void set_misses(struct forecast *forecast, double known, double other)
{
    const size_t width = ft_metrics_width(forecast->metrics.machine);
    memset(forecast->exclusive, 0, sizeof forecast->exclusive);
    memset(forecast->misses_by, 0, sizeof forecast->misses_by);
    for (size_t column = FT_METRIC_COUNT; column < width; column++) {
        forecast->exclusive[KNOWN * width + column] = known;
        forecast->exclusive[OTHER * width + column] = other;
    }
    memcpy(forecast->inclusive, forecast->exclusive, sizeof forecast->inclusive);
    for (size_t i = 0; i < SCOPES * width; i++)
        forecast->intervals[i] = (struct ft_interval){0, 10 * known, false, i / width == KNOWN};
    for (size_t column = FT_METRIC_COUNT; column < width; column++) {
        forecast->inclusive[PROGRAM * width + column] = known + other;
        forecast->inclusive[MODULE * width + column] = known + other;
    }
}

static bool limit(struct forecast *forecast)
{
    const struct ft_footprint_rows rows = {&forecast->metrics, forecast->exclusive,
                                           forecast->inclusive, forecast->intervals,
                                           forecast->misses_by};
    bool is_held[LEVELS] = {false};
    const struct ft_heap_sizes none = {.model = forecast->metrics.model};
    return ft_footprint_rows_set(&rows, &none, is_held, NULL) == FT_OK && !is_held[SMALL] &&
           !is_held[LARGE];
}

static bool has(const struct forecast *forecast, size_t level, double known, double other)
{
    const size_t width = ft_metrics_width(forecast->metrics.machine);
    const double *own = forecast->exclusive, *all = forecast->inclusive;
    bool holds = true;
    for (size_t column = ft_fully_assoc_column(level); column <= ft_set_assoc_column(level);
         column++)
        holds = holds && fabs(own[KNOWN * width + column] - known) < 1e-6 &&
                fabs(own[OTHER * width + column] - other) < 1e-6 &&
                fabs(all[OTHER * width + column] - other) < 1e-6 &&
                fabs(all[PROGRAM * width + column] - known - other) < 1e-6;
    return holds;
}

int main(void)
{
    struct ft_scope scopes[SCOPES] = {[PROGRAM] = {.parent = PROGRAM, .kind = FT_SCOPE_PROGRAM},
                                      [MODULE] = {.parent = PROGRAM, .kind = FT_SCOPE_MODULE},
                                      [KNOWN] = {.parent = MODULE, .kind = FT_SCOPE_ROUTINE},
                                      [OTHER] = {.parent = MODULE, .kind = FT_SCOPE_ROUTINE}};
    uint64_t block_bytes[2] = {64, 4096};
    struct ft_function laws[2] = {{.coefficients = {LINES}}, {.coefficients = {PAGES}}};
    struct ft_model model = bare_model("doubling", "N");
    struct ft_model laid = model;
    struct ft_machine machine;
    struct ft_diag diag = {0};
    if (ft_machine_load("caches=L1:32K:64:8@4,L2:2M:64:16@14,memory@300", &machine, &diag) !=
        FT_OK) {
        tap_ok(false, "a machine: %s", diag.message);
        return tap_plan_done();
    }
    laid.scopes.scopes = scopes;
    laid.scopes.scope_count = SCOPES;
    laid.block_bytes = block_bytes;
    laid.size_count = 2;
    laid.distinct_blocks = laws;
    const double size = 160;
    struct forecast forecast = {
        .metrics = {.model = &laid, .machine = &machine, .at = ft_point_at(&laid.basis, &size)}};
    const double room = PAGES * 64;

    set_misses(&forecast, KNOWN_LINES, 150000);
    tap_ok(limit(&forecast) && has(&forecast, LARGE, KNOWN_LINES, room - KNOWN_LINES),
           "a level that holds the pages: what is not known is what they leave");
    tap_ok(has(&forecast, SMALL, KNOWN_LINES, 150000), "one that does not stays as it is");

    set_misses(&forecast, KNOWN_LINES, 1.4 * room - KNOWN_LINES);
    tap_ok(limit(&forecast) && has(&forecast, LARGE, KNOWN_LINES, 1.4 * room - KNOWN_LINES),
           "less than half too much may be the law's error");

    set_misses(&forecast, 2 * room, 1000);
    tap_ok(limit(&forecast) && has(&forecast, LARGE, 2 * room, 0),
           "what is known stays, even above the law");

    const size_t width = ft_metrics_width(&machine);
    set_misses(&forecast, KNOWN_LINES, 150000);
    forecast.intervals[PROGRAM * width + ft_fully_assoc_column(LARGE)].known = true;
    forecast.intervals[PROGRAM * width + ft_set_assoc_column(LARGE)].known = true;
    tap_ok(limit(&forecast) && has(&forecast, LARGE, KNOWN_LINES, 150000),
           "a program's misses that are known stay");

    set_misses(&forecast, KNOWN_LINES, 150000);
    for (size_t i = 0; i < SCOPES * width; i++)
        forecast.intervals[i] = (struct ft_interval){NAN, NAN, false, false};
    tap_ok(limit(&forecast) && has(&forecast, LARGE, KNOWN_LINES, 150000) &&
               isnan(forecast.intervals[FT_METRIC_SERIAL_CYCLES].high),
           "so does all of a model that says nothing of how sure it is");

    ft_machine_fini(&machine);
    ft_model_fini(&model);
    return tap_plan_done();
}
