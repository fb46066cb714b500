"""Modularity and seconds of cafe cluster, of igraph's Louvain and of igraph's Leiden.

Times are those of the solvers alone, without reading files; of several repeats the shortest counts.
igraph's random numbers are Python's, seeded with the number of the repeat; the modularity of its
first repeat is shown, as ours is that of seed 1. How igraph is called is in peer.py.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import igraph
import numpy as np

from peer import leiden, louvain

TOOL = os.environ.get("CAFE", "build/cafe")
GENERATED = ("planted", "sbm", "ba", "rmat")
TIE = 1e-9


def ours(path, repeats, options):
    """Modularity and the solver's seconds, from the report."""
    seconds = []
    for _ in range(repeats):
        text = subprocess.run([TOOL, "cluster", str(path), "-q", "-t", "1", "--json", "-"] + options,
                              check=True, capture_output=True, text=True).stdout
        report = json.loads(text)
        seconds.append(report["seconds"]["solve"])
    return report["modularity"], min(seconds)


def theirs(graph, repeats, method):
    """Modularity of the first run and the shortest time."""
    found, seconds = None, []
    for seed in range(repeats):
        random.seed(seed)
        began = time.perf_counter()
        partition = method(graph)
        seconds.append(time.perf_counter() - began)
        found = graph.modularity(partition) if found is None else found
    return found, min(seconds)


def load(path):
    """The same simple graph as ours."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        links = np.loadtxt(file, dtype=np.int64, usecols=(0, 1), comments=("#", "%"), ndmin=2)
    graph = igraph.Graph(n=int(links.max()) + 1, edges=links.tolist())
    return graph.simplify()


def find_graphs(data, sets, folder):
    """(name, file) of the generated graphs and of the sets that are there."""
    for model in GENERATED:
        if sets and model not in sets:
            continue
        path = folder / f"{model}.txt"
        subprocess.run([TOOL, "generate", model, "--nodes", "100000", "--edges", "1000000", "-q",
                        "-o", str(path)], check=True)
        yield f"{model}, generated", path
    for place in sorted(pathlib.Path(data).glob("*")) if os.path.isdir(data) else []:
        for path in (place / "edges.txt", place / "edges.txt.gz"):
            if path.exists() and (not sets or place.name in sets):
                yield place.name, path


def show(name, graph, rows):
    cells = [name, f"{graph.vcount():,}", f"{graph.ecount():,}"]
    for modularity, seconds in rows:
        cells += [f"{modularity:.5f}", f"{seconds:.3f}"]
    cells.append(f"{rows[1][1] / rows[0][1]:.1f}")
    print("| " + " | ".join(cells) + " |", flush=True)


def summarise(results):
    table = np.array([[value for pair in rows for value in pair] for _, rows in results])
    names = [name for name, _ in results]
    for column, name in ((2, "Louvain"), (4, "Leiden, ten iterations")):
        gain = table[:, 0] - table[:, column]
        print(f"\nagainst {name}: at or above on {int((gain >= -TIE).sum())} of {len(gain)} graphs, "
              f"mean difference {gain.mean():+.5f}, least {gain.min():+.5f}; "
              f"seconds {table[:, 1].sum():.1f} against {table[:, column + 1].sum():.1f}")
    for i, name in enumerate(names):
        if "generated" in name:
            print(f"{name}: {table[i, 3] / table[i, 1]:.1f} times as fast as Louvain")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("CAFE_DATA", "../shared/data"))
    parser.add_argument("--sets", default="", help="names, separated by commas; default: all")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("options", nargs="*", help="after --: options of cafe cluster")
    a = parser.parse_args()
    sets = set(a.sets.split(",")) - {""}
    print("| graph | nodes | edges | cafe | seconds | Louvain | seconds | Leiden | seconds | "
          "faster than Louvain |\n|" + "---|" * 10)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, path in find_graphs(a.data, sets, pathlib.Path(folder)):
            graph = load(path)
            rows = [ours(path, a.repeats, a.options), theirs(graph, a.repeats, louvain),
                    theirs(graph, a.repeats, leiden)]
            show(name, graph, rows)
            results.append((name, rows))
    if not results:
        sys.exit(f"no graphs in {a.data}")
    summarise(results)


if __name__ == "__main__":
    main()
