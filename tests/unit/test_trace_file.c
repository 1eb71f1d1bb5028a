/*
 * A small trace written and read back: everything that went in comes out, the content hash ignores
 * when and where it was captured, and what is damaged, foreign, newer or cut off is told from what
 * is whole.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/trace/trace_reader.h"
#include "formats/trace/trace_writer.h"
#include "formats/trace/zstd_filter.h"
#include "formats/x86/log_plan.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

/* HDF5 1.10 itself loses memory where its structures are damaged; read by the leak sanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static struct ft_parameter parameters[] = {{"N", 1000}, {"M", 0.5}};
static char *arguments[] = {"prog", "-x", "two words"};

static struct ft_metadata metadata_of(char *started, char *host)
{
    return (struct ft_metadata){.parameters = parameters,
                                .parameter_count = 2,
                                .arguments = arguments,
                                .argument_count = 3,
                                .directory = "/tmp",
                                .program = "/usr/bin/prog",
                                .host = host,
                                .kernel = "6.1",
                                .cpu = "a cpu",
                                .tool_version = "0.1",
                                .started = started,
                                .end_reason = "the program exited with status 0",
                                .xsave_standard_bytes = 832,
                                .xsave_compact_bytes = 800,
                                .instructions = 3000,
                                .accesses = 1000,
                                .prefetches = 5};
}

/* With 5 MB of strings a module goes on over two chunks. */
#define STRINGS_BYTES       5000001
#define SHORT_STRINGS_BYTES 50001

static struct ft_module make_module(size_t strings_bytes)
{
    static struct ft_symbol symbols[] = {{0x1000, 0x1040, 1, FT_SYMBOL_TABLE},
                                         {0x1040, 0x1100, 7, FT_SYMBOL_DYNAMIC}};
    static struct ft_line lines[] = {{0x1000, 0x1008, 12, 3}, {0x1010, 0x1018, 12, 4}};
    static struct ft_inline inlines[] = {{0x1040, 0x1080, 7, 12, 9, 0},
                                         {0x1050, 0x1060, 1, 12, 10, 1},
                                         {0x1090, 0x10a0, 1, 12, 11, 0}};
    static struct ft_variable variables[] = {{0x1800, 0x1808, 1, FT_VARIABLE_TABLE, 12, 2},
                                             {0x1810, 0x1900, 7, FT_VARIABLE_DWARF, 0, 0}};
    static const char names[] = "\0first\0second\0a.c";
    struct ft_module module = {.path = "/usr/bin/prog",
                               .build_id = {1, 2, 3, 4},
                               .build_id_bytes = 4,
                               .load_bias = 0x555555554000,
                               .start = 0x1000,
                               .end = 0x2000,
                               .symbols = symbols,
                               .symbol_count = 2,
                               .lines = lines,
                               .line_count = 2,
                               .inlines = inlines,
                               .inline_count = 3,
                               .variables = variables,
                               .variable_count = 2,
                               .strings_bytes = strings_bytes};
    module.strings = malloc(module.strings_bytes);
    for (size_t i = 0; i < module.strings_bytes; i++)
        module.strings[i] = (char)(i * i * 2654435761U >> 13);
    memcpy(module.strings, names, sizeof names);
    module.strings[module.strings_bytes - 1] = 0;
    return module;
}

/* mov (%rdi), %rax; add $8, %rdi; ret -- and a loop: mov (%rdi), %rax; cmp %rsi, %rdi; jne. */
static const uint8_t code[2][8] = {{0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x08, 0xc3},
                                   {0x48, 0x8b, 0x07, 0x48, 0x39, 0xf7, 0x75, 0xf8}};

static int write_units(struct ft_trace_writer *writer, struct ft_diag *diag)
{
    static const struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    struct ft_unit units[2] = {0};
    const struct ft_unit *pointers[2] = {&units[0], &units[1]};
    int status = FT_OK;
    for (unsigned i = 0; i < 2 && status == FT_OK; i++) {
        status = ft_unit_plan(code[i], sizeof code[i], 0x555555555000 + 16 * i, &limits, &units[i],
                              diag);
        units[i].id = i + 1;
        units[i].module = 0;
    }
    if (status == FT_OK)
        status = ft_trace_writer_units(writer, pointers, 2, diag);
    ft_unit_fini(&units[0]);
    ft_unit_fini(&units[1]);
    return status;
}

