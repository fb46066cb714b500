/* cafe predict --pairs: read the graph and the pairs, learn which pairs get an edge, write. */
#include <inttypes.h>
#include <math.h>

#include <cafe-private/changes.h>
#include <cafe-private/results.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "predict.h"
#include "report.h"

enum { CHECK = 4096 };

/* What is written: the run, and what was predicted. */
typedef struct written {
    cli_run *run;
    const predict_links *links;
} written;

int predict_links_check(const cli_run *run) {
    static const char *const others[] = {"labels",   "label",         "id", "embedding",
                                         "features", "probabilities", "by", "folds",
                                         "several",  "unknown-nodes"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_given(run->arguments, others[i]))
            return cli_usage_error("predict", "--%s does not go with --pairs", others[i]);
    return CLI_OK;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* A file of edges, over the nodes of the run's graph. */
static int read_over(cli_run *run, const char *path, const cafe_graph_options *options,
                     int64_t *lost, cafe_graph **over) {
    cafe_graph *read = NULL;
    CLI_TRY(cli_check(run, cafe_graph_read(run->context, path, options, &read)));
    cafe_status status = cafe_graph_over(run->context, run->graph, read, lost, over);
    cafe_graph_free(read);
    return cli_check(run, status);
}

static int read_inputs(cli_run *run, predict_links *l) {
    cafe_graph_options earlier = run->common.reading, pairs;
    earlier.more = NULL;
    earlier.more_count = 0;
    cafe_graph_options_init(&pairs);
    pairs.weights = 0;
    pairs.ids = run->common.reading.ids;
    pairs.bipartite = run->common.reading.bipartite;
    CLI_TRY(cli_read_graph(run, NULL));
    if (l->since) {
        CLI_TRY(read_over(run, l->since, &earlier, &l->earlier_lost, &l->earlier));
        cli_say(run, "since     %s: %" PRId64 " of the edges", l->since,
                cafe_graph_get_counts(l->earlier)->edges);
    }
    CLI_TRY(read_over(run, l->pairs_path, &pairs, &l->lost, &l->asked));
    l->count = cafe_graph_ends(l->asked, NULL, NULL);
    l->source = cli_new(run, l->count, sizeof *l->source);
    l->target = cli_new(run, l->count, sizeof *l->target);
    l->probability = cli_new(run, l->count, sizeof *l->probability);
    if (!l->source || !l->target || !l->probability) return CLI_RESOURCES;
    cafe_graph_ends(l->asked, l->source, l->target);
    if (l->lost > 0)
        cli_warn(run, "%s: %" PRId64 " pair%s of nodes that the graph does not have", l->pairs_path,
                 l->lost, cli_plural(l->lost));
    return CLI_OK;
}

static void say_figures(cli_run *run, const predict_links *l) {
    const cafe_link_figures *f = cafe_link_model_figures(l->model);
    cli_say(run, "learnt    from %" PRId64 " pairs that got an edge and %" PRId64 " others",
            f->edges, f->others);
    if (isfinite(f->auc))
        cli_say(run, "expected  AUC %.4f, accuracy %.4f, log loss %.4f, calibration error %.4f",
                f->auc, f->accuracy, f->log_loss, f->calibration_error);
    cli_say(run, "predicted %" PRId64 " pair%s", l->count, cli_plural(l->count));
}

/* ---- what is written ------------------------------------------------------------------------- */

static int put_pairs(FILE *file, const void *argument) {
    const written *w = argument;
    const predict_links *l = w->links;
    cli_put_heading(file, w->run, "source\ttarget\tprobability");
    for (int64_t i = 0; i < l->count; i++) {
        if (i % CHECK == 0 && cli_signal()) return cli_check(w->run, CAFE_ERROR_CANCELLED);
        cli_put_node(file, w->run, w->run->graph, l->source[i]);
        fputc('\t', file);
        cli_put_node(file, w->run, w->run->graph, l->target[i]);
        fprintf(file, "\t%.6g\n", l->probability[i]);
    }
    return CLI_OK;
}

static void put_report(cafe_report *report, const void *argument) {
    const written *w = argument;
    const predict_links *l = w->links;
    const cafe_link_figures *f = cafe_link_model_figures(l->model);
    cafe_report_graph(report, w->run->words[0], w->run->graph);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_graph_option_table(), &w->run->common.reading);
    cafe_report_close(report);
    cafe_report_string(report, "pairs", l->pairs_path);
    if (l->since) cafe_report_string(report, "since", l->since);
    cafe_report_integer(report, "pairs_predicted", l->count);
    cafe_report_integer(report, "pairs_outside", l->lost);
    cafe_report_figures(report, "learnt", CAFE_FIGURES_LINKS, f, sizeof *f);
    cli_report_seconds(report, w->run);
}

int predict_links_work(cli_run *run, predict_links *l) {
    written w = {run, l};
    CLI_TRY(read_inputs(run, l));
    CLI_TRY(cli_check(run, cafe_link_model_learn(run->context, run->graph, l->earlier, &l->model)));
    CLI_TRY(cli_check(run, cafe_link_model_predict(run->context, l->model, l->count, l->source,
                                                   l->target, l->probability)));
    say_figures(run, l);
    CLI_TRY(cli_write_result(run, put_pairs, &w));
    return cli_write_report(run, "cafe/predict/1", put_report, &w);
}

void predict_links_free(predict_links *l) {
    cafe_link_model_free(l->model);
    cafe_graph_free(l->asked);
    cafe_graph_free(l->earlier);
}
