/* cafe explain for people: cards as text on standard output. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "explain.h"
#include "graph_text.h"

static const char *problem(const explain_job *job) {
    return job->report.generalised ? "Q v = rho D v" : "Q v = rho v";
}

/* A share as a percentage, "-" where there is none. */
static double percent(double part, double whole) {
    return whole != 0 ? 100 * part / whole : 0;
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static void put_nodes(FILE *file, const explain_job *job, const char *title,
                      const cafe_listed *list, int64_t count) {
    fprintf(file, "    %-12s", title);
    for (int64_t i = 0; i < count; i++)
        fprintf(file, "%s%s %+.4g", i ? ", " : "", explain_node_name(job, list[i].index),
                list[i].value);
    putc('\n', file);
}

static void put_communities(FILE *file, const explain_job *job, const cafe_listed *list,
                            int64_t count) {
    if (count == 0) return;
    fprintf(file, "    %-12s", "");
    for (int64_t i = 0; i < count; i++)
        fprintf(file, "%s%s r = %+.3f", i ? ", " : "communities ",
                explain_community_name(job, list[i].index), list[i].value);
    putc('\n', file);
}

static void put_association(FILE *file, const char *title, const char *name, const char *ratio,
                            const cafe_association *a) {
    if (a->index < 0) return;
    fprintf(file, "    %-12s%s r = %+.3f", title, name, a->correlation);
    if (a->ratio >= 0) fprintf(file, ", %s %.1f %% of the variance", ratio, 100 * a->ratio);
    putc('\n', file);
}

/* The shares of the layers of `whole`: part() of each. */
typedef double layer_part(const cafe_layer_card *layer, int64_t i);

static double of_column(const cafe_layer_card *layer, int64_t i) {
    return layer->columns[i];
}

static double of_node(const cafe_layer_card *layer, int64_t i) {
    return layer->nodes[i];
}

static double of_community(const cafe_layer_card *layer, int64_t i) {
    return layer->communities[i];
}

static void put_layers(FILE *file, const explain_job *job, layer_part *part, int64_t i) {
    double whole = 0;
    if (!job->layers) return;
    for (int64_t l = 0; l < job->layer_count; l++) whole += part(&job->layers[l], i);
    fprintf(file, "    %-12s", "layers");
    for (int64_t l = 0; l < job->layer_count; l++)
        fprintf(file, "%s%s %.1f %%", l ? ", " : "", job->layers[l].name,
                percent(part(&job->layers[l], i), whole));
    putc('\n', file);
}

static void put_dimension(FILE *file, const explain_job *job, int64_t column) {
    cafe_dimension_card c;
    cafe_explain_dimension(job->explanation, column, &c);
    fprintf(file, "\ndimension %" PRId64 "\n", column);
    fprintf(file, "    %-12s%.9g, residual %.2g\n", "value", c.value, c.residual);
    fprintf(file, "    %-12s%.9g, %.2f %% of the modularity of the embedding\n", "contributes",
            c.contribution, 100 * c.share);
    put_layers(file, job, of_column, column);
    put_nodes(file, job, "high end", c.high, c.ends);
    put_communities(file, job, c.high_communities, c.high_count);
    put_nodes(file, job, "low end", c.low, c.ends);
    put_communities(file, job, c.low_communities, c.low_count);
    if (job->with_labels) {
        const cafe_association *a = job->with_labels + column;
        const char *name = a->index < 0 ? "" : cafe_labels_class_name(job->labels, a->index);
        put_association(file, "label", name, "all labels explain", a);
    }
    if (job->with_features) {
        const cafe_association *a = job->with_features + column;
        const char *name = a->index < 0 ? "" : explain_feature_name(job, a->index);
        put_association(file, "attribute", name, "explains", a);
    }
}

/* Which Q all figures are of. */
static void put_operator(FILE *file, const explain_job *job) {
    const cafe_sampled_info *info = cafe_sampled_get_info(cafe_run_get(job->of)->sampled);
    int32_t kind;
    double x;
    cafe_sampling_made(job->made, &kind, &x);
    const char *why = cli_given(job->run.arguments, "degree-exponent") ? "as asked for"
                      : kind >= 0 ? "as these vectors were made with"
                                  : "assumed: the file of vectors does not say it";
    fprintf(file, "operator    Q of sampling %s, degree exponent %.9g (%s)\n",
            cafe_sampling_name((cafe_sampling)info->sampling), info->degree_exponent, why);
}

/* Every layer: its weight, its part of the modularity of the embedding and of the partition. */
static void put_all_layers(FILE *file, const explain_job *job) {
    for (int64_t l = 0; job->layers && l < job->layer_count; l++) {
        const cafe_layer_card *c = &job->layers[l];
        fprintf(file, "layer       %s: weight %.4g, adds %.9g, %.2f %% of the embedding's", c->name,
                c->weight, c->contribution, percent(c->contribution, job->report.modularity));
        if (job->report.communities > 0)
            fprintf(file, "; %.9g, %.2f %% of the partition's", c->part_modularity,
                    percent(c->part_modularity, job->report.part_modularity));
        putc('\n', file);
    }
}

static void put_dimensions(FILE *file, const explain_job *job) {
    put_operator(file, job);
    fprintf(file,
            "embedding   %" PRId64 " nodes x %" PRId64 " columns, rank %" PRId64 "; problem %s\n",
            job->report.nodes, job->report.columns, job->report.pairs, problem(job));
    fprintf(file, "            modularity of the embedding tr(V^T Q V) = %.9g\n",
            job->report.modularity);
    put_all_layers(file, job);
    for (int64_t i = 0; i < job->shown_count; i++) put_dimension(file, job, job->shown[i]);
    if (job->shown_count < job->columns)
        fprintf(file,
                "\n%" PRId64 " of %" PRId64
                " dimensions are shown; --dimensions says which, --json has all\n",
                job->shown_count, job->columns);
}

/* ---- spectrum -------------------------------------------------------------------------------- */

static void put_spectrum(FILE *file, const explain_job *job) {
    const cafe_spectrum_report *r = &job->spectrum_report;
    if (!job->spectrum) return;
    fprintf(file, "\nspectrum of %s\n    %-12s", problem(job), "values");
    for (int64_t j = 0; j < r->count; j++) {
        bool wrap = j > 0 && j % 6 == 0;
        fprintf(file, "%s%.6g%s", wrap ? "\n                " : "",
                cli_above_rounding(r->values[j], r->values[0]), j + 1 == r->elbow ? " |" : "");
        if (j + 1 < r->count && (j + 1) % 6 != 0) putc(' ', file);
    }
    if (r->elbow > 0)
        fprintf(file, "\n    %-12safter %" PRId64 " value%s, where they fall most: by %.6g\n",
                "elbow", r->elbow, cli_plural(r->elbow), r->gap);
    else
        fprintf(file, "\n    %-12snone: no gap exceeds the residuals\n", "elbow");
    fprintf(file, "    %-12s%.6g by the columns", "held", r->held);
    if (r->positive < 0)
        fprintf(file, "\n");
    else if (r->exact)
        fprintf(file, ", %.2f %% of %.6g, the sum of all positive eigenvalues\n",
                percent(r->held, r->positive), r->positive);
    else
        fprintf(file, ", %.2f %% of %.6g +- %.2g, the estimated sum of all positive eigenvalues\n",
                percent(r->held, r->positive), r->positive, r->standard_error);
}

/* ---- the partition --------------------------------------------------------------------------- */

static void put_certificate(FILE *file, const explain_job *job) {
    const cafe_ceiling *c = &job->ceiling;
    double found = job->report.part_modularity;
    if (job->report.communities == 0) return;
    char count[CLI_COUNT_TEXT];
    fprintf(file, "\npartition   %s communit%s%s, modularity %.9f\n",
            cli_count_text(job->report.communities, count),
            job->report.communities == 1 ? "y" : "ies",
            job->communities ? "" : " (found by layers)", found);
    if (!job->has_ceiling) return;
    char distance[CLI_DISTANCE_TEXT];
    fprintf(file, "    %-12s%.9f: no partition has more; gap %.9f; %s\n", "bound", c->bound,
            c->bound - found,
            c->proved ? "proved optimal" : cli_distance_text(c->bound, found, distance));
    fprintf(file, "    %-14spairs %.6f, spectral %.6f, dual %.6f, witness %.6f", "the least of",
            c->pairs, c->spectral, c->dual, c->witness);
    if (c->inequalities >= 0) fprintf(file, ", inequalities %.6f", c->inequalities);
    fprintf(file, "%s\n", c->exact ? "" : "; residuals are in them");
}

/* The features with the largest correlations with the membership. */
static void put_features(FILE *file, const explain_job *job, int64_t community) {
    int64_t top = job->explain.top;
    const cafe_listed *list = job->community_features;
    if (!list || list[community * top].index < 0) return;
    fprintf(file, "    %-12s", "features");
    for (const cafe_listed *f = list + community * top;
         f < list + (community + 1) * top && f->index >= 0; f++)
        fprintf(file, "%s%s r = %+.3f", f == list + community * top ? "" : ", ",
                explain_feature_name(job, f->index), f->value);
    putc('\n', file);
}

static void put_community(FILE *file, const explain_job *job, const cafe_community_card *c) {
    char nodes[CLI_COUNT_TEXT];
    fprintf(file, "\ncommunity %s\n", explain_community_name(job, c->community));
    fprintf(file, "    %-12s%s, p(S) = %.6f, conductance %.4f\n", "nodes",
            cli_count_text(c->nodes, nodes), c->mass, c->conductance);
    fprintf(file, "    %-12s%.9f, %.2f %% of the partition's\n", "q(S,S)", c->strength,
            percent(c->strength, job->report.part_modularity));
    put_layers(file, job, of_community, c->community);
    fprintf(file, "    %-12s", "central");
    for (int64_t i = 0; i < c->central_count; i++)
        fprintf(file, "%s%s %.4f", i ? ", " : "", explain_node_name(job, c->central[i].index),
                c->central[i].value);
    fprintf(file, "\n    %-12s", "nearest");
    for (int64_t i = 0; i < c->nearest_count; i++)
        fprintf(file, "%s%s q = %+.6f", i ? ", " : "",
                explain_community_name(job, c->nearest[i].index), c->nearest[i].value);
    fprintf(file, "%s\n", c->nearest_count ? "" : "none: no edge leaves it");
    put_features(file, job, c->community);
}

/* The largest communities first, as many as a list has. */
static int put_largest(FILE *file, const explain_job *job) {
    int64_t count = job->report.communities, top = job->explain.top, n = job->run.counts.nodes;
    bool *shown = calloc((size_t)count + 1, sizeof *shown);
    if (!shown) return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    for (int64_t i = 0; i < top && i < count; i++) {
        cafe_community_card best = {.nodes = -1}, card;
        for (int32_t c = 0; c < count; c++) {
            if (shown[c]) continue;
            cafe_explain_community(job->run.context, job->explanation, c, &card);
            if (card.nodes > best.nodes) best = card;
        }
        if (best.nodes <= 0 && n > 0) break;
        shown[best.community] = true;
        put_community(file, job, &best);
    }
    if (count > top)
        fprintf(file,
                "\nthe %" PRId64 " largest of %" PRId64 " communities are shown; --json has all\n",
                top, count);
    free(shown);
    return CLI_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void put_forces(FILE *file, const explain_job *job, const char *title,
                       const cafe_force *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        fprintf(file, "    %-12s%-16s q = %+.3e x <h,h> = %+.4f = %+.3e%s\n", i ? "" : title,
                explain_node_name(job, list[i].node), list[i].covariance, list[i].product,
                list[i].value, list[i].linked ? "" : "  not linked");
    }
}

static void put_membership(FILE *file, const explain_job *job, const cafe_node_card *c) {
    if (c->community < 0) return;
    fprintf(file, "    %-12s%s, q(u,S) = %+.3e; ", "community",
            explain_community_name(job, c->community), c->attachment);
    if (c->second >= 0)
        fprintf(file, "second %s %+.3e; ", explain_community_name(job, c->second),
                c->second_attachment);
    else
        fprintf(file, "second best alone 0; ");
    fprintf(file, "margin %+.3e\n", c->margin);
    fprintf(file, "    %-12sC(u|S) = %.6f, place %" PRId64 " of %" PRId64 "\n", "centrality",
            c->centrality, c->rank, c->members);
}

static void put_node(FILE *file, const explain_job *job, const cafe_node_card *c) {
    fprintf(file, "\nnode %s\n", explain_node_name(job, c->node));
    fprintf(file, "    %-12s%" PRId64 " nodes, p_u = %.6g, |h_u| = %.6g\n", "linked to", c->linked,
            c->mass, c->length);
    fprintf(file, "    %-12s", "position");
    for (int64_t i = 0; i < c->coordinate_count; i++)
        fprintf(file, "%scolumn %d %+.4g (percentile %.1f)", i ? ", " : "",
                c->coordinates[i].column, c->coordinates[i].value, c->coordinates[i].percentile);
    fprintf(
        file, "\n    %-12s<h_u, z_u> = %+.6e = own %+.3e, linked %+.3e %+.3e, others %+.3e %+.3e\n",
        "forces", c->total, c->own, c->linked_pull, c->linked_push, c->other_pull, c->other_push);
    put_layers(file, job, of_node, c->node);
    put_forces(file, job, "pulls", c->pulls, c->pull_count);
    put_forces(file, job, "pushes", c->pushes, c->push_count);
    put_membership(file, job, c);
}

/* The sentences of a node, a line each, as a terminal may show them. */
static int put_words(FILE *file, const explain_job *job, int64_t node) {
    const cafe_explanation_inputs with = {.struct_size = sizeof with,
                                          .graph = job->run.graph,
                                          .communities = job->communities,
                                          .labels = job->labels,
                                          .with_labels = job->with_labels};
    const char *text;
    CLI_TRY(cli_check(&job->run,
                      cafe_explain_words(job->run.context, job->explanation, &with, node, &text)));
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        size_t length = (size_t)(end - text);
        char *line = cli_text_room(&job->run, 4 * length + 1);
        if (cli_text_lost(&job->run)) return CLI_RESOURCES;
        cafe_show(text, length, line, 4 * length + 1);
        fprintf(file, "%s\n", line);
    }
    return CLI_OK;
}

/* Of nodes the sentences come first; figures follow if they are asked for. */
static bool wants_figures(const explain_job *job) {
    const cli_arguments *given = job->run.arguments;
    return job->node_count == 0 || job->run.common.verbose || cli_given(given, "dimensions") ||
           job->wants_spectrum || job->wants_bound;
}

int explain_put(FILE *file, const void *argument) {
    const explain_job *job = argument;
    for (int64_t i = 0; i < job->node_count; i++) {
        CLI_TRY(put_words(file, job, job->nodes[i]));
        if (i + 1 < job->node_count || wants_figures(job)) putc('\n', file);
    }
    if (!wants_figures(job)) return CLI_OK;
    put_dimensions(file, job);
    put_spectrum(file, job);
    put_certificate(file, job);
    CLI_TRY(put_largest(file, job));
    for (int64_t i = 0; i < job->node_count; i++) {
        cafe_node_card card;
        CLI_TRY(cli_check(&job->run, cafe_explain_node(job->run.context, job->explanation,
                                                       job->nodes[i], &card)));
        put_node(file, job, &card);
    }
    return CLI_OK;
}
