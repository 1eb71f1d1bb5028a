/*
 * What the view tool of DynamoRIO's drmemtrace prints: behind a head, a line a record, with its
 * number, the number of instructions so far, the thread and what it is:
 *     "  7  1:  342625 ifetch       3 byte(s) @ 0x00007f0000001000 48 89 e7   mov    %rsp, %rdi"
 *     "  8  1:  342625 write        8 byte(s) @ 0x... by PC 0x..."
 * or "<marker: ...>"; and at the end the number of its lines ifetch. Numbers of instructions do not
 * rise at repetitions of string instructions, which are listed but not fetched. Bytes of code that
 * do not fit into a line go on in the next one.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "formats/text/text_format.h"

#define BEGINNING "Output format:"
#define END       "View tool results:"

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* The three numbers in front of each record. */
static int read_prefix(const char **at, uint64_t *ret_instruction, uint64_t *ret_thread,
                       struct ft_diag *diag)
{
    uint64_t record;
    *at = skip_blanks(*at);
    FT_TRY(ft_text_read_number(at, 10, "number of a record", &record, diag));
    *at = skip_blanks(*at);
    FT_TRY(ft_text_read_number(at, 10, "number of an instruction", ret_instruction, diag));
    if (**at != ':')
        return ft_fail(diag, FT_ERROR_DATA,
                       "expected 'RECORD INSTRUCTION: THREAD ...', as DynamoRIO 9 and later write");
    *at = skip_blanks(*at + 1);
    return ft_text_read_number(at, 10, "thread", ret_thread, diag);
}

/* Past `word`, which must be there. */
static int skip_word(const char **at, const char *word, struct ft_diag *diag)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "expected '%s', not '%.40s'", word, *at);
    *at += length;
    return FT_OK;
}

/* "3 byte(s) @ 0x00007f0000001000" */
static int read_place(const char **at, uint64_t *ret_size_bytes, uint64_t *ret_address,
                      struct ft_diag *diag)
{
    *at = skip_blanks(*at);
    FT_TRY(ft_text_read_number(at, 10, "size", ret_size_bytes, diag));
    FT_TRY(skip_word(at, " byte(s) @ 0x", diag));
    return ft_text_read_number(at, 16, "address", ret_address, diag);
}

/* Whether the thread is the one that is imported. */
static int check_thread(struct ft_text_state *state, uint64_t thread, bool *ret_taken,
                        struct ft_diag *diag)
{
    *ret_taken = !state->options.has_thread || state->options.thread == thread;
    if (*ret_taken && state->has_thread && state->thread != thread)
        return ft_fail(diag, FT_ERROR_DATA,
                       "thread %" PRIu64 " behind thread %" PRIu64
                       ": choose the one to import with --thread",
                       thread, state->thread);
    if (*ret_taken) {
        state->has_thread = true;
        state->thread = thread;
    }
    return FT_OK;
}

/* The number of instruction lines, which is all that is read of the results. */
static int read_results(struct ft_text_state *state, const char *line, struct ft_diag *diag)
{
    uint64_t instructions;
    line = skip_blanks(line);
    FT_TRY(ft_text_read_number(&line, 10, "number of instructions", &instructions, diag));
    FT_TRY(skip_word(&line, " : total instructions", diag));
    if (instructions != state->instructions)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%" PRIu64 " instructions in the results, %" PRIu64 " in the lines above",
                       instructions, state->instructions);
    state->has_ended = true;
    return FT_OK;
}

/* Names of records with an address; of what is no access (flushes) FT_TEXT_INSTRUCTION. */
static bool find_kind(const char *name, size_t length, uint8_t *ret_kind)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } names[] = {
        {"read", FT_TEXT_LOAD},           {"write", FT_TEXT_STORE},
        {"iflush", FT_TEXT_INSTRUCTION},  {"dflush", FT_TEXT_INSTRUCTION},
        {"pref-HW", FT_TEXT_INSTRUCTION},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0) {
            *ret_kind = names[i].kind;
            return true;
        }
    *ret_kind = FT_TEXT_PREFETCH; /* pref, pref-r-L1, ... */
    return strncmp(name, "pref", 4) == 0;
}

static bool is_rest_of_code(const char *details)
{
    for (; *details; details++)
        if (*details != ' ' && !isxdigit((unsigned char)*details))
            return false;
    return true;
}

static int read_fetch(struct ft_text_state *state, const char *details, uint64_t number,
                      bool is_taken, bool *ret_found, struct ft_text_item *ret_item,
                      struct ft_diag *diag)
{
    FT_TRY(read_place(&details, &ret_item->size_bytes, &ret_item->address, diag));
    *ret_found = is_taken && number != state->instruction_number;
    state->instruction_number = number;
    state->instructions++;
    ret_item->pc = ret_item->address;
    ret_item->kind = FT_TEXT_INSTRUCTION;
    return FT_OK;
}

static int read_record(struct ft_text_state *state, const char *line, bool *ret_found,
                       struct ft_text_item *ret_item, struct ft_diag *diag)
{
    uint64_t instruction, thread;
    bool is_taken;
    FT_TRY(read_prefix(&line, &instruction, &thread, diag));
    const char *name = skip_blanks(line);
    if (*name == '<' || is_rest_of_code(name))
        return FT_OK;
    FT_TRY(check_thread(state, thread, &is_taken, diag));
    const size_t length = strcspn(name, " ");
    if (length == 6 && strncmp(name, "ifetch", length) == 0)
        return read_fetch(state, name + length, instruction, is_taken, ret_found, ret_item, diag);
    if (!find_kind(name, length, &ret_item->kind))
        return ft_fail(diag, FT_ERROR_DATA, "unknown record '%.40s'", name);
    line = name + length;
    FT_TRY(read_place(&line, &ret_item->size_bytes, &ret_item->address, diag));
    FT_TRY(skip_word(&line, " by PC 0x", diag));
    FT_TRY(ft_text_read_number(&line, 16, "pc", &ret_item->pc, diag));
    *ret_found = is_taken && ret_item->kind != FT_TEXT_INSTRUCTION;
    return FT_OK;
}

static int read_line(struct ft_text_state *state, const char *line, bool *ret_found,
                     struct ft_text_item *ret_item, struct ft_diag *diag)
{
    static const char results[] = " : total instructions";
    *ret_found = false;
    if (!state->has_begun) { /* what the program itself wrote */
        state->has_begun = strcmp(line, BEGINNING) == 0;
        return FT_OK;
    }
    if (state->has_ended || line[0] == '<' || strncmp(line, "----", 4) == 0 ||
        strcmp(line, END) == 0)
        return FT_OK;
    if (strstr(line, results))
        return read_results(state, line, diag);
    return read_record(state, line, ret_found, ret_item, diag);
}

static int check_end(const struct ft_text_state *state, struct ft_diag *diag)
{
    if (!state->has_begun)
        return ft_fail(diag, FT_ERROR_DATA, "no line '" BEGINNING "': no output of the view tool");
    return state->has_ended
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "no '" END "' at the end: the file is truncated");
}

const struct ft_text_format ft_text_drmemtrace = {
    .name = "drmemtrace",
    .title = "output of drrun -t drmemtrace -tool view",
    .lacks = "which stores are non-temporal",
    .read = read_line,
    .check_end = check_end,
    .takes_thread = true,
};
