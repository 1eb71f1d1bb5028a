/*
 * The data that groups of a model touch: found by group, some forgotten, written and read; numbers
 * that cannot be are refused.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/model/model.h"
#include "tests/support/bare_model.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

enum { OBJECTS = 3, TOUCHED = 5, GROUPS = 4 };

/* Group 2 touches nothing that is known. */
static const struct ft_touched_data touched[TOUCHED] = {{0, 1}, {1, 0}, {1, 2}, {3, 2}, {3, 0}};
static const char *const names[OBJECTS] = {"grid", "malloc: main (io.c:12)", "other"};

static struct ft_group_data make(void)
{
    struct ft_group_data data = {calloc(OBJECTS, sizeof *data.objects), OBJECTS,
                                 calloc(TOUCHED, sizeof *data.touched), TOUCHED};
    if (!data.objects || !data.touched)
        abort();
    memcpy(data.touched, touched, sizeof touched);
    for (size_t i = 0; i < OBJECTS; i++)
        data.objects[i] =
            (struct ft_named_data){strdup(i == 1 ? "heap" : "variable"), strdup(names[i])};
    return data;
}

/* Whether a group touches these two objects, in this order. */
static bool is_of(const struct ft_group_data *data, size_t group, uint32_t one, uint32_t other)
{
    size_t count;
    const size_t first = ft_group_data_of(data, group, &count);
    return count == 2 && data->touched[first].object == one &&
           data->touched[first + 1].object == other;
}

static void test_keep(void)
{
    struct ft_group_data data = make();
    size_t count;
    tap_ok(is_of(&data, 1, 0, 2) && is_of(&data, 3, 2, 0), "objects of groups, in their order");
    tap_ok(ft_group_data_of(&data, 2, &count) == 3 && count == 0, "a group without any");
    ft_group_data_keep(&data, (bool[GROUPS]){false, true, true, true});
    tap_ok(data.touched_count == 4 && is_of(&data, 0, 0, 2) && is_of(&data, 2, 2, 0),
           "where the first group goes, the others close up");
    ft_group_data_keep(&data, (bool[GROUPS]){false, true, false, false});
    tap_ok(data.touched_count == 0, "of a group without any nothing stays");
    ft_group_data_fini(&data);
}

static bool is_same(const struct ft_group_data *data)
{
    bool same = data->object_count == OBJECTS && data->touched_count == TOUCHED &&
                memcmp(data->touched, touched, sizeof touched) == 0;
    for (size_t i = 0; same && i < OBJECTS; i++)
        same = strcmp(data->objects[i].name, names[i]) == 0 &&
               strcmp(data->objects[i].kind, i == 1 ? "heap" : "variable") == 0;
    return same;
}

static struct ft_model make_model(void)
{
    struct ft_model model = bare_model("model", "N");
    free(model.groups);
    model.groups = calloc(GROUPS, sizeof *model.groups);
    for (size_t i = 0; model.groups && i < GROUPS; i++)
        model.groups[i].histograms = calloc(1, sizeof *model.groups[i].histograms);
    model.group_count = GROUPS;
    model.data = make();
    return model;
}

static void test_file(void)
{
    struct ft_model written = make_model(), model = {0};
    struct ft_diag diag = {0};
    const bool read = ft_model_write("model.h5", &written, &diag) == FT_OK &&
                      ft_model_read("model.h5", NULL, &model, &diag) == FT_OK;
    tap_ok(read && is_same(&model.data), "written and read %s", diag.message);
    ft_model_fini(&model);
    const struct ft_touched_data wrong[] = {{GROUPS, 0}, {3, OBJECTS}, {0, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        written.data.touched[TOUCHED - 1] = wrong[i];
        tap_ok(ft_model_write("model.h5", &written, &diag) == FT_OK &&
                   ft_model_read("model.h5", NULL, &model, &diag) == FT_ERROR_DATA &&
                   strstr(diag.message, "group_data 4"),
               "refused: %s", diag.message);
    }
    ft_model_fini(&written);
}

int main(void)
{
    test_keep();
    if (chdir(temporary_folder()) < 0)
        return 1;
    test_file();
    return tap_plan_done();
}
