/* Options of a run: set one by one, then checked together. */
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/run.h>

#include "base/print.h"
#include "method/method.h"
#include "run/run.h"

/* ---- one option ------------------------------------------------------------------------------ */

static const cafe_option *find(const run_table *t, const char *name, size_t *index) {
    for (*index = 0; t->table && *index < t->table->count; ++*index)
        if (strcmp(t->table->options[*index].name, name) == 0) return &t->table->options[*index];
    return NULL;
}

static cafe_status set_sampling(cafe_run *run, const char *text) {
    char names[128] = "";
    size_t used = 0;
    for (size_t i = 0; cafe_sampler_at(i); i++) {
        const cafe_sampler *row = cafe_sampler_at(i);
        used += (size_t)cafe_print(names + used, sizeof names - used, "%s%s", used ? "|" : "",
                                   row->name);
        if (strcmp(row->name, text) != 0) continue;
        run->options.sampling = row->sampling;
        return CAFE_OK;
    }
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("sampling") " takes one of %s, not '%s'", names, text);
}

static cafe_status set_propagate(cafe_run *run, const char *text) {
    bool yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("propagate") " takes yes or no, not '%s'", text);
    run->propagate = yes;
    return CAFE_OK;
}

cafe_status cafe_run_set(cafe_run *run, const char *name, const char *text) {
    size_t index;
    CAFE_PASS(cafe_run_change(run));
    if (strcmp(name, "sampling") == 0 && run->tables[RUN_SAMPLE].table)
        return set_sampling(run, text);
    if (strcmp(name, "propagate") == 0 && run->tables[RUN_PROPAGATE].table)
        return set_propagate(run, text);
    bool communities = run->purpose == CAFE_PURPOSE_COMMUNITIES;
    if (communities && (strcmp(name, "bound") == 0 || strcmp(name, "bound-file") == 0))
        return cafe_run_set_bound(run, name, text);
    if (strcmp(name, "partition") == 0) return cafe_run_set_partition(run, text);
    for (int i = 0; i < RUN_TABLES; i++) {
        run_table *t = &run->tables[i];
        if (!find(t, name, &index)) continue;
        t->given[index] = true;
        return cafe_options_set(run->context, t->table, t->values, name, text);
    }
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, "the method %s has no option '%s'",
                     run->method->name, name);
}

/* ---- options together ------------------------------------------------------------------------ */

bool cafe_run_is_given(const cafe_run *run, int table, const char *name) {
    size_t index;
    return find(&run->tables[table], name, &index) && run->tables[table].given[index];
}

bool cafe_run_chose_columns(const cafe_run *run) {
    return cafe_run_is_given(run, RUN_OWN, "columns");
}

/* Refuses an option of a table that was set, for the name's sake: "X goes with WHAT". */
static cafe_status refuse(cafe_run *run, int table, const char *name, const char *what) {
    if (!cafe_run_is_given(run, table, name)) return CAFE_OK;
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, CAFE_OPT("%s") " goes with %s", name, what);
}

/* The form is the method's own unless another was set. */
static cafe_status check_finish(cafe_run *run) {
    const cafe_option_table *filter = cafe_propagate_option_table();
    if (!run->tables[RUN_FINISH].table) return CAFE_OK;
    if (run->finish.form != CAFE_FORM_SCALED) {
        CAFE_PASS(refuse(run, RUN_FINISH, "scale-exponent", CAFE_OPT("output-form=scaled")));
        CAFE_PASS(refuse(run, RUN_FINISH, "scale-shortest", CAFE_OPT("output-form=scaled")));
    }
    if (run->finish.residual == 0)
        CAFE_PASS(refuse(run, RUN_FINISH, "residual-steps", CAFE_OPT("residual")));
    for (size_t i = 0; i < filter->count && !run->propagate; i++)
        CAFE_PASS(refuse(run, RUN_PROPAGATE, filter->options[i].name, CAFE_OPT("propagate")));
    return CAFE_OK;
}

/* Options of another sampling, and files that it does not read, were given for a reason. */
static cafe_status check_sampler(cafe_run *run, const cafe_sampler *row) {
    const cafe_option_table *table = run->tables[RUN_SAMPLE].table;
    const char *name = NULL;
    for (size_t i = 0; i < table->count && !name; i++)
        if (run->tables[RUN_SAMPLE].given[i] && !cafe_sampler_has(row, table->options[i].name))
            name = table->options[i].name;
    bool attributes = run->given.attributes || run->given.attributes_path;
    if (attributes && !row->attributes) name = "attributes";
    if ((run->given.seeds || run->given.seeds_path) && !row->seeds) name = "seeds";
    if (!attributes && row->attributes)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("sampling=%s") " needs " CAFE_OPT("attributes"), row->name);
    if (!name) return CAFE_OK;
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("%s") " does not go with " CAFE_OPT("sampling=%s"), name, row->name);
}

