/*
 * The histogram file: what is read is what was written, equal contents give equal bytes, contents
 * that contradict themselves are refused, and so is a damaged file, or it gives what was written.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/result_file.h"
#include "formats/histograms/data_histograms.h"
#include "formats/histograms/histograms.h"
#include "formats/histograms/reuse_pairs.h"
#include "formats/x86/unit.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

/* HDF5 1.10 itself loses memory where a filter fails; read by the leak sanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

#define REFERENCES 100
#define SIZES      2

static void *zeros(size_t count, size_t bytes)
{
    void *items = calloc(count, bytes);
    if (!items)
        exit(99);
    return items;
}

static struct ft_histogram make_histogram(uint64_t *seed)
{
    struct ft_histogram histogram = {.cold = random_next(seed) % 9,
                                     .bin_count = random_next(seed) % 40};
    histogram.bins =
        histogram.bin_count ? zeros(histogram.bin_count, sizeof *histogram.bins) : NULL;
    histogram.touches = histogram.cold;
    uint32_t bin = 0;
    for (size_t i = 0; i < histogram.bin_count; i++) {
        bin += 1 + random_next(seed) % 5;
        uint64_t count = 1 + random_next(seed) % 1000;
        histogram.bins[i] = (struct ft_bin){bin, count, count * ft_bin_low(bin)};
        histogram.touches += count;
    }
    return histogram;
}

#define PAIRS 40

/* Cold touches of the first reference, then reuse between references. */
static struct ft_reuse_pairs make_pairs(uint64_t *seed)
{
    struct ft_reuse_pairs pairs = {.pairs = zeros(PAIRS, sizeof(struct ft_reuse_pair)),
                                   .histograms = zeros(PAIRS, sizeof(struct ft_histogram)),
                                   .count = PAIRS};
    for (uint32_t i = 0; i < PAIRS; i++) {
        struct ft_histogram *histogram = &pairs.histograms[i];
        *histogram = make_histogram(seed);
        histogram->touches -= histogram->cold;
        histogram->cold = 0;
        pairs.pairs[i] = (struct ft_reuse_pair){i / 7, 5 * (i / 2), 0, i % 2 != 0};
    }
    struct ft_histogram *cold = &pairs.histograms[6];
    free(cold->bins);
    *cold = (struct ft_histogram){.touches = 3, .cold = 3};
    pairs.pairs[6] = (struct ft_reuse_pair){0, FT_NO_SOURCE, FT_NO_SCOPE, false};
    return pairs;
}

