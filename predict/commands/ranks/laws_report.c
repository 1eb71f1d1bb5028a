/*
 * In order: calls; laws as text; the table.
 */
#include "predict/commands/ranks/laws_report.h"

#include <inttypes.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/mpi_report.h"
#include "formats/commands/trace_operand.h"

#define TEXT_MAX 400

/* ---- calls ---- */

static void print_rank(const struct ft_rank_calls *calls, FILE *stream)
{
    uint64_t at = 0;
    for (size_t i = 0; i < calls->count && ft_stdout_is_open(); i++) {
        const struct ft_rank_call *call = &calls->items[i];
        at += call->instructions;
        fprintf(stream, "rank %" PRIu32 " at %" PRIu64 " %s", calls->rank->rank, at, call->name);
        ft_mpi_details_print(calls->details + call->first_detail, call->detail_count, stream);
        fputc('\n', stream);
    }
}

int ft_rank_calls_print(const struct ft_mpi_job *job, FILE *stream, struct ft_diag *diag)
{
    for (size_t r = 0; r < job->rank_count; r++) {
        struct ft_rank_calls calls;
        FT_TRY(ft_rank_calls_read(&job->ranks[r], &calls, diag));
        print_rank(&calls, stream);
        ft_rank_calls_fini(&calls);
    }
    return FT_OK;
}

/* ---- laws as text ---- */

static void append(char text[TEXT_MAX], const char *more)
{
    const size_t length = strlen(text);
    snprintf(text + length, TEXT_MAX - length, "%s", more);
}

static void append_shift(char text[TEXT_MAX], const struct ft_rank_shift *shift)
{
    char step[32];
    const char *between = "";
    for (unsigned d = 0; d < FT_GRID_DIRECTIONS_MAX; d++)
        if (shift->by[d] != 0) {
            snprintf(step, sizeof step, "%s%c%+" PRId32, between, "xyz"[d], shift -> by[d]);
            append(text, step);
            between = " ";
        }
    if (shift->wraps)
        append(text, " (around)");
}

/* Peers and roots are 2 above the rank. */
static void append_rank(char text[TEXT_MAX], const struct ft_exact_law *law,
                        const struct ft_law_variables *variables)
{
    char number[FT_LAW_TEXT];
    struct ft_exact_law rank = *law;
    unsigned constant = 0;
    while (constant < rank.term_count && rank.terms[constant].factor_count > 0)
        constant++;
    if (ft_exact_law_is_constant(law) && law->terms[0].numerator < 2) {
        append(text, law->terms[0].numerator == 0 ? "none" : "any");
        return;
    }
    if (constant == rank.term_count && rank.term_count < FT_LAW_TERMS_MAX)
        rank.terms[rank.term_count++] = (struct ft_law_term){0};
    if (constant < rank.term_count)
        rank.terms[constant].numerator -= 2 * rank.denominator;
    if (rank.term_count > 1 && rank.terms[constant].numerator == 0)
        rank.terms[constant] = rank.terms[--rank.term_count];
    append(text, "rank ");
    append(text, ft_exact_law_text(number, &rank, variables));
}

static void append_rules(char text[TEXT_MAX], const struct ft_value_rules *rules, bool is_rank,
                         const struct ft_law_variables *variables)
{
    static const char *const keys[FT_RANK_KEYS] = {[FT_RANKS_ROOT] = "rank 0 or not: ",
                                                   [FT_RANKS_BY_X] = "by x: ",
                                                   [FT_RANKS_BY_Y] = "by y: ",
                                                   [FT_RANKS_BY_Z] = "by z: ",
                                                   [FT_RANKS_BY_POSITION] = "by place: ",
                                                   [FT_RANKS_BY_PARITY] = "odd or even: ",
                                                   [FT_RANKS_BY_PARITY_POSITION] =
                                                       "by place and parity: "};
    char law[FT_LAW_TEXT];
    if (keys[rules->key])
        append(text, keys[rules->key]);
    for (size_t i = 0; i < rules->count; i++) {
        const struct ft_value_rule *rule = &rules->cases[i].rule;
        append(text, i > 0 ? " | " : "");
        if (rule->is_shift)
            append_shift(text, &rule->shift);
        else if (is_rank)
            append_rank(text, &rule->law, variables);
        else
            append(text, ft_exact_law_text(law, &rule->law, variables));
    }
}

static const struct ft_value_rules *rules_of(const struct ft_node_law *node, uint64_t key)
{
    for (size_t i = 0; i < node->detail_count; i++)
        if (node->details[i].key == key && node->details[i].item_count > 0)
            return &node->details[i].items[0];
    return NULL;
}

