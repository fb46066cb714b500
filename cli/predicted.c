/* Predicted labels come back as labels: the file can be read as one. */
#include "predicted.h"

#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

enum { CHECK = 4096 };

/* The largest of the class columns, and its part of the whole row. */
static void predict_row(const cli_predicted *p, int64_t u, int64_t count, const int32_t *columns,
                        const float *values) {
    int64_t classes = cafe_labels_classes(p->labels);
    double sum = 0;
    float most = 0;
    p->best[u] = -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t column = columns ? columns[i] : i;
        sum += values[i];
        if (column >= classes || !(values[i] > most)) continue;
        most = values[i];
        p->best[u] = (int32_t)column;
    }
    if (p->best[u] >= 0) p->probability[u] = (float)(most / sum);
}

int cli_predict(cli_run *run, const cafe_labels *labels, int64_t width, const int64_t *offsets,
                const int32_t *columns, const float *values, cli_predicted *p) {
    int64_t n = run->counts.nodes;
    *p = (cli_predicted){.run = run, .labels = labels};
    p->best = cli_new(run, n, sizeof *p->best);
    p->probability = cli_new(run, n, sizeof *p->probability);
    if (!p->best || !p->probability) return CLI_FAILED;
    for (int64_t u = 0; u < n; u++) {
        int64_t first = offsets ? offsets[u] : u * width;
        predict_row(p, u, offsets ? offsets[u + 1] - first : width,
                    columns ? columns + first : NULL, values + first);
        p->reached += p->best[u] >= 0;
    }
    return CLI_OK;
}

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
    fputs("node\tlabel\tprobability\n", file);
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

int cli_write_predicted(const cli_predicted *p, const char *path) {
    int64_t nodes = p->run->counts.nodes;
    CLI_TRY(cli_write_file(p->run, path, put_lines, p));
    cli_say(p->run, "predicted %s: labels of %" PRId64 " node%s%s", path, p->reached,
            cli_plural(p->reached), p->reached < nodes ? "; no label reaches the others" : "");
    return CLI_OK;
}
