/* Results as members of a report: evaluations, ranks, recommendations, partitions, maps. */
#include <cafe-private/results.h>

#include "report/report.h"

/* ---- evaluations ----------------------------------------------------------------------------- */

#define STRUCT cafe_figure
static const cafe_field figure_fields[] = {FIELD(mean), FIELD(std), FIELD(defined)};
#undef STRUCT
#define STRUCT cafe_share
static const cafe_field share_fields[] = {FIELD(train), FIELD(train_count), FIELD(test_count),
                                          FIELD(columns)};
static const cafe_field hidden_fields[] = {AS("links_to_hide", wanted), AS("links_hidden", hidden)};
static const cafe_field time_fields[] = {FIELD(feature_seconds), FIELD(classifier_seconds)};
#undef STRUCT

static void put_share(cafe_report *report, const cafe_evaluation *e, int64_t share) {
    const cafe_share *s = cafe_evaluation_share(e, share);
    cafe_report_open(report, NULL, '{');
    CAFE_REPORT_FIELDS(report, share_fields, s);
    if (s->wanted > 0) CAFE_REPORT_FIELDS(report, hidden_fields, s);
    for (int64_t i = 0; i < cafe_evaluation_metrics(e); i++) {
        cafe_figure f;
        cafe_evaluation_figure(e, share, i, &f);
        cafe_report_open(report, cafe_evaluation_metric_name(e, i), '{');
        CAFE_REPORT_FIELDS(report, figure_fields, &f);
        cafe_report_close(report);
    }
    CAFE_REPORT_FIELDS(report, time_fields, s);
    cafe_report_close(report);
}

void cafe_report_evaluation(cafe_report *report, const cafe_evaluation *evaluation) {
    cafe_report_integer(report, "repeats", cafe_evaluation_repeats(evaluation));
    cafe_report_open(report, "results", '[');
    for (int64_t i = 0; i < cafe_evaluation_shares(evaluation); i++)
        put_share(report, evaluation, i);
    cafe_report_close(report);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void cafe_report_ranking(cafe_report *report, const cafe_graph *graph, int64_t count,
                         const int32_t *order, const double *value) {
    cafe_report_open(report, "top", '[');
    for (int64_t i = 0; i < count; i++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_node(report, "node", graph, order[i]);
        cafe_report_real(report, "value", value[order[i]]);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

void cafe_report_recommendations(cafe_report *report, const cafe_graph *graph, int64_t queries,
                                 const int32_t *query, int64_t count, const int32_t *node,
                                 const double *score) {
    cafe_report_open(report, "recommendations", '[');
    for (int64_t i = 0; i < queries; i++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_node(report, "node", graph, query[i]);
        cafe_report_open(report, "list", '[');
        for (int64_t j = i * count; j < (i + 1) * count && node[j] >= 0; j++) {
            cafe_report_open(report, NULL, '{');
            cafe_report_node(report, "node", graph, node[j]);
            cafe_report_real(report, "score", score[j]);
            cafe_report_close(report);
        }
        cafe_report_close(report);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

/* ---- predictions ----------------------------------------------------------------------------- */

#define STRUCT cafe_predict_trial
static const cafe_field trial_fields[] = {FIELD(accuracy), FIELD(error), FIELD(log_loss),
                                          FIELD(ahead), FIELD(ahead_error)};
#undef STRUCT
#define STRUCT cafe_predict_figures
static const cafe_field prediction_fields[] = {
    FIELD(known),     FIELD(classes),   FIELD(held_out),           FIELD(accuracy),
    FIELD(error),     FIELD(micro_f1),  FIELD(macro_f1),           FIELD(log_loss),
    FIELD(smoothing), FIELD(threshold), FIELD(frequency_log_loss), FIELD(calibration_error)};
#undef STRUCT

void cafe_report_prediction(cafe_report *report, const cafe_prediction *prediction) {
    const cafe_predict_figures *f = cafe_prediction_figures(prediction);
    cafe_report_open(report, "predicted", '{');
    cafe_report_string(report, "predictor", f->predictor);
    cafe_report_truth(report, "multi_label", f->several);
    CAFE_REPORT_FIELDS(report, prediction_fields, f);
    if (f->warning) cafe_report_string(report, "warning", f->warning);
    cafe_report_open(report, "compared", '[');
    for (int64_t i = 0; i < f->trials; i++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "predictor", f->trial[i].predictor);
        CAFE_REPORT_FIELDS(report, trial_fields, &f->trial[i]);
        cafe_report_close(report);
    }
    cafe_report_close(report);
    cafe_report_close(report);
}

/* ---- figures --------------------------------------------------------------------------------- */

#define STRUCT cafe_partition_quality
static const cafe_field quality_fields[] = {FIELD(sets), FIELD(modularity), FIELD(conductance),
                                            FIELD(weighted_conductance)};
#undef STRUCT
#define STRUCT cafe_agreement
static const cafe_field agreement_fields[] = {FIELD(nmi), FIELD(ari), AS("compared", nodes)};
#undef STRUCT
#define STRUCT cafe_set_figures
static const cafe_field set_fields[] = {FIELD(nodes), FIELD(mass), FIELD(inside), FIELD(strength),
                                        FIELD(conductance)};
#undef STRUCT
#define STRUCT cafe_pair_figures
static const cafe_field pair_fields[] = {FIELD(joint), FIELD(covariance), FIELD(first_to_second),
                                         FIELD(second_to_first)};
#undef STRUCT
#define STRUCT cafe_pagerank_report
static const cafe_field pagerank_fields[] = {AS("steps_taken", steps), FIELD(converged),
                                             FIELD(change), FIELD(error)};
#undef STRUCT
#define STRUCT cafe_quality
static const cafe_field score_fields[] = {FIELD(nodes), FIELD(recall), FIELD(hit), FIELD(mrr),
                                          FIELD(auc)};
#undef STRUCT
#define STRUCT cafe_map_quality
static const cafe_field map_fields[] = {AS("nodes_looked_at", nodes), AS("nearest", neighbours),
                                        FIELD(kept), FIELD(trustworthiness)};
#undef STRUCT
#define STRUCT cafe_link_figures
static const cafe_field link_fields[] = {
    FIELD(edges),    FIELD(others),           FIELD(accuracy), FIELD(auc), FIELD(average_precision),
    FIELD(log_loss), FIELD(calibration_error)};
#undef STRUCT

#define TABLE(fields) \
    { fields, sizeof(fields) / sizeof *(fields) }
static const struct {
    const cafe_field *fields;
    size_t count;
} figure_tables[] = {
    [CAFE_FIGURES_PARTITION] = TABLE(quality_fields),
    [CAFE_FIGURES_AGREEMENT] = TABLE(agreement_fields),
    [CAFE_FIGURES_SET] = TABLE(set_fields),
    [CAFE_FIGURES_PAIR] = TABLE(pair_fields),
    [CAFE_FIGURES_PAGERANK] = TABLE(pagerank_fields),
    [CAFE_FIGURES_QUALITY] = TABLE(score_fields),
    [CAFE_FIGURES_MAP] = TABLE(map_fields),
    [CAFE_FIGURES_LINKS] = TABLE(link_fields),
};

void cafe_report_figures(cafe_report *report, const char *key, cafe_figures kind,
                         const void *figures, size_t size) {
    if (key) cafe_report_open(report, key, '{');
    cafe_report_fields(report, figure_tables[kind].count, figure_tables[kind].fields, figures,
                       size);
    if (key) cafe_report_close(report);
}
