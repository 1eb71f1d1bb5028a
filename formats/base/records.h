/*
 * Arrays of C structs as HDF5 datasets of compounds that stock tools print with field names.
 *
 * A record type lists the fields of a struct. In the file they are packed, little-endian, gzipped
 * and without timestamps, so that equal records give equal bytes. A field of type FT_FIELD_TEXT is
 * a char *: owned, 0-terminated, never NULL after reading; free it field by field. Reading checks
 * that the dataset has every field and the bytes that its length promises. HDF5 must not be called
 * by two threads at once.
 */
#ifndef FT_FORMATS_BASE_RECORDS_H
#define FT_FORMATS_BASE_RECORDS_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

enum ft_field_type {
    FT_FIELD_U8,
    FT_FIELD_U16,
    FT_FIELD_U32,
    FT_FIELD_U64,
    FT_FIELD_I64,
    FT_FIELD_F64,
    FT_FIELD_TEXT,  /* char *; as wide in the file as the longest */
    FT_FIELD_CHARS, /* char[count], 0-terminated */
};

struct ft_field {
    const char *name;
    size_t offset;  /* in the struct */
    uint8_t type;   /* enum ft_field_type */
    uint32_t count; /* elements of an array; 0: not an array */
};

struct ft_record_type {
    size_t record_bytes; /* sizeof the struct */
    const struct ft_field *fields;
    size_t field_count;
};

/* A member of `struct record` under its own name; ARRAY: one with `count` elements. RECORD_TYPE:
 * the type with these fields. */
#define FT_FIELD(record, member, type) FT_FIELD_ARRAY(record, member, type, 0)
#define FT_FIELD_ARRAY(record, member, type, count)                                                \
    {                                                                                              \
#member, offsetof(struct record, member), type, count                                      \
    }
#define FT_RECORD_TYPE(record, fields)                                                             \
    {                                                                                              \
        sizeof(struct record), fields, sizeof fields / sizeof *fields                              \
    }

/* Creates the dataset `name` in group. */
int ft_records_write(hid_t group, const char *name, const struct ft_record_type *type,
                     const void *records, size_t count, struct ft_diag *diag);

/* Reads a dataset into a malloc'ed array (NULL when empty); members that are not in `type` are
 * 0. */
int ft_records_read(hid_t group, const char *name, const struct ft_record_type *type,
                    void **ret_records, size_t *ret_count, struct ft_diag *diag);
/* The same; any other number of records than `count` is an error. */
int ft_records_read_exactly(hid_t group, const char *name, const struct ft_record_type *type,
                            size_t count, void **ret_records, struct ft_diag *diag);

/* A dataset of flags. Read: to be freed, also after a failure. */
int ft_flags_write(hid_t group, const char *name, const bool *flags, size_t count,
                   struct ft_diag *diag);
int ft_flags_read(hid_t group, const char *name, bool **ret_flags, size_t *ret_count,
                  struct ft_diag *diag);

/* Several datasets of one group, in order. */
struct ft_records {
    const char *name;
    const struct ft_record_type *type;
    void *records;
    size_t count;
};
int ft_records_write_all(hid_t group, const struct ft_records *datasets, size_t dataset_count,
                         struct ft_diag *diag);
/* Fills records and count, after a failure too for the datasets read before it, so that they can be
 * freed. */
int ft_records_read_all(hid_t group, struct ft_records *datasets, size_t dataset_count,
                        struct ft_diag *diag);

#endif
