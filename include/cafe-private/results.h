/* What the lab's calls found, as members of a report. */
#ifndef CAFE_PRIVATE_RESULTS_H
#define CAFE_PRIVATE_RESULTS_H

#include <cafe-private/members.h>
#include <cafe/evaluate.h>
#include <cafe/map.h>
#include <cafe/predict.h>
#include <cafe/rank.h>
#include <cafe/recommend.h>
#include <cafe/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Mean and deviation of value[0], value[stride] ... of `count` values, some of which may be NAN. */
CAFE_PRIVATE void cafe_figure_find(int64_t count, int64_t stride, const double *value,
                                   cafe_figure *figure);

/* "repeats", "results" */
CAFE_PRIVATE void cafe_report_evaluation(cafe_report *report, const cafe_evaluation *evaluation);

/* "top" */
CAFE_PRIVATE void cafe_report_ranking(cafe_report *report, const cafe_graph *graph, int64_t count,
                                      const int32_t *order, const double *value);

/* "recommendations", from the arrays of cafe_recommend(). */
CAFE_PRIVATE void cafe_report_recommendations(cafe_report *report, const cafe_graph *graph,
                                              int64_t queries, const int32_t *query, int64_t count,
                                              const int32_t *node, const double *score);

/* "predicted": the figures, and "compared" */
CAFE_PRIVATE void cafe_report_prediction(cafe_report *report, const cafe_prediction *prediction);

/* ---- figures --------------------------------------------------------------------------------- */

/* Results that the caller holds: the fields of the struct that it knows, as members of an object
 * under `key`, or of the one at hand (NULL). */
typedef enum cafe_figures {
    CAFE_FIGURES_PARTITION = 0, /* cafe_partition_quality */
    CAFE_FIGURES_AGREEMENT = 1, /* cafe_agreement */
    CAFE_FIGURES_SET = 2,       /* cafe_set_figures */
    CAFE_FIGURES_PAIR = 3,      /* cafe_pair_figures, without the sets themselves */
    CAFE_FIGURES_PAGERANK = 4,  /* cafe_pagerank_report */
    CAFE_FIGURES_QUALITY = 5,   /* cafe_quality, of recommendations */
    CAFE_FIGURES_MAP = 6,       /* cafe_map_quality */
    CAFE_FIGURES_LINKS = 7      /* cafe_link_figures */
} cafe_figures;

CAFE_PRIVATE void cafe_report_figures(cafe_report *report, const char *key, cafe_figures kind,
                                      const void *figures, size_t size);

static inline void cafe_report_quality(cafe_report *report, const char *key,
                                       const cafe_partition_quality *quality) {
    cafe_report_figures(report, key, CAFE_FIGURES_PARTITION, quality, sizeof *quality);
}
static inline void cafe_report_agreement(cafe_report *report, const cafe_agreement *agreement) {
    cafe_report_figures(report, NULL, CAFE_FIGURES_AGREEMENT, agreement, sizeof *agreement);
}
/* "first", "second" and what is between them */
static inline void cafe_report_sets(cafe_report *report, const cafe_pair_figures *f) {
    cafe_report_figures(report, "first", CAFE_FIGURES_SET, &f->first, sizeof f->first);
    cafe_report_figures(report, "second", CAFE_FIGURES_SET, &f->second, sizeof f->second);
    cafe_report_figures(report, NULL, CAFE_FIGURES_PAIR, f, sizeof *f);
}
/* "pagerank" */
static inline void cafe_report_pagerank(cafe_report *report, const cafe_pagerank_options *options,
                                        int32_t personalised, const cafe_pagerank_report *found) {
    cafe_report_open(report, "pagerank", '{');
    cafe_report_truth(report, "personalised", personalised);
    cafe_report_options(report, cafe_pagerank_option_table(), options);
    cafe_report_figures(report, NULL, CAFE_FIGURES_PAGERANK, found, sizeof *found);
    cafe_report_close(report);
}
/* An entry of the list of scores that were compared. */
static inline void cafe_report_score(cafe_report *report, const char *name,
                                     const cafe_quality *quality) {
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "score", name);
    cafe_report_figures(report, NULL, CAFE_FIGURES_QUALITY, quality, sizeof *quality);
    cafe_report_close(report);
}
/* "quality" */
static inline void cafe_report_map(cafe_report *report, const cafe_map_quality *quality) {
    cafe_report_figures(report, "quality", CAFE_FIGURES_MAP, quality, sizeof *quality);
}

#ifdef __cplusplus
}
#endif
#endif
