/*
 * What a log costs on its way into the file and out again. The log of each trace is decoded once
 * into the raw buffers that the capture wrote; then, several times in turn: encoded, compressed,
 * decompressed, decoded, and read as runs. Times are CPU times of one thread, the least of all
 * repeats. What was encoded is decoded and compared with the raw buffers first.
 *
 *     bench_codec [-n REPEATS] [-l ZSTD_LEVEL] [-m RAW_MB] TRACE...
 *
 * ns are per record, M/s millions of accesses a second; runs include all of decompressing,
 * decoding and expanding, `expand` is what they leave for the last. -m ends the log after so many
 * MB raw (runs are then of the whole trace all the same).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/expand/log_counter.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/raw_log.h"

#define BATCH       1024
#define BLOCKS_MAX  64
#define REPEATS_MAX 99

/* One chunk of log in all its forms. */
struct chunk {
    struct ft_bytes raw;
    size_t block_ends[BLOCKS_MAX]; /* a block is what a capture appends at once */
    unsigned block_count;
    struct ft_log_state state;
    struct ft_log_totals totals;
    struct ft_bytes payload, frame;
};

enum step { ENCODE, COMPRESS, DECOMPRESS, DECODE, RUNS, STEP_COUNT };

struct bench {
    struct ft_trace *trace;
    const struct ft_unit_table *units;
    struct chunk *chunks;
    size_t chunk_count, chunk_capacity;
    struct ft_log_encoder *encoder;
    struct ft_log_decoder *decoder;
    uint8_t *decompressed; /* FT_CHUNK_BYTES */
    int level;
    double least[STEP_COUNT];
    uint64_t run_accesses;
};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(int status, const struct ft_diag *diag)
{
    if (status == FT_OK)
        return;
    fprintf(stderr, "bench_codec: %s\n", diag->message);
    exit(1);
}

/* Decodes a payload into raw buffers again. */
static void make_raw(struct bench *bench, const uint8_t *payload, size_t bytes, struct chunk *chunk)
{
    static struct ft_record records[BATCH];
    struct ft_diag diag;
    size_t count, block_start = 0;
    must(ft_log_decoder_start(bench->decoder, payload, bytes, chunk->totals.instructions,
                              &chunk->state, &diag),
         &diag);
    chunk->raw.length = 0;
    chunk->block_count = 0;
    for (;;) {
        must(ft_log_decoder_next(bench->decoder, records, BATCH, &count, &diag), &diag);
        for (size_t i = 0; i < count; i++) {
            size_t before = chunk->raw.length;
            raw_log_append(&chunk->raw, ft_record_unit(bench->units, &records[i]), &records[i]);
            if (chunk->raw.length - block_start > FT_LOG_APPEND_BYTES_MAX) {
                chunk->block_ends[chunk->block_count++] = block_start = before;
                if (chunk->block_count == BLOCKS_MAX)
                    exit(1);
            }
        }
        if (count == 0)
            break;
    }
    chunk->block_ends[chunk->block_count++] = chunk->raw.length;
}

static void load(struct bench *bench, size_t raw_bytes_max)
{
    struct ft_log_buffer buffer = {0};
    struct ft_diag diag;
    size_t raw_bytes = 0;
    for (size_t i = 0; i < ft_trace_log_count(bench->trace, 0) && raw_bytes < raw_bytes_max; i++) {
        const uint8_t *payload;
        const struct ft_chunk_description *description = ft_trace_log(bench->trace, 0, i);
        must(ft_trace_log_read(bench->trace, 0, i, &buffer, &payload, &diag), &diag);
        if (!FT_RESERVE(bench->chunks, bench->chunk_capacity, bench->chunk_count + 1))
            exit(1);
        struct chunk *chunk = &bench->chunks[bench->chunk_count++];
        *chunk = (struct chunk){.totals = description->totals};
        make_raw(bench, payload, description->payload_bytes, chunk);
        raw_bytes += chunk->raw.length;
    }
    ft_log_buffer_fini(&buffer);
}

