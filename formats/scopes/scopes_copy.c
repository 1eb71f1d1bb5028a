#include <stdlib.h>
#include <string.h>

#include "formats/scopes/scopes.h"

/* NULL: out of memory. */
static void *copy_of(const void *items, size_t count, size_t item_bytes)
{
    void *copy = malloc(count * item_bytes + 1);
    if (copy && count)
        memcpy(copy, items, count * item_bytes);
    return copy;
}

/* A text that cannot be copied is NULL. */
static bool copy_texts(const struct ft_scopes *scopes, struct ft_scopes *copy)
{
    bool done = true;
    for (size_t i = 0; i < copy->module_count; i++) {
        const struct ft_scope_module *from = &scopes->modules[i];
        struct ft_scope_module *module = &copy->modules[i];
        module->name = strdup(from->name);
        module->path = strdup(from->path);
        done = done && module->name && module->path;
    }
    for (size_t i = 0; i < copy->scope_count; i++) {
        const struct ft_scope *from = &scopes->scopes[i];
        struct ft_scope *scope = &copy->scopes[i];
        scope->name = strdup(from->name);
        scope->file = strdup(from->file);
        done = done && scope->name && scope->file;
    }
    for (size_t i = 0; i < copy->inlined_count; i++) {
        const struct ft_inlined_call *from = &scopes->inlined[i];
        struct ft_inlined_call *call = &copy->inlined[i];
        call->name = strdup(from->name);
        call->call_file = strdup(from->call_file);
        done = done && call->name && call->call_file;
    }
    return done;
}

int ft_scopes_copy(const struct ft_scopes *scopes, struct ft_scopes *ret_copy, struct ft_diag *diag)
{
    struct ft_scopes copy = *scopes;
    copy.groups = NULL;
    copy.code = copy.load_classes = NULL;
    copy.predictions = NULL;
    copy.remapped_pages = NULL;
    copy.code_bytes = 0;
    copy.sources = (struct ft_source_files){0};
    copy.modules = copy_of(scopes->modules, scopes->module_count, sizeof *copy.modules);
    copy.scopes = copy_of(scopes->scopes, scopes->scope_count, sizeof *copy.scopes);
    copy.blocks = copy_of(scopes->blocks, scopes->block_count, sizeof *copy.blocks);
    copy.edges = copy_of(scopes->edges, scopes->edge_count, sizeof *copy.edges);
    copy.references = copy_of(scopes->references, scopes->reference_count, sizeof *copy.references);
    copy.inlined = copy_of(scopes->inlined, scopes->inlined_count, sizeof *copy.inlined);
    const bool has_arrays =
        copy.modules && copy.scopes && copy.blocks && copy.edges && copy.references && copy.inlined;
    if (!has_arrays) /* their texts are those of `scopes` */
        copy.module_count = copy.scope_count = copy.inlined_count = 0;
    if (!has_arrays || !copy_texts(scopes, &copy)) {
        ft_scopes_fini(&copy);
        return ft_fail_memory(diag, "the scope tree");
    }
    *ret_copy = copy;
    return FT_OK;
}
