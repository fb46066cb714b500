"""Modularity and processor seconds of cafe cluster beside igraph's Louvain and Leiden, leidenalg, and any program.

A graph is searched with seeds 1 .. N by each of them, on one thread. The table has the median and the best
modularity, and the median of the processor seconds. Those of cafe are of the whole command with reading; the others
find the graph in memory. Modularity is computed by igraph from the partitions, for all alike.

A program given as --peer NAME=COMMAND is called as COMMAND EDGES OUT SEED; it reads lines of two integers from 0 and
writes a line 'node community' per node. Its seconds are those of the call.

Graphs are in two halves by a hash of their names: choose settings by the half "choice", and report on the other one. The
summary has them apart. --atlas runs the 1,245 graphs of up to seven nodes with edges (networkx) against all partitions.
"""
import argparse
import gzip
import importlib.util
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import igraph
import numpy as np

from peer import leiden, louvain

TOOL = os.environ.get("CAFE", "build/cafe")
GENERATED = {"planted": [], "sbm": ["--blocks", "200", "--mixing", "0.4"], "ba": [], "rmat": []}
TIE = 1e-9


def is_for_choice(name):
    return zlib.crc32(name.encode()) % 2 == 0


# ---- programs: partitions and processor seconds of one search ---------------------------------------

def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_partition(path, nodes):
    pairs = np.loadtxt(path, dtype=np.int64, ndmin=2, usecols=(0, 1))
    part = np.full(nodes, -1)
    part[pairs[:, 0]] = pairs[:, 1]
    lone = np.flatnonzero(part < 0)  # nodes that the file does not name are alone
    part[lone] = part.max(initial=-1) + 1 + np.arange(len(lone))
    return part.tolist()


def called(command, out):
    def search(graph, edges, seed):
        began = children()
        subprocess.run(command(str(edges), str(out), seed), check=True, stdout=subprocess.DEVNULL)
        return read_partition(out, graph.vcount()), children() - began
    return search


def ours(options, out):
    return called(lambda edges, to, seed: [TOOL, "cluster", edges, "-q", "-f", "-t", "1", "--no-heading", "-o", to,
                                           "--seed", str(seed), *options], out)


def of_igraph(method):
    def search(graph, _, seed):
        random.seed(seed)
        began = time.process_time()
        return method(graph), time.process_time() - began
    return search


def of_leidenalg(graph, _, seed):
    import leidenalg
    began = time.process_time()
    found = leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, n_iterations=-1, seed=seed)
    return found.membership, time.process_time() - began


def programs(given, options, folder):
    found = {"cafe": ours(options, folder / "cafe.tsv"), "Louvain": of_igraph(louvain), "Leiden": of_igraph(leiden)}
    if importlib.util.find_spec("leidenalg"):
        found["leidenalg"] = of_leidenalg
    for text in given:
        name, _, command = text.partition("=")
        found[name] = called(lambda edges, to, seed, c=command: [c, edges, to, str(seed)], folder / "peer.tsv")
    return found


# ---- graphs -----------------------------------------------------------------------------------------

def load(path, folder):
    """The simple graph, and a list of its edges."""
    if path.suffix == ".graph":  # of the tenth DIMACS challenge
        listed = folder / f"{path.stem}.txt"
        subprocess.run([TOOL, "convert", str(path), str(listed), "-q", "-f"], check=True)
        path = listed
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        links = np.loadtxt(file, dtype=np.int64, usecols=(0, 1), comments=("#", "%"), ndmin=2)
    return igraph.Graph(n=int(links.max()) + 1, edges=links.tolist()).simplify(), path


def edges_of(path):
    report = subprocess.run([TOOL, "info", str(path), "-q", "--json", "-"], check=True, capture_output=True).stdout
    return json.loads(report)["graph"]["edges"]


