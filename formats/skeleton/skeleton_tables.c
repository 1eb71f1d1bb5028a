/*
 * Writing: rows are made of what is not an array of plain numbers already. Reading: tables in the
 * order of what they are checked by: references and scopes, ids, irregular loops, the nest, blocks.
 */
#include "formats/skeleton/skeleton_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/skeleton/irregular_tables.h"
#include "formats/skeleton/nest_check.h"
#include "formats/skeleton/nest_tables.h"
#include "formats/x86/unit.h"

#define VERSION 3U /* geometric loops; 2 had cycles, 1 neither */

struct header {
    uint32_t version, block_count;
    uint64_t stack, heap;
};
struct reference_row {
    uint64_t pc, accesses;
};
struct loop_row {
    uint32_t scope;
    uint64_t header;
};
struct event_row {
    uint32_t block;
    uint8_t is_freed, clears;
    uint64_t address, bytes, alignment;
};

static const struct ft_field header_fields[] = {
    FT_FIELD(header, version, FT_FIELD_U32),
    FT_FIELD(header, block_count, FT_FIELD_U32),
    FT_FIELD(header, stack, FT_FIELD_U64),
    FT_FIELD(header, heap, FT_FIELD_U64),
};
static const struct ft_field reference_fields[] = {
    FT_FIELD(reference_row, pc, FT_FIELD_U64),
    FT_FIELD(reference_row, accesses, FT_FIELD_U64),
};
static const struct ft_field routine_fields[] = {{"scope", 0, FT_FIELD_U32, 0}};
static const struct ft_field loop_fields[] = {
    FT_FIELD(loop_row, scope, FT_FIELD_U32),
    FT_FIELD(loop_row, header, FT_FIELD_U64),
};
static const struct ft_field event_fields[] = {
    FT_FIELD(event_row, block, FT_FIELD_U32), FT_FIELD(event_row, is_freed, FT_FIELD_U8),
    FT_FIELD(event_row, clears, FT_FIELD_U8), FT_FIELD(event_row, address, FT_FIELD_U64),
    FT_FIELD(event_row, bytes, FT_FIELD_U64), FT_FIELD(event_row, alignment, FT_FIELD_U64),
};
static const struct ft_field range_fields[] = {
    FT_FIELD(ft_mapped_range, start, FT_FIELD_U64),
    FT_FIELD(ft_mapped_range, end, FT_FIELD_U64),
};

static const struct ft_record_type header_type = FT_RECORD_TYPE(header, header_fields);
static const struct ft_record_type reference_type = FT_RECORD_TYPE(reference_row, reference_fields);
static const struct ft_record_type routine_type = {sizeof(uint32_t), routine_fields, 1};
static const struct ft_record_type loop_type = FT_RECORD_TYPE(loop_row, loop_fields);
static const struct ft_record_type event_type = FT_RECORD_TYPE(event_row, event_fields);
static const struct ft_record_type range_type = FT_RECORD_TYPE(ft_mapped_range, range_fields);

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a skeleton");
}

static struct ft_nest_ids ids_of(const struct ft_skeleton *skeleton)
{
    return (struct ft_nest_ids){skeleton->reference_count, skeleton->routine_count,
                                skeleton->loop_count, skeleton->threads[0].irregular_count};
}

bool ft_skeleton_is_storable(const struct ft_skeleton *skeleton)
{
    if (skeleton->thread_count != 1)
        return false;
    const struct ft_nest_ids ids = ids_of(skeleton);
    return ft_nest_check(&skeleton->threads[0].nest, &ids, NULL) == FT_OK;
}

uint64_t ft_skeleton_bytes(const struct ft_skeleton *skeleton)
{
    uint64_t bytes = skeleton->blocks.event_count * sizeof *skeleton->blocks.events;
    for (uint32_t t = 0; t < skeleton->thread_count; t++) {
        const struct ft_nest *nest = &skeleton->threads[t].nest;
        bytes += nest->token_count * sizeof *nest->tokens;
        bytes += nest->number_count * sizeof *nest->numbers;
    }
    return bytes;
}

/* ---- writing ---- */

/* The rows of tables that are no arrays of the skeleton. */
struct rows {
    struct reference_row *references;
    struct loop_row *loops;
    struct event_row *events;
};

static void rows_fini(struct rows *rows)
{
    free(rows->references);
    free(rows->loops);
    free(rows->events);
}

