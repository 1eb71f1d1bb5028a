/*
 * The entry at hand takes accesses while they are of its instruction; then its unit is looked up in
 * a hash table by what it is (all of an entry but its addresses), or made, and a raw record goes to
 * a buffer. A full buffer goes through the encoder; a full chunk into the file, the
 * units that are new before it.
 */
#include "formats/text/reference_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/x86/reference_unit.h"

#define RAW_BYTES    (256U << 10)
#define RECORD_BYTES (4U + 8U * FT_ACCESSES_MAX)
#define LENGTH_MAX   255U
#define UNITS_MAX    (4U << 20) /* they take about 3 kilobytes each, here and in readers */
#define ZSTD_LEVEL   1

struct ft_reference_log {
    struct ft_trace_writer *writer;
    struct ft_log_encoder *encoder;
    struct ft_unit **units;             /* [id], [0] is NULL; owned */
    struct ft_reference_entry *entries; /* [id]: what the unit stands for */
    size_t unit_capacity, entry_capacity;
    uint32_t unit_count; /* highest id */
    uint32_t units_written;
    struct ft_hash_table ids;
    struct ft_reference_entry entry; /* the one at hand */
    uint64_t addresses[FT_ACCESSES_MAX];
    unsigned address_count;
    bool has_entry;
    uint8_t raw[RAW_BYTES];
    size_t raw_bytes;
    uint64_t sequence; /* of chunks */
    uint64_t event_count;
    struct ft_bytes payload;
    struct ft_log_totals totals;
};

int ft_reference_log_create(struct ft_trace_writer *writer, struct ft_reference_log **ret_log,
                            struct ft_diag *diag)
{
    static const struct ft_log_state no_state;
    struct ft_reference_log *log = calloc(1, sizeof *log);
    if (!log)
        return ft_fail_memory(diag, "the log of references");
    log->writer = writer;
    int status = FT_OK;
    if (!FT_RESERVE(log->units, log->unit_capacity, 1))
        status = ft_fail_memory(diag, "the log of references");
    else
        log->units[0] = NULL;
    if (!status)
        status = ft_log_encoder_create(&log->encoder, diag);
    if (status) {
        ft_reference_log_destroy(log);
        return status;
    }
    ft_log_encoder_start(log->encoder, &no_state);
    *ret_log = log;
    return FT_OK;
}

void ft_reference_log_destroy(struct ft_reference_log *log)
{
    if (!log)
        return;
    ft_log_encoder_destroy(log->encoder);
    for (uint32_t id = 1; id <= log->unit_count; id++) {
        ft_unit_fini(log->units[id]);
        free(log->units[id]);
    }
    free(log->units);
    free(log->entries);
    ft_hash_table_fini(&log->ids);
    ft_bytes_fini(&log->payload);
    free(log);
}

/* ---- Units ---- */

static uint64_t hash_entry(const struct ft_reference_entry *entry)
{
    uint64_t hash =
        ft_hash_add(ft_hash_mix(entry->pc), (uint64_t)entry->length_bytes << 3 |
                                                entry->access_count << 1 | entry->is_executed);
    for (unsigned a = 0; a < entry->access_count; a++)
        hash =
            ft_hash_add(hash, (uint64_t)entry->accesses[a].size_bytes << 8 |
                                  entry->accesses[a].kind << 1 | entry->accesses[a].same_address);
    return hash;
}

static bool same_entry(const struct ft_reference_entry *a, const struct ft_reference_entry *b)
{
    if (a->pc != b->pc || a->length_bytes != b->length_bytes || a->is_executed != b->is_executed ||
        a->access_count != b->access_count)
        return false;
    for (unsigned i = 0; i < a->access_count; i++)
        if (a->accesses[i].size_bytes != b->accesses[i].size_bytes ||
            a->accesses[i].kind != b->accesses[i].kind ||
            a->accesses[i].same_address != b->accesses[i].same_address)
            return false;
    return true;
}

