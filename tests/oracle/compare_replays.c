/*
 * compare_replays [-s] TRACE OTHER: whether two traces replay alike: the same blocks touched, and
 * for each instruction, kind and size of access the same histograms at every block size. What a
 * trace knows beside that (code, modules, references without accesses) may differ.
 *
 *   -s   non-temporal stores are stores like all others
 *
 * Exit code 0 alike, 1 different, 3 no trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/stacks/replay.h"
#include "tests/support/create_replay.h"

#define SIZES 4
static const uint64_t block_bytes[SIZES] = {32, 64, 4096, 2 << 20};

/* All references of one pc, kind and size together. */
struct row {
    uint64_t pc;
    uint32_t size_bytes;
    uint8_t kind;
    uint64_t accesses;
    uint64_t touches[SIZES], cold[SIZES];
    uint64_t counts[SIZES][FT_BIN_COUNT], distances[SIZES][FT_BIN_COUNT];
};

static bool stores_are_alike;

static uint8_t kind_of(const struct ft_reference *reference)
{
    return stores_are_alike && reference->kind == FT_STORE_NONTEMPORAL ? FT_STORE : reference->kind;
}

struct replayed {
    struct ft_trace *trace;
    struct ft_histograms histograms;
    const struct ft_reference *references;
    struct ft_run_source *source;
    uint32_t *order; /* of the references that were used, by place; count of them */
    size_t count;
};

static int by_place(const void *left, const void *right, void *references)
{
    const struct ft_reference *a =
        (const struct ft_reference *)references + *(const uint32_t *)left;
    const struct ft_reference *b =
        (const struct ft_reference *)references + *(const uint32_t *)right;
    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    if (kind_of(a) != kind_of(b))
        return kind_of(a) < kind_of(b) ? -1 : 1;
    return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

static int replay_trace(const char *path, struct replayed *replayed, struct ft_diag *diag)
{
    struct ft_replay *replay = NULL;
    int status = ft_trace_open(path, NULL, &replayed->trace, diag);
    if (!status)
        status = ft_trace_runs(replayed->trace, 0, NULL, &replayed->source, diag);
    if (!status)
        status = create_replay(block_bytes, SIZES, NULL, &replay, diag);
    if (!status)
        status = ft_replay_run(replay, replayed->source, diag);
    if (!status)
        status = ft_replay_finish(replay, &replayed->histograms, diag);
    ft_replay_destroy(replay);
    if (status)
        return status;
    replayed->references = replayed->source->references;
    replayed->order = calloc(replayed->source->reference_count + 1, sizeof *replayed->order);
    if (!replayed->order)
        return ft_fail_memory(diag, "the order of references");
    for (uint32_t i = 0; i < replayed->source->reference_count; i++)
        if (replayed->histograms.reference_accesses[i])
            replayed->order[replayed->count++] = i;
    qsort_r(replayed->order, replayed->count, sizeof *replayed->order, by_place,
            (void *)replayed->references);
    return FT_OK;
}

/* Takes the next row from *at on; false at the end. */
static bool take_row(const struct replayed *replayed, size_t *at, struct row *row)
{
    memset(row, 0, sizeof *row);
    if (*at == replayed->count)
        return false;
    const uint32_t *order = replayed->order;
    const struct ft_reference *first = &replayed->references[order[*at]];
    row->pc = first->pc;
    row->size_bytes = first->size_bytes;
    row->kind = kind_of(first);
    size_t start = *at;
    for (; *at < replayed->count &&
           by_place(&order[start], &order[*at], (void *)replayed->references) == 0;
         ++*at) {
        row->accesses += replayed->histograms.reference_accesses[order[*at]];
        for (unsigned s = 0; s < SIZES; s++) {
            const struct ft_histogram *from =
                &replayed->histograms.histograms[(size_t)order[*at] * SIZES + s];
            row->touches[s] += from->touches;
            row->cold[s] += from->cold;
            for (size_t b = 0; b < from->bin_count; b++) {
                row->counts[s][from->bins[b].bin] += from->bins[b].count;
                row->distances[s][from->bins[b].bin] += from->bins[b].distance_sum;
            }
        }
    }
    return true;
}

static bool same_row(const struct row *a, const struct row *b)
{
    return a->pc == b->pc && a->kind == b->kind && a->size_bytes == b->size_bytes &&
           a->accesses == b->accesses && memcmp(a->touches, b->touches, sizeof a->touches) == 0 &&
           memcmp(a->cold, b->cold, sizeof a->cold) == 0 &&
           memcmp(a->counts, b->counts, sizeof a->counts) == 0 &&
           memcmp(a->distances, b->distances, sizeof a->distances) == 0;
}

static void print_row(const char *label, bool found, const struct row *row)
{
    if (!found)
        printf("%s: no more references\n", label);
    else
        printf("%s: pc 0x%" PRIx64 ", kind %u, %u bytes: %" PRIu64 " accesses, %" PRIu64 " cold\n",
               label, row->pc, row->kind, row->size_bytes, row->accesses, row->cold[0]);
}

static int compare(const struct replayed *left, const struct replayed *right)
{
    static struct row a, b;
    size_t at_left = 0, at_right = 0, rows = 0;
    for (unsigned s = 0; s < SIZES; s++)
        if (left->histograms.distinct_blocks[s] != right->histograms.distinct_blocks[s]) {
            printf("%" PRIu64 " and %" PRIu64 " blocks of %" PRIu64 " bytes\n",
                   left->histograms.distinct_blocks[s], right->histograms.distinct_blocks[s],
                   block_bytes[s]);
            return 1;
        }
    for (;; rows++) {
        bool found_left = take_row(left, &at_left, &a);
        bool found_right = take_row(right, &at_right, &b);
        if (found_left != found_right || !same_row(&a, &b)) {
            print_row("first", found_left, &a);
            print_row("second", found_right, &b);
            return 1;
        }
        if (!found_left)
            break;
    }
    printf("%zu references replay alike\n", rows);
    return rows ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct ft_diag diag;
    static struct replayed replayed[2];
    if (argc > 1 && strcmp(argv[1], "-s") == 0) {
        stores_are_alike = true;
        argc--;
        argv++;
    }
    if (argc != 3)
        return 2;
    for (unsigned i = 0; i < 2; i++)
        if (replay_trace(argv[1 + i], &replayed[i], &diag)) {
            fprintf(stderr, "%s\n", diag.message);
            return 3;
        }
    int code = compare(&replayed[0], &replayed[1]);
    for (unsigned i = 0; i < 2; i++) {
        free(replayed[i].order);
        replayed[i].source->destroy(replayed[i].source);
        ft_histograms_fini(&replayed[i].histograms);
        ft_trace_close(replayed[i].trace);
    }
    return code;
}
