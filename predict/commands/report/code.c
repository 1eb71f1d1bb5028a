/*
 * 1. Scopes are weighed: by the largest share that they have themselves of the instructions, the
 *    accesses or the misses of a level.
 * 2. The heaviest ones are chosen, as many as take BYTES_MAX as JSON.
 * 3. Their blocks are written in the order of the code, so that the page finds those of a loop, and
 *    of the loops in it, one after the other. Addresses are offsets in the module.
 */
#include "predict/commands/report/code.h"

#include <math.h>
#include <stdlib.h>

#include "formats/x86/disassembly.h"
#include "formats/x86/unit.h"
#include "predict/commands/page/page.h"

#define BYTES_MAX         ((size_t)1 << 20)
#define WEIGHT_MIN        1e-4 /* what start-up code has less of */
#define BLOCK_BYTES       72U  /* what they take as JSON, about */
#define INSTRUCTION_BYTES 38U
#define REFERENCE_BYTES   20U /* and NUMBER_BYTES a column */
#define NUMBER_BYTES      7U

int ft_page_code_init(struct ft_page_code *code, const struct ft_scopes *scopes, size_t level_count,
                      struct ft_diag *diag)
{
    const size_t cells = scopes->reference_count * (1 + level_count);
    *code = (struct ft_page_code){
        .scopes = scopes,
        .width = 1 + level_count,
        .references = calloc(cells + 1, sizeof *code->references),
        .alike = calloc(scopes->reference_count + 1, sizeof *code->alike),
        .executions = calloc(scopes->block_count + 1, sizeof *code->executions),
    };
    if (!code->references || !code->alike || !code->executions)
        return ft_fail_memory(diag, "the code of a report");
    for (size_t i = 0; i < cells; i++)
        code->references[i] = NAN;
    for (size_t i = 0; i < scopes->reference_count; i++)
        code->alike[i] = 1;
    for (size_t i = 0; i < scopes->block_count; i++)
        code->executions[i] = NAN;
    return FT_OK;
}

void ft_page_code_fini(struct ft_page_code *code)
{
    free(code->references);
    free(code->alike);
    free(code->executions);
    *code = (struct ft_page_code){0};
}

/* ---- which scopes ---- */

struct weighed {
    uint32_t scope;
    double weight;
    size_t bytes;
};

static int heavier(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return (a->scope > b->scope) - (a->scope < b->scope);
}

/* Instructions, then the columns of references, of each scope by itself. */
static void add_up(const struct ft_page_code *code, double *rows, struct weighed *list)
{
    const struct ft_scopes *scopes = code->scopes;
    const size_t width = 1 + code->width;
    for (size_t b = 0; b < scopes->block_count; b++) {
        const struct ft_block *block = &scopes->blocks[b];
        if (!isnan(code->executions[b]))
            rows[block->scope * width] += code->executions[b] * block->instruction_count;
        list[block->scope].bytes +=
            BLOCK_BYTES + (size_t)block->instruction_count * INSTRUCTION_BYTES;
    }
    for (size_t r = 0; r < scopes->reference_count; r++) {
        const uint32_t scope = scopes->references[r].scope;
        list[scope].bytes += REFERENCE_BYTES + code->width * NUMBER_BYTES;
        for (size_t column = 0; column < code->width; column++) {
            const double figure = code->references[r * code->width + column];
            if (!isnan(figure))
                rows[scope * width + 1 + column] += figure / code->alike[r];
        }
    }
}

static void weigh(const double *rows, size_t width, struct weighed *list, size_t count)
{
    for (size_t column = 0; column < width; column++) {
        double all = 0;
        for (size_t i = 0; i < count; i++)
            all += rows[i * width + column];
        for (size_t i = 0; i < count && all > 0; i++)
            list[i].weight = fmax(list[i].weight, rows[i * width + column] / all);
    }
}

/* Gives the number of scopes that have code but no room. */
static int choose(const struct ft_page_code *code, const bool *is_shown, bool *ret_chosen,
                  size_t *ret_left_out, struct ft_diag *diag)
{
    const size_t count = code->scopes->scope_count, width = 1 + code->width;
    double *rows = calloc(count * width + 1, sizeof *rows);
    struct weighed *list = calloc(count + 1, sizeof *list);
    size_t bytes = 0;
    *ret_left_out = 0;
    if (rows && list) {
        for (size_t i = 0; i < count; i++)
            list[i].scope = (uint32_t)i;
        add_up(code, rows, list);
        weigh(rows, width, list, count);
        qsort(list, count, sizeof *list, heavier);
        for (size_t i = 0; i < count; i++) {
            if (list[i].bytes == 0 || !is_shown[list[i].scope])
                continue;
            const bool has_room =
                list[i].weight >= WEIGHT_MIN && bytes + list[i].bytes <= BYTES_MAX;
            ret_chosen[list[i].scope] = has_room;
            bytes += has_room ? list[i].bytes : 0;
            *ret_left_out += !has_room;
        }
    }
    free(rows);
    free(list);
    return rows && list ? FT_OK : ft_fail_memory(diag, "the code of a report");
}