static int write_log(struct ft_trace_writer *writer, uint32_t thread, uint64_t sequence,
                     struct ft_diag *diag)
{
    uint8_t payload[1000];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 + thread + sequence);
    struct ft_chunk chunk = {.kind = FT_CHUNK_LOG,
                             .thread = thread,
                             .sequence = sequence,
                             .totals = {10, 1500, 500, 1},
                             .payload = payload,
                             .payload_bytes = sizeof payload};
    struct ft_bytes frame = {0};
    int status = ft_chunk_compress(&chunk, 1, &frame, diag);
    if (status == FT_OK)
        status = ft_trace_writer_append(writer, &chunk, &frame, diag);
    ft_bytes_fini(&frame);
    return status;
}

static int write_trace_of(size_t strings_bytes, const char *path, char *started, char *host,
                          bool finish, struct ft_diag *diag)
{
    struct ft_metadata metadata = metadata_of(started, host);
    struct ft_module module = make_module(strings_bytes);
    struct ft_trace_writer *writer;
    struct ft_event events[] = {
        {.sequence = 1, .kind = FT_EVENT_MODULE_MAPPED, .b = 0x555555554000},
        {.sequence = 2, .kind = FT_EVENT_ENDED, .text = "exited"}};
    int status = ft_trace_writer_create(path, &metadata, &writer, diag);
    if (status == FT_OK) {
        status = ft_trace_writer_module(writer, &module, diag);
        if (status == FT_OK)
            status = ft_trace_writer_events(writer, events, 1, diag);
        if (status == FT_OK) /* a later chunk goes on */
            status = ft_trace_writer_events(writer, events + 1, 1, diag);
        if (status == FT_OK)
            status = write_units(writer, diag);
        if (status == FT_OK)
            status = write_log(writer, 1, 0, diag);
        if (status == FT_OK)
            status = write_log(writer, 0, 0, diag);
        if (status == FT_OK)
            status = write_log(writer, 1, 1, diag);
        if (status == FT_OK && finish)
            status = ft_trace_writer_finish(writer, &metadata, diag);
        ft_trace_writer_destroy(writer);
    }
    free(module.strings);
    return status;
}

static int write_trace(const char *path, char *started, char *host, bool finish,
                       struct ft_diag *diag)
{
    return write_trace_of(STRINGS_BYTES, path, started, host, finish, diag);
}

static void check_tables(const struct ft_trace *trace)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    tap_ok(metadata->parameter_count == 2 && strcmp(metadata->parameters[1].name, "M") == 0 &&
               metadata->parameters[1].value == 0.5,
           "parameters");
    tap_ok(metadata->argument_count == 3 && strcmp(metadata->arguments[2], "two words") == 0 &&
               strcmp(metadata->program, "/usr/bin/prog") == 0 &&
               metadata->xsave_compact_bytes == 800,
           "command line");
    struct ft_module made = make_module(STRINGS_BYTES);
    const struct ft_module *module = ft_trace_module(trace, 0);
    tap_ok(ft_trace_module_count(trace) == 1 && module->strings_bytes == made.strings_bytes &&
               memcmp(module->strings, made.strings, made.strings_bytes) == 0 &&
               module->build_id_bytes == 4 && module->build_id[3] == 4,
           "a module over several chunks");
    free(made.strings);
    const struct ft_symbol *symbol = ft_module_symbol(module, 0x1041);
    tap_ok(symbol && strcmp(module->strings + symbol->name, "second") == 0 &&
               !ft_module_symbol(module, 0x1100) && !ft_module_symbol(module, 0xfff),
           "symbols are found");
    const struct ft_line *line = ft_module_line(module, 0x1017);
    tap_ok(line && line->line == 4 && !ft_module_line(module, 0x1009), "lines are found");
    const struct ft_inline *chain[4];
    tap_ok(ft_module_inline_chain(module, 0x1055, chain, 4) == 2 && chain[0]->call_line == 9 &&
               chain[1]->call_line == 10 && ft_module_inline_chain(module, 0x1060, chain, 4) == 1 &&
               ft_module_inline_chain(module, 0x1095, chain, 4) == 1 && chain[0]->call_line == 11 &&
               ft_module_inline_chain(module, 0x1085, chain, 4) == 0,
           "inlined calls are found, outermost first");
    const struct ft_variable *variable = ft_module_variable(module, 0x18ff);
    tap_ok(module->variable_count == 2 && variable && variable->start == 0x1810 &&
               variable->source == FT_VARIABLE_DWARF && !ft_module_variable(module, 0x1900) &&
               !ft_module_variable(module, 0x1808) && !ft_module_variable(module, 0x17ff) &&
               ft_module_variable(module, 0x1800)->line == 2,
           "variables are found");
    uint32_t number;
    uint64_t offset;
    tap_ok(ft_trace_locate(trace, 0x555555555010, &number, &offset) && number == 0 &&
               offset == 0x1010 && !ft_trace_locate(trace, 0x1010, &number, &offset) &&
               number == FT_NO_MODULE,
           "addresses are located");
    tap_ok(ft_trace_event_count(trace) == 2 &&
               strcmp(ft_trace_event(trace, 1)->text, "exited") == 0 &&
               !ft_trace_event(trace, 0)->text,
           "events");
    const struct ft_unit *unit = ft_trace_unit(trace, 1);
    tap_ok(ft_trace_unit_count(trace) == 2 && unit && unit->pc == 0x555555555000 &&
               unit->instruction_count == 3 && memcmp(unit->code, code[0], 8) == 0 &&
               unit->slot_count == 1 && unit->slots[0].source == FT_RDI &&
               !ft_trace_unit(trace, 3) && !ft_trace_unit(trace, 0),
           "units");
}

