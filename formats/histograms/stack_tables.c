#include "formats/histograms/stack_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/histograms/histogram_tables.h"

#define NAME_BYTES 32 /* "stack_" and a number */

struct stack_row {
    char *kind, *threads;
    uint8_t in_sum;
};
struct size_row {
    uint64_t distinct_blocks, touches;
};
struct seen_row {
    uint32_t reference;
    uint64_t accesses;
};

static const struct ft_field stack_fields[] = {
    FT_FIELD(stack_row, kind, FT_FIELD_TEXT),
    FT_FIELD(stack_row, threads, FT_FIELD_TEXT),
    FT_FIELD(stack_row, in_sum, FT_FIELD_U8),
};
static const struct ft_field size_fields[] = {
    FT_FIELD(size_row, distinct_blocks, FT_FIELD_U64),
    FT_FIELD(size_row, touches, FT_FIELD_U64),
};
static const struct ft_field seen_fields[] = {
    FT_FIELD(seen_row, reference, FT_FIELD_U32),
    FT_FIELD(seen_row, accesses, FT_FIELD_U64),
};
static const struct ft_record_type stack_type = FT_RECORD_TYPE(stack_row, stack_fields);
static const struct ft_record_type size_type = FT_RECORD_TYPE(size_row, size_fields);
static const struct ft_record_type seen_type = FT_RECORD_TYPE(seen_row, seen_fields);

/* ---- writing ---- */

static int write_stack(hid_t parent, size_t number, const struct ft_histogram_stack *stack,
                       size_t size_count, struct ft_diag *diag)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "stack_%zu", number);
    hid_t group;
    int status = ft_result_group_create(parent, name, &group, diag);
    if (status)
        return status;
    struct size_row *sizes = calloc(size_count + 1, sizeof *sizes);
    struct seen_row *seen = calloc(stack->reference_count + 1, sizeof *seen);
    if (!sizes || !seen)
        status = ft_fail_memory(diag, "the histograms of threads");
    for (size_t s = 0; !status && s < size_count; s++)
        sizes[s] = (struct size_row){stack->distinct_blocks[s], stack->touches[s]};
    for (size_t i = 0; !status && i < stack->reference_count; i++)
        seen[i] = (struct seen_row){stack->references[i], stack->reference_accesses[i]};
    const struct ft_records tables[] = {
        {"block_sizes", &size_type, sizes, size_count},
        {"references", &seen_type, seen, stack->reference_count},
    };
    if (!status)
        status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    if (!status)
        status = ft_histogram_tables_write(group, stack->histograms,
                                           stack->reference_count * size_count, diag);
    free(sizes);
    free(seen);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    return status;
}

int ft_histogram_stacks_write(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    struct stack_row *rows = calloc(entry->stack_count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "the histograms of threads");
    for (size_t k = 0; k < entry->stack_count; k++)
        rows[k] = (struct stack_row){entry->stacks[k].kind, entry->stacks[k].threads,
                                     entry->stacks[k].in_sum};
    int status = ft_records_write(group, "stacks", &stack_type, rows, entry->stack_count, diag);
    free(rows);
    for (size_t k = 0; !status && k < entry->stack_count; k++)
        status = write_stack(group, k, &entry->stacks[k], entry->size_count, diag);
    return status;
}

/* ---- reading ---- */

static int take_sizes(const struct size_row *rows, size_t size_count,
                      struct ft_histogram_stack *stack, struct ft_diag *diag)
{
    stack->distinct_blocks = calloc(size_count + 1, sizeof *stack->distinct_blocks);
    stack->touches = calloc(size_count + 1, sizeof *stack->touches);
    if (!stack->distinct_blocks || !stack->touches)
        return ft_fail_memory(diag, "the histograms of threads");
    for (size_t s = 0; s < size_count; s++) {
        stack->distinct_blocks[s] = rows[s].distinct_blocks;
        stack->touches[s] = rows[s].touches;
    }
    return FT_OK;
}

static int take_seen(const struct seen_row *rows, size_t count, size_t references,
                     struct ft_histogram_stack *stack, struct ft_diag *diag)
{
    stack->references = calloc(count + 1, sizeof *stack->references);
    stack->reference_accesses = calloc(count + 1, sizeof *stack->reference_accesses);
    if (!stack->references || !stack->reference_accesses)
        return ft_fail_memory(diag, "the histograms of threads");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].reference >= references || (i && rows[i].reference <= rows[i - 1].reference))
            return ft_fail(diag, FT_ERROR_DATA, "its references are out of order");
        stack->references[i] = rows[i].reference;
        stack->reference_accesses[i] = rows[i].accesses;
    }
    return FT_OK;
}

static int read_stack(hid_t group, const struct ft_histograms *entry,
                      struct ft_histogram_stack *stack, struct ft_diag *diag)
{
    struct size_row *sizes = NULL;
    struct seen_row *seen = NULL;
    size_t count = 0;
    int status = ft_records_read_exactly(group, "block_sizes", &size_type, entry->size_count,
                                         (void **)&sizes, diag);
    if (!status)
        status = ft_records_read(group, "references", &seen_type, (void **)&seen, &count, diag);
    if (!status)
        status = take_sizes(sizes, entry->size_count, stack, diag);
    if (!status)
        status = take_seen(seen, count, entry->reference_count, stack, diag);
    if (!status)
        status =
            ft_histogram_tables_read(group, count * entry->size_count, &stack->histograms, diag);
    if (!status)
        stack->reference_count = count;
    free(sizes);
    free(seen);
    return status;
}

static bool is_known(const char *kind)
{
    static const char *const kinds[] = {FT_STACK_PRIVATE,        FT_STACK_SHARED,
                                        FT_STACK_FETCHES,        FT_STACK_UNIFIED,
                                        FT_STACK_SHARED_FETCHES, FT_STACK_SHARED_UNIFIED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

int ft_histogram_stacks_read(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct stack_row *rows = NULL;
    struct ft_diag inner = {0};
    size_t count = 0;
    int status = ft_records_read(group, "stacks", &stack_type, (void **)&rows, &count, diag);
    if (status)
        return status;
    entry->stacks = calloc(count + 1, sizeof *entry->stacks);
    if (!entry->stacks)
        status = ft_fail_memory(diag, "the histograms of threads");
    for (size_t k = 0; k < count; k++) {
        if (status || !is_known(rows[k].kind)) {
            free(rows[k].kind);
            free(rows[k].threads);
            continue;
        }
        struct ft_histogram_stack *stack = &entry->stacks[entry->stack_count++];
        stack->kind = rows[k].kind;
        stack->threads = rows[k].threads;
        stack->in_sum = rows[k].in_sum;
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "stack_%zu", k);
        hid_t inside = H5Gopen2(group, name, H5P_DEFAULT);
        status = inside < 0 ? ft_fail(&inner, FT_ERROR_DATA, "it is missing")
                            : read_stack(inside, entry, stack, &inner);
        if (inside >= 0)
            H5Gclose(inside);
        if (status)
            ft_fail(diag, status, "%s: %s", name, inner.message);
    }
    free(rows);
    return status;
}
