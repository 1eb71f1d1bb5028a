/*
 * A small trace made without running a program: four units of real code, planned as capture would,
 * and a log whose values are made up. For tests of what reads traces. Its accesses can be counted
 * by hand: each round is 2 + 1 (copy), LENGTH (sweep), NODES (chase), 2 (leave), and a prefetch.
 */
#ifndef FT_TESTS_SMALL_TRACE_H
#define FT_TESTS_SMALL_TRACE_H

#include "formats/trace/trace_writer.h"
#include "formats/x86/log_plan.h"

#define SMALL_CHUNKS 2
#define SMALL_ROUNDS 20 /* in each chunk */
#define SMALL_LENGTH 100
#define SMALL_NODES  7
#define SMALL_ACCESSES                                                                             \
    ((uint64_t)SMALL_CHUNKS * SMALL_ROUNDS * (3 + SMALL_LENGTH + SMALL_NODES + 2))

/* What is wrong with it, under checksums, an index and a content hash that are right. */
enum small_mutation {
    SMALL_GOOD,
    SMALL_ACCESSES_NOTED,     /* a log's description says one access too many */
    SMALL_INSTRUCTIONS_NOTED, /* the same with instructions */
    SMALL_SUMMARY,            /* the summary says one access too many */
    SMALL_ITERATION,          /* a loop of the log runs once less than it was counted */
    SMALL_RECORD,             /* a record is missing */
    SMALL_STACK,   /* a log chunk starts with another RSP than the one before ended with */
    SMALL_STREAM,  /* a byte of a payload is not what the encoder wrote */
    SMALL_ENDLESS, /* a loop of the log runs 2^60 times */
    SMALL_MUTATIONS
};

#define SMALL_PC 0x401000
static const uint8_t small_code[4][16] = {
    /* mov (%rdi),%rax; mov %rax,8(%rsi); push %rbx; jmp sweep */
    {0x48, 0x8b, 0x07, 0x48, 0x89, 0x46, 0x08, 0x53, 0xeb, 0x06},
    /* sweep: mov (%rdi),%rax; add $8,%rdi; cmp %rsi,%rdi; jne sweep */
    {0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf4},
    /* chase: mov (%rdi),%rdi; test %rdi,%rdi; jne chase */
    {0x48, 0x8b, 0x3f, 0x48, 0x85, 0xff, 0x75, 0xf8},
    /* prefetchnta (%rdi); pop %rbx; ret */
    {0x0f, 0x18, 0x07, 0x5b, 0xc3}};
enum small_unit { SMALL_COPY = 1, SMALL_SWEEP, SMALL_CHASE, SMALL_LEAVE, SMALL_UNITS };

static inline void small_units_fini(struct ft_unit units[SMALL_UNITS])
{
    for (unsigned i = 1; i < SMALL_UNITS; i++)
        ft_unit_fini(&units[i]);
}

static inline int small_units(struct ft_unit units[SMALL_UNITS], struct ft_diag *diag)
{
    static const struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    for (unsigned i = 1; i < SMALL_UNITS; i++) {
        units[i] = (struct ft_unit){0};
        int status = ft_unit_plan(small_code[i - 1], sizeof small_code[i - 1],
                                  SMALL_PC + 16 * (i - 1), &limits, &units[i], diag);
        if (status)
            return status;
        units[i].id = i;
        units[i].module = 0;
    }
    return FT_OK;
}

/* One round: copy, sweep (so many times), chase, leave. */
static inline void small_round(struct ft_bytes *raw, unsigned round, uint64_t iterations)
{
    uint64_t array = 0x600000 + 64 * (uint64_t)round;
    ft_put_u32(raw, SMALL_COPY);
    ft_put_u64(raw, array);
    ft_put_u64(raw, array + 0x1000);
    ft_put_u32(raw, SMALL_SWEEP);
    ft_put_u64(raw, array + 8 * iterations);
    ft_put_u64(raw, array);
    ft_put_u32(raw, SMALL_CHASE);
    ft_put_u64(raw, raw->length + 8 + 8 * SMALL_NODES); /* the buffer's address is 0 */
    for (unsigned i = 0; i < SMALL_NODES; i++)
        ft_put_u64(raw, 0x700000 + 48 * ((uint64_t)i * i * 11 % 31));
    ft_put_u32(raw, SMALL_LEAVE);
    ft_put_u64(raw, array);
}

/* The raw log of a chunk. It starts with RSP as the kernel set it. */
static inline void small_log(struct ft_bytes *raw, unsigned chunk, enum small_mutation mutation)
{
    raw->length = 0;
    if (chunk == 0) {
        ft_put_u32(raw, 0);
        ft_put_u32(raw, FT_ESCAPE_STACK);
        ft_put_u64(raw, 0x7fffffffe000);
    }
    for (unsigned i = 0; i < SMALL_ROUNDS; i++)
        small_round(raw, i,
                    i != 3                        ? SMALL_LENGTH
                    : mutation == SMALL_ITERATION ? SMALL_LENGTH - 1
                    : mutation == SMALL_ENDLESS   ? UINT64_C(1) << 60
                                                  : SMALL_LENGTH);
    if (mutation == SMALL_RECORD)
        raw->length -= 12;
}

