/* Letters, names and colours of pictures: outlines that cover what they should, names that do not
 * overlap, colours that everybody can tell apart.
 */
#include <math.h>
#include <string.h>

#include "draw/letters.h"
#include "draw/plot.h"
#include "failing.h"
#include "graphs.h"

enum { SIDE = 80 };

/* The ink that a text leaves on white paper, of the most that there could be. */
static double ink(const char *text, bool upright, float *mean_x) {
    static float rgb[3 * SIDE * SIDE], mask[SIDE * (SIDE + 2)];
    cafe_canvas canvas = {SIDE, SIDE, rgb, mask};
    double sum = 0, x_sum = 0;
    cafe_canvas_fill(&canvas, (cafe_colour){255, 255, 255});
    cafe_canvas_text(&canvas, upright ? 60 : 20, upright ? 70 : 60, 40, text, CAFE_ANCHOR_START,
                     upright, (cafe_colour){0, 0, 0});
    for (int i = 0; i < SIDE * (SIDE + 2); i++) assert_true(mask[i] == 0);
    for (int i = 0; i < SIDE * SIDE; i++) {
        sum += 1 - rgb[3 * i] / 255.0;
        x_sum += (i % SIDE) * (1 - rgb[3 * i] / 255.0);
    }
    if (mean_x) *mean_x = (float)(x_sum / sum);
    return sum;
}

/* Twice the signed area inside an outline, by the shoelace formula. */
static void add_area(void *target, double x0, double y0, double x1, double y1) {
    *(double *)target += x0 * y1 - x1 * y0;
}

static void letters_cover_their_area(void **state) {
    static const char *const texts[] = {"\xe2\x96\xa0", "l",        "o",       "A",
                                        "\xc3\x89",     "\xd0\xaf", "\xce\xa9"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i];
        double area = 0;
        cafe_letter letter = cafe_letter_next(&text);
        cafe_letter_trace(&letter, 6, add_area, &area);
        double wanted = fabs(area) / 2 * pow(40 / letter.units, 2);
        assert_true(fabs(ink(texts[i], false, NULL) - wanted) < 0.01 * wanted + 0.5);
        assert_true(fabs(ink(texts[i], true, NULL) - wanted) < 0.01 * wanted + 0.5);
    }
}

static void accents_are_letters_and_no_boxes(void **state) {
    static const char *const pairs[][2] = {
        {"\xc3\xa9", "e"}, {"\xc5\x81", "L"}, {"\xc3\xb1", "n"}, {"\xe1\xbb\x87", "e"}};
    double box = ink("\xef\xbf\xbd", false, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double accented = ink(pairs[i][0], false, NULL), plain = ink(pairs[i][1], false, NULL);
        assert_true(accented > 1.03 * plain && accented < 1.8 * plain); /* the letter and a mark */
        assert_true(fabs(accented - box) > 0.05 * box);
    }
    assert_true(ink("e\xcc\x81", false, NULL) >
                1.03 * ink("e", false, NULL));            /* a mark of its own */
    assert_true(ink("\xe6\xbc\xa2", false, NULL) == box); /* a script that is not there */
    assert_true(ink(" ", false, NULL) == 0);
}