static struct ft_histograms make_entry(uint64_t seed)
{
    struct ft_histograms entry = {
        .trace_hash = strdup("0123456789abcdef"),
        .metadata = {.program = strdup("/opt/program"),
                     .directory = strdup(""),
                     .tool_version = strdup("1.2"),
                     .end_reason = strdup("the program exited with status 0"),
                     .instructions = seed,
                     .accesses = UINT64_MAX,
                     .parameters = zeros(1, sizeof(struct ft_parameter)),
                     .parameter_count = 1,
                     .arguments = zeros(2, sizeof(char *)),
                     .argument_count = 2},
        .size_count = SIZES,
        .reference_count = REFERENCES,
        .block_bytes = zeros(SIZES, 8),
        .distinct_blocks = zeros(SIZES, 8),
        .reference_accesses = zeros(REFERENCES, 8),
        .reference_strides = zeros(REFERENCES, 8),
        .seen_strides = zeros(REFERENCES, 8),
        .reference_bases = zeros(REFERENCES, 8),
        .histograms = zeros((size_t)REFERENCES * SIZES, sizeof(struct ft_histogram)),
        .touches = zeros(SIZES, 8),
        .scope_totals = zeros(SIZES, sizeof(struct ft_scope_total)),
    };
    entry.metadata.parameters[0] = (struct ft_parameter){strdup("N"), 0.1 * (double)seed};
    entry.metadata.arguments[0] = strdup("/opt/program");
    entry.metadata.arguments[1] = strdup("a \xc3\xbc b");
    entry.block_bytes[0] = 64;
    entry.block_bytes[1] = UINT64_C(1) << 63;
    entry.distinct_blocks[1] = seed;
    entry.touches[0] = 5 * seed;
    entry.scope_totals[1] = (struct ft_scope_total){seed, 2 * seed, 3};
    struct ft_scopes *scopes = &entry.scopes;
    scopes->scopes = zeros(1, sizeof *scopes->scopes);
    scopes->scopes[0] = (struct ft_scope){
        .module = FT_NO_MODULE, .kind = FT_SCOPE_PROGRAM, .name = strdup("p"), .file = strdup("")};
    scopes->blocks = zeros(1, sizeof *scopes->blocks);
    scopes->blocks[0].module = FT_NO_MODULE;
    scopes->references = zeros(REFERENCES, sizeof *scopes->references);
    scopes->scope_count = scopes->block_count = scopes->group_count = 1;
    scopes->reference_count = REFERENCES;
    for (size_t r = 0; r < REFERENCES; r++) {
        entry.reference_accesses[r] = random_next(&seed);
        entry.reference_strides[r] = r % 3 ? (int64_t)random_next(&seed) : FT_STRIDE_NONE;
        entry.seen_strides[r] = (int64_t)random_next(&seed);
        entry.reference_bases[r] = random_next(&seed);
        scopes->references[r].module = FT_NO_MODULE;
        for (size_t s = 0; s < SIZES; s++)
            entry.histograms[r * SIZES + s] = make_histogram(&seed);
    }
    entry.pairs = zeros(SIZES, sizeof *entry.pairs);
    for (size_t s = 0; s < SIZES; s++)
        entry.pairs[s] = make_pairs(&seed);
    return entry;
}

static struct ft_histogram_file make_file(void)
{
    struct ft_histogram_file file = {.entries = zeros(2, sizeof *file.entries),
                                     .count = 2,
                                     .options = strdup("-b 64"),
                                     .tool_version = strdup("0")};
    file.entries[0] = make_entry(1);
    file.entries[1] = make_entry(2);
    ft_reuse_pairs_free(file.entries[0].pairs, SIZES);
    file.entries[0].pairs = NULL;
    return file;
}

static bool same_texts(const struct ft_histograms *a, const struct ft_histograms *b)
{
    const struct ft_metadata *m = &a->metadata, *n = &b->metadata;
    return strcmp(a->trace_hash, b->trace_hash) == 0 && strcmp(m->program, n->program) == 0 &&
           strcmp(m->directory, n->directory) == 0 &&
           strcmp(m->tool_version, n->tool_version) == 0 &&
           strcmp(m->end_reason, n->end_reason) == 0 && n->parameter_count == 1 &&
           strcmp(m->parameters[0].name, n->parameters[0].name) == 0 &&
           m->parameters[0].value == n->parameters[0].value && n->argument_count == 2 &&
           strcmp(m->arguments[0], n->arguments[0]) == 0 &&
           strcmp(m->arguments[1], n->arguments[1]) == 0;
}

static bool same_histogram(const struct ft_histogram *x, const struct ft_histogram *y)
{
    bool same = x->touches == y->touches && x->cold == y->cold && x->bin_count == y->bin_count;
    for (size_t k = 0; same && k < x->bin_count; k++)
        same = x->bins[k].bin == y->bins[k].bin && x->bins[k].count == y->bins[k].count &&
               x->bins[k].distance_sum == y->bins[k].distance_sum;
    return same;
}

