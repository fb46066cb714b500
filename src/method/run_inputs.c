/* What a run is given: the callers' structs taken, what does not fit together refused, the number
 * of columns settled.
 */
#include <string.h>

#include <cafe-private/run.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/processes.h"
#include "method/method.h"
#include "solve/checkpoint.h"

cafe_status cafe_method_take(cafe_context *context, const cafe_method_options *options,
                             const cafe_method_inputs *inputs, cafe_method_options *own_options,
                             cafe_method_inputs *own_inputs) {
    CAFE_PASS(cafe_inputs_take(context, "a method", options, own_options, sizeof *own_options));
    return cafe_inputs_take(context, "a method", inputs, own_inputs, sizeof *own_inputs);
}

/* ---- columns --------------------------------------------------------------------------------- */

const cafe_option *cafe_table_find(const cafe_option_table *table, const char *name) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return &table->options[i];
    return NULL;
}

/* Where options of this table keep K; NULL: they have none. */
static int64_t *columns_of(const cafe_option_table *table, void *own) {
    const cafe_option *option = cafe_table_find(table, "columns");
    return option ? (int64_t *)((char *)own + option->offset) : NULL;
}

int64_t cafe_method_columns(const cafe_option_table *table, const void *own) {
    const cafe_option *option = cafe_table_find(table, "columns");
    return option ? (int64_t)cafe_options_number(option, own) : 0;
}

static cafe_status check_columns(cafe_context *context, int64_t columns,
                                 const cafe_method_inputs *inputs) {
    if (inputs->start && inputs->start_columns != columns)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the start vectors have %lld columns, and " CAFE_OPT("columns") " is %lld",
                         (long long)inputs->start_columns, (long long)columns);
    if (inputs->labels && columns < inputs->classes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the labels have %lld classes: " CAFE_OPT("columns") " is %lld, too few",
                         (long long)inputs->classes, (long long)columns);
    return CAFE_OK;
}

static cafe_status settle(cafe_context *context, const cafe_method *method,
                          const cafe_option_table *table, const cafe_method_options *options,
                          const cafe_method_inputs *inputs, int64_t nodes, void *own,
                          int64_t *cut) {
    cafe_status status = cafe_options_take(context, table, options->own, own);
    int64_t *columns = columns_of(table, own);
    *cut = 0;
    if (status != CAFE_OK || !columns) return status;
    if (options->free_columns && inputs->start)
        *columns = inputs->start_columns;
    else if (options->free_columns && inputs->labels)
        *columns = inputs->classes;
    status = check_columns(context, *columns, inputs);
    int64_t most = method->code->centred && nodes > 1 ? nodes - 1 : nodes;
    if (status != CAFE_OK || inputs->start || *columns <= most || nodes < 1) return status;
    *cut = *columns - most;
    *columns = most;
    return CAFE_OK;
}

/* ---- what a method takes --------------------------------------------------------------------- */

/* "a|b" of the methods that take `takes`, for vectors or for communities. */
static void list_methods(const cafe_context *context, bool communities, uint32_t takes, char *text,
                         size_t capacity) {
    size_t count, used = 0;
    const cafe_method *const *all = cafe_methods(context, &count);
    text[0] = 0;
    for (size_t i = 0; i < count && used < capacity; i++)
        if ((all[i]->takes & takes) &&
            (communities ? all[i]->communities != NULL : all[i]->vectors != NULL))
            used += (size_t)cafe_print(text + used, capacity - used, "%s%s", used ? "|" : "",
                                       all[i]->name);
}

static cafe_status refuse_input(cafe_context *context, const cafe_method *method, bool communities,
                                const char *name, uint32_t takes) {
    char others[256];
    list_methods(context, communities, takes, others, sizeof others);
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("%s") " does not go with " CAFE_OPT(
                         "method=%s") ", but with " CAFE_OPT("method=%s"),
                     name, method->name, others);
}