/* A method that sees the graph itself reads no data of a sampling. */
static cafe_status refuse_data(cafe_run *run) {
    bool attributes = run->given.attributes || run->given.attributes_path;
    if (!attributes && !run->given.seeds && !run->given.seeds_path) return CAFE_OK;
    return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("%s") " does not go with " CAFE_OPT("method=%s"),
                     attributes ? "attributes" : "seeds", run->method->name);
}

static cafe_status check_sample(cafe_run *run) {
    if (!run->tables[RUN_SAMPLE].table) return refuse_data(run);
    CAFE_PASS(check_sampler(run, cafe_sampler_of((cafe_sampling)run->options.sampling)));
    if (run->sample.degree_exponent < 0)
        run->sample.degree_exponent = cafe_null_exponent(run->method, &run->sample);
    run->sample.aim = cafe_run_is_given(run, RUN_SAMPLE, "twist-mean");
    if (run->sample.aim && cafe_run_is_given(run, RUN_SAMPLE, "lambda"))
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         "give " CAFE_OPT("lambda") " or " CAFE_OPT("twist-mean") ", not both");
    return CAFE_OK;
}

static void point_options(cafe_run *run) {
    cafe_method_options *o = &run->options;
    o->own = run->tables[RUN_OWN].values;
    o->sample = run->tables[RUN_SAMPLE].table ? &run->sample : NULL;
    o->finish = run->tables[RUN_FINISH].table ? &run->finish : NULL;
    o->features = run->tables[RUN_FEATURES].table ? &run->features : NULL;
    o->propagate = run->propagate ? &run->propagation : NULL;
    o->free_columns = !cafe_run_is_given(run, RUN_OWN, "columns");
}

/* The columns as the labels, the start vectors and the number of nodes say. The report keeps the
 * number that was asked for. */
static cafe_status settle_columns(cafe_run *run) {
    const run_table *own = &run->tables[RUN_OWN];
    int64_t nodes = run->counts.nodes, asked = cafe_method_columns(own->table, own->values);
    CAFE_PASS(cafe_method_settle(run->context, run->method, own->table, &run->options, &run->inputs,
                                 nodes, run->settled));
    int64_t columns = cafe_method_columns(own->table, run->settled);
    run->forecast.columns = columns;
    if (run->inputs.labels || run->inputs.start)
        memcpy(own->values, run->settled, own->table->struct_size);
    else if (columns < asked && cafe_run_chose_columns(run))
        return cafe_run_warn(run, "%lld columns asked for, cut to %lld: the graph has %lld node%s",
                             (long long)asked, (long long)columns, (long long)nodes,
                             nodes == 1 ? "" : "s");
    return CAFE_OK;
}

cafe_status cafe_run_check(cafe_run *run) {
    const cafe_run_inputs *in = &run->given;
    cafe_given given = {.communities = run->purpose == CAFE_PURPOSE_COMMUNITIES,
                        .labels = in->labels || in->labels_path,
                        .start = in->start || in->start_path,
                        .partition = in->partition || in->partition_path,
                        .keep = in->keep_count > 0 || in->keep_path,
                        .features = in->features || in->features_path,
                        .checkpoint = run->checkpoint != NULL};
    CAFE_PASS(check_finish(run));
    CAFE_PASS(check_sample(run));
    CAFE_PASS(cafe_method_check_inputs(run->context, run->method, given));
    CAFE_PASS(cafe_run_check_trials(run));
    CAFE_PASS(cafe_run_check_profile(run));
    if (!given.features)
        CAFE_PASS(refuse(run, RUN_FEATURES, "feature-weight", CAFE_OPT("features")));
    point_options(run);
    return CAFE_OK;
}

cafe_status cafe_run_settle(cafe_run *run) {
    if (run->is_settled) return CAFE_OK;
    if (!run->sized)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, "the run has no graph yet");
    CAFE_PASS(cafe_run_check(run));
    CAFE_PASS(settle_columns(run));
    run->is_settled = true;
    return CAFE_OK;
}
