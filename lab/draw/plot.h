/* The inside of a picture: the scene that the writers of PNG, SVG and text share.
 *
 * A scene is the frame (the places of points, title and legend), the colour of each point as an
 * index out of 256, and the lines of the legend.
 */
#ifndef CAFE_DRAW_PLOT_H
#define CAFE_DRAW_PLOT_H

#include <math.h>
#include <stdbool.h>

#include <cafe/plot.h>

#include "base/context.h"
#include "io/output_file.h"

enum { CAFE_PLOT_KINDS = 72, CAFE_PLOT_LABEL = 96, CAFE_PLOT_TICKS = 12 };

typedef struct cafe_colour {
    uint8_t r, g, b;
} cafe_colour;

/* How a class is marked: twelve colours in three shades, as discs and as rings, as the page has
 * them (viewer/palette.js). */
typedef struct cafe_mark {
    cafe_colour colour;
    bool ring;
} cafe_mark;

cafe_mark cafe_mark_of(int64_t i, bool dark);

typedef struct cafe_legend_line {
    char text[CAFE_PLOT_LABEL];
    int64_t count;
    cafe_mark mark;
} cafe_legend_line;

typedef enum cafe_anchor { CAFE_ANCHOR_START, CAFE_ANCHOR_MIDDLE, CAFE_ANCHOR_END } cafe_anchor;

/* The name of a node and where it stands: x by the anchor, y is the baseline. */
typedef struct cafe_placed_name {
    char text[CAFE_PLOT_LABEL];
    double x, y;
    cafe_anchor anchor;
} cafe_placed_name;

typedef struct cafe_ticks {
    int64_t count;
    double at[CAFE_PLOT_TICKS];
} cafe_ticks;

typedef struct cafe_scene {
    cafe_plot_inputs inputs;
    cafe_plot_options options;
    cafe_colour paper, ink, quiet, line;
    char title[2 * CAFE_PLOT_LABEL], legend[CAFE_PLOT_LABEL];
    char x_label[CAFE_PLOT_LABEL], y_label[CAFE_PLOT_LABEL];
    double text;                     /* height of a line of text */
    double left, top, right, bottom; /* of the points' rectangle, in pixels */
    double low[2], scale[2];         /* pixel = left + (x - low) * scale, bottom - ... */
    cafe_ticks ticks[2];
    uint8_t *colour; /* of each point: an index of the palette */
    cafe_colour palette[256];
    bool ring[256]; /* the points of this colour are rings */
    int64_t lines;  /* of the legend; 0 with a ramp */
    cafe_legend_line line_of[CAFE_PLOT_KINDS + 1];
    bool ramp; /* the legend is a scale from `least` to `most` */
    double least, most;
    double radius, opacity; /* of the points */
    const double *size;     /* of each point */
    double *own_size;       /* the same from an attribute, memory of the context */
    double largest;         /* of the sizes; 0: points are alike */
    int64_t stride;         /* see cafe_scene_order() */
    int64_t names;
    cafe_placed_name *name; /* memory of the context */
} cafe_scene;

/* Checks the inputs and makes the scene; free it with cafe_scene_free(). */
cafe_status cafe_scene_make(cafe_context *context, const cafe_plot_inputs *inputs,
                            const cafe_plot_options *options, cafe_scene *scene);
void cafe_scene_free(cafe_context *context, cafe_scene *scene);

/* The points' rectangle becomes 0 .. right by 0 .. bottom. */
void cafe_scene_fit(cafe_scene *scene, double right, double bottom);

/* plot_colours.c: the colour of each point, the palette and the legend. */
cafe_status cafe_scene_colour(cafe_context *context, cafe_scene *scene);
/* plot_names.c: which nodes are named, and where. */
cafe_status cafe_scene_name(cafe_context *context, cafe_scene *scene);

static inline double cafe_scene_x(const cafe_scene *s, int64_t u) {
    return s->left + ((double)s->inputs.xy[2 * u] - s->low[0]) * s->scale[0];
}
static inline double cafe_scene_y(const cafe_scene *s, int64_t u) {
    return s->bottom - ((double)s->inputs.xy[2 * u + 1] - s->low[1]) * s->scale[1];
}

/* Areas follow the sizes: the largest disc has four times the usual area, the least a tenth. */
static inline double cafe_scene_radius(const cafe_scene *s, int64_t u) {
    if (s->largest <= 0) return s->radius;
    return s->radius * sqrt(fmax(4 * s->size[u] / s->largest, 0.1));
}

