/*
 * Curves as text: lines of comma-separated fields, the first of which names the columns; blank ones
 * and those that begin with # say nothing. Columns carry their units in their names, so that a
 * bandwidth in another unit is one in another column.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "machines/bandwidth/bandwidth_points.h"

#define COLUMNS_MAX 16
#define LENGTH_MAX  65536U

enum column {
    SIZE,
    STRIDE,
    ALPHA,
    LENGTH,
    GB,
    MB,
    NS,
    HIT_RATE /* and those of the caches behind */
};
static const char *const column_names[] = {"size_bytes", "stride_bytes", "alpha", "length",
                                           "gb_per_s",   "mb_per_s",     "ns",    "hit_rate_"};

struct curve_text {
    const char *path;
    size_t line;
    uint32_t columns[COLUMNS_MAX]; /* enum column */
    size_t column_count;
    uint32_t caches; /* with hit rates */
    unsigned kinds;  /* of points to take */
};

/* The next field of a line, without blanks around it; NULL at the end. */
static char *next_field(char **line)
{
    char *field = strsep(line, ",");
    if (!field)
        return NULL;
    field += strspn(field, " \t");
    for (size_t length = strlen(field); length > 0 && strchr(" \t\r\n", field[length - 1]);)
        field[--length] = 0;
    return field;
}

static bool has_column(const struct curve_text *text, uint32_t column)
{
    for (size_t i = 0; i < text->column_count; i++)
        if (text->columns[i] == column)
            return true;
    return false;
}

static int find_column(const struct curve_text *text, const char *name, uint32_t *ret_column,
                       struct ft_diag *diag)
{
    uint64_t cache;
    const size_t prefix = strlen(column_names[HIT_RATE]);
    for (uint32_t i = 0; i < HIT_RATE; i++)
        if (strcmp(name, column_names[i]) == 0) {
            *ret_column = i;
            return FT_OK;
        }
    if (strncmp(name, column_names[HIT_RATE], prefix) == 0 && ft_parse_u64(name + prefix, &cache) &&
        cache >= 1 && cache < FT_BANDWIDTH_LEVELS_MAX) {
        *ret_column = HIT_RATE + (uint32_t)cache - 1;
        return FT_OK;
    }
    return ft_fail(diag, FT_ERROR_DATA,
                   "%s:%zu: column '%.40s': must be size_bytes, stride_bytes (or alpha and "
                   "length), gb_per_s, mb_per_s, ns "
                   "(per access) or hit_rate_1, hit_rate_2 ...",
                   text->path, text->line, name);
}

static int read_head(struct curve_text *text, char *line, struct ft_diag *diag)
{
    char *name;
    while ((name = next_field(&line))) {
        uint32_t column = 0;
        if (text->column_count == COLUMNS_MAX)
            return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: more than %d columns", text->path,
                           text->line, COLUMNS_MAX);
        FT_TRY(find_column(text, name, &column, diag));
        if (has_column(text, column))
            return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: column '%s' twice", text->path, text->line,
                           name);
        text->columns[text->column_count++] = column;
        text->caches += column >= HIT_RATE;
    }
    for (uint32_t i = 0; i < text->caches; i++)
        if (!has_column(text, HIT_RATE + i))
            return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: no column hit_rate_%u", text->path,
                           text->line, i + 1);
    const bool is_apex = has_column(text, ALPHA) && has_column(text, LENGTH);
    if (!has_column(text, SIZE) || has_column(text, STRIDE) == is_apex ||
        has_column(text, ALPHA) != has_column(text, LENGTH) ||
        has_column(text, GB) + has_column(text, MB) + has_column(text, NS) != 1)
        return ft_fail(
            diag, FT_ERROR_DATA,
            "%s:%zu: must name the columns size_bytes, stride_bytes (or alpha and length) "
            "and one of gb_per_s, mb_per_s and ns",
            text->path, text->line);
    return FT_OK;
}

/* A field that is not what its column holds. */
static int refuse(const struct curve_text *text, uint32_t column, const char *field,
                  const char *wanted, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: %s '%.40s': must be %s", text->path, text->line,
                   column >= HIT_RATE ? "hit rate" : column_names[column], field, wanted);
}

