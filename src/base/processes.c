/* Communication of processes, built on one operation: an exchange of bytes. */
#include "base/processes.h"

#include <string.h>

#include "base/memory.h"

cafe_status cafe_team_agree(cafe_context *context, cafe_status status) {
    const cafe_team *team = context->team;
    return team ? team->agree(context, team->state, status) : status;
}

cafe_status cafe_team_exchange(cafe_context *context, const void *give, const int64_t *sizes,
                               void **got, int64_t *got_sizes) {
    const cafe_team *team = context->team;
    *got = NULL;
    if (team) return team->exchange(context, team->state, give, sizes, got, got_sizes);
    *got = cafe_mem(context, sizes[0], 1);
    if (!*got) return CAFE_ERROR_MEMORY;
    if (sizes[0] > 0) memcpy(*got, give, (size_t)sizes[0]);
    got_sizes[0] = sizes[0];
    return CAFE_OK;
}

/* The bytes for all processes are stored once for each. */
cafe_status cafe_team_gather(cafe_context *context, const void *mine, int64_t bytes, void **all,
                             int64_t *sizes) {
    int64_t ranks = cafe_team_ranks(context);
    cafe_status status = CAFE_ERROR_MEMORY;
    *all = NULL;
    int64_t *lengths = cafe_mem(context, 2 * ranks, sizeof *lengths);
    char *copies = lengths ? cafe_mem(context, ranks * bytes, 1) : NULL;
    for (int64_t r = 0; copies && r < ranks; r++) {
        lengths[r] = bytes;
        if (bytes > 0) memcpy(copies + r * bytes, mine, (size_t)bytes);
    }
    CAFE_TRY(cafe_team_agree(context, copies ? CAFE_OK : CAFE_ERROR_MEMORY));
    CAFE_TRY(cafe_team_exchange(context, copies, lengths, all, lengths + ranks));
    if (sizes) memcpy(sizes, lengths + ranks, (size_t)ranks * sizeof *sizes);
done:
    cafe_mem_free_all(context, copies, lengths);
    return status;
}

/* The first line in which the texts of process `rank` and of process 0 differ. */
static cafe_status fail_line(cafe_context *context, int32_t rank, const char *text,
                             const char *first) {
    const char *line = text, *wanted = first;
    for (size_t i = 0; text[i] && text[i] == first[i]; i++)
        if (text[i] == '\n') line = text + i + 1, wanted = first + i + 1;
    cafe_fail(context, CAFE_ERROR_ARGUMENT, "rank %d was given %.*s, rank 0 %.*s", (int)rank,
              (int)strcspn(line, "\n"), line, (int)strcspn(wanted, "\n"), wanted);
    context->agreed = true;
    return CAFE_ERROR_ARGUMENT;
}

cafe_status cafe_team_same(cafe_context *context, const char *text) {
    int32_t ranks = cafe_team_ranks(context);
    cafe_status status = CAFE_OK;
    void *all = NULL;
    if (ranks == 1) return CAFE_OK;
    int64_t *sizes = cafe_mem(context, ranks, sizeof *sizes);
    CAFE_TRY(cafe_team_agree(context, cafe_mem_had(sizes)));
    CAFE_TRY(cafe_team_gather(context, text, (int64_t)strlen(text) + 1, &all, sizes));
    const char *first = all, *other = first;
    for (int32_t r = 1; r < ranks && status == CAFE_OK; r++) {
        other += sizes[r - 1];
        if (strcmp(other, first) != 0) status = fail_line(context, r, other, first);
    }
done:
    cafe_mem_free_all(context, sizes, all);
    return status;
}

cafe_status cafe_team_sum(cafe_context *context, int64_t *values, int64_t count) {
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(context, values, count * (int64_t)sizeof *values, &all, NULL));
    const int64_t *given = all;
    memset(values, 0, (size_t)count * sizeof *values);
    for (int64_t i = 0; i < count * cafe_team_ranks(context); i++) values[i % count] += given[i];
    cafe_mem_free(context, all);
    return CAFE_OK;
}

cafe_status cafe_team_fill(cafe_context *context, void *array, size_t size, const int64_t *bounds) {
    void *all = NULL;
    cafe_portion portion = cafe_team_portion(context, bounds);
    int64_t item = (int64_t)size, n = bounds[cafe_team_ranks(context)];
    CAFE_PASS(cafe_team_gather(context, (char *)array + portion.first * item,
                               (portion.last - portion.first) * item, &all, NULL));
    memcpy(array, all, (size_t)n * size);
    cafe_mem_free(context, all);
    return CAFE_OK;
}

/* The first row from `low` on, a multiple of `block`, before which there are `entries` or more. */
static int64_t bound_at(int64_t n, const int64_t *offsets, int64_t block, int64_t low,
                        double entries) {
    int64_t high = n / block + 1;
    low = low / block;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, row = middle * block < n ? middle * block : n;
        if ((double)offsets[row] < entries)
            low = middle + 1;
        else
            high = middle;
    }
    return low * block < n ? low * block : n;
}

void cafe_team_bounds(const cafe_context *context, int64_t n, const int64_t *offsets, int64_t block,
                      int64_t *bounds) {
    int32_t ranks = cafe_team_ranks(context);
    double entries = (double)offsets[n];
    bounds[0] = 0;
    for (int32_t r = 1; r < ranks; r++)
        bounds[r] = bound_at(n, offsets, block, bounds[r - 1], entries * r / ranks);
    bounds[ranks] = n;
}
