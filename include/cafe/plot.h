/* Pictures of points in the plane: PNG and SVG for papers, characters for terminals.
 *
 * The points are a map (cafe_map) or two columns of vectors; their colours tell classes or values,
 * in the palette of the interactive page. The same inputs give the same bytes.
 */
#ifndef CAFE_PLOT_H
#define CAFE_PLOT_H

#include <cafe/graph.h>
#include <cafe/lab_option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is drawn. Only the points are needed; the rest may be 0. Texts are UTF-8 of any contents:
 * they are shown, never obeyed. */
typedef struct cafe_plot_inputs {
    size_t struct_size;
    int64_t n;
    const float *xy;          /* row-major n x 2, finite */
    int32_t equal;            /* 1: one scale for both axes and no ticks, as for a map */
    const cafe_graph *graph;  /* of n nodes, whose edges and names are drawn; NULL: none */
    int64_t kinds;            /* classes */
    const int32_t *kind;      /* of each point: 0 .. kinds-1, -1 for none; NULL: no classes */
    const char *const *names; /* of the classes; NULL: their numbers */
    const double *value;      /* of each point, finite: a value to colour by instead of a class */
    const char *legend;       /* what the colours tell: "community" */
    const char *title;        /* NULL: none */
    const char *x_label, *y_label;
    const double
        *size; /* of each point, finite, not negative: areas in proportion; NULL: all alike */
} cafe_plot_inputs;

CAFE_INPUTS(plot)

typedef struct cafe_plot_options {
    size_t struct_size;
    int64_t width, height; /* pixels, of an SVG its units */
    int64_t most_links;    /* edges are drawn when there are no more than this */
    double radius;         /* of a point in pixels; 0: chosen by their number */
    int32_t dark;          /* 1: light on dark */
    int64_t names;         /* of the graph's leading nodes, by their edges: so many at most */
    const char *size; /* the attribute of the graph's nodes, of numbers, that is the points' size if
                       * the inputs have none; a node without a value has the least */
} cafe_plot_options;

CAFE_LAB_OPTIONS(plot)

/* Above this many points discs give way to the density of points in each pixel, and an SVG holds
 * them as an image, with all text still text. */
enum { CAFE_PLOT_DISCS = 100000, CAFE_PLOT_SHAPES = 20000 };

/* Write a file under a temporary name and rename it; "-" is standard output. An existing file is
 * kept (CAFE_ERROR_EXISTS) unless `overwrite`. Options may be NULL. */
CAFE_API cafe_status cafe_plot_png(cafe_context *context, const cafe_plot_inputs *inputs,
                                   const cafe_plot_options *options, const char *path,
                                   int32_t overwrite);
CAFE_API cafe_status cafe_plot_svg(cafe_context *context, const cafe_plot_inputs *inputs,
                                   const cafe_plot_options *options, const char *path,
                                   int32_t overwrite);
/* One page, 1/96 inch a pixel: 340 pixels are 90 mm. Letters are outlines. */
CAFE_API cafe_status cafe_plot_pdf(cafe_context *context, const cafe_plot_inputs *inputs,
                                   const cafe_plot_options *options, const char *path,
                                   int32_t overwrite);

/* The same picture as rgb[3 width height], rows from the top. */
CAFE_API cafe_status cafe_plot_pixels(cafe_context *context, const cafe_plot_inputs *inputs,
                                      const cafe_plot_options *options, uint8_t *rgb);

/* The picture in Braille characters, at most `columns` wide (8 to 1000), with a legend; `colour`:
 * with the terminal's colour codes. Free the text with cafe_plot_text_free(). */
CAFE_API cafe_status cafe_plot_text(cafe_context *context, const cafe_plot_inputs *inputs,
                                    int64_t columns, int32_t colour, char **text);
CAFE_API void cafe_plot_text_free(cafe_context *context, char *text);

#ifdef __cplusplus
}
#endif
#endif