/* The i-th point to draw: a fixed shuffle, so that no class lies on top because it came last. */
static inline int64_t cafe_scene_order(const cafe_scene *s, int64_t i) {
    return (int64_t)((uint64_t)i * (uint64_t)s->stride % (uint64_t)s->inputs.n);
}

/* A copy of at most capacity - 1 bytes that is safe to show: well-formed UTF-8 without control
 * characters (each bad byte is U+FFFD), cut at a character with an ellipsis. */
void cafe_clean_text(const char *text, char *out, size_t capacity);

/* The pieces of the picture that are the same in PNG and SVG. */
typedef struct cafe_pen {
    void *target;
    void (*segment)(void *target, double x0, double y0, double x1, double y1, double width,
                    cafe_colour colour, double opacity);
    void (*disc)(void *target, double x, double y, double radius, cafe_colour colour,
                 double opacity);
    void (*ring)(void *target, double x, double y, double radius, double width, cafe_colour colour);
    void (*bar)(void *target, double x, double y, double width, double height, cafe_colour colour);
    /* height is that of a line; upright: turned by a quarter, reading upwards */
    void (*text)(void *target, double x, double y, double height, const char *text,
                 cafe_anchor anchor, bool upright, cafe_colour colour);
    /* with an edge of paper around the letters */
    void (*name)(void *target, double x, double y, double height, const char *text,
                 cafe_anchor anchor, cafe_colour colour, cafe_colour paper);
} cafe_pen;

void cafe_scene_draw_links(const cafe_scene *scene, const cafe_pen *pen);
void cafe_scene_draw_frame(const cafe_scene *scene, const cafe_pen *pen);
void cafe_scene_draw_legend(const cafe_scene *scene, const cafe_pen *pen);
void cafe_scene_draw_names(const cafe_scene *scene, const cafe_pen *pen);

/* ---- pixels ---------------------------------------------------------------------------------- */

typedef struct cafe_canvas {
    int64_t width, height;
    float *rgb;  /* 0 .. 255 */
    float *mask; /* height rows of width + 2 zeros, for text */
} cafe_canvas;

void cafe_canvas_fill(cafe_canvas *canvas, cafe_colour colour);
void cafe_canvas_blend(const cafe_canvas *canvas, int64_t x, int64_t y, cafe_colour colour,
                       float part);

/* What a pen draws on a canvas, which is its target. */
/* A line with round ends; a disc when both ends are the same point. Edges are smooth. */
void cafe_canvas_segment(void *canvas, double x0, double y0, double x1, double y1, double width,
                         cafe_colour colour, double opacity);
void cafe_canvas_ring(void *canvas, double x, double y, double radius, double width,
                      cafe_colour colour);
void cafe_canvas_bar(void *canvas, double x, double y, double width, double height,
                     cafe_colour colour);
/* Text (plot_font.c), and its width. */
void cafe_canvas_text(void *canvas, double x, double y, double height, const char *text,
                      cafe_anchor anchor, bool upright, cafe_colour colour);
void cafe_canvas_name(void *canvas, double x, double y, double height, const char *text,
                      cafe_anchor anchor, cafe_colour colour, cafe_colour paper);
double cafe_font_width(const char *text, double height);

/* The points alone: discs, or densities above CAFE_PLOT_DISCS. */
cafe_status cafe_canvas_points(cafe_context *context, const cafe_scene *scene, cafe_canvas *canvas);
/* plot_png.c: all of the picture, or the points alone, as bytes. */
cafe_status cafe_scene_pixels(cafe_context *context, const cafe_scene *scene, bool all,
                              uint8_t *rgb);

/* ---- files of shapes: plot_file.c --------------------------------------------------------------
 */

/* The output with its buffer; the struct of a writer begins with it. */
typedef struct cafe_plot_file {
    cafe_output *output;
    cafe_status status;  /* of the first write that failed */
    int64_t used, bytes; /* in the buffer, and written before */
    char buffer[1 << 16];
} cafe_plot_file;

/* Puts the whole scene into the file. */
typedef cafe_status (*cafe_plot_writer)(cafe_context *context, void *file, const cafe_scene *scene);

/* Text of less than 2 KiB; bytes of any number. */
__attribute__((format(printf, 2, 3))) void cafe_plot_put(void *file, const char *format, ...);
cafe_status cafe_plot_bytes(cafe_plot_file *file, const void *bytes, int64_t count);

/* cafe_plot_svg() and cafe_plot_pdf(), by a writer with a struct of `size` bytes. */
cafe_status cafe_plot_shapes(cafe_context *context, const cafe_plot_inputs *inputs,
                             const cafe_plot_options *options, const char *path, int32_t overwrite,
                             size_t size, cafe_plot_writer writer);

#endif
