/*
 * Records are copied field by field into packed images of what stands in the file, and back, a slab
 * at a time. Texts have a fixed width there: variable-length strings of HDF5 are as readable, but
 * version 1.10 reads outside its memory when their heap is damaged; and gzip takes the padding. All
 * arrays are under gzip, small ones too, for its checksum. Whoever creates the file makes HDF5
 * checksum the rest by asking for a format not older than 1.10 (H5Pset_libver_bounds).
 */
#include "formats/base/records.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX     32
#define ANY_COUNT      SIZE_MAX
#define SLAB_BYTES     (256 << 10) /* of images in memory, and of a chunk before gzip */
#define TEXT_BYTES_MAX (64 << 10)  /* longer ones are cut */
/* deflate cannot make data smaller than one part in this many (zlib's manual: 1032:1). */
#define DEFLATE_RATIO_MAX 1040

/* Where the fields stand in a packed image. */
struct image {
    const struct ft_record_type *type;
    size_t offsets[FIELDS_MAX];
    size_t bytes[FIELDS_MAX];
    size_t record_bytes;
    size_t slab_records;
};

static size_t element_bytes(uint8_t type)
{
    switch (type) {
    case FT_FIELD_U8:
    case FT_FIELD_CHARS:
        return 1;
    case FT_FIELD_U16:
        return 2;
    case FT_FIELD_U32:
        return 4;
    default:
        return 8;
    }
}

/* text_bytes: of each field that is a text. */
static void lay_out(const struct ft_record_type *type, const size_t *text_bytes,
                    struct image *ret_image)
{
    struct image image = {.type = type};
    for (size_t i = 0; i < type->field_count; i++) {
        const struct ft_field *field = &type->fields[i];
        image.offsets[i] = image.record_bytes;
        image.bytes[i] = field->type == FT_FIELD_TEXT
                             ? text_bytes[i]
                             : element_bytes(field->type) * (field->count ? field->count : 1);
        image.record_bytes += image.bytes[i];
    }
    assert(image.record_bytes > 0); /* a record has fields */
    image.slab_records = SLAB_BYTES / image.record_bytes + 1;
    *ret_image = image;
}

static hid_t field_type(const struct ft_field *field, size_t bytes)
{
    hid_t scalar;
    switch (field->type) {
    case FT_FIELD_U8:
        scalar = H5Tcopy(H5T_STD_U8LE);
        break;
    case FT_FIELD_U16:
        scalar = H5Tcopy(H5T_STD_U16LE);
        break;
    case FT_FIELD_U32:
        scalar = H5Tcopy(H5T_STD_U32LE);
        break;
    case FT_FIELD_U64:
        scalar = H5Tcopy(H5T_STD_U64LE);
        break;
    case FT_FIELD_I64:
        scalar = H5Tcopy(H5T_STD_I64LE);
        break;
    case FT_FIELD_F64:
        scalar = H5Tcopy(H5T_IEEE_F64LE);
        break;
    default:
        scalar = H5Tcopy(H5T_C_S1);
        H5Tset_size(scalar, bytes);
        H5Tset_cset(scalar, H5T_CSET_UTF8);
        return scalar;
    }
    if (field->count == 0)
        return scalar;
    hsize_t count = field->count;
    hid_t array = H5Tarray_create2(scalar, 1, &count);
    H5Tclose(scalar);
    return array;
}

static hid_t image_type(const struct image *image)
{
    hid_t compound = H5Tcreate(H5T_COMPOUND, image->record_bytes);
    for (size_t i = 0; i < image->type->field_count; i++) {
        hid_t field = field_type(&image->type->fields[i], image->bytes[i]);
        H5Tinsert(compound, image->type->fields[i].name, image->offsets[i], field);
        H5Tclose(field);
    }
    return compound;
}

