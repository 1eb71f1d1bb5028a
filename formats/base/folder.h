/*
 * A folder where a file is expected.
 */
#ifndef FT_FORMATS_BASE_FOLDER_H
#define FT_FORMATS_BASE_FOLDER_H

#include "formats/base/status.h"

/* FT_OK: the path is no folder. Else FT_ERROR_DATA; of the folder of a study or an archive that has
 * a model it says where. */
int ft_refuse_folder(const char *path, struct ft_diag *diag);

#endif