static void widths_add_up(void **state) {
    float left, right;
    (void)state;
    assert_true(fabs(cafe_font_width("ab", 20) - cafe_font_width("a", 20) -
                     cafe_font_width("b", 20)) < 1e-9);
    assert_true(cafe_font_width("W", 20) > 2 * cafe_font_width("i", 20));
    assert_true(fabs(cafe_font_width("\xc3\xa9", 20) - cafe_font_width("e", 20)) < 1e-9);
    ink("l", false, &left);
    ink(" l", false, &right);
    assert_true(fabs(right - left - cafe_font_width(" ", 40)) < 0.5);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void names_do_not_overlap(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    float xy[2 * TEST_KARATE_NODES];
    cafe_plot_inputs in;
    cafe_plot_options o;
    cafe_scene s;
    uint64_t numbers = 3;
    (void)state;
    for (int i = 0; i < 2 * TEST_KARATE_NODES; i++) {
        numbers = numbers * 6364136223846793005u + 1442695040888963407u;
        xy[i] = (float)(numbers >> 40) / (float)(1 << 24);
    }
    cafe_plot_inputs_init(&in);
    cafe_plot_options_init(&o);
    in.n = TEST_KARATE_NODES, in.xy = xy, in.graph = graph, in.equal = 1;
    o.width = 400, o.height = 300, o.names = 30;
    TEST_OK(context, cafe_scene_make(context, &in, &o, &s));
    assert_in_range(s.names, 15, 30);
    assert_true(strcmp(s.name[0].text, "33") == 0 || strcmp(s.name[1].text, "33") == 0);
    for (int64_t i = 0; i < s.names; i++) {
        const cafe_placed_name *a = &s.name[i];
        double h = 0.78 * s.text, wide = cafe_font_width(a->text, h);
        double left = a->x - wide * a->anchor / 2;
        assert_true(left >= 0 && left + wide <= s.right && a->y <= s.bottom && a->y - 0.7 * h >= 0);
        for (int64_t j = 0; j < i; j++) {
            const cafe_placed_name *b = &s.name[j];
            double other = b->x - cafe_font_width(b->text, h) * b->anchor / 2;
            assert_true(left >= other + cafe_font_width(b->text, h) || other >= left + wide ||
                        fabs(a->y - b->y) >= h);
        }
        for (int64_t u = 0; u < in.n; u++) /* nor do they hide a point */
            assert_true(cafe_scene_x(&s, u) < left || cafe_scene_x(&s, u) > left + wide ||
                        cafe_scene_y(&s, u) < a->y - 0.75 * h || cafe_scene_y(&s, u) > a->y);
    }
    cafe_scene_free(context, &s);
    o.names = 0;
    TEST_OK(context, cafe_scene_make(context, &in, &o, &s));
    assert_int_equal(s.names, 0);
    cafe_scene_free(context, &s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- colours --------------------------------------------------------------------------------- */

typedef struct triple {
    double a[3];
} triple;

static triple linear(cafe_colour c) {
    uint8_t in[3] = {c.r, c.g, c.b};
    triple out;
    for (int i = 0; i < 3; i++) {
        double v = in[i] / 255.0;
        out.a[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    return out;
}

static triple turn(const double m[3][3], triple v) {
    triple out = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.a[i] += m[i][j] * v.a[j];
    return out;
}

/* CIE L*a*b* of what an eye sees. */
static triple lab(const double eye[3][3], cafe_colour c) {
    static const double xyz[3][3] = {{.4124 / .9505, .3576 / .9505, .1805 / .9505},
                                     {.2126, .7152, .0722},
                                     {.0193 / 1.089, .1192 / 1.089, .9505 / 1.089}};
    triple seen = turn(eye, linear(c));
    for (int i = 0; i < 3; i++) seen.a[i] = fmin(fmax(seen.a[i], 0), 1);
    triple f = turn(xyz, seen);
    for (int i = 0; i < 3; i++)
        f.a[i] = f.a[i] > 0.008856 ? cbrt(f.a[i]) : 7.787 * f.a[i] + 16.0 / 116;
    return (triple){{116 * f.a[1] - 16, 500 * (f.a[0] - f.a[1]), 200 * (f.a[1] - f.a[2])}};
}

/* Machado, Oliveira and Fernandes (2009): all cones, then without the long, middle, short ones. */
static const double eyes[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
    {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
    {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}}};

static void every_eye_tells_colours_apart(void **state) {
    (void)state;
    for (int dark = 0; dark < 2; dark++)
        for (int e = 0; e < 4; e++)
            for (int i = 0; i < 12; i++)
                for (int j = 0; j < i; j++) {
                    triple a = lab(eyes[e], cafe_mark_of(i, dark).colour);
                    triple b = lab(eyes[e], cafe_mark_of(j, dark).colour);
                    double apart = sqrt(pow(a.a[0] - b.a[0], 2) + pow(a.a[1] - b.a[1], 2) +
                                        pow(a.a[2] - b.a[2], 2));
                    if (apart < 15) fail_msg("colours %d and %d: %.1f", i, j, apart);
                }
}

static double luminance(cafe_colour c) {
    triple v = linear(c);
    return 0.2126 * v.a[0] + 0.7152 * v.a[1] + 0.0722 * v.a[2];
}

/* Contrast as WCAG has it; 3 is what it asks of things that are no text. */
static void dark_pictures_can_be_read(void **state) {
    static const float xy[] = {0, 0, 1, 1};
    static const double values[2][2] = {{-1, 1}, {0, 1}};
    cafe_context *context = test_context(1, 1);
    cafe_plot_inputs in;
    cafe_plot_options o;
    cafe_scene s;
    (void)state;
    cafe_plot_inputs_init(&in);
    cafe_plot_options_init(&o);
    in.n = 2, in.xy = xy, o.dark = 1;
    for (int v = 0; v < 2; v++) {
        in.value = values[v];
        TEST_OK(context, cafe_scene_make(context, &in, &o, &s));
        double paper = luminance(s.paper);
        for (int i = 0; i < 256; i++)
            assert_true((luminance(s.palette[i]) + 0.05) / (paper + 0.05) >= 3);
        for (int i = 0; i < CAFE_PLOT_KINDS; i++)
            assert_true((luminance(cafe_mark_of(i, true).colour) + 0.05) / (paper + 0.05) >= 3);
        assert_true((luminance(s.quiet) + 0.05) / (paper + 0.05) >= 4.5);
        cafe_scene_free(context, &s);
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_cover_their_area),
        cmocka_unit_test(accents_are_letters_and_no_boxes),
        cmocka_unit_test(widths_add_up),
        cmocka_unit_test(names_do_not_overlap),
        cmocka_unit_test(every_eye_tells_colours_apart),
        cmocka_unit_test(dark_pictures_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
