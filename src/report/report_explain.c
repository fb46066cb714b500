/* The cards of an explanation. */

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "report/report.h"

typedef struct cards {
    cafe_report *report;
    cafe_explanation *explanation;
    const cafe_explanation_inputs *with;
} cards;

/* ---- names ----------------------------------------------------------------------------------- */

typedef void namer(const cards *c, const char *key, int64_t index);

static void name_node(const cards *c, const char *key, int64_t u) {
    cafe_report_node(c->report, key, c->with->graph, u);
}

static void name_community(const cards *c, const char *key, int64_t community) {
    char number[24];
    cafe_print(number, sizeof number, "%lld", (long long)community);
    cafe_report_string(
        c->report, key,
        c->with->communities ? cafe_labels_class_name(c->with->communities, community) : number);
}

static void name_class(const cards *c, const char *key, int64_t index) {
    cafe_report_string(c->report, key, cafe_labels_class_name(c->with->labels, index));
}

static void name_attribute(const cards *c, const char *key, int64_t index) {
    size_t length = cafe_table_column_name(c->with->attributes, index, &(char){0}, 1);
    char *name = cafe_mem(c->report->context, (int64_t)length + 1, 1);
    if (name) cafe_table_column_name(c->with->attributes, index, name, length + 1);
    if (name)
        cafe_report_bytes(c->report, key, name, (int64_t)length);
    else if (c->report->status == CAFE_OK)
        c->report->status = CAFE_ERROR_MEMORY;
    cafe_mem_free(c->report->context, name);
}

static void put_list(const cards *c, const char *key, namer *name, const char *what,
                     const char *figure, int64_t count, const cafe_listed *list) {
    cafe_report_open(c->report, key, '[');
    for (int64_t i = 0; i < count; i++) {
        cafe_report_open(c->report, NULL, '{');
        name(c, what, list[i].index);
        cafe_report_real(c->report, figure, list[i].value);
        cafe_report_close(c->report);
    }
    cafe_report_close(c->report);
}

/* ---- layers ---------------------------------------------------------------------------------- */

#define STRUCT cafe_layer_card
static const cafe_field layer_fields[] = {FIELD(weight), FIELD(contribution),
                                          FIELD(part_modularity)};
#undef STRUCT

/* The parts of one thing, by the names of the layers; `lists` is an array of a cafe_layer_card. */
#define PUT_PARTS(c, lists, index)                                   \
    do {                                                             \
        if ((c)->with->layer_count == 0) break;                      \
        cafe_report_open((c)->report, "layers", '{');                \
        for (int64_t l = 0; l < (c)->with->layer_count; l++)         \
            cafe_report_real((c)->report, (c)->with->layers[l].name, \
                             (c)->with->layers[l].lists[index]);     \
        cafe_report_close((c)->report);                              \
    } while (0)

static void put_layers(const cards *c) {
    if (c->with->layer_count == 0) return;
    cafe_report_open(c->report, "layers", '[');
    for (int64_t l = 0; l < c->with->layer_count; l++) {
        cafe_report_open(c->report, NULL, '{');
        cafe_report_string(c->report, "name", c->with->layers[l].name);
        CAFE_REPORT_FIELDS(c->report, layer_fields, &c->with->layers[l]);
        cafe_report_close(c->report);
    }
    cafe_report_close(c->report);
}

/* ---- dimensions ------------------------------------------------------------------------------ */

#define STRUCT cafe_dimension_card
static const cafe_field dimension_fields[] = {
    FIELD(column),        FIELD(value),       FIELD(residual),       FIELD(contribution),
    FIELD(share),         FIELD(plain_value), FIELD(plain_residual), FIELD(walk_value),
    FIELD(walk_residual), FIELD(mean),        FIELD(deviation)};
#undef STRUCT

static void put_association(const cards *c, const char *key, namer *name,
                            const cafe_association *best, int64_t column) {
    if (!best || best[column].index < 0) return;
    cafe_report_open(c->report, key, '{');
    name(c, "name", best[column].index);
    cafe_report_real(c->report, "correlation", best[column].correlation);
    if (best[column].ratio >= 0) cafe_report_real(c->report, "ratio", best[column].ratio);
    cafe_report_close(c->report);
}

