/*
 * The text has a line per kind of cache and TLB, with their number, and only limits that are
 * finite; JSON has every entry.
 */
#include "formats/commands/host_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

static const char *text_of(const struct ft_capture_host *host, const char *name)
{
    const struct ft_host_fact *fact = ft_capture_host_find_fact(host, name);
    return fact && fact->text ? fact->text : "unknown";
}

static uint64_t number_of(const struct ft_capture_host *host, const char *name)
{
    const struct ft_host_fact *fact = ft_capture_host_find_fact(host, name);
    return fact && !fact->text ? fact->number : 0;
}

static const char *content_name(unsigned content)
{
    static const char *const names[] = {"unknown", "data", "instruction", "unified"};
    return names[content < sizeof names / sizeof *names ? content : 0];
}

static const char *content_letter(unsigned content)
{
    return content == FT_CACHE_DATA ? "d" : content == FT_CACHE_INSTRUCTIONS ? "i" : "";
}

/* ---- as text ---- */

static bool same_cache(const struct ft_host_cache *a, const struct ft_host_cache *b)
{
    return a->level == b->level && a->content == b->content && a->size_bytes == b->size_bytes &&
           a->line_bytes == b->line_bytes && a->ways == b->ways;
}

static void print_caches(const struct ft_capture_host *host, FILE *stream)
{
    bool any = false;
    for (size_t i = 0; i < host->cache_count; i++) {
        const struct ft_host_cache *cache = &host->caches[i];
        size_t before = 0, count = 0;
        char size[FT_NUMBER_TEXT];
        for (size_t k = 0; k < host->cache_count; k++) {
            before += k < i && same_cache(&host->caches[k], cache);
            count += same_cache(&host->caches[k], cache);
        }
        if (before)
            continue;
        fprintf(stream, "%sL%u%s %s", any ? "; " : "  caches        ", cache->level,
                content_letter(cache->content),
                cache->size_bytes ? ft_text_bytes(size, (double)cache->size_bytes)
                                  : "of unknown size");
        if (cache->ways)
            fprintf(stream, ", %" PRIu32 " ways of %" PRIu32 " B", cache->ways, cache->line_bytes);
        if (count > 1)
            fprintf(stream, " (%zu of them)", count);
        any = true;
    }
    fprintf(stream, "%s", any ? "\n" : "");
}

static void print_tlbs(const struct ft_capture_host *host, FILE *stream)
{
    char size[FT_NUMBER_TEXT];
    for (size_t i = 0; i < host->tlb_count; i++)
        fprintf(stream, "%sL%u%s %" PRIu32 " of %s", i ? "; " : "  TLBs          ",
                host->tlbs[i].level, content_letter(host->tlbs[i].content), host->tlbs[i].entries,
                ft_text_bytes(size, (double)host->tlbs[i].page_bytes));
    fprintf(stream, "%s", host->tlb_count ? "\n" : "");
}

static void print_limits(const struct ft_capture_host *host, FILE *stream)
{
    bool any = false;
    for (size_t i = 0; i < host->limit_count; i++) {
        const struct ft_host_limit *limit = &host->limits[i];
        if (limit->soft == UINT64_MAX)
            continue;
        fprintf(stream, "%s%s %" PRIu64, any ? ", " : "  limits        ", limit->name, limit->soft);
        any = true;
    }
    fprintf(stream, "%s", any ? "\n" : "");
}

static void print_lines(const struct ft_capture_host *host, FILE *stream)
{
    char memory[FT_NUMBER_TEXT], page[FT_NUMBER_TEXT], huge[FT_NUMBER_TEXT];
    fprintf(stream, "\nCaptured on\n  system        %s, %s\n", text_of(host, "system"),
            text_of(host, "kernel_version"));
    fprintf(stream,
            "  processor     %s, family %" PRIu64 ", model %" PRIu64 ", stepping %" PRIu64
            "; %s online, the program on %s\n",
            text_of(host, "cpu_vendor"), number_of(host, "cpu_family"),
            number_of(host, "cpu_model"), number_of(host, "cpu_stepping"),
            text_of(host, "processors_online"), text_of(host, "affinity"));
    print_caches(host, stream);
    print_tlbs(host, stream);
    fprintf(stream, "  memory        %s in pages of %s; huge ones of %s: %s\n",
            ft_text_bytes(memory, (double)number_of(host, "memory_bytes")),
            ft_text_bytes(page, (double)number_of(host, "page_bytes")),
            ft_text_bytes(huge, (double)number_of(host, "huge_page_bytes")),
            text_of(host, "transparent_hugepages"));
    print_limits(host, stream);
    for (size_t i = 0; i < host->variable_count; i++)
        fprintf(stream, "%s%s=%s\n", i ? "                " : "  environment   ",
                host->variables[i].name, host->variables[i].value);
}

