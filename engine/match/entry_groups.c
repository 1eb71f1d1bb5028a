#include "engine/match/entry_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/histograms/data_histograms.h"

/* ---- data ---- */

static bool name_objects(const struct ft_data_histograms *from, struct ft_data_of_groups *data)
{
    data->names = calloc(from->item_count + 1, sizeof *data->names);
    for (; data->names && data->name_count < from->item_count; data->name_count++) {
        const struct ft_data_item *item = &from->items[data->name_count];
        if (asprintf(&data->names[data->name_count], "%s %s", item->kind, item->name) < 0)
            return false;
    }
    return data->names != NULL;
}

int ft_entry_data_of_groups(const struct ft_histograms *entry, bool with_data,
                            struct ft_data_of_groups *ret_data, struct ft_diag *diag)
{
    const struct ft_data_histograms none = {0}, *from = with_data ? entry->data : &none;
    struct ft_data_of_groups data = {0};
    struct ft_data_weight *weights = calloc(from->part_count + 1, sizeof *weights);
    for (size_t p = 0; weights && p < from->part_count; p++) {
        const struct ft_data_part *part = &from->parts[p];
        const bool is_known =
            strcmp(from->items[part->object].kind, ft_data_kind_names[FT_DATA_UNKNOWN]) != 0;
        weights[p] =
            (struct ft_data_weight){entry->scopes.references[part->reference].group,
                                    is_known ? part->object : FT_UNKNOWN_DATA, part->accesses};
    }
    bool complete =
        weights && name_objects(from, &data) &&
        ft_data_of_groups_list(&data, weights, from->part_count, entry->scopes.group_count);
    free(weights);
    if (!complete) {
        ft_data_of_groups_fini(&data);
        return ft_fail_memory(diag, "the data of groups");
    }
    *ret_data = data;
    return FT_OK;
}

/* ---- locations ---- */

/* References by group, then line, the heaviest first. */
static int compare_by_line(const void *left, const void *right, void *context)
{
    const struct ft_histograms *entry = context;
    const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    const struct ft_scoped_reference *a = &entry->scopes.references[one];
    const struct ft_scoped_reference *b = &entry->scopes.references[other];
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (entry->reference_accesses[one] != entry->reference_accesses[other])
        return entry->reference_accesses[one] > entry->reference_accesses[other] ? -1 : 1;
    return (one > other) - (one < other);
}

static int compare_weights(const void *left, const void *right)
{
    const struct ft_group_line *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

/* A line is of the file of its scope: as seen from there, what was inlined deeper stands where it
 * is called. */
static struct ft_group_line describe_line(const struct ft_group_locations *locations,
                                          const struct ft_histograms *entry, uint32_t index)
{
    const struct ft_scoped_reference *reference = &entry->scopes.references[index];
    const struct ft_scope *scope = &entry->scopes.scopes[reference->scope];
    const uint32_t routine = ft_scope_routine(&entry->scopes, reference->scope);
    const char *file = ft_file_name(scope->file);
    const char *home = locations->scopes->items[routine].file;
    struct ft_group_line line = {.file = "", .source_file = "", .access = index};
    if (!reference->line)
        return line;
    line.is_relative = scope->first_line && reference->line >= scope->first_line;
    line.line = reference->line - (line.is_relative ? scope->first_line : 0);
    if (home && strcmp(file, home) != 0)
        line.file = file;
    line.source_file = file;
    line.source_line = reference->line;
    return line;
}

/* Before version 5 of the files, what the heaviest reference was seen to move by. */
static bool find_strides(struct ft_group_location *location, const struct ft_histograms *entry,
                         uint32_t index)
{
    const struct ft_scoped_group *groups = entry->scopes.groups;
    const int64_t stride = entry->reference_strides[index];
    if (groups) {
        const struct ft_scoped_group *group = &groups[entry->scopes.references[index].group];
        location->storage = group->storage;
        location->strides = strdup(group->strides);
    } else if (stride == FT_STRIDE_NONE || stride == FT_STRIDE_MIXED) {
        location->strides = strdup(stride == FT_STRIDE_NONE ? "" : " irregular");
    } else if (asprintf(&location->strides, " %" PRId64, stride) < 0) {
        location->strides = NULL;
    }
    return location->strides != NULL;
}

/* order: the references of one group, by line. */
static bool add_group(struct ft_group_locations *locations, const struct ft_histograms *entry,
                      const uint32_t *order, size_t count)
{
    const struct ft_scoped_reference *references = entry->scopes.references;
    struct ft_group_location *location = &locations->items[references[order[0]].group];
    struct ft_group_line *lines = &locations->lines[locations->line_count];
    location->first_line = (uint32_t)locations->line_count;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || references[order[i]].line != references[order[i - 1]].line)
            lines[location->line_count++] = describe_line(locations, entry, order[i]);
        lines[location->line_count - 1].accesses += entry->reference_accesses[order[i]];
        location->accesses += entry->reference_accesses[order[i]];
        location->kinds |= (uint8_t)(1U << references[order[i]].kind);
    }
    locations->line_count += location->line_count;
    qsort(lines, location->line_count, sizeof *lines, compare_weights);
    location->scope = references[lines->access].scope;
    return find_strides(location, entry, lines->access);
}