static bool same_pairs(const struct ft_reuse_pairs *a, const struct ft_reuse_pairs *b)
{
    if (!a || !b)
        return a == b;
    for (size_t s = 0; s < SIZES; s++)
        for (size_t i = 0; i < PAIRS; i++)
            if (a[s].count != b[s].count ||
                ft_reuse_pair_compare(&a[s].pairs[i], &b[s].pairs[i]) != 0 ||
                !same_histogram(&a[s].histograms[i], &b[s].histograms[i]))
                return false;
    return true;
}

static bool same_entry(const struct ft_histograms *a, const struct ft_histograms *b)
{
    if (!same_texts(a, b) || a->metadata.instructions != b->metadata.instructions ||
        a->metadata.accesses != b->metadata.accesses || a->size_count != b->size_count ||
        a->reference_count != b->reference_count ||
        a->scopes.reference_count != b->scopes.reference_count ||
        memcmp(a->block_bytes, b->block_bytes, SIZES * 8) != 0 ||
        memcmp(a->distinct_blocks, b->distinct_blocks, SIZES * 8) != 0 ||
        memcmp(a->touches, b->touches, SIZES * 8) != 0 ||
        memcmp(a->scope_totals, b->scope_totals, SIZES * sizeof *a->scope_totals) != 0 ||
        memcmp(a->reference_accesses, b->reference_accesses, REFERENCES * 8) != 0 ||
        memcmp(a->reference_strides, b->reference_strides, REFERENCES * 8) != 0 ||
        memcmp(a->seen_strides, b->seen_strides, REFERENCES * 8) != 0 ||
        memcmp(a->reference_bases, b->reference_bases, REFERENCES * 8) != 0)
        return false;
    for (size_t i = 0; i < (size_t)REFERENCES * SIZES; i++)
        if (!same_histogram(&a->histograms[i], &b->histograms[i]))
            return false;
    return same_pairs(a->pairs, b->pairs);
}

static bool same_file(const struct ft_histogram_file *a, const struct ft_histogram_file *b)
{
    return a->count == b->count && strcmp(a->options, b->options) == 0 &&
           strcmp(a->tool_version, b->tool_version) == 0 &&
           same_entry(&a->entries[0], &b->entries[0]) && same_entry(&a->entries[1], &b->entries[1]);
}

static uint8_t *load(const char *path, size_t *ret_bytes)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        exit(99);
    fseek(stream, 0, SEEK_END);
    *ret_bytes = (size_t)ftell(stream);
    rewind(stream);
    uint8_t *bytes = zeros(*ret_bytes, 1);
    if (fread(bytes, 1, *ret_bytes, stream) != *ret_bytes)
        exit(99);
    fclose(stream);
    return bytes;
}

static void store(const char *path, const uint8_t *bytes, size_t count)
{
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, count, stream) != count || fclose(stream))
        exit(99);
}

/* Whether reading gives an error of the right kind that names the file, or what was written. */
static bool refused_or_right(const char *path, const struct ft_histogram_file *file)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    int status = ft_histogram_file_read(path, &read, &diag);
    if (status)
        return status == FT_ERROR_DATA && strncmp(diag.message, path, strlen(path)) == 0;
    bool same = same_file(file, &read);
    ft_histogram_file_fini(&read);
    return same;
}

static void check_round_trip(const struct ft_histogram_file *file)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    size_t first_bytes, second_bytes;
    bool written = ft_histogram_file_write("first.h5", file, &diag) == FT_OK &&
                   ft_histogram_file_write("second.h5", file, &diag) == FT_OK;
    if (!tap_ok(written, "a file is written %s", diag.message))
        return;
    uint8_t *first = load("first.h5", &first_bytes), *second = load("second.h5", &second_bytes);
    tap_ok(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0,
           "equal contents give equal bytes");
    tap_ok(access("first.h5.partial", F_OK) != 0, "no partial file is left");
    if (tap_ok(ft_histogram_file_read("first.h5", &read, &diag) == FT_OK, "it is read %s",
               diag.message)) {
        tap_ok(same_file(file, &read), "what is read is what was written");
        ft_histogram_file_fini(&read);
    }
    free(first);
    free(second);
}

