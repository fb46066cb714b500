/* Text that is safe to show: whole, cut, and in pieces that end anywhere. */
#define _GNU_SOURCE
#include "test_io.h"

#include "io/terminal_text.h"

static const struct {
    const char *text, *shown;
} cases[] = {
    {"", ""},
    {"plain", "plain"},
    {"\xc3\xbc \xe6\x97\xa5 \xf0\x9f\x98\x80", "\xc3\xbc \xe6\x97\xa5 \xf0\x9f\x98\x80"},
    {"a\x1b[31m", "a\\x1b[31m"},
    {"\a\b\x7f", "\\x07\\x08\\x7f"},
    {"\r", "\\x0d"},
    {"\xc2\x9b", "\\xc2\\x9b"},
    {"\xc2\x80\xc2\xa0", "\\xc2\\x80\xc2\xa0"},
    {"\xff\xfe", "\\xff\\xfe"},
    {"\xe6\x97", "\\xe6\\x97"},
    {"\xe6\x97x", "\\xe6\\x97x"},
    {"\xe6\xc3\xbc", "\\xe6\xc3\xbc"},
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
    {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
    {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
    {"\xe2\x80\xaex", "\\xe2\\x80\\xaex"},
    {"\xe2\x81\xa6\xd8\x9c", "\\xe2\\x81\\xa6\\xd8\\x9c"},
    {"back\\slash", "back\\slash"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void test_whole(void **state) {
    char text[64];
    (void)state;
    for (int i = 0; i < CASES; i++) {
        size_t length = cafe_show(cases[i].text, strlen(cases[i].text), text, sizeof text);
        assert_string_equal(text, cases[i].shown);
        assert_int_equal(length, strlen(cases[i].shown));
    }
    cafe_show("a\nb\tc", 5, text, sizeof text);
    assert_string_equal(text, "a\\x0ab\\x09c");
}

/* Never more than the capacity, never half a character or half an escape. */
static void test_capacity(void **state) {
    static const char text[] = "a\x1b\xc3\xbc\xe6\x97\xa5z";
    static const size_t whole[] = {0, 1, 5, 7, 10, 11};
    char shown[16];
    (void)state;
    for (size_t capacity = 0; capacity <= sizeof shown; capacity++) {
        memset(shown, '#', sizeof shown);
        size_t length = cafe_show(text, strlen(text), shown, capacity), expected = 0;
        for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
            if (whole[i] < capacity) expected = whole[i];
        assert_int_equal(length, expected);
        if (capacity > 0) assert_int_equal(shown[length], 0);
        if (capacity < sizeof shown) assert_int_equal(shown[capacity], '#');
    }
}

typedef struct sink {
    char bytes[256];
    int64_t used;
} sink;

static cafe_status put(void *target, const char *bytes, int64_t size) {
    sink *s = target;
    memcpy(s->bytes + s->used, bytes, (size_t)size);
    s->used += size;
    return CAFE_OK;
}

/* Cut at any two places, the text is the same. */
static void test_pieces(void **state) {
    (void)state;
    for (int i = 0; i < CASES; i++) {
        int64_t n = (int64_t)strlen(cases[i].text);
        for (int64_t a = 0; a <= n; a++)
            for (int64_t b = a; b <= n; b++) {
                cafe_terminal t = {.count = 0};
                sink s = {.used = 0};
                assert_int_equal(cafe_terminal_write(&t, cases[i].text, a, put, &s), CAFE_OK);
                assert_int_equal(cafe_terminal_write(&t, cases[i].text + a, b - a, put, &s), 0);
                assert_int_equal(cafe_terminal_write(&t, cases[i].text + b, n - b, put, &s), 0);
                assert_int_equal(cafe_terminal_write(&t, NULL, 0, put, &s), CAFE_OK);
                s.bytes[s.used] = 0;
                assert_string_equal(s.bytes, cases[i].shown);
            }
    }
}

/* Lines stay lines, and long text is handed on whole. */
static void test_lines(void **state) {
    cafe_terminal t = {.count = 0};
    sink s = {.used = 0};
    (void)state;
    assert_int_equal(cafe_terminal_write(&t, "a\tb\n\x1b\n", 6, put, &s), CAFE_OK);
    s.bytes[s.used] = 0;
    assert_string_equal(s.bytes, "a\tb\n\\x1b\n");
}

static void test_errors(void **state) {
    cafe_context *context = test_context(1, 1);
    (void)state;
    cafe_fail(context, CAFE_ERROR_FORMAT, "%s: %g", "\x1b]0;owned\a\xff", 0.5);
    assert_string_equal(cafe_error(context), "\\x1b]0;owned\\x07\\xff: 0.5");
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_lines), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
