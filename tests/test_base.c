/* The base layer: pool, cancel, fork, progress, memory, options, random numbers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "dense.h"
#include "failing.h"

enum { TASKS = 1000 };

typedef struct counters {
    atomic_int done[TASKS];
    cafe_context *context;
    int cancel_at;
    atomic_int followed;
} counters;

static void count_task(void *argument, int64_t task, int32_t worker) {
    counters *c = argument;
    assert_true(worker >= 0 && worker < cafe_threads(c->context));
    atomic_fetch_add(&c->done[task], 1);
    if (task == c->cancel_at) cafe_cancel(c->context);
}

static void every_task_runs_once(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= 8; threads++) {
        counters *c = calloc(1, sizeof *c);
        c->context = test_context(threads, 1);
        c->cancel_at = -1;
        for (int round = 1; round <= 20; round++) {
            assert_int_equal(cafe_parallel(c->context, TASKS, count_task, c), CAFE_OK);
            for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&c->done[i]), round);
        }
        assert_int_equal(cafe_parallel(c->context, 0, count_task, c), CAFE_OK);
        cafe_context_free(c->context);
        free(c);
    }
}

/* Every task of a stage sees that all of the stage before have ended. */
static void count_span(void *argument, int64_t first, int64_t last, int32_t worker) {
    counters *c = argument;
    for (int64_t i = first; i < last; i++) count_task(c, i, worker);
}

static void follow_span(void *argument, int64_t first, int64_t last, int32_t worker) {
    counters *c = argument;
    int done = atomic_load(&c->done[0]);
    (void)worker;
    for (int64_t i = 0; i < TASKS; i++) assert_true(atomic_load(&c->done[i]) >= done);
    for (int64_t i = first; i < last; i++) assert_in_range(i, 0, TASKS / 10 - 1);
    atomic_fetch_add(&c->followed, (int)(last - first));
}

static void stages_follow_one_another(void **state) {
    (void)state;
    for (int32_t threads = 1; threads <= 8; threads++) {
        counters *c = calloc(1, sizeof *c);
        cafe_stage stages[] = {{TASKS, count_span, c},
                               {TASKS / 10, follow_span, c},
                               {0, count_span, c},
                               {TASKS, count_span, c}};
        c->context = test_context(threads, 1);
        c->cancel_at = -1;
        for (int round = 1; round <= 20; round++) {
            assert_int_equal(cafe_stages(c->context, 4, stages), CAFE_OK);
            for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&c->done[i]), 2 * round);
            assert_int_equal(atomic_load(&c->followed), round * TASKS / 10);
        }
        c->cancel_at = TASKS / 2;
        assert_int_equal(cafe_stages(c->context, 4, stages), CAFE_ERROR_CANCELLED);
        assert_int_equal(atomic_load(&c->followed), 20 * TASKS / 10);
        cafe_context_free(c->context);
        free(c);
    }
}

static void mark_item(void *argument, int64_t item) {
    atomic_fetch_add(&((counters *)argument)->done[item], 1);
}

static void mark_range(void *argument, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++) mark_item(argument, i);
}

/* Terms of very different size: their sum depends on the order. */
static void add_terms(void *argument, int64_t first, int64_t last, double *sums) {
    mark_range(argument, first, last);
    for (int64_t i = first; i < last; i++) {
        sums[0] += 1e17 / (double)(i * i + 1);
        sums[1] += 1 / (double)(i + 1);
    }
}

/* Every item once, the last range what is left, and sums in one order for any number of threads. */
static void items_ranges_and_sums(void **state) {
    (void)state;
    double expected[2] = {3, 0};
    for (int64_t first = 0; first < TASKS; first += 64) {
        double sums[2] = {0, 0};
        counters unused = {.context = NULL};
        add_terms(&unused, first, first + 64 < TASKS ? first + 64 : TASKS, sums);
        expected[0] += sums[0], expected[1] += sums[1];
    }
    for (int32_t threads = 1; threads <= 8; threads++) {
        counters *c = calloc(1, sizeof *c);
        double sums[2] = {3, 0};
        c->context = test_context(threads, 1);
        assert_int_equal(cafe_each(c->context, TASKS, mark_item, c), CAFE_OK);
        assert_int_equal(cafe_ranges(c->context, TASKS, 64, mark_range, c), CAFE_OK);
        assert_int_equal(cafe_sums(c->context, TASKS, 64, add_terms, c, 2, sums), CAFE_OK);
        for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&c->done[i]), 3);
        assert_memory_equal(sums, expected, sizeof sums);
        assert_int_equal(cafe_sums(c->context, 0, 64, add_terms, c, 2, sums), CAFE_OK);
        assert_memory_equal(sums, expected, sizeof sums);
        cafe_context_free(c->context);
        free(c);
    }
}

