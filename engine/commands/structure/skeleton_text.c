/*
 * The share of each scope as a table; then the nests, a line for each loop and access, where loops
 * of one term stand in one line. What makes few accesses is put together in one line.
 */
#include <inttypes.h>

#include "engine/commands/structure/skeleton_report.h"
#include "engine/skeleton/nest_numbers.h"
#include "formats/cli/table.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

/* Of all accesses: parts of a nest below this are not shown. */
#define SHARE_MIN 0.001
/* Of one body, so many at the most. */
#define SHOWN_MAX 16U

struct printing {
    const struct ft_skeleton_report *report;
    const struct ft_thread_skeleton *thread;
    const struct ft_nest_executions *executions;
    double accesses; /* of the trace */
    FILE *stream;
    int status;
    struct ft_diag *diag;
};

/* ---- numbers ---- */

/* "i", "j", ... by depth; then "i18", "i19". */
static void print_counter(unsigned depth, FILE *stream)
{
    if (depth < 18)
        fprintf(stream, "%c", 'i' + (int)depth);
    else
        fprintf(stream, "i%u", depth);
}

/* What is summed up is factor / divisor * (2^(exponent * i) - 1), the divisor 1, 3 or 7. */
struct growth {
    int64_t factor, divisor, exponent;
};

static struct growth growth_of(const struct ft_nest_term *term, size_t number)
{
    const int64_t exponent = ft_nest_exponent(term, number), power = (int64_t)term->at[number];
    const int64_t ratio = INT64_C(1) << ((exponent < 0 ? -exponent : exponent) & 31);
    struct growth growth = {exponent < 0 ? -power * ratio : power, ratio - 1, exponent};
    if (growth.divisor && growth.factor % growth.divisor == 0)
        growth = (struct growth){growth.factor / growth.divisor, 1, exponent};
    return growth;
}

static bool is_summed(const struct ft_nest_term *term, size_t number)
{
    return term->exponents && term->at[number];
}

/* Of a term that is not summed up: with the -1 of those that are. */
static uint64_t coefficient(const struct ft_nest_numbers *numbers, const struct ft_nest_term *term,
                            size_t number)
{
    uint64_t factor = term->at[number];
    for (size_t t = 0; numbers->is_geometric && t < numbers->count; t++) {
        const struct ft_nest_term *summed = &numbers->terms[t];
        if (!is_summed(summed, number) || summed->counters != term->counters)
            continue;
        const struct growth growth = growth_of(summed, number);
        factor -= growth.divisor == 1 ? (uint64_t)growth.factor : 0;
    }
    return factor;
}

static void print_counters(uint32_t counters, FILE *stream)
{
    const char *between = "";
    for (unsigned depth = 0; counters >> depth; depth++)
        if (counters >> depth & 1) {
            fputs(between, stream);
            print_counter(depth, stream);
            between = "*";
        }
}

/* "8 i*j" */
static void print_product(uint64_t factor, uint32_t counters, FILE *stream)
{
    if (factor != 1)
        fprintf(stream, "%" PRIu64 " ", factor);
    print_counters(counters, stream);
}

/* "8 j*2^-i", or where that is no integer "8/3 j*(2^-2i - 1)"; factor: without its sign. */
static void print_growth(const struct growth *growth, uint64_t factor,
                         const struct ft_nest_term *term, FILE *stream)
{
    if (growth->divisor != 1)
        fprintf(stream, "%" PRIu64 "/%" PRId64 " ", factor, growth->divisor);
    else if (factor != 1)
        fprintf(stream, "%" PRIu64 " ", factor);
    print_counters(term->counters, stream);
    fprintf(stream, "%s%s2^%s", term->counters ? "*" : "", growth->divisor == 1 ? "" : "(",
            growth->exponent < 0 ? "-" : "");
    if (growth->exponent != 1 && growth->exponent != -1)
        fprintf(stream, "%" PRId64, growth->exponent < 0 ? -growth->exponent : growth->exponent);
    print_counter(term->summed_by, stream);
    fputs(growth->divisor == 1 ? "" : " - 1)", stream);
}

