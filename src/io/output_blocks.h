/* How the bytes of an output get into its file. */
#ifndef CAFE_IO_OUTPUT_BLOCKS_H
#define CAFE_IO_OUTPUT_BLOCKS_H

#include "io/output_file.h"

/* Bytes at the end of the output, now or once there are enough of them; _end sends what is left. */
cafe_status cafe_pieces_write(cafe_output *output, const char *bytes, int64_t size);
cafe_status cafe_pieces_end(cafe_output *output);

/* Waits for what is written beside other work, and forgets it. */
void cafe_image_free(cafe_output *output);

#endif
