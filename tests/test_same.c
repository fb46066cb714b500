/* Processes that were started together and were not given one run: all of them fail, with the first
 * difference.
 */
#define _GNU_SOURCE
#include <cafe-private/team.h>

#include "method/model.h"
#include "team.h"

typedef struct told {
    const char *texts[3];
    const char *error; /* that all get; NULL: none */
} told;

static void compare_texts(team_member *m, void *argument) {
    const told *t = argument;
    cafe_status status = cafe_team_same(m->context, t->texts[m->team.rank]);
    assert_int_equal(status, t->error ? CAFE_ERROR_ARGUMENT : CAFE_OK);
    assert_int_equal(cafe_engine_agreed(m->context), t->error != NULL);
    if (t->error) assert_string_equal(cafe_error(m->context), t->error);
}

static void the_first_line_that_differs_is_named(void **state) {
    told cases[] = {
        {{"a 1\nb 2\n", "a 1\nb 2\n", "a 1\nb 2\n"}, NULL},
        {{"", "", ""}, NULL},
        {{"a 1\nb 2\n", "a 1\nb 2\n", "a 1\nb 3\n"}, "rank 2 was given b 3, rank 0 b 2"},
        {{"a 1\nb 2\n", "a 10\nb 2\n", "c\n"}, "rank 1 was given a 10, rank 0 a 1"},
        {{"a", "a", "ab"}, "rank 2 was given ab, rank 0 a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) team_run(3, compare_texts, &cases[i]);
}

typedef struct solving {
    uint64_t seed;   /* of the last process */
    int64_t columns; /* likewise */
    const char *error;
} solving;

static void solve(team_member *m, void *argument) {
    const solving *s = argument;
    bool last = m->team.rank == m->team.ranks - 1;
    cafe_sphere_options own;
    cafe_method_options options;
    cafe_model *model = NULL;
    cafe_solution *solution = NULL;
    m->context->team = NULL; /* the graph is everyone's own */
    cafe_graph *graph = test_karate(m->context);
    cafe_sphere_options_init(&own);
    cafe_method_options_init(&options);
    own.columns = last ? s->columns : 4;
    options.own = &own;
    m->context->seed = last ? s->seed : 1;
    assert_int_equal(cafe_model_create(m->context, graph, NULL, &options, NULL, &model), CAFE_OK);
    m->context->team = &m->team;
    assert_int_equal(cafe_model_solve(m->context, model, NULL, &options, NULL, &solution, NULL),
                     CAFE_ERROR_ARGUMENT);
    assert_string_equal(cafe_error(m->context), s->error);
    m->context->team = NULL;
    cafe_model_free(model);
    cafe_graph_free(graph);
}

static void runs_that_differ_are_not_solved(void **state) {
    solving seeds = {5, 4, "rank 2 was given seed 5, rank 0 seed 1"};
    solving columns = {1, 9, "rank 2 was given columns 9, rank 0 columns 4"};
    (void)state;
    team_run(3, solve, &seeds);
    team_run(3, solve, &columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_that_differs_is_named),
        cmocka_unit_test(runs_that_differ_are_not_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