/* The sign before a term, and its factor without it. */
static uint64_t print_sign(uint64_t factor, bool is_first, FILE *stream)
{
    const bool is_negative = factor >> 63;
    fputs(is_first ? (is_negative ? "-" : "") : is_negative ? " - " : " + ", stream);
    return is_negative ? 0 - factor : factor;
}

/* One of the next numbers: "0x7ffff7a53010 + 2560 i + 8 k", "256 2^-i". */
static void print_number(const struct ft_nest_numbers *numbers, size_t number, bool is_address,
                         FILE *stream)
{
    const uint64_t constant = coefficient(numbers, &numbers->terms[0], number);
    bool is_first = constant == 0 && !is_address;
    if (!is_first)
        fprintf(stream, is_address ? "0x%" PRIx64 : "%" PRId64, constant);
    for (size_t t = 1; t < numbers->count; t++) {
        const struct ft_nest_term *term = &numbers->terms[t];
        if (is_summed(term, number)) {
            const struct growth growth = growth_of(term, number);
            print_growth(&growth, print_sign((uint64_t)growth.factor, is_first, stream), term,
                         stream);
            is_first = false;
            continue;
        }
        const uint64_t factor = term->exponents ? 0 : coefficient(numbers, term, number);
        if (factor == 0)
            continue;
        print_product(print_sign(factor, is_first, stream), term->counters, stream);
        is_first = false;
    }
    if (is_first)
        fputs("0", stream);
}

/* ---- lines ---- */

static void start_line(const struct printing *printing, double accesses, unsigned indent)
{
    char share[FT_NUMBER_TEXT];
    fprintf(printing->stream, "%8s  %*s", ft_text_share(share, accesses / printing->accesses),
            (int)(2 * indent), "");
}

static void print_scope(const struct printing *printing, uint32_t token)
{
    const struct ft_skeleton *skeleton = &printing->report->skeleton;
    fputs(skeleton->scopes.scopes[ft_skeleton_token_scope(skeleton, token)].name, printing->stream);
}

static void print_access(const struct printing *printing, uint32_t reference,
                         const struct ft_nest_numbers *numbers)
{
    const struct ft_scoped_reference *access =
        &printing->report->skeleton.scopes.references[reference];
    fprintf(printing->stream, "%s %" PRIu32 " at ", ft_access_kind_names[access->kind],
            access->size_bytes);
    print_number(numbers, 0, true, printing->stream);
    if (access->line)
        fprintf(printing->stream, "  (line %" PRIu32 ")", access->line);
    fputc('\n', printing->stream);
}

static void print_irregular(const struct printing *printing, uint32_t id)
{
    const struct ft_irregular *irregular = &printing->thread->irregulars[id];
    start_line(printing, (double)irregular->accesses, 0);
    print_scope(printing, irregular->token);
    fprintf(printing->stream, ": entered %" PRIu64 " times, %" PRIu64 " iterations, %zu paths\n",
            irregular->entries, irregular->iterations, irregular->path_count);
}

static void print_small(const struct printing *printing, uint64_t accesses, unsigned indent)
{
    if (accesses == 0)
        return;
    start_line(printing, (double)accesses, indent);
    fprintf(printing->stream, "... (%" PRIu64 " accesses)\n", accesses);
}

/* ---- nests ---- */

static void print_span(struct printing *printing, const uint32_t *tokens, size_t token_count,
                       struct ft_nest_numbers *numbers, unsigned indent);

static void print_body(struct printing *printing, const struct ft_nest_element *element,
                       const uint32_t *body, const struct ft_nest_numbers *numbers, unsigned indent)
{
    struct ft_nest_numbers inner;
    if (!ft_nest_numbers_may_enter(numbers, element)) {
        fprintf(printing->stream, "%*s(loops nested deeper)\n", (int)(10 + 2 * indent), "");
        return;
    }
    if (!ft_nest_numbers_enter(numbers, element, &inner)) {
        printing->status = ft_fail_memory(printing->diag, "a report");
        return;
    }
    print_span(printing, body, element->length, &inner, indent);
    ft_nest_numbers_fini(&inner);
}

