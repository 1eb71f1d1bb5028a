/*
 * A folder of what was read of modules, for later captures: a file for each, by its build-id and by
 * all else that its contents depend on. Whatever is wrong with folder or file only means that there
 * is no entry, and that none is written.
 *
 * An entry is believed if its folder and the file belong to the user and nobody else may write to
 * them, the key and the version are ours, and the checksum (XXH3-128) is right. Entries are written
 * under another name and renamed, so that captures side by side see whole ones. Those of the
 * longest time ago are removed where all together are larger than FT_MODULE_STORE_BYTES_MAX.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_MODULE_STORE_H
#define FT_TRACE_CAPTURE_MODULES_MODULE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/bytes.h"

#define FT_MODULE_STORE_BYTES_MAX (UINT64_C(256) << 20)
#define FT_MODULE_STORE_NAME_END  ".module" /* of all entries */

struct ft_module_key {
    bool is_usable;     /* false: there is no entry, and none may be written */
    char name[176];     /* of the file */
    uint8_t digest[32]; /* of all that the contents depend on */
};

struct ft_module_store;
/* Makes the last folder of the path where it is missing. NULL where it cannot be used; path is
 * NULL: none is wanted. */
struct ft_module_store *ft_module_store_open(const char *path);
/* Removes the oldest entries if any was written. */
void ft_module_store_close(struct ft_module_store *store);

/* False: no entry. The caller ends ret_contents with ft_bytes_fini. */
bool ft_module_store_read(const struct ft_module_store *store, const struct ft_module_key *key,
                          struct ft_bytes *ret_contents);
void ft_module_store_write(struct ft_module_store *store, const struct ft_module_key *key,
                           const struct ft_bytes *contents);

#endif
