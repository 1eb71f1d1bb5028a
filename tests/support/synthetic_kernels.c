/*
 * Every kernel runs twice: the first time only counts touches, so that the Fenwick trees have one
 * slot for each. A touch at time t of a block last touched at time s: the distance is the number of
 * marks in (s, t), one mark standing at the last touch of each block.
 */
#include "tests/support/synthetic_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct synthetic {
    bool counting;
    uint64_t block_bytes;
    uint64_t time;      /* touches so far */
    uint64_t memory;    /* bytes of arrays so far */
    uint64_t slots;     /* touches of the whole kernel */
    uint32_t *tree;     /* Fenwick, 1-based */
    uint32_t *last;     /* [block]: time of its last touch, 0: none */
    uint64_t live;      /* blocks touched */
    uint64_t *accesses; /* [reference] */
    uint64_t *cold;
    uint64_t (*bins)[FT_BIN_COUNT][2]; /* [reference]: count, sum */
};

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) {
        fputs("Bail out! out of memory\n", stdout);
        exit(1);
    }
    return memory;
}

/* Arrays lie one after the other, each at the start of a line, as static arrays do. */
static uint64_t array(struct synthetic *s, uint64_t elements)
{
    uint64_t address = s->memory;
    s->memory += (elements * 8 + 63) / 64 * 64;
    return address;
}

static void mark(struct synthetic *s, uint64_t time, uint32_t delta)
{
    for (uint64_t i = time; i <= s->slots; i += i & -i)
        s->tree[i] += delta;
}

static uint64_t marks_until(const struct synthetic *s, uint64_t time)
{
    uint32_t sum = 0;
    for (uint64_t i = time; i > 0; i -= i & -i)
        sum += s->tree[i];
    return sum;
}

static void touch(struct synthetic *s, uint32_t reference, uint64_t address)
{
    s->time++;
    if (s->counting)
        return;
    s->accesses[reference]++;
    uint64_t block = address / s->block_bytes;
    uint64_t last = s->last[block];
    s->last[block] = (uint32_t)s->time;
    if (last == 0) {
        s->cold[reference]++;
        s->live++;
    } else {
        uint64_t distance = s->live - marks_until(s, last);
        uint64_t *bin = s->bins[reference][ft_bin_of(distance)];
        bin[0]++;
        bin[1] += distance;
        mark(s, last, (uint32_t)-1);
    }
    mark(s, s->time, 1);
}

static void triad(struct synthetic *s, uint64_t n)
{
    uint64_t a = array(s, n), b = array(s, n), c = array(s, n);
    for (uint64_t repeat = 0; repeat < 6; repeat++)
        for (uint64_t i = 0; i < n; i++) {
            touch(s, 0, b + 8 * i);
            touch(s, 1, c + 8 * i);
            touch(s, 2, a + 8 * i);
        }
}

static void matmul_ijk(struct synthetic *s, uint64_t n)
{
    uint64_t a = array(s, n * n), b = array(s, n * n), c = array(s, n * n);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            for (uint64_t k = 0; k < n; k++) {
                touch(s, 0, a + 8 * (i * n + k));
                touch(s, 1, b + 8 * (k * n + j));
            }
            touch(s, 2, c + 8 * (i * n + j));
        }
}

static void matmul_ikj(struct synthetic *s, uint64_t n)
{
    uint64_t a = array(s, n * n), b = array(s, n * n), c = array(s, n * n);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < n; k++) {
            touch(s, 0, a + 8 * (i * n + k));
            for (uint64_t j = 0; j < n; j++) {
                touch(s, 1, b + 8 * (k * n + j));
                touch(s, 2, c + 8 * (i * n + j));
                touch(s, 3, c + 8 * (i * n + j));
            }
        }
}

static void matmul_tiled(struct synthetic *s, uint64_t n)
{
    const uint64_t tile = 8;
    uint64_t a = array(s, n * n), b = array(s, n * n), c = array(s, n * n);
    for (uint64_t ii = 0; ii < n; ii += tile)
        for (uint64_t kk = 0; kk < n; kk += tile)
            for (uint64_t jj = 0; jj < n; jj += tile)
                for (uint64_t i = ii; i < ii + tile && i < n; i++)
                    for (uint64_t k = kk; k < kk + tile && k < n; k++) {
                        touch(s, 0, a + 8 * (i * n + k));
                        for (uint64_t j = jj; j < jj + tile && j < n; j++) {
                            touch(s, 1, b + 8 * (k * n + j));
                            touch(s, 2, c + 8 * (i * n + j));
                            touch(s, 3, c + 8 * (i * n + j));
                        }
                    }
}

