/* Status codes: every function that can fail returns one; the text for people is in cafe_error().
 */
#ifndef CAFE_STATUS_H
#define CAFE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAFE_API __attribute__((visibility("default")))
#else
#define CAFE_API
#endif

/* name, code, message */
#define CAFE_STATUS_TABLE(X)                                       \
    X(CAFE_OK, 0, "no error")                                      \
    X(CAFE_ERROR_ARGUMENT, 1, "an argument is out of its range")   \
    X(CAFE_ERROR_MEMORY, 2, "out of memory")                       \
    X(CAFE_ERROR_IO, 3, "a file could not be read or written")     \
    X(CAFE_ERROR_FORMAT, 4, "malformed input")                     \
    X(CAFE_ERROR_EXISTS, 5, "the output file exists")              \
    X(CAFE_ERROR_LIMIT, 6, "the run does not fit into the memory") \
    X(CAFE_ERROR_CANCELLED, 7, "cancelled")                        \
    X(CAFE_ERROR_NUMERIC, 8, "a numerical step failed")            \
    X(CAFE_ERROR_SYSTEM, 9, "the operating system refused a resource")

typedef enum cafe_status {
#define CAFE_STATUS_ENUM(name, code, text) name = code,
    CAFE_STATUS_TABLE(CAFE_STATUS_ENUM)
#undef CAFE_STATUS_ENUM
} cafe_status;

/* The general message of a status; never NULL. */
CAFE_API const char *cafe_status_message(cafe_status status);

#ifdef __cplusplus
}
#endif
#endif
