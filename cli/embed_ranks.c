/* cafe embed --dry-run --tune ranks: what a run on several processes would take, as people read it.
 * The graph may be one of which only the size is known. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <cafe-private/text.h>

#include "embed.h"
#include "graph_text.h"
#include "tell.h"

int embed_ranks_check(const embed_job *job) {
    static const char *const planned[] = {"ranks",   "network", "memory-bandwidth",
                                          "latency", "cut",     "graph-size"};
    const cli_arguments *given = job->shared.run.arguments;
    for (size_t i = 0; i < sizeof planned / sizeof *planned && !job->dry_run; i++)
        if (cli_given(given, planned[i]))
            return cli_usage_error("embed", CLI_OPT("%s") " goes with --dry-run%s", planned[i],
                                   i == 0 ? ": a run has the processes that mpirun gives it" : "");
    if (job->size && given->count > 0)
        return cli_usage_error("embed",
                               "--graph-size is for a graph that is not there: leave %s out",
                               job->shared.run.words[0]);
    if (job->size && (job->shared.start_path || job->shared.labels_path))
        return cli_usage_error("embed", "--graph-size goes without --start and --labels");
    if (!job->size && !cli_given(given, "ranks"))
        for (size_t i = 1; i < sizeof planned / sizeof *planned; i++)
            if (cli_given(given, planned[i]))
                return cli_usage_error("embed", CLI_OPT("%s") " goes with --tune ranks",
                                       planned[i]);
    return CLI_OK;
}

/* "1e10,1e12", each a whole number up to 2^53. */
int embed_take_size(embed_job *job) {
    int64_t values[2] = {0, 0};
    const char *at = job->size;
    for (int i = 0; i < 2; i++) {
        const char *end;
        double value = cafe_parse_number(at, &end);
        if (end == at || !(value >= 1 - i && value <= 0x1p53 && value == floor(value)) ||
            *end != (i == 0 ? ',' : 0))
            return cli_usage_error("embed",
                                   "--graph-size takes nodes and edges such as 1e10,1e12, not '%s'",
                                   job->size);
        values[i] = (int64_t)value;
        at = end + 1;
    }
    job->shared.run.counts = (cafe_graph_counts){.nodes = values[0], .edges = values[1]};
    return cli_check(&job->shared.run, cafe_run_size(job->shared.of, values[0], values[1]));
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_memory(const cafe_ranks_plan *p) {
    char all[CAFE_BYTES_TEXT], whole[CAFE_BYTES_TEXT], links[CAFE_BYTES_TEXT],
        rows[CAFE_BYTES_TEXT];
    char ghosts[CAFE_BYTES_TEXT], work[CAFE_BYTES_TEXT];
    printf(
        "memory of a rank: %s (arrays of all nodes %s, edges %s, own rows %s, ghost rows %s, "
        "the rest %s)\n",
        cafe_bytes_text(p->memory, all), cafe_bytes_text(p->whole_bytes, whole),
        cafe_bytes_text(p->link_bytes, links), cafe_bytes_text(p->block_bytes, rows),
        cafe_bytes_text(p->ghost_bytes, ghosts), cafe_bytes_text(p->work_bytes, work));
}

static void print_fit(const embed_job *job) {
    char limit[CAFE_BYTES_TEXT];
    if (job->memory == 0) return;
    printf("%s is the limit of a rank: it %s\n", cafe_bytes_text(job->memory, limit),
           job->forecast.rank_fits ? "fits" : "does not fit");
}

static void print_rates(const cafe_ranks_plan *p) {
    printf("rates of a rank:");
    if (p->memory_bandwidth > 0) printf(" memory %.3g GB/s", p->memory_bandwidth / 1e9);
    if (p->network > 0)
        printf("%s network %.3g Gbit/s (%.3g GB/s)", p->memory_bandwidth > 0 ? "," : "",
               8 * p->network / 1e9, p->network / 1e9);
    printf("\n");
}

enum { SECONDS_TEXT = 32 };

/* Three digits, and all of them in whole numbers. */
static const char *seconds_text(double seconds, char text[SECONDS_TEXT]) {
    snprintf(text, SECONDS_TEXT, seconds < 100 ? "%.3g" : "%.0f", seconds);
    return text;
}

static void print_seconds(const cafe_ranks_plan *p) {
    char all[SECONDS_TEXT], work[SECONDS_TEXT], ghosts[SECONDS_TEXT], wait[SECONDS_TEXT];
    if (p->memory_bandwidth > 0 || p->network > 0) print_rates(p);
    if (!(p->sweep_seconds > 0)) return;
    printf("a sweep takes about %s s: rows from memory %s s, ghost rows %s s, waiting %s s\n",
           seconds_text(p->sweep_seconds, all), seconds_text(p->work_seconds, work),
           seconds_text(p->ghost_seconds, ghosts), seconds_text(p->wait_seconds, wait));
    printf("the run takes about %s s with %d sweeps, without reading and writing files\n",
           seconds_text(p->run_seconds, all), (int)p->sweeps);
}

void embed_ranks_print(const embed_job *job) {
    char rows[CLI_COUNT_TEXT], links[CLI_COUNT_TEXT], ghosts[CLI_COUNT_TEXT];
    char sent[CAFE_BYTES_TEXT], own[CAFE_BYTES_TEXT];
    const cafe_ranks_plan *p = &job->forecast.ranks;
    printf("%" PRId64 " rank%s of %" PRId64
           " thread%s: %.1f%% of the edges lie between ranks (%s)\n",
           p->ranks, cli_plural(p->ranks), p->threads, cli_plural(p->threads), 100 * p->cut,
           p->counted ? "counted" : "expected");
    printf("a rank has at most %s rows, %s edges and %s ghost rows\n",
           cli_count_text(p->rank_rows, rows), cli_count_text(p->rank_links, links),
           cli_count_text(p->rank_ghosts, ghosts));
    print_memory(p);
    print_fit(job);
    if (p->chunks == 0) return; /* of a method without sweeps */
    printf("a sweep sends %s, a rank at most %s, and adds up %" PRId64 " sums %" PRId64 " times\n",
           cafe_bytes_text(p->bytes_per_sweep, sent), cafe_bytes_text(p->rank_sends, own),
           p->columns, p->ranks > 1 ? p->chunks : 0);
    print_seconds(p);
}
