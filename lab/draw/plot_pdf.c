/* A scene as PDF of one page: shapes, and letters as outlines, so that a printer needs no font.
 *
 * A pixel is 1/96 inch: 340 pixels are 90 mm. Above CAFE_PLOT_SHAPES points, the points are an
 * image inside the file. The file has five objects at least, whose places the table at its end
 * names.
 */
#include <math.h>

#include "base/memory.h"
#include "draw/letters.h"
#include "draw/plot.h"

enum { OBJECTS = 6, STEPS = 6, PERCENT = 100 };
static const double points_per_pixel = 0.75;

typedef struct pdf {
    cafe_plot_file file;
    int64_t at[OBJECTS + 1];
    double last[2];               /* the end of the outline's last piece */
    double x, y, right[2], up[2]; /* the place of a letter */
} pdf;

/* The place in the file that comes next. */
static int64_t place(const pdf *p) {
    return p->file.bytes + p->file.used;
}

static void begin_object(pdf *p, int number) {
    p->at[number] = place(p);
    cafe_plot_put(p, "%d 0 obj\n", number);
}

/* ---- the pen --------------------------------------------------------------------------------- */

/* rg: of areas; RG: of lines */
static void put_colour(pdf *p, cafe_colour c, const char *operator) {
    cafe_plot_put(p, "%.3f %.3f %.3f %s ", c.r / 255.0, c.g / 255.0, c.b / 255.0, operator);
}

/* The page has a state /oN for an opacity of N percent. */
static void put_opacity(pdf *p, double opacity) {
    cafe_plot_put(p, "/o%d gs ", (int)(fmin(fmax(opacity, 0), 1) * PERCENT + 0.5));
}

static void segment(void *target, double x0, double y0, double x1, double y1, double width,
                    cafe_colour colour, double opacity) {
    put_opacity(target, opacity);
    put_colour(target, colour, "RG");
    cafe_plot_put(target, "%.2f w %.2f %.2f m %.2f %.2f l S\n", width, x0, y0, x1, y1);
}

/* Four curves; k = 4/3 (sqrt 2 - 1). */
static void put_circle(pdf *p, double x, double y, double r) {
    const double k = 0.5522847498 * r;
    cafe_plot_put(p, "%.2f %.2f m ", x + r, y);
    cafe_plot_put(p, "%.2f %.2f %.2f %.2f %.2f %.2f c ", x + r, y + k, x + k, y + r, x, y + r);
    cafe_plot_put(p, "%.2f %.2f %.2f %.2f %.2f %.2f c ", x - k, y + r, x - r, y + k, x - r, y);
    cafe_plot_put(p, "%.2f %.2f %.2f %.2f %.2f %.2f c ", x - r, y - k, x - k, y - r, x, y - r);
    cafe_plot_put(p, "%.2f %.2f %.2f %.2f %.2f %.2f c ", x + k, y - r, x + r, y - k, x + r, y);
}

static void disc(void *target, double x, double y, double radius, cafe_colour colour,
                 double opacity) {
    put_opacity(target, opacity);
    put_colour(target, colour, "rg");
    put_circle(target, x, y, radius);
    cafe_plot_put(target, "f\n");
}

static void ring(void *target, double x, double y, double radius, double width,
                 cafe_colour colour) {
    put_opacity(target, 1);
    put_colour(target, colour, "RG");
    cafe_plot_put(target, "%.2f w ", width);
    put_circle(target, x, y, radius);
    cafe_plot_put(target, "s\n");
}

static void bar(void *target, double x, double y, double width, double height, cafe_colour colour) {
    put_opacity(target, 1);
    put_colour(target, colour, "rg");
    cafe_plot_put(target, "%.2f %.2f %.2f %.2f re f\n", x, y, width, height);
}

/* ---- letters --------------------------------------------------------------------------------- */

static void outline(void *target, double x0, double y0, double x1, double y1) {
    pdf *p = target;
    double from[2], to[2];
    for (int a = 0; a < 2; a++) {
        double origin = a ? p->y : p->x;
        from[a] = origin + x0 * p->right[a] + y0 * p->up[a];
        to[a] = origin + x1 * p->right[a] + y1 * p->up[a];
    }
    if (from[0] != p->last[0] || from[1] != p->last[1])
        cafe_plot_put(p, "%.2f %.2f m ", from[0], from[1]);
    cafe_plot_put(p, "%.2f %.2f l ", to[0], to[1]);
    p->last[0] = to[0], p->last[1] = to[1];
}

static void put_letters(pdf *p, const char *words) {
    p->last[0] = p->last[1] = NAN;
    while (*words) {
        cafe_letter letter = cafe_letter_next(&words);
        cafe_letter_trace(&letter, STEPS, outline, p);
        p->x += letter.advance * p->right[0];
        p->y += letter.advance * p->right[1];
    }
}

static void place_text(pdf *p, double x, double y, double height, const char *words,
                       cafe_anchor anchor, bool upright) {
    const char *blank = " ";
    double u = height / cafe_letter_next(&blank).units;
    double shift = cafe_font_width(words, height) * anchor / 2;
    p->x = upright ? x : x - shift;
    p->y = upright ? y + shift : y;
    p->right[0] = upright ? 0 : u, p->right[1] = upright ? -u : 0;
    p->up[0] = upright ? -u : 0, p->up[1] = upright ? 0 : -u;
}

static void text(void *target, double x, double y, double height, const char *words,
                 cafe_anchor anchor, bool upright, cafe_colour colour) {
    if (!words[0]) return;
    put_opacity(target, 1);
    put_colour(target, colour, "rg");
    place_text(target, x, y, height, words, anchor, upright);
    put_letters(target, words);
    cafe_plot_put(target, "f\n");
}

