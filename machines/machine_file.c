/*
 * A path is taken as it is, a name is looked up in the folder of machines, "host" is detected. What
 * stands behind a comma and looks like an edit is one, unless a file has that name.
 */
#include "machines/machine_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/file_name.h"
#include "machines/host/host_hardware.h"
#include "machines/machine_build.h"
#include "machines/machine_detect.h"
#include "machines/machine_edit.h"
#include "machines/machine_folder.h"

#define CAPTION "caches="

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

const char *ft_machine_file_prefix(const char *path)
{
    return is_path(path) ? "" : "./";
}

/* ---- the machine without edits ---- */

static int open_path(const char *path, struct ft_machine_file *file, struct ft_diag *diag)
{
    FT_TRY(ft_yaml_file_read(path, &file->text, diag));
    FT_TRY(ft_yaml_machine_read(&file->text, &file->yaml, diag));
    file->path = strdup(path);
    file->name = strdup(ft_file_name(path));
    if (!file->path || !file->name)
        return ft_fail_memory(diag, path);
    file->text.path = file->path;
    char *end = strstr(file->name, ".yaml");
    if (end && end[5] == 0)
        *end = 0;
    return FT_OK;
}

static int open_named(const char *name, struct ft_machine_file *file, struct ft_diag *diag)
{
    char path[FT_MACHINE_PATH];
    ft_machine_path(name, path);
    if (access(path, F_OK) != 0)
        return ft_machine_fail_unknown(name, diag);
    file->is_named = true;
    return open_path(path, file, diag);
}

static int open_host(struct ft_machine_file *file, struct ft_diag *diag)
{
    struct ft_capture_host host = {0};
    char *processor = ft_host_processor_name();
    file->path = strdup("host");
    file->name = strdup("host");
    int status = processor && file->path && file->name && ft_host_hardware_describe(&host)
                     ? FT_OK
                     : ft_fail_memory(diag, "this host");
    const struct ft_detection detection = {.host = &host,
                                           .processor = processor,
                                           .source =
                                               "this host: caches by the kernel, TLBs by cpuid"};
    if (status == FT_OK)
        status = ft_machine_detect(&detection, &file->yaml, diag);
    free(processor);
    ft_capture_host_fini(&host);
    return status;
}

static int open_plain(const char *machine, struct ft_machine_file *file, struct ft_diag *diag)
{
    if (strcmp(machine, "host") == 0)
        return open_host(file, diag);
    return is_path(machine) ? open_path(machine, file, diag) : open_named(machine, file, diag);
}

/* ---- with edits ---- */

static int edit(const char *machine, const char *edits, struct ft_machine_file *file,
                struct ft_diag *diag)
{
    struct ft_diag why;
    char *name = NULL;
    int status = ft_machine_edit(file->yaml, edits, &why);
    if (status != FT_OK)
        return ft_fail(diag, status, "machine %s: %s", file->name, why.message);
    if (asprintf(&name, "%s,%s", file->name, edits) < 0)
        return ft_fail_memory(diag, machine);
    free(file->name);
    file->name = name;
    file->is_edited = true;
    return FT_OK;
}

static bool is_machine(const char *name)
{
    char path[FT_MACHINE_PATH];
    if (is_path(name))
        return access(name, F_OK) == 0;
    ft_machine_path(name, path);
    return strcmp(name, "host") == 0 || access(path, F_OK) == 0;
}

/* Where a machine's edits begin; NULL: there are none. What stands behind a comma and a machine is
 * meant as edits, even if it looks like none. */
static const char *edits_of(const char *machine)
{
    const char *edits = ft_machine_edits_of(machine), *comma = strchr(machine, ',');
    char *name = comma && !edits ? strndup(machine, (size_t)(comma - machine)) : NULL;
    if (name && is_machine(name))
        edits = comma + 1;
    free(name);
    return edits;
}

int ft_machine_file_open(const char *machine, struct ft_machine_file *ret_file,
                         struct ft_diag *diag)
{
    struct ft_machine_file file = {0};
    if (strncmp(machine, CAPTION, strlen(CAPTION)) == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "'%.200s' is a machine in one line: give a name, a YAML file or host",
                       machine);
    const char *edits = access(machine, F_OK) == 0 ? NULL : edits_of(machine);
    char *plain = edits ? strndup(machine, (size_t)(edits - machine) - 1) : strdup(machine);
    int status = plain ? open_plain(plain, &file, diag) : ft_fail_memory(diag, machine);
    free(plain);
    if (status == FT_OK && edits)
        status = edit(machine, edits, &file, diag);
    if (status == FT_OK)
        *ret_file = file;
    else
        ft_machine_file_fini(&file);
    return status;
}

int ft_machine_file_build(const struct ft_machine_file *file, struct ft_machine *ret_machine,
                          struct ft_diag *diag)
{
    /* An edited value has no line in the file. */
    const struct ft_machine_source source = {file->is_edited ? file->name : file->path,
                                             file->is_edited ? NULL : file->text.text,
                                             file->is_edited ? 0 : file->text.bytes};
    return ft_machine_build(&source, file->name, file->yaml, ret_machine, diag);
}

void ft_machine_file_fini(struct ft_machine_file *file)
{
    if (file->yaml)
        ft_yaml_machine_free(file->yaml);
    free(file->text.text);
    free(file->path);
    free(file->name);
    *file = (struct ft_machine_file){0};
}

int ft_machine_load(const char *name, struct ft_machine *ret_machine, struct ft_diag *diag)
{
    struct ft_machine_file file;
    if (strncmp(name, CAPTION, strlen(CAPTION)) == 0)
        return ft_machine_parse(name + strlen(CAPTION), ret_machine, diag);
    FT_TRY(ft_machine_file_open(name, &file, diag));
    int status = ft_machine_file_build(&file, ret_machine, diag);
    /* What is wrong because of an edit was typed. */
    if (status == FT_ERROR_DATA && file.is_edited && diag)
        status = diag->status = FT_ERROR_USAGE;
    ft_machine_file_fini(&file);
    return status;
}
