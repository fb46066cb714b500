/* Columns and what is proved of them: embeddings, reductions of tables, theorem 4. */
#include <math.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "report/report.h"

void cafe_report_history(cafe_report *report, const char *key, int64_t sweeps, int32_t converged,
                         const double *values) {
    cafe_report_integer(report, "sweeps", sweeps);
    cafe_report_truth(report, "converged", converged);
    cafe_report_reals(report, key, sweeps + 1, values);
}

/* ---- embeddings ------------------------------------------------------------------------------ */

#define STRUCT cafe_certificate
static const cafe_field embedding_fields[] = {
    FIELD(effective_rank),          FIELD(columns),      AS("columns_asked", asked),
    AS("columns_dropped", dropped), FIELD(pairs),        LIST(ritz_values, pairs),
    LIST(residuals, pairs),         LIST(shares, pairs), AS("columns_certified", certified),
};
static const cafe_field certificate_fields[] = {
    FIELD(rotated), FIELD(orthogonality), FIELD(tolerance), AS("columns_converged", converged),
    FIELD(products)};
#undef STRUCT
#define STRUCT cafe_group
static const cafe_field group_fields[] = {
    FIELD(first),
    FIELD(columns),
    LIST(values, columns),
    LIST(residuals, columns),
};
#undef STRUCT

void cafe_report_groups(cafe_report *report, const cafe_certificate *c) {
    cafe_report_open(report, "groups", '[');
    for (int64_t i = 0; i < c->group_count; i++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "kind", c->groups[i].kind);
        cafe_report_string(report, "problem", c->groups[i].problem);
        CAFE_REPORT_FIELDS(report, group_fields, &c->groups[i]);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

void cafe_report_embedding(cafe_report *report, const cafe_embedding *embedding,
                           const cafe_sampled *sampled, int32_t exact) {
    const cafe_certificate *c = cafe_embedding_certificate(embedding);
    const cafe_sampled_info *info = cafe_sampled_get_info(sampled);
    CAFE_REPORT_FIELDS(report, embedding_fields, c);
    cafe_report_groups(report, c);
    cafe_report_sampled(report, sampled);
    cafe_report_open(report, "certificate", '{');
    cafe_report_string(report, "problem", c->generalised ? CAFE_PROBLEM_WALK : CAFE_PROBLEM_PLAIN);
    cafe_report_string(report, "sampling", cafe_sampling_name(info->sampling));
    cafe_report_real(report, "degree_exponent", info->degree_exponent);
    cafe_report_truth(report, "exact_sampling", exact || info->exact);
    CAFE_REPORT_FIELDS(report, certificate_fields, c);
    cafe_report_close(report);
}

/* ---- tables ---------------------------------------------------------------------------------- */

void cafe_report_table(cafe_report *report, const char *path, const cafe_table *table,
                       const cafe_reduction *reduction) {
    const cafe_reduction_report *r = reduction ? cafe_reduction_get(reduction) : NULL;
    cafe_report_open(report, "table", '{');
    cafe_report_string(report, "path", path);
    cafe_report_integer(report, "rows", cafe_table_rows(table));
    cafe_report_integer(report, "width", cafe_table_columns(table));
    cafe_report_truth(report, "heading", cafe_table_has_heading(table));
    cafe_report_truth(report, "row_names", cafe_table_has_row_names(table));
    if (r) {
        cafe_report_real(report, "variance", r->variance);
        cafe_report_reals(report, "means", r->width, r->means);
    }
    cafe_report_close(report);
}

#define STRUCT cafe_reduction_report
static const cafe_field reduction_fields[] = {
    FIELD(trace),
    FIELD(clusters),
    LIST(masses, held),
    AS("columns_asked", asked),
    AS("columns_held", held),
    FIELD(columns),
    FIELD(rank),
    LIST(ritz_values, columns),
    LIST(residuals, columns),
    LIST(shares, columns),
    LIST(column_values, columns),
    LIST(column_residuals, columns),
};
#undef STRUCT

void cafe_report_reduction(cafe_report *report, const cafe_reduction *reduction) {
    const cafe_reduction_report *r = cafe_reduction_get(reduction);
    cafe_report_string(report, "order", r->chunks == r->rows ? "sequential" : "chunks");
    cafe_report_integer(report, "chunks", r->chunks);
    cafe_report_real(report, "theta", r->theta);
    cafe_report_history(report, "objective", r->sweeps, r->converged, r->objective);
    CAFE_REPORT_FIELDS(report, reduction_fields, r);
    cafe_report_reals(report, "projection_residuals", r->columns, r->projections);
    cafe_report_reals(report, "eigenvalues", r->eigenpairs, r->eigenvalues);
    cafe_report_real(report, "orthogonality", r->orthogonality);
}

/* ---- theorem 4 ------------------------------------------------------------------------------- */

static void put_bound(cafe_report *report, const char *key, const cafe_bound *b) {
    cafe_report_open(report, key, '{');
    cafe_report_real(report, "rayleigh", b->rayleigh);
    cafe_report_real(report, "epsilon", b->epsilon);
    cafe_report_real(report, "cosine_x", b->cosine_x);
    cafe_report_real(report, "cosine_qx", b->cosine_qx);
    cafe_report_truth(report, "applies", b->applies);
    cafe_report_real(report, "bound_x", b->applies ? b->first : NAN);
    cafe_report_real(report, "bound_qx", b->applies ? b->second : NAN);
    cafe_report_real(report, "bound_qx_published", b->applies ? b->second_published : NAN);
    cafe_report_truth(report, "holds", b->holds);
    cafe_report_close(report);
}

void cafe_report_bounds(cafe_report *report, const cafe_bounds *bounds) {
    const cafe_bounds_report *r = cafe_bounds_get(bounds);
    cafe_report_real(report, "lambda_1", r->gap.first);
    cafe_report_real(report, "lambda_2", r->gap.second);
    cafe_report_real(report, "lambda_n", r->gap.last);
    cafe_report_real(report, "delta", r->gap.delta);
    cafe_report_real(report, "objective", r->objective);
    cafe_report_integer(report, "best_start", r->best);
    cafe_report_integer(report, "starts_converged", r->converged);
    put_bound(report, "plain", &r->plain);
    put_bound(report, "centred", &r->centred);
}