def find_graphs(data, sets, sizes, folder):
    """(name, file) of the generated graphs and of the sets that are there."""
    for edges in sizes:
        for model, options in GENERATED.items():
            if sets and model not in sets:
                continue
            path = folder / f"{model}-{edges}.txt"
            subprocess.run([TOOL, "generate", model, "--nodes", str(max(edges // 10, 10)), "--edges", str(edges), "-q",
                            "-o", str(path), *options], check=True)
            yield f"{model}, {edges:,} edges", path
    for place in sorted(pathlib.Path(data).glob("*")) if os.path.isdir(data) else []:
        for path in sorted([*place.glob("edges.txt"), *place.glob("edges.txt.gz"), *place.glob("*.graph")]):
            name = path.stem if path.suffix == ".graph" else place.name
            if not sets or name in sets:
                yield name, path


# ---- the atlas --------------------------------------------------------------------------------------

def partitions(n):
    """All partitions of n nodes, a row each: restricted growth strings."""
    rows = [[]]
    for _ in range(n):
        rows = [row + [c] for row in rows for c in range(max(row, default=-1) + 2)]
    return np.array(rows)


def run_atlas(folder):
    import networkx
    together = [(p[:, :, None] == p[:, None, :]) for p in map(partitions, range(8))]
    optimal = count = 0
    for graph in networkx.graph_atlas_g()[1:]:
        if graph.number_of_edges() == 0:
            continue
        count += 1
        a = networkx.to_numpy_array(graph, nodelist=sorted(graph))
        p = a.sum(1) / a.sum()
        q = a / a.sum() - np.outer(p, p)
        best = (together[len(a)] * q).sum((1, 2)).max()
        path = folder / "atlas.txt"
        path.write_text("".join(f"{u} {w}\n" for u, w in graph.edges()))
        report = subprocess.run([TOOL, "cluster", str(path), "-q", "--json", "-"], check=True, capture_output=True)
        optimal += json.loads(report.stdout)["modularity"] >= best - TIE
    print(f"atlas: {optimal} of {count} graphs of up to seven nodes have a best partition")


# ---- the table --------------------------------------------------------------------------------------

def measure(graph, edges, search, seeds):
    found = [search(graph, edges, seed) for seed in range(1, seeds + 1)]
    modularity = [graph.modularity(part) for part, _ in found]
    return statistics.median(modularity), max(modularity), statistics.median(seconds for _, seconds in found)


def show(name, graph, rows):
    cells = [name, "choice" if is_for_choice(name) else "report", f"{graph.ecount():,}"]
    for median, best, seconds in rows:
        cells += [f"{median:.5f}", f"{best:.5f}", f"{seconds:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def summarise(names, results):
    for half, wanted in (("choice", True), ("report", False)):
        table = np.array([rows for name, rows in results if is_for_choice(name) == wanted])
        for column, name in enumerate(names[1:], 1):
            if not len(table):
                continue
            gain = table[:, 0, 0] - table[:, column, 0]
            print(f"\n{half}, against {name}: median at or above on {int((gain >= -TIE).sum())} of {len(gain)} graphs, "
                  f"mean difference {gain.mean():+.5f}, least {gain.min():+.5f}; best at or above on "
                  f"{int((table[:, 0, 1] >= table[:, column, 1] - TIE).sum())}; "
                  f"CPU seconds {table[:, 0, 2].sum():.1f} against {table[:, column, 2].sum():.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("CAFE_DATA", "../shared/data"))
    parser.add_argument("--sets", default="", help="names, separated by commas; default: all")
    parser.add_argument("--edges", default="1000000", help="of the generated graphs, separated by commas; '' for none")
    parser.add_argument("--most", type=float, default=1e9, help="edges of a graph at most")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--atlas", action="store_true", help="the graphs of up to seven nodes instead")
    parser.add_argument("options", nargs="*", help="after --: options of cafe cluster")
    a = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if a.atlas:
            run_atlas(folder)
            return
        searches = programs(a.peer, a.options, folder)
        print("| graph | half | edges | " + " | ".join(f"{n}: median | best | CPU s" for n in searches) + " |\n|"
              + "---|" * (3 + 3 * len(searches)))
        sizes = [int(float(size)) for size in a.edges.split(",") if size]
        for name, path in find_graphs(a.data, set(a.sets.split(",")) - {""}, sizes, folder):
            if edges_of(path) > a.most:
                continue
            graph, edges = load(path, folder)
            rows = [measure(graph, edges, search, a.seeds) for search in searches.values()]
            show(name, graph, rows)
            results.append((name, rows))
    if not results:
        sys.exit(f"no graphs in {a.data}")
    summarise(list(searches), results)


if __name__ == "__main__":
    main()