cafe_status cafe_method_check_inputs(cafe_context *context, const cafe_method *method,
                                     cafe_given given) {
    uint32_t takes = method->takes;
    if (given.labels && !(takes & CAFE_TAKES_LABELS))
        return refuse_input(context, method, given.communities, "labels", CAFE_TAKES_LABELS);
    if (!given.labels && (takes & CAFE_NEEDS_LABELS))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("method=%s") " needs " CAFE_OPT("labels"), method->name);
    if (given.start && !(takes & CAFE_TAKES_START))
        return refuse_input(context, method, given.communities, "start", CAFE_TAKES_START);
    if (given.partition && !(takes & CAFE_TAKES_PARTITION))
        return refuse_input(context, method, given.communities, "start", CAFE_TAKES_PARTITION);
    if (given.features && !(takes & CAFE_TAKES_FEATURES))
        return refuse_input(context, method, given.communities, "features", CAFE_TAKES_FEATURES);
    if (given.keep && !given.partition)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("keep") " needs " CAFE_OPT("start"));
    if (given.checkpoint && !(takes & CAFE_TAKES_CHECKPOINT))
        return refuse_input(context, method, given.communities, "checkpoint",
                            CAFE_TAKES_CHECKPOINT);
    return CAFE_OK;
}

static cafe_status check_inputs(cafe_context *context, const cafe_method *method, bool communities,
                                const cafe_method_inputs *inputs) {
    return cafe_method_check_inputs(context, method,
                                    (cafe_given){.communities = communities,
                                                 .labels = inputs->labels != NULL,
                                                 .start = inputs->start != NULL,
                                                 .partition = inputs->partition != NULL,
                                                 .keep = inputs->keep_count > 0,
                                                 .features = inputs->features != NULL,
                                                 .checkpoint = context->checkpoint != NULL});
}

cafe_status cafe_method_settle(cafe_context *context, const cafe_method *method,
                               const cafe_option_table *table, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, int64_t nodes, void *own) {
    cafe_method_options o;
    cafe_method_inputs in;
    int64_t cut;
    CAFE_PASS(cafe_method_take(context, options, inputs, &o, &in));
    method = cafe_method_or_first(method, false);
    CAFE_PASS(check_inputs(context, method, !method->vectors, &in));
    return settle(context, method, table, &o, &in, nodes, own, &cut);
}

/* ---- a job ----------------------------------------------------------------------------------- */

static cafe_status find_table(cafe_context *context, const cafe_method *m, bool communities,
                              const cafe_option_table **table) {
    if (communities ? !m->communities : !m->vectors)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s finds no %s", m->name,
                         communities ? "communities" : "vectors");
    *table = communities ? m->communities() : m->vectors();
    return CAFE_OK;
}

/* Several processes: whatever program they run, they are to be given one run. */
static cafe_status compare(cafe_context *context, const cafe_option_table *table, const void *own,
                           const cafe_job *job) {
    cafe_keeper_inputs inputs = {job->inputs.start, job->inputs.start_columns, job->inputs.labels};
    cafe_status status = CAFE_OK;
    char *text = NULL;
    if (!context->team || !own) return CAFE_OK;
    CAFE_TRY(cafe_team_agree(context,
                             cafe_run_text(context, job->model->op, table, own, inputs, &text)));
    status = cafe_team_same(context, text);
done:
    cafe_mem_free(context, text);
    return status;
}

cafe_status cafe_job_open(cafe_context *context, const cafe_model *model, const cafe_method *method,
                          bool communities, const cafe_method_options *options,
                          const cafe_method_inputs *inputs, cafe_job *job) {
    const cafe_option_table *table = NULL;
    if (!method) method = model->method;
    CAFE_PASS(find_table(context, method, communities, &table));
    job->model = model;
    job->method = method;
    CAFE_PASS(cafe_method_take(context, options, inputs, &job->options, &job->inputs));
    CAFE_PASS(check_inputs(context, method, communities, &job->inputs));
    job->own = cafe_mem(context, 1, table->struct_size);
    CAFE_PASS(cafe_mem_had(job->own));
    CAFE_PASS(settle(context, method, table, &job->options, &job->inputs,
                     cafe_graph_nodes(model->graph), job->own, &job->cut));
    CAFE_PASS(compare(context, table, job->own, job));
    return compare(context, cafe_finish_option_table(), job->options.finish, job);
}

void cafe_job_close(cafe_context *context, cafe_job *job) {
    cafe_mem_free(context, job->own);
}
