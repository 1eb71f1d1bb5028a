/*
 * Rows of up to ROW_ITEMS sorted intervals, and the start of each row's first one beside: a search
 * is two binary searches, an insertion moves a part of a row. A full row is split in the middle, an
 * empty one goes.
 */
#include "engine/data/interval_map.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define ROW_ITEMS 128U

struct ft_interval_row {
    size_t count;
    struct ft_interval items[ROW_ITEMS];
};

void ft_interval_map_fini(struct ft_interval_map *map)
{
    for (size_t i = 0; i < map->row_count; i++)
        free(map->rows[i]);
    free(map->rows);
    free(map->firsts);
    *map = (struct ft_interval_map){0};
}

struct place {
    size_t row, item;
};

/* How many items of a sorted array with a stride of `step` bytes have a start up to `address`. */
static size_t count_up_to(const void *starts, size_t step, size_t count, uint64_t address)
{
    size_t low = 0;
    while (count > 0) {
        size_t half = count / 2;
        const uint64_t *start =
            (const uint64_t *)(const void *)((const char *)starts + (low + half) * step);
        if (*start <= address) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* The last interval that starts at or before an address; row = SIZE_MAX where there is none. */
static struct place last_up_to(const struct ft_interval_map *map, uint64_t address)
{
    size_t rows = count_up_to(map->firsts, sizeof *map->firsts, map->row_count, address);
    if (rows == 0)
        return (struct place){SIZE_MAX, 0};
    const struct ft_interval_row *row = map->rows[rows - 1];
    return (struct place){rows - 1,
                          count_up_to(row->items, sizeof *row->items, row->count, address) - 1};
}

static const struct ft_interval *item_behind(const struct ft_interval_map *map, struct place place)
{
    if (place.row == SIZE_MAX)
        return map->row_count ? &map->rows[0]->items[0] : NULL;
    if (place.item + 1 < map->rows[place.row]->count)
        return &map->rows[place.row]->items[place.item + 1];
    return place.row + 1 < map->row_count ? &map->rows[place.row + 1]->items[0] : NULL;
}

struct ft_interval ft_interval_map_find(const struct ft_interval_map *map, uint64_t address)
{
    struct place place = last_up_to(map, address);
    const struct ft_interval *before =
        place.row == SIZE_MAX ? NULL : &map->rows[place.row]->items[place.item];
    if (before && address < before->end)
        return *before;
    const struct ft_interval *behind = item_behind(map, place);
    return (struct ft_interval){before ? before->end : 0, behind ? behind->start : UINT64_MAX,
                                FT_NO_INTERVAL};
}

static int add_row(struct ft_interval_map *map, size_t at, struct ft_diag *diag)
{
    if (!FT_RESERVE(map->rows, map->row_capacity, map->row_count + 1) ||
        !FT_RESERVE(map->firsts, map->first_capacity, map->row_count + 1))
        return ft_fail_memory(diag, "a map of addresses");
    struct ft_interval_row *row = malloc(sizeof *row);
    if (!row)
        return ft_fail_memory(diag, "a map of addresses");
    row->count = 0;
    memmove(map->rows + at + 1, map->rows + at, (map->row_count - at) * sizeof(void *));
    memmove(map->firsts + at + 1, map->firsts + at, (map->row_count - at) * sizeof *map->firsts);
    map->rows[at] = row;
    map->row_count++;
    return FT_OK;
}

static int split_row(struct ft_interval_map *map, size_t at, struct ft_diag *diag)
{
    int status = add_row(map, at + 1, diag);
    if (status)
        return status;
    struct ft_interval_row *low = map->rows[at], *high = map->rows[at + 1];
    high->count = low->count / 2;
    low->count -= high->count;
    memcpy(high->items, low->items + low->count, high->count * sizeof *high->items);
    map->firsts[at + 1] = high->items[0].start;
    return FT_OK;
}

/* Puts an interval in where nothing is. */
static int insert(struct ft_interval_map *map, struct ft_interval item, struct ft_diag *diag)
{
    struct place place = last_up_to(map, item.start);
    int status = FT_OK;
    if (place.row == SIZE_MAX) {
        place = (struct place){0, SIZE_MAX};
        if (map->row_count == 0)
            status = add_row(map, 0, diag);
    }
    if (!status && map->rows[place.row]->count == ROW_ITEMS) {
        status = split_row(map, place.row, diag);
        if (!status && place.item != SIZE_MAX && place.item >= map->rows[place.row]->count) {
            place.item -= map->rows[place.row]->count;
            place.row++;
        }
    }
    if (status)
        return status;
    struct ft_interval_row *row = map->rows[place.row];
    size_t at = place.item + 1; /* 0 behind SIZE_MAX */
    memmove(row->items + at + 1, row->items + at, (row->count - at) * sizeof *row->items);
    row->items[at] = item;
    row->count++;
    map->firsts[place.row] = row->items[0].start;
    return FT_OK;
}

static void take_out(struct ft_interval_map *map, struct place place)
{
    struct ft_interval_row *row = map->rows[place.row];
    row->count--;
    memmove(row->items + place.item, row->items + place.item + 1,
            (row->count - place.item) * sizeof *row->items);
    if (row->count) {
        map->firsts[place.row] = row->items[0].start;
        return;
    }
    free(row);
    map->row_count--;
    size_t behind = map->row_count - place.row;
    memmove(map->rows + place.row, map->rows + place.row + 1, behind * sizeof(void *));
    memmove(map->firsts + place.row, map->firsts + place.row + 1, behind * sizeof *map->firsts);
}

int ft_interval_map_cut(struct ft_interval_map *map, uint64_t start, uint64_t end,
                        struct ft_diag *diag)
{
    for (;;) { /* the last interval that reaches into it, from above */
        struct place place = start < end ? last_up_to(map, end - 1) : (struct place){SIZE_MAX, 0};
        if (place.row == SIZE_MAX)
            return FT_OK;
        struct ft_interval_row *row = map->rows[place.row];
        struct ft_interval item = row->items[place.item];
        if (item.end <= start)
            return FT_OK;
        if (item.start < start)
            row->items[place.item].end = start;
        else
            take_out(map, place);
        if (item.end > end) {
            int status = insert(map, (struct ft_interval){end, item.end, item.value}, diag);
            if (status)
                return status;
        }
    }
}

int ft_interval_map_put(struct ft_interval_map *map, uint64_t start, uint64_t end, uint32_t value,
                        struct ft_diag *diag)
{
    int status = ft_interval_map_cut(map, start, end, diag);
    return status ? status : insert(map, (struct ft_interval){start, end, value}, diag);
}
