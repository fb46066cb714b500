/* Texts of the tool: bytes of files as they may be shown, numbers, sizes.
 */
#ifndef CAFE_PRIVATE_TEXT_H
#define CAFE_PRIVATE_TEXT_H

#include <cafe-private/private.h>
#include <cafe/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text from files as it may be shown on a terminal. Control characters (C0, DEL, C1), marks that
 * turn the direction of writing and bytes that are no UTF-8 become \xNN. At most capacity bytes,
 * cut between characters, always ended by 0; returns the length. Error texts are made so already.
 */
CAFE_PRIVATE size_t cafe_show(const char *bytes, size_t count, char *text, size_t capacity);

/* Takes the character of an escape of JSON, whose backslash is before *at, as UTF-8. Returns its
 * number of bytes, at most 4; *at moves behind it. Returns 0 for no escape, and for a character
 * that texts may not have.
 */
CAFE_PRIVATE int cafe_take_escape(const char **at, const char *end, char *text);

/* The decimal number that the text begins with, in any locale: digits, if need be with - before
 * them, a point and an exponent. *end is behind it, and is the text where there is none: blanks, +,
 * hexadecimal numbers, inf and nan are none. */
CAFE_PRIVATE double cafe_parse_number(const char *text, const char **end);

/* "34.2 MiB" into text, which has CAFE_BYTES_TEXT bytes; returns text. */
enum { CAFE_BYTES_TEXT = 32 };
CAFE_PRIVATE const char *cafe_bytes_text(int64_t bytes, char *text);

/* Line i of what the library is made of, a name, a tab and its version: the build, the compiler,
 * and the libraries that are compiled in or linked. Returns its length; 0 behind the last. */
CAFE_PRIVATE size_t cafe_build_line(int32_t i, char *text, size_t capacity);

/* Bytes this process may still take: the least of MemAvailable, what its control groups leave and
 * its address-space limit; INT64_MAX when the system does not say. And the most memory it ever held
 * (VmHWM); 0 when the system does not say. */
CAFE_PRIVATE int64_t cafe_memory_available(void);
CAFE_PRIVATE int64_t cafe_memory_peak(void);

/* The most bytes that were ever in files of a limited run. */
CAFE_PRIVATE int64_t cafe_peak_file_bytes(const cafe_context *context);

/* The name of a status ("CAFE_ERROR_IO"); never NULL. */
CAFE_PRIVATE const char *cafe_status_name(cafe_status status);

/* Threads of a context, and its seed. */
CAFE_PRIVATE int32_t cafe_threads(const cafe_context *context);
CAFE_PRIVATE uint64_t cafe_seed(const cafe_context *context);

#ifdef __cplusplus
}
#endif
#endif