static void cancel_skips_the_rest(void **state) {
    (void)state;
    counters *c = calloc(1, sizeof *c);
    c->context = test_context(2, 1);
    c->cancel_at = 10;
    int done = 0;
    assert_int_equal(cafe_parallel(c->context, TASKS, count_task, c), CAFE_ERROR_CANCELLED);
    for (int i = 0; i < TASKS; i++) done += atomic_load(&c->done[i]);
    assert_true(done >= 1 && done < TASKS);
    cafe_reset_cancel(c->context);
    c->cancel_at = -1;
    assert_int_equal(cafe_parallel(c->context, TASKS, count_task, c), CAFE_OK);
    cafe_context_free(c->context);
    free(c);
}

/* A child made by fork() has no worker threads; the pool starts new ones. */
static void works_after_fork(void **state) {
    (void)state;
#if defined(__SANITIZE_THREAD__)
    print_message("skipped: the thread sanitizer does not follow new threads after fork()\n");
    skip();
#endif
#if defined(TEST_EMULATED)
    print_message("skipped: qemu itself stops at new threads after fork()\n");
    skip();
#endif
    counters *c = calloc(1, sizeof *c);
    c->context = test_context(3, 1);
    c->cancel_at = -1;
    assert_int_equal(cafe_parallel(c->context, TASKS, count_task, c), CAFE_OK);
    pid_t child = fork();
    if (child == 0) {
        alarm(300);
        int ok = cafe_parallel(c->context, TASKS, count_task, c) == CAFE_OK;
        for (int i = 0; i < TASKS; i++) ok = ok && atomic_load(&c->done[i]) == 2;
        cafe_context_free(c->context);
        _exit(ok ? 0 : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_int_equal(cafe_parallel(c->context, TASKS, count_task, c), CAFE_OK);
    cafe_context_free(c->context);
    free(c);
}

static void memory_is_counted(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    int64_t before = cafe_bytes(context);
    char *small = cafe_mem(context, 10, 1), *large = cafe_mem_zero(context, 5 << 20, 1);
    assert_int_equal((uintptr_t)small % 64, 0);
    assert_int_equal((uintptr_t)large % (2 << 20), 0);
    assert_int_equal(cafe_bytes(context) - before, 10 + (5 << 20));
    memcpy(small, "012345678", 10);
    small = cafe_mem_resize(context, small, 20, 1);
    assert_string_equal(small, "012345678");
    cafe_mem_free(context, large);
    cafe_mem_free(context, small);
    cafe_mem_free(context, NULL);
    assert_int_equal(cafe_bytes(context), before);
    assert_true(cafe_peak_bytes(context) >= before + 10 + (5 << 20));
    /* the process has held this program at least, and may have some more */
    assert_true(cafe_memory_peak() > 100000 && cafe_memory_available() > 0);
    assert_null(cafe_mem(context, INT64_MAX / 4, 16));
    assert_null(cafe_mem(context, -1, 1));
    assert_true(strlen(cafe_error(context)) > 0);
    cafe_context_free(context);
}

/* What a limit leaves is not the limit: the process has taken some of it. */
static int64_t pages_there(char *block, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = (bytes + page - 1) / page;
    unsigned char *there = malloc(count);
    int64_t sum = 0;
    assert_int_equal(mincore(block, bytes, there), 0);
    for (size_t i = 0; i < count; i++) sum += there[i] & 1;
    free(there);
    return sum;
}

/* All pages of a large block, and what was written before stays; small ones are left alone. */
static void pages_are_made(void **state) {
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = ((size_t)40 << 20) + 5 * page;
    for (int32_t threads = 1; threads <= 3; threads++) {
        cafe_context *context = test_context(threads, 1);
        char *block = cafe_mem(context, (int64_t)bytes, 1), *small = cafe_mem(context, 100, 1);
        assert_true(pages_there(block, bytes) < (int64_t)(bytes / page));
        cafe_mem_touch(context, block);
        if (threads > 1) assert_int_equal(pages_there(block, bytes), bytes / page);
        memcpy(small, "012345678", 10);
        cafe_mem_touch(context, small);
        assert_string_equal(small, "012345678");
        cafe_mem_free_all(context, block, small);
        cafe_context_free(context);
    }
}

static void limits_leave_less(void **state) {
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: sanitizers reserve terabytes of addresses\n");
    skip();
#endif
#if defined(TEST_EMULATED)
    print_message("skipped: qemu keeps limits of addresses to itself\n");
    skip();
#endif
    for (int i = 0; i < 2; i++) {
        struct rlimit old, limit;
        assert_int_equal(getrlimit(kinds[i], &old), 0);
        limit = (struct rlimit){(rlim_t)1 << 30, old.rlim_max};
        if (old.rlim_cur != RLIM_INFINITY || setrlimit(kinds[i], &limit) != 0) skip();
        int64_t left = cafe_memory_available();
        assert_int_equal(setrlimit(kinds[i], &old), 0);
        assert_in_range(left, 0, ((int64_t)1 << 30) - 65536);
    }
}

static void context_refuses_nonsense(void **state) {
    (void)state;
    cafe_context_options o;
    cafe_context *context;
    cafe_context_options_init(&o);
    o.threads = -1;
    assert_int_equal(cafe_context_create(&o, &context), CAFE_ERROR_ARGUMENT);
    cafe_context_options_init(&o);
    o.struct_size = 1;
    assert_int_equal(cafe_context_create(&o, &context), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_true(cafe_threads(context) >= 1);
    assert_int_equal(cafe_seed(context), 1);
    assert_string_equal(cafe_error(context), "");
    cafe_context_free(context);
    cafe_context_free(NULL);
}

static void context_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory = {0};
    cafe_context_options o;
    cafe_context_options_init(&o);
    o.threads = 2;
    o.allocator = (cafe_allocator){test_failing_allocate, test_failing_release, &memory};
    for (long k = 0;; k++) {
        cafe_context *context = NULL;
        test_failing_arm(&memory, k);
        cafe_status status = cafe_context_create(&o, &context);
        int failed = test_failing_disarm(&memory);
        if (!failed) {
            assert_int_equal(status, CAFE_OK);
            cafe_context_free(context);
            break;
        }
        assert_int_equal(status, CAFE_ERROR_MEMORY);
        assert_null(context);
    }
    assert_int_equal(atomic_load(&memory.live), 0);
}

static void progress_can_be_polled(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_progress p;
    cafe_get_progress(context, &p);
    assert_string_equal(p.phase, "");
    cafe_phase(context, "sweep", 7);
    cafe_step(context, 3, 0.5);
    cafe_get_progress(context, &p);
    assert_string_equal(p.phase, "sweep");
    assert_int_equal(p.step, 3);
    assert_int_equal(p.steps, 7);
    assert_true(p.value == 0.5);
    cafe_context_free(context);
}

/* The known answers of the Random123 distribution for Philox4x32-10. */
static void philox_gives_the_published_numbers(void **state) {
    (void)state;
    cafe_random4 zero = cafe_philox(0, 0, 0);
    const uint32_t expected[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    for (int i = 0; i < 4; i++) assert_int_equal(zero.v[i], expected[i]);
    cafe_random4 ones = cafe_philox(UINT64_MAX, UINT64_MAX, UINT64_MAX);
    const uint32_t all[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    for (int i = 0; i < 4; i++) assert_int_equal(ones.v[i], all[i]);
}

/* ---- options --------------------------------------------------------------------------------- */

static void options_have_their_defaults(void **state) {
    (void)state;
    const cafe_option_table *tables[] = {cafe_sphere_option_table(), cafe_finish_option_table(),
                                         cafe_graph_option_table(), cafe_generate_option_table()};
    cafe_context *context = test_context(1, 1);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        char memory[512];
        assert_true(tables[t]->struct_size <= sizeof memory);
        cafe_options_init(tables[t], memory, tables[t]->struct_size);
        TEST_OK(context, cafe_options_check(context, tables[t], memory));
        for (size_t i = 0; i < tables[t]->count; i++) {
            /* what a value prints as can be set again */
            const cafe_option *o = &tables[t]->options[i];
            char text[64];
            assert_true(o->offset + 4 <= tables[t]->struct_size);
            assert_true(cafe_options_text(o, memory, text, sizeof text) < sizeof text);
            double before = cafe_options_number(o, memory);
            TEST_OK(context, cafe_options_set(context, tables[t], memory, o->name, text));
            assert_true(cafe_options_number(o, memory) == before);
        }
    }
    cafe_context_free(context);
}

static void options_refuse_what_is_out_of_range(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"columns", "0"},      {"columns", "1.5"}, {"columns", "x"},   {"columns", ""},
        {"columns", "1e99"},   {"sweeps", "-1"},   {"tolerance", "2"}, {"tolerance", "nan"},
        {"tolerance", "0.1x"}, {"beta", "0"},      {"beta", "1.1"},    {"colums", "3"}};
    cafe_context *context = test_context(1, 1);
    const cafe_option_table *table = cafe_sphere_option_table();
    cafe_sphere_options o, untouched;
    cafe_sphere_options_init(&o);
    cafe_sphere_options_init(&untouched);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cafe_options_set(context, table, &o, bad[i][0], bad[i][1]),
                         CAFE_ERROR_ARGUMENT);
        assert_non_null(strstr(cafe_error(context), bad[i][0]));
        assert_memory_equal(&o, &untouched, sizeof o);
    }
    TEST_OK(context, cafe_options_set(context, table, &o, "columns", "1e2"));
    assert_int_equal(o.columns, 100);
    o.beta = NAN;
    assert_int_equal(cafe_options_check(context, table, &o), CAFE_ERROR_ARGUMENT);
    memset(&o, 0, sizeof o);
    assert_int_equal(cafe_options_check(context, table, &o), CAFE_ERROR_ARGUMENT);
    cafe_finish_options f;
    cafe_finish_options_init(&f);
    table = cafe_finish_option_table();
    TEST_OK(context, cafe_options_set(context, table, &f, "output-form", "ritz"));
    assert_int_equal(f.form, CAFE_FORM_RITZ);
    assert_int_equal(cafe_options_set(context, table, &f, "output-form", "rit"),
                     CAFE_ERROR_ARGUMENT);
    f.form = 9;
    assert_int_equal(cafe_options_check(context, table, &f), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

/* A program may have been built with an older, shorter struct, or with a newer, longer one. */
static void options_of_other_versions_are_taken(void **state) {
    (void)state;
    const cafe_option_table *table = cafe_sphere_option_table();
    cafe_context *context = test_context(1, 1);
    cafe_sphere_options own, whole;
    struct {
        cafe_sphere_options known;
        int64_t unknown[2];
    } newer;
    char older[sizeof whole];
    const size_t half = offsetof(cafe_sphere_options, beta);
    cafe_sphere_options_init(&whole);
    memset(older, 0x55, sizeof older);
    cafe_options_init(table, older, half);
    assert_int_equal(older[half], 0x55); /* nothing is written beyond the caller's size */
    ((cafe_sphere_options *)older)->columns = 7;
    TEST_OK(context, cafe_options_take(context, table, older, &own));
    assert_int_equal(own.columns, 7);
    assert_true(own.beta == whole.beta && own.columns_from == whole.columns_from);
    assert_int_equal(own.struct_size, sizeof own);
    TEST_OK(context, cafe_options_check(context, table, older));
    TEST_OK(context, cafe_options_set(context, table, older, "columns", "8"));
    assert_int_equal(cafe_options_set(context, table, older, "columns-from", "both"),
                     CAFE_ERROR_ARGUMENT);
    for (size_t i = 0; i < table->count; i++) /* what it does not hold has its default */
        if (table->options[i].offset >= half)
            assert_true(cafe_options_number(&table->options[i], older) ==
                        table->options[i].initial);
    assert_int_equal(older[half], 0x55);
    cafe_options_init(table, &newer, sizeof newer);
    newer.known.columns = 9;
    TEST_OK(context, cafe_options_take(context, table, &newer, &own));
    assert_int_equal(own.columns, 9);
    newer.unknown[1] = 1;
    assert_int_equal(cafe_options_take(context, table, &newer, &own), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_options_take(context, table, NULL, &own));
    assert_memory_equal(&own, &whole, sizeof own);
    memset(&whole, 0, sizeof whole);
    assert_int_equal(cafe_options_take(context, table, &whole, &own), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void inputs_and_results_of_other_versions(void **state) {
    (void)state;
    typedef struct version {
        size_t struct_size;
        int64_t one, two;
    } version;
    cafe_context *context = test_context(1, 1);
    version own, given = {offsetof(version, two), 1, 2};
    TEST_OK(context, cafe_inputs_take(context, "a test", &given, &own, sizeof own));
    assert_true(own.one == 1 && own.two == 0 && own.struct_size == sizeof own);
    given.struct_size = sizeof given; /* longer than what the library knows */
    size_t less = offsetof(version, two);
    assert_int_equal(cafe_inputs_take(context, "a test", &given, &own, less), CAFE_ERROR_ARGUMENT);
    assert_string_equal(cafe_error(context),
                        "the inputs of a test ask for something that this "
                        "version of the library does not know");
    given.two = 0;
    TEST_OK(context, cafe_inputs_take(context, "a test", &given, &own, less));
    given.struct_size = 0;
    assert_int_equal(cafe_inputs_take(context, "a test", &given, &own, less), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_inputs_take(context, "a test", NULL, &own, sizeof own));
    assert_true(own.one == 0 && own.two == 0);

    version result = {sizeof result, 3, 4}, theirs = {7, 7, 7};
    cafe_struct_give(&result, sizeof result, &theirs, less);
    assert_true(theirs.one == 3 && theirs.two == 7); /* an older program's has no `two` */
    cafe_struct_give(&result, less, &theirs, sizeof theirs);
    assert_true(theirs.one == 3 && theirs.two == 0); /* a newer program's: not known is 0 */
    cafe_struct_give(&result, sizeof result, NULL, sizeof theirs);

    cafe_context_options older;
    cafe_context_options_init(&older);
    assert_true(older.seed == 1 && older.struct_size == sizeof older);
    older.struct_size = offsetof(cafe_context_options, allocator);
    memset(&older.allocator, 0x55, sizeof older.allocator); /* not read */
    cafe_context *made;
    assert_int_equal(cafe_context_create(&older, &made), CAFE_OK);
    cafe_context_free(made);
    cafe_context_free(context);
}

static void every_status_has_its_text(void **state) {
    (void)state;
    assert_string_equal(cafe_status_name(CAFE_ERROR_FORMAT), "CAFE_ERROR_FORMAT");
    assert_string_equal(cafe_status_message(CAFE_ERROR_FORMAT), "malformed input");
    assert_non_null(cafe_status_name((cafe_status)99));
    assert_non_null(cafe_status_message((cafe_status)99));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CAFE_VERSION_MAJOR, CAFE_VERSION_MINOR,
             CAFE_VERSION_PATCH);
    assert_string_equal(cafe_version(), version);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(stages_follow_one_another),
        cmocka_unit_test(items_ranges_and_sums),
        cmocka_unit_test(cancel_skips_the_rest),
        cmocka_unit_test(works_after_fork),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(pages_are_made),
        cmocka_unit_test(limits_leave_less),
        cmocka_unit_test(context_refuses_nonsense),
        cmocka_unit_test(context_survives_failing_memory),
        cmocka_unit_test(progress_can_be_polled),
        cmocka_unit_test(philox_gives_the_published_numbers),
        cmocka_unit_test(options_have_their_defaults),
        cmocka_unit_test(options_refuse_what_is_out_of_range),
        cmocka_unit_test(options_of_other_versions_are_taken),
        cmocka_unit_test(inputs_and_results_of_other_versions),
        cmocka_unit_test(every_status_has_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
