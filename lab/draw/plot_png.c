/* A scene as pixels, and as a PNG file. */
#include <math.h>

#include "base/memory.h"
#include "draw/plot.h"
#include "draw/png.h"
#include "io/output_file.h"

static void disc(void *canvas, double x, double y, double radius, cafe_colour colour,
                 double opacity) {
    cafe_canvas_segment(canvas, x, y, x, y, 2 * radius, colour, opacity);
}

cafe_status cafe_scene_pixels(cafe_context *context, const cafe_scene *scene, bool all,
                              uint8_t *rgb) {
    cafe_canvas canvas = {scene->options.width, scene->options.height, NULL, NULL};
    cafe_pen pen = {&canvas,          cafe_canvas_segment, disc, cafe_canvas_ring, cafe_canvas_bar,
                    cafe_canvas_text, cafe_canvas_name};
    int64_t bytes = 3 * canvas.width * canvas.height;
    cafe_status status = CAFE_OK;
    canvas.rgb = cafe_mem(context, bytes, sizeof *canvas.rgb);
    canvas.mask = cafe_mem_zero(context, (canvas.width + 2) * canvas.height, sizeof *canvas.mask);
    CAFE_TRY(cafe_mem_had(canvas.rgb, canvas.mask));
    cafe_phase(context, "draw", 0);
    cafe_canvas_fill(&canvas, scene->paper);
    if (all) cafe_scene_draw_links(scene, &pen);
    CAFE_TRY(cafe_canvas_points(context, scene, &canvas));
    CAFE_TRY(cafe_check_cancel(context));
    if (all) cafe_scene_draw_names(scene, &pen);
    if (all) cafe_scene_draw_frame(scene, &pen);
    if (all) cafe_scene_draw_legend(scene, &pen);
    for (int64_t i = 0; i < bytes; i++)
        rgb[i] = (uint8_t)fmaxf(0, fminf(255, canvas.rgb[i] + 0.5f));
done:
    cafe_mem_free_all(context, canvas.rgb, canvas.mask);
    return status;
}

cafe_status cafe_plot_pixels(cafe_context *context, const cafe_plot_inputs *inputs,
                             const cafe_plot_options *options, uint8_t *rgb) {
    cafe_scene scene;
    CAFE_PASS(cafe_scene_make(context, inputs, options, &scene));
    cafe_status status = cafe_scene_pixels(context, &scene, true, rgb);
    cafe_scene_free(context, &scene);
    return status;
}

cafe_status cafe_plot_png(cafe_context *context, const cafe_plot_inputs *inputs,
                          const cafe_plot_options *options, const char *path, int32_t overwrite) {
    cafe_output *output = NULL;
    cafe_scene scene = {0};
    uint8_t *rgb = NULL, *png = NULL;
    int64_t size = 0;
    cafe_status status;
    CAFE_TRY(cafe_output_create(context, path, overwrite, &output));
    CAFE_TRY(cafe_scene_make(context, inputs, options, &scene));
    int64_t width = scene.options.width, height = scene.options.height;
    rgb = cafe_mem(context, 3 * width * height, 1);
    if (!rgb) CAFE_TRY(CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_scene_pixels(context, &scene, true, rgb));
    CAFE_TRY(cafe_png_encode(context, width, height, rgb, &png, &size));
    CAFE_TRY(cafe_output_write(output, png, size));
    CAFE_TRY(cafe_output_commit(&output));
done:
    cafe_output_discard(output);
    cafe_scene_free(context, &scene);
    cafe_mem_free_all(context, rgb, png);
    return status;
}
