/* The Arrow stream: what a consumer finds in it, whatever it releases in whatever order, after the
 * context is gone; and the errno behind an error of files.
 */
#include <errno.h>
#include <string.h>

#include "failing.h"
#include "graphs.h"

static const float values[] = {1, 2, 3, 4, 5, 6};
static const char *const titles[] = {"x0", "x1"};
static const char *const texts[] = {"ann", "", "b\xc3\xb6rn"};
static const int64_t numbers[] = {7, -1, INT64_MAX};

static cafe_arrow_inputs make_inputs(int named) {
    cafe_arrow_inputs in;
    cafe_arrow_inputs_init(&in);
    in.rows = 3;
    in.columns = 2;
    in.values = values;
    in.titles = titles;
    in.key = "node";
    if (named) in.texts = texts;
    if (!named) in.numbers = numbers;
    return in;
}

static void check_schema(struct ArrowArrayStream *stream, const char *format) {
    struct ArrowSchema schema;
    assert_int_equal(stream->get_schema(stream, &schema), 0);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 3);
    assert_string_equal(schema.children[0]->format, format);
    assert_string_equal(schema.children[0]->name, "node");
    assert_string_equal(schema.children[2]->format, "f");
    assert_string_equal(schema.children[2]->name, "x1");
    schema.release(&schema);
    assert_null(schema.release);
}

static void check_texts(const struct ArrowArray *names) {
    const int64_t *offsets = names->buffers[1];
    const char *text = names->buffers[2];
    for (int i = 0; i < 3; i++) {
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        assert_int_equal(length, strlen(texts[i]));
        assert_memory_equal(text + offsets[i], texts[i], length);
    }
}

/* A column is moved out of the batch and lives on when all else was released. */
static void columns_outlive_everything(void **state) {
    (void)state;
    for (int named = 0; named < 2; named++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 1);
        struct ArrowArrayStream stream;
        struct ArrowArray batch, column, end;
        cafe_arrow_inputs in = make_inputs(named);
        TEST_OK(context, cafe_arrow_stream(context, &in, &stream));
        cafe_context_free(context);
        check_schema(&stream, named ? "U" : "l");
        check_schema(&stream, named ? "U" : "l"); /* consumers ask again */
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        assert_int_equal(batch.length, 3);
        assert_int_equal(batch.n_children, 3);
        if (named)
            check_texts(batch.children[0]);
        else
            assert_memory_equal(batch.children[0]->buffers[1], numbers, sizeof numbers);
        assert_int_equal(stream.get_next(&stream, &end), 0);
        assert_null(end.release);
        column = *batch.children[2];
        batch.children[2]->release = NULL;
        stream.release(&stream);
        batch.release(&batch);
        const float *x1 = column.buffers[1];
        assert_true(x1[0] == 2 && x1[1] == 4 && x1[2] == 6);
        assert_null(column.buffers[0]);
        column.release(&column);
        assert_int_equal(memory.live, 0);
    }
}

static void refusals(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    struct ArrowArrayStream stream;
    cafe_arrow_inputs in = make_inputs(1);
    (void)state;
    in.numbers = numbers; /* both */
    assert_int_equal(cafe_arrow_stream(context, &in, &stream), CAFE_ERROR_ARGUMENT);
    assert_null(stream.release);
    in = make_inputs(1);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_arrow_stream(context, &in, &stream);
        int failed = test_failing_disarm(&memory);
        if (status == CAFE_OK) stream.release(&stream);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_context_free(context);
}

static void errors_have_numbers(void **state) {
    cafe_context *context;
    cafe_graph *graph;
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    assert_int_equal(cafe_error_number(context), 0);
    assert_int_equal(cafe_graph_read(context, "no/such.txt", NULL, &graph), CAFE_ERROR_IO);
    assert_int_equal(cafe_error_number(context), ENOENT);
    assert_int_equal(cafe_graph_read(context, "/dev/null/x", NULL, &graph), CAFE_ERROR_IO);
    assert_int_equal(cafe_error_number(context), ENOTDIR);
    assert_int_equal(cafe_graph_from_csr(context, -1, NULL, NULL, NULL, 0, NULL, &graph),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_error_number(context), 0);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_outlive_everything),
        cmocka_unit_test(refusals),
        cmocka_unit_test(errors_have_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
