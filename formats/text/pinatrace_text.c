/*
 * What pinatrace writes, the example in the manual of Intel's Pin: "0xIP: R 0xADDRESS" for a load,
 * W for a store, and "#eof" when the program has ended. IPs and addresses are printf's %p, so that
 * of 0 may be "(nil)". Sizes are not in it.
 */
#include <string.h>

#include "formats/text/text_format.h"

#define END_LINE     "#eof"
#define SIZE_UNKNOWN 1 /* bytes: what is known to be touched */

static int read_pointer(const char **at, const char *what, uint64_t *ret_number,
                        struct ft_diag *diag)
{
    static const char null[] = "(nil)";
    if (strncmp(*at, null, sizeof null - 1) == 0) {
        *at += sizeof null - 1;
        *ret_number = 0;
        return FT_OK;
    }
    if ((*at)[0] != '0' || ((*at)[1] != 'x' && (*at)[1] != 'X'))
        return ft_fail(diag, FT_ERROR_DATA, "expected the %s in hexadecimal, 0x..., not '%.40s'",
                       what, *at);
    return ft_text_read_number(at, 0, what, ret_number, diag);
}

static int read_line(struct ft_text_state *state, const char *line, bool *ret_found,
                     struct ft_text_item *ret_item, struct ft_diag *diag)
{
    *ret_found = false;
    if (state->has_ended)
        return ft_fail(diag, FT_ERROR_DATA, "unexpected '%.40s' behind the end, " END_LINE, line);
    if (strcmp(line, END_LINE) == 0) {
        state->has_ended = true;
        return FT_OK;
    }
    FT_TRY(read_pointer(&line, "instruction's address", &ret_item->pc, diag));
    if ((strncmp(line, ": R ", 4) != 0 && strncmp(line, ": W ", 4) != 0))
        return ft_fail(diag, FT_ERROR_DATA,
                       "expected ': R ' or ': W ' behind the instruction's address, not '%.40s'",
                       line);
    ret_item->kind = line[2] == 'R' ? FT_TEXT_LOAD : FT_TEXT_STORE;
    line += 4;
    FT_TRY(read_pointer(&line, "address", &ret_item->address, diag));
    if (*line)
        return ft_fail(diag, FT_ERROR_DATA, "unexpected '%.40s' behind the address", line);
    ret_item->size_bytes = state->options.access_bytes ? state->options.access_bytes : SIZE_UNKNOWN;
    *ret_found = true;
    return FT_OK;
}

static int check_end(const struct ft_text_state *state, struct ft_diag *diag)
{
    return state->has_ended || state->line == 0
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA,
                         "no " END_LINE " at the end: the file is truncated (if not, add it)");
}

static char *write_row(const struct ft_text_item *item, const char *kind, char *text)
{
    text = ft_text_write_hex(ft_text_write_string(text, "0x"), item->pc, 1);
    text = ft_text_write_string(text, kind);
    text = ft_text_write_hex(ft_text_write_string(text, "0x"), item->address, 1);
    *text++ = '\n';
    return text;
}

static char *write_item(const struct ft_text_item *item, char *text)
{
    switch (item->kind) {
    case FT_TEXT_LOAD:
        return write_row(item, ": R ", text);
    case FT_TEXT_STORE:
    case FT_TEXT_STORE_NONTEMPORAL:
        return write_row(item, ": W ", text);
    case FT_TEXT_MODIFY:
        return write_row(item, ": W ", write_row(item, ": R ", text));
    default:
        return text;
    }
}

const struct ft_text_format ft_text_pinatrace = {
    .name = "pinatrace",
    .title = "0xIP: R 0xADDRESS, of Pin's example pinatrace",
    .lacks = "sizes of accesses (1 byte unless --access-size says otherwise) and instructions "
             "without accesses",
    .footer = END_LINE "\n",
    .read = read_line,
    .check_end = check_end,
    .write = write_item,
    .takes_access_bytes = true,
};