static bool is_zero(const struct ft_nest_numbers *numbers, size_t number)
{
    for (size_t t = 0; t < numbers->count; t++)
        if (numbers->terms[t].at[number])
            return false;
    return true;
}

/* "for i < 320:", or of a cycle "for i < 12, backwards, first without 1:"; behind it the loop, if
 * it has this part alone, and the body. */
static void print_repeat(struct printing *printing, const struct ft_nest_element *element,
                         const uint32_t *body, const uint32_t *loop,
                         struct ft_nest_numbers *numbers, unsigned indent)
{
    fputs("for ", printing->stream);
    print_counter(numbers->depth, printing->stream);
    fputs(" < ", printing->stream);
    print_number(numbers, 0, false, printing->stream);
    if (element->kind == FT_NEST_CYCLE) {
        const bool is_back = element->id == FT_NEST_FROM_LAST;
        if (is_back)
            fputs(", backwards", printing->stream);
        if (!is_zero(numbers, 1)) {
            fputs(is_back ? ", first without " : ", last without ", printing->stream);
            print_number(numbers, 1, false, printing->stream);
        }
    }
    fputs(":", printing->stream);
    if (loop) {
        fputs("  ", printing->stream);
        print_scope(printing, *loop);
    }
    fputc('\n', printing->stream);
    print_body(printing, element, body, numbers, indent + 1);
    ft_nest_numbers_skip(numbers, ft_nest_repeat_numbers(element));
}

/* Whether a loop has one term, of several iterations. */
static bool is_one_repeat(const struct ft_nest_element *loop, const uint32_t *body)
{
    struct ft_nest_element first = ft_nest_element(body);
    return first.counts && first.head + first.length == loop->length;
}

static void print_element(struct printing *printing, const uint32_t *tokens, double accesses,
                          struct ft_nest_numbers *numbers, unsigned indent)
{
    struct ft_nest_element element = ft_nest_element(tokens);
    const uint32_t *body = tokens + element.head;
    start_line(printing, accesses, indent);
    switch (element.kind) {
    case FT_NEST_ACCESS:
        print_access(printing, element.id, numbers);
        ft_nest_numbers_skip(numbers, 1);
        return;
    case FT_NEST_IRREGULAR:
        fputs("irregular: ", printing->stream);
        print_scope(printing, printing->thread->irregulars[element.id].token);
        fputc('\n', printing->stream);
        return;
    case FT_NEST_ONCE:
        fputs("once:\n", printing->stream);
        break;
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        print_repeat(printing, &element, body, NULL, numbers, indent);
        return;
    case FT_NEST_LOOP:
        if (is_one_repeat(&element, body)) {
            struct ft_nest_element repeat = ft_nest_element(body);
            print_repeat(printing, &repeat, body + repeat.head, tokens, numbers, indent);
            return;
        }
        print_scope(printing, tokens[0]);
        fputs(", in parts:\n", printing->stream);
        break;
    default:
        print_scope(printing, tokens[0]);
        fputs("()\n", printing->stream);
    }
    print_span(printing, body, element.length, numbers, indent + 1);
}

/* Accesses of an element; irregular loops count with all that they make in the thread. */
static uint64_t weight(const struct printing *printing, const uint32_t *tokens, size_t length)
{
    const uint64_t *before = printing->executions->before;
    const size_t place = (size_t)(tokens - printing->thread->nest.tokens);
    uint64_t accesses = before[place + length] - before[place];
    for (size_t at = 0; at < length;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_IRREGULAR)
            accesses += printing->thread->irregulars[element.id].accesses;
        at += element.head; /* into the brackets */
    }
    return accesses;
}

