/*
 * A place in the template is "@kind@": the assets of that kind go there, or the title or the
 * document. Whatever comes from the program stands in the document alone, as JSON in which no "<"
 * is left, so that nothing in it can end the element that it is in; the page's script makes text of
 * it, never HTML.
 */
#include "predict/commands/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "formats/cli/svg.h"
#include "predict/commands/report/assets.h"

static const struct ft_asset *find_asset(const char *kind, size_t length)
{
    for (size_t i = 0; i < ft_asset_count; i++)
        if (strlen(ft_assets[i].kind) == length && strncmp(ft_assets[i].kind, kind, length) == 0)
            return &ft_assets[i];
    return NULL;
}

bool ft_page_has_plots(void)
{
    return find_asset("library", strlen("library")) != NULL;
}

static void write_assets(const char *kind, size_t length, FILE *stream)
{
    const struct ft_asset *asset = find_asset(kind, length);
    for (; asset && asset < ft_assets + ft_asset_count; asset++)
        if (strlen(asset->kind) == length && strncmp(asset->kind, kind, length) == 0)
            (void)fwrite(asset->bytes, 1, asset->byte_count, stream);
}

static void write_document(const char *json, FILE *stream)
{
    for (const char *c = json; *c; c++)
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
}

static void write_place(const char *kind, size_t length, const char *json, const char *title,
                        FILE *stream)
{
    if (length == strlen("title") && strncmp(kind, "title", length) == 0)
        ft_svg_text(stream, title);
    else if (length == strlen("data") && strncmp(kind, "data", length) == 0)
        write_document(json, stream);
    else
        write_assets(kind, length, stream);
}

/* Where the next place begins, and how long its name is; NULL: there is none. */
static const char *next_place(const char *text, const char *end, size_t *ret_length)
{
    for (; text < end; text++) {
        size_t length = 0;
        if (*text != '@')
            continue;
        while (text + 1 + length < end && text[1 + length] >= 'a' && text[1 + length] <= 'z')
            length++;
        if (length > 0 && text + 1 + length < end && text[1 + length] == '@') {
            *ret_length = length;
            return text;
        }
    }
    return NULL;
}

int ft_page_write(json_t *document, const char *title, FILE *stream, struct ft_diag *diag)
{
    const struct ft_asset *page = find_asset("page", strlen("page"));
    char *json = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(document);
    if (!json)
        return ft_fail_memory(diag, "a report");
    const char *text = (const char *)page->bytes, *end = text + page->byte_count, *place;
    size_t length = 0;
    while ((place = next_place(text, end, &length))) {
        (void)fwrite(text, 1, (size_t)(place - text), stream);
        write_place(place + 1, length, json, title, stream);
        text = place + length + 2;
    }
    (void)fwrite(text, 1, (size_t)(end - text), stream);
    free(json);
    return FT_OK;
}