/* Two grids in turn; the inner points only. */
static void stencil(struct synthetic *s, uint64_t n)
{
    uint64_t grids[2] = {array(s, n * n * n), array(s, n * n * n)};
    for (uint64_t step = 0; step < 3; step++) {
        uint64_t from = grids[step % 2], to = grids[1 - step % 2];
        for (uint64_t i = 1; i + 1 < n; i++)
            for (uint64_t j = 1; j + 1 < n; j++)
                for (uint64_t k = 1; k + 1 < n; k++) {
                    uint64_t at = (i * n + j) * n + k;
                    touch(s, 0, from + 8 * at);
                    touch(s, 1, from + 8 * (at - 1));
                    touch(s, 2, from + 8 * (at + 1));
                    touch(s, 3, from + 8 * (at - n));
                    touch(s, 4, from + 8 * (at + n));
                    touch(s, 5, from + 8 * (at - n * n));
                    touch(s, 6, from + 8 * (at + n * n));
                    touch(s, 7, to + 8 * at);
                }
    }
}

/* A recurrence along the rows, then one along the columns. */
static void adi(struct synthetic *s, uint64_t n)
{
    uint64_t x = array(s, n * n), a = array(s, n * n);
    for (uint64_t step = 0; step < 3; step++) {
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 1; j < n; j++) {
                touch(s, 0, x + 8 * (i * n + j - 1));
                touch(s, 1, a + 8 * (i * n + j));
                touch(s, 2, x + 8 * (i * n + j));
                touch(s, 3, x + 8 * (i * n + j));
            }
        for (uint64_t j = 0; j < n; j++)
            for (uint64_t i = 1; i < n; i++) {
                touch(s, 4, x + 8 * ((i - 1) * n + j));
                touch(s, 5, a + 8 * (i * n + j));
                touch(s, 6, x + 8 * (i * n + j));
                touch(s, 7, x + 8 * (i * n + j));
            }
    }
}

/* LU factors in place: distances that shrink as the elimination goes on. */
static void lu(struct synthetic *s, uint64_t n)
{
    uint64_t a = array(s, n * n);
    for (uint64_t k = 0; k < n; k++)
        for (uint64_t i = k + 1; i < n; i++) {
            touch(s, 0, a + 8 * (i * n + k));
            touch(s, 1, a + 8 * (i * n + k));
            for (uint64_t j = k + 1; j < n; j++) {
                touch(s, 2, a + 8 * (k * n + j));
                touch(s, 3, a + 8 * (i * n + j));
                touch(s, 4, a + 8 * (i * n + j));
            }
        }
}