static void print_span(struct printing *printing, const uint32_t *tokens, size_t token_count,
                       struct ft_nest_numbers *numbers, unsigned indent)
{
    uint64_t small = 0; /* accesses of what is not shown */
    unsigned shown = 0;
    for (size_t at = 0; at < token_count && !printing->status;) {
        struct ft_nest_element element = ft_nest_element(tokens + at);
        uint64_t accesses = weight(printing, tokens + at, element.head + element.length);
        if (printing->report->all ||
            ((double)accesses >= SHARE_MIN * printing->accesses && shown < SHOWN_MAX)) {
            print_small(printing, small, indent);
            small = 0;
            shown++;
            print_element(printing, tokens + at, (double)accesses, numbers, indent);
        } else {
            small += accesses;
            ft_nest_numbers_skip(numbers, ft_nest_element_numbers(&element, tokens + at));
        }
        at += element.head + element.length;
    }
    print_small(printing, small, indent);
}

/* ---- the whole ---- */

static int print_thread(struct printing *printing, uint32_t thread)
{
    struct ft_nest_numbers numbers;
    const struct ft_nest *nest = &printing->thread->nest;
    if (!ft_nest_numbers_init(&numbers, nest))
        return ft_fail_memory(printing->diag, "a report");
    if (printing->report->skeleton.thread_count > 1)
        fprintf(printing->stream, "\nthread %" PRIu32 ":\n", thread);
    print_span(printing, nest->tokens, nest->token_count, &numbers, 0);
    ft_nest_numbers_fini(&numbers);
    const char *head = "\nIrregular loops, with all entries from one call:\n";
    for (uint32_t i = 0; !printing->status && i < printing->thread->irregular_count; i++) {
        double accesses = (double)printing->thread->irregulars[i].accesses;
        if (accesses == 0 || (!printing->report->all && accesses < SHARE_MIN * printing->accesses))
            continue;
        fputs(head, printing->stream);
        head = "";
        print_irregular(printing, i);
    }
    return printing->status;
}

static int print_shares(const struct ft_skeleton_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "in loops", "in_loops", true);
    ft_table_column(table, "one by one", "one_by_one", true);
    ft_table_column(table, "irregular", "irregular", true);
    for (size_t i = 0; i < report->count; i++) {
        const double *row = ft_skeleton_shares(report, report->list[i]);
        ft_scope_cells(table, false, &report->skeleton.scopes, report->list[i]);
        ft_table_count(table, row[FT_SKELETON_ACCESSES]);
        for (unsigned c = FT_SKELETON_IN_LOOPS; c < FT_SKELETON_COLUMNS; c++)
            ft_table_share(table, row[c] / row[FT_SKELETON_ACCESSES]);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_skeleton_text(const struct ft_skeleton_report *report, FILE *stream, struct ft_diag *diag)
{
    const double *all = ft_skeleton_shares(report, 0);
    char text[4][FT_NUMBER_TEXT];
    const double accesses = all[FT_SKELETON_ACCESSES] > 0 ? all[FT_SKELETON_ACCESSES] : 1;
    ft_program_print(report->metadata, stream);
    fprintf(stream, ": %s accesses,\n%s in loops, %s one by one, %s irregular\n\n",
            ft_text_count(text[0], all[FT_SKELETON_ACCESSES]),
            ft_text_share(text[1], all[FT_SKELETON_IN_LOOPS] / accesses),
            ft_text_share(text[2], all[FT_SKELETON_ONE_BY_ONE] / accesses),
            ft_text_share(text[3], all[FT_SKELETON_IRREGULAR] / accesses));
    FT_TRY(print_shares(report, stream, diag));
    fputc('\n', stream);
    struct printing printing = {
        .report = report, .accesses = accesses, .stream = stream, .diag = diag};
    for (uint32_t t = 0; t < report->skeleton.thread_count; t++) {
        printing.thread = &report->skeleton.threads[t];
        printing.executions = &report->executions[t];
        FT_TRY(print_thread(&printing, t));
    }
    return FT_OK;
}