static bool make_rows(const struct ft_skeleton *skeleton, struct rows *rows)
{
    rows->references = calloc(skeleton->reference_count + (size_t)1, sizeof *rows->references);
    rows->loops = calloc(skeleton->loop_count + 1, sizeof *rows->loops);
    rows->events = calloc(skeleton->blocks.event_count + 1, sizeof *rows->events);
    if (!rows->references || !rows->loops || !rows->events)
        return false;
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        rows->references[r] =
            (struct reference_row){skeleton->references[r].pc, skeleton->accesses[r]};
    for (size_t i = 0; i < skeleton->loop_count; i++)
        rows->loops[i] = (struct loop_row){skeleton->loop_scopes[i], skeleton->loop_headers[i]};
    for (size_t i = 0; i < skeleton->blocks.event_count; i++) {
        const struct ft_block_event *event = &skeleton->blocks.events[i];
        rows->events[i] = (struct event_row){event->block,   event->is_freed, event->clears,
                                             event->address, event->bytes,    event->alignment};
    }
    return true;
}

int ft_skeleton_tables_write(hid_t group, const struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    const struct ft_thread_skeleton *thread = &skeleton->threads[0];
    struct header header = {VERSION, skeleton->blocks.block_count, skeleton->memory.stack,
                            skeleton->memory.heap};
    struct rows rows = {0};
    int status = make_rows(skeleton, &rows) ? FT_OK : no_memory(diag);
    const struct ft_records tables[] = {
        {"skeleton", &header_type, &header, 1},
        {"references", &reference_type, rows.references, skeleton->reference_count},
        {"routines", &routine_type, skeleton->routine_scopes, skeleton->routine_count},
        {"loops", &loop_type, rows.loops, skeleton->loop_count},
    };
    const struct ft_records heap[] = {
        {"block_events", &event_type, rows.events, skeleton->blocks.event_count},
        {"mapped", &range_type, skeleton->memory.mapped, skeleton->memory.mapped_count},
    };
    if (!status)
        status = ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
    if (!status)
        status = ft_nest_tables_write(group, &thread->nest, diag);
    if (!status)
        status = ft_records_write_all(group, heap, sizeof heap / sizeof *heap, diag);
    if (!status)
        status = ft_irregular_tables_write(group, skeleton, diag);
    rows_fini(&rows);
    return status;
}

/* ---- reading ---- */

static int read_header(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    struct header *header = NULL;
    FT_TRY(ft_records_read_exactly(group, "skeleton", &header_type, 1, (void **)&header, diag));
    const uint32_t version = header->version;
    skeleton->blocks.block_count = header->block_count;
    skeleton->memory.stack = header->stack;
    skeleton->memory.heap = header->heap;
    free(header);
    if (version == 0 || version > VERSION)
        return ft_fail(diag, FT_ERROR_DATA,
                       "a skeleton of version %" PRIu32 ", which a newer foretrace reads", version);
    skeleton->has_calls = true;
    skeleton->threads = calloc(1, sizeof *skeleton->threads);
    skeleton->thread_count = skeleton->threads ? 1 : 0;
    return skeleton->threads ? FT_OK : no_memory(diag);
}

static struct ft_reference reference_of(const struct ft_scoped_reference *scoped, uint64_t pc)
{
    return (struct ft_reference){.pc = pc,
                                 .offset = scoped->offset,
                                 .module = scoped->module,
                                 .size_bytes = scoped->size_bytes,
                                 .access_index = scoped->access_index,
                                 .kind = scoped->kind};
}

static int read_references(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &skeleton->scopes;
    struct reference_row *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "references", &reference_type, (void **)&rows, &count, diag));
    int status = FT_OK;
    if (count > scopes->reference_count || count > FT_NEST_ID_MAX)
        status = ft_fail(diag, FT_ERROR_DATA, "%zu references, of %zu in the scope tree", count,
                         scopes->reference_count);
    if (!status) {
        skeleton->references = malloc((count + 1) * sizeof *skeleton->references);
        skeleton->accesses = malloc((count + 1) * sizeof *skeleton->accesses);
        status = skeleton->references && skeleton->accesses ? FT_OK : no_memory(diag);
    }
    for (size_t r = 0; !status && r < count; r++) {
        skeleton->references[r] = reference_of(&scopes->references[r], rows[r].pc);
        skeleton->accesses[r] = rows[r].accesses;
        if (scopes->references[r].kind == FT_FETCH)
            status = ft_fail(diag, FT_ERROR_DATA, "reference %zu is a fetch", r);
    }
    free(rows);
    skeleton->reference_count = status ? 0 : (uint32_t)count;
    return status;
}

