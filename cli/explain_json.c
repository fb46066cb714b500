/* cafe explain for programs: every card in one object, schema cafe/explain/1. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "explain.h"
#include "graph_text.h"
#include "output.h"

typedef const char *namer(const explain_job *job, int64_t index);

static const char *name_node(const explain_job *job, int64_t u) {
    return explain_node_name(job, u);
}

static const char *name_community(const explain_job *job, int64_t c) {
    return explain_community_name(job, (int32_t)c);
}

static void put_list(const explain_job *job, cli_json *json, const char *key, namer *name,
                     const char *what, const char *figure, const cafe_listed *list, int64_t count) {
    cli_json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, what, name(job, list[i].index));
        cli_json_real(json, figure, list[i].value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static void put_association(cli_json *json, const char *key, const char *name,
                            const cafe_association *a) {
    if (a->index < 0) return;
    cli_json_open(json, key, '{');
    cli_json_text(json, "name", name);
    cli_json_real(json, "correlation", a->correlation);
    if (a->ratio >= 0) cli_json_real(json, "ratio", a->ratio);
    cli_json_close(json, '}');
}

static void put_dimension(const explain_job *job, cli_json *json, int64_t column) {
    cafe_dimension_card c;
    cafe_explain_dimension(job->explanation, column, &c);
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "column", column);
    cli_json_real(json, "value", c.value);
    cli_json_real(json, "residual", c.residual);
    cli_json_real(json, "contribution", c.contribution);
    cli_json_real(json, "share", c.share);
    cli_json_real(json, "plain_value", c.plain_value);
    cli_json_real(json, "plain_residual", c.plain_residual);
    cli_json_real(json, "walk_value", c.walk_value);
    cli_json_real(json, "walk_residual", c.walk_residual);
    cli_json_real(json, "mean", c.mean);
    cli_json_real(json, "deviation", c.deviation);
    put_list(job, json, "high", name_node, "node", "value", c.high, c.ends);
    put_list(job, json, "low", name_node, "node", "value", c.low, c.ends);
    put_list(job, json, "high_communities", name_community, "community", "correlation",
             c.high_communities, c.high_count);
    put_list(job, json, "low_communities", name_community, "community", "correlation",
             c.low_communities, c.low_count);
    if (job->with_labels && job->with_labels[column].index >= 0)
        put_association(json, "label",
                        cafe_labels_class_name(job->labels, job->with_labels[column].index),
                        job->with_labels + column);
    if (job->with_features && job->with_features[column].index >= 0)
        put_association(json, "attribute",
                        explain_feature_name(job, job->with_features[column].index),
                        job->with_features + column);
    cli_json_close(json, '}');
}

static void put_embedding(const explain_job *job, cli_json *json) {
    const cafe_explain_report *r = &job->report;
    cli_json_open(json, "embedding", '{');
    cli_json_text(json, "path", job->run.words[1]);
    cli_json_integer(json, "columns", r->columns);
    cli_json_integer(json, "rank", r->pairs);
    cli_json_text(json, "problem", r->generalised ? "walk" : "plain");
    cli_json_real(json, "modularity", r->modularity);
    cli_json_reals(json, "ritz_values", r->values, r->pairs);
    cli_json_reals(json, "residuals", r->residuals, r->pairs);
    cli_json_close(json, '}');
    cli_json_open(json, "dimensions", '[');
    for (int64_t k = 0; k < job->columns; k++) put_dimension(job, json, k);
    cli_json_close(json, ']');
}

/* ---- spectrum and certificate ---------------------------------------------------------------- */

static void put_spectrum(const explain_job *job, cli_json *json) {
    const cafe_spectrum_report *r = &job->spectrum_report;
    if (!job->spectrum) return;
    cli_json_open(json, "spectrum", '{');
    cli_json_reals(json, "values", r->values, r->count);
    cli_json_reals(json, "residuals", r->residuals, r->count);
    cli_json_integer(json, "elbow", r->elbow);
    cli_json_real(json, "gap", r->gap);
    cli_json_real(json, "held", r->held);
    if (r->positive >= 0) {
        cli_json_real(json, "positive", r->positive);
        cli_json_real(json, "standard_error", r->standard_error);
    }
    cli_json_bool(json, "exact", r->exact != 0);
    cli_json_close(json, '}');
}

static void put_partition(const explain_job *job, cli_json *json) {
    const cafe_ceiling *c = &job->ceiling;
    cli_json_open(json, "partition", '{');
    if (job->communities_path) cli_json_text(json, "path", job->communities_path);
    cli_json_bool(json, "found", !job->communities_path);
    cli_json_integer(json, "communities", job->report.communities);
    cli_json_real(json, "modularity", job->report.part_modularity);
    if (job->has_ceiling) {
        cli_json_real(json, "bound", c->bound);
        cli_json_real(json, "gap", c->bound - job->report.part_modularity);
        cli_json_real(json, "pairs", c->pairs);
        cli_json_real(json, "spectral", c->spectral);
        cli_json_real(json, "spectral_residual", c->spectral_residual);
        cli_json_real(json, "dual", c->dual);
        cli_json_real(json, "dual_sum", c->dual_sum);
        cli_json_real(json, "dual_shift", c->dual_shift);
        cli_json_real(json, "dual_residual", c->dual_residual);
        cli_json_real(json, "witness", c->witness);
        cli_json_real(json, "witness_shift", c->witness_shift);
        cli_json_real(json, "witness_residual", c->witness_residual);
        cli_json_bool(json, "exact", c->exact != 0);
    }
    cli_json_close(json, '}');
}