static int add_unit(struct ft_reference_log *log, uint64_t hash, struct ft_diag *diag)
{
    const uint32_t id = log->unit_count + 1;
    if (id > UNITS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "more than %u distinct references: does the trace have valid pcs?",
                       UNITS_MAX);
    if (!FT_RESERVE(log->units, log->unit_capacity, id + 1U) ||
        !FT_RESERVE(log->entries, log->entry_capacity, id + 1U))
        return ft_fail_memory(diag, "the units of a trace");
    struct ft_unit *unit = malloc(sizeof *unit);
    if (!unit)
        return ft_fail_memory(diag, "a unit");
    int status = ft_reference_unit_create(&log->entry, 1, unit, diag);
    if (status) {
        free(unit);
        return status;
    }
    unit->id = id;
    log->units[id] = unit;
    log->entries[id] = log->entry;
    log->unit_count = id;
    return ft_hash_table_add(&log->ids, hash, id) ? FT_OK
                                                  : ft_fail_memory(diag, "the units of a trace");
}

/* The id of the unit that stands for the entry at hand, made where it is new. */
static int find_unit(struct ft_reference_log *log, uint32_t *ret_id, struct ft_diag *diag)
{
    const uint64_t hash = hash_entry(&log->entry);
    for (size_t probe = hash; ft_hash_next(&log->ids, hash, &probe, ret_id);)
        if (same_entry(&log->entries[*ret_id], &log->entry))
            return FT_OK;
    FT_TRY(add_unit(log, hash, diag));
    *ret_id = log->unit_count;
    return FT_OK;
}

/* ---- Records ---- */

static int write_chunk(struct ft_reference_log *log, struct ft_diag *diag)
{
    struct ft_chunk chunk = {.kind = FT_CHUNK_LOG, .sequence = log->sequence++};
    struct ft_log_state next;
    struct ft_bytes frame = {0};
    if (ft_log_encoder_finish(log->encoder, &log->payload, &chunk.totals, &next) < 0)
        return ft_fail_memory(diag, "encoding the log");
    ft_log_encoder_start(log->encoder, &next);
    log->totals.records += chunk.totals.records;
    log->totals.instructions += chunk.totals.instructions;
    log->totals.accesses += chunk.totals.accesses;
    log->totals.prefetches += chunk.totals.prefetches;
    chunk.payload = log->payload.data;
    chunk.payload_bytes = log->payload.length;
    int status = FT_OK;
    if (log->unit_count > log->units_written)
        status = ft_trace_writer_units(
            log->writer, (const struct ft_unit *const *)log->units + log->units_written + 1,
            log->unit_count - log->units_written, diag);
    log->units_written = log->unit_count;
    if (!status)
        status = ft_chunk_compress(&chunk, ZSTD_LEVEL, &frame, diag);
    if (!status)
        status = ft_trace_writer_append(log->writer, &chunk, &frame, diag);
    ft_bytes_fini(&frame);
    return status;
}

/* Empties the buffer of raw records into the encoder. */
static int encode(struct ft_reference_log *log, struct ft_diag *diag)
{
    const struct ft_unit_table units = {(const struct ft_unit *const *)log->units,
                                        (size_t)log->unit_count + 1};
    int status = FT_OK;
    if (!ft_log_encoder_fits(log->encoder, log->raw_bytes))
        status = write_chunk(log, diag);
    if (!status)
        status = ft_log_encoder_append(log->encoder, &units, log->raw, log->raw_bytes, diag);
    log->raw_bytes = 0;
    return status;
}

/* The record of the entry at hand. */
static int put_record(struct ft_reference_log *log, struct ft_diag *diag)
{
    uint32_t id = 0;
    FT_TRY(find_unit(log, &id, diag));
    if (log->raw_bytes + RECORD_BYTES > RAW_BYTES)
        FT_TRY(encode(log, diag));
    uint8_t *at = log->raw + log->raw_bytes;
    memcpy(at, &id, sizeof id);
    memcpy(at + sizeof id, log->addresses, log->address_count * sizeof *log->addresses);
    log->raw_bytes += sizeof id + log->address_count * sizeof *log->addresses;
    log->has_entry = false;
    return FT_OK;
}

/* ---- Items ---- */

static int check_item(const struct ft_text_item *item, struct ft_diag *diag)
{
    uint64_t size = item->size_bytes;
    if (item->kind == FT_TEXT_INSTRUCTION)
        return size <= LENGTH_MAX
                   ? FT_OK
                   : ft_fail(diag, FT_ERROR_DATA,
                             "an instruction of %" PRIu64 " bytes; at most %u are allowed", size,
                             LENGTH_MAX);
    if (size == 0)
        return ft_fail(diag, FT_ERROR_DATA, "an access of size 0");
    if (size > FT_REFERENCE_SIZE_MAX)
        return ft_fail(diag, FT_ERROR_DATA,
                       "an access of %" PRIu64 " bytes; at most %u are allowed", size,
                       FT_REFERENCE_SIZE_MAX);
    if (item->address > UINT64_MAX - (size - 1))
        return ft_fail(diag, FT_ERROR_DATA,
                       "%" PRIu64 " bytes at 0x%" PRIx64 " exceed the address space", size,
                       item->address);
    return FT_OK;
}

