/*
 * How every function of foretrace reports failure.
 *
 * A function that can fail returns 0 or a negative enum ft_status and describes what happened in a
 * struct ft_diag that its caller owns (NULL where the caller does not want to know). Outputs named
 * ret_x are written only on success. Libraries never print, exit or abort; the command prints the
 * message as "foretrace replay: run.h5: chunk 17: checksum mismatch".
 */
#ifndef FT_FORMATS_BASE_STATUS_H
#define FT_FORMATS_BASE_STATUS_H

enum ft_status {
    FT_OK = 0,
    FT_ERROR_FAILURE = -1,     /* anything that fits no other value (exit 1) */
    FT_ERROR_MEMORY = -2,      /* an allocation failed (exit 1) */
    FT_ERROR_IO = -3,          /* the system refused a read, write, open... (exit 1) */
    FT_ERROR_USAGE = -4,       /* the user asked for something that is invalid (exit 2) */
    FT_ERROR_DATA = -5,        /* a file is damaged, truncated or not what it should be (exit 3) */
    FT_ERROR_UNSUPPORTED = -6, /* well-formed, but this version cannot do it (exit 1) */
    FT_ERROR_NUMERIC = -7,     /* a numerical method found no answer (exit 1) */
};

struct ft_diag {
    int status;
    char message[1024];
};

/* Formats the message into diag (may be NULL) and returns status, so that callers can write
 * `return ft_fail(diag, FT_ERROR_DATA, "%s: chunk %u: checksum mismatch", path, chunk);`. */
__attribute__((format(printf, 3, 4))) int ft_fail(struct ft_diag *diag, int status,
                                                  const char *format, ...);

/* The same, for an allocation of `what` that failed. */
int ft_fail_memory(struct ft_diag *diag, const char *what);
/* Puts what is formatted, which says where, and ": " before the message that diag has. */
__attribute__((format(printf, 3, 4))) int ft_fail_at(struct ft_diag *diag, int status,
                                                     const char *format, ...);

#ifdef __clang_analyzer__
/* The analyzer sees one file at a time, so it must be told that a failure is never 0. */
#define FT_FAILED(call)                                                                            \
    ({                                                                                             \
        int ft_status_of_call = (call);                                                            \
        if (ft_status_of_call >= 0)                                                                \
            __builtin_unreachable();                                                               \
        ft_status_of_call;                                                                         \
    })
#define ft_fail(...)        FT_FAILED((ft_fail)(__VA_ARGS__))
#define ft_fail_memory(...) FT_FAILED((ft_fail_memory)(__VA_ARGS__))
#define ft_fail_at(...)     FT_FAILED((ft_fail_at)(__VA_ARGS__))
#endif

/* The process exit code that stands for a status: 0, 1, 2 or 3. */
int ft_exit_code(int status);

/* Leaves a function at the first step that fails: returns the status of the step, or stores it and
 * goes to the label that cleans up. */
#define FT_TRY(call)                                                                               \
    do {                                                                                           \
        int ft_try_status = (call);                                                                \
        if (ft_try_status != FT_OK)                                                                \
            return ft_try_status;                                                                  \
    } while (0)
#define FT_TRY_TO(label, status, call)                                                             \
    do {                                                                                           \
        (status) = (call);                                                                         \
        if ((status) != FT_OK)                                                                     \
            goto label;                                                                            \
    } while (0)

#endif
