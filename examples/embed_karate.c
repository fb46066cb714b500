/* The shortest way from edges in memory to certified vectors: the karate club of karate.txt. */
#include <stdio.h>

#include <cafe/cafe.h>

/* The ties of the 34 members: W. W. Zachary, J. Anthropological Research 33 (1977) 452-473. */
static const int32_t ties[78][2] = {
    {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},
    {0, 11},  {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},
    {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},
    {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
    {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},
    {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32},
    {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25},
    {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
    {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33},
};

int main(void) {
    cafe_context *context = NULL;
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_certificate certificate;
    int32_t source[78], target[78];
    for (int i = 0; i < 78; i++) source[i] = ties[i][0], target[i] = ties[i][1];

    /* NULL stands for default options. */
    if (cafe_context_create(NULL, &context) != CAFE_OK) return 1;
    cafe_status status = cafe_graph_from_edges(context, 34, 78, source, target, NULL, NULL, &graph);
    if (!status) status = cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled);
    if (!status) status = cafe_operator_modularity(context, sampled, &op);
    if (!status) status = cafe_sphere(context, op, NULL, NULL, &solution);
    if (!status) status = cafe_finish(context, op, &solution, NULL, &embedding);

    if (status != CAFE_OK) {
        fprintf(stderr, "embed_karate: %s\n", cafe_error(context));
    } else {
        certificate = *cafe_embedding_certificate(embedding);
        printf("%lld columns of %lld asked for; first Ritz value %.4f, residual %.1e\n",
               (long long)certificate.columns, (long long)certificate.asked,
               certificate.ritz_values[0], certificate.residuals[0]);
        for (int64_t u = 0; u < cafe_embedding_certificate(embedding)->nodes; u += 11)
            printf("member %2lld: %9.5f %9.5f ...\n", (long long)u,
                   cafe_embedding_row(embedding, u)[0], cafe_embedding_row(embedding, u)[1]);
    }

    cafe_embedding_free(embedding);
    cafe_solution_free(solution);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return status == CAFE_OK ? 0 : 1;
}
