/*
 * The HDF5 form of the scope tree: what is read is what was written, equal trees give equal bytes,
 * and a damaged file gives an error or a tree whose indices all hold.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/hdf5_output.h"
#include "formats/scopes/scope_path.h"
#include "formats/x86/unit.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

/* HDF5 1.10 itself loses memory where a filter fails; read by the leak sanitizer. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

#define BLOCK_COUNT 700 /* enough for tables under gzip */

static void *copied(const void *items, size_t bytes)
{
    void *copy = malloc(bytes);
    if (!copy)
        exit(99);
    return memcpy(copy, items, bytes);
}

static struct ft_scopes make_scopes(void)
{
    const struct ft_scope_module modules[] = {
        {strdup("program"), strdup("/opt/program"), "00ff12"},
        {strdup("libc.so.6"), strdup("/lib/libc.so.6"), ""},
    };
    const struct ft_scope scopes[] = {
        {0, FT_NO_MODULE, FT_SCOPE_PROGRAM, 0, strdup("program"), strdup(""), 0, 0, 0, 0, 1, 0},
        {0, 0, FT_SCOPE_MODULE, 0, strdup("program"), strdup(""), 0, 0, 0x1000, 0x2000, 0, 0},
        {1, 0, FT_SCOPE_ROUTINE, 0, strdup("f\xc3\xbcnf(int)"), strdup("/src/a.c"), 3, 9, 0x1000,
         0x1100, 7, 0},
        {2, 0, FT_SCOPE_LOOP, 1, strdup("loop at a.c:4"), strdup("/src/a.c"), 4, 8, 0x1010, 0x1080,
         7, UINT64_MAX},
    };
    const struct ft_inlined_call inlined[] = {
        {3, 17, strdup("outer"), strdup("/src/a.c")},
        {3, 0, strdup("inner<\xc3\xbc>"), strdup("")},
    };
    struct ft_scopes tree = {
        .modules = copied(modules, sizeof modules),
        .module_count = 2,
        .scopes = copied(scopes, sizeof scopes),
        .scope_count = 4,
        .inlined = copied(inlined, sizeof inlined),
        .inlined_count = 2,
        .blocks = calloc(BLOCK_COUNT, sizeof *tree.blocks),
        .block_count = BLOCK_COUNT,
        .edges = calloc(BLOCK_COUNT, sizeof *tree.edges),
        .edge_count = BLOCK_COUNT,
        .references = calloc(BLOCK_COUNT, sizeof *tree.references),
        .reference_count = BLOCK_COUNT,
        .group_count = 12,
        .code = calloc(BLOCK_COUNT, 16),
        .code_bytes = BLOCK_COUNT * 16,
        .load_classes = calloc(BLOCK_COUNT, 1),
    };
    for (uint32_t i = 0; i < BLOCK_COUNT; i++) {
        tree.blocks[i] = (struct ft_block){.scope = i % 4,
                                           .module = 1,
                                           .offset = 0x1000 + 16 * i,
                                           .code_bytes = 16,
                                           .instruction_count = i % 9,
                                           .execution_count = (uint64_t)i << 40,
                                           .mix = {[FT_MIX_LOAD] = (uint16_t)i, [12] = 3},
                                           .flops = i};
        tree.edges[i] = (struct ft_block_edge){i, (i + 1) % BLOCK_COUNT, i};
        tree.references[i] = (struct ft_scoped_reference){.offset = 0x1004 + 16 * i,
                                                          .module = FT_NO_MODULE,
                                                          .scope = i % 4,
                                                          .block = i,
                                                          .group = i % 12,
                                                          .size_bytes = 8,
                                                          .line = i,
                                                          .access_index = i % 3,
                                                          .kind = i % 3};
        memset(tree.code + i * 16, (int)i, 16);
        tree.load_classes[i] = i % FT_LOAD_CLASSES;
    }
    return tree;
}