/* A module as early captures wrote it ends before its variables. */
static void check_early_module(void)
{
    struct ft_module made = make_module(STRINGS_BYTES), read = {0};
    struct ft_bytes bytes = {0};
    struct ft_diag diag = {0};
    made.variable_count = 0;
    ft_module_write(&made, &bytes);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length - 1};
    tap_ok(ft_module_read(&cursor, &read, &diag) == FT_OK && read.inline_count == 3 &&
               read.variable_count == 0,
           "a module without a table of variables: %s", diag.message);
    ft_module_fini(&read);
    ft_bytes_fini(&bytes);
    free(made.strings);
}

/* Lines that come behind a module, and any beginning of them. */
static void check_later_lines(void)
{
    struct ft_module made = make_module(SHORT_STRINGS_BYTES), early = made, read = {0};
    struct ft_bytes bytes = {0}, lines = {0};
    struct ft_diag diag = {0};
    struct ft_symbol defined[2] = {made.symbols[0], made.symbols[1]};
    early.line_count = early.inline_count = early.variable_count = 0;
    early.strings_bytes = SHORT_STRINGS_BYTES / 2;
    early.strings[early.strings_bytes - 1] = 0;
    made.symbols = defined;
    defined[1].file = 12;
    defined[1].line = 5;
    defined[1].body_line = 6;
    ft_module_write(&early, &bytes);
    ft_module_write_lines(&made, early.strings_bytes, &lines);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length};
    int status = ft_module_read(&cursor, &read, &diag);
    unsigned refused = 0, tried = 0;
    for (size_t length = 0; length < lines.length; length += 1 + length / 64, tried++) {
        struct ft_cursor cut = {.data = lines.data, .length = length};
        refused += ft_module_read_lines(&cut, &read, &diag) == FT_ERROR_DATA;
    }
    tap_ok(status == FT_OK && tried > 100 && refused == tried && read.line_count == 0 &&
               read.strings_bytes == early.strings_bytes,
           "%u beginnings of a module's lines are refused, and add nothing", refused);
    cursor = (struct ft_cursor){.data = lines.data, .length = lines.length};
    tap_ok(ft_module_read_lines(&cursor, &read, &diag) == FT_OK &&
               cursor.position == lines.length && read.line_count == 2 && read.inline_count == 3 &&
               read.variable_count == 2 && read.strings_bytes == made.strings_bytes &&
               memcmp(read.strings, made.strings, made.strings_bytes) == 0,
           "lines are put into the module before them: %s", diag.message);
    tap_ok(read.symbols[1].file == 12 && read.symbols[1].line == 5 &&
               read.symbols[1].body_line == 6 && read.symbols[0].line == 0,
           "so are the lines of its symbols");
    ft_module_fini(&read);
    ft_bytes_fini(&bytes);
    ft_bytes_fini(&lines);
    free(made.strings);
}

