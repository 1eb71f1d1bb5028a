/*
 * Misses over capacities, and mean distances between them, of a histogram made by hand: also of
 * touches beyond the last capacity, which a forecast may have.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/commands/report/reuse_rows.h"
#include "tests/support/tap.h"

/* What the first scope has under a key. */
static void is_list(const json_t *reuse, const char *key, const char *expected)
{
    const json_t *scope = json_array_get(json_object_get(reuse, "scopes"), 0);
    char *text = json_dumps(json_object_get(scope, key), JSON_COMPACT | JSON_REAL_PRECISION(6));
    tap_ok(text && strcmp(text, expected) == 0, "%s: %s", key, text ? text : "none");
    free(text);
}

static void is_of(const struct ft_forecast *forecast, const char *misses, const char *means)
{
    const struct ft_page_capacities capacities = {.blocks = {1, 2, 4}, .count = 3};
    struct ft_scope scope = {0};
    const struct ft_scopes scopes = {.scopes = &scope, .scope_count = 1};
    const bool is_shown[] = {true};
    struct ft_page_reuse_rows rows;
    struct ft_diag diag = {0};
    if (ft_page_reuse_rows_init(&rows, &scopes, &capacities, &diag) != FT_OK)
        abort();
    ft_page_reuse_add(&rows, 0, forecast, &capacities);
    json_t *reuse = ft_page_reuse_json(&rows, &scopes, is_shown, 64, &capacities);
    is_list(reuse, "misses", misses);
    is_list(reuse, "means", means);
    json_decref(reuse);
    free(rows.items);
}

int main(void)
{
    struct ft_forecast_bin bins[] = {{0, 2}, {1, 1}, {1.5, 3}, {100, 4}};
    struct ft_forecast forecast = {.touches = 11, .cold = 1, .bins = bins, .bin_count = 3};
    is_of(&forecast, "[5,1]", "[1.375]");
    forecast.bin_count = 4;
    is_of(&forecast, "[9,5]", "[1.375,0,100]");
    return tap_plan_done();
}
