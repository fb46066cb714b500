/* cafe predict --pairs: the part of the command that predicts edges. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include <cafe/predict.h>

#include "run.h"

typedef struct predict_links {
    const char *pairs_path, *since;
    cafe_graph *asked, *earlier; /* over the nodes of the run's graph; earlier may be NULL */
    cafe_link_model *model;
    int64_t count, lost, earlier_lost; /* lost: with a node that the graph does not have */
    int32_t *source, *target;
    double *probability;
} predict_links;

int predict_links_check(const cli_run *run);
int predict_links_work(cli_run *run, predict_links *links);
void predict_links_free(predict_links *links);

#endif