/* Lines that go on over two chunks of a file. */
static void test_lines_in_parts(void)
{
    struct ft_metadata metadata = metadata_of("2026-01-01T00:00:00Z", "here");
    struct ft_module made = make_module(STRINGS_BYTES), early = made;
    struct ft_trace_writer *writer = NULL;
    struct ft_trace *trace;
    struct ft_bytes lines = {0};
    struct ft_diag diag = {0};
    unsigned chunks = 0;
    early.line_count = early.inline_count = early.variable_count = 0;
    early.strings_bytes = sizeof "\0first\0second"; /* the names of the symbols */
    ft_put_varint(&lines, 0);
    ft_module_write_lines(&made, early.strings_bytes, &lines);
    if (tap_ok(ft_trace_writer_create("lines.h5", &metadata, &writer, &diag) == FT_OK &&
                   ft_trace_writer_module(writer, &early, &diag) == FT_OK &&
                   ft_trace_writer_lines(writer, &lines, &diag) == FT_OK &&
                   ft_trace_writer_finish(writer, &metadata, &diag) == FT_OK &&
                   ft_trace_open("lines.h5", NULL, &trace, &diag) == FT_OK,
               "large lines are written, and open: %s", diag.message)) {
        const struct ft_module *read = ft_trace_module(trace, 0);
        for (size_t i = 0; i < ft_trace_chunk_count(trace); i++)
            chunks += ft_trace_chunk(trace, i)->kind == FT_CHUNK_LINES;
        tap_ok(chunks == 2 && read->line_count == 2 && read->inline_count == 3 &&
                   read->strings_bytes == made.strings_bytes &&
                   memcmp(read->strings, made.strings, made.strings_bytes) == 0,
               "lines over %u chunks", chunks);
        ft_trace_close(trace);
    }
    ft_trace_writer_destroy(writer);
    ft_bytes_fini(&lines);
    free(made.strings);
}

static void check_logs(const struct ft_trace *trace)
{
    struct ft_log_buffer buffer = {0};
    struct ft_diag diag;
    const uint8_t *payload;
    tap_ok(ft_trace_thread_count(trace) == 2 && ft_trace_log_count(trace, 0) == 1 &&
               ft_trace_log_count(trace, 1) == 2 && ft_trace_log_count(trace, 2) == 0,
           "logs are sorted by thread");
    tap_ok(ft_trace_log_read(trace, 1, 1, &buffer, &payload, &diag) == FT_OK && payload[0] == 2 &&
               ft_trace_log(trace, 1, 1)->payload_bytes == 1000 &&
               ft_trace_log(trace, 1, 1)->totals.accesses == 500,
           "a log chunk is read");
    ft_log_buffer_fini(&buffer);
}

static void test_round_trip(void)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace, *other;
    tap_ok(write_trace("a.h5", "2026-01-01T00:00:00Z", "here", true, &diag) == FT_OK,
           "a trace is written (%s)", diag.message);
    tap_ok(access("a.h5.partial", F_OK) != 0, "nothing is left beside it");
    if (!tap_ok(ft_trace_open("a.h5", NULL, &trace, &diag) == FT_OK, "it opens (%s)", diag.message))
        return;
    struct stat file;
    stat("a.h5", &file);
    tap_ok(ft_trace_is_complete(trace) && ft_trace_file_bytes(trace) == (uint64_t)file.st_size,
           "it is complete");
    tap_ok(strcmp(ft_trace_metadata(trace)->end_reason, "the program exited with status 0") == 0 &&
               ft_trace_metadata(trace)->accesses == 1000,
           "its summary");
    check_tables(trace);
    check_logs(trace);
    write_trace("b.h5", "2026-02-02T00:00:00Z", "there", true, &diag);
    ft_trace_open("b.h5", NULL, &other, &diag);
    tap_ok(strcmp(ft_trace_content_hash(trace), ft_trace_content_hash(other)) == 0 &&
               strlen(ft_trace_content_hash(trace)) == 16,
           "the content hash %s knows neither date nor host", ft_trace_content_hash(trace));
    ft_trace_close(other);
    ft_trace_close(trace);
    parameters[0].value = 1001;
    write_trace("b.h5", "2026-02-02T00:00:00Z", "there", true, &diag);
    parameters[0].value = 1000;
    ft_trace_open("a.h5", NULL, &trace, &diag);
    ft_trace_open("b.h5", NULL, &other, &diag);
    tap_ok(strcmp(ft_trace_content_hash(trace), ft_trace_content_hash(other)) != 0,
           "another parameter is another content");
    ft_trace_close(other);
    ft_trace_close(trace);
}

static void expect_refusal(const char *path, const char *part)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace;
    int status = ft_trace_open(path, NULL, &trace, &diag);
    tap_ok(status == FT_ERROR_DATA && strstr(diag.message, part) && strstr(diag.message, path),
           "refused: %s", diag.message);
    if (status == FT_OK)
        ft_trace_close(trace);
}

