/*
 * A place in the template is "@kind@": the assets of that kind go there, or the title or the
 * document. Whatever comes from the program stands in the document alone, as JSON in which no "<"
 * is left, so that nothing in it can end the element that it is in; the page's script makes text of
 * it, never HTML.
 */
#include "predict/commands/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/svg.h"
#include "predict/commands/page/assets.h"

json_t *ft_page_number(double value)
{
    char text[32];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.*g", FT_PAGE_DIGITS, value);
    const double rounded = strtod(text, NULL);
    return rounded == rint(rounded) && fabs(rounded) < 1e15 ? json_integer((json_int_t)rounded)
                                                            : json_real(rounded);
}

json_t *ft_page_estimate(double value, double low, double high)
{
    return isnan(low) || (low == value && high == value)
               ? ft_page_number(value)
               : json_pack("[o, o, o]", ft_page_number(value), ft_page_number(low),
                           ft_page_number(high));
}

/* ---- places ---- */

/* What the template's places are filled with. */
struct filling {
    enum ft_page_kind kind;
    const char *title, *json;
};

static const struct ft_asset *find_asset(const char *kind)
{
    for (size_t i = 0; i < ft_asset_count; i++)
        if (strcmp(ft_assets[i].kind, kind) == 0)
            return &ft_assets[i];
    return NULL;
}

bool ft_page_has_plots(void)
{
    return find_asset("library") != NULL;
}

static void write_asset(const struct ft_asset *asset, FILE *stream)
{
    (void)fwrite(asset->bytes, 1, asset->byte_count, stream);
}

static void write_assets(const char *kind, FILE *stream)
{
    for (const struct ft_asset *asset = ft_assets; asset < ft_assets + ft_asset_count; asset++)
        if (strcmp(asset->kind, kind) == 0)
            write_asset(asset, stream);
}

static void write_document(const char *json, FILE *stream)
{
    for (const char *c = json; *c; c++)
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
}

/* Kinds of assets that are the scripts of a page. */
static bool is_script_of(enum ft_page_kind kind, const char *asset)
{
    static const char *const kinds[][4] = {[FT_PAGE_REPORT] = {"script", "tree", "report"},
                                           [FT_PAGE_MEASURED] = {"script", "tree", "measured"},
                                           [FT_PAGE_DIFF] = {"script", "diff"}};
    for (size_t i = 0; kinds[kind][i]; i++)
        if (strcmp(kinds[kind][i], asset) == 0)
            return true;
    return false;
}

static void write_scripts(enum ft_page_kind kind, FILE *stream)
{
    for (const struct ft_asset *asset = ft_assets; asset < ft_assets + ft_asset_count; asset++)
        if (is_script_of(kind, asset->kind))
            write_asset(asset, stream);
}

static void write_place(const char *kind, const struct filling *filling, FILE *stream)
{
    const bool has_library = filling->kind != FT_PAGE_DIFF;
    if (strcmp(kind, "title") == 0)
        ft_svg_text(stream, filling->title);
    else if (strcmp(kind, "data") == 0)
        write_document(filling->json, stream);
    else if (strcmp(kind, "script") == 0)
        write_scripts(filling->kind, stream);
    else if (has_library || (strcmp(kind, "library") != 0 && strcmp(kind, "licence") != 0))
        write_assets(kind, stream);
}

#define PLACE_TEXT 16

/* Where the next place begins, and its name; NULL: there is none. */
static const char *next_place(const char *text, const char *end, char ret_kind[PLACE_TEXT])
{
    for (; text < end; text++) {
        size_t length = 0;
        if (*text != '@')
            continue;
        while (text + 1 + length < end && text[1 + length] >= 'a' && text[1 + length] <= 'z')
            length++;
        if (length > 0 && length < PLACE_TEXT && text + 1 + length < end &&
            text[1 + length] == '@') {
            snprintf(ret_kind, PLACE_TEXT, "%.*s", (int)length, text + 1);
            return text;
        }
    }
    return NULL;
}

int ft_page_write(json_t *document, enum ft_page_kind kind, const char *title, FILE *stream,
                  struct ft_diag *diag)
{
    const struct ft_asset *page = find_asset("page");
    char *json = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(document);
    if (!json)
        return ft_fail_memory(diag, "a page");
    const struct filling filling = {.kind = kind, .title = title, .json = json};
    const char *text = (const char *)page->bytes, *end = text + page->byte_count, *place;
    char name[PLACE_TEXT];
    while ((place = next_place(text, end, name))) {
        (void)fwrite(text, 1, (size_t)(place - text), stream);
        write_place(name, &filling, stream);
        text = place + strlen(name) + 2;
    }
    (void)fwrite(text, 1, (size_t)(end - text), stream);
    free(json);
    return FT_OK;
}