static void pack(const struct image *image, const uint8_t *record, uint8_t *packed)
{
    for (size_t i = 0; i < image->type->field_count; i++) {
        const struct ft_field *field = &image->type->fields[i];
        if (field->type == FT_FIELD_TEXT) {
            const char *text = *(char *const *)(record + field->offset);
            size_t length = text ? strnlen(text, image->bytes[i] - 1) : 0;
            memset(packed + image->offsets[i], 0, image->bytes[i]);
            if (length)
                memcpy(packed + image->offsets[i], text, length);
        } else {
            memcpy(packed + image->offsets[i], record + field->offset, image->bytes[i]);
        }
    }
}

/* False when out of memory. */
static bool unpack(const struct image *image, const uint8_t *packed, uint8_t *record)
{
    for (size_t i = 0; i < image->type->field_count; i++) {
        const struct ft_field *field = &image->type->fields[i];
        const uint8_t *from = packed + image->offsets[i];
        if (field->type == FT_FIELD_TEXT) {
            char *text = strndup((const char *)from, image->bytes[i]);
            if (!text)
                return false;
            memcpy(record + field->offset, &text, sizeof text);
        } else {
            memcpy(record + field->offset, from, image->bytes[i]);
        }
        if (field->type == FT_FIELD_CHARS)
            record[field->offset + field->count - 1] = 0;
    }
    return true;
}

/* Writes from or reads to `slab`, records first .. first + count of the dataset. */
static int transfer(hid_t dataset, hid_t type, size_t first, size_t count, void *slab, bool write)
{
    hsize_t start = first, extent = count;
    hid_t file_space = H5Dget_space(dataset);
    hid_t memory_space = H5Screate_simple(1, &extent, NULL);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &extent, NULL);
    int status = write ? H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, slab)
                       : H5Dread(dataset, type, memory_space, file_space, H5P_DEFAULT, slab);
    H5Sclose(memory_space);
    H5Sclose(file_space);
    return status;
}

static void measure_texts(const struct ft_record_type *type, const uint8_t *records, size_t count,
                          size_t *ret_text_bytes)
{
    for (size_t i = 0; i < type->field_count; i++) {
        ret_text_bytes[i] = 1;
        for (size_t j = 0; type->fields[i].type == FT_FIELD_TEXT && j < count; j++) {
            const char *text =
                *(char *const *)(records + j * type->record_bytes + type->fields[i].offset);
            size_t bytes = text ? strnlen(text, TEXT_BYTES_MAX - 1) + 1 : 1;
            if (bytes > ret_text_bytes[i])
                ret_text_bytes[i] = bytes;
        }
    }
}

static hid_t create_dataset(hid_t group, const char *name, hid_t type, const struct image *image,
                            size_t count)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    if (count > 0) {
        hsize_t chunk = count < image->slab_records ? count : image->slab_records;
        H5Pset_chunk(properties, 1, &chunk);
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, 6);
    }
    hsize_t extent = count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(properties);
    return dataset;
}

int ft_records_write(hid_t group, const char *name, const struct ft_record_type *type,
                     const void *records, size_t count, struct ft_diag *diag)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    size_t text_bytes[FIELDS_MAX] = {0};
    measure_texts(type, records, count, text_bytes);
    struct image image;
    lay_out(type, text_bytes, &image);
    uint8_t *slab = malloc(image.slab_records * image.record_bytes);
    if (!slab)
        return ft_fail_memory(diag, name);
    hid_t packed = image_type(&image);
    hid_t dataset = create_dataset(group, name, packed, &image, count);
    int status = dataset < 0 ? -1 : 0;
    for (size_t first = 0; status == 0 && first < count; first += image.slab_records) {
        size_t part = count - first < image.slab_records ? count - first : image.slab_records;
        for (size_t i = 0; i < part; i++)
            pack(&image, (const uint8_t *)records + (first + i) * type->record_bytes,
                 slab + i * image.record_bytes);
        status = transfer(dataset, packed, first, part, slab, true);
    }
    if (dataset >= 0 && H5Dclose(dataset) < 0)
        status = -1;
    H5Tclose(packed);
    free(slab);
    return status < 0 ? ft_fail(diag, FT_ERROR_IO, "table '%s' cannot be written", name) : 0;
}