/* Encodes a chunk as the mutation wants it, with the totals that a good one has. */
static inline int small_chunk(struct ft_log_encoder *encoder, const struct ft_unit_table *table,
                              unsigned number, enum small_mutation mutation,
                              struct ft_log_state *state, struct ft_chunk *chunk,
                              struct ft_bytes *payload, struct ft_diag *diag)
{
    struct ft_bytes raw = {0};
    struct ft_log_state start = *state, ignored_state;
    struct ft_log_totals ignored;
    small_log(&raw, number, SMALL_GOOD);
    ft_log_encoder_start(encoder, &start);
    int status = ft_log_encoder_append(encoder, table, raw.data, raw.length, 0, diag);
    if (status == FT_OK)
        status = ft_log_encoder_finish(encoder, payload, &chunk->totals, state);
    if (status == FT_OK && mutation != SMALL_GOOD) {
        small_log(&raw, number, mutation);
        if (mutation == SMALL_STACK && number == 1)
            start.rsp += 8;
        ft_log_encoder_start(encoder, &start);
        status = ft_log_encoder_append(encoder, table, raw.data, raw.length, 0, diag);
        if (status == FT_OK)
            status = ft_log_encoder_finish(encoder, payload, &ignored, &ignored_state);
    }
    if (mutation == SMALL_STREAM)
        payload->data[payload->length / 2] ^= 0x15;
    chunk->totals.accesses += mutation == SMALL_ACCESSES_NOTED;
    chunk->totals.instructions += mutation == SMALL_INSTRUCTIONS_NOTED;
    ft_bytes_fini(&raw);
    return status;
}

static inline int small_logs(struct ft_trace_writer *writer, const struct ft_unit_table *table,
                             enum small_mutation mutation, struct ft_metadata *metadata,
                             struct ft_diag *diag)
{
    struct ft_log_encoder *encoder;
    struct ft_log_state state = {.rsp = 0x7fffffffd000};
    struct ft_bytes payload = {0};
    int status = ft_log_encoder_create(&encoder, diag);
    if (status)
        return status;
    for (unsigned i = 0; i < SMALL_CHUNKS && status == FT_OK; i++) {
        struct ft_chunk chunk = {.kind = FT_CHUNK_LOG, .sequence = i};
        struct ft_bytes frame = {0};
        status = small_chunk(encoder, table, i, mutation, &state, &chunk, &payload, diag);
        chunk.payload = payload.data;
        chunk.payload_bytes = payload.length;
        if (status == FT_OK)
            status = ft_chunk_compress(&chunk, 1, &frame, diag);
        if (status == FT_OK)
            status = ft_trace_writer_append(writer, &chunk, &frame, diag);
        metadata->accesses += chunk.totals.accesses;
        metadata->instructions += chunk.totals.instructions;
        metadata->prefetches += chunk.totals.prefetches;
        ft_bytes_fini(&frame);
    }
    metadata->accesses += mutation == SMALL_SUMMARY;
    ft_bytes_fini(&payload);
    ft_log_encoder_destroy(encoder);
    return status;
}

/* Writes the trace; the symbol, the line and the parameter are made up as well. */
static inline int small_trace(const char *path, enum small_mutation mutation, struct ft_diag *diag)
{
    static char *arguments[] = {"small", "two words"};
    static struct ft_parameter parameter = {"N", SMALL_LENGTH};
    static struct ft_symbol symbols[] = {{0x1000, 0x1010, 1, FT_SYMBOL_TABLE},
                                         {0x1010, 0x1040, 6, FT_SYMBOL_TABLE}};
    static struct ft_line lines[] = {{0x1010, 0x101c, 11, 7}};
    static char strings[] = "\0copy\0walk\0small.c";
    struct ft_module module = {.path = "/bin/small",
                               .build_id = {0xab, 0xcd, 0xef, 0x01},
                               .build_id_bytes = 4,
                               .load_bias = SMALL_PC - 0x1000,
                               .start = 0x1000,
                               .end = 0x2000,
                               .symbols = symbols,
                               .symbol_count = 2,
                               .lines = lines,
                               .line_count = 1,
                               .strings = strings,
                               .strings_bytes = sizeof strings};
    struct ft_metadata metadata = {.parameters = &parameter,
                                   .parameter_count = 1,
                                   .arguments = arguments,
                                   .argument_count = 2,
                                   .directory = "/home",
                                   .program = "/bin/small",
                                   .host = "host",
                                   .kernel = "6.1",
                                   .cpu = "a cpu",
                                   .tool_version = "0.1.0",
                                   .started = "2026-01-02T03:04:05Z",
                                   .end_reason = "the program exited with status 0",
                                   .xsave_standard_bytes = 832,
                                   .target_cpu_seconds = 0.25,
                                   .host_cpu_seconds = 0.5,
                                   .xsave_compact_bytes = 832};
    struct ft_event events[] = {
        {.sequence = 1, .kind = FT_EVENT_MODULE_MAPPED, .b = SMALL_PC, .c = 0x1000},
        {.sequence = 2, .kind = FT_EVENT_ENDED, .text = "the program exited with status 0"}};
    struct ft_unit units[SMALL_UNITS] = {0};
    const struct ft_unit *pointers[SMALL_UNITS] = {NULL, &units[1], &units[2], &units[3],
                                                   &units[4]};
    const struct ft_unit_table table = {pointers, SMALL_UNITS};
    struct ft_trace_writer *writer = NULL;
    int status = small_units(units, diag);
    if (status == FT_OK)
        status = ft_trace_writer_create(path, &metadata, &writer, diag);
    if (status == FT_OK)
        status = ft_trace_writer_module(writer, &module, diag);
    if (status == FT_OK)
        status = ft_trace_writer_units(writer, pointers + 1, SMALL_UNITS - 1, diag);
    if (status == FT_OK)
        status = small_logs(writer, &table, mutation, &metadata, diag);
    if (status == FT_OK)
        status = ft_trace_writer_events(writer, events, 2, diag);
    if (status == FT_OK)
        status = ft_trace_writer_finish(writer, &metadata, diag);
    ft_trace_writer_destroy(writer);
    small_units_fini(units);
    return status;
}

#endif