/* The version that a file says, 0 where it cannot be written. */
static uint32_t version_written(const struct ft_histogram_file *file)
{
    uint32_t version = 0;
    struct ft_diag diag = {0};
    if (ft_histogram_file_write("version.h5", file, &diag))
        return 0;
    hid_t opened = H5Fopen("version.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t attribute = H5Aopen(opened, "format_version", H5P_DEFAULT);
    if (H5Aread(attribute, H5T_NATIVE_UINT32, &version) < 0)
        version = 0;
    H5Aclose(attribute);
    H5Fclose(opened);
    return version;
}

static void check_damage(const struct ft_histogram_file *file)
{
    size_t count;
    uint8_t *bytes = load("first.h5", &count);
    uint64_t seed = 4;
    unsigned wrong = 0;
    const unsigned times = tap_repetitions(400, 50, 12);
    for (unsigned i = 0; i < times; i++) {
        size_t at = random_next(&seed) % count;
        uint8_t kept = bytes[at];
        bytes[at] ^= (uint8_t)(1 << random_next(&seed) % 8);
        store("damaged.h5", bytes, count);
        wrong += !refused_or_right("damaged.h5", file);
        bytes[at] = kept;
    }
    tap_ok(wrong == 0, "of %u damaged files %u are taken for something else", times, wrong);
    wrong = 0;
    for (size_t length = 0; length < count; length += count / 50 + 1) {
        store("damaged.h5", bytes, length);
        struct ft_histogram_file read;
        struct ft_diag diag = {0};
        wrong += ft_histogram_file_read("damaged.h5", &read, &diag) != FT_ERROR_DATA;
    }
    tap_ok(wrong == 0, "of 50 files cut short %u are read", wrong);
    free(bytes);
}

/* A change that no checksum sees: it is written so. */
static void check_contradiction(const char *what, struct ft_histogram_file *file, void *place,
                                const void *value, size_t bytes)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    uint64_t kept;
    memcpy(&kept, place, bytes);
    memcpy(place, value, bytes);
    int written = ft_histogram_file_write("wrong.h5", file, &diag);
    tap_ok(written == FT_OK && ft_histogram_file_read("wrong.h5", &read, &diag) == FT_ERROR_DATA,
           "%s: %s", what, diag.message);
    memcpy(place, &kept, bytes);
}

/* Pairs between threads make the file one of version 4, and are read as they were. */
static void check_other_thread(struct ft_histogram_file *file, struct ft_reuse_pair *pair)
{
    const struct ft_reuse_pair kept = *pair;
    pair->scope = FT_OTHER_THREAD;
    pair->is_carried = false;
    tap_ok(version_written(file) == 4, "a pair between threads makes version 4");
    check_round_trip(file);
    *pair = kept;
    tap_ok(version_written(file) == 3, "pairs of threads by themselves are of version 3");
}

static void check_number(const char *what, struct ft_histogram_file *file, uint64_t *place,
                         uint64_t value)
{
    check_contradiction(what, file, place, &value, sizeof value);
}

/* Numbers of pairs that no file may have. */
static void check_pair(const char *what, struct ft_histogram_file *file, uint32_t *place,
                       uint32_t value)
{
    check_contradiction(what, file, place, &value, sizeof value);
}