/* A number may be of another width; texts may be longer or shorter, arrays not. */
static bool fits(hid_t stored, const struct ft_field *field, size_t *ret_text_bytes)
{
    hid_t wanted = field_type(field, 1);
    H5T_class_t class = H5Tget_class(stored);
    bool same = class == H5Tget_class(wanted);
    if (same && class == H5T_STRING) {
        *ret_text_bytes = H5Tget_size(stored);
        same = H5Tis_variable_str(stored) == 0 && *ret_text_bytes > 0 &&
               *ret_text_bytes <= TEXT_BYTES_MAX;
    } else if (same && class == H5T_ARRAY) {
        same = H5Tequal(stored, wanted) > 0;
    }
    H5Tclose(wanted);
    return same;
}

static int check_fields(hid_t stored, const char *name, const struct ft_record_type *type,
                        size_t *ret_text_bytes, struct ft_diag *diag)
{
    if (H5Tget_class(stored) != H5T_COMPOUND)
        return ft_fail(diag, FT_ERROR_DATA, "table '%s' has no fields", name);
    for (size_t i = 0; i < type->field_count; i++) {
        const char *field_name = type->fields[i].name;
        int member = H5Tget_member_index(stored, field_name);
        hid_t found = member < 0 ? -1 : H5Tget_member_type(stored, (unsigned)member);
        bool good = found >= 0 && fits(found, &type->fields[i], &ret_text_bytes[i]) &&
                    H5Tget_member_offset(stored, (unsigned)member) + H5Tget_size(found) <=
                        H5Tget_size(stored);
        if (found >= 0)
            H5Tclose(found);
        if (!good)
            return ft_fail(diag, FT_ERROR_DATA, "table '%s': field '%s' is missing or different",
                           name, field_name);
    }
    return 0;
}

/* The number of records, after checking that the file holds as many: a damaged length must not
 * make us ask for the memory it promises. */
static int check_extent(hid_t dataset, hid_t stored, const char *name, size_t *ret_count,
                        struct ft_diag *diag)
{
    hid_t space = H5Dget_space(dataset);
    hsize_t count = 0;
    bool simple = H5Sget_simple_extent_ndims(space) == 1 &&
                  H5Sget_simple_extent_dims(space, &count, NULL) == 1;
    H5Sclose(space);
    hid_t properties = H5Dget_create_plist(dataset);
    bool chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    H5Pclose(properties);
    uint64_t room = H5Dget_storage_size(dataset);
    if (chunked)
        room = room < UINT64_MAX / DEFLATE_RATIO_MAX ? room * DEFLATE_RATIO_MAX : UINT64_MAX;
    size_t stored_bytes = H5Tget_size(stored);
    if (!simple || stored_bytes == 0 || count > room / stored_bytes)
        return ft_fail(diag, FT_ERROR_DATA, "table '%s': its size does not match the file", name);
    *ret_count = count;
    return 0;
}

static int read_records(hid_t dataset, const char *name, const struct image *image,
                        uint8_t *records, size_t count, struct ft_diag *diag)
{
    uint8_t *slab = malloc(image->slab_records * image->record_bytes);
    if (!slab)
        return ft_fail_memory(diag, name);
    hid_t packed = image_type(image);
    int status = 0;
    for (size_t first = 0; status == 0 && first < count; first += image->slab_records) {
        size_t part = count - first < image->slab_records ? count - first : image->slab_records;
        if (transfer(dataset, packed, first, part, slab, false) < 0)
            status = ft_fail(diag, FT_ERROR_DATA, "table '%s' cannot be read", name);
        for (size_t i = 0; status == 0 && i < part; i++)
            if (!unpack(image, slab + i * image->record_bytes,
                        records + (first + i) * image->type->record_bytes))
                status = ft_fail_memory(diag, name);
    }
    H5Tclose(packed);
    free(slab);
    return status;
}

static void free_records(const struct ft_record_type *type, uint8_t *records, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < type->field_count; j++)
            if (type->fields[j].type == FT_FIELD_TEXT)
                free(*(char **)(records + i * type->record_bytes + type->fields[j].offset));
    free(records);
}

