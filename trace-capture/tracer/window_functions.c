#include "trace-capture/tracer/window_functions.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "trace-capture/markers/foretrace.h"
#include "trace-capture/modules/function_names.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/window_options.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"

struct addition {
    struct ft_windows *windows;
    uint64_t load_bias;
    bool failed;
};

static void add_function(void *context, size_t name, uint64_t offset)
{
    struct addition *addition = context;
    struct ft_windows *windows = addition->windows;
    uint64_t pc = offset + addition->load_bias;
    if (!FT_RESERVE(windows->functions, windows->function_capacity, windows->function_count + 1)) {
        addition->failed = true;
        return;
    }
    windows->outcome->is_found[name] = true;
    size_t at = windows->function_count;
    while (at > 0 && windows->functions[at - 1].pc > pc)
        at--;
    for (size_t i = at; i > 0 && windows->functions[i - 1].pc == pc; i--)
        if (windows->functions[i - 1].name == name)
            return; /* found in both symbol tables */
    memmove(windows->functions + at + 1, windows->functions + at,
            (windows->function_count - at) * sizeof *windows->functions);
    windows->functions[at] = (struct ft_window_function){pc, name};
    windows->function_count++;
}

/* Forgets the functions of what was mapped there before. */
static void drop_functions(struct ft_windows *windows, uint64_t start, uint64_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < windows->function_count; i++)
        if (windows->functions[i].pc < start || windows->functions[i].pc >= end)
            windows->functions[kept++] = windows->functions[i];
    windows->function_count = kept;
}

int ft_windows_add_module(struct ft_windows *windows, const char *path, uint64_t start,
                          uint64_t end, uint64_t load_bias, struct ft_diag *diag)
{
    const struct ft_window_options *options = windows->options;
    struct addition addition = {windows, load_bias, false};
    drop_functions(windows, start, end);
    if (options->name_count == 0 || path[0] != '/')
        return FT_OK;
    FT_TRY(ft_window_outcome_add_module(options, windows->outcome, path, diag));
    ft_functions_find(path, options->names, options->name_count, add_function, &addition);
    return addition.failed ? ft_fail_memory(diag, "functions") : FT_OK;
}

/* The name of the function at pc that opens (closes) windows; name_count where there is none. */
static size_t function_at(const struct ft_windows *windows, uint64_t pc, bool opens)
{
    size_t low = FT_COUNT_BELOW(windows->functions, windows->function_count, pc, pc);
    for (; low < windows->function_count && windows->functions[low].pc == pc; low++)
        if ((windows->functions[low].name < windows->options->from_count) == opens)
            return windows->functions[low].name;
    return windows->options->name_count;
}

static bool is_marker(const uint8_t *code, size_t bytes, bool opens)
{
    static const uint8_t nop[] = {0x0f, 0x1f, 0x80};
    const uint32_t number = opens ? FORETRACE_START_NUMBER : FORETRACE_STOP_NUMBER;
    return bytes >= sizeof nop + sizeof number && memcmp(code, nop, sizeof nop) == 0 &&
           memcmp(code + sizeof nop, &number, sizeof number) == 0;
}

static bool is_stop(void *context, enum ft_mode mode, uint64_t pc, const uint8_t *code,
                    size_t bytes)
{
    const struct ft_windows *windows = context;
    bool opens = mode == FT_MODE_UNLOGGED;
    return (windows->options->markers && is_marker(code, bytes, opens)) ||
           function_at(windows, pc, opens) < windows->options->name_count;
}

void ft_windows_init(struct ft_windows *windows, const struct ft_window_options *options,
                     struct ft_window_outcome *outcome, struct ft_translator *translator)
{
    bool opens_later = options->markers || options->from_count || options->skip;
    *windows = (struct ft_windows){.options = options,
                                   .outcome = outcome,
                                   .mode = opens_later ? FT_MODE_UNLOGGED : FT_MODE_LOGGED,
                                   .skipping = options->skip > 0};
    if (!options->any)
        return;
    windows->opened = !opens_later;
    outcome->opened += windows->opened;
    translator->is_window_stop = is_stop;
    translator->window_context = windows;
    translator->counts[FT_MODE_LOGGED] = options->length > 0;
    translator->counts[FT_MODE_UNLOGGED] = options->skip || options->every;
}

void ft_windows_fini(struct ft_windows *windows)
{
    free(windows->functions);
    free(windows->return_stops);
    *windows = (struct ft_windows){.options = windows->options, .outcome = windows->outcome};
}