static void list_accesses(struct ft_group_locations *locations, const struct ft_histograms *entry,
                          const uint32_t *order, size_t count)
{
    const struct ft_scopes *scopes = &entry->scopes;
    uint32_t *numbers = calloc(scopes->scope_count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[order[i]];
        const uint32_t routine = ft_scope_routine(scopes, reference->scope);
        locations->accesses[locations->access_count++] =
            (struct ft_group_access){reference->group,
                                     routine,
                                     reference->module,
                                     reference->offset,
                                     reference->access_index,
                                     numbers[routine]++,
                                     entry->reference_accesses[order[i]]};
    }
    free(numbers);
}

static bool make_locations(struct ft_group_locations *locations, const struct ft_histograms *entry,
                           uint32_t *order, size_t count)
{
    locations->items = calloc(entry->scopes.group_count + (size_t)1, sizeof *locations->items);
    locations->lines = calloc(count + 1, sizeof *locations->lines);
    locations->accesses = calloc(count + 1, sizeof *locations->accesses);
    if (!locations->items || !locations->lines || !locations->accesses)
        return false;
    locations->count = entry->scopes.group_count;
    list_accesses(locations, entry, order, count);
    if (locations->access_count != count)
        return false;
    for (uint32_t a = (uint32_t)count; a-- > 0;)
        locations->items[locations->accesses[a].group].first_access = a;
    if (count)
        qsort_r(order, count, sizeof *order, compare_by_line, (void *)entry);
    for (size_t first = 0, end; first < count; first = end) {
        const uint32_t group = entry->scopes.references[order[first]].group;
        for (end = first + 1; end < count; end++)
            if (entry->scopes.references[order[end]].group != group)
                break;
        if (!add_group(locations, entry, &order[first], end - first))
            return false;
    }
    return true;
}

int ft_entry_group_locations_make(const struct ft_scope_locations *scopes,
                                  const struct ft_histograms *entry,
                                  const struct ft_data_of_groups *data,
                                  struct ft_group_locations *ret_locations, struct ft_diag *diag)
{
    struct ft_group_locations locations = {.scopes = scopes, .data = data};
    size_t count;
    uint32_t *order = ft_references_in_order(&entry->scopes, &count);
    bool complete = order && make_locations(&locations, entry, order, count);
    free(order);
    if (!complete) {
        ft_group_locations_fini(&locations);
        return ft_fail_memory(diag, "the locations of groups");
    }
    *ret_locations = locations;
    return FT_OK;
}
