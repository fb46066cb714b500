/* Pictures: PNG files that decode, points where they belong, text that stays text. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "draw/plot.h"
#include "draw/png.h"
#include "failing.h"
#include "graphs.h"
#include "packed.h"

/* ---- a decoder of its own -------------------------------------------------------------------- */

static uint32_t get32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The CRC bit by bit, as the specification defines it. */
static uint32_t slow_crc(const uint8_t *p, int64_t size) {
    uint32_t crc = 0xffffffffu;
    for (int64_t i = 0; i < size; i++) {
        crc ^= p[i];
        for (int b = 0; b < 8; b++) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    }
    return ~crc;
}

/* Undoes the filters 0 and 2. */
static uint8_t *unfilter(const uint8_t *rows, int64_t width, int64_t height) {
    uint8_t *rgb = malloc((size_t)(3 * width * height));
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = rows + y * (3 * width + 1);
        assert_true(row[0] == 0 || (row[0] == 2 && y > 0));
        for (int64_t i = 0; i < 3 * width; i++)
            rgb[y * 3 * width + i] =
                (uint8_t)(row[1 + i] + (row[0] ? rgb[(y - 1) * 3 * width + i] : 0));
    }
    return rgb;
}

/* Data with header and checksum of zlib (RFC 1950), which become `raw` bytes. */
static void inflate_zlib(const uint8_t *from, int64_t size, uint8_t *to, int64_t raw) {
    static struct inflate_state inflate;
    uint32_t low = 1, high = 0;
    assert_true((from[0] & 15) == 8 && (from[0] << 8 | from[1]) % 31 == 0 && !(from[1] & 32));
    isal_inflate_init(&inflate);
    inflate.crc_flag = ISAL_DEFLATE;
    inflate.next_in = cafe_isal_input(from + 2), inflate.avail_in = (uint32_t)size - 6;
    inflate.next_out = to, inflate.avail_out = (uint32_t)raw + 1;
    assert_int_equal(isal_inflate(&inflate), 0);
    assert_int_equal(inflate.block_state, ISAL_BLOCK_FINISH);
    assert_int_equal(inflate.avail_in, 0);
    assert_int_equal(inflate.avail_out, 1);
    for (int64_t i = 0; i < raw; i++) low = (low + to[i]) % 65521, high = (high + low) % 65521;
    assert_int_equal(get32(from + size - 4), high << 16 | low);
}

static uint8_t *decode(const uint8_t *png, int64_t size, int64_t *width, int64_t *height) {
    static const uint8_t signature[] = {137, 80, 78, 71, 13, 10, 26, 10};
    uint8_t *rows = NULL;
    assert_memory_equal(png, signature, 8);
    for (int64_t at = 8, length; at < size; at += 12 + length) {
        length = get32(png + at);
        assert_true(at + 12 + length <= size);
        assert_int_equal(get32(png + at + 8 + length), slow_crc(png + at + 4, length + 4));
        if (memcmp(png + at + 4, "IHDR", 4) == 0) {
            *width = get32(png + at + 8), *height = get32(png + at + 12);
            assert_true(png[at + 16] == 8 && png[at + 17] == 2 && png[at + 20] == 0);
        } else if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            int64_t raw = *height * (3 * *width + 1);
            rows = malloc((size_t)raw + 1);
            inflate_zlib(png + at + 8, length, rows, raw);
        } else {
            assert_memory_equal(png + at + 4, "IEND", 4);
            assert_int_equal(at + 12, size);
        }
    }
    assert_non_null(rows);
    uint8_t *rgb = unfilter(rows, *width, *height);
    free(rows);
    return rgb;
}