/* ---- references in the order of the code ---- */

struct placed {
    uint32_t block, reference;
    uint64_t offset;
    uint8_t access_index;
};

static int compare_places(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->access_index != b->access_index)
        return a->access_index < b->access_index ? -1 : 1;
    return (a->reference > b->reference) - (a->reference < b->reference);
}

/* Without fetches, which each instruction makes. NULL: out of memory. */
static struct placed *place_references(const struct ft_scopes *scopes, size_t *ret_count)
{
    struct placed *list = calloc(scopes->reference_count + 1, sizeof *list), *end = list;
    for (uint32_t r = 0; list && r < scopes->reference_count; r++) {
        const struct ft_scoped_reference *reference = &scopes->references[r];
        if (reference->kind != FT_FETCH)
            *end++ =
                (struct placed){reference->block, r, reference->offset, reference->access_index};
    }
    *ret_count = list ? (size_t)(end - list) : 0;
    if (list)
        qsort(list, *ret_count, sizeof *list, compare_places);
    return list;
}

/* ---- blocks ---- */

struct listing {
    const struct ft_page_code *code;
    struct ft_disassembler *disassembler;
    const struct placed *next, *end; /* references that were not reached yet */
};

/* [kind, bytes, line, references alike, accesses, misses...] */
static json_t *reference_json(const struct ft_page_code *code, uint32_t reference)
{
    const struct ft_scoped_reference *place = &code->scopes->references[reference];
    const double *row = code->references + reference * code->width;
    json_t *list =
        json_pack("[s, I, I, I]", ft_access_kind_names[place->kind], (json_int_t)place->size_bytes,
                  (json_int_t)place->line, (json_int_t)code->alike[reference]);
    for (size_t column = 0; column < code->width; column++)
        ft_json_append(&list, ft_page_number(row[column]));
    return list;
}

/* [length, text, references...] */
static json_t *instruction_json(struct listing *listing, uint32_t block, uint64_t offset,
                                const uint8_t *bytes, size_t room, size_t *ret_length)
{
    char text[128];
    size_t length = ft_disassemble(listing->disassembler, bytes, room, offset, text, sizeof text);
    if (length == 0 || length > room)
        length = room;
    json_t *list = json_pack("[I, o]", (json_int_t)length, ft_json_text(text));
    while (listing->next < listing->end &&
           (listing->next->block < block ||
            (listing->next->block == block && listing->next->offset < offset)))
        listing->next++;
    for (; listing->next < listing->end && listing->next->block == block &&
           listing->next->offset == offset;
         listing->next++)
        ft_json_append(&list, reference_json(listing->code, listing->next->reference));
    *ret_length = length;
    return list;
}

static json_t *block_json(struct listing *listing, uint32_t index, const uint8_t *bytes)
{
    const struct ft_block *block = &listing->code->scopes->blocks[index];
    json_t *instructions = json_array();
    for (size_t at = 0, length; at < block->code_bytes; at += length)
        ft_json_append(&instructions,
                       instruction_json(listing, index, block->offset + at, bytes + at,
                                        block->code_bytes - at, &length));
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "scope", (json_int_t)block->scope, "module",
                     block->module == FT_NO_MODULE ? (json_int_t)-1 : (json_int_t)block->module,
                     "offset", (json_int_t)block->offset, "executed",
                     ft_page_number(listing->code->executions[index]), "instructions",
                     instructions);
}

static json_t *blocks_json(struct listing *listing, const bool *is_chosen)
{
    const struct ft_scopes *scopes = listing->code->scopes;
    json_t *list = json_array();
    size_t at = 0;
    for (uint32_t b = 0; b < scopes->block_count; b++) {
        if (is_chosen[scopes->blocks[b].scope])
            ft_json_append(&list, block_json(listing, b, scopes->code + at));
        at += scopes->blocks[b].code_bytes;
    }
    return list;
}

int ft_page_code_json(const struct ft_page_code *code, const bool *is_shown, json_t **ret_code,
                      struct ft_diag *diag)
{
    size_t count = 0, left_out = 0;
    if (!code->scopes->code) {
        *ret_code = json_null();
        return FT_OK;
    }
    bool *is_chosen = calloc(code->scopes->scope_count + 1, sizeof *is_chosen);
    struct placed *references = place_references(code->scopes, &count);
    struct listing listing = {.code = code, .next = references, .end = references + count};
    int status = is_chosen && references ? FT_OK : ft_fail_memory(diag, "the code of a report");
    if (status == FT_OK)
        status = choose(code, is_shown, is_chosen, &left_out, diag);
    if (status == FT_OK)
        status = ft_disassembler_create(&listing.disassembler, diag);
    if (status == FT_OK) {
        *ret_code = json_pack("{s:o, s:I}", "blocks", blocks_json(&listing, is_chosen), "left_out",
                              (json_int_t)left_out);
        ft_disassembler_destroy(listing.disassembler);
    }
    free(is_chosen);
    free(references);
    return status;
}
