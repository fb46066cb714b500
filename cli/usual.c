/* What -h shows of each command: an example, and the options that most people use, a dozen at most.
 * All other options stand only behind --help.
 */
#include <string.h>

#include "command.h"

#define RUN "json|seed|threads|force"

static const cli_usual rows[] = {
    {"embed", "graph.txt -o vectors.npy --columns 64 --json report.json",
     "output|columns|method|labels|sampling|output-form|residual|dry-run|" RUN},
    {"cluster", "graph.txt -o communities.tsv",
     "output|resolution|effort|bound|trials|communities|hierarchy|start|" RUN},
    {"convert", "soc.txt.gz soc.cafe",
     "vectors|communities|attributes|source|target|weight|directed|duplicates|reorder|threads|"
     "force"},
    {"info", "graph.txt.gz", "json|memory-limit|source|target|weight|header|directed|threads"},
    {"generate", "sbm --nodes 1000 --edges 8000 --blocks 4 -o g.cafe",
     "output|nodes|edges|blocks|mixing|labels|seed|threads|force"},
    {"update", "old.cafe changes.txt --from old.npy -o new.npy",
     "from|output|graph-out|communities|drift|full|sweeps|" RUN},
    {"place", "graph.txt h.npy arrivals.txt -o arrivals.npy", "output|form|json|threads|force"},
    {"reduce", "points.csv -k 6 -o vectors.tsv --w w.tsv",
     "output|columns|method|w|theta|sweeps|" RUN},
    {"rank", "graph.txt --top 20", "by|top|set|other|output|damping|json|threads|force"},
    {"predict", "graph.txt --labels known.tsv -o predicted.tsv",
     "labels|output|by|embedding|probabilities|pairs|" RUN},
    {"recommend", "ratings.txt --node alice,bob -k 20",
     "node|nodes-file|top|score|embedding|evaluate|output|" RUN},
    {"points", "points.csv -o points.cafe", "output|neighbours|kernel|matrix|" RUN},
    {"evaluate classify", "cora.txt --labels cora.labels --repeats 20",
     "labels|method|methods|columns|embedding|train|repeats|classifier|" RUN},
    {"evaluate link", "graph.txt --repeats 5 --json report.json",
     "method|columns|embedding|train|repeats|classifier|" RUN},
    {"evaluate cluster", "graph.txt --labels labels.txt",
     "labels|communities|resolution|refine|sampling|" RUN},
    {"reproduce", "classification --set cora --repeats 20", "data|set|row|repeats|output|" RUN},
    {"report", "graph.txt -o report.html", "output|labels|attributes|title|seed|threads|force"},
    {"explain", "graph.txt vectors.npy --node alice,bob",
     "node|verbose|dimensions|communities|labels|spectrum|bound|eigenvector|" RUN},
    {"plot", "graph.txt vectors.npy -o page.html --labels labels.txt",
     "output|terminal|map|dimensions|colour|labels|communities|attributes|title|dark|force"},
    {"help", "embed", "completion|man"},
    {"version", "--verbose", "verbose|probe"},
};

const cli_usual *cli_usual_of(const cli_command *command) {
    static const cli_usual none = {"", "", ""};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].command, command->name) == 0) return &rows[i];
    return &none;
}