/* Two objects, of which the first reference touches both. */
static struct ft_data_histograms *make_data(void)
{
    struct ft_data_histograms *data = zeros(1, sizeof *data);
    uint64_t seed = 77;
    data->items = zeros(2, sizeof *data->items);
    data->item_count = 2;
    data->items[0] = (struct ft_data_item){
        strdup("variable"), strdup("a\xc3\xbc"), strdup("/a.c"), FT_NO_MODULE, 7, 0x4000, 80, 0};
    data->items[1] = (struct ft_data_item){
        strdup("heap"), strdup("malloc: f"), strdup(""), FT_NO_MODULE, 0, 0, 1 << 20, 3};
    data->parts = zeros(3, sizeof *data->parts);
    data->part_count = 3;
    data->parts[0] = (struct ft_data_part){0, 0, 5};
    data->parts[1] = (struct ft_data_part){0, 1, UINT64_MAX};
    data->parts[2] = (struct ft_data_part){REFERENCES - 1, 0, 1};
    data->histograms = zeros((size_t)3 * SIZES, sizeof *data->histograms);
    for (size_t i = 0; i < (size_t)3 * SIZES; i++)
        data->histograms[i] = make_histogram(&seed);
    return data;
}

static bool same_data(const struct ft_data_histograms *a, const struct ft_data_histograms *b)
{
    bool same = b && a->item_count == b->item_count && a->part_count == b->part_count;
    for (size_t i = 0; same && i < a->item_count; i++) {
        const struct ft_data_item *x = &a->items[i], *y = &b->items[i];
        same = strcmp(x->kind, y->kind) == 0 && strcmp(x->name, y->name) == 0 &&
               strcmp(x->file, y->file) == 0 && x->module == y->module && x->line == y->line &&
               x->offset == y->offset && x->bytes == y->bytes && x->blocks == y->blocks;
    }
    for (size_t p = 0; same && p < a->part_count; p++)
        same = a->parts[p].reference == b->parts[p].reference &&
               a->parts[p].object == b->parts[p].object &&
               a->parts[p].accesses == b->parts[p].accesses;
    for (size_t i = 0; same && i < a->part_count * SIZES; i++)
        same = same_histogram(&a->histograms[i], &b->histograms[i]);
    return same;
}

static void check_data(struct ft_histogram_file *file)
{
    struct ft_histogram_file read = {0};
    struct ft_diag diag = {0};
    struct ft_histograms *entry = &file->entries[0];
    entry->data = make_data();
    tap_ok(version_written(file) == 4, "data make version 4");
    if (tap_ok(ft_histogram_file_read("version.h5", &read, &diag) == FT_OK, "read %s",
               diag.message))
        tap_ok(same_data(entry->data, read.entries[0].data), "data are read as they were written");
    ft_histogram_file_fini(&read);
    struct ft_data_part *parts = entry->data->parts;
    check_pair("a part of no object", file, &parts[2].object, 2);
    check_pair("a part of no reference", file, &parts[2].reference, REFERENCES);
    check_pair("objects out of order", file, &parts[1].object, 0);
    check_pair("references out of order", file, &parts[0].reference, 1);
    check_pair("data of no module", file, &entry->data->items[0].module, 0);
    ft_data_histograms_free(entry->data, SIZES);
    entry->data = NULL;
}

static void check_share(const char *what, struct ft_histogram_file *file, double *place,
                        double value)
{
    check_contradiction(what, file, place, &value, sizeof value);
}

static bool same_sets(const struct ft_set_distances *a, const struct ft_set_distances *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = ft_set_distance_compare(&a->rows[i], &b->rows[i]) == 0 &&
               a->rows[i].touches == b->rows[i].touches;
    return same;
}

/* Distances within sets: of 8 touches at a distance of 5 blocks 6 have one or two of them in one of
 * 2 sets, 3 in one of 4. */