static int write_file(const char *path, const struct ft_scopes *tree)
{
    struct ft_hdf5_output *output;
    int status = ft_hdf5_output_create(path, &output, NULL);
    if (status < 0)
        return status;
    status = ft_scopes_write(tree, ft_hdf5_output_file(output), NULL);
    if (status == FT_OK)
        status = ft_hdf5_output_finish(output, NULL);
    ft_hdf5_output_destroy(output, false);
    return status;
}

static int read_file(const char *path, struct ft_scopes *ret_tree, struct ft_diag *diag)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return FT_ERROR_DATA;
    int status = ft_scopes_read(file, ret_tree, diag);
    H5Fclose(file);
    return status;
}

static bool same_scopes(const struct ft_scopes *a, const struct ft_scopes *b)
{
    bool same = a->module_count == b->module_count && a->scope_count == b->scope_count &&
                a->block_count == b->block_count && a->edge_count == b->edge_count &&
                a->reference_count == b->reference_count && a->group_count == b->group_count;
    for (size_t i = 0; same && i < a->module_count; i++)
        same = strcmp(a->modules[i].name, b->modules[i].name) == 0 &&
               strcmp(a->modules[i].path, b->modules[i].path) == 0 &&
               strcmp(a->modules[i].build_id, b->modules[i].build_id) == 0;
    for (size_t i = 0; same && i < a->scope_count; i++) {
        const struct ft_scope *s = &a->scopes[i], *t = &b->scopes[i];
        same = s->parent == t->parent && s->module == t->module && s->kind == t->kind &&
               s->loop_depth == t->loop_depth && strcmp(s->name, t->name) == 0 &&
               strcmp(s->file, t->file) == 0 && s->first_line == t->first_line &&
               s->last_line == t->last_line && s->start_offset == t->start_offset &&
               s->end_offset == t->end_offset && s->entry_count == t->entry_count &&
               s->iteration_count == t->iteration_count;
    }
    same = same && a->inlined_count == b->inlined_count;
    for (size_t i = 0; same && i < a->inlined_count; i++)
        same = a->inlined[i].scope == b->inlined[i].scope &&
               a->inlined[i].call_line == b->inlined[i].call_line &&
               strcmp(a->inlined[i].name, b->inlined[i].name) == 0 &&
               strcmp(a->inlined[i].call_file, b->inlined[i].call_file) == 0;
    same = same && a->code_bytes == b->code_bytes && memcmp(a->code, b->code, a->code_bytes) == 0 &&
           memcmp(a->load_classes, b->load_classes, a->reference_count) == 0;
    /* No padding inside these: every byte counts. */
    return same && memcmp(a->edges, b->edges, a->edge_count * sizeof *a->edges) == 0 &&
           memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0 &&
           memcmp(a->references, b->references, a->reference_count * sizeof *a->references) == 0;
}

static size_t file_bytes(const char *path, uint8_t **ret_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    *ret_bytes = malloc(length);
    length = *ret_bytes ? fread(*ret_bytes, 1, length, file) : 0;
    fclose(file);
    return length;
}

static void check_round_trip(const char *path, const struct ft_scopes *tree)
{
    struct ft_scopes back = {0};
    struct ft_diag diag = {0};
    uint8_t *first = NULL, *second = NULL;
    tap_ok(write_file(path, tree) == 0, "written");
    size_t length = file_bytes(path, &first);
    if (tap_ok(read_file(path, &back, &diag) == 0, "read %s", diag.message))
        tap_ok(same_scopes(tree, &back), "what is read is what was written");
    write_file(path, &back);
    tap_ok(length > 0 && file_bytes(path, &second) == length && memcmp(first, second, length) == 0,
           "the same tree gives the same %zu bytes", length);
    ft_scopes_fini(&back);
    free(first);
    free(second);
}

