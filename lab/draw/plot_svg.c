/* A scene as SVG: shapes and text that can be edited and searched.
 *
 * All text passes cafe_clean_text() and is escaped here, so names never become markup. Above
 * CAFE_PLOT_SHAPES points, the points are an image inside the file, because viewers are slow with
 * so many shapes; the rest stays shapes and text.
 */
#include "base/memory.h"
#include "draw/plot.h"
#include "draw/png.h"
#include "draw/view_pack.h"

/* A label has at most 2 * CAFE_PLOT_LABEL bytes, of at most six escaped. */
static void put_escaped(void *s, const char *text) {
    for (; *text; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            cafe_plot_put(s, "%s", entity);
        else
            cafe_plot_put(s, "%c", *text);
    }
}

/* ---- the pen --------------------------------------------------------------------------------- */

static unsigned code(cafe_colour c) {
    return (unsigned)c.r << 16 | (unsigned)c.g << 8 | c.b;
}

static void segment(void *target, double x0, double y0, double x1, double y1, double width,
                    cafe_colour colour, double opacity) {
    cafe_plot_put(target,
                  "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" "
                  "stroke-width=\"%.2f\" stroke-opacity=\"%.2f\"/>\n",
                  x0, y0, x1, y1, code(colour), width, opacity);
}

static void disc(void *target, double x, double y, double radius, cafe_colour colour,
                 double opacity) {
    cafe_plot_put(
        target,
        "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\" fill-opacity=\"%.2f\"/>\n", x, y,
        radius, code(colour), opacity);
}

static void ring(void *target, double x, double y, double radius, double width,
                 cafe_colour colour) {
    cafe_plot_put(target,
                  "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"none\" stroke=\"#%06x\" "
                  "stroke-width=\"%.2f\" stroke-opacity=\"1\"/>\n",
                  x, y, radius, code(colour), width);
}

static void bar(void *target, double x, double y, double width, double height, cafe_colour colour) {
    cafe_plot_put(target,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n",
                  x, y, width, height, code(colour));
}

static void begin_text(void *s, double x, double y, double height, cafe_anchor anchor,
                       cafe_colour colour) {
    static const char *const anchors[] = {"start", "middle", "end"};
    cafe_plot_put(
        s, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" text-anchor=\"%s\" fill=\"#%06x\"", x, y,
        height, anchors[anchor], code(colour));
}

static void end_text(void *s, const char *words) {
    cafe_plot_put(s, ">");
    put_escaped(s, words);
    cafe_plot_put(s, "</text>\n");
}

static void text(void *target, double x, double y, double height, const char *words,
                 cafe_anchor anchor, bool upright, cafe_colour colour) {
    if (!words[0]) return;
    begin_text(target, x, y, height, anchor, colour);
    if (upright) cafe_plot_put(target, " transform=\"rotate(-90 %.2f %.2f)\"", x, y);
    end_text(target, words);
}

static void name(void *target, double x, double y, double height, const char *words,
                 cafe_anchor anchor, cafe_colour colour, cafe_colour paper) {
    begin_text(target, x, y, height, anchor, colour);
    cafe_plot_put(target,
                  " stroke=\"#%06x\" stroke-width=\"%.2f\" stroke-linejoin=\"round\" "
                  "paint-order=\"stroke\"",
                  code(paper), height / 4.5);
    end_text(target, words);
}

/* ---- the points ------------------------------------------------------------------------------ */

/* One group per colour would hide points under later groups. So shapes come in shuffled order, and
 * only their common attributes are written once. */
static void put_shapes(void *s, const cafe_scene *scene) {
    cafe_plot_put(s, "<g fill-opacity=\"%.2f\"", scene->opacity);
    if (scene->inputs.n <= 2000)
        cafe_plot_put(s, " stroke=\"#%06x\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\"",
                      code(scene->paper), 0.2 * scene->radius, scene->opacity);
    cafe_plot_put(s, ">\n");
    for (int64_t i = 0; i < scene->inputs.n; i++) {
        int64_t u = cafe_scene_order(scene, i);
        uint8_t mark = scene->colour[u];
        double x = cafe_scene_x(scene, u), y = cafe_scene_y(scene, u);
        double r = cafe_scene_radius(scene, u);
        if (scene->ring[mark])
            ring(s, x, y, 0.75 * r, 0.5 * r, scene->palette[mark]);
        else
            cafe_plot_put(s, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", x, y,
                          r, code(scene->palette[mark]));
    }
    cafe_plot_put(s, "</g>\n");
}

static cafe_status put_image(cafe_context *context, void *s, const cafe_scene *scene) {
    int64_t width = scene->options.width, height = scene->options.height, size = 0;
    uint8_t *rgb = cafe_mem(context, 3 * width * height, 1), *png = NULL;
    char *base64 = NULL;
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!rgb) goto done;
    CAFE_TRY(cafe_scene_pixels(context, scene, false, rgb));
    CAFE_TRY(cafe_png_encode(context, width, height, rgb, &png, &size));
    base64 = cafe_mem(context, cafe_view_base64_size(size), 1);
    if (!base64) CAFE_TRY(CAFE_ERROR_MEMORY);
    cafe_plot_put(
        s, "<image x=\"0\" y=\"0\" width=\"%lld\" height=\"%lld\" href=\"data:image/png;base64,",
        (long long)width, (long long)height);
    CAFE_TRY(cafe_plot_bytes(s, base64, cafe_view_base64(png, size, base64)));
    cafe_plot_put(s, "\"/>\n");
done:
    cafe_mem_free_all(context, rgb, png, base64);
    return status;
}

static void put_head(void *s, const cafe_scene *scene) {
    long long width = scene->options.width, height = scene->options.height;
    cafe_plot_put(s,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" "
                  "viewBox=\"0 0 %lld %lld\" font-family=\"Helvetica, Arial, sans-serif\">\n",
                  width, height, width, height);
    if (scene->title[0]) {
        cafe_plot_put(s, "<title>");
        put_escaped(s, scene->title);
        cafe_plot_put(s, "</title>\n");
    }
    cafe_plot_put(s, "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                  code(scene->paper));
}

static cafe_status put_scene(cafe_context *context, void *s, const cafe_scene *scene) {
    cafe_pen pen = {s, segment, disc, ring, bar, text, name};
    cafe_status status = CAFE_OK;
    put_head(s, scene);
    if (scene->inputs.n > CAFE_PLOT_SHAPES) {
        status = put_image(context, s, scene);
        cafe_scene_draw_links(scene, &pen);
    } else {
        cafe_scene_draw_links(scene, &pen);
        put_shapes(s, scene);
    }
    cafe_scene_draw_names(scene, &pen);
    cafe_scene_draw_frame(scene, &pen);
    cafe_scene_draw_legend(scene, &pen);
    cafe_plot_put(s, "</svg>\n");
    return status;
}

cafe_status cafe_plot_svg(cafe_context *context, const cafe_plot_inputs *inputs,
                          const cafe_plot_options *options, const char *path, int32_t overwrite) {
    return cafe_plot_shapes(context, inputs, options, path, overwrite, sizeof(cafe_plot_file),
                            put_scene);
}