static int check_scope(const struct ft_skeleton *skeleton, uint32_t scope, enum ft_scope_kind kind,
                       struct ft_diag *diag)
{
    return scope < skeleton->scopes.scope_count && skeleton->scopes.scopes[scope].kind <= kind
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "a routine or loop has no scope");
}

static int read_ids(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    struct loop_row *loops = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "routines", &routine_type, (void **)&skeleton->routine_scopes,
                           &skeleton->routine_count, diag));
    for (size_t i = 0; i < skeleton->routine_count; i++)
        FT_TRY(check_scope(skeleton, skeleton->routine_scopes[i], FT_SCOPE_ROUTINE, diag));
    FT_TRY(ft_records_read(group, "loops", &loop_type, (void **)&loops, &count, diag));
    skeleton->loop_scopes = malloc((count + 1) * sizeof *skeleton->loop_scopes);
    skeleton->loop_headers = malloc((count + 1) * sizeof *skeleton->loop_headers);
    int status = skeleton->loop_scopes && skeleton->loop_headers ? FT_OK : no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        skeleton->loop_scopes[i] = loops[i].scope;
        skeleton->loop_headers[i] = loops[i].header;
        status = check_scope(skeleton, loops[i].scope, FT_SCOPE_LOOP, diag);
    }
    skeleton->loop_count = status ? 0 : count;
    free(loops);
    return status;
}

static int read_nest(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    const struct ft_nest_ids ids = ids_of(skeleton);
    return ft_nest_tables_read(group, &ids, &skeleton->threads[0].nest, diag);
}

static int check_event(const struct ft_skeleton *skeleton, const struct event_row *event,
                       struct ft_diag *diag)
{
    return event->block < skeleton->blocks.block_count && event->is_freed <= 1 &&
                   event->clears <= 1 && ft_is_alignment(event->alignment)
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "an event of the heap is of no block");
}

static int read_events(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    struct ft_block_events *blocks = &skeleton->blocks;
    struct event_row *rows = NULL;
    size_t count;
    FT_TRY(ft_records_read(group, "block_events", &event_type, (void **)&rows, &count, diag));
    int status = blocks->block_count <= count && blocks->block_count <= FT_PLACE_BLOCKS_MAX
                     ? FT_OK
                     : ft_fail(diag, FT_ERROR_DATA, "blocks of the heap are missing");
    blocks->events = malloc((count + 1) * sizeof *blocks->events);
    if (!status && !blocks->events)
        status = no_memory(diag);
    for (size_t i = 0; !status && i < count; i++) {
        status = check_event(skeleton, &rows[i], diag);
        blocks->events[i] = (struct ft_block_event){.block = rows[i].block,
                                                    .is_freed = rows[i].is_freed != 0,
                                                    .clears = rows[i].clears != 0,
                                                    .address = rows[i].address,
                                                    .bytes = rows[i].bytes,
                                                    .alignment = rows[i].alignment};
    }
    blocks->event_count = blocks->event_capacity = status ? 0 : count;
    free(rows);
    return status;
}

static int read_memory(hid_t group, struct ft_skeleton *skeleton, struct ft_diag *diag)
{
    struct ft_first_memory *memory = &skeleton->memory;
    FT_TRY(ft_records_read(group, "mapped", &range_type, (void **)&memory->mapped,
                           &memory->mapped_count, diag));
    for (size_t i = 0; i < memory->mapped_count; i++) {
        const struct ft_mapped_range *range = &memory->mapped[i];
        if (range->start >= range->end || (i && range->start < range[-1].end))
            return ft_fail(diag, FT_ERROR_DATA, "mappings are not in order");
    }
    return FT_OK;
}

int ft_skeleton_tables_read(hid_t group, const struct ft_scopes *scopes,
                            struct ft_skeleton *ret_skeleton, struct ft_diag *diag)
{
    static int (*const parts[])(hid_t, struct ft_skeleton *, struct ft_diag *) = {
        read_header, read_references, read_ids,   ft_irregular_tables_read,
        read_nest,   read_events,     read_memory};
    *ret_skeleton = (struct ft_skeleton){0};
    int status = ft_scopes_copy(scopes, &ret_skeleton->scopes, diag);
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](group, ret_skeleton, diag);
    return status;
}
