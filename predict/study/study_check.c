#include "predict/study/study_check.h"

#include <jansson.h>
#include <stdio.h>

static bool is_inside(double simulated, const json_t *interval)
{
    const json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);
    return !(json_is_number(low) && simulated < json_number_value(low)) &&
           !(json_is_number(high) && simulated > json_number_value(high));
}

int ft_study_check_read(const char *path, struct ft_study_check *ret_check, struct ft_diag *diag)
{
    struct ft_study_check check = {.count = 0};
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    const json_t *levels = json_object_get(json_object_get(document, "total"), "levels");
    for (size_t i = 0; i < json_array_size(levels) && i < FT_PLAN_LEVELS_MAX; i++) {
        const json_t *level = json_array_get(levels, i);
        const json_t *forecast = json_object_get(level, "predicted_set_associative");
        const char *name = json_string_value(json_object_get(level, "name"));
        struct ft_checked_level *checked = &check.levels[check.count++];
        snprintf(checked->name, sizeof checked->name, "%s", name ? name : "");
        checked->known = json_is_number(forecast);
        checked->forecast = json_number_value(forecast);
        checked->simulated = json_number_value(json_object_get(level, "simulated_set_associative"));
        checked->inside =
            is_inside(checked->simulated, json_object_get(level, "set_associative_interval"));
    }
    json_decref(document);
    if (check.count == 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: is not what predict --check --json prints", path);
    *ret_check = check;
    return FT_OK;
}
