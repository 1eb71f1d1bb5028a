/*
 * What `valgrind --tool=lackey --trace-mem=yes` writes: "I  address,size" for each instruction,
 * then " L address,size", " S ..." and " M ..." (a load and a store) for what it accesses;
 * addresses hexadecimal, sizes decimal. Valgrind's own messages, "==pid== ...", stand between them.
 */
#include <string.h>

#include "formats/text/text_format.h"

/* "==12== text", "--12-- text", "**12** text" */
static bool is_message(const char *line)
{
    if (!strchr("=-*", line[0]) || line[0] == 0 || line[1] != line[0])
        return false;
    const char *at = line + 2;
    at += strspn(at, "0123456789");
    return at > line + 2 && at[0] == line[0] && at[1] == line[0];
}

static bool read_label(const char **at, uint8_t *ret_kind)
{
    const char *line = *at;
    if (line[0] == 'I' && line[1] == ' ')
        *ret_kind = FT_TEXT_INSTRUCTION;
    else if (line[0] == ' ' && line[1] == 'L' && line[2] == ' ')
        *ret_kind = FT_TEXT_LOAD;
    else if (line[0] == ' ' && line[1] == 'S' && line[2] == ' ')
        *ret_kind = FT_TEXT_STORE;
    else if (line[0] == ' ' && line[1] == 'M' && line[2] == ' ')
        *ret_kind = FT_TEXT_MODIFY;
    else
        return false;
    *at += 2;
    *at += strspn(*at, " ");
    return true;
}

static int read_line(struct ft_text_state *state, const char *line, bool *ret_found,
                     struct ft_text_item *ret_item, struct ft_diag *diag)
{
    *ret_found = !is_message(line);
    if (!*ret_found) {
        const char *command = strstr(line, "= Command: ");
        if (command && !state->command)
            state->command = strdup(command + strlen("= Command: "));
        return FT_OK;
    }
    if (!read_label(&line, &ret_item->kind))
        return ft_fail(diag, FT_ERROR_DATA,
                       "expected 'I  address,size', ' L ...', ' S ...', ' M ...' or a message of "
                       "Valgrind; separate the program's own output with --log-file=FILE");
    int status = ft_text_read_number(&line, 16, "address", &ret_item->address, diag);
    if (!status && *line != ',')
        status = ft_fail(diag, FT_ERROR_DATA, "expected a comma and the size after the address");
    line += !status;
    if (!status && *line == '0' && (line[1] == 'x' || line[1] == 'X'))
        status = ft_fail(diag, FT_ERROR_DATA, "size '%.40s' is not an integer", line);
    if (!status)
        status = ft_text_read_number(&line, 0, "size", &ret_item->size_bytes, diag);
    if (!status && *line)
        status = ft_fail(diag, FT_ERROR_DATA, "unexpected '%.40s' after the size", line);
    if (status)
        return status;
    if (ret_item->kind == FT_TEXT_INSTRUCTION)
        state->pc = ret_item->address;
    ret_item->pc = state->pc;
    return FT_OK;
}

static char *write_item(const struct ft_text_item *item, char *text)
{
    static const char *const labels[] = {
        [FT_TEXT_LOAD] = " L ",   [FT_TEXT_STORE] = " S ",
        [FT_TEXT_MODIFY] = " M ", [FT_TEXT_STORE_NONTEMPORAL] = " S ",
        [FT_TEXT_PREFETCH] = "",  [FT_TEXT_INSTRUCTION] = "I  ",
    };
    if (item->kind == FT_TEXT_PREFETCH)
        return text;
    text = ft_text_write_string(text, labels[item->kind]);
    text = ft_text_write_hex(text, item->address, 8);
    *text++ = ',';
    text = ft_text_write_decimal(text, item->size_bytes);
    *text++ = '\n';
    return text;
}

const struct ft_text_format ft_text_lackey = {
    .name = "lackey",
    .title = "text of valgrind --tool=lackey --trace-mem=yes",
    .read = read_line,
    .write = write_item,
};
