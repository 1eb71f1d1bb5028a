#include "tests/support/small_trace.h"

#include "formats/x86/log_plan.h"

static const uint8_t small_code[4][16] = {
    /* mov (%rdi),%rax; mov %rax,8(%rsi); push %rbx; jmp sweep */
    {0x48, 0x8b, 0x07, 0x48, 0x89, 0x46, 0x08, 0x53, 0xeb, 0x06},
    /* sweep: mov (%rdi),%rax; add $8,%rdi; cmp %rsi,%rdi; jne sweep */
    {0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xf7, 0x75, 0xf4},
    /* chase: mov (%rdi),%rdi; test %rdi,%rdi; jne chase */
    {0x48, 0x8b, 0x3f, 0x48, 0x85, 0xff, 0x75, 0xf8},
    /* prefetchnta (%rdi); pop %rbx; ret */
    {0x0f, 0x18, 0x07, 0x5b, 0xc3}};

static void small_units_fini(struct ft_unit units[SMALL_UNITS])
{
    for (unsigned i = 1; i < SMALL_UNITS; i++)
        ft_unit_fini(&units[i]);
}

static int small_units(struct ft_unit units[SMALL_UNITS], struct ft_diag *diag)
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
static void small_round(struct ft_bytes *raw, unsigned round, uint64_t iterations)
{
    uint64_t array = 0x600000 + 64 * (uint64_t)round;
    ft_put_u32(raw, SMALL_COPY);
    ft_put_u64(raw, array);
    ft_put_u64(raw, array + 0x1000);
    ft_put_u32(raw, SMALL_SWEEP);
    ft_put_u64(raw, array + 8 * iterations);
    ft_put_u64(raw, array);
    ft_put_u32(raw, SMALL_CHASE);
    ft_put_u64(raw, 4 + 8 + 8 * SMALL_NODES); /* behind the id, this word and the values */
    for (unsigned i = 0; i < SMALL_NODES; i++)
        ft_put_u64(raw, 0x700000 + 48 * ((uint64_t)i * i * 11 % 31));
    ft_put_u32(raw, SMALL_LEAVE);
    ft_put_u64(raw, array);
}

/* The raw log of a chunk. It starts with RSP as the kernel set it. */
static void small_log(struct ft_bytes *raw, unsigned chunk, enum small_damage damage)
{
    raw->length = 0;
    if (chunk == 0) {
        ft_put_u32(raw, 0);
        ft_put_u32(raw, FT_ESCAPE_STACK);
        ft_put_u64(raw, 0x7fffffffe000);
    }
    for (unsigned i = 0; i < SMALL_ROUNDS; i++)
        small_round(raw, i,
                    i != 3                      ? SMALL_LENGTH
                    : damage == SMALL_ITERATION ? SMALL_LENGTH - 1
                    : damage == SMALL_ENDLESS   ? UINT64_C(1) << 60
                                                : SMALL_LENGTH);
    if (damage == SMALL_RECORD)
        raw->length -= 12;
}

/* Encodes a chunk as the damage wants it, with the totals that a good one has. */
static int small_chunk(struct ft_log_encoder *encoder, const struct ft_unit_table *table,
                       unsigned number, enum small_damage damage, struct ft_log_state *state,
                       struct ft_chunk *chunk, struct ft_bytes *payload, struct ft_diag *diag)
{
    struct ft_bytes raw = {0};
    struct ft_log_state start = *state, ignored_state;
    struct ft_log_totals ignored;
    small_log(&raw, number, SMALL_GOOD);
    ft_log_encoder_start(encoder, &start);
    int status = ft_log_encoder_append(encoder, table, raw.data, raw.length, diag);
    if (status == FT_OK)
        status = ft_log_encoder_finish(encoder, payload, &chunk->totals, state);
    if (status == FT_OK && damage != SMALL_GOOD) {
        small_log(&raw, number, damage);
        if (damage == SMALL_STACK && number == 1)
            start.rsp += 8;
        ft_log_encoder_start(encoder, &start);
        status = ft_log_encoder_append(encoder, table, raw.data, raw.length, diag);
        if (status == FT_OK)
            status = ft_log_encoder_finish(encoder, payload, &ignored, &ignored_state);
    }
    if (damage == SMALL_STREAM)
        payload->data[payload->length / 2] ^= 0x15;
    chunk->totals.accesses += damage == SMALL_ACCESSES_NOTED;
    chunk->totals.instructions += damage == SMALL_INSTRUCTIONS_NOTED;
    ft_bytes_fini(&raw);
    return status;
}

static int small_logs(struct ft_trace_writer *writer, const struct ft_unit_table *table,
                      enum small_damage damage, struct ft_metadata *metadata, struct ft_diag *diag)
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
        status = small_chunk(encoder, table, i, damage, &state, &chunk, &payload, diag);
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
    metadata->accesses += damage == SMALL_SUMMARY;
    ft_bytes_fini(&payload);
    ft_log_encoder_destroy(encoder);
    return status;
}

int small_trace(const char *path, enum small_damage damage, struct ft_diag *diag)
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
        status = small_logs(writer, &table, damage, &metadata, diag);
    if (status == FT_OK)
        status = ft_trace_writer_events(writer, events, 2, diag);
    if (status == FT_OK)
        status = ft_trace_writer_finish(writer, &metadata, diag);
    ft_trace_writer_destroy(writer);
    small_units_fini(units);
    return status;
}
