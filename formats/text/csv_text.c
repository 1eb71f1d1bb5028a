/*
 * CSV as people exchange it with scripts: a header line, then one line an access or an executed
 * instruction, numbers decimal or hexadecimal with 0x. Kinds: load, store, store_nt (non-temporal),
 * prefetch, and instruction, whose address is its pc and whose size is its length (0: unknown).
 */
#include <string.h>

#include "formats/text/text_format.h"

#define HEADER "pc,address,size,kind"

static const char *kind_name(unsigned kind)
{
    return kind == FT_TEXT_INSTRUCTION ? "instruction" : ft_access_kind_names[kind];
}

static int read_field(const char **at, const char *what, uint64_t *ret_number, struct ft_diag *diag)
{
    FT_TRY(ft_text_read_number(at, 0, what, ret_number, diag));
    if (**at != ',')
        return ft_fail(diag, FT_ERROR_DATA, "expected a comma after the %s: " HEADER, what);
    ++*at;
    return FT_OK;
}

static int read_kind(const char *word, uint8_t *ret_kind, struct ft_diag *diag)
{
    for (unsigned kind = 0; kind <= FT_TEXT_INSTRUCTION; kind++)
        if (kind != FT_TEXT_MODIFY && strcmp(word, kind_name(kind)) == 0) {
            *ret_kind = (uint8_t)kind;
            return FT_OK;
        }
    return ft_fail(diag, FT_ERROR_DATA,
                   "unknown kind '%.40s'; expected load, store, store_nt, prefetch or instruction",
                   word);
}

static int read_line(struct ft_text_state *state, const char *line, bool *ret_found,
                     struct ft_text_item *ret_item, struct ft_diag *diag)
{
    *ret_found = state->line > 1;
    if (state->line == 1)
        return strcmp(line, HEADER) == 0
                   ? FT_OK
                   : ft_fail(diag, FT_ERROR_DATA, "the first line must be '" HEADER "'");
    FT_TRY(read_field(&line, "pc", &ret_item->pc, diag));
    FT_TRY(read_field(&line, "address", &ret_item->address, diag));
    FT_TRY(read_field(&line, "size", &ret_item->size_bytes, diag));
    FT_TRY(read_kind(line, &ret_item->kind, diag));
    if (ret_item->kind == FT_TEXT_INSTRUCTION && ret_item->address != ret_item->pc)
        return ft_fail(diag, FT_ERROR_DATA, "the address of an instruction differs from its pc");
    return FT_OK;
}

static char *write_row(const struct ft_text_item *item, const char *kind, char *text)
{
    text = ft_text_write_hex(ft_text_write_string(text, "0x"), item->pc, 1);
    text = ft_text_write_hex(ft_text_write_string(text, ",0x"), item->address, 1);
    *text++ = ',';
    text = ft_text_write_decimal(text, item->size_bytes);
    *text++ = ',';
    text = ft_text_write_string(text, kind);
    *text++ = '\n';
    return text;
}

static char *write_item(const struct ft_text_item *item, char *text)
{
    if (item->kind != FT_TEXT_MODIFY)
        return write_row(item, kind_name(item->kind), text);
    text = write_row(item, kind_name(FT_TEXT_LOAD), text);
    return write_row(item, kind_name(FT_TEXT_STORE), text);
}

const struct ft_text_format ft_text_csv = {
    .name = "csv",
    .title = HEADER ", with a header line",
    .header = HEADER "\n",
    .read = read_line,
    .write = write_item,
};