static int read_field(const struct curve_text *text, uint32_t column, const char *field,
                      struct ft_bandwidth_point *point, struct ft_diag *diag)
{
    double value = 0;
    if (column <= STRIDE) {
        uint64_t *bytes = column == SIZE ? &point->size_bytes : &point->stride_bytes;
        return ft_parse_bytes(field, bytes, NULL) == FT_OK && *bytes > 0
                   ? FT_OK
                   : refuse(text, column, field, "bytes above 0, such as 4096 or 4K", diag);
    }
    if (column == LENGTH) {
        uint64_t length;
        if (!ft_parse_u64(field, &length) || length == 0 || length > LENGTH_MAX)
            return refuse(text, column, field, "elements, from 1 to 65536", diag);
        point->length = (uint32_t)length;
        return FT_OK;
    }
    if (!ft_parse_double(field, &value))
        return refuse(text, column, field, "a number", diag);
    if (column >= HIT_RATE) {
        if (!(value >= 0 && value <= 1))
            return refuse(text, column, field, "from 0 to 1", diag);
        point->hit_rates[column - HIT_RATE] = value;
        return FT_OK;
    }
    if (column == ALPHA) {
        point->alpha = value;
        return value > 0 && value <= 1 ? FT_OK : refuse(text, column, field, "above 0, to 1", diag);
    }
    if (!(value > 0))
        return refuse(text, column, field, "above 0", diag);
    point->gb_per_s = column == GB   ? value
                      : column == MB ? value / 1000
                                     : FT_BANDWIDTH_BYTES_PER_ACCESS / value;
    if (point->gb_per_s < FT_BANDWIDTH_GB_PER_S_MIN || point->gb_per_s > FT_BANDWIDTH_GB_PER_S_MAX)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s:%zu: %s '%.40s' is %g GB/s, which no memory has: is it in another unit?",
                       text->path, text->line, column_names[column], field, point->gb_per_s);
    return FT_OK;
}

static int check_point(const struct curve_text *text, const struct ft_bandwidth_point *point,
                       struct ft_diag *diag)
{
    if (point->stride_bytes > point->size_bytes)
        return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: a stride of %llu bytes in an array of %llu",
                       text->path, text->line, (unsigned long long)point->stride_bytes,
                       (unsigned long long)point->size_bytes);
    if ((uint64_t)FT_BANDWIDTH_BYTES_PER_ACCESS * point->length > point->size_bytes ||
        (point->length > 0 && point->size_bytes > UINT64_C(1) << 34))
        return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: runs of %u elements in an array of %llu bytes",
                       text->path, text->line, point->length,
                       (unsigned long long)point->size_bytes);
    for (uint32_t i = 1; i < point->hit_rate_count; i++)
        if (point->hit_rates[i] < point->hit_rates[i - 1])
            return ft_fail(diag, FT_ERROR_DATA,
                           "%s:%zu: hit_rate_%u is below hit_rate_%u: they are cumulative, of what "
                           "hits there or before",
                           text->path, text->line, i + 1, i);
    return FT_OK;
}

static int read_point(const struct curve_text *text, char *line, struct ft_bandwidth_points *points,
                      struct ft_diag *diag)
{
    struct ft_bandwidth_point point = {.runs = 1, .hit_rate_count = text->caches};
    struct ft_diag why = {0};
    for (size_t i = 0; i < text->column_count; i++) {
        const char *field = next_field(&line);
        if (!field)
            return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: %zu fields, of %zu columns", text->path,
                           text->line, i, text->column_count);
        FT_TRY(read_field(text, text->columns[i], field, &point, diag));
    }
    if (line)
        return ft_fail(diag, FT_ERROR_DATA, "%s:%zu: more fields than the %zu columns", text->path,
                       text->line, text->column_count);
    FT_TRY(check_point(text, &point, diag));
    if (!(text->kinds & (point.length > 0 ? FT_POINTS_APEX_MAP : FT_POINTS_MULTIMAPS)))
        return FT_OK;
    const int status = ft_bandwidth_points_add(points, &point, &why);
    return status == FT_OK
               ? FT_OK
               : ft_fail(diag, status, "%s:%zu: %s", text->path, text->line, why.message);
}

static int read_line(struct curve_text *text, char *line, struct ft_bandwidth_points *points,
                     struct ft_diag *diag)
{
    text->line++;
    const char *start = line + strspn(line, " \t\r\n");
    if (*start == 0 || *start == '#')
        return FT_OK;
    return text->column_count == 0 ? read_head(text, line, diag)
                                   : read_point(text, line, points, diag);
}

int ft_curve_text_read(struct ft_bandwidth_points *points, const char *path, FILE *file,
                       unsigned kinds, struct ft_diag *diag)
{
    struct curve_text text = {.path = path, .kinds = kinds};
    char *line = NULL;
    size_t capacity = 0;
    const size_t before = points->count;
    int status = FT_OK;
    while (status == FT_OK && getline(&line, &capacity, file) >= 0)
        status = read_line(&text, line, points, diag);
    if (status == FT_OK && ferror(file))
        status = ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    free(line);
    if (status == FT_OK && points->count == before && text.line < 2)
        return ft_fail(diag, FT_ERROR_DATA, "%s: no points: neither curves of a probe nor text",
                       path);
    return status;
}