static bool has_access(const struct ft_reference_entry *entry, uint8_t kind, uint64_t size_bytes)
{
    for (unsigned a = 0; a < entry->access_count; a++)
        if (entry->accesses[a].kind == kind && entry->accesses[a].size_bytes == size_bytes)
            return true;
    return false;
}

/* Whether the entry at hand can take the accesses of an item. */
static bool takes(const struct ft_reference_log *log, const struct ft_text_item *item)
{
    const struct ft_reference_entry *entry = &log->entry;
    bool modifies = item->kind == FT_TEXT_MODIFY;
    if (!log->has_entry || entry->pc != item->pc ||
        entry->access_count + (modifies ? 2U : 1U) > FT_ACCESSES_MAX)
        return false;
    if (modifies)
        return !has_access(entry, FT_LOAD, item->size_bytes) &&
               !has_access(entry, FT_STORE, item->size_bytes);
    return !has_access(entry, item->kind, item->size_bytes);
}

static void put_access(struct ft_reference_log *log, uint8_t kind, uint64_t size_bytes,
                       bool same_address)
{
    log->entry.accesses[log->entry.access_count++] =
        (struct ft_reference_access){(uint32_t)size_bytes, kind, same_address};
}

int ft_reference_log_add(struct ft_reference_log *log, const struct ft_text_item *item,
                         struct ft_diag *diag)
{
    int status = check_item(item, diag);
    bool is_instruction = item->kind == FT_TEXT_INSTRUCTION;
    bool is_new = is_instruction || !takes(log, item);
    if (!status && is_new && log->has_entry)
        status = put_record(log, diag);
    if (status)
        return status;
    if (is_new) {
        log->entry = (struct ft_reference_entry){.pc = item->pc, .is_executed = is_instruction};
        log->entry.length_bytes = is_instruction ? (uint8_t)item->size_bytes : 0;
        log->address_count = 0;
        log->has_entry = true;
    }
    if (is_instruction)
        return FT_OK;
    log->addresses[log->address_count++] = item->address;
    if (item->kind == FT_TEXT_MODIFY) {
        put_access(log, FT_LOAD, item->size_bytes, false);
        put_access(log, FT_STORE, item->size_bytes, true);
    } else {
        put_access(log, item->kind, item->size_bytes, false);
    }
    return FT_OK;
}

/* ---- Where it is from, and the end ---- */

static int end_metadata(const struct ft_reference_log *log, const char *reason,
                        struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    metadata->host_cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    metadata->instructions = log->totals.instructions;
    metadata->accesses = log->totals.accesses;
    metadata->prefetches = log->totals.prefetches;
    metadata->end_reason = strdup(reason);
    return metadata->end_reason ? FT_OK : ft_fail_memory(diag, "the end of the trace");
}

static int write_event(struct ft_reference_log *log, struct ft_event *event, struct ft_diag *diag)
{
    event->sequence = ++log->event_count;
    return ft_trace_writer_events(log->writer, event, 1, diag);
}

int ft_reference_log_origin(struct ft_reference_log *log, const struct ft_reference_origin *origin,
                            struct ft_diag *diag)
{
    char *text = NULL;
    if (asprintf(&text, "%s %s %s", origin->format, origin->sha256, origin->name) < 0)
        return ft_fail_memory(diag, origin->name);
    struct ft_event event = {.kind = FT_EVENT_IMPORTED, .a = origin->bytes, .text = text};
    int status = write_event(log, &event, diag);
    free(text);
    return status;
}

int ft_reference_log_finish(struct ft_reference_log *log, const char *reason,
                            struct ft_metadata *metadata, struct ft_diag *diag)
{
    if (log->has_entry)
        FT_TRY(put_record(log, diag));
    FT_TRY(encode(log, diag));
    FT_TRY(write_chunk(log, diag));
    FT_TRY(end_metadata(log, reason, metadata, diag));
    struct ft_event ended = {.kind = FT_EVENT_ENDED, .text = metadata->end_reason};
    FT_TRY(write_event(log, &ended, diag));
    return ft_trace_writer_finish(log->writer, metadata, diag);
}