/* Changes one number, and expects the reader to refuse the file. */
static void check_refused(const char *path, const struct ft_scopes *tree, uint32_t *number,
                          uint32_t wrong, const char *what)
{
    struct ft_scopes back = {0};
    struct ft_diag diag = {0};
    uint32_t right = *number;
    *number = wrong;
    write_file(path, tree);
    *number = right;
    tap_ok(read_file(path, &back, &diag) == FT_ERROR_DATA, "%s: %s", what, diag.message);
}

static void check_damaged(const char *path, const struct ft_scopes *tree)
{
    uint8_t *bytes = NULL;
    write_file(path, tree);
    size_t length = file_bytes(path, &bytes), refused = 0, unharmed = 0, wrong = 0;
    for (size_t i = 0; i < length; i += 29) {
        FILE *file = fopen(path, "wb");
        bytes[i] ^= 0x5a;
        fwrite(bytes, 1, length, file);
        bytes[i] ^= 0x5a;
        fclose(file);
        struct ft_scopes back = {0};
        if (read_file(path, &back, NULL) != 0)
            refused++;
        else if (same_scopes(tree, &back))
            unharmed++;
        else
            wrong++;
        ft_scopes_fini(&back);
    }
    tap_ok(wrong == 0 && refused > unharmed, "a wrong byte: %zu times refused, %zu without effect",
           refused, unharmed);
    free(bytes);
}

static void check_path(const struct ft_scopes *tree, uint32_t scope, const char *expected,
                       const char *what)
{
    char *path = NULL;
    const int status = ft_scope_path(tree, scope, &path, NULL);
    tap_ok(status == FT_OK && strcmp(path, expected) == 0, "%s: %s", what, path);
    free(path);
}

/* Paths are taken apart at their arrows. */
static void check_paths(struct ft_scopes *tree)
{
    check_path(tree, 0, "program", "the program alone");
    check_path(tree, 3, "program->program->f\xc3\xbcnf(int)->loop at a.c:4", "a loop's");
    free(tree->scopes[2].name);
    tree->scopes[2].name = strdup("list::operator->() -> int");
    check_path(tree, 2, "program->program->list::operator- >() - > int",
               "one with arrows in a name");
}

int main(void)
{
    const char *path = "scopes.h5";
    enter_temporary_folder();
    struct ft_scopes tree = make_scopes();
    check_round_trip(path, &tree);
    check_refused(path, &tree, &tree.scopes[2].parent, 3, "a parent behind its child");
    check_refused(path, &tree, &tree.scopes[3].module, 2, "a module that is not there");
    check_refused(path, &tree, &tree.blocks[5].scope, 4, "a scope that is not there");
    check_refused(path, &tree, &tree.edges[9].to, BLOCK_COUNT, "an edge to no block");
    check_refused(path, &tree, &tree.references[1].block, BLOCK_COUNT, "a reference in no block");
    check_refused(path, &tree, &tree.references[1].group, 12, "a group that is not there");
    check_refused(path, &tree, &tree.blocks[5].code_bytes, 17, "code that is not all there");
    check_refused(path, &tree, &tree.inlined[1].scope, 4, "a call around no scope");
    check_refused(path, &tree, &tree.inlined[0].scope, 2, "a call around a routine");
    check_damaged(path, &tree);
    const struct ft_inlined_call *calls;
    tap_ok(ft_scope_inlined(&tree, 3, &calls) == 2 && calls[0].call_line == 17 &&
               ft_scope_inlined(&tree, 2, &calls) == 0,
           "the calls around a loop");
    check_paths(&tree);
    ft_scopes_fini(&tree);

    struct ft_scopes empty = {0}, back = {0};
    write_file(path, &empty);
    tap_ok(read_file(path, &back, NULL) == FT_ERROR_DATA, "a tree without a program");
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    tap_ok(read_file(path, &back, NULL) == FT_ERROR_DATA, "a file without a tree");
    return tap_plan_done();
}
