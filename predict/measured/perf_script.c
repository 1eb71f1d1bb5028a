/*
 * perf script -F event,period,data_src,ip,sym (perf-script(1)), a line for each sample: "10000
 * cpu/mem-loads,ldlat=3/P: 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A
 * 401136 multiply", with any further fields. The event's name ends with the last colon before the
 * bars; behind them stand numbers, the last of them the instruction's address, then the symbol,
 * with its offset where that was asked for, and its file in parentheses.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "predict/measured/load_samples.h"
#include "predict/measured/readers.h"

#define OPERATION "|OP "

/* Texts are parts of its line. */
struct sample {
    const char *event;             /* "": unknown */
    double period;                 /* 1: unknown */
    const char *operation, *level; /* "LOAD", "L1 hit" */
    const char *tlb, *symbol;      /* NULL: unknown */
    bool is_kernels;
};

bool ft_measured_is_perf_script(const struct ft_measured_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (strstr(lines->items[i], OPERATION) && strstr(lines->items[i], "|LVL "))
            return true;
    return false;
}

/* Cuts blanks at the end. */
static void trim_end(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
}

/* What stands before the bars: the event is the last word that ends with a colon and is no time,
 * the period is before it. */
static void read_head(char *head, struct sample *sample)
{
    char *before = NULL, *rest = NULL;
    for (char *word = strtok_r(head, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        const size_t length = strlen(word);
        if (length > 1 && word[length - 1] == ':' && strspn(word, "0123456789.:") < length) {
            word[length - 1] = 0;
            sample->event = word;
            if (!before || !ft_parse_double(before, &sample->period) || !(sample->period > 0))
                sample->period = 1;
        }
        before = word;
    }
}

/* Cuts off "(/usr/lib/libm.so)", which blanks stand before; gives it, or "". */
static const char *cut_file(char *tail)
{
    char *file = NULL;
    for (char *at = tail; (at = strstr(at, " (")); at++)
        if (at[2] == '/' || at[2] == '[')
            file = at;
    if (!file)
        return "";
    *file = 0;
    return file + 1;
}

/* "N/A 5 7 0 7fad7c47425d solve(int, int)+0x2c (/usr/lib/libm.so)": what follows the last bar. */
static void read_tail(char *tail, struct sample *sample)
{
    sample->is_kernels = strncmp(cut_file(tail), "([kernel", strlen("([kernel")) == 0;
    trim_end(tail);
    char *symbol = NULL;
    size_t numbers = 0;
    for (char *at = tail + strspn(tail, " \t"); *at; at += strspn(at, " \t")) {
        const size_t length = strcspn(at, " \t");
        const bool is_number = strspn(at, "0123456789abcdef") == length;
        if (is_number || numbers > 0)
            symbol = at; /* of a routine called "add" nothing follows */
        if (!is_number && numbers > 0)
            break;
        numbers += is_number;
        at += length;
    }
    if (!symbol || (numbers < 2 && symbol[strspn(symbol, "0123456789abcdef")] == 0))
        return;
    char *offset = strrchr(symbol, '+');
    if (offset && strncmp(offset, "+0x", 3) == 0)
        *offset = 0;
    sample->symbol = strcmp(symbol, "[unknown]") == 0 ? NULL : symbol;
}

/* False: the line is none of a sample. */
static bool read_sample(char *line, struct sample *ret_sample)
{
    struct sample sample = {.event = "", .operation = "", .level = "", .period = 1};
    char *bars = strstr(line, OPERATION);
    if (!bars)
        return false;
    *bars++ = 0;
    for (char *field = bars; field;) {
        char *next = strchr(field, '|'), *last = field;
        if (next)
            *next++ = 0;
        if (strncmp(field, "OP ", 3) == 0)
            sample.operation = field + 3;
        else if (strncmp(field, "LVL ", 4) == 0)
            sample.level = field + 4;
        else if (strncmp(field, "TLB ", 4) == 0)
            sample.tlb = field + 4;
        field = next;
        if (!field)
            read_tail(last, &sample);
    }
    read_head(line, &sample);
    *ret_sample = sample;
    return true;
}

static int add_line(char *line, const char *path, struct ft_load_samples *samples, char *event,
                    size_t event_bytes, struct ft_diag *diag)
{
    struct sample sample;
    if (!read_sample(line, &sample) || strncmp(sample.operation, "LOAD", strlen("LOAD")) != 0)
        return FT_OK;
    FT_TRY(ft_load_event_check(sample.event, path, diag));
    if (!event[0])
        snprintf(event, event_bytes, "%s", sample.event);
    return sample.is_kernels ? FT_OK
                             : ft_load_samples_add(samples, sample.symbol, sample.level, sample.tlb,
                                                   1, sample.period, diag);
}

int ft_measured_perf_script(const struct ft_measured_lines *lines, struct ft_measured *measured,
                            struct ft_diag *diag)
{
    struct ft_load_samples samples = {0};
    char event[128] = "";
    int status = FT_OK;
    for (size_t i = 0; i < lines->count && status == FT_OK; i++) {
        char *line = strdup(lines->items[i]);
        status = line ? add_line(line, lines->path, &samples, event, sizeof event, diag)
                      : ft_fail_memory(diag, lines->path);
        free(line);
    }
    if (status == FT_OK)
        status = ft_load_samples_measure(&samples, event[0] ? event : "loads", measured, diag);
    ft_load_samples_fini(&samples);
    return status;
}