static void check_sets(struct ft_histogram_file *file)
{
    struct ft_set_distance rows[] = {
        {0, 0, 9, 0, 8}, {0, 1, 9, 1, 4}, {0, 1, 9, 2, 2}, {0, 2, 9, 1, 3}, {1, 0, 0, 0, 0.5}};
    struct ft_set_distances sets = {.rows = rows, .count = sizeof rows / sizeof *rows};
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    file->entries[1].set_distances = &sets;
    tap_ok(version_written(file) == 10, "distances within sets are of version 10");
    if (tap_ok(ft_histogram_file_read("version.h5", &read, &diag) == FT_OK, "they are read %s",
               diag.message)) {
        const struct ft_set_distances *there = read.entries[1].set_distances;
        tap_ok(!read.entries[0].set_distances && there && same_sets(there, &sets),
               "as they were written, of the trace that has them");
        ft_histogram_file_fini(&read);
    }
    check_pair("a set of no block size", file, &rows[4].size, SIZES);
    check_pair("too many sets", file, &rows[3].set_bits, FT_SET_BITS_MAX + 1);
    check_pair("too far", file, &rows[4].step, FT_SET_STEPS);
    check_pair("a set without blocks", file, &rows[3].in_set, 0);
    check_pair("more blocks in a set than there are between", file, &rows[2].in_set, 6);
    check_pair("no touches of the step", file, &rows[3].step, 10);
    check_pair("rows out of order", file, &rows[2].in_set, 1);
    check_share("more than all of a step", file, &rows[2].touches, 4.1);
    check_share("touches below none", file, &rows[4].touches, -1);
    check_share("touches without number", file, &rows[0].touches, INFINITY);
    file->entries[1].set_distances = NULL;
}

/* How groups move, and where. */
static void check_groups(struct ft_histogram_file *file)
{
    static char text[] = " 480 40 8";
    struct ft_scopes *scopes = &file->entries[1].scopes;
    struct ft_scoped_group groups[2] = {{text, 1}, {text, 0}};
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    scopes->groups = groups;
    tap_ok(version_written(file) == 5, "what tells how groups move is of version 5");
    if (tap_ok(ft_histogram_file_read("version.h5", &read, &diag) == FT_OK, "it is read %s",
               diag.message)) {
        const struct ft_scopes *there = &read.entries[1].scopes;
        tap_ok(!read.entries[0].scopes.groups && there->groups && there->group_count == 1 &&
                   strcmp(there->groups[0].strides, text) == 0 && there->groups[0].storage == 1,
               "with what it tells, of the trace that it is known of");
        ft_histogram_file_fini(&read);
    }
    groups[0].storage = FT_STORAGE_KINDS;
    tap_ok(version_written(file) == 5 &&
               ft_histogram_file_read("version.h5", &read, &diag) == FT_ERROR_DATA,
           "refused: %s", diag.message);
    groups[0].storage = 0;
    scopes->groups = NULL;
}

/* Pages that are mapped again. */
static void check_remapped(struct ft_histogram_file *file)
{
    struct ft_scopes *scopes = &file->entries[1].scopes;
    uint64_t *pages = calloc(scopes->scope_count + 1, sizeof *pages);
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    if (!tap_ok(pages && scopes->scope_count > 0, "there are scopes")) {
        free(pages);
        return;
    }
    pages[scopes->scope_count - 1] = 12;
    scopes->remapped_pages = pages;
    tap_ok(version_written(file) == 13, "pages that are mapped again are of version 13");
    if (tap_ok(ft_histogram_file_read("version.h5", &read, &diag) == FT_OK, "they are read %s",
               diag.message)) {
        const uint64_t *there = read.entries[1].scopes.remapped_pages;
        tap_ok(!read.entries[0].scopes.remapped_pages && there &&
                   there[scopes->scope_count - 1] == 12,
               "in their scope, of the trace that has them");
        ft_histogram_file_fini(&read);
    }
    scopes->remapped_pages = NULL;
    free(pages);
}

