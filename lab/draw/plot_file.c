/* The file of a picture of shapes: a buffer in front of the output, and the frame around a writer.
 */
#include <stdarg.h>

#include "base/memory.h"
#include "base/print.h"
#include "draw/plot.h"

enum { LINE = 2048 };

static void flush(cafe_plot_file *f) {
    if (f->status == CAFE_OK && f->used > 0)
        f->status = cafe_output_write(f->output, f->buffer, f->used);
    f->bytes += f->used;
    f->used = 0;
}

void cafe_plot_put(void *file, const char *format, ...) {
    cafe_plot_file *f = file;
    va_list arguments;
    if (f->used > (int64_t)sizeof f->buffer - LINE) flush(f);
    va_start(arguments, format);
    f->used += cafe_vprint(f->buffer + f->used, LINE, format, arguments);
    va_end(arguments);
}

cafe_status cafe_plot_bytes(cafe_plot_file *f, const void *bytes, int64_t count) {
    flush(f);
    CAFE_PASS(f->status);
    f->bytes += count;
    return cafe_output_write(f->output, bytes, count);
}

cafe_status cafe_plot_shapes(cafe_context *context, const cafe_plot_inputs *inputs,
                             const cafe_plot_options *options, const char *path, int32_t overwrite,
                             size_t size, cafe_plot_writer writer) {
    cafe_scene scene = {0};
    cafe_plot_file *f = cafe_mem_zero(context, 1, (int64_t)size);
    cafe_status status;
    if (!f) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_output_create(context, path, overwrite, &f->output));
    CAFE_TRY(cafe_scene_make(context, inputs, options, &scene));
    CAFE_TRY(writer(context, f, &scene));
    flush(f);
    CAFE_TRY(f->status);
    CAFE_TRY(cafe_output_commit(&f->output));
done:
    cafe_output_discard(f->output);
    cafe_scene_free(context, &scene);
    cafe_mem_free(context, f);
    return status;
}
