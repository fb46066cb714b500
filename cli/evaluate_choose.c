/* --choose: a grid of settings, from which the training nodes of every split choose.
 *
 * "theta=1,3:window=2,3" is each value of the one with each of the other. Names are those of the
 * method's options, of its sampling and of the finish; the library checks the values.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

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

/* ---- one combination ------------------------------------------------------------------------- */

static int refuse(const evaluate_job *job, cafe_status status) {
    if (status == CAFE_OK) return CLI_OK;
    return cli_usage_error(job->run->command, "--choose: %s", cafe_error(job->run->context));
}

/* Combination `number` of the grid, the last setting changing fastest; text: "theta=1 window=2". */
static int set_combination(evaluate_job *job, const grid *g, int64_t number, cafe_run *of,
                           char *text, size_t room) {
    int64_t left = g->size;
    text[0] = 0;
    for (int64_t i = 0; i < g->count; i++) {
        char name[64], value[64];
        left /= g->at[i].count;
        snprintf(name, sizeof name, "%.*s", (int)g->at[i].length, g->at[i].name);
        copy_value(&g->at[i], number / left % g->at[i].count, value, sizeof value);
        CLI_TRY(refuse(job, cafe_run_set(of, name, value)));
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%s=%s", used ? " " : "", name, value);
    }
    return refuse(job, cafe_run_check(of));
}

int evaluate_choices_check(evaluate_job *job) {
    char text[256];
    grid g;
    if (!parse_grid(job->choose, &g))
        return cli_usage_error(job->run->command,
                               "--choose takes a list such as theta=1,3:sweeps=5,10, of at most %d "
                               "combinations, not '%s'",
                               MOST_CHOICES, job->choose);
    job->choices = calloc((size_t)g.size, sizeof *job->choices);
    if (!job->choices) return cli_error(job->run, CLI_RESOURCES, "out of memory");
    for (int64_t i = 0; i < g.size; i++) {
        evaluate_choice *c = &job->choices[job->choice_count++];
        CLI_TRY(evaluate_open(job, &c->source.of));
        CLI_TRY(set_combination(job, &g, i, c->source.of, text, sizeof text));
        c->text = strdup(text);
    }
    return CLI_OK;
}

/* ---- at work --------------------------------------------------------------------------------- */

int evaluate_choices_prepare(evaluate_job *job, bool again) {
    const void **others = cli_new(job->run, job->choice_count, sizeof *others);
    if (!others) return CLI_RESOURCES;
    for (int64_t i = 0; i < job->choice_count; i++) {
        evaluate_choice *c = &job->choices[i];
        CLI_TRY(evaluate_make(job, i > 0 ? c[-1].source.of : NULL, again, &c->source));
        c->features = evaluate_features(&c->source, again);
    }
    for (int64_t i = 1; i < job->choice_count; i++) others[i - 1] = &job->choices[i].features;
    job->choices[0].features.choices = others;
    job->choices[0].features.choice_count = job->choice_count - 1;
    return CLI_OK;
}

void evaluate_choices_free(evaluate_job *job) {
    for (int64_t i = 0; i < job->choice_count; i++) {
        evaluate_source_free(&job->choices[i].source);
        free(job->choices[i].text);
    }
    free(job->choices);
}