/* Whether they are alike in what a chunk's description tells. */
static bool counts_alike(const struct ft_log_totals *a, const struct ft_log_totals *b)
{
    return a->records == b->records && a->instructions == b->instructions &&
           a->accesses == b->accesses && a->prefetches == b->prefetches;
}

static void encode(struct bench *bench)
{
    struct ft_diag diag;
    for (size_t i = 0; i < bench->chunk_count; i++) {
        struct chunk *chunk = &bench->chunks[i];
        struct ft_log_totals totals;
        struct ft_log_state next;
        size_t start = 0;
        ft_log_encoder_start(bench->encoder, &chunk->state);
        for (unsigned b = 0; b < chunk->block_count; start = chunk->block_ends[b++])
            must(ft_log_encoder_append(bench->encoder, bench->units, chunk->raw.data + start,
                                       chunk->block_ends[b] - start, &diag),
                 &diag);
        must(ft_log_encoder_finish(bench->encoder, &chunk->payload, &totals, &next), &diag);
        if (!counts_alike(&totals, &chunk->totals)) {
            fprintf(stderr, "bench_codec: chunk %zu counts something else\n", i);
            exit(1);
        }
    }
}

/* What was encoded must decode to the raw buffers that it was made of. */
static void check(struct bench *bench)
{
    struct chunk again = {0};
    for (size_t i = 0; i < bench->chunk_count; i++) {
        struct chunk *chunk = &bench->chunks[i];
        again.totals = chunk->totals;
        make_raw(bench, chunk->payload.data, chunk->payload.length, &again);
        if (again.raw.length != chunk->raw.length ||
            memcmp(again.raw.data, chunk->raw.data, again.raw.length) != 0) {
            fprintf(stderr, "bench_codec: chunk %zu does not come back as it was\n", i);
            exit(1);
        }
    }
    ft_bytes_fini(&again.raw);
}

static void compress(struct bench *bench)
{
    struct ft_diag diag;
    for (size_t i = 0; i < bench->chunk_count; i++) {
        struct chunk *at = &bench->chunks[i];
        struct ft_chunk chunk = {.kind = FT_CHUNK_LOG,
                                 .sequence = i,
                                 .totals = at->totals,
                                 .payload = at->payload.data,
                                 .payload_bytes = at->payload.length};
        ft_bytes_fini(&at->frame);
        must(ft_chunk_compress(&chunk, bench->level, &at->frame, &diag), &diag);
    }
}

static void decompress(struct bench *bench)
{
    struct ft_chunk_description description;
    struct ft_diag diag;
    for (size_t i = 0; i < bench->chunk_count; i++)
        must(ft_chunk_decompress(bench->chunks[i].frame.data, bench->chunks[i].frame.length,
                                 bench->decompressed, &description, &diag),
             &diag);
}

static void decode(struct bench *bench)
{
    static struct ft_record records[BATCH];
    struct ft_diag diag;
    for (size_t i = 0; i < bench->chunk_count; i++) {
        struct ft_bytes *payload = &bench->chunks[i].payload;
        struct ft_log_state state;
        size_t count = 1;
        must(ft_log_decoder_start(bench->decoder, payload->data, payload->length,
                                  bench->chunks[i].totals.instructions, &state, &diag),
             &diag);
        while (count)
            must(ft_log_decoder_next(bench->decoder, records, BATCH, &count, &diag), &diag);
    }
}

static void read_runs(struct bench *bench)
{
    struct ft_diag diag;
    struct ft_run_source *source;
    struct ft_run_batch batch;
    must(ft_trace_runs(bench->trace, 0, NULL, &source, &diag), &diag);
    bench->run_accesses = source->access_count;
    do
        must(source->next(source, &batch, &diag), &diag);
    while (batch.run_count);
    source->destroy(source);
}

