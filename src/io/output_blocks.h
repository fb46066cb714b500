/* How the bytes of an output get into its file. */
#ifndef CAFE_IO_OUTPUT_BLOCKS_H
#define CAFE_IO_OUTPUT_BLOCKS_H

#include "io/output_file.h"

/* Appends bytes to the output, now or when there are enough; _end writes the rest. */
cafe_status cafe_pieces_write(cafe_output *output, const char *bytes, int64_t size);
cafe_status cafe_pieces_end(cafe_output *output);

/* Waits for the image that is written beside other work, and frees it. */
void cafe_image_free(cafe_output *output);

#endif