static void put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void test_foreign(void)
{
    struct ft_diag diag = {0};
    struct ft_trace *trace;
    tap_ok(ft_trace_open("absent.h5", NULL, &trace, &diag) == FT_ERROR_IO &&
               strstr(diag.message, "absent.h5: No such file"),
           "absent: %s", diag.message);
    int file = open("text.h5", O_CREAT | O_WRONLY, 0600);
    if (write(file, "some text, longer than a signature\n", 35) != 35)
        tap_ok(false, "a text cannot be written");
    close(file);
    expect_refusal("text.h5", "no HDF5 file");
    close(open("empty.h5", O_CREAT | O_WRONLY, 0600));
    expect_refusal("empty.h5", "not a trace");
    hid_t other = H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_text(other, "format", "weather");
    H5Fclose(other);
    expect_refusal("other.h5", "weather");
    other = H5Fcreate("newer.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put_text(other, "format", "foretrace trace");
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t version = H5Acreate2(other, "version", H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    uint64_t two = FT_TRACE_VERSION + 1;
    H5Awrite(version, H5T_NATIVE_UINT64, &two);
    H5Aclose(version);
    H5Sclose(space);
    H5Fclose(other);
    expect_refusal("newer.h5", "newer foretrace");
    expect_refusal(".", ".: is a folder");
}

/* Places where no trace can be written. */
static void test_bad_places(void)
{
    struct ft_diag diag = {0};
    tap_ok(write_trace("nowhere/x.h5", "", "", true, &diag) == FT_ERROR_IO &&
               strstr(diag.message, "nowhere/x.h5.partial: cannot be created: No such file"),
           "no folder: %s", diag.message);
    tap_ok(write_trace(".", "", "", true, &diag) == FT_ERROR_IO &&
               strstr(diag.message, ".: is a folder") && access("..partial", F_OK) != 0,
           "a folder: %s", diag.message);
}

/* A capture that was killed, and files that lost their end at any place. */
static void test_cut_off(void)
{
    static const struct ft_trace_options incomplete = {.allow_incomplete = true};
    struct ft_diag diag = {0};
    struct ft_trace *trace;
    write_trace("killed.h5", "2026-01-01T00:00:00Z", "here", false, &diag);
    tap_ok(access("killed.h5", F_OK) != 0, "an unfinished trace has no final name");
    expect_refusal("killed.h5.partial", "cut off");
    if (tap_ok(ft_trace_open("killed.h5.partial", &incomplete, &trace, &diag) == FT_OK,
               "what is whole of it can be read (%s)", diag.message)) {
        tap_ok(!ft_trace_is_complete(trace) && ft_trace_metadata(trace)->accesses == 1500,
               "its accesses are added up");
        check_tables(trace);
        check_logs(trace);
        ft_trace_close(trace);
    }
    struct stat whole;
    stat("a.h5", &whole);
    unsigned opened = 0, refused = 0;
    for (int i = 1; i <= 20; i++) {
        if (system("cp a.h5 cut.h5") != 0 || truncate("cut.h5", whole.st_size * (20 - i) / 20) != 0)
            tap_ok(false, "a.h5 cannot be copied");
        if (i == 1)
            expect_refusal("cut.h5", "cut off");
        int status = ft_trace_open("cut.h5", &incomplete, &trace, &diag);
        opened += status == FT_OK;
        refused += status == FT_ERROR_DATA;
        if (status == FT_OK)
            ft_trace_close(trace);
    }
    tap_ok(opened + refused == 20 && opened > 10 && refused > 0,
           "of 20 cut files %u had something whole, %u nothing", opened, refused);
}

/* No byte of a file can change without an error, but where nothing depends on it. The trace is
 * small, so that much of it is other than strings. */
static void test_flipped_bytes(void)
{
    struct ft_log_buffer buffer = {0};
    struct stat file;
    unsigned refused = 0, unharmed = 0, wrong = 0;
    struct ft_diag diag = {0};
    char hash[20];
    struct ft_trace *trace;
    int status = write_trace_of(SHORT_STRINGS_BYTES, "flipped.h5", "2026-01-01T00:00:00Z", "here",
                                true, &diag);
    if (!tap_ok(status == FT_OK && ft_trace_open("flipped.h5", NULL, &trace, &diag) == FT_OK,
                "a small trace %s", diag.message))
        return;
    strcpy(hash, ft_trace_content_hash(trace));
    ft_trace_close(trace);
    stat("flipped.h5", &file);
    int handle = open("flipped.h5", O_RDWR);
    uint64_t state = 12345;
    for (int i = 0; i < 100; i++) {
        uint8_t byte;
        uint64_t random = random_next(&state);
        /* Half of them among the last 20 KB, where the metadata is. */
        uint64_t range = i % 2 ? (uint64_t)file.st_size : 20000;
        off_t at = file.st_size - 1 - (off_t)((random >> 20) % range);
        if (pread(handle, &byte, 1, at) != 1)
            break;
        uint8_t flipped = byte ^ (uint8_t)(1 + (random >> 50) % 255);
        if (pwrite(handle, &flipped, 1, at) != 1)
            break;
        status = ft_trace_open("flipped.h5", NULL, &trace, &diag);
        if (status == FT_OK) {
            for (size_t chunk = 0; status == FT_OK && chunk < ft_trace_chunk_count(trace); chunk++)
                status = ft_trace_chunk_read(trace, chunk, &buffer, &diag);
            wrong += status == FT_OK && strcmp(hash, ft_trace_content_hash(trace)) != 0;
            ft_trace_close(trace);
        }
        refused += status != FT_OK;
        unharmed += status == FT_OK;
        if (pwrite(handle, &byte, 1, at) != 1)
            break;
    }
    close(handle);
    ft_log_buffer_fini(&buffer);
    tap_ok(refused + unharmed == 100 && refused > 50 && wrong == 0,
           "of 100 flipped bytes %u were refused, %u did no harm", refused, unharmed);
}

/* Files that may not grow beyond some size, as on a full disk: the error names the file and the
 * reason, nothing gets the final name, and the chunks before are whole. */
static void test_no_room(void)
{
    static const struct ft_trace_options incomplete = {.allow_incomplete = true};
    struct rlimit unlimited, limit;
    struct stat whole;
    unsigned told = 0, unnamed = 0, readable = 0;
    const unsigned steps = 20;
    stat("a.h5", &whole);
    getrlimit(RLIMIT_FSIZE, &unlimited);
    signal(SIGXFSZ, SIG_IGN);
    for (unsigned i = 0; i < steps; i++) {
        struct ft_diag diag = {0};
        struct ft_trace *trace;
        limit = unlimited;
        limit.rlim_cur = (rlim_t)whole.st_size * i / steps;
        setrlimit(RLIMIT_FSIZE, &limit);
        int status = write_trace("full.h5", "2026-01-01T00:00:00Z", "here", true, &diag);
        setrlimit(RLIMIT_FSIZE, &unlimited);
        told += status == FT_ERROR_IO &&
                strncmp(diag.message, "full.h5: cannot be written: File too large", 42) == 0;
        unnamed += access("full.h5", F_OK) != 0;
        status = ft_trace_open("full.h5.partial", &incomplete, &trace, NULL);
        if (status == FT_OK) {
            readable += strcmp(ft_trace_metadata(trace)->program, "/usr/bin/prog") == 0;
            ft_trace_close(trace);
        }
    }
    tap_ok(told == steps, "%u of %u files without room are told with name and reason", told, steps);
    tap_ok(unnamed == steps, "%u of them do not get their final name", unnamed);
    tap_ok(readable > steps / 2, "%u of them can be read up to there", readable);
}

/* HDF5 itself reads our frames through the filter. */
static void test_filter(void)
{
    H5Zregister(&ft_zstd_filter);
    hid_t file = H5Fopen("a.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t chunks = H5Dopen2(file, "chunks", H5P_DEFAULT);
    hid_t space = H5Dget_space(chunks);
    hsize_t start = 0, count = FT_CHUNK_BYTES;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    uint8_t *data = malloc(FT_CHUNK_BYTES);
    herr_t status = H5Dread(chunks, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, data);
    tap_ok(status >= 0 && memcmp(data, "FTCK\1\0\1\0", 8) == 0,
           "HDF5 reads a chunk through filter 32015");
    free(data);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(chunks);
    H5Fclose(file);
}

int main(void)
{
    enter_temporary_folder();
    test_round_trip();
    check_early_module();
    check_later_lines();
    test_lines_in_parts();
    test_foreign();
    test_bad_places();
    test_cut_off();
    test_flipped_bytes();
    test_no_room();
    test_filter();
    return tap_plan_done();
}
