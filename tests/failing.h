/* An allocator that fails at a chosen call and counts what is alive.
 *
 *     test_failing memory;
 *     cafe_context *context = test_failing_context(&memory, 2);
 *     for (long k = 0;; k++) {
 *         long live = test_failing_arm(&memory, k);       // call number k from here on fails
 *         cafe_status status = cafe_something(context, &result);
 *         int failed = test_failing_disarm(&memory);      // 1: the failure was met
 *         test_failing_expect(&memory, status, failed, live, context);
 *         if (!failed) break;                             // every allocation has been failed once
 *     }
 *
 * Under the thread sanitizer only some calls fail, further and further apart: what a failure leaves
 * is for the other builds to see.
 */
#ifndef CAFE_TEST_FAILING_H
#define CAFE_TEST_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cafe/lab.h>

typedef struct test_failing {
    atomic_long calls;   /* since it was armed */
    atomic_long fail_at; /* negative: never */
    atomic_long live;    /* blocks not yet released */
} test_failing;

__attribute__((unused)) static void *test_failing_allocate(void *user, size_t bytes) {
    test_failing *f = user;
    if (atomic_fetch_add(&f->calls, 1) == atomic_load(&f->fail_at)) return NULL;
    void *block = malloc(bytes);
    if (block) atomic_fetch_add(&f->live, 1);
    return block;
}

__attribute__((unused)) static void test_failing_release(void *user, void *block) {
    test_failing *f = user;
    if (block) atomic_fetch_sub(&f->live, 1);
    free(block);
}

/* From now on call number k (0, 1, ...) fails; returns the number of blocks alive. */
__attribute__((unused)) static long test_failing_arm(test_failing *f, long k) {
    atomic_store(&f->calls, 0);
#ifdef __SANITIZE_THREAD__
    k += k * k / 8;
#endif
    atomic_store(&f->fail_at, k);
    return atomic_load(&f->live);
}

/* No more failures; returns 1 when the chosen call was reached. */
__attribute__((unused)) static int test_failing_disarm(test_failing *f) {
    long k = atomic_exchange(&f->fail_at, -1);
    return atomic_load(&f->calls) > k;
}

/* A context that lives on this allocator, disarmed. */
__attribute__((unused)) static cafe_context *test_failing_context(test_failing *f,
                                                                  int32_t threads) {
    cafe_context_options options;
    cafe_context *context = NULL;
    atomic_init(&f->calls, 0);
    atomic_init(&f->fail_at, -1);
    atomic_init(&f->live, 0);
    cafe_context_options_init(&options);
    options.threads = threads;
    options.allocator = (cafe_allocator){test_failing_allocate, test_failing_release, f};
    assert_int_equal(cafe_context_create(&options, &context), CAFE_OK);
    cafe_lab_add(context);
    return context;
}

/* After a call: a met failure must come back as CAFE_ERROR_MEMORY with a text and nothing leaked;
 * without one the call must have succeeded. */
__attribute__((unused)) static void test_failing_expect(test_failing *f, cafe_status status,
                                                        int failed, long live,
                                                        const cafe_context *context) {
    if (!failed) {
        assert_int_equal(status, CAFE_OK);
        return;
    }
    assert_int_equal(status, CAFE_ERROR_MEMORY);
    assert_true(cafe_error(context)[0] != 0);
    assert_int_equal(atomic_load(&f->live), live);
}

#endif