static void put_dimension(const cards *c, int64_t column) {
    cafe_dimension_card d;
    cafe_explain_dimension(c->explanation, column, &d);
    cafe_report_open(c->report, NULL, '{');
    CAFE_REPORT_FIELDS(c->report, dimension_fields, &d);
    put_list(c, "high", name_node, "node", "value", d.ends, d.high);
    put_list(c, "low", name_node, "node", "value", d.ends, d.low);
    put_list(c, "high_communities", name_community, "community", "correlation", d.high_count,
             d.high_communities);
    put_list(c, "low_communities", name_community, "community", "correlation", d.low_count,
             d.low_communities);
    put_association(c, "label", name_class, c->with->with_labels, column);
    put_association(c, "attribute", name_attribute, c->with->with_attributes, column);
    PUT_PARTS(c, columns, column);
    cafe_report_close(c->report);
}

static void put_embedding(const cards *c, const cafe_explain_report *r) {
    cafe_report_open(c->report, "embedding", '{');
    if (c->with->vectors_path) cafe_report_string(c->report, "path", c->with->vectors_path);
    cafe_report_integer(c->report, "columns", r->columns);
    cafe_report_integer(c->report, "rank", r->pairs);
    cafe_report_string(c->report, "problem", r->generalised ? "walk" : "plain");
    cafe_report_real(c->report, "modularity", r->modularity);
    cafe_report_reals(c->report, "ritz_values", r->pairs, r->values);
    cafe_report_reals(c->report, "residuals", r->pairs, r->residuals);
    cafe_report_close(c->report);
    cafe_report_open(c->report, "dimensions", '[');
    for (int64_t k = 0; k < r->columns; k++) put_dimension(c, k);
    cafe_report_close(c->report);
}

/* ---- spectrum and bound ---------------------------------------------------------------------- */

#define STRUCT cafe_spectrum_report
static const cafe_field spectrum_fields[] = {LIST(values, count), LIST(residuals, count),
                                             FIELD(elbow), FIELD(gap), FIELD(held)};
static const cafe_field positive_fields[] = {FIELD(positive), FIELD(standard_error)};
#undef STRUCT

static void put_spectrum(const cards *c) {
    if (!c->with->spectrum) return;
    const cafe_spectrum_report *r = cafe_spectrum_get(c->with->spectrum);
    cafe_report_open(c->report, "spectrum", '{');
    CAFE_REPORT_FIELDS(c->report, spectrum_fields, r);
    if (r->positive >= 0) CAFE_REPORT_FIELDS(c->report, positive_fields, r);
    cafe_report_truth(c->report, "exact", r->exact);
    cafe_report_close(c->report);
}

#define STRUCT cafe_ceiling
static const cafe_field ceiling_fields[] = {FIELD(pairs),
                                            FIELD(spectral),
                                            FIELD(spectral_residual),
                                            FIELD(dual),
                                            FIELD(dual_sum),
                                            FIELD(dual_shift),
                                            FIELD(dual_residual),
                                            FIELD(witness),
                                            FIELD(witness_shift),
                                            FIELD(witness_residual),
                                            FIELD(inequalities),
                                            FIELD(inequality_count),
                                            FIELD(proved),
                                            FIELD(exact)};
#undef STRUCT

static void put_partition(const cards *c, const cafe_explain_report *r) {
    const cafe_ceiling *ceiling = c->with->ceiling;
    const char *path = c->with->communities_path;
    cafe_report_open(c->report, "partition", '{');
    if (path) cafe_report_string(c->report, "path", path);
    cafe_report_truth(c->report, "found", !c->with->communities);
    cafe_report_integer(c->report, "communities", r->communities);
    cafe_report_real(c->report, "modularity", r->part_modularity);
    if (ceiling) {
        cafe_report_real(c->report, "bound", ceiling->bound);
        cafe_report_real(c->report, "gap", ceiling->bound - r->part_modularity);
        CAFE_REPORT_FIELDS(c->report, ceiling_fields, ceiling);
    }
    cafe_report_close(c->report);
}

/* ---- communities ----------------------------------------------------------------------------- */

#define STRUCT cafe_community_card
static const cafe_field community_fields[] = {FIELD(nodes), FIELD(mass), FIELD(inside),
                                              FIELD(strength), FIELD(conductance)};
#undef STRUCT

