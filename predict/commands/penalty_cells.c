#include "predict/commands/penalty_cells.h"

#include <math.h>

#include "predict/commands/interval_data.h"

void ft_penalty_columns(struct ft_table *table)
{
    static const char *const names[] = {"marin_2004_seconds", "marin_2004_low", "marin_2004_high",
                                        "marin_2004_schedule_seconds", "marin_2004_memory_seconds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ft_table_column(table, names[i], names[i], true);
}

void ft_penalty_cells(struct ft_table *table, const struct ft_penalty_time *time)
{
    ft_table_end(table, time->known ? time->seconds : NAN);
    ft_table_end(table, time->low);
    ft_table_end(table, time->high);
    ft_table_end(table, time->schedule_seconds);
    ft_table_end(table, time->known ? time->penalty_seconds : NAN);
}

/* What the misses of each level are charged for. */
static json_t *levels_json(const struct ft_prediction *prediction, uint32_t scope)
{
    const struct ft_machine *machine = prediction->machine;
    const double *row = prediction->inclusive + scope * prediction->width;
    json_t *levels = json_array();
    for (size_t i = 0; i < machine->level_count; i++)
        ft_json_append(&levels, json_pack("{s:o, s:o}", "name",
                                          ft_json_text(machine->levels[i].name), "seconds",
                                          ft_json_number(ft_penalty_level_seconds(
                                              machine, row, i, prediction->dirty_memory))));
    return levels;
}

json_t *ft_penalty_json(const struct ft_prediction *prediction, uint32_t scope)
{
    const struct ft_penalty_time *time = &prediction->penalties[scope];
    return json_pack("{s:{s:o, s:[o, o], s:o, s:s, s:o, s:o}}", "marin_2004", "seconds",
                     ft_json_number(time->known ? time->seconds : NAN), "seconds_interval",
                     ft_json_number(time->low), ft_json_number(time->high), "schedule_seconds",
                     ft_json_number(time->schedule_seconds), "schedule_of",
                     ft_prediction_schedule_name(prediction), "memory_seconds",
                     ft_json_number(time->known ? time->penalty_seconds : NAN), "levels",
                     time->known ? levels_json(prediction, scope) : json_null());
}