/* The edge is the same outline, stroked before. */
static void name(void *target, double x, double y, double height, const char *words,
                 cafe_anchor anchor, cafe_colour colour, cafe_colour paper) {
    if (!words[0]) return;
    put_opacity(target, 1);
    put_colour(target, paper, "RG");
    cafe_plot_put(target, "%.2f w 1 j ", height / 4.5);
    place_text(target, x, y, height, words, anchor, false);
    put_letters(target, words);
    cafe_plot_put(target, "S\n");
    text(target, x, y, height, words, anchor, false, colour);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_points(pdf *p, const cafe_scene *scene) {
    for (int64_t i = 0; i < scene->inputs.n; i++) {
        int64_t u = cafe_scene_order(scene, i);
        uint8_t mark = scene->colour[u];
        double x = cafe_scene_x(scene, u), y = cafe_scene_y(scene, u);
        double r = cafe_scene_radius(scene, u);
        if (scene->ring[mark])
            ring(p, x, y, 0.75 * r, 0.5 * r, scene->palette[mark]);
        else
            disc(p, x, y, r, scene->palette[mark], scene->opacity);
    }
}

static bool has_image(const cafe_scene *scene) {
    return scene->inputs.n > CAFE_PLOT_SHAPES;
}

/* Objects 1 to 3: the catalogue, the list of pages, the page with its states. */
static void put_head(pdf *p, const cafe_scene *scene) {
    cafe_plot_put(p, "%%PDF-1.4\n");
    begin_object(p, 1);
    cafe_plot_put(p, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    begin_object(p, 2);
    cafe_plot_put(p, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    begin_object(p, 3);
    cafe_plot_put(p, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R\n",
                  points_per_pixel * (double)scene->options.width,
                  points_per_pixel * (double)scene->options.height);
    cafe_plot_put(p, "/Resources << %s/ExtGState <<\n",
                  has_image(scene) ? "/XObject << /points 6 0 R >> " : "");
    for (int i = 0; i <= PERCENT; i++)
        cafe_plot_put(p, "/o%d << /ca %.2f /CA %.2f >>\n", i, i / 100.0, i / 100.0);
    cafe_plot_put(p, ">> >> >>\nendobj\n");
}

/* Objects 4 and 5: the picture, and its length. */
static void put_picture(pdf *p, const cafe_scene *scene) {
    cafe_pen pen = {p, segment, disc, ring, bar, text, name};
    double width = (double)scene->options.width, height = (double)scene->options.height;
    begin_object(p, 4);
    cafe_plot_put(p, "<< /Length 5 0 R >>\nstream\n");
    int64_t begin = place(p);
    cafe_plot_put(p, "%.2f 0 0 %.2f 0 %.2f cm\n", points_per_pixel, -points_per_pixel,
                  points_per_pixel * height);
    bar(p, 0, 0, width, height, scene->paper);
    if (has_image(scene))
        cafe_plot_put(p, "q %.0f 0 0 %.0f 0 %.0f cm /points Do Q\n", width, -height, height);
    cafe_scene_draw_links(scene, &pen);
    if (!has_image(scene)) put_points(p, scene);
    cafe_scene_draw_names(scene, &pen);
    cafe_scene_draw_frame(scene, &pen);
    cafe_scene_draw_legend(scene, &pen);
    int64_t length = place(p) - begin;
    cafe_plot_put(p, "endstream\nendobj\n");
    begin_object(p, 5);
    cafe_plot_put(p, "%lld\nendobj\n", (long long)length);
}

/* Object 6: the points. */
static cafe_status put_image(cafe_context *context, pdf *p, const cafe_scene *scene) {
    int64_t width = scene->options.width, height = scene->options.height;
    uint8_t *rgb = cafe_mem(context, 3 * width * height, 1);
    cafe_status status = rgb ? CAFE_OK : CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    CAFE_TRY(cafe_scene_pixels(context, scene, false, rgb));
    begin_object(p, 6);
    cafe_plot_put(
        p,
        "<< /Type /XObject /Subtype /Image /Width %lld /Height %lld /ColorSpace /DeviceRGB "
        "/BitsPerComponent 8 /Length %lld >>\nstream\n",
        (long long)width, (long long)height, (long long)(3 * width * height));
    CAFE_TRY(cafe_plot_bytes(&p->file, rgb, 3 * width * height));
    cafe_plot_put(p, "\nendstream\nendobj\n");
done:
    cafe_mem_free(context, rgb);
    return status;
}

static void put_table(pdf *p, int objects) {
    int64_t at = place(p);
    cafe_plot_put(p, "xref\n0 %d\n0000000000 65535 f \n", objects + 1);
    for (int i = 1; i <= objects; i++) cafe_plot_put(p, "%010lld 00000 n \n", (long long)p->at[i]);
    cafe_plot_put(p, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%lld\n%%%%EOF\n", objects + 1,
                  (long long)at);
}

static cafe_status put_scene(cafe_context *context, void *file, const cafe_scene *scene) {
    put_head(file, scene);
    put_picture(file, scene);
    if (has_image(scene)) CAFE_PASS(put_image(context, file, scene));
    put_table(file, has_image(scene) ? 6 : 5);
    return CAFE_OK;
}

cafe_status cafe_plot_pdf(cafe_context *context, const cafe_plot_inputs *inputs,
                          const cafe_plot_options *options, const char *path, int32_t overwrite) {
    return cafe_plot_shapes(context, inputs, options, path, overwrite, sizeof(pdf), put_scene);
}