void ft_host_print(const struct ft_capture_host *host, FILE *stream)
{
    char *text = NULL;
    size_t bytes;
    FILE *lines = host->fact_count > 0 ? open_memstream(&text, &bytes) : NULL;
    if (!lines)
        return;
    print_lines(host, lines);
    fclose(lines);
    ft_print_wrapped(stream, FT_VALUE_INDENT, "%s", text);
    free(text);
}

/* ---- JSON ---- */

static json_t *caches_json(const struct ft_capture_host *host)
{
    json_t *caches = json_array();
    for (size_t i = 0; i < host->cache_count; i++) {
        const struct ft_host_cache *cache = &host->caches[i];
        json_t *entry =
            json_pack("{s:i, s:s, s:I, s:I, s:I, s:I}", "level", (int)cache->level, "content",
                      content_name(cache->content), "size_bytes", (json_int_t)cache->size_bytes,
                      "line_bytes", (json_int_t)cache->line_bytes, "ways", (json_int_t)cache->ways,
                      "sets", (json_int_t)cache->sets);
        json_object_set_new(entry, "processors", ft_json_text(cache->processors));
        ft_json_append(&caches, entry);
    }
    return caches;
}

static json_t *tlbs_json(const struct ft_capture_host *host)
{
    json_t *tlbs = json_array();
    for (size_t i = 0; i < host->tlb_count; i++) {
        const struct ft_host_tlb *tlb = &host->tlbs[i];
        ft_json_append(&tlbs, json_pack("{s:i, s:s, s:I, s:I, s:I}", "level", (int)tlb->level,
                                        "content", content_name(tlb->content), "page_bytes",
                                        (json_int_t)tlb->page_bytes, "entries",
                                        (json_int_t)tlb->entries, "ways", (json_int_t)tlb->ways));
    }
    return tlbs;
}

static json_t *limit_json(uint64_t limit)
{
    return limit == UINT64_MAX ? json_null() : json_integer((json_int_t)limit);
}

static json_t *limits_json(const struct ft_capture_host *host)
{
    json_t *limits = json_object();
    for (size_t i = 0; i < host->limit_count; i++)
        json_object_set_new(limits, host->limits[i].name,
                            json_pack("{s:o, s:o}", "soft", limit_json(host->limits[i].soft),
                                      "hard", limit_json(host->limits[i].hard)));
    return limits;
}

json_t *ft_host_json(const struct ft_capture_host *host)
{
    json_t *root = json_object();
    for (size_t i = 0; i < host->fact_count; i++) {
        const struct ft_host_fact *fact = &host->facts[i];
        json_object_set_new(root, fact->name,
                            fact->text ? ft_json_text(fact->text)
                                       : json_integer((json_int_t)fact->number));
    }
    json_t *auxiliary = json_array(), *environment = json_object();
    for (size_t i = 0; i < host->auxiliary_count; i++)
        ft_json_append(&auxiliary,
                       json_pack("{s:I, s:I}", "type", (json_int_t)host->auxiliary[i].type, "value",
                                 (json_int_t)host->auxiliary[i].value));
    for (size_t i = 0; i < host->variable_count; i++)
        json_object_set_new(environment, host->variables[i].name,
                            ft_json_text(host->variables[i].value));
    json_object_set_new(root, "caches", caches_json(host));
    json_object_set_new(root, "tlbs", tlbs_json(host));
    json_object_set_new(root, "limits", limits_json(host));
    json_object_set_new(root, "auxiliary_vector", auxiliary);
    json_object_set_new(root, "environment", environment);
    return root;
}
