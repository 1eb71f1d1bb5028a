/*
 * compare_accesses [-p] REFERENCE OTHER: compares two streams of accesses, text or binary, from
 * files, pipes or stdin ("-"). Prints the first difference with what stands before and after it,
 * and the instructions where the reference gives them. Exit code 0 alike, 1 different, 3 no stream.
 *
 *   -p   the reference may end early (it was recorded in part)
 *
 * One pass, constant memory: the last few common accesses are kept in a ring.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/x86/disassembly.h"
#include "tests/oracle/access_stream.h"

#define CONTEXT 8

/* Code bytes by pc, as the reference gave them: the first time an instruction runs. */
struct code_table {
    struct ft_stream_code *codes;
    size_t count, capacity;
};

struct comparison {
    struct ft_stream_reader reference, other;
    struct code_table code;
    struct ft_stream_access common[CONTEXT];
    uint64_t count; /* common accesses */
};

static void remember_code(void *context, const struct ft_stream_code *code)
{
    struct code_table *table = context;
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? table->capacity * 2 : 1024;
        struct ft_stream_code *codes = realloc(table->codes, capacity * sizeof *codes);
        if (!codes)
            return; /* messages get shorter */
        table->codes = codes;
        table->capacity = capacity;
    }
    table->codes[table->count++] = *code;
}

static void print_access(const struct comparison *comparison, struct ft_disassembler *disassembler,
                         const char *label, const struct ft_stream_access *access)
{
    char text[128] = "";

    for (size_t i = comparison->code.count; i-- > 0 && !text[0];) {
        const struct ft_stream_code *code = &comparison->code.codes[i];
        if (code->pc == access->pc && disassembler)
            ft_disassemble(disassembler, code->code, code->code_bytes, code->pc, text, sizeof text);
    }
    printf("%-10s 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu32 " %s   %s\n", label, access->pc,
           access->address, access->size_bytes, ft_stream_kind_names[access->kind & 3], text);
}

/* The differing access of one stream and what follows it. */
static void print_rest(struct comparison *comparison, struct ft_disassembler *disassembler,
                       const char *label, struct ft_stream_reader *reader, int status,
                       struct ft_stream_access access)
{
    for (unsigned i = 0; i < CONTEXT && status == 1; i++) {
        print_access(comparison, disassembler, i == 0 ? label : "", &access);
        status = ft_stream_read(reader, &access, NULL);
    }
    if (status == 0)
        printf("%-10s (the end)\n", label);
}

static void print_difference(struct comparison *comparison, int reference_status,
                             const struct ft_stream_access *reference, int other_status,
                             const struct ft_stream_access *other)
{
    struct ft_disassembler *disassembler = NULL;
    uint64_t first = comparison->count > CONTEXT ? comparison->count - CONTEXT : 0;

    (void)ft_disassembler_create(&disassembler, NULL); /* without it no disassembly is shown */
    printf("first difference after %" PRIu64 " equal accesses\n", comparison->count);
    for (uint64_t i = first; i < comparison->count; i++)
        print_access(comparison, disassembler, "both", &comparison->common[i % CONTEXT]);
    print_rest(comparison, disassembler, "reference", &comparison->reference, reference_status,
               *reference);
    print_rest(comparison, disassembler, "other", &comparison->other, other_status, *other);
    ft_disassembler_destroy(disassembler);
}

static bool are_equal(const struct ft_stream_access *a, const struct ft_stream_access *b)
{
    return a->pc == b->pc && a->address == b->address && a->size_bytes == b->size_bytes &&
           a->kind == b->kind;
}

/* 0 alike, 1 different, or a negative status. */
static int compare(struct comparison *comparison, bool prefix, struct ft_diag *diag)
{
    struct ft_stream_access reference = {0}, other = {0};

    for (;;) {
        int reference_status = ft_stream_read(&comparison->reference, &reference, diag);
        int other_status =
            reference_status < 0 ? 0 : ft_stream_read(&comparison->other, &other, diag);
        if (reference_status < 0 || other_status < 0)
            return reference_status < 0 ? reference_status : other_status;
        if (reference_status == 0 && (other_status == 0 || (prefix && comparison->count)))
            return 0;
        if (!reference_status || !other_status || !are_equal(&reference, &other)) {
            print_difference(comparison, reference_status, &reference, other_status, &other);
            return 1;
        }
        comparison->common[comparison->count++ % CONTEXT] = reference;
    }
}

int main(int argc, char **argv)
{
    struct comparison comparison = {.count = 0};
    struct ft_diag diag;
    bool prefix = argc > 1 && strcmp(argv[1], "-p") == 0;

    if (argc != (prefix ? 4 : 3)) {
        fprintf(stderr, "usage: compare_accesses [-p] REFERENCE OTHER\n");
        return 2;
    }
    int result = ft_stream_open(&comparison.reference, argv[argc - 2], &diag);
    if (result == FT_OK)
        result = ft_stream_open(&comparison.other, argv[argc - 1], &diag);
    comparison.reference.on_code = comparison.other.on_code = remember_code;
    comparison.reference.context = comparison.other.context = &comparison.code;
    if (result == FT_OK)
        result = compare(&comparison, prefix, &diag);
    if (result < 0)
        fprintf(stderr, "compare_accesses: %s\n", diag.message);
    else if (result == 0)
        printf("%" PRIu64 " accesses, all equal\n", comparison.count);
    ft_stream_close(&comparison.reference);
    ft_stream_close(&comparison.other);
    free(comparison.code.codes);
    return result < 0 ? ft_exit_code(result) : result;
}
