/*
 * The folder in which captures keep modules for later ones.
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_MODULES_FOLDER_H
#define FT_TRACE_CAPTURE_COMMANDS_MODULES_FOLDER_H

/* $XDG_CACHE_HOME/foretrace/modules, or ~/.cache/foretrace/modules; folders that are missing are
 * made, but not $XDG_CACHE_HOME. malloc'ed; NULL where there can be none. */
char *ft_modules_folder(void);

#endif
