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

struct position {
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
static struct position last_up_to(const struct ft_interval_map *map, uint64_t address)
{
    size_t rows = count_up_to(map->firsts, sizeof *map->firsts, map->row_count, address);
    if (rows == 0)
        return (struct position){SIZE_MAX, 0};
    const struct ft_interval_row *row = map->rows[rows - 1];
    return (struct position){rows - 1,
                             count_up_to(row->items, sizeof *row->items, row->count, address) - 1};
}

static const struct ft_interval *item_behind(const struct ft_interval_map *map,
                                             struct position position)
{
    if (position.row == SIZE_MAX)
        return map->row_count ? &map->rows[0]->items[0] : NULL;
    if (position.item + 1 < map->rows[position.row]->count)
        return &map->rows[position.row]->items[position.item + 1];
    return position.row + 1 < map->row_count ? &map->rows[position.row + 1]->items[0] : NULL;
}

struct ft_interval ft_interval_map_find(const struct ft_interval_map *map, uint64_t address)
{
    struct position position = last_up_to(map, address);
    const struct ft_interval *before =
        position.row == SIZE_MAX ? NULL : &map->rows[position.row]->items[position.item];
    if (before && address < before->end)
        return *before;
    const struct ft_interval *behind = item_behind(map, position);
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
    struct position position = last_up_to(map, item.start);
    int status = FT_OK;
    if (position.row == SIZE_MAX) {
        position = (struct position){0, SIZE_MAX};
        if (map->row_count == 0)
            status = add_row(map, 0, diag);
    }
    if (!status && map->rows[position.row]->count == ROW_ITEMS) {
        status = split_row(map, position.row, diag);
        if (!status && position.item != SIZE_MAX &&
            position.item >= map->rows[position.row]->count) {
            position.item -= map->rows[position.row]->count;
            position.row++;
        }
    }
    if (status)
        return status;
    struct ft_interval_row *row = map->rows[position.row];
    size_t at = position.item + 1; /* 0 behind SIZE_MAX */
    memmove(row->items + at + 1, row->items + at, (row->count - at) * sizeof *row->items);
    row->items[at] = item;
    row->count++;
    map->firsts[position.row] = row->items[0].start;
    return FT_OK;
}

static void take_out(struct ft_interval_map *map, struct position position)
{
    struct ft_interval_row *row = map->rows[position.row];
    row->count--;
    memmove(row->items + position.item, row->items + position.item + 1,
            (row->count - position.item) * sizeof *row->items);
    if (row->count) {
        map->firsts[position.row] = row->items[0].start;
        return;
    }
    free(row);
    map->row_count--;
    size_t behind = map->row_count - position.row;
    memmove(map->rows + position.row, map->rows + position.row + 1, behind * sizeof(void *));
    memmove(map->firsts + position.row, map->firsts + position.row + 1,
            behind * sizeof *map->firsts);
}

int ft_interval_map_cut(struct ft_interval_map *map, uint64_t start, uint64_t end,
                        struct ft_diag *diag)
{
    for (;;) { /* the last interval that reaches into it, from above */
        struct position position =
            start < end ? last_up_to(map, end - 1) : (struct position){SIZE_MAX, 0};
        if (position.row == SIZE_MAX)
            return FT_OK;
        struct ft_interval_row *row = map->rows[position.row];
        struct ft_interval item = row->items[position.item];
        if (item.end <= start)
            return FT_OK;
        if (item.start < start)
            row->items[position.item].end = start;
        else
            take_out(map, position);
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
