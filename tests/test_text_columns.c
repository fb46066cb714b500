/* Columns of texts numbered by first appearance, in each of their three layouts. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <cafe-private/texts.h>

#include "failing.h"
#include "graph/text_hash.h"

enum { LINES = 9000, WIDEST = 40 };

/* A column in all layouts: the texts have no byte 0, except that fixed ones are filled up by it. */
typedef struct column {
    char text[LINES][WIDEST + 1];
    char marked[LINES * (WIDEST + 1)], packed[LINES * WIDEST], fixed[LINES * WIDEST];
    int64_t offsets[LINES + 1];
} column;

static column columns[2];

static void draw(column *c, uint64_t seed, int64_t different) {
    char *mark = c->marked;
    for (int64_t i = 0; i < LINES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t pick = (int64_t)(seed >> 33) % different;
        /* lengths 0 to 40; texts that differ in their last byte alone */
        memset(c->text[i], 0, sizeof c->text[i]);
        if (pick)
            snprintf(c->text[i], WIDEST + 1, "%.*sx%lld", (int)(pick % 20),
                     "the same beginning of all", (long long)pick);
        size_t length = strlen(c->text[i]);
        memcpy(mark, c->text[i], length + 1);
        mark += length + 1;
        memcpy(c->packed + c->offsets[i], c->text[i], length);
        c->offsets[i + 1] = c->offsets[i] + (int64_t)length;
        memcpy(c->fixed + i * WIDEST, c->text[i], WIDEST);
    }
}

static cafe_texts layout(const column *c, int kind) {
    cafe_texts texts = {LINES, c->offsets[LINES], c->packed, c->offsets, 0};
    if (kind == 1) texts = (cafe_texts){LINES, LINES * WIDEST, c->fixed, NULL, WIDEST};
    if (kind == 2) texts = (cafe_texts){LINES, c->offsets[LINES] + LINES - 1, c->marked, NULL, 0};
    return texts;
}

static void test_numbers(void **state) {
    static int32_t number[2][LINES];
    static int64_t first[2 * LINES];
    (void)state;
    for (int64_t different = 1; different <= 100000; different *= 10) {
        draw(&columns[0], 1, different);
        draw(&columns[1], 2, different);
        for (int kind = 0; kind < 9; kind++) {
            if (kind / 3 != kind % 3 && (kind / 3 == 1 || kind % 3 == 1))
                continue; /* of one width */
            cafe_texts left = layout(&columns[0], kind / 3), right = layout(&columns[1], kind % 3);
            cafe_context *context = NULL;
            int64_t count, seen = 0;
            assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
            assert_int_equal(
                cafe_texts_number(context, &left, &right, number[0], number[1], first, &count),
                CAFE_OK);
            for (int64_t i = 0; i < 2 * LINES; i++) {
                int32_t k = number[i % 2][i / 2];
                assert_in_range(k, 0, seen);
                if (k == seen) assert_int_equal(first[seen++], i); /* new ones in their order */
                assert_string_equal(columns[i % 2].text[i / 2],
                                    columns[first[k] % 2].text[first[k] / 2]);
            }
            assert_int_equal(count, seen);
            for (int64_t k = 1; k < count && count < 200; k++) /* and no text twice */
                for (int64_t l = 0; l < k; l++)
                    assert_string_not_equal(columns[first[k] % 2].text[first[k] / 2],
                                            columns[first[l] % 2].text[first[l] / 2]);
            cafe_context_free(context);
        }
    }
}

/* Texts of 16 bytes with one hash: the second word undoes what the first one changed. */
static void test_texts_of_one_hash(void **state) {
    enum { SIXTEEN = 16, EQUAL = 50 };
    uint64_t words[2 * EQUAL];
    (void)state;
    for (uint64_t i = 0; i < EQUAL; i++) {
        uint64_t h = (SIXTEEN * 0x9E3779B97F4A7C15u ^ i) * 0xD6E8FEB86659FD93u;
        words[2 * i] = i;
        words[2 * i + 1] = h ^ h >> 32;
        assert_int_equal(cafe_hash_text((char *)&words[2 * i], SIXTEEN),
                         cafe_hash_text((char *)words, SIXTEEN));
    }
    cafe_texts texts = {EQUAL, sizeof words, (char *)words, NULL, SIXTEEN};
    int32_t number[2][EQUAL];
    int64_t first[2 * EQUAL], count;
    cafe_context *context = NULL;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_int_equal(
        cafe_texts_number(context, &texts, &texts, number[0], number[1], first, &count), CAFE_OK);
    assert_int_equal(count, EQUAL);
    for (int32_t i = 0; i < EQUAL; i++) assert_true(number[0][i] == i && number[1][i] == i);
    cafe_context_free(context);
}

static void refused(cafe_texts left, cafe_texts right) {
    int32_t number[2][4];
    int64_t first[8], count;
    cafe_context *context = NULL;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_int_equal(cafe_texts_number(context, &left, &right, number[0], number[1], first, &count),
                     CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void test_what_does_not_fit(void **state) {
    (void)state;
    cafe_texts two = {2, 3, "a\0b", NULL, 0};
    refused(two, (cafe_texts){3, 5, "a\0b\0c", NULL, 0});              /* lengths */
    refused(two, (cafe_texts){2, 5, "a\0b\0c", NULL, 0});              /* a third text */
    refused(two, (cafe_texts){2, 1, "a", NULL, 0});                    /* one alone */
    refused(two, (cafe_texts){2, 3, "abc", NULL, 2});                  /* too few bytes */
    refused(two, (cafe_texts){2, 3, "abc", (int64_t[]){0, 2, 4}, 0});  /* behind them */
    refused(two, (cafe_texts){2, 3, "abc", (int64_t[]){0, 2, 1}, 0});  /* descending */
    refused(two, (cafe_texts){2, 3, "abc", (int64_t[]){-1, 2, 3}, 0}); /* before them */
    refused((cafe_texts){0, 1, "a", NULL, 0}, (cafe_texts){0, 0, "", NULL, 0});
    refused((cafe_texts){-1, 0, "", NULL, 0}, (cafe_texts){-1, 0, "", NULL, 0});
}

static void test_no_lines(void **state) {
    (void)state;
    cafe_context *context = NULL;
    int64_t count = 7;
    cafe_texts none = {0, 0, "", NULL, 0};
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_int_equal(cafe_texts_number(context, &none, &none, NULL, NULL, NULL, &count), CAFE_OK);
    assert_int_equal(count, 0);
    cafe_context_free(context);
}

static void test_failing_memory(void **state) {
    static int32_t number[2][LINES];
    static int64_t first[2 * LINES];
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    draw(&columns[0], 1, 100000);
    draw(&columns[1], 2, 100000);
    cafe_texts left = layout(&columns[0], 0), right = layout(&columns[1], 2);
    for (long k = 0;; k++) {
        int64_t count;
        long live = test_failing_arm(&memory, k);
        cafe_status status =
            cafe_texts_number(context, &left, &right, number[0], number[1], first, &count);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),           cmocka_unit_test(test_texts_of_one_hash),
        cmocka_unit_test(test_what_does_not_fit), cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