/* ---- communities and nodes ------------------------------------------------------------------- */

static void put_communities(const explain_job *job, cli_json *json) {
    cli_json_open(json, "communities", '[');
    for (int32_t i = 0; i < job->report.communities; i++) {
        cafe_community_card c;
        cafe_explain_community(job->run.context, job->explanation, i, &c);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "community", explain_community_name(job, i));
        cli_json_integer(json, "nodes", c.nodes);
        cli_json_real(json, "mass", c.mass);
        cli_json_real(json, "inside", c.inside);
        cli_json_real(json, "strength", c.strength);
        cli_json_real(json, "conductance", c.conductance);
        put_list(job, json, "central", name_node, "node", "centrality", c.central, c.central_count);
        put_list(job, json, "nearest", name_community, "community", "covariance", c.nearest,
                 c.nearest_count);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_forces(const explain_job *job, cli_json *json, const char *key,
                       const cafe_force *list, int64_t count) {
    cli_json_open(json, key, '[');
    for (int64_t i = 0; i < count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "node", explain_node_name(job, list[i].node));
        cli_json_bool(json, "linked", list[i].linked != 0);
        cli_json_real(json, "covariance", list[i].covariance);
        cli_json_real(json, "product", list[i].product);
        cli_json_real(json, "value", list[i].value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_position(cli_json *json, const cafe_node_card *c) {
    cli_json_open(json, "position", '[');
    for (int64_t i = 0; i < c->coordinate_count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_integer(json, "column", c->coordinates[i].column);
        cli_json_real(json, "value", c->coordinates[i].value);
        cli_json_real(json, "deviations", c->coordinates[i].deviations);
        cli_json_real(json, "percentile", c->coordinates[i].percentile);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_node(const explain_job *job, cli_json *json, const cafe_node_card *c) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "node", explain_node_name(job, c->node));
    cli_json_real(json, "mass", c->mass);
    cli_json_integer(json, "linked", c->linked);
    cli_json_real(json, "length", c->length);
    put_position(json, c);
    cli_json_real(json, "total", c->total);
    cli_json_real(json, "own", c->own);
    cli_json_real(json, "linked_pull", c->linked_pull);
    cli_json_real(json, "linked_push", c->linked_push);
    cli_json_real(json, "other_pull", c->other_pull);
    cli_json_real(json, "other_push", c->other_push);
    put_forces(job, json, "pulls", c->pulls, c->pull_count);
    put_forces(job, json, "pushes", c->pushes, c->push_count);
    if (c->community >= 0) {
        cli_json_text(json, "community", explain_community_name(job, c->community));
        cli_json_real(json, "attachment", c->attachment);
        if (c->second >= 0) cli_json_text(json, "second", explain_community_name(job, c->second));
        cli_json_real(json, "second_attachment", c->second_attachment);
        cli_json_real(json, "margin", c->margin);
        cli_json_real(json, "centrality", c->centrality);
        cli_json_integer(json, "place", c->rank);
        cli_json_integer(json, "members", c->members);
    }
    cli_json_close(json, '}');
}

static int put_nodes(const explain_job *job, cli_json *json) {
    cli_json_open(json, "nodes", '[');
    for (int64_t i = 0; i < job->node_count; i++) {
        cafe_node_card card;
        CLI_TRY(cli_check(&job->run, cafe_explain_node(job->run.context, job->explanation,
                                                       job->nodes[i], &card)));
        put_node(job, json, &card);
    }
    cli_json_close(json, ']');
    return CLI_OK;
}

int explain_put_json(FILE *file, const void *argument) {
    const explain_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/explain/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->run.words[0], &job->run.counts);
    cli_json_sampling(&json, &job->sampling);
    cli_json_sampled(&json, job->sampled);
    cli_json_open(&json, "options", '{');
    cli_json_unsigned(&json, "seed", job->run.common->seed);
    cli_json_options(&json, cafe_explain_option_table(), &job->explain);
    if (job->spectrum)
        cli_json_options(&json, cafe_spectrum_option_table(), &job->spectrum_options);
    if (job->has_ceiling)
        cli_json_options(&json, cafe_ceiling_option_table(), &job->ceiling_options);
    cli_json_close(&json, '}');
    put_embedding(job, &json);
    put_spectrum(job, &json);
    put_partition(job, &json);
    put_communities(job, &json);
    CLI_TRY(put_nodes(job, &json));
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return CLI_OK;
}