static void measure(struct bench *bench, unsigned repeats)
{
    static void (*const steps[])(struct bench *) = {encode, compress, decompress, decode,
                                                    read_runs};
    for (unsigned repeat = 0; repeat < repeats; repeat++)
        for (unsigned i = 0; i < STEP_COUNT; i++) {
            double start = cpu_seconds();
            steps[i](bench);
            double seconds = cpu_seconds() - start;
            if (repeat == 0 || seconds < bench->least[i])
                bench->least[i] = seconds;
            if (repeat == 0 && i == ENCODE)
                check(bench);
        }
}

static void print_row(const struct bench *bench, const char *path)
{
    const char *slash = strrchr(path, '/');
    double records = 0, accesses = 0, raw = 0, payload = 0, frames = 0;
    for (size_t i = 0; i < bench->chunk_count; i++) {
        records += (double)bench->chunks[i].totals.records;
        accesses += (double)bench->chunks[i].totals.accesses;
        raw += (double)bench->chunks[i].raw.length;
        payload += (double)bench->chunks[i].payload.length;
        frames += (double)bench->chunks[i].frame.length;
    }
    const double *least = bench->least;
    double runs = (double)bench->run_accesses / least[RUNS];
    double expand = 1 / (1 / runs - (least[DECOMPRESS] + least[DECODE]) / accesses);
    printf("%-24s %8.1f %7.1f %7.4f %7.4f %7.2f %7.2f %7.2f %7.0f %7.0f %7.0f %7.0f\n",
           slash ? slash + 1 : path, 1e-6 * accesses, raw / records, payload / accesses,
           frames / accesses, 1e9 * least[ENCODE] / records, 1e-9 * raw / least[ENCODE],
           1e9 * least[COMPRESS] / records, 1e-6 * accesses / least[DECOMPRESS],
           1e-6 * accesses / least[DECODE], 1e-6 * expand, 1e-6 * runs);
    fflush(stdout);
}

static void run(const char *path, int level, unsigned repeats, size_t raw_bytes_max)
{
    struct bench bench = {.level = level};
    struct ft_diag diag;
    must(ft_trace_open(path, &(struct ft_trace_options){0}, &bench.trace, &diag), &diag);
    bench.units = ft_trace_units(bench.trace);
    must(ft_log_encoder_create(&bench.encoder, &diag), &diag);
    must(ft_log_decoder_create(bench.units, &bench.decoder, &diag), &diag);
    bench.decompressed = malloc(FT_CHUNK_BYTES);
    if (!bench.decompressed)
        exit(1);
    load(&bench, raw_bytes_max);
    measure(&bench, repeats);
    print_row(&bench, path);
    for (size_t i = 0; i < bench.chunk_count; i++) {
        ft_bytes_fini(&bench.chunks[i].raw);
        ft_bytes_fini(&bench.chunks[i].payload);
        ft_bytes_fini(&bench.chunks[i].frame);
    }
    free(bench.chunks);
    free(bench.decompressed);
    ft_log_encoder_destroy(bench.encoder);
    ft_log_decoder_destroy(bench.decoder);
    ft_trace_close(bench.trace);
}

int main(int argc, char **argv)
{
    unsigned long repeats = 3, raw_mb = 256;
    int letter, level = 1;
    while ((letter = getopt(argc, argv, "n:l:m:")) != -1) {
        if (letter == 'n')
            repeats = strtoul(optarg, NULL, 10);
        else if (letter == 'l')
            level = (int)strtol(optarg, NULL, 10);
        else if (letter == 'm')
            raw_mb = strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    if (optind == argc || repeats == 0 || repeats > REPEATS_MAX || raw_mb == 0)
        return 2;
    printf("%-24s %8s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "", "accesses", "raw", "encoded",
           "file", "encode", "encode", "zstd", "unzstd", "decode", "expand", "runs");
    printf("%-24s %8s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "", "M", "B/rec", "B/acc",
           "B/acc", "ns", "GB/s", "ns", "M/s", "M/s", "M/s", "M/s");
    for (int i = optind; i < argc; i++)
        run(argv[i], level, (unsigned)repeats, (size_t)raw_mb << 20);
    return 0;
}