/* How often a call is made: the trips of all loops around it. */
static void count_text(char text[TEXT_MAX], const struct ft_call_laws *laws, uint32_t node,
                       const struct ft_law_variables *variables)
{
    const char *between = "";
    text[0] = 0;
    for (uint32_t loop = 0; loop < node; loop++) {
        if (laws->shape.nodes[loop].symbol != FT_SHAPE_LOOP || laws->shape.nodes[loop].end <= node)
            continue;
        const struct ft_value_rules *trips = &laws->nodes[loop].trips;
        const bool is_sum = trips->count != 1 || trips->cases[0].rule.law.term_count > 1;
        append(text, between);
        append(text, is_sum ? "(" : "");
        append_rules(text, trips, false, variables);
        append(text, is_sum ? ")" : "");
        between = " * ";
    }
    if (!text[0])
        append(text, "1");
}

/* ---- the table ---- */

static void add_rules(struct ft_table *table, const struct ft_value_rules *rules, bool is_rank,
                      const struct ft_law_variables *variables)
{
    char text[TEXT_MAX] = "";
    if (!rules) {
        ft_table_empty(table);
        return;
    }
    append_rules(text, rules, is_rank, variables);
    ft_table_text(table, text);
}

static void add_call(struct ft_table *table, const struct ft_job_laws *laws,
                     const struct ft_shape_case *one, uint32_t index)
{
    const struct ft_law_variables *variables = &laws->space.variables;
    const struct ft_node_law *node = &one->laws.nodes[index];
    const struct ft_rank_grid grid = ft_rank_space_grid(&laws->space, &one->size);
    const struct ft_value_rules *source = rules_of(node, FT_MPI_KEY_SOURCE);
    const struct ft_value_rules *root = rules_of(node, FT_MPI_KEY_ROOT);
    char text[TEXT_MAX], category[FT_CATEGORY_TEXT];
    ft_table_text(table, node->name);
    count_text(text, &one->laws, index, variables);
    ft_table_text(table, text);
    add_rules(table, rules_of(node, FT_MPI_KEY_DESTINATION), true, variables);
    add_rules(table, source ? source : root, true, variables);
    add_rules(table, rules_of(node, FT_MPI_KEY_SENT_BYTES), false, variables);
    add_rules(table, rules_of(node, FT_MPI_KEY_RECEIVED_BYTES), false, variables);
    add_rules(table, rules_of(node, FT_MPI_KEY_COMMUNICATOR), false, variables);
    ft_table_text(table, laws->key == FT_RANKS_ALIKE
                             ? "all"
                             : ft_rank_category_text(category, laws->key, &grid, one->rank));
}

static struct ft_table *table_of(const struct ft_job_laws *laws)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "call", "call", false);
    ft_table_column(table, "times", "times", false);
    ft_table_column(table, "to", "to", false);
    ft_table_column(table, "from or root", "from", false);
    ft_table_column(table, "bytes sent", "sent_bytes", false);
    ft_table_column(table, "bytes received", "received_bytes", false);
    ft_table_column(table, "in", "communicator", false);
    ft_table_column(table, "ranks", "ranks", false);
    for (size_t i = 0; i < laws->case_count; i++)
        for (uint32_t n = 0; n < laws->cases[i].laws.shape.count; n++)
            if (laws->cases[i].laws.nodes[n].name)
                add_call(table, laws, &laws->cases[i], n);
    return table;
}

/* "P/2 x 2". */
static const char *division_text(char text[TEXT_MAX], const struct ft_job_laws *laws)
{
    char law[FT_LAW_TEXT];
    text[0] = 0;
    for (unsigned d = 0; d < laws->space.directions; d++) {
        append(text, d > 0 ? " x " : "");
        append(text,
               ft_exact_law_text(law, &laws->space.division.parts[d], &laws->space.variables));
    }
    return text;
}

int ft_job_laws_print(const struct ft_job_laws *laws, enum ft_report_form form, FILE *stream,
                      struct ft_diag *diag)
{
    struct ft_table *table = table_of(laws);
    char text[TEXT_MAX];
    if (!table)
        return ft_fail_memory(diag, "a table");
    if (form == FT_REPORT_TEXT && laws->needs_grid)
        ft_print_wrapped(stream, 0, "Ranks form a grid of %u direction%s, divided as %s.\n\n",
                         laws->space.directions, laws->space.directions == 1 ? "" : "s",
                         laws->space.division.is_by_law ? division_text(text, laws)
                                                        : "MPI_Dims_create does");
    const int status =
        form == FT_REPORT_JSON
            ? ft_json_write(json_pack("{s:i, s:o}", "directions",
                                      laws->needs_grid ? (int)laws->space.directions : 0, "calls",
                                      ft_table_json(table)),
                            stream, diag)
            : ft_table_write(table, stream, form == FT_REPORT_CSV, diag);
    ft_table_destroy(table);
    return status;
}
