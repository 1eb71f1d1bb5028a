#include "fit/training_sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ft_parameter *find_parameter(const struct ft_histograms *entry,
                                                 const char *name)
{
    for (size_t i = 0; i < entry->metadata.parameter_count; i++)
        if (strcmp(entry->metadata.parameters[i].name, name) == 0)
            return &entry->metadata.parameters[i];
    return NULL;
}

/* Whether two entries that have it differ. */
static bool varies(const struct ft_histograms *entries, size_t count, const char *name)
{
    const struct ft_parameter *first = NULL;
    for (size_t e = 0; e < count; e++) {
        const struct ft_parameter *other = find_parameter(&entries[e], name);
        if (first && other && other->value != first->value)
            return true;
        first = first ? first : other;
    }
    return false;
}

/* A parameter of any entry, each name once: NULL after the last. */
static const char *nth_name(const struct ft_histograms *entries, size_t count, size_t n)
{
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < entries[e].metadata.parameter_count; i++) {
            const char *name = entries[e].metadata.parameters[i].name;
            bool known = false;
            for (size_t before = 0; before < e && !known; before++)
                known = find_parameter(&entries[before], name) != NULL;
            if (!known && n-- == 0)
                return name;
        }
    return NULL;
}

/* "N, ROWS": the names that vary, or all. Gives how many there are. */
static size_t list_names(const struct ft_histograms *entries, size_t count, bool all, char *text,
                         size_t room)
{
    const char *name;
    size_t found = 0;
    text[0] = 0;
    for (size_t n = 0; (name = nth_name(entries, count, n)); n++)
        if (all || varies(entries, count, name)) {
            size_t length = strlen(text);
            snprintf(text + length, room - length, "%s%s", found++ > 0 ? ", " : "", name);
        }
    return found;
}

int ft_training_refuse_few(size_t count, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "%zu trace%s: traces of at least %u sizes are needed, 5 are advised", count,
                   count == 1 ? "" : "s", FT_SIZES_LEAST);
}

int ft_training_parameter(const struct ft_histograms *entries, size_t count, const char *asked,
                          const char **ret_name, struct ft_diag *diag)
{
    char names[512], all[512];
    size_t varying = list_names(entries, count, false, names, sizeof names);
    size_t recorded = list_names(entries, count, true, all, sizeof all);
    const char *name = NULL;
    if (recorded == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "no trace recorded a parameter: give -D NAME=VALUE to capture, with the "
                       "program's size as the value");
    for (size_t n = 0; (name = nth_name(entries, count, n)); n++)
        if (asked ? strcmp(name, asked) == 0 : varies(entries, count, name))
            break;
    if (asked && !name)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "no parameter '%s' was recorded (there is %s): give -D %s=VALUE to capture",
                       asked, all, asked);
    if (varying > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "several parameters vary (%s): a model runs over one; use traces in which "
                       "only that one differs",
                       names);
    if (count < FT_SIZES_LEAST)
        return ft_training_refuse_few(count, diag);
    if (!name)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s is the same in all traces: capture the program at several sizes, each "
                       "with its own -D NAME=VALUE",
                       all);
    *ret_name = name;
    return FT_OK;
}

static int refuse_unsized(const struct ft_histograms *entry, const char *parameter,
                          struct ft_diag *diag)
{
    char *command = ft_metadata_command(&entry->metadata);
    int status = ft_fail(diag, FT_ERROR_USAGE,
                         "the trace of '%.250s' (content hash %s) does not say its %s: capture it "
                         "with -D %s=VALUE, or leave it out",
                         command ? command : "", entry->trace_hash, parameter, parameter);
    free(command);
    return status;
}

double ft_training_data_bytes(const struct ft_histograms *entry)
{
    return (double)(entry->distinct_blocks[0] * entry->block_bytes[0]);
}

static int find_value(const struct ft_histograms *entry, const char *parameter, double *ret_value,
                      struct ft_diag *diag)
{
    if (!parameter) {
        *ret_value = ft_training_data_bytes(entry);
        return FT_OK;
    }
    const struct ft_parameter *found = find_parameter(entry, parameter);
    if (!found)
        return refuse_unsized(entry, parameter, diag);
    *ret_value = found->value;
    return FT_OK;
}

/* Puts an entry in its place among those sorted so far. */
static int sort_in(const struct ft_histograms *entry, const char *parameter, size_t sorted_count,
                   const struct ft_histograms **sorted, double *values, struct ft_diag *diag)
{
    double value = 0;
    int status = find_value(entry, parameter, &value, diag);
    if (status)
        return status;
    if (!(value > 0))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s = %.15g in trace %s: models run over sizes above 0",
                       parameter ? parameter : FT_DATA_SIZE, value, entry->trace_hash);
    size_t at = sorted_count;
    for (; at > 0 && values[at - 1] > value; at--) {
        values[at] = values[at - 1];
        sorted[at] = sorted[at - 1];
    }
    values[at] = value;
    sorted[at] = entry;
    return FT_OK;
}

/* Whether the entry can be in one model with those before it. */
static int check_entry(const struct ft_histograms *const *sorted, const double *values,
                       size_t index, const char *parameter, struct ft_diag *diag)
{
    const struct ft_histograms *first = sorted[0], *before = sorted[index - 1];
    const struct ft_histograms *entry = sorted[index];
    if (values[index] == values[index - 1])
        return ft_fail(diag, FT_ERROR_USAGE,
                       "two traces have %s = %.15g (content hashes %s and %s%s): give one of them",
                       parameter, values[index], before->trace_hash, entry->trace_hash,
                       strcmp(before->trace_hash, entry->trace_hash) == 0 ? ", the same trace"
                                                                          : "");
    if (entry->size_count != first->size_count ||
        memcmp(entry->block_bytes, first->block_bytes,
               first->size_count * sizeof *first->block_bytes) != 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s = %g and %g were replayed with different block "
                       "sizes: replay all with the same -b",
                       parameter, values[0], values[index]);
    return FT_OK;
}

int ft_training_order(const struct ft_histograms *entries, size_t count, const char *parameter,
                      const struct ft_histograms **ret_sorted, double *ret_values,
                      struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t e = 0; !status && e < count; e++)
        status = sort_in(&entries[e], parameter, e, ret_sorted, ret_values, diag);
    for (size_t e = 1; !status && e < count; e++)
        status = check_entry(ret_sorted, ret_values, e, parameter ? parameter : FT_DATA_SIZE, diag);
    return status;
}
