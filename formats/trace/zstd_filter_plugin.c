/*
 * The entry points by which HDF5 finds a filter in a shared library on HDF5_PLUGIN_PATH.
 */
#include <H5PLextern.h>

#include "formats/trace/zstd_filter.h"

H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &ft_zstd_filter;
}