/* How well branches are predicted. */
static void check_predictions(struct ft_histogram_file *file)
{
    struct ft_scopes *scopes = &file->entries[1].scopes;
    struct ft_block_prediction *predictions = calloc(scopes->block_count + 1, sizeof *predictions);
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    if (!tap_ok(predictions && scopes->block_count > 0, "there are blocks")) {
        free(predictions);
        return;
    }
    predictions[0] = (struct ft_block_prediction){1000, 17};
    scopes->predictions = predictions;
    tap_ok(version_written(file) == 12, "what tells how branches are predicted is of version 12");
    if (tap_ok(ft_histogram_file_read("version.h5", &read, &diag) == FT_OK, "it is read %s",
               diag.message)) {
        const struct ft_block_prediction *there = read.entries[1].scopes.predictions;
        tap_ok(!read.entries[0].scopes.predictions && there && there[0].branches == 1000 &&
                   there[0].mispredictions == 17,
               "with what it tells, of the trace that it is known of");
        ft_histogram_file_fini(&read);
    }
    predictions[0].mispredictions = 1001;
    tap_ok(version_written(file) == 12 &&
               ft_histogram_file_read("version.h5", &read, &diag) == FT_ERROR_DATA,
           "refused: %s", diag.message);
    scopes->predictions = NULL;
    free(predictions);
}

static int write_nothing(hid_t root, const void *contents, struct ft_diag *diag)
{
    (void)root;
    (void)contents;
    (void)diag;
    return FT_OK;
}

static void check_foreign(void)
{
    struct ft_histogram_file read;
    struct ft_diag diag = {0};
    store("text", (const uint8_t *)"no HDF5 file\n", 13);
    tap_ok(ft_histogram_file_read("text", &read, &diag) == FT_ERROR_DATA, "%s", diag.message);
    tap_ok(ft_histogram_file_read("nowhere.h5", &read, &diag) == FT_ERROR_IO, "%s", diag.message);
    bool made = !ft_result_file_write("model.h5", "model", 1, write_nothing, NULL, &diag);
    tap_ok(made && ft_histogram_file_read("model.h5", &read, &diag) == FT_ERROR_DATA, "%s",
           diag.message);
}

int main(void)
{
    enter_temporary_folder();
    struct ft_histogram_file file = make_file();
    check_round_trip(&file);
    check_damage(&file);
    check_groups(&file);
    check_predictions(&file);
    check_remapped(&file);
    struct ft_histogram *histogram = file.entries[1].histograms;
    while (histogram->bin_count < 2)
        histogram++;
    check_number("touches", &file, &histogram->touches, histogram->touches + 1);
    check_number("sum too low", &file, &histogram->bins[1].distance_sum, 0);
    check_number("sum too high", &file, &histogram->bins[1].distance_sum, UINT64_MAX);
    check_number("empty bin", &file, &histogram->bins[0].count, 0);
    check_number("block size", &file, &file.entries[1].block_bytes[0], 48);
    check_number("order of sizes", &file, &file.entries[1].block_bytes[1], 32);
    struct ft_reuse_pair *pairs = file.entries[1].pairs[1].pairs;
    check_pair("sink", &file, &pairs[PAIRS - 1].sink, REFERENCES);
    check_pair("source", &file, &pairs[PAIRS - 1].source, REFERENCES);
    check_pair("order of sources", &file, &pairs[2].source, 0);
    check_pair("order of sinks", &file, &pairs[8].sink, 0);
    check_pair("scope", &file, &pairs[PAIRS - 1].scope, 1);
    check_pair("scope of cold touches", &file, &pairs[6].scope, 0);
    check_pair("carried by no scope", &file, &pairs[1].scope, FT_NO_SCOPE);
    check_pair("carried between threads", &file, &pairs[1].scope, FT_OTHER_THREAD);
    check_pair("cold touches between threads", &file, &pairs[6].scope, FT_OTHER_THREAD);
    check_other_thread(&file, &pairs[PAIRS - 1]);
    check_pair("reuse without a source", &file, &pairs[PAIRS - 1].source, FT_NO_SOURCE);
    check_pair("cold touches with a source", &file, &pairs[6].source, REFERENCES - 1);
    check_data(&file);
    check_sets(&file);
    check_foreign();
    ft_histogram_file_fini(&file);
    return tap_plan_done();
}