static const uint32_t each[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint32_t stencil_groups[] = {0, 0, 0, 0, 0, 0, 0, 1};
static const uint32_t adi_groups[] = {0, 0, 0, 0, 1, 1, 1, 1};

const struct synthetic_kernel synthetic_kernels[] = {
    {"triad", 3, each, triad},
    {"matmul-ijk", 3, each, matmul_ijk},
    {"matmul-ikj", 4, each, matmul_ikj},
    {"matmul-tiled", 4, each, matmul_tiled},
    {"stencil", 8, stencil_groups, stencil},
    {"adi", 8, adi_groups, adi},
    {"lu", 5, each, lu},
    {NULL, 0, NULL, NULL},
};

const struct synthetic_kernel *synthetic_find(const char *name)
{
    for (const struct synthetic_kernel *kernel = synthetic_kernels; kernel->name; kernel++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static struct ft_histogram histogram_of(const struct synthetic *s, uint32_t reference)
{
    struct ft_histogram histogram = {.cold = s->cold[reference], .touches = s->cold[reference]};
    histogram.bins = zeroed(FT_BIN_COUNT, sizeof *histogram.bins);
    for (uint32_t bin = 0; bin < FT_BIN_COUNT; bin++) {
        const uint64_t *from = s->bins[reference][bin];
        if (from[0] == 0)
            continue;
        histogram.bins[histogram.bin_count++] = (struct ft_bin){bin, from[0], from[1]};
        histogram.touches += from[0];
    }
    return histogram;
}

static char *text(const char *from)
{
    char *copy = strdup(from);
    if (!copy)
        exit(1);
    return copy;
}

/* Program - module - routine - loop, and a block with one load for each reference. */
static void fill_scopes(const struct synthetic_kernel *kernel, const uint64_t *accesses,
                        struct ft_scopes *scopes)
{
    static const uint8_t kinds[4] = {FT_SCOPE_PROGRAM, FT_SCOPE_MODULE, FT_SCOPE_ROUTINE,
                                     FT_SCOPE_LOOP};
    static const char *const names[4] = {"program", "synthetic", "kernel", "loop at kernel.c:1"};
    uint32_t count = kernel->reference_count;
    *scopes = (struct ft_scopes){.module_count = 1,
                                 .scope_count = 4,
                                 .block_count = count,
                                 .reference_count = count,
                                 .group_count = count};
    scopes->modules = zeroed(1, sizeof *scopes->modules);
    scopes->modules[0].name = text("synthetic");
    scopes->modules[0].path = text("/synthetic");
    strcpy(scopes->modules[0].build_id, "0123");
    scopes->scopes = zeroed(4, sizeof *scopes->scopes);
    for (uint32_t i = 0; i < 4; i++)
        scopes->scopes[i] = (struct ft_scope){.parent = i > 0 ? i - 1 : 0,
                                              .kind = kinds[i],
                                              .module = i > 0 ? 0 : UINT32_MAX,
                                              .loop_depth = i == 3,
                                              .name = text(names[i]),
                                              .file = text("kernel.c"),
                                              .start_offset = 0x1000,
                                              .end_offset = 0x2000,
                                              .iteration_count = accesses[0]};
    scopes->blocks = zeroed(count, sizeof *scopes->blocks);
    scopes->references = zeroed(count, sizeof *scopes->references);
    for (uint32_t i = 0; i < count; i++) {
        scopes->blocks[i] = (struct ft_block){.scope = 3,
                                              .offset = 0x1000 + 16 * i,
                                              .code_bytes = 16,
                                              .instruction_count = 3,
                                              .execution_count = accesses[i],
                                              .flops = 2};
        scopes->blocks[i].mix[FT_MIX_LOAD] = 1;
        scopes->blocks[i].mix[FT_MIX_FP_FMA] = 1;
        scopes->references[i] = (struct ft_scoped_reference){.offset = 0x1000 + 16 * i,
                                                             .scope = 3,
                                                             .block = i,
                                                             .size_bytes = 8,
                                                             .group = kernel->groups[i],
                                                             .line = i + 1};
    }
}

static void fill_metadata(const struct synthetic_kernel *kernel, uint64_t n,
                          struct ft_histograms *entry)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)n);
    entry->trace_hash = text(hash);
    struct ft_metadata *metadata = &entry->metadata;
    metadata->parameters = zeroed(1, sizeof *metadata->parameters);
    metadata->parameters[0] = (struct ft_parameter){text("N"), (double)n};
    metadata->parameter_count = 1;
    metadata->program = text(kernel->name);
    metadata->arguments = zeroed(1, sizeof *metadata->arguments);
    metadata->directory = text("/");
    metadata->host = text("");
    metadata->kernel = text("");
    metadata->cpu = text("");
    metadata->tool_version = text("0");
    metadata->started = text("");
    metadata->end_reason = text("");
}

struct ft_histograms synthetic_histograms(const struct synthetic_kernel *kernel, uint64_t n,
                                          uint64_t block_bytes)
{
    uint32_t count = kernel->reference_count;
    struct synthetic s = {.counting = true, .block_bytes = block_bytes};
    kernel->run(&s, n);
    s.slots = s.time;
    s.tree = zeroed(s.slots + 1, sizeof *s.tree);
    s.last = zeroed(s.memory / block_bytes + 1, sizeof *s.last);
    s.accesses = zeroed(count, sizeof *s.accesses);
    s.cold = zeroed(count, sizeof *s.cold);
    s.bins = zeroed(count, sizeof *s.bins);
    s.counting = false;
    s.time = s.memory = 0;
    kernel->run(&s, n);

    struct ft_histograms entry = {
        .size_count = 1, .reference_count = count, .reference_accesses = s.accesses};
    entry.block_bytes = zeroed(1, sizeof *entry.block_bytes);
    entry.block_bytes[0] = block_bytes;
    entry.distinct_blocks = zeroed(1, sizeof *entry.distinct_blocks);
    entry.distinct_blocks[0] = s.live;
    entry.reference_strides = zeroed(count, sizeof *entry.reference_strides);
    entry.histograms = zeroed(count, sizeof *entry.histograms);
    for (uint32_t reference = 0; reference < count; reference++)
        entry.histograms[reference] = histogram_of(&s, reference);
    fill_metadata(kernel, n, &entry);
    fill_scopes(kernel, entry.reference_accesses, &entry.scopes);
    for (uint32_t i = 0; i < count; i++)
        entry.metadata.accesses += entry.reference_accesses[i];
    free(s.tree);
    free(s.last);
    free(s.cold);
    free(s.bins);
    return entry;
}

uint64_t synthetic_misses(const struct ft_histograms *entry, uint64_t capacity)
{
    uint64_t misses = 0;
    for (size_t i = 0; i < entry->scopes.reference_count; i++) {
        const struct ft_histogram *histogram = &entry->histograms[i];
        misses += histogram->cold;
        for (size_t j = 0; j < histogram->bin_count; j++)
            if (ft_bin_low(histogram->bins[j].bin) >= capacity)
                misses += histogram->bins[j].count;
    }
    return misses;
}
