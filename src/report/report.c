/* A report from its first line to its last, and what every report has: options, graph, sampling. */
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "engine/engine.h"
#include "graph/node_names.h"
#include "io/digits.h"

/* ---- beginning and end ----------------------------------------------------------------------- */

cafe_status cafe_report_new(cafe_context *context, const char *schema, cafe_report **report) {
    cafe_report *r = cafe_mem_zero(context, 1, sizeof *r);
    *report = r;
    if (!r) return CAFE_ERROR_MEMORY;
    r->context = context;
    cafe_report_open(r, NULL, '{');
    cafe_report_string(r, "schema", schema);
    cafe_report_string(r, "version", cafe_version());
    return CAFE_OK;
}

void cafe_report_free(cafe_report *report) {
    if (!report) return;
    cafe_mem_free_all(report->context, report->text, report);
}

static cafe_status finish(cafe_report *report) {
    if (report->depth == 0) return report->status;
    while (report->depth > 0 && report->status == CAFE_OK) cafe_report_close(report);
    cafe_report_put(report, "\n", 2); /* the 0 ends the text, and is not of it */
    report->size--;
    return report->status;
}

cafe_status cafe_report_text(cafe_report *report, const char **text) {
    cafe_status status = finish(report);
    *text = status == CAFE_OK ? report->text : "";
    return status;
}

cafe_status cafe_report_save(const cafe_report *report, const char *path, int32_t overwrite) {
    cafe_output *output = NULL;
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_output_create(report->context, path, overwrite, &output));
    CAFE_TRY(cafe_output_write(output, report->text, report->size));
    CAFE_TRY(cafe_output_commit(&output));
done:
    cafe_output_discard(output);
    return status;
}

cafe_status cafe_report_write(cafe_report *report, const char *path, int32_t overwrite) {
    cafe_status status = finish(report);
    return status != CAFE_OK ? status : cafe_report_save(report, path, overwrite);
}

/* ---- what was asked for ---------------------------------------------------------------------- */

void cafe_report_context(cafe_report *report) {
    char seed[CAFE_INTEGER_TEXT + 1];
    cafe_print(seed, sizeof seed, "%" PRIu64, cafe_seed(report->context));
    cafe_report_raw(report, "seed", seed);
    cafe_report_integer(report, "threads", cafe_threads(report->context));
    cafe_report_string(report, "engine", cafe_engine_name(report->context));
}

static void put_text(cafe_report *report, const cafe_option *option, const void *options) {
    const char *const *at = (const void *)((const char *)options + option->offset);
    if (*at)
        cafe_report_string(report, option->name, *at);
    else
        cafe_report_raw(report, option->name, "null");
}

static void put_option(cafe_report *report, const cafe_option *option, const void *options) {
    double value = cafe_options_number(option, options);
    char text[256];
    switch (cafe_option_kind(option)) {
        case CAFE_OPTION_INTEGER: cafe_report_integer(report, option->name, (int64_t)value); break;
        case CAFE_OPTION_REAL: cafe_report_real(report, option->name, value); break;
        case CAFE_OPTION_SWITCH: cafe_report_truth(report, option->name, value != 0); break;
        case CAFE_OPTION_CHOICE:
            cafe_options_text(option, options, text, sizeof text);
            cafe_report_string(report, option->name, text);
            break;
        case CAFE_OPTION_TEXT: put_text(report, option, options); break;
    }
}