static cafe_status put_community(const cards *c, int32_t community) {
    cafe_community_card card;
    CAFE_PASS(cafe_explain_community(c->report->context, c->explanation, community, &card));
    cafe_report_open(c->report, NULL, '{');
    name_community(c, "community", community);
    CAFE_REPORT_FIELDS(c->report, community_fields, &card);
    PUT_PARTS(c, communities, community);
    put_list(c, "central", name_node, "node", "centrality", card.central_count, card.central);
    put_list(c, "nearest", name_community, "community", "covariance", card.nearest_count,
             card.nearest);
    if (c->with->community_attributes) {
        int64_t top = c->with->community_attribute_count, count = 0;
        const cafe_listed *list = c->with->community_attributes + community * top;
        while (count < top && list[count].index >= 0) count++;
        put_list(c, "attributes", name_attribute, "name", "correlation", count, list);
    }
    cafe_report_close(c->report);
    return CAFE_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

#define STRUCT cafe_node_card
static const cafe_field node_fields[] = {FIELD(mass), FIELD(linked), FIELD(length)};
static const cafe_field force_fields[] = {FIELD(total),       FIELD(own),        FIELD(linked_pull),
                                          FIELD(linked_push), FIELD(other_pull), FIELD(other_push)};
static const cafe_field member_fields[] = {FIELD(second_attachment), FIELD(margin),
                                           FIELD(centrality), AS("place", rank), FIELD(members)};
#undef STRUCT
#define STRUCT cafe_force
static const cafe_field pull_fields[] = {FIELD(linked), FIELD(covariance), FIELD(product),
                                         FIELD(value)};
#undef STRUCT
#define STRUCT cafe_coordinate
static const cafe_field coordinate_fields[] = {FIELD(value), FIELD(deviations), FIELD(percentile)};
#undef STRUCT

static void put_forces(const cards *c, const char *key, int64_t count, const cafe_force *list) {
    cafe_report_open(c->report, key, '[');
    for (int64_t i = 0; i < count; i++) {
        cafe_report_open(c->report, NULL, '{');
        name_node(c, "node", list[i].node);
        CAFE_REPORT_FIELDS(c->report, pull_fields, &list[i]);
        cafe_report_close(c->report);
    }
    cafe_report_close(c->report);
}

static void put_position(const cards *c, const cafe_node_card *card) {
    cafe_report_open(c->report, "position", '[');
    for (int64_t i = 0; i < card->coordinate_count; i++) {
        cafe_report_open(c->report, NULL, '{');
        cafe_report_integer(c->report, "column", card->coordinates[i].column);
        CAFE_REPORT_FIELDS(c->report, coordinate_fields, &card->coordinates[i]);
        cafe_report_close(c->report);
    }
    cafe_report_close(c->report);
}

static cafe_status put_node(const cards *c, int64_t node) {
    cafe_node_card card;
    CAFE_PASS(cafe_explain_node(c->report->context, c->explanation, node, &card));
    cafe_report_open(c->report, NULL, '{');
    name_node(c, "node", node);
    CAFE_REPORT_FIELDS(c->report, node_fields, &card);
    put_position(c, &card);
    CAFE_REPORT_FIELDS(c->report, force_fields, &card);
    PUT_PARTS(c, nodes, node);
    put_forces(c, "pulls", card.pull_count, card.pulls);
    put_forces(c, "pushes", card.push_count, card.pushes);
    if (card.community >= 0) {
        name_community(c, "community", card.community);
        cafe_report_real(c->report, "attachment", card.attachment);
        if (card.second >= 0) name_community(c, "second", card.second);
        CAFE_REPORT_FIELDS(c->report, member_fields, &card);
    }
    cafe_report_close(c->report);
    return CAFE_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static cafe_status put_cards(const cards *c, const cafe_explain_report *r) {
    put_layers(c);
    put_embedding(c, r);
    put_spectrum(c);
    put_partition(c, r);
    cafe_report_open(c->report, "communities", '[');
    for (int32_t i = 0; i < r->communities; i++) CAFE_PASS(put_community(c, i));
    cafe_report_close(c->report);
    cafe_report_open(c->report, "nodes", '[');
    for (int64_t i = 0; i < c->with->node_count; i++) CAFE_PASS(put_node(c, c->with->nodes[i]));
    cafe_report_close(c->report);
    return CAFE_OK;
}

void cafe_report_explanation(cafe_report *report, cafe_explanation *explanation,
                             const cafe_explanation_inputs *inputs) {
    cafe_explanation_inputs own;
    cards c = {report, explanation, &own};
    cafe_status status =
        cafe_inputs_take(report->context, "an explanation", inputs, &own, sizeof own);
    if (status == CAFE_OK) status = put_cards(&c, cafe_explanation_get(explanation));
    if (report->status == CAFE_OK) report->status = status;
}
