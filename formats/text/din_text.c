/*
 * The "din" text of the cache simulator Dinero III and IV: label, address and, where it is told,
 * size, all hexadecimal. Labels are 0 read, 1 write, 2 instruction fetch, or r, w, i in Dinero IV's
 * extended form. What was fetched last is the instruction that reads and writes: the format does
 * not say so, but simulated machines write it in that order.
 */
#include <string.h>

#include "formats/text/text_format.h"

#define WORD_BYTES 4 /* of accesses that tell no size */

static int read_label(const char **at, uint8_t *ret_kind, struct ft_diag *diag)
{
    static const char labels[] = "rwi012";
    static const uint8_t kinds[] = {FT_TEXT_LOAD, FT_TEXT_STORE, FT_TEXT_INSTRUCTION};
    const char *found = **at ? strchr(labels, **at) : NULL;
    size_t length = strcspn(*at, " \t");
    if (!found || length != 1)
        return ft_fail(
            diag, FT_ERROR_DATA,
            "unknown label '%.*s'; expected 0 (read), 1 (write) or 2 (instruction fetch)",
            length < 40 ? (int)length : 40, *at);
    *ret_kind = kinds[(size_t)(found - labels) % 3];
    *at += 1;
    return FT_OK;
}

static int read_hexadecimal(const char **at, const char *what, uint64_t *ret_number,
                            struct ft_diag *diag)
{
    *at += strspn(*at, " \t");
    if ((*at)[0] == '0' && ((*at)[1] == 'x' || (*at)[1] == 'X'))
        *at += 2;
    int status = ft_text_read_number(at, 16, what, ret_number, diag);
    if (!status && strspn(*at, " \t") == 0 && **at)
        status = ft_fail(diag, FT_ERROR_DATA, "unexpected '%.40s' after the %s", *at, what);
    *at += strspn(*at, " \t");
    return status;
}

static int read_line(struct ft_text_state *state, const char *line, bool *ret_found,
                     struct ft_text_item *ret_item, struct ft_diag *diag)
{
    line += strspn(line, " \t");
    int status = read_label(&line, &ret_item->kind, diag);
    if (!status)
        status = read_hexadecimal(&line, "address", &ret_item->address, diag);
    bool is_instruction = ret_item->kind == FT_TEXT_INSTRUCTION;
    ret_item->size_bytes = is_instruction ? 0 : WORD_BYTES;
    if (!status && *line)
        status = read_hexadecimal(&line, "size", &ret_item->size_bytes, diag);
    if (!status && *line)
        status = ft_fail(diag, FT_ERROR_DATA, "unexpected '%.40s' after the size", line);
    if (status)
        return status;
    if (is_instruction)
        state->pc = ret_item->address;
    ret_item->pc = state->pc;
    *ret_found = true;
    return FT_OK;
}

static char *write_row(char label, const struct ft_text_item *item, char *text)
{
    *text++ = label;
    *text++ = ' ';
    text = ft_text_write_hex(text, item->address, 1);
    if (item->size_bytes) {
        *text++ = ' ';
        text = ft_text_write_hex(text, item->size_bytes, 1);
    }
    *text++ = '\n';
    return text;
}

static char *write_item(const struct ft_text_item *item, char *text)
{
    switch (item->kind) {
    case FT_TEXT_LOAD:
        return write_row('0', item, text);
    case FT_TEXT_STORE:
    case FT_TEXT_STORE_NONTEMPORAL:
        return write_row('1', item, text);
    case FT_TEXT_MODIFY:
        return write_row('1', item, write_row('0', item, text));
    case FT_TEXT_INSTRUCTION:
        return write_row('2', item, text);
    default:
        return text;
    }
}

const struct ft_text_format ft_text_din = {
    .name = "din",
    .title = "label address [size] of the cache simulator Dinero",
    .read = read_line,
    .write = write_item,
};
