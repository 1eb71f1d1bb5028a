#include "fit/commands/synthesis_note.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fit/skeletons/synthesis.h"
#include "formats/base/number_text.h"
#include "formats/cli/terminal.h"

/* Scopes named as not synthetic, at the most; and their share of accesses at the least. */
#define NAMED_MAX 5
#define NAMED_MIN 0.001

struct note {
    const struct ft_sized_skeleton *sized;
    const char *parameter;
    struct ft_synthetic_share *shares; /* [scope] */
    struct ft_synthetic_share total;
    size_t unconfirmed; /* blocks */
};

static int sum_shares(struct note *note, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &note->sized->largest;
    note->shares = calloc(largest->scopes.scope_count + 1, sizeof *note->shares);
    if (!note->shares)
        return ft_fail_memory(diag, "a note");
    FT_TRY(ft_synthetic_shares(note->sized, note->shares, diag));
    FT_TRY(ft_synthetic_share_sum(note->sized, &note->total, diag));
    for (uint32_t b = 0; b < largest->blocks.block_count; b++)
        note->unconfirmed += !note->sized->blocks.is_confirmed[b];
    return FT_OK;
}

static double missing(const struct ft_synthetic_share *share)
{
    return share->recorded + share->drawn + share->irregular;
}

/* The scopes with most accesses that are not synthetic. */
static void print_missing(const struct note *note, FILE *stream)
{
    const struct ft_scope *scopes = note->sized->largest.scopes.scopes;
    const size_t count = note->sized->largest.scopes.scope_count;
    double limit = INFINITY;
    for (unsigned named = 0; named < NAMED_MAX; named++) {
        size_t most = 0;
        for (size_t s = 1; s < count; s++)
            if (missing(&note->shares[s]) < limit &&
                missing(&note->shares[s]) > (most ? missing(&note->shares[most]) : 0))
                most = s;
        limit = most ? missing(&note->shares[most]) : 0;
        if (limit < NAMED_MIN * note->total.accesses)
            return;
        char text[FT_NUMBER_TEXT];
        fprintf(stream, "not synthetic: %s, %s of the accesses\n", scopes[most].name,
                ft_text_share(text, limit / note->total.accesses));
    }
}

static void print_note(const struct note *note, FILE *stream)
{
    char sized[FT_NUMBER_TEXT], recorded[FT_NUMBER_TEXT], drawn[FT_NUMBER_TEXT],
        irregular[FT_NUMBER_TEXT];
    const double all = note->total.accesses > 0 ? note->total.accesses : 1;
    char sizes[FT_SIZED_SIZES_MAX * FT_NUMBER_TEXT];
    size_t length = 0;
    for (size_t s = 0; s < note->sized->size_count; s++)
        length +=
            (size_t)snprintf(sizes + length, sizeof sizes - length, " %g", note->sized->sizes[s]);
    ft_print_wrapped(
        stream, 0,
        "synthesised from %s =%s; at the largest %s follow laws, %s stay as recorded, %s are drawn "
        "at random, %s are left out\n",
        note->parameter, sizes,
        ft_text_share(sized, (note->total.sized + note->total.single) / all),
        ft_text_share(recorded, note->total.recorded / all),
        ft_text_share(drawn, note->total.drawn / all),
        ft_text_share(irregular, note->total.irregular / all));
    print_missing(note, stream);
    if (note->unconfirmed)
        fprintf(stream,
                ft_block_laws_are_renumbered(&note->sized->blocks)
                    ? "where malloc puts %zu heap blocks is not known\n"
                    : "%zu heap blocks are where they were at the largest size\n",
                note->unconfirmed);
}

static json_t *note_json(const struct note *note)
{
    json_t *sizes = json_array();
    for (size_t s = 0; s < note->sized->size_count; s++)
        ft_json_append(&sizes, json_real(note->sized->sizes[s]));
    return json_pack("{s:{s:o, s:I, s:I, s:I, s:I, s:I, s:I}}", "synthesised", "sizes", sizes,
                     "training_accesses", (json_int_t)note->total.accesses, "sized",
                     (json_int_t)(note->total.sized + note->total.single), "recorded",
                     (json_int_t)note->total.recorded, "drawn", (json_int_t)note->total.drawn,
                     "irregular", (json_int_t)note->total.irregular, "unconfirmed_blocks",
                     (json_int_t)note->unconfirmed);
}

static int write_text(const struct note *note, char **ret_text, struct ft_diag *diag)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return ft_fail_memory(diag, "a note");
    print_note(note, stream);
    if (fclose(stream) != 0) {
        free(text);
        return ft_fail_memory(diag, "a note");
    }
    *ret_text = text;
    return FT_OK;
}

int ft_synthesis_note_make(const struct ft_sized_skeleton *sized, const char *parameter,
                           struct ft_synthesis_note *ret_note, struct ft_diag *diag)
{
    struct note note = {.sized = sized, .parameter = parameter};
    struct ft_synthesis_note made = {0};
    int status = sum_shares(&note, diag);
    if (status == FT_OK)
        status = write_text(&note, &made.text, diag);
    if (status == FT_OK) {
        made.members = note_json(&note);
        *ret_note = made;
    }
    free(note.shares);
    return status;
}

void ft_synthesis_note_fini(struct ft_synthesis_note *note)
{
    free(note->text);
    json_decref(note->members);
    *note = (struct ft_synthesis_note){0};
}
