/* Predicted labels come back as labels: the file can be read as one. */
#include "predicted.h"

#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

enum { CHECK = 4096 };

/* What is written: of each node its best class, -1 where no label reaches it. */
typedef struct cli_predicted {
    cli_run *run;
    const cafe_labels *labels;
    int32_t *best;
    float *probability;
    int64_t reached;
} cli_predicted;

/* A label as every reader of labels takes it: in quotes when something in it separates. */
static void put_label(FILE *file, const char *name) {
    if (!strpbrk(name, " \t,;\"#%")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static int put_lines(FILE *file, const void *argument) {
    const cli_predicted *p = argument;
    cli_put_heading(file, p->run, "node\tlabel\tprobability");
    for (int64_t u = 0; u < p->run->counts.nodes; u++) {
        if (u % CHECK == 0 && cli_signal()) return cli_check(p->run, CAFE_ERROR_CANCELLED);
        if (p->best[u] < 0) continue;
        cli_put_node(file, p->run, p->run->graph, u);
        fputc('\t', file);
        put_label(file, cafe_labels_class_name(p->labels, p->best[u]));
        fprintf(file, "\t%.6g\n", (double)p->probability[u]);
    }
    return CLI_OK;
}

static int write_predicted(const cli_predicted *p, const char *path) {
    int64_t nodes = p->run->counts.nodes;
    CLI_TRY(cli_write_file(p->run, path, put_lines, p));
    cli_say(p->run, "predicted %s: labels of %" PRId64 " node%s%s", path, p->reached,
            cli_plural(p->reached), p->reached < nodes ? "; no label reaches the others" : "");
    return CLI_OK;
}

int cli_predict(cli_run *run, cafe_run *of, const cafe_labels *labels, const char *path) {
    int64_t n = run->counts.nodes;
    cli_predicted p = {.run = run, .labels = labels};
    p.best = cli_new(run, n, sizeof *p.best);
    p.probability = cli_new(run, n, sizeof *p.probability);
    if (!p.best || !p.probability) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, cafe_run_predict(of, p.best, p.probability)));
    for (int64_t u = 0; u < n; u++) p.reached += p.best[u] >= 0;
    return write_predicted(&p, path);
}
