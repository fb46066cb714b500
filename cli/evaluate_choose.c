/* --choose: a grid of settings, from which the training nodes of every split choose.
 *
 * "theta=1,3:window=2,3" is each value of the one with each of the other. Names are those of the
 * method's options, of its sampling and of the finish; the library checks the values.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "evaluate.h"

enum { MOST_SETTINGS = 8, MOST_CHOICES = 256 };

/* One name and its values, pieces of the list. */
typedef struct setting {
    const char *name, *values;
    size_t length; /* of the name */
    int64_t count; /* of the values */
} setting;

typedef struct grid {
    setting at[MOST_SETTINGS];
    int64_t count, size; /* settings; their combinations */
} grid;

/* ---- the list -------------------------------------------------------------------------------- */

static bool parse_grid(const char *list, grid *g) {
    *g = (grid){.size = 1};
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, "=:,");
        if (g->count == MOST_SETTINGS || length == 0 || at[length] != '=') return false;
        setting *s = &g->at[g->count++];
        *s = (setting){at, at + length + 1, length, 1};
        size_t values = strcspn(s->values, ":");
        for (size_t i = 0; i < values; i++) s->count += s->values[i] == ',';
        g->size *= s->count;
        if (values == 0 || g->size > MOST_CHOICES) return false;
        at = s->values + values;
        if (!*at) return true;
    }
}

/* The value with that number. */
static void copy_value(const setting *s, int64_t number, char *text, size_t room) {
    const char *at = s->values;
    for (; number > 0; number--) at += strcspn(at, ",") + 1;
    snprintf(text, room, "%.*s", (int)strcspn(at, ",:"), at);
}

bool evaluate_has_option(const cafe_option_table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return true;
    return false;
}

/* ---- one combination ------------------------------------------------------------------------- */

static int set_option(evaluate_job *job, cafe_context *context, cli_method *m, const char *name,
                      const char *value) {
    const cafe_option_table *samples = cafe_sample_option_table();
    const cafe_option_table *finish = cafe_finish_option_table();
    cafe_status status = CAFE_ERROR_ARGUMENT;
    if (evaluate_has_option(m->table, name))
        status = cafe_options_set(context, m->table, m->own, name, value);
    else if (cli_method_samples(m) && evaluate_has_option(samples, name))
        status = cafe_options_set(context, samples, &m->sampling.options, name, value);
    else if (evaluate_has_option(finish, name))
        status = cafe_options_set(context, finish, &m->finish, name, value);
    else
        return cli_usage_error(job->run->command, "--choose: --method %s has no setting '%s'",
                               cli_method_name(m), name);
    if (status == CAFE_OK) return CLI_OK;
    return cli_usage_error(job->run->command, "--choose: %s", cafe_error(context));
}

/* Combination `number` of the grid, the last setting changing fastest; text: "theta=1 window=2". */
static int set_combination(evaluate_job *job, cafe_context *context, const grid *g, int64_t number,
                           cli_method *m, char *text, size_t room) {
    int64_t left = g->size;
    text[0] = 0;
    for (int64_t i = 0; i < g->count; i++) {
        char name[64], value[64];
        left /= g->at[i].count;
        snprintf(name, sizeof name, "%.*s", (int)g->at[i].length, g->at[i].name);
        copy_value(&g->at[i], number / left % g->at[i].count, value, sizeof value);
        CLI_TRY(set_option(job, context, m, name, value));
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s=%s", used ? " " : "", name, value);
    }
    return CLI_OK;
}

int evaluate_choices_check(evaluate_job *job) {
    cafe_context_options options;
    cafe_context *context = NULL; /* for the texts of errors: the run has none yet */
    char text[256];
    grid g;
    int code = CLI_OK;
    if (!parse_grid(job->choose, &g))
        return cli_usage_error(job->run->command,
                               "--choose takes a list such as theta=1,3:sweeps=5,10, of at most %d "
                               "combinations, not '%s'",
                               MOST_CHOICES, job->choose);
    cafe_context_options_init(&options);
    options.threads = 1;
    if (cafe_context_create(&options, &context) != CAFE_OK)
        return cli_error(job->run, CLI_FAILED, "out of memory");
    for (int64_t i = 0; i < g.size && code == CLI_OK; i++) {
        cli_method m = job->method;
        code = set_combination(job, context, &g, i, &m, text, sizeof text);
    }
    cafe_context_free(context);
    return code;
}

/* ---- at work --------------------------------------------------------------------------------- */

static bool changes_sampling(const evaluate_choice *c, const evaluate_choice *from) {
    return memcmp(&c->method.sampling, &from->method.sampling, sizeof c->method.sampling) != 0;
}

/* The model of an earlier choice of the same sampling, or a new one. */
static int find_model(evaluate_job *job, evaluate_choice *c) {
    for (evaluate_choice *other = job->choices; other < c; other++)
        if (!changes_sampling(c, other)) {
            c->model = other->model;
            return CLI_OK;
        }
    return cli_model_make(job->run, &c->method, job->graph, &c->model);
}

static int prepare_choice(evaluate_job *job, const grid *g, bool again, evaluate_choice *c) {
    char text[256];
    c->method = job->method;
    CLI_TRY(set_combination(job, job->run->context, g, c - job->choices, &c->method, text,
                            sizeof text));
    c->text = strdup(text);
    CLI_TRY(find_model(job, c));
    if (!again) CLI_TRY(evaluate_embed(job, &c->method, c->model, &c->vectors, &c->columns));
    c->options = cli_method_options(&c->method);
    c->features = (cafe_features){.struct_size = sizeof c->features,
                                  .block = c->vectors,
                                  .columns = c->columns,
                                  .method = again ? c->method.row : NULL,
                                  .options = &c->options,
                                  .model = c->model};
    return CLI_OK;
}

int evaluate_choices_prepare(evaluate_job *job, bool again) {
    grid g;
    parse_grid(job->choose, &g);
    job->choices = calloc((size_t)g.size, sizeof *job->choices);
    const void **others = cli_new(job->run, g.size, sizeof *others);
    if (!job->choices || !others) return cli_error(job->run, CLI_FAILED, "out of memory");
    job->choice_count = g.size;
    for (int64_t i = 0; i < g.size; i++) CLI_TRY(prepare_choice(job, &g, again, &job->choices[i]));
    for (int64_t i = 1; i < g.size; i++) others[i - 1] = &job->choices[i].features;
    job->choices[0].features.choices = others;
    job->choices[0].features.choice_count = g.size - 1;
    return CLI_OK;
}

void evaluate_choices_free(evaluate_job *job) {
    for (int64_t i = 0; i < job->choice_count; i++) {
        evaluate_choice *c = &job->choices[i];
        bool shared = false;
        for (int64_t j = 0; j < i; j++) shared |= job->choices[j].model == c->model;
        if (!shared) cafe_model_free(c->model);
        free(c->vectors);
        free(c->text);
    }
    free(job->choices);
}
