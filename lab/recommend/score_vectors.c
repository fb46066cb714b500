/* The decoder: from an embedding to vectors whose inner products are scores of pairs.
 *
 * Rows of H have length 1: they have directions, but no sizes. The part of Q in the span of the
 * embedding has sizes,
 *
 *     P ~ p p^T + V rho V^T,
 *
 * an estimate of the probability that the pair is drawn (docs/recommend.md compares it with other
 * scores). Negative Ritz values have no square root and are left out: the solver did not search for
 * them.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <cafe/method.h>
#include <cafe/recommend.h>

#include "base/memory.h"
#include "base/option.h"

static const cafe_option decoder_options[] = {
    {"decode", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,
     offsetof(cafe_decoder_options, decode), 0, 0, 3, "p|q|vectors|raw",
     "what inner products stand for: p (probability of a pair), q (p less what degrees alone would "
     "give), vectors (orthonormal columns alike), raw (cosines of the method's rows)"},
    {"columns", "C", CAFE_OPTION_INTEGER, offsetof(cafe_decoder_options, columns), 64, 1, 65536,
     NULL, "columns of the embedding"},
    {"residual", "R", CAFE_OPTION_REAL, offsetof(cafe_decoder_options, residual), 0.3, 0, 1, NULL,
     "the embedding is improved until every column's relative residual is below R; 0: it is not"},
};

CAFE_OPTION_TABLE(decoder, "decoder", "vectors whose inner products are scores", decoder_options)

/* Columns to use, and the factor of each. */
static int64_t find_factors(const cafe_embedding *embedding, int32_t decode, double *factor) {
    cafe_certificate c = *cafe_embedding_certificate(embedding);
    bool weighted = decode == CAFE_DECODE_P || decode == CAFE_DECODE_Q;
    int64_t count = 0;
    for (; count < c.columns; count++) {
        if (weighted && !(c.ritz_values[count] > 0)) break; /* they descend */
        factor[count] = weighted ? sqrt(c.ritz_values[count]) : 1;
    }
    return count;
}

/* p_u in front when `sampled` is there, then the columns by their factors. */
static cafe_status fill(cafe_context *context, const cafe_embedding *embedding,
                        const cafe_sampled *sampled, int64_t count, const double *factor,
                        int64_t *columns, float **vectors) {
    int64_t n = cafe_embedding_certificate(embedding)->nodes, front = sampled != NULL,
            k = front + count;
    if (k == 0)
        return cafe_fail(context, CAFE_ERROR_NUMERIC,
                         "the embedding has no positive Ritz value: nothing to recommend by");
    int64_t all = cafe_embedding_certificate(embedding)->columns;
    cafe_status status = CAFE_OK;
    float *x = cafe_mem(context, n * k, sizeof *x), *rows = cafe_mem(context, n * all, sizeof *x);
    CAFE_TRY(cafe_mem_had(x, rows));
    CAFE_TRY(cafe_embedding_copy(embedding, rows));
    for (int64_t u = 0; u < n; u++) {
        const float *row = rows + u * all;
        if (front) x[u * k] = (float)cafe_sampled_node(sampled, u);
        for (int64_t j = 0; j < count; j++) x[u * k + front + j] = (float)(factor[j] * row[j]);
    }
    *columns = k;
    *vectors = x;
    x = NULL;
done:
    cafe_mem_free_all(context, x, rows);
    return status;
}

static cafe_status embed(cafe_context *context, const cafe_graph *graph,
                         const cafe_sphere_options *sphere, const cafe_decoder_options *o,
                         cafe_embedding **embedding) {
    cafe_method_options options;
    cafe_finish_options finish;
    cafe_sample_options sample;
    cafe_sphere_options own;
    bool raw = o->decode == CAFE_DECODE_RAW;
    cafe_finish_options_init(&finish);
    finish.form = raw ? CAFE_FORM_RAW : CAFE_FORM_RITZ;
    finish.residual = raw ? 0 : o->residual;
    cafe_sample_options_init(&sample);
    sample.degree_exponent = 0; /* scores stand for P itself */
    cafe_method_options_init(&options);
    options.sample = &sample;
    cafe_sphere_options_init(&own);
    own.columns = o->columns;
    options.own = sphere ? sphere : &own;
    options.finish = &finish;
    return cafe_embed(context, graph, NULL, &options, NULL, embedding);
}

cafe_status cafe_decoder_vectors(cafe_context *context, const cafe_graph *graph,
                                 const cafe_sphere_options *sphere,
                                 const cafe_decoder_options *options, int64_t *columns,
                                 float **vectors) {
    cafe_status status = CAFE_OK;
    cafe_embedding *embedding = NULL;
    cafe_sampled *sampled = NULL;
    double *factor = NULL;
    cafe_decoder_options o;
    *columns = 0;
    *vectors = NULL;
    CAFE_TRY(cafe_options_take(context, &decoder_table, options, &o));
    CAFE_TRY(embed(context, graph, sphere, &o, &embedding));
    if (o.decode == CAFE_DECODE_P)
        CAFE_TRY(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    factor = cafe_mem(context, cafe_embedding_certificate(embedding)->columns, sizeof *factor);
    CAFE_TRY(cafe_mem_had(factor));
    int64_t count = find_factors(embedding, o.decode, factor);
    status = fill(context, embedding, sampled, count, factor, columns, vectors);
done:
    cafe_mem_free(context, factor);
    cafe_sampled_free(sampled);
    cafe_embedding_free(embedding);
    return status;
}