static int read_dataset(hid_t dataset, hid_t stored, const char *name,
                        const struct ft_record_type *type, size_t wanted, void **ret_records,
                        size_t *ret_count, struct ft_diag *diag)
{
    size_t text_bytes[FIELDS_MAX] = {0}, count = 0;
    int status = check_fields(stored, name, type, text_bytes, diag);
    if (status == 0)
        status = check_extent(dataset, stored, name, &count, diag);
    if (status == 0 && wanted != ANY_COUNT && count != wanted)
        status = ft_fail(diag, FT_ERROR_DATA, "table '%s' has %zu rows, expected %zu", name, count,
                         wanted);
    if (status != 0)
        return status;
    uint8_t *records = NULL;
    if (count > 0) {
        struct image image;
        lay_out(type, text_bytes, &image);
        records = calloc(count, type->record_bytes);
        if (!records)
            return ft_fail_memory(diag, name);
        status = read_records(dataset, name, &image, records, count, diag);
        if (status != 0) {
            free_records(type, records, count);
            return status;
        }
    }
    *ret_records = records;
    *ret_count = count;
    return 0;
}

static int find_and_read(hid_t group, const char *name, const struct ft_record_type *type,
                         size_t wanted, void **ret_records, size_t *ret_count, struct ft_diag *diag)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    if (dataset < 0)
        return ft_fail(diag, FT_ERROR_DATA, "table '%s' is missing", name);
    hid_t stored = H5Dget_type(dataset);
    int status = read_dataset(dataset, stored, name, type, wanted, ret_records, ret_count, diag);
    H5Tclose(stored);
    H5Dclose(dataset);
    return status;
}

int ft_records_read(hid_t group, const char *name, const struct ft_record_type *type,
                    void **ret_records, size_t *ret_count, struct ft_diag *diag)
{
    return find_and_read(group, name, type, ANY_COUNT, ret_records, ret_count, diag);
}

int ft_records_read_exactly(hid_t group, const char *name, const struct ft_record_type *type,
                            size_t count, void **ret_records, struct ft_diag *diag)
{
    return find_and_read(group, name, type, count, ret_records, &count, diag);
}

static const struct ft_field flag_fields[] = {{"flag", 0, FT_FIELD_U8, 0}};
static const struct ft_record_type flag_type = {sizeof(uint8_t), flag_fields, 1};

int ft_flags_write(hid_t group, const char *name, const bool *flags, size_t count,
                   struct ft_diag *diag)
{
    uint8_t *rows = calloc(count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "flags");
    for (size_t i = 0; i < count; i++)
        rows[i] = flags[i];
    int status = ft_records_write(group, name, &flag_type, rows, count, diag);
    free(rows);
    return status;
}

int ft_flags_read(hid_t group, const char *name, bool **ret_flags, size_t *ret_count,
                  struct ft_diag *diag)
{
    uint8_t *rows = NULL;
    FT_TRY(ft_records_read(group, name, &flag_type, (void **)&rows, ret_count, diag));
    *ret_flags = calloc(*ret_count + 1, sizeof **ret_flags);
    for (size_t i = 0; *ret_flags && i < *ret_count; i++)
        (*ret_flags)[i] = rows[i] != 0;
    free(rows);
    return *ret_flags ? FT_OK : ft_fail_memory(diag, "flags");
}

int ft_records_write_all(hid_t group, const struct ft_records *datasets, size_t dataset_count,
                         struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < dataset_count; i++)
        status = ft_records_write(group, datasets[i].name, datasets[i].type, datasets[i].records,
                                  datasets[i].count, diag);
    return status;
}

int ft_records_read_all(hid_t group, struct ft_records *datasets, size_t dataset_count,
                        struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < dataset_count; i++)
        status = ft_records_read(group, datasets[i].name, datasets[i].type, &datasets[i].records,
                                 &datasets[i].count, diag);
    return status;
}