static void png_decodes_to_what_was_encoded(void **state) {
    cafe_context *context = test_context(1, 1);
    static const int64_t sizes[][2] = {{1, 1}, {7, 3}, {100, 61}, {333, 257}};
    uint64_t numbers = 5;
    (void)state;
    for (int s = 0; s < 4; s++)
        for (int noise = 0; noise < 2; noise++) {
            int64_t w = sizes[s][0], h = sizes[s][1], width = 0, height = 0, size = 0;
            uint8_t *rgb = malloc((size_t)(3 * w * h)), *png = NULL;
            for (int64_t i = 0; i < 3 * w * h; i++)
                rgb[i] = (uint8_t)(noise ? test_number(&numbers) : (uint64_t)(i / 100));
            TEST_OK(context, cafe_png_encode(context, w, h, rgb, &png, &size));
            uint8_t *back = decode(png, size, &width, &height);
            assert_true(width == w && height == h);
            assert_memory_equal(rgb, back, (size_t)(3 * w * h));
            free(back);
            free(rgb);
            cafe_plot_text_free(context, (char *)png);
        }
    cafe_context_free(context);
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static cafe_plot_inputs points(int64_t n, const float *xy) {
    cafe_plot_inputs in;
    cafe_plot_inputs_init(&in);
    in.n = n, in.xy = xy, in.equal = 1;
    return in;
}

static bool is_colour(const uint8_t *rgb, uint8_t r, uint8_t g, uint8_t b, int off) {
    return abs(rgb[0] - r) <= off && abs(rgb[1] - g) <= off && abs(rgb[2] - b) <= off;
}

/* Four points in a square, four classes: each quarter has its own colour and no other. */
static void points_are_where_they_belong(void **state) {
    static const float xy[] = {0, 0, 1, 0, 0, 1, 1, 1};
    static const int32_t kind[] = {0, 1, 2, 3};
    cafe_context *context = test_context(1, 1);
    cafe_plot_inputs in = points(4, xy);
    cafe_plot_options o;
    cafe_scene scene;
    (void)state;
    cafe_plot_options_init(&o);
    o.width = 300, o.height = 200;
    in.kinds = 4, in.kind = kind;
    uint8_t *rgb = malloc(3 * 300 * 200);
    TEST_OK(context, cafe_plot_pixels(context, &in, &o, rgb));
    TEST_OK(context, cafe_scene_make(context, &in, &o, &scene));
    for (int64_t u = 0; u < 4; u++) {
        double x = cafe_scene_x(&scene, u), y = cafe_scene_y(&scene, u);
        cafe_colour c = cafe_mark_of(u, false).colour;
        const uint8_t *pixel = rgb + 3 * ((int64_t)y * 300 + (int64_t)x);
        assert_true(x > scene.left && x < scene.right && y > scene.top && y < scene.bottom);
        assert_true(is_colour(pixel, c.r, c.g, c.b, 30)); /* a little of the paper shines through */
    }
    assert_true(cafe_scene_y(&scene, 0) > cafe_scene_y(&scene, 2)); /* y goes up */
    assert_true(is_colour(rgb + 3 * (100 * 300 + 3), 255, 255, 255, 0));
    assert_int_equal(scene.lines, 4);
    cafe_scene_free(context, &scene);
    o.dark = 1;
    TEST_OK(context, cafe_plot_pixels(context, &in, &o, rgb));
    assert_true(rgb[0] < 40);
    free(rgb);
    cafe_context_free(context);
}

/* A density: every point's pixel is coloured, and where more fell it is darker. */
static void densities_show_every_point(void **state) {
    enum { N = CAFE_PLOT_DISCS + 5000, SIDE = 400 };
    cafe_context *context = test_context(1, 1);
    float *xy = malloc(2 * N * sizeof *xy);
    uint64_t numbers = 9;
    cafe_plot_options o;
    cafe_scene scene;
    (void)state;
    for (int64_t u = 0; u < N; u++) { /* all but a few in one corner */
        double part = u < 100 ? 1 : 0.05;
        xy[2 * u] = (float)(part * (double)test_below(&numbers, 1000));
        xy[2 * u + 1] = (float)(part * (double)test_below(&numbers, 1000));
    }
    cafe_plot_inputs in = points(N, xy);
    cafe_plot_options_init(&o);
    o.width = o.height = SIDE;
    uint8_t *rgb = malloc(3 * SIDE * SIDE);
    TEST_OK(context, cafe_plot_pixels(context, &in, &o, rgb));
    TEST_OK(context, cafe_scene_make(context, &in, &o, &scene));
    int64_t least = 765, most = 0;
    for (int64_t u = 0; u < N; u++) {
        const uint8_t *p =
            rgb + 3 * ((int64_t)cafe_scene_y(&scene, u) * SIDE + (int64_t)cafe_scene_x(&scene, u));
        int64_t light = p[0] + p[1] + p[2];
        assert_true(light < 765 - 100);
        if (u < 100 && light > most) most = light;
        if (u >= 100 && light < least) least = light;
    }
    assert_true(least + 50 < most);
    cafe_scene_free(context, &scene);
    free(rgb);
    free(xy);
    cafe_context_free(context);
}

static void values_and_many_classes(void **state) {
    enum { N = 200 };
    cafe_context *context = test_context(1, 1);
    float xy[2 * N];
    double value[N];
    int32_t kind[N];
    cafe_scene scene;
    (void)state;
    for (int64_t u = 0; u < N; u++) {
        xy[2 * u] = (float)u, xy[2 * u + 1] = (float)(u * u % 17);
        value[u] = (double)u - 50;
        kind[u] = (int32_t)(u % 40) - 1;
    }
    cafe_plot_inputs in = points(N, xy);
    in.kinds = 39, in.kind = kind;
    TEST_OK(context, cafe_scene_make(context, &in, NULL, &scene));
    int64_t sum = 0;
    for (int64_t i = 0; i < scene.lines; i++) sum += scene.line_of[i].count;
    assert_int_equal(scene.lines, 26); /* what a picture 900 pixels high has lines for */
    assert_int_equal(sum, N);
    assert_string_equal(scene.line_of[25].text, "14 others");
    assert_true(scene.top + scene.text * (1 + 1.5 * 26) < 900);
    assert_true(!scene.ring[12] && scene.ring[13]); /* the second dozen are rings */
    cafe_scene_free(context, &scene);
    in.value = value;
    TEST_OK(context, cafe_scene_make(context, &in, NULL, &scene));
    assert_true(scene.ramp && scene.least == -149 && scene.most == 149);
    for (int64_t u = 1; u < N; u++) assert_true(scene.colour[u] >= scene.colour[u - 1]);
    cafe_scene_free(context, &scene);
    cafe_context_free(context);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void hostile_text_is_made_clean(void **state) {
    static const char *const bad[] = {"\x1b[2J",
                                      "a\nb",
                                      "\x7f",
                                      "\xff\xfe",
                                      "\xc2\x9b"
                                      "31m",
                                      "\xe2\x80\xae"
                                      "abc",
                                      "\xef\xbf\xbf",
                                      "\xe2\x28\xa1",
                                      "\xf0"};
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cafe_clean_text(bad[i], out, sizeof out);
        assert_non_null(strstr(out, "\xef\xbf\xbd"));
        for (const char *p = out; *p; p++) assert_true((uint8_t)*p >= 0x20 && *p != 0x7f);
    }
    cafe_clean_text("Grüße <b>&amp;", out, sizeof out);
    assert_string_equal(out, "Grüße <b>&amp;");
    cafe_clean_text(NULL, out, sizeof out);
    assert_string_equal(out, "");
    for (size_t capacity = 4; capacity < 24; capacity++) { /* cut between characters */
        cafe_clean_text("ääääääääää", out, capacity);
        assert_true(strlen(out) < capacity);
        if (capacity <= 20) assert_string_equal(out + strlen(out) - 3, "\xe2\x80\xa6");
    }
}

static int64_t line_width(const char *line) {
    int64_t width = 0;
    for (; *line && *line != '\n'; line++) {
        if (*line == 27) {
            while (*line != 'm') line++;
            continue;
        }
        width += (*line & 0xc0) != 0x80;
    }
    return width;
}

static void characters_fit_the_width(void **state) {
    static const int64_t widths[] = {8, 20, 79, 200};
    static const char *const names[] = {"a very long name indeed, longer than the terminal is",
                                        "\x1b]0;title\x07", "plain"};
    cafe_context *context = test_context(1, 1);
    float xy[2 * 300];
    int32_t kind[300];
    (void)state;
    for (int64_t u = 0; u < 300; u++) {
        xy[2 * u] = (float)cos((double)u), xy[2 * u + 1] = (float)(sin((double)u) * 2);
        kind[u] = (int32_t)(u % 3);
    }
    cafe_plot_inputs in = points(300, xy);
    in.kinds = 3, in.kind = kind, in.names = names, in.title = "A title that is rather long\x1b[2J";
    for (int round = 0; round < 16; round++) {
        char *text = NULL;
        int64_t dots = 0, width = widths[round % 4];
        in.equal = round / 4 % 2;
        TEST_OK(context, cafe_plot_text(context, &in, width, round / 8, &text));
        for (const char *line = text; *line; line = strchr(line, '\n') + 1)
            assert_true(line_width(line) <= width);
        for (const char *p = text; *p; p++) {
            dots += (uint8_t)*p == 0xe2;
            if (round / 8 == 0) assert_true((uint8_t)*p >= 0x20 || *p == '\n');
            assert_true(*p != 7 && strncmp(p, "\x1b[2J", 4) != 0 && strncmp(p, "\x1b]", 2) != 0);
        }
        assert_true(dots > 4);
        cafe_plot_text_free(context, text);
    }
    char *text = NULL;
    assert_int_equal(cafe_plot_text(context, &in, 7, 0, &text), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

/* ---- files ----------------------------------------------------------------------------------- */

static uint8_t *slurp(const char *path, int64_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)*size + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void files_are_whole_and_the_same_again(void **state) {
    char path[2][64];
    cafe_context *context[2] = {test_context(1, 1), test_context(3, 1)};
    cafe_graph *graph = test_karate(context[0]);
    float xy[2 * TEST_KARATE_NODES];
    (void)state;
    for (int64_t i = 0; i < 2 * TEST_KARATE_NODES; i++) xy[i] = (float)(i * 31 % 67);
    cafe_plot_inputs in = points(TEST_KARATE_NODES, xy);
    in.graph = graph, in.title = "<script>alert(\"1\")</script> & 'more'";
    for (int svg = 0; svg < 2; svg++) {
        uint8_t *bytes[2];
        int64_t size[2], width, height;
        for (int i = 0; i < 2; i++) {
            snprintf(path[i], sizeof path[i], "picture-%ld-%d", (long)getpid(), i);
            TEST_OK(context[i], svg ? cafe_plot_svg(context[i], &in, NULL, path[i], 0)
                                    : cafe_plot_png(context[i], &in, NULL, path[i], 0));
            assert_int_equal(cafe_plot_png(context[i], &in, NULL, path[i], 0), CAFE_ERROR_EXISTS);
            bytes[i] = slurp(path[i], &size[i]);
            unlink(path[i]);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
        if (svg) {
            assert_null(strstr((char *)bytes[0], "<script"));
            assert_non_null(strstr((char *)bytes[0], "&lt;script&gt;alert(&quot;1&quot;)"));
            int64_t circles = 0, lines = 0;
            for (char *p = (char *)bytes[0]; (p = strstr(p, "<circle")); p++) circles++;
            for (char *p = (char *)bytes[0]; (p = strstr(p, "<line")); p++) lines++;
            assert_int_equal(circles, TEST_KARATE_NODES);
            assert_int_equal(lines, TEST_KARATE_EDGES);
        } else {
            free(decode(bytes[0], size[0], &width, &height));
            assert_true(width == 1200 && height == 900);
        }
        free(bytes[0]);
        free(bytes[1]);
    }
    cafe_graph_free(graph);
    cafe_context_free(context[0]);
    cafe_context_free(context[1]);
}

static void bad_inputs_are_refused(void **state) {
    cafe_context *context = test_context(1, 1);
    float xy[] = {0, 1, 2, NAN};
    int32_t kind[] = {0, 2};
    uint8_t *rgb = malloc(3 * 64 * 64);
    cafe_plot_options o;
    (void)state;
    cafe_plot_options_init(&o);
    o.width = o.height = 64;
    cafe_plot_inputs in = points(2, xy);
    assert_int_equal(cafe_plot_pixels(context, &in, &o, rgb), CAFE_ERROR_ARGUMENT);
    in.n = 1; /* one point, and none */
    TEST_OK(context, cafe_plot_pixels(context, &in, &o, rgb));
    in.n = 0;
    TEST_OK(context, cafe_plot_pixels(context, &in, &o, rgb));
    char *text = NULL;
    TEST_OK(context, cafe_plot_text(context, &in, 20, 1, &text));
    cafe_plot_text_free(context, text);
    xy[3] = 5, in.n = 2, in.kind = kind, in.kinds = 2;
    assert_int_equal(cafe_plot_pixels(context, &in, &o, rgb), CAFE_ERROR_ARGUMENT);
    o.width = 10;
    in.kinds = 3;
    assert_int_equal(cafe_plot_pixels(context, &in, &o, rgb), CAFE_ERROR_ARGUMENT);
    free(rgb);
    cafe_context_free(context);
}

static void failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    enum { N = CAFE_PLOT_DISCS + 1 };
    float *xy = calloc(2 * N, sizeof *xy);
    int32_t *kind = calloc(N, sizeof *kind);
    cafe_plot_options o;
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "picture-failing-%ld", (long)getpid());
    cafe_plot_options_init(&o);
    o.width = o.height = 64;
    cafe_plot_inputs in = points(N, xy);
    in.kind = kind, in.kinds = 1;
    cafe_graph *graph = NULL;
    TEST_OK(context, cafe_graph_from_edges(context, N, 1, (const int32_t[]){0},
                                           (const int32_t[]){1}, NULL, NULL, &graph));
    in.graph = graph;
    for (int what = 0; what < 4; what++)
        for (long k = 0;; k++) {
            char *text = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = what == 0   ? cafe_plot_png(context, &in, &o, path, 1)
                                 : what == 1 ? cafe_plot_svg(context, &in, &o, path, 1)
                                 : what == 2 ? cafe_plot_pdf(context, &in, &o, path, 1)
                                             : cafe_plot_text(context, &in, 20, 1, &text);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_plot_text_free(context, text);
            if (!failed) break;
        }
    unlink(path);
    cafe_graph_free(graph);
    free(xy);
    free(kind);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_decodes_to_what_was_encoded),
        cmocka_unit_test(points_are_where_they_belong),
        cmocka_unit_test(densities_show_every_point),
        cmocka_unit_test(values_and_many_classes),
        cmocka_unit_test(hostile_text_is_made_clean),
        cmocka_unit_test(characters_fit_the_width),
        cmocka_unit_test(files_are_whole_and_the_same_again),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
