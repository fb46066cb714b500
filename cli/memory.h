/* Memory in numbers for people: what the machine has, what this process took, sizes as text. */
#ifndef CAFE_CLI_MEMORY_H
#define CAFE_CLI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes this process may still take: the least of MemAvailable, what its control groups leave and
 * its address-space limit; INT64_MAX when the system does not say. */
int64_t cli_memory_available(void);

/* The most memory this process ever held (VmHWM); 0 when the system does not say. */
int64_t cli_memory_peak(void);

/* "512M", "8G", "1.5GiB", "1000": powers of 1024. */
bool cli_parse_bytes(const char *text, int64_t *bytes);

/* "34.2 MiB" into text; returns text. */
enum { CLI_BYTES_TEXT = 32 };
const char *cli_bytes_text(int64_t bytes, char text[CLI_BYTES_TEXT]);

#endif