void cafe_report_options(cafe_report *report, const cafe_option_table *table, const void *options) {
    void *own = cafe_mem(report->context, 1, table->struct_size);
    cafe_status status =
        own ? cafe_options_take(report->context, table, options, own) : CAFE_ERROR_MEMORY;
    if (report->status == CAFE_OK) report->status = status;
    for (size_t i = 0; status == CAFE_OK && i < table->count; i++)
        put_option(report, &table->options[i], own);
    cafe_mem_free(report->context, own);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

#define STRUCT cafe_graph_counts
static const cafe_field graph_fields[] = {
    FIELD(nodes),           FIELD(edges),      FIELD(lines),      FIELD(self_loops),
    FIELD(self_loops_kept), FIELD(duplicates), FIELD(reversed),   FIELD(zero_weights),
    FIELD(isolated),        FIELD(components), FIELD(largest),    FIELD(weighted),
    FIELD(total_weight),    FIELD(min_degree), FIELD(max_degree), FIELD(mirrored),
    FIELD(outside),         FIELD(lighter),    FIELD(left_nodes),
};
#undef STRUCT

/* Of a graph with layers or slices. */
static void put_layers(cafe_report *report, const cafe_graph *graph) {
    int64_t count;
    const cafe_graph_layer *layers = cafe_graph_layers(graph, &count);
    if (count == 0) return;
    cafe_report_open(report, cafe_graph_slice_of(graph) ? "time_slices" : "edge_layers", '[');
    for (int64_t l = 0; l < count; l++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "name", layers[l].name);
        if (!cafe_graph_slice_of(graph)) cafe_report_real(report, "weight", layers[l].weight);
        cafe_report_integer(report, "edges", layers[l].edges);
        cafe_report_real(report, "total_weight", layers[l].total_weight);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

void cafe_report_graph(cafe_report *report, const char *path, const cafe_graph *graph) {
    static const char *const rules[] = {"no", "sum", "cocitation", "flow"};
    cafe_report_open(report, "graph", '{');
    if (path) cafe_report_string(report, "path", path);
    CAFE_REPORT_FIELDS(report, graph_fields, cafe_graph_get_counts(graph));
    cafe_report_string(report, "directed", rules[cafe_graph_get_counts(graph)->directed]);
    if (cafe_graph_negative(graph)) {
        const cafe_graph_counts *c = cafe_graph_get_counts(cafe_graph_negative(graph));
        cafe_report_integer(report, "negative_edges", c->edges);
        cafe_report_real(report, "negative_weight", c->total_weight);
    }
    put_layers(report, graph);
    cafe_report_close(report);
}

static void put_column(cafe_report *report, const char *key, int64_t column) {
    if (column < 0)
        cafe_report_raw(report, key, "null");
    else
        cafe_report_integer(report, key, column);
}

void cafe_report_reading(cafe_report *report, const cafe_graph *graph) {
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    const cafe_file_format *format = cafe_file_format_at(CAFE_FILE_GRAPH, r->format - 1);
    bool edges = r->format == CAFE_FORMAT_EDGES;
    cafe_report_string(report, "format", format ? format->name : "none");
    cafe_report_string(report, "reading", r->text ? r->text : "");
    cafe_report_string(report, "warning", r->warning ? r->warning : "");
    cafe_report_integer(report, "files", r->files);
    cafe_report_truth(report, "heading", r->heading);
    put_column(report, "source_column", edges ? r->source : -1);
    put_column(report, "target_column", edges ? r->target : -1);
    put_column(report, "weight_column", edges ? r->weight : -1);
    cafe_report_open(report, "first_edges", '[');
    for (const char *p = r->edges ? r->edges : ""; *p;) {
        size_t length = strcspn(p, "\n");
        cafe_report_bytes(report, NULL, p, (int64_t)length);
        p += length + (p[length] == '\n');
    }
    cafe_report_close(report);
}

void cafe_report_profile(cafe_report *report, const cafe_graph_profile *p) {
    cafe_report_real(report, "mean_degree", p->mean_degree);
    cafe_report_integer(report, "median_degree", p->median_degree);
    cafe_report_integer(report, "degree_99", p->high_degree);
    cafe_report_real(report, "least_weight", p->least_weight);
    cafe_report_real(report, "most_weight", p->most_weight);
    cafe_report_string(report, "names", p->names);
    cafe_report_truth(report, "bipartite", p->bipartite);
    cafe_report_integer(report, "side_0", p->first_side);
    cafe_report_integer(report, "side_1", p->second_side);
    cafe_report_integer(report, "row_bytes", p->row_bytes);
}

void cafe_report_node(cafe_report *report, const char *key, const cafe_graph *graph, int64_t node) {
    const cafe_names *names = cafe_graph_node_names(graph);
    char digits[CAFE_INTEGER_TEXT];
    if (names->kind == CAFE_NAMES_STRING) {
        int64_t start = names->start[node];
        cafe_report_bytes(report, key, names->text + start, names->start[node + 1] - start);
        return;
    }
    int64_t number = names->kind == CAFE_NAMES_INDEX ? node : names->integers[node];
    cafe_report_bytes(report, key, digits, cafe_put_integer(digits, number) - digits);
}

/* ---- samplings ------------------------------------------------------------------------------- */

void cafe_report_sampled(cafe_report *report, const cafe_sampled *sampled) {
    const cafe_sampled_info *i = cafe_sampled_get_info(sampled);
    cafe_report_open(report, "sampled", '{');
    cafe_report_string(report, "sampling", cafe_sampling_name(i->sampling));
    cafe_report_integer(report, "entries", i->entries);
    cafe_report_real(report, "degree_exponent", i->degree_exponent);
    cafe_report_truth(report, "exact", i->exact);
    if (i->steps > 0) cafe_report_integer(report, "steps", i->steps);
    if (i->truncation > 0) cafe_report_real(report, "truncation", i->truncation);
    if (i->seeds > 0) cafe_report_integer(report, "seed_nodes", i->seeds);
    if (cafe_sampler_of((cafe_sampling)i->sampling)->attributes) {
        cafe_report_real(report, "lambda", i->lambda);
        cafe_report_real(report, "mean", i->mean);
    }
    if (!i->exact) {
        cafe_report_integer(report, "samples", i->samples);
        cafe_report_integer(report, "pairs", i->pairs);
        cafe_report_real(report, "standard_error", i->standard_error);
        cafe_report_real(report, "relative_error", i->relative_error);
    }
    cafe_report_close(report);
}
