/*
 * HDF5's registered filter 32015: each chunk of a dataset is one zstd frame. Registered in this
 * process for writing; as a plugin (zstd_filter_plugin.c) it lets h5dump and h5py read traces.
 */
#ifndef FT_FORMATS_TRACE_ZSTD_FILTER_H
#define FT_FORMATS_TRACE_ZSTD_FILTER_H

#include <hdf5.h>

#define FT_ZSTD_FILTER 32015

extern const H5Z_class2_t ft_zstd_filter;

#endif
